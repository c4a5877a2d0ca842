//! What came back from a grouped scan: distinct combinations of raw values, each with its count and its hash.
//!
//! Several groups can be one tuple: `n/a` and nothing at all are both missing, and two writings of a date are one day.
//! So hashes are those of groups, and the tuple of each is found by its codes.

use ahash::RandomState;
use hashbrown::HashMap;
use incrowd_core::{Attribute, FrequencyTable, Layout, add_up_equal};

use crate::count::intern::MISSING;
use crate::runtime::error::{EngineError, Result};

/// The bytes of a hash.
pub(crate) type TupleHash = [u8; 32];

/// Size and time of a file: what changes when it is written to.
pub(crate) type FileStamp = (u64, Option<std::time::SystemTime>);

/// The groups of a scan.
pub(crate) struct ExecutorGroups {
    /// One column of codes per attribute; of ranks, once these are known.
    codes: Vec<Vec<u32>>,
    /// The hash of each group's values; none when tasks of ours counted.
    hashes: Vec<TupleHash>,
    /// Whose the rows of each group are, when people are distinguished.
    people: Option<Vec<u64>>,
    counts: Vec<u64>,
    /// The stamp of each file when it was counted.
    pub(crate) files: Vec<FileStamp>,
    /// The rows of each stretch, if tasks of ours counted.
    pub(crate) stretch_rows: Vec<u64>,
}

impl ExecutorGroups {
    pub(crate) fn new(attributes: usize, files: Vec<FileStamp>) -> ExecutorGroups {
        let (codes, hashes, counts) = (vec![Vec::new(); attributes], Vec::new(), Vec::new());
        ExecutorGroups { codes, hashes, people: None, counts, files, stretch_rows: Vec::new() }
    }

    /// The same for groups of people.
    pub(crate) fn of_people(self) -> ExecutorGroups {
        ExecutorGroups { people: Some(Vec::new()), ..self }
    }

    /// Takes whose the rows of some groups are.
    pub(crate) fn add_people(&mut self, people: &[u64]) {
        self.people.iter_mut().for_each(|all| all.extend_from_slice(people));
    }

    /// Whether every group has the hash of its values.
    pub(crate) fn has_hashes(&self) -> bool {
        self.hashes.len() == self.len()
    }

    /// Takes some groups.
    pub(crate) fn add(&mut self, codes: &[Vec<u32>], hashes: impl Iterator<Item = TupleHash>, counts: &[u64]) {
        self.codes.iter_mut().zip(codes).for_each(|(all, codes)| all.extend_from_slice(codes));
        self.hashes.extend(hashes);
        self.counts.extend_from_slice(counts);
    }

    /// The rows of each code of an attribute.
    pub(crate) fn codes(&self, attribute: usize) -> &[u32] {
        &self.codes[attribute]
    }

    pub(crate) fn counts(&self) -> &[u64] {
        &self.counts
    }

    pub(crate) fn len(&self) -> usize {
        self.counts.len()
    }

