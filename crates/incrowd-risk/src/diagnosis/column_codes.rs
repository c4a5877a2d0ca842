//! The tuples of a table column by column, for measuring many sets of few columns.
//!
//! A set is measured in one pass over the codes of its last column and the class numbers of the others, which sets that
//! differ in their last column share. A pass counts in an array where the classes are few, and sorts where they are
//! many. With a subject column the tuples are in the order of the people, so that a class counts each person once.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};

use incrowd_core::{ClassSizes, ColumnSet, FrequencyTable, Grouping};

/// An array of class sizes has at most this many elements for each tuple; with more possible classes, tuples are
/// sorted.
const DENSE: u64 = 4;
/// An array of this many elements is used for any number of tuples.
const ALWAYS_DENSE: u64 = 1 << 12;
/// What sorting costs in comparison with counting in an array.
const SORTING: u64 = 8;
/// What measuring a set costs besides its tuples, in tuples.
const OVERHEAD: u64 = 1 << 10;

/// The tuples of some columns, each with its number of rows and, when people are counted, its person.
pub(crate) struct ColumnCodes<'a> {
    grouping: Cow<'a, Grouping>,
    /// By position in the table; empty for columns that were not gathered.
    codes: Vec<Vec<u32>>,
    /// The number of codes of each column.
    values: Vec<u64>,
    counts: Vec<u64>,
    people: Option<PeopleOrder>,
}

/// The people of the tuples, numbered in ascending order, and the order of the tuples that makes it so.
struct PeopleOrder {
    order: Vec<u32>,
    person: Vec<u32>,
}

/// The classes of a set of columns: the number of each tuple's class.
pub(crate) struct ClassNumbers {
    numbers: Vec<u32>,
    classes: u64,
    columns: usize,
}

