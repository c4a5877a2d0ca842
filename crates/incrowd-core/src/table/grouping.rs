//! Tuples grouped by some columns, and rolling them up to fewer.
//!
//! The widest grouping is computed once by the engine; every other one is derived from a wider one here,
//! without reading rows again.
//! A sorted grouping stays sorted in the columns that stand before the first dropped one, so a roll-up works on one
//! stretch of equal prefixes after the other: inside a stretch the rest of the key is counted in a small dense array
//! when it is short, and sorted when it is long. Most roll-ups are therefore one linear pass over cached memory.

use serde::{Deserialize, Serialize};

use super::roll_up::{RollUp, sort_by_key};
use crate::{ClassSizes, ColumnSet, Field, Layout};

/// Distinct keys of a set of columns with their row counts, sorted.
///
/// With a subject column the keys are told apart by person, so a class is a run of entries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grouping {
    columns: ColumnSet,
    fields: Vec<Field>,
    subject: Option<Field>,
    words: usize,
    /// `words` words of key, then the count, for each entry.
    entries: Vec<u64>,
}

/// One class of a grouping.
#[derive(Clone, Copy, Debug)]
pub struct Class<'a> {
    key: &'a [u64],
    /// How many people are in the class: rows, unless there is a subject column.
    pub size: u64,
    /// How many rows are in the class.
    pub rows: u64,
}

impl Class<'_> {
    /// The code of a column of the grouping's set.
    pub fn code(&self, grouping: &Grouping, column: usize) -> u32 {
        grouping.fields[column].code(self.key)
    }
}

impl Grouping {
    /// A grouping by all of these fields: for each entry the words of its key, then its row count; sorted, keys distinct.
    pub fn from_entries(fields: Vec<Field>, subject: Option<Field>, words: usize, entries: Vec<u64>) -> Self {
        assert!(entries.len().is_multiple_of(words + 1), "whole entries");
        Grouping { columns: ColumnSet::first(fields.len()), fields, subject, words, entries }
    }

    /// The columns that are grouped by.
    pub fn columns(&self) -> ColumnSet {
        self.columns
    }

    /// How many entries are held: classes, or (class, person) pairs when there is a subject column.
    pub fn entries(&self) -> usize {
        self.entries.len() / (self.words + 1)
    }

    pub(crate) fn entry(&self, index: usize) -> &[u64] {
        let stride = self.words + 1;
        &self.entries[index * stride..][..stride]
    }

    /// The row count of an entry.
    pub fn count(&self, index: usize) -> u64 {
        self.entry(index)[self.words]
    }

    /// Where a column's codes stand in the keys.
    pub(crate) fn field(&self, column: usize) -> Field {
        self.fields[column]
    }

    /// Whether keys are told apart by person.
    pub fn counts_people(&self) -> bool {
        self.subject.is_some()
    }

    /// The code of a column in an entry.
    pub fn code(&self, index: usize, column: usize) -> u32 {
        self.fields[column].code(self.entry(index))
    }

    /// How many rows are grouped.
    pub fn rows(&self) -> u64 {
        self.entries.chunks_exact(self.words + 1).map(|entry| entry[self.words]).sum()
    }

    /// The class sizes.
    pub fn class_sizes(&self) -> ClassSizes {
        ClassSizes::from_sizes(self.classes().map(|class| class.size))
    }

