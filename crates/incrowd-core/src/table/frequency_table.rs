//! The frequency table: the distinct tuples of a table with their counts.
//!
//! Everything is diagnosed and solved on it; the rows themselves are touched only to count them and to write them.
//! Tuples are packed keys (see [`Layout`]) in one vector, sorted, each followed by its row count. With a subject
//! column a tuple is told apart by the person too, so that people can be counted exactly in any grouping.

use serde::{Deserialize, Serialize};

use super::{ClassSizes, ColumnSet, Dictionary, Field, Grouping, Layout, Role, TupleRows};

/// One column of a frequency table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attribute {
    /// The column's name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Its distinct values.
    pub dictionary: Dictionary,
}

impl Attribute {
    /// A named column with its role and values.
    pub fn new(name: impl Into<String>, role: Role, dictionary: Dictionary) -> Self {
        Attribute { name: name.into(), role, dictionary }
    }
}

/// The person that all rows without a subject are counted as. For k that is on the safe side: a class has at least as many
/// people as are counted. For shares of people it is not: many people who have a value would count as one.
pub const NOBODY: u64 = 0;

/// Distinct tuples with counts, sorted.
///
/// ```
/// use incrowd_core::{Attribute, ColumnSet, Dictionary, FrequencyTable, Role};
/// let sex = Attribute::new("sex", Role::QuasiIdentifier, Dictionary::of_texts(["f", "m"]));
/// let town = Attribute::new("town", Role::QuasiIdentifier, Dictionary::of_texts(["Ulm", "Wien"]));
/// let table = FrequencyTable::from_tuples(vec![sex, town], [([0, 0], 3), ([1, 0], 2), ([1, 1], 1)]);
/// assert_eq!((table.rows(), table.tuples()), (6, 3));
/// assert_eq!(table.class_sizes(ColumnSet::first(2)).k(), 1);
/// assert_eq!(table.class_sizes(ColumnSet::single(0)).k(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrequencyTable {
    attributes: Vec<Attribute>,
    layout: Layout,
    subject: Option<Field>,
    grouping: Grouping,
    rows: u64,
}

impl FrequencyTable {
    /// The layout for these attributes, with a full word for the subject's hash when there is a subject column.
    pub fn layout_for(attributes: &[Attribute], subject: bool) -> Layout {
        let widths = attributes.iter().map(|attribute| Layout::bits_for(attribute.dictionary.len()));
        Layout::new(widths.chain(subject.then_some(64)))
    }

    /// A table from packed entries: for each tuple the words of its key, then its row count; sorted, keys distinct.
    /// The layout is [`FrequencyTable::layout_for`] these attributes.
    pub fn from_entries(attributes: Vec<Attribute>, subject: bool, entries: Vec<u64>) -> Self {
        let layout = Self::layout_for(&attributes, subject);
        let subject = subject.then(|| layout.fields()[attributes.len()]);
        let fields = layout.fields()[..attributes.len()].to_vec();
        let grouping = Grouping::from_entries(fields, subject, layout.words(), entries);
        let rows = grouping.rows();
        FrequencyTable { attributes, layout, subject, grouping, rows }
    }

    /// A table from tuples of codes with counts, in any order; equal tuples are added up. For literals.
    pub fn from_tuples<T: AsRef<[u32]>>(
        attributes: Vec<Attribute>,
        tuples: impl IntoIterator<Item = (T, u64)>,
    ) -> Self {
        Self::from_people(attributes, tuples.into_iter().map(|(codes, count)| (codes, None, count)))
    }