/// A place in a list that fits into memory.
fn place(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl<'a> ColumnCodes<'a> {
    /// The tuples of these columns; no codes are gathered yet.
    pub(crate) fn new(table: &'a FrequencyTable, columns: ColumnSet) -> Self {
        let grouping = match columns == table.grouping().columns() {
            true => Cow::Borrowed(table.grouping()),
            false => Cow::Owned(table.roll_up(columns)),
        };
        let values = table.attributes().iter().map(|attribute| attribute.dictionary.len() as u64).collect();
        Self::of_grouping(grouping, values)
    }

    fn of_grouping(grouping: Cow<'a, Grouping>, values: Vec<u64>) -> Self {
        let entries = grouping.entries();
        let people = grouping.counts_people().then(|| PeopleOrder::of(&grouping));
        let counts = (0..entries).map(|entry| grouping.count(entry)).collect();
        ColumnCodes { codes: vec![Vec::new(); values.len()], grouping, values, counts, people }
    }

    /// The columns.
    pub(crate) fn columns(&self) -> ColumnSet {
        self.grouping.columns()
    }

    /// The tuples by all the columns.
    pub(crate) fn grouping(&self) -> &Grouping {
        &self.grouping
    }

    /// The number of values of a column.
    pub(crate) fn values(&self, column: usize) -> u64 {
        self.values[column]
    }

    /// The same tuples with the codes of these columns gathered; rolled up to them when they surely have far fewer
    /// distinct tuples.
    pub(crate) fn gathered(mut self, columns: ColumnSet) -> Self {
        let product = columns.iter().fold(1u64, |product, column| product.saturating_mul(self.values[column].max(1)));
        if product <= self.tuples() as u64 / 2 && columns != self.columns() {
            let rolled = self.grouping.roll_up(columns);
            self = Self::of_grouping(Cow::Owned(rolled), self.values);
        }
        for column in columns.iter() {
            self.codes[column] = self.codes_of(column);
        }
        self
    }

    /// How many tuples there are.
    pub(crate) fn tuples(&self) -> usize {
        self.counts.len()
    }

    fn codes_of(&self, column: usize) -> Vec<u32> {
        match &self.people {
            Some(people) => people.order.iter().map(|&entry| self.grouping.code(entry as usize, column)).collect(),
            None => (0..self.tuples()).map(|entry| self.grouping.code(entry, column)).collect(),
        }
    }

    /// At most the work of measuring a set whose other columns are already numbered, in tuples read.
    pub(crate) fn work_of(&self, columns: ColumnSet) -> u64 {
        let tuples = self.tuples() as u64;
        let possible = columns.iter().fold(1u64, |product, column| product.saturating_mul(self.values[column].max(1)));
        let factor = if self.is_dense(possible) { 1 } else { SORTING };
        OVERHEAD.max(tuples.saturating_mul(factor))
    }

    fn is_dense(&self, possible: u64) -> bool {
        possible <= ALWAYS_DENSE.max(self.tuples() as u64 * DENSE)
    }

    /// The class sizes of one column, whose codes need not have been gathered.
    pub(crate) fn sizes_of_one(&self, column: usize) -> ClassSizes {
        let codes = self.codes_of(column);
        self.sizes_by(self.values[column], |at| u64::from(codes[at]))
    }

    /// How many rows have each code of a column.
    pub(crate) fn rows_by_code(&self, column: usize) -> Vec<u64> {
        let mut rows = vec![0; place(self.values[column])];
        for entry in 0..self.tuples() {
            rows[self.grouping.code(entry, column) as usize] += self.grouping.count(entry);
        }
        rows
    }

    /// For each tuple a random number that is the same for equal tuples, and the part of it that each column
    /// contributes: what is left without a part is a random number of the other columns.
    pub(crate) fn fingerprints(&self, columns: ColumnSet) -> Fingerprints<'_> {
        let mut fingerprints =
            Fingerprints { codes: self, keys: (RandomState::new(), RandomState::new()), sums: vec![] };
        let mut sums = vec![0u128; self.tuples()];
        for column in columns.iter() {
            let parts = fingerprints.parts(column);
            let codes = self.codes_of(column);
            sums.iter_mut().zip(codes).for_each(|(sum, code)| *sum = sum.wrapping_add(parts[code as usize]));
        }
        fingerprints.sums = sums;
        fingerprints
    }

    /// The classes of these columns; all rows are one class without columns.
    pub(crate) fn classes(&self, columns: ColumnSet) -> ClassNumbers {
        let none = ClassNumbers { numbers: Vec::new(), classes: 1, columns: 0 };
        columns.iter().fold(none, |classes, column| self.refined(&classes, column))
    }

    /// The class sizes of these columns and one more.
    pub(crate) fn sizes(&self, classes: &ClassNumbers, column: usize) -> ClassSizes {
        let (codes, values) = (&self.codes[column], self.values[column]);
        let possible = classes.classes.saturating_mul(values);
        match classes.columns {
            0 => self.sizes_by(values, |at| u64::from(codes[at])),
            _ => self.sizes_by(possible, |at| u64::from(classes.numbers[at]) * values + u64::from(codes[at])),
        }
    }

    fn refined(&self, classes: &ClassNumbers, column: usize) -> ClassNumbers {
        let (codes, values) = (&self.codes[column], self.values[column]);
        if classes.columns == 0 {
            return ClassNumbers { numbers: codes.clone(), classes: values, columns: 1 };
        }
        let key = |at: usize| u64::from(classes.numbers[at]) * values + u64::from(codes[at]);
        let mut numbers = vec![0u32; self.tuples()];
        let mut next = 0;
        if self.is_dense(classes.classes.saturating_mul(values)) {
            let mut known = vec![u32::MAX; place(classes.classes * values)];
            for (at, number) in numbers.iter_mut().enumerate() {
                let known = &mut known[place(key(at))];
                if *known == u32::MAX {
                    *known = next;
                    next += 1;
                }
                *number = *known;
            }
        } else {
            let mut sorted: Vec<(u64, u32)> = (0..self.tuples()).map(key).zip(0..).collect();
            sorted.sort_unstable();
            for same in sorted.chunk_by(|a, b| a.0 == b.0) {
                same.iter().for_each(|&(_, at)| numbers[at as usize] = next);
                next += 1;
            }
        }
        ClassNumbers { numbers, classes: u64::from(next), columns: classes.columns + 1 }
    }

    /// The class sizes, given the class of each tuple as a number below `possible`.
    fn sizes_by(&self, possible: u64, class: impl Fn(usize) -> u64) -> ClassSizes {
        if !self.is_dense(possible) {
            return self.sizes_by_sorting(class);
        }
        let mut sizes = vec![0u64; place(possible)];
        match &self.people {
            None => self.counts.iter().enumerate().for_each(|(at, count)| sizes[place(class(at))] += count),
            Some(people) => {
                let mut last = vec![u32::MAX; place(possible)];
                for (at, &person) in people.person.iter().enumerate() {
                    let class = place(class(at));
                    sizes[class] += u64::from(last[class] != person);
                    last[class] = person;
                }
            }
        }
        ClassSizes::from_sizes(sizes.into_iter().filter(|&size| size > 0))
    }

    fn sizes_by_sorting<C: Ord>(&self, class: impl Fn(usize) -> C) -> ClassSizes {
        let mut sorted: Vec<(C, u64)> = match &self.people {
            None => self.counts.iter().enumerate().map(|(at, &count)| (class(at), count)).collect(),
            Some(people) => {
                (people.person.iter().enumerate()).map(|(at, &person)| (class(at), person.into())).collect()
            }
        };
        sorted.sort_unstable();
        if self.people.is_some() {
            sorted.dedup();
            return ClassSizes::from_sizes(sorted.chunk_by(|a, b| a.0 == b.0).map(|class| class.len() as u64));
        }
        let rows = |class: &[(C, u64)]| class.iter().map(|&(_, count)| count).sum();
        ClassSizes::from_sizes(sorted.chunk_by(|a, b| a.0 == b.0).map(rows))
    }
}

