//! How many rows of a table have each value of some columns: what a part of the table is compared with.
//!
//! A model that compares classes with the whole (t-closeness, β-likeness, δ-disclosure) looks at one column at a time. So
//! where only a part of a table is in memory, any rows will do for the whole that have each value as often as its rows.

use serde::{Deserialize, Serialize};

use super::{Attribute, ColumnProfile, Dictionary, FrequencyTable, Role};

/// The rows of each value of some columns of a whole table.
///
/// ```
/// # use incrowd_core::{Attribute, Dictionary, FrequencyTable, Role, WholeCounts};
/// let attribute = |name, role| Attribute::new(name, role, Dictionary::of_texts(["0", "1"]));
/// let attributes = [attribute("town", Role::QuasiIdentifier), attribute("ill", Role::Sensitive)];
/// let whole = WholeCounts::new(vec![("ill".into(), vec![90, 10])]).table(&attributes);
/// assert_eq!((whole.rows(), whole.tuples()), (100, 2));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WholeCounts {
    columns: Vec<(String, Vec<u64>)>,
}

impl WholeCounts {
    /// The rows of each code of these columns. All columns have as many rows.
    pub fn new(columns: Vec<(String, Vec<u64>)>) -> Self {
        WholeCounts { columns }
    }

    /// The rows of each code of these columns, as they were profiled; nothing if one was not counted to its end.
    pub fn of_profiles(names: &[String], profiles: &[ColumnProfile]) -> Option<Self> {
        let counts = |name: &String| {
            let profile = profiles.iter().find(|profile| profile.name == *name && profile.exact)?;
            Some((name.clone(), profile.counts.clone()))
        };
        names.iter().map(counts).collect::<Option<_>>().map(WholeCounts::new)
    }

    /// The rows of each code of a column.
    pub fn column(&self, name: &str) -> Option<&[u64]> {
        self.columns.iter().find(|(known, _)| known == name).map(|(_, rows)| rows.as_slice())
    }

    /// Whether these are counts of the values of these attributes.
    pub fn fits(&self, attributes: &[Attribute]) -> bool {
        let has_as_many = |(name, rows): &(String, Vec<u64>)| {
            attributes.iter().any(|attribute| attribute.name == *name && attribute.dictionary.len() == rows.len())
        };
        self.columns.iter().all(has_as_many)
    }

    /// A table with a column for each attribute that has each counted value as often as the whole. Which values occur
    /// together says nothing, and columns that were not counted have one value.
    pub fn table(&self, attributes: &[Attribute]) -> FrequencyTable {
        let counts: Vec<Option<&[u64]>> = attributes.iter().map(|attribute| self.column(&attribute.name)).collect();
        let blank = |attribute: &Attribute, counted: bool| match counted {
            true => attribute.clone(),
            false => Attribute::new(&attribute.name, Role::Insensitive, Dictionary::of_texts([""])),
        };
        let columns = attributes.iter().zip(&counts).map(|(attribute, counts)| blank(attribute, counts.is_some()));
        // The first rows have the first values of each column, and so on: a tuple ends where a value of some column does.
        let ends = |rows: &[u64]| {
            let end = |end: &mut u64, rows: &u64| {
                *end += rows;
                Some(*end)
            };
            rows.iter().scan(0, end).collect::<Vec<u64>>()
        };
        let ends: Vec<Option<Vec<u64>>> = counts.iter().map(|counts| counts.map(ends)).collect();
        let mut starts: Vec<u64> = ends.iter().flatten().flatten().copied().collect();
        starts.push(0);
        starts.sort_unstable();
        starts.dedup();
        let codes_at = |row: u64| {
            let code =
                |ends: &Option<Vec<u64>>| ends.as_ref().map_or(0, |ends| ends.partition_point(|&end| end <= row));
            ends.iter().map(|ends| u32::try_from(code(ends)).unwrap_or(u32::MAX)).collect::<Vec<u32>>()
        };
        let tuples: Vec<_> = starts.windows(2).map(|ends| (codes_at(ends[0]), ends[1] - ends[0])).collect();
        FrequencyTable::from_tuples(columns.collect(), tuples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Members;

    #[test]
    fn each_counted_value_is_as_frequent_as_in_the_whole() {
        let texts = |texts: [&str; 3]| Dictionary::of_texts(texts);
        let attributes = [
            Attribute::new("town", Role::QuasiIdentifier, texts(["Graz", "Ulm", "Wien"])),
            Attribute::new("ill", Role::Sensitive, texts(["a", "b", "c"])),
            Attribute::new("paid", Role::Sensitive, texts(["high", "low", "none"])),
        ];
        let counts = WholeCounts::new(vec![("paid".into(), vec![1, 2, 7]), ("ill".into(), vec![0, 4, 6])]);
        assert!(counts.fits(&attributes) && !counts.fits(&attributes[..2]));
        let whole = counts.table(&attributes);
        let rows = |column: usize| {
            let mut rows = [0; 3];
            Members::whole(&whole).tally(column, |code, more| rows[code as usize] += more);
            rows
        };
        assert_eq!((whole.rows(), rows(0), rows(1), rows(2)), (10, [10, 0, 0], [0, 4, 6], [1, 2, 7]));
    }
}
