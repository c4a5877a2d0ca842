//! Tuples grouped by some columns, and rolling them up to fewer.
//!
//! The widest grouping is computed once by the engine; every other one is derived from a wider one here (spec 002.4).
//! Two ways, chosen by size: few possible keys are counted in a dense array, many are sorted. Rolling up a sorted
//! grouping leaves long sorted runs, which the standard library's run-detecting stable sort merges.

use serde::{Deserialize, Serialize};

use crate::{ClassSizes, ColumnSet, Field};

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
        grouping.fields[column].get(self.key) as u32
    }
}

impl Grouping {
    pub(crate) fn from_entries(fields: Vec<Field>, subject: Option<Field>, words: usize, entries: Vec<u64>) -> Self {
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

    /// The grouping by fewer columns.
    ///
    /// # Panics
    /// If `columns` is not a subset of this grouping's columns.
    pub fn roll_up(&self, columns: ColumnSet) -> Grouping {
        assert!(columns.is_subset(self.columns), "a roll-up drops columns, it cannot add any");
        if columns == self.columns {
            return self.clone();
        }
        let bits: u32 = columns.iter().map(|column| self.fields[column].bits()).sum();
        let dense = self.subject.is_none() && bits <= self.entries().max(256).ilog2() && bits <= 24;
        let mut rolled = Grouping { columns, entries: Vec::new(), fields: self.fields.clone(), ..*self };
        rolled.entries = if dense { self.count_dense(&rolled, bits) } else { self.sort_by_stride(&rolled) };
        rolled
    }

    /// Counts into an array indexed by the concatenated codes, whose order is the key order.
    fn count_dense(&self, rolled: &Grouping, bits: u32) -> Vec<u64> {
        let mut position = bits;
        let fields: Vec<(Field, u32)> = rolled
            .columns
            .iter()
            .map(|column| {
                position -= self.fields[column].bits();
                (self.fields[column], position)
            })
            .collect();
        let mut counts = vec![0u64; 1 << bits];
        for entry in self.entries.chunks_exact(self.words + 1) {
            let index = fields.iter().fold(0, |index, &(field, at)| index | field.get(entry) << at);
            counts[index as usize] += entry[self.words];
        }
        let mut entries = Vec::new();
        for (index, count) in counts.into_iter().enumerate().filter(|&(_, count)| count > 0) {
            let start = entries.len();
            entries.resize(start + self.words, 0);
            for &(field, at) in &fields {
                field.put(&mut entries[start..], index as u64 >> at & (field.mask() >> field.shift()));
            }
            entries.push(count);
        }
        entries
    }

    fn sort_by_stride(&self, rolled: &Grouping) -> Vec<u64> {
        let masks = rolled.masks(true);
        match self.words {
            1 => sort_masked::<2>(&self.entries, &masks),
            2 => sort_masked::<3>(&self.entries, &masks),
            4 => sort_masked::<5>(&self.entries, &masks),
            8 => sort_masked::<9>(&self.entries, &masks),
            16 => sort_masked::<17>(&self.entries, &masks),
            words => unreachable!("a layout has 1, 2, 4, 8 or 16 words, not {words}"),
        }
    }
}

/// Masks the keys, sorts them and adds up the counts of equal ones. `N` is the words of a key plus one.
fn sort_masked<const N: usize>(entries: &[u64], masks: &[u64]) -> Vec<u64> {
    let (entries, _) = entries.as_chunks::<N>();
    let mut masked: Vec<[u64; N]> = Vec::with_capacity(entries.len());
    for entry in entries {
        let mut entry = *entry;
        (0..N - 1).for_each(|word| entry[word] &= masks[word]);
        match masked.last_mut() {
            Some(last) if last[..N - 1] == entry[..N - 1] => last[N - 1] += entry[N - 1],
            _ => masked.push(entry),
        }
    }
    if !masked.is_sorted_by(|a, b| a[..N - 1] < b[..N - 1]) {
        masked.sort_by(|a, b| a[..N - 1].cmp(&b[..N - 1]));
        add_up_equal(&mut masked);
    }
    masked.shrink_to_fit();
    masked.into_flattened()
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