    /// The classes, in key order.
    pub fn classes(&self) -> impl Iterator<Item = Class<'_>> {
        let words = self.words;
        let mut entries = self.entries.chunks_exact(words + 1).peekable();
        let kept: Vec<u64> = self.masks(false);
        std::iter::from_fn(move || {
            let first = entries.next()?;
            let mut class = Class { key: &first[..words], size: 1, rows: first[words] };
            if self.subject.is_none() {
                class.size = class.rows;
                return Some(class);
            }
            while let Some(next) = entries.next_if(|next| (0..words).all(|w| next[w] & kept[w] == first[w] & kept[w])) {
                class.size += 1;
                class.rows += next[words];
            }
            Some(class)
        })
    }

    /// For each word, the bits of the grouped columns (and of the subject).
    fn masks(&self, with_subject: bool) -> Vec<u64> {
        let mut masks = vec![0; self.words];
        let fields = self.columns.iter().map(|column| self.fields[column]);
        for field in fields.chain(self.subject.filter(|_| with_subject)) {
            masks[field.word()] |= field.mask();
        }
        masks
    }

    /// For each entry of the wider grouping that this one was rolled up from, the size of its class here.
    ///
    /// # Panics
    /// If the other grouping has not all columns of this one, in the same packing.
    pub fn sizes_within<'a>(&'a self, wider: &'a Grouping) -> impl Iterator<Item = u64> + 'a {
        assert!(self.columns.is_subset(wider.columns) && self.fields == wider.fields, "rolled up from the wider one");
        let kept = self.masks(false);
        let order = move |class: &[u64], entry: &[u64]| {
            let masked = |key: &[u64], word: usize| key[word] & kept[word];
            (0..kept.len()).map(|word| masked(class, word)).cmp((0..kept.len()).map(|word| masked(entry, word)))
        };
        let classes: Vec<(&[u64], u64)> = self.classes().map(|class| (class.key, class.size)).collect();
        let mut last = 0;
        wider.entries.chunks_exact(self.words + 1).map(move |entry| {
            // Neighbours are often in the same class.
            if order(classes[last].0, entry).is_ne() {
                let found = classes.binary_search_by(|&(class, _)| order(class, entry));
                last = found.expect("every entry of the wider grouping has a class");
            }
            classes[last].1
        })
    }

    /// The person an entry belongs to, when there is a subject column.
    pub fn person(&self, index: usize) -> Option<u64> {
        self.subject.map(|field| field.get(self.entry(index)))
    }

    /// The grouping by fewer columns.
    ///
    /// # Panics
    /// If `columns` is not a subset of this grouping's columns.
    pub fn roll_up(&self, columns: ColumnSet) -> Grouping {
        assert!(columns.is_subset(self.columns), "a roll-up drops columns, it cannot add any");
        if columns == self.columns {
            return self.clone();
        }
        let mut rolled = Grouping { columns, entries: Vec::new(), fields: self.fields.clone(), ..*self };
        let kept = rolled.masks(true);
        let dropped = self.columns.iter().filter(|&column| !columns.contains(column));
        let first = dropped.map(|column| self.fields[column]).filter(|field| field.bits() > 0);
        let first = first.min_by_key(|field| (field.word(), std::cmp::Reverse(field.shift())));
        rolled.entries = match self.words {
            1 => RollUp::<2>::new(&kept, first).apply(&self.entries),
            2 => RollUp::<3>::new(&kept, first).apply(&self.entries),
            4 => RollUp::<5>::new(&kept, first).apply(&self.entries),
            8 => RollUp::<9>::new(&kept, first).apply(&self.entries),
            16 => RollUp::<17>::new(&kept, first).apply(&self.entries),
            words => unreachable!("a layout has 1, 2, 4, 8 or 16 words, not {words}"),
        };
        rolled
    }

    /// The same rows with the codes of some columns replaced: each named column with the new code of each of its codes,
    /// none larger than the largest old one. Keys that became equal are added up.
    pub fn recoded(&self, columns: &[(usize, &[u32])]) -> Grouping {
        let entries = match self.words {
            1 => self.replace::<2>(columns),
            2 => self.replace::<3>(columns),
            4 => self.replace::<5>(columns),
            8 => self.replace::<9>(columns),
            16 => self.replace::<17>(columns),
            words => unreachable!("a layout has 1, 2, 4, 8 or 16 words, not {words}"),
        };
        Grouping { columns: self.columns, fields: self.fields.clone(), entries, ..*self }
    }

    fn replace<const N: usize>(&self, columns: &[(usize, &[u32])]) -> Vec<u64> {
        let (entries, _) = self.entries.as_chunks::<N>();
        let mut replaced = entries.to_vec();
        for &(column, codes) in columns {
            let field = self.fields[column];
            for entry in &mut replaced {
                let code = field.code(&entry[..]);
                entry[field.word()] &= !field.mask();
                field.put(&mut entry[..], u64::from(codes[code as usize]));
            }
        }
        // What stands before the first replaced field is still sorted.
        let first = columns.iter().map(|&(column, _)| self.fields[column]).filter(|field| field.bits() > 0);
        let first = first.min_by_key(|field| (field.word(), std::cmp::Reverse(field.shift())));
        RollUp::<N>::new(&self.masks(true), first).apply(replaced.as_flattened())
    }

    /// The stretches of entries that agree on some columns, which must be the first ones: `(start, end)` each.
    pub fn runs(&self, columns: ColumnSet) -> impl Iterator<Item = (usize, usize)> + '_ {
        let mut masks = vec![0; self.words];
        columns.iter().map(|column| self.fields[column]).for_each(|field| masks[field.word()] |= field.mask());
        let mut start = 0;
        std::iter::from_fn(move || {
            if start == self.entries() {
                return None;
            }
            let first = self.entry(start);
            let same =
                |entry: &[u64]| (0..masks.len()).all(|word| entry[word] & masks[word] == first[word] & masks[word]);
            let mut end = start + 1;
            while end < self.entries() && same(self.entry(end)) {
                end += 1;
            }
            Some((std::mem::replace(&mut start, end), end))
        })
    }

    /// The grouping by these columns, packed anew with the first of them most significant.
    ///
    /// Roll-ups that drop a late column are the fastest, so a walk over many sets first arranges the columns as it is
    /// going to keep them.
    ///
    /// # Panics
    /// If a column is not one of this grouping's columns.
    pub fn arranged(&self, order: &[usize]) -> Grouping {
        let rolled = self.roll_up(order.iter().copied().collect());
        let before: Vec<Field> = order.iter().map(|&column| self.fields[column]).chain(self.subject).collect();
        let widths: Vec<u32> = before.iter().map(|field| field.bits()).collect();
        if !Layout::fits(&widths) {
            return rolled;
        }
        // Columns that are not grouped by keep a place in `fields`, of no width.
        let layout = Layout::new(widths.iter().copied().chain([0]));
        let after = &layout.fields()[..before.len()];
        let mut fields = vec![layout.fields()[before.len()]; self.fields.len()];
        order.iter().zip(after).for_each(|(&column, &field)| fields[column] = field);
        let subject = self.subject.map(|_| after[order.len()]);
        let moves: Vec<(Field, Field)> = before.into_iter().zip(after.iter().copied()).collect();
        let entries = match layout.words() {
            1 => rolled.repack::<2>(&moves),
            2 => rolled.repack::<3>(&moves),
            4 => rolled.repack::<5>(&moves),
            8 => rolled.repack::<9>(&moves),
            16 => rolled.repack::<17>(&moves),
            words => unreachable!("a layout has 1, 2, 4, 8 or 16 words, not {words}"),
        };
        Grouping { columns: rolled.columns, fields, subject, words: layout.words(), entries }
    }

    fn repack<const N: usize>(&self, moves: &[(Field, Field)]) -> Vec<u64> {
        let mut packed: Vec<[u64; N]> = Vec::with_capacity(self.entries());
        for entry in self.entries.chunks_exact(self.words + 1) {
            let mut key = [0; N];
            moves.iter().for_each(|(from, to)| to.put(&mut key, from.get(entry)));
            key[N - 1] = entry[self.words];
            packed.push(key);
        }
        sort_by_key(&mut packed);
        packed.into_flattened()
    }
}

