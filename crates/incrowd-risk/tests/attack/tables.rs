//! Tables and classes for the tests.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use incrowd_core::{Attribute, ColumnSet, Dictionary, FrequencyTable, Partition, Role};

/// Numbers that look random, the same in every run.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0 ^ (self.0 >> 31)) * end as u128) >> 64) as usize
    }
}

/// A table of text columns of which the last is sensitive, and its quasi-identifiers.
pub(crate) fn table_of(names: &[&str], rows: &[Vec<String>]) -> (FrequencyTable, ColumnSet) {
    let last = names.len() - 1;
    let attribute = |at: usize| {
        let role = if at == last { Role::Sensitive } else { Role::QuasiIdentifier };
        Attribute::new(names[at], role, Dictionary::of_texts(rows.iter().map(|row| row[at].as_str())))
    };
    let attributes: Vec<Attribute> = (0..names.len()).map(attribute).collect();
    let codes = |row: &Vec<String>| -> Vec<u32> {
        row.iter().zip(&attributes).map(|(text, attribute)| attribute.dictionary.code(text).unwrap()).collect()
    };
    let tuples: Vec<(Vec<u32>, u64)> = rows.iter().map(|row| (codes(row), 1)).collect();
    (FrequencyTable::from_tuples(attributes, tuples), ColumnSet::first(last))
}

/// The 45,222 rows of Adult, with these columns.
pub(crate) fn adult(names: &[&str]) -> (FrequencyTable, ColumnSet) {
    table_of(names, &adult_texts(names))
}

/// The same row by row, as codes in the order of the values; numbers by their size.
pub(crate) fn adult_rows(names: &[&str]) -> Vec<Vec<u32>> {
    let texts = adult_texts(names);
    let number = |text: &str| text.parse::<i64>().unwrap_or(0);
    let codes = |column: usize| {
        let mut values: Vec<&str> = texts.iter().map(|row| row[column].as_str()).collect();
        values.sort_unstable_by_key(|&text| (number(text), text));
        values.dedup();
        let code = |row: &Vec<String>| values.iter().position(|&value| value == row[column]).unwrap() as u32;
        texts.iter().map(code).collect::<Vec<u32>>()
    };
    let columns: Vec<Vec<u32>> = (0..names.len()).map(codes).collect();
    (0..texts.len()).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
}

fn adult_texts(names: &[&str]) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(incrowd_testdata::file("adult.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let wanted: Vec<usize> =
        names.iter().map(|name| header.iter().position(|column| column == *name).unwrap()).collect();
    let row = |record: csv::StringRecord| wanted.iter().map(|&at| record[at].to_owned()).collect();
    reader.records().map(|record| row(record.unwrap())).collect()
}

/// Classes of ℓ rows of different sensitive values, drawn at random from the values with most rows left, as Anatomy
/// does; rows that are left over are withheld.
pub(crate) fn anatomy(table: &FrequencyTable, sensitive: usize, l: usize, seed: u64) -> Partition {
    let mut draw = Draw(seed);
    let mut buckets: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for tuple in 0..table.tuples() {
        let rows = std::iter::repeat_n(tuple, table.count(tuple) as usize);
        buckets.entry(table.code(tuple, sensitive)).or_default().extend(rows);
    }
    let mut buckets: Vec<Vec<usize>> = buckets.into_values().collect();
    let mut partition = Partition::default();
    loop {
        buckets.sort_by_key(|bucket| Reverse(bucket.len()));
        if buckets[l - 1].is_empty() {
            break;
        }
        partition.push(buckets[..l].iter_mut().map(|bucket| {
            let at = draw.below(bucket.len());
            (bucket.swap_remove(at), 1)
        }));
    }
    partition.withhold(buckets.into_iter().flatten().map(|tuple| (tuple, 1)));
    assert!(partition.accounts_for(table));
    partition
}