    pub(crate) fn rows(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The bytes that this many groups take here, with the table that is made of them.
    pub(crate) fn bytes(&self) -> u64 {
        let each = 4 * self.codes.len() + 8 + 16 + 8 * self.codes.len();
        (self.len() * each + self.hashes.len() * size_of::<TupleHash>()) as u64
    }

    pub(crate) fn met_missing(&self, attribute: usize) -> bool {
        self.codes[attribute].contains(&MISSING)
    }

    /// Puts the ranks of an attribute's values in place of their codes.
    pub(crate) fn rank(&mut self, attribute: usize, ranks: &[u32]) {
        self.codes[attribute].iter_mut().for_each(|code| *code = ranks[*code as usize]);
    }

    /// The frequency table of the groups.
    pub(crate) fn table(&self, attributes: Vec<Attribute>) -> Result<FrequencyTable> {
        let widths: Vec<u32> =
            attributes.iter().map(|attribute| Layout::bits_for(attribute.dictionary.len())).collect();
        let subject = self.people.is_some();
        let all: Vec<u32> = widths.iter().copied().chain(subject.then_some(64)).collect();
        if !Layout::fits(&all) {
            return Err(EngineError::TooWide);
        }
        let layout = FrequencyTable::layout_for(&attributes, subject);
        let entries = match layout.words() {
            1 => self.entries::<2>(&layout),
            2 => self.entries::<3>(&layout),
            4 => self.entries::<5>(&layout),
            8 => self.entries::<9>(&layout),
            _ => self.entries::<17>(&layout),
        };
        Ok(FrequencyTable::from_entries(attributes, subject, entries))
    }

    /// Packed keys with counts, sorted, equal ones added up; `N` is the words of a key and its count.
    fn entries<const N: usize>(&self, layout: &Layout) -> Vec<u64> {
        let mut entries: Vec<[u64; N]> = vec![[0; N]; self.len()];
        for (field, codes) in layout.fields().iter().zip(&self.codes) {
            entries.iter_mut().zip(codes).for_each(|(entry, &code)| field.put(entry, u64::from(code)));
        }
        if let Some((people, field)) = self.people.as_ref().zip(layout.fields().get(self.codes.len())) {
            entries.iter_mut().zip(people).for_each(|(entry, &person)| field.put(entry, person));
        }
        entries.iter_mut().zip(&self.counts).for_each(|(entry, &count)| entry[N - 1] = count);
        entries.sort_unstable();
        add_up_equal(&mut entries);
        entries.into_flattened()
    }

    /// Every hash once, with the tuple it stands for; nothing when one hash stands for two, or a group is no tuple.
    pub(crate) fn tuples(&self, table: &FrequencyTable) -> Option<Vec<(TupleHash, u32)>> {
        let lookup = crate::count::lookup::Lookup::new(table);
        let mut known: HashMap<TupleHash, u32, RandomState> =
            HashMap::with_capacity_and_hasher(self.len(), RandomState::new());
        let mut tuples = Vec::with_capacity(self.len());
        let mut key = vec![0; lookup.words()];
        for (group, &hash) in self.hashes.iter().enumerate() {
            key.fill(0);
            let fields = lookup.fields().iter().zip(&self.codes);
            fields.for_each(|(field, codes)| field.put(&mut key, u64::from(codes[group])));
            let tuple = lookup.find(&key)?;
            match known.insert(hash, tuple) {
                None => tuples.push((hash, tuple)),
                Some(before) if before != tuple => return None,
                Some(_) => {}
            }
        }
        Some(tuples)
    }
}

#[cfg(test)]
mod tests {
    use incrowd_core::{Dictionary, Role};

    use super::*;

    fn groups(hashes: [u8; 3]) -> (ExecutorGroups, FrequencyTable) {
        let mut groups = ExecutorGroups::new(1, vec![]);
        groups.add(&[vec![2, 1, 2]], hashes.into_iter().map(|byte| [byte; 32]), &[3, 4, 5]);
        groups.rank(0, &[9, 0, 1]);
        let attribute = Attribute::new("town", Role::QuasiIdentifier, Dictionary::of_texts(["Ulm", "Wien"]));
        let table = groups.table(vec![attribute]).expect("narrow");
        (groups, table)
    }

    #[test]
    fn groups_of_one_tuple_are_added_up_and_keep_their_own_hashes() {
        let (groups, table) = groups([1, 2, 3]);
        assert_eq!((table.tuples(), table.count(0), table.count(1)), (2, 4, 8));
        assert_eq!(groups.tuples(&table), Some(vec![([1; 32], 1), ([2; 32], 0), ([3; 32], 1)]));
    }

    #[test]
    fn a_hash_is_returned_once_and_never_for_two_tuples() {
        let (twice, table) = groups([1, 2, 1]);
        assert_eq!(twice.tuples(&table), Some(vec![([1; 32], 1), ([2; 32], 0)]));
        let (torn, table) = groups([1, 1, 3]);
        assert_eq!(torn.tuples(&table), None);
    }
}
