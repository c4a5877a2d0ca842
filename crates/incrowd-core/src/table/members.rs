//! A class as it is given to a model: how many rows of which tuples.
//!
//! Models ask how many people are in a class and how many of them have a value. Without a subject column each row is a
//! person. With one, a person is counted once in a class, and once for each value that he or she has there at least once:
//! so the counts of the values of a class add up to its people only where every person has one value.

use super::{FrequencyTable, Grouping, TupleRows};

/// Some rows of the tuples of a grouping.
///
/// ```
/// use incrowd_core::{Attribute, Dictionary, FrequencyTable, Members, Role};
/// let illness = Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["cold", "flu"]));
/// let table = FrequencyTable::from_tuples(vec![illness], [([0], 3), ([1], 5)]);
/// let class = Members::new(&table, &[(0, 1), (1, 4)]);
/// assert_eq!(class.size(), 5);
/// assert_eq!(class.counts(0), [(0, 1), (1, 4)]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Members<'a> {
    grouping: &'a Grouping,
    which: Which<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Which<'a> {
    /// These entries, each with a number of its rows.
    Some(&'a [TupleRows]),
    /// All rows of these entries.
    Run(usize, usize),
}

/// Codes of at most this many bits are counted by index also for a small class.
const FEW_BITS: u32 = 8;

/// Codes of at most this many bits are counted without any memory of their own.
const STACK_BITS: u32 = 6;

impl<'a> Members<'a> {
    /// A class of these tuples of the table, each with a number of its rows that is not 0.
    pub fn new(table: &'a FrequencyTable, members: &'a [TupleRows]) -> Self {
        Members { grouping: table.grouping(), which: Which::Some(members) }
    }

    /// A class of all rows of the entries `start..end` of a grouping.
    ///
    /// # Panics
    /// If the grouping has fewer entries.
    pub fn of_run(grouping: &'a Grouping, start: usize, end: usize) -> Self {
        assert!(start <= end && end <= grouping.entries(), "entries of the grouping");
        Members { grouping, which: Which::Run(start, end) }
    }

    /// The whole table as one class.
    pub fn whole(table: &'a FrequencyTable) -> Self {
        Members::of_run(table.grouping(), 0, table.tuples())
    }

    /// Hands out each entry with its rows.
    pub fn for_each(&self, mut each: impl FnMut(usize, u64)) {
        match self.which {
            Which::Some(members) => members.iter().for_each(|&(entry, rows)| each(entry, rows)),
            Which::Run(start, end) => (start..end).for_each(|entry| each(entry, self.grouping.count(entry))),
        }
    }

    /// The code of an attribute that an entry of the class has.
    pub(crate) fn code(&self, entry: usize, attribute: usize) -> u32 {
        self.grouping.code(entry, attribute)
    }

    /// How many rows are in the class.
    pub fn rows(&self) -> u64 {
        let mut rows = 0;
        self.for_each(|_, more| rows += more);
        rows
    }

    /// How many people are in the class: rows, unless the table has a subject column.
    pub fn size(&self) -> u64 {
        if !self.grouping.counts_people() {
            return self.rows();
        }
        let mut people = Vec::new();
        self.for_each(|entry, _| people.extend(self.grouping.person(entry)));
        people.sort_unstable();
        people.dedup();
        people.len() as u64
    }

    /// Whether people are counted, and not rows: whether the table has a subject column.
    pub fn counts_people(&self) -> bool {
        self.grouping.counts_people()
    }

    /// The rows of several classes of one grouping as one class: entries, ascending, each with its rows.
    pub fn united(parts: &[Members<'_>]) -> Vec<TupleRows> {
        let mut entries = Vec::new();
        parts.iter().for_each(|part| part.for_each(|entry, rows| entries.push((entry, rows))));
        entries.sort_unstable();
        entries.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        entries
    }

    /// These entries of the grouping that this class is of, each with a number of its rows that is not 0.
    pub fn with_entries<'b>(&self, entries: &'b [TupleRows]) -> Members<'b>
    where
        'a: 'b,
    {
        Members { grouping: self.grouping, which: Which::Some(entries) }
    }

