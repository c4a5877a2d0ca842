//! Small tables and all classes of a few rows in them: few enough that every answer can be found by trying.

use super::case::{AskedModel, SampleClass, table, values};
use crate::{FrequencyTable, MODELS, ModelEntry};

/// A small generator: the same numbers on every machine.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// A number below another one.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// One of some things.
    pub(crate) fn one_of<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.below(things.len() as u64) as usize]
    }
}

/// How many codes the attributes have, that of the missing value included.
pub(super) const CODES: usize = 5;

/// The rows of each code of the first sensitive attribute.
pub(super) type CodeRows = [u64; CODES];

/// A table with these rows of each code, of which each code has one tuple at most, and the tuple of each code.
pub(super) struct CodeTable {
    pub(super) table: FrequencyTable,
    rows: CodeRows,
    tuples: [usize; CODES],
}

impl CodeTable {
    pub(super) fn new(rows: CodeRows) -> Self {
        // A tuple without rows keeps its place, so that a class may have values that the table lacks.
        let table = table(&(0..).zip(rows).map(|(code, rows)| ([code % 4, code, (code + 2) % 5], rows)).collect());
        let tuple = |code: u32| (0..table.tuples()).find(|&tuple| table.code(tuple, 1) == code);
        let tuples = [0, 1, 2, 3, 4].map(|code| tuple(code).expect("a tuple of each code"));
        CodeTable { table, rows, tuples }
    }

    /// All rows of the table.
    pub(super) fn whole(&self) -> SampleClass {
        self.table.tuple_rows().filter(|member| member.1 > 0).collect()
    }

    /// Whether every value of a class is in the table.
    pub(super) fn is_part(&self, class: &CodeRows) -> bool {
        class.iter().zip(self.rows).all(|(&own, rows)| own == 0 || rows > 0)
    }

    /// A class with these rows of each code, be they in the table or not.
    pub(super) fn class(&self, rows: &CodeRows) -> SampleClass {
        let member = |(tuple, rows): (usize, u64)| (rows > 0).then_some((tuple, rows));
        let mut class: SampleClass = self.tuples.into_iter().zip(*rows).filter_map(member).collect();
        class.sort_unstable();
        class
    }
}

/// All classes of up to this many rows, the smaller ones first.
pub(super) fn classes_of_at_most(rows: u64) -> Vec<CodeRows> {
    let mut classes: Vec<CodeRows> = vec![[0; CODES]];
    for code in 0..CODES {
        let more = |class: &CodeRows| {
            let (class, size): (CodeRows, u64) = (*class, class.iter().sum());
            (0..=rows - size).map(move |own| {
                let mut class = class;
                class[code] = own;
                class
            })
        };
        classes = classes.iter().flat_map(more).collect();
    }
    classes.sort_by_key(|class| class.iter().sum::<u64>());
    classes
}

/// All classes that are left when rows leave this one.
pub(super) fn parts_of(class: &CodeRows) -> Vec<CodeRows> {
    let mut parts: Vec<CodeRows> = vec![[0; CODES]];
    for code in 0..CODES {
        let with = |part: &CodeRows| {
            let part = *part;
            (0..=class[code]).map(move |own| {
                let mut part = part;
                part[code] = own;
                part
            })
        };
        parts = parts.iter().flat_map(with).collect();
    }
    parts
}

/// The models about classes of rows, which are all but those about a population.
pub(super) fn entries() -> impl Iterator<Item = &'static ModelEntry> {
    MODELS.iter().filter(|entry| !entry.population)
}

/// Every sample of a model, for the first sensitive attribute.
pub(super) fn samples(entry: &'static ModelEntry) -> Vec<AskedModel> {
    let sensitive = if entry.sensitive { vec![1] } else { Vec::new() };
    let asked = |parameters| AskedModel { entry, parameters, sensitive: sensitive.clone() };
    (entry.samples)(&values()).into_iter().map(asked).collect()
}

#[test]
fn classes_are_listed_once_each() {
    let classes = classes_of_at_most(3);
    assert_eq!(classes.len(), 1 + 5 + 15 + 35);
    assert!(classes.windows(2).all(|pair| pair[0] != pair[1]));
    assert_eq!(parts_of(&[1, 0, 2, 0, 1]).len(), 2 * 3 * 2);
}