    /// As [`FrequencyTable::from_tuples`], each tuple with the person it belongs to, when there is a subject column.
    pub fn from_people<T: AsRef<[u32]>>(
        attributes: Vec<Attribute>,
        tuples: impl IntoIterator<Item = (T, Option<u64>, u64)>,
    ) -> Self {
        let tuples: Vec<_> = tuples.into_iter().collect();
        let subject = tuples.iter().any(|(_, person, _)| person.is_some());
        let layout = Self::layout_for(&attributes, subject);
        let mut entries: Vec<Vec<u64>> = tuples
            .iter()
            .map(|(codes, person, count)| {
                let mut entry = vec![0; layout.words() + 1];
                let codes = codes.as_ref().iter().map(|&code| u64::from(code)).chain(*person);
                layout.fields().iter().zip(codes).for_each(|(field, code)| field.put(&mut entry, code));
                entry[layout.words()] = *count;
                entry
            })
            .collect();
        entries.sort_unstable();
        entries.dedup_by(|next, kept| {
            let same = next[..layout.words()] == kept[..layout.words()];
            if same {
                kept[layout.words()] += next[layout.words()];
            }
            same
        });
        Self::from_entries(attributes, subject, entries.concat())
    }

    /// The columns, in key order.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// Gives the columns back and forgets the tuples.
    pub fn into_attributes(self) -> Vec<Attribute> {
        self.attributes
    }

    /// The position of a column by its name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.attributes.iter().position(|attribute| attribute.name == name)
    }

    /// The columns that have this role.
    pub fn columns(&self, role: Role) -> ColumnSet {
        (0..self.attributes.len()).filter(|&column| self.attributes[column].role == role).collect()
    }

    /// The packing of the tuples.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// How many rows the table stands for.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How many entries are held: distinct tuples, told apart by person when there is a subject column.
    pub fn tuples(&self) -> usize {
        self.grouping.entries()
    }

    /// All rows of the table, tuple by tuple.
    pub fn tuple_rows(&self) -> impl ExactSizeIterator<Item = TupleRows> + '_ {
        (0..self.tuples()).map(|tuple| (tuple, self.count(tuple)))
    }

    /// The bytes the tuples take.
    pub fn bytes(&self) -> u64 {
        (self.tuples() * (self.layout.words() + 1) * 8) as u64
    }

    /// Whether people are counted instead of rows.
    pub fn counts_people(&self) -> bool {
        self.subject.is_some()
    }

    /// How many people the table is about: rows, unless a subject column says which rows belong together.
    pub fn people(&self) -> u64 {
        if self.counts_people() { self.class_sizes(ColumnSet::EMPTY).total() } else { self.rows }
    }

    /// The code of an attribute in a tuple.
    pub fn code(&self, tuple: usize, attribute: usize) -> u32 {
        self.layout.fields()[attribute].code(self.grouping.entry(tuple))
    }

    /// The row count of a tuple.
    pub fn count(&self, tuple: usize) -> u64 {
        self.grouping.entry(tuple)[self.layout.words()]
    }

    /// How many rows are of [`NOBODY`]: of people who are not told apart.
    pub fn rows_of_nobody(&self) -> u64 {
        let nobody = |tuple: &usize| self.grouping.person(*tuple) == Some(NOBODY);
        (0..self.tuples()).filter(nobody).map(|tuple| self.count(tuple)).sum()
    }

    /// One attribute's codes, tuple by tuple.
    pub fn codes(&self, attribute: usize) -> impl Iterator<Item = u32> + '_ {
        (0..self.tuples()).map(move |tuple| self.code(tuple, attribute))
    }

    /// The widest grouping: all attributes. Roll it up to reach any other without touching the rows again.
    pub fn grouping(&self) -> &Grouping {
        &self.grouping
    }

    /// The classes of a set of columns.
    pub fn roll_up(&self, columns: ColumnSet) -> Grouping {
        self.grouping.roll_up(columns)
    }

    /// The class sizes of a set of columns.
    pub fn class_sizes(&self, columns: ColumnSet) -> ClassSizes {
        if columns == self.grouping.columns() {
            self.grouping.class_sizes()
        } else {
            self.roll_up(columns).class_sizes()
        }
    }

    /// The names of a set of columns.
    pub fn names(&self, columns: ColumnSet) -> Vec<String> {
        columns.iter().map(|column| self.attributes[column].name.clone()).collect()
    }
}