    /// Each person of the class with what `of` makes of a code of an attribute, once each: (thing, person), ascending.
    /// Nothing when people are not counted.
    pub(crate) fn people_by(&self, attribute: usize, of: impl Fn(u32) -> u32) -> Vec<(u32, u64)> {
        let field = self.grouping.field(attribute);
        let mut pairs = Vec::new();
        self.for_each(|entry, _| {
            let thing = of(field.code(self.grouping.entry(entry)));
            pairs.extend(self.grouping.person(entry).map(|person| (thing, person)));
        });
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Hands out the person of each entry, the code of an attribute, the entry and its rows. Nothing when people are not
    /// counted.
    pub(crate) fn for_each_of_person(&self, attribute: usize, mut each: impl FnMut(u64, u32, usize, u64)) {
        let field = self.grouping.field(attribute);
        self.for_each(|entry, rows| {
            if let Some(person) = self.grouping.person(entry) {
                each(person, field.code(self.grouping.entry(entry)), entry, rows);
            }
        });
    }

    /// How many people of the class have each value of an attribute at least once: codes that occur, ascending, with their
    /// people. Rows, unless the table has a subject column.
    pub fn counts(&self, attribute: usize) -> Vec<(u32, u64)> {
        if !self.counts_people() {
            return self.row_counts(attribute);
        }
        let pairs = self.people_by(attribute, |code| code);
        pairs.chunk_by(|one, other| one.0 == other.0).map(|same| (same[0].0, same.len() as u64)).collect()
    }

    /// How many rows of the class have each value of an attribute, whether people are counted or not: codes that occur,
    /// ascending, with their rows.
    pub fn row_counts(&self, attribute: usize) -> Vec<(u32, u64)> {
        let field = self.grouping.field(attribute);
        let entries = match self.which {
            Which::Some(members) => members.len(),
            Which::Run(start, end) => end - start,
        };
        if field.bits() <= FEW_BITS || (field.bits() < 32 && entries >> field.bits().min(31) > 0) {
            let mut rows = vec![0u64; 1 << field.bits()];
            self.for_each(|entry, more| rows[field.code(self.grouping.entry(entry)) as usize] += more);
            return (0..).zip(rows).filter(|&(_, rows)| rows > 0).collect();
        }
        let mut counts = Vec::with_capacity(entries);
        self.for_each(|entry, rows| counts.push((field.code(self.grouping.entry(entry)), rows)));
        counts.sort_unstable_by_key(|&(code, _)| code);
        counts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        counts
    }

    /// Hands out each value of an attribute that occurs in the class with its people (rows, unless the table has a subject
    /// column), by ascending code.
    pub fn tally(&self, attribute: usize, mut each: impl FnMut(u32, u64)) {
        let field = self.grouping.field(attribute);
        if field.bits() > STACK_BITS || self.counts_people() {
            self.counts(attribute).into_iter().for_each(|(code, rows)| each(code, rows));
            return;
        }
        let mut rows = [0u64; 1 << STACK_BITS];
        self.for_each(|entry, more| rows[field.code(self.grouping.entry(entry)) as usize] += more);
        (0..).zip(rows).filter(|&(_, rows)| rows > 0).for_each(|(code, rows)| each(code, rows));
    }

    /// How many people (rows, unless the table has a subject column) of the class have the most frequent value of an
    /// attribute.
    pub fn most(&self, attribute: usize) -> u64 {
        let mut most = 0;
        self.tally(attribute, |_, rows| most = rows.max(most));
        most
    }

    /// How many different things the values of an attribute are in the class, when `of` says what a code is: a number
    /// below `things`.
    pub fn distinct(&self, attribute: usize, things: usize, of: impl Fn(u32) -> u32) -> u64 {
        let field = self.grouping.field(attribute);
        let thing = |entry: usize| of(field.code(self.grouping.entry(entry)));
        if things <= u128::BITS as usize {
            let mut seen = 0u128;
            self.for_each(|entry, _| seen |= 1 << thing(entry));
            return u64::from(seen.count_ones());
        }
        let mut seen = Vec::new();
        self.for_each(|entry, _| seen.push(thing(entry)));
        seen.sort_unstable();
        seen.dedup();
        seen.len() as u64
    }

    /// How many people of the class have a value of an attribute that `which` says yes to, at least once: rows, unless the
    /// table has a subject column.
    pub fn size_with(&self, attribute: usize, which: impl Fn(u32) -> bool) -> u64 {
        if self.counts_people() {
            let pairs = self.people_by(attribute, |code| u32::from(which(code)));
            return pairs.iter().filter(|pair| pair.0 == 1).count() as u64;
        }
        let field = self.grouping.field(attribute);
        let mut rows = 0;
        self.for_each(|entry, more| {
            if which(field.code(self.grouping.entry(entry))) {
                rows += more;
            }
        });
        rows
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Attribute, Dictionary, Role, Values};

    proptest! {
        #[test]
        fn values_are_counted_alike_however_many_there_are(
            codes in prop::sample::select(vec![3u32, 60, 100, 200, 1_000]),
            rows in prop::collection::vec((any::<u32>(), 1u64..5), 0..40),
        ) {
            let dictionary = Dictionary::new(Values::Integers((0..i64::from(codes)).collect()), false);
            let attribute = Attribute::new("a", Role::Sensitive, dictionary);
            let tuples = rows.iter().map(|&(code, rows)| ([code % codes], rows));
            let table = FrequencyTable::from_tuples(vec![attribute], tuples.clone());
            let class = Members::whole(&table);
            let mut expected = std::collections::BTreeMap::new();
            tuples.for_each(|([code], rows)| *expected.entry(code).or_insert(0) += rows);
            let mut told = Vec::new();
            class.tally(0, |code, rows| told.push((code, rows)));
            prop_assert_eq!(&told, &expected.clone().into_iter().collect::<Vec<_>>());
            prop_assert_eq!(class.most(0), expected.values().copied().max().unwrap_or(0));
            prop_assert_eq!(class.distinct(0, codes as usize, |code| code), expected.len() as u64);
            let halves: std::collections::BTreeSet<u32> = expected.keys().map(|code| code / 2).collect();
            prop_assert_eq!(class.distinct(0, codes as usize, |code| code / 2), halves.len() as u64);
        }
    }

    /// Person 1 has two rows of one value, person 2 two values, person 3 a value that is also that of person 2.
    #[test]
    fn a_person_counts_once_for_each_value_that_they_have() {
        let attribute = Attribute::new("a", Role::Sensitive, Dictionary::of_texts(["0", "1", "2"]));
        let rows = [([0], Some(1), 2), ([0], Some(2), 1), ([1], Some(2), 3), ([1], Some(3), 1)];
        let table = FrequencyTable::from_people(vec![attribute], rows);
        let class = Members::whole(&table);
        assert_eq!((class.rows(), class.size()), (7, 3));
        assert_eq!((class.counts(0), class.row_counts(0)), (vec![(0, 2), (1, 2)], vec![(0, 3), (1, 4)]));
        assert_eq!((class.most(0), class.distinct(0, 3, |code| code)), (2, 2));
        assert_eq!([class.size_with(0, |_| true), class.size_with(0, |code| code == 1)], [3, 2]);
        let (first, second) = ([(0, 1), (1, 1)], [(1, 1), (2, 3)]);
        let parts = [&first[..], &second[..]].map(|part| Members::new(&table, part));
        assert_eq!(Members::united(&parts), [(0, 1), (1, 2), (2, 3)]);
    }
}
