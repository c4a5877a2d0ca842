//! What one scan learns about each column separately.

use serde::{Deserialize, Serialize};

use crate::Dictionary;

/// One column, before anybody has said what it means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnProfile {
    /// The column's name.
    pub name: String,
    /// Rows of the table.
    pub rows: u64,
    /// Rows whose cell is missing.
    pub missing: u64,
    /// The distinct values (missing included); only those seen before counting stopped when `exact` is false.
    pub dictionary: Dictionary,
    /// Rows of each code of the dictionary.
    pub counts: Vec<u64>,
    /// Whether every distinct value was counted. Counting stops early in columns with millions of them.
    pub exact: bool,
    /// The rows that had been read when counting stopped; equal to `rows` when `exact`.
    pub rows_counted: u64,
}

impl ColumnProfile {
    /// How many distinct values were counted, missing not among them.
    pub fn distinct(&self) -> u64 {
        self.dictionary.values().len() as u64
    }

    /// Distinct values per counted, present row: 1 when every cell is different.
    pub fn distinct_share(&self) -> f64 {
        let present = self.rows_counted.saturating_sub(self.missing.min(self.rows_counted));
        if present == 0 { 0.0 } else { self.distinct() as f64 / present as f64 }
    }

    /// Rows whose value occurs only once.
    pub fn unique_rows(&self) -> u64 {
        self.counts.iter().filter(|&&count| count == 1).count() as u64
    }

    /// The size of the smallest class of this column alone.
    pub fn k(&self) -> u64 {
        self.counts.iter().copied().min().unwrap_or(0)
    }
}