/// Adds up the counts of neighbouring entries that have the same key. `N` is the words of a key plus one.
pub fn add_up_equal<const N: usize>(sorted: &mut Vec<[u64; N]>) {
    sorted.dedup_by(|next, kept| {
        let same = next[..N - 1] == kept[..N - 1];
        if same {
            kept[N - 1] += next[N - 1];
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use crate::{Attribute, Dictionary, FrequencyTable, Role};

    #[test]
    fn recoded_keys_are_sorted_and_added_up_wherever_the_column_stands() {
        let column = |name| Attribute::new(name, Role::QuasiIdentifier, Dictionary::of_texts(["0", "1", "2", "3"]));
        let tuples = (0..64u32).map(|tuple| ([tuple >> 4, tuple >> 2 & 3, tuple & 3], u64::from(tuple)));
        let table = FrequencyTable::from_tuples(vec![column("a"), column("b"), column("c")], tuples);
        let codes: &[u32] = &[2, 1, 2, 1];
        for columns in [vec![0], vec![1], vec![2], vec![2, 0]] {
            let new = |tuple: usize, at: usize| {
                let code = table.code(tuple, at);
                if columns.contains(&at) { codes[code as usize] } else { code }
            };
            let mut expected: Vec<([u32; 3], u64)> =
                (0..64).map(|tuple| ([0, 1, 2].map(|at| new(tuple, at)), table.count(tuple))).collect();
            expected.sort_unstable();
            expected.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0 };
                same
            });
            let replaced: Vec<(usize, &[u32])> = columns.iter().map(|&column| (column, codes)).collect();
            let recoded = table.grouping().recoded(&replaced);
            let entry = |at: usize| ([0, 1, 2].map(|column| recoded.code(at, column)), recoded.count(at));
            assert_eq!((0..recoded.entries()).map(entry).collect::<Vec<_>>(), expected, "{columns:?}");
        }
    }
}