/// Random numbers of 128 bits in place of tuples: two tuples that differ have the same one with a probability of 2⁻¹²⁸.
pub(crate) struct Fingerprints<'a> {
    codes: &'a ColumnCodes<'a>,
    keys: (RandomState, RandomState),
    sums: Vec<u128>,
}

impl Fingerprints<'_> {
    fn parts(&self, column: usize) -> Vec<u128> {
        let part = |code: u64| {
            let half = |key: &RandomState| u128::from(key.hash_one((column, code)));
            half(&self.keys.0) << 64 | half(&self.keys.1)
        };
        (0..self.codes.values[column]).map(part).collect()
    }

    /// The class sizes of all columns but one.
    pub(crate) fn sizes_without(&self, column: usize) -> ClassSizes {
        let (parts, codes) = (self.parts(column), self.codes.codes_of(column));
        let rest = |at: usize| self.sums[at].wrapping_sub(parts[codes[at] as usize]);
        if self.codes.people.is_none() && self.codes.counts.iter().all(|&count| count == 1) {
            let mut rests: Vec<u128> = (0..self.sums.len()).map(rest).collect();
            rests.sort_unstable();
            return ClassSizes::from_sizes(rests.chunk_by(|a, b| a == b).map(|class| class.len() as u64));
        }
        self.codes.sizes_by_sorting(rest)
    }
}

impl PeopleOrder {
    fn of(grouping: &Grouping) -> PeopleOrder {
        let person = |entry: usize| grouping.person(entry).unwrap_or_default();
        let mut by_person: Vec<(u64, u32)> = (0..grouping.entries()).map(person).zip(0..).collect();
        by_person.sort_unstable();
        let mut number = 0;
        let mut numbers = Vec::with_capacity(by_person.len());
        for (at, &(person, _)) in by_person.iter().enumerate() {
            number += u32::from(at > 0 && by_person[at - 1].0 != person);
            numbers.push(number);
        }
        PeopleOrder { order: by_person.into_iter().map(|(_, entry)| entry).collect(), person: numbers }
    }
}
