//! Did the third scan meet the rows of the second, in the same order?
//!
//! The second scan reads the columns that decide a row's class, the third the cells that are kept; a row of one is
//! paired with a row of the other by its number alone. A source without a stable order, or a file that was replaced,
//! would pair the cells of one person with the class of another. So both scans hash the deciding columns of their rows:
//! a keyed 64-bit hash of every row, chained in the order of the rows, for each stretch of the input. The release is
//! refused when a stretch differs. A difference goes unnoticed with probability 2⁻⁶⁴ for each stretch. Rows that agree
//! in every deciding column have the same hash: they may change places, for which of them gets which class is drawn at
//! random anyway.

use ahash::RandomState;
use arrow::array::ArrayRef;
use arrow::row::{RowConverter, SortField};

use super::distinct_estimate::mixed;
use crate::runtime::error::Result;
use crate::source::stream::StreamFault;

/// The rows of every stretch in their order, as the second scan met them.
#[derive(Clone)]
pub(crate) struct RowOrder {
    /// The columns that decide a row's class.
    columns: Vec<String>,
    key: RandomState,
    stretches: Vec<u64>,
}

impl std::fmt::Debug for RowOrder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Neither the key nor a hash.
        f.debug_struct("RowOrder").field("columns", &self.columns.len()).finish_non_exhaustive()
    }
}

impl RowOrder {
    /// For hashes of these columns, with a key of its own.
    pub(super) fn new(columns: Vec<String>) -> Self {
        RowOrder { columns, key: RandomState::new(), stretches: Vec::new() }
    }

    /// The columns whose cells are hashed, in their order.
    pub(crate) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// A hash of the rows of one stretch, which has no row yet.
    pub(crate) fn begin(&self) -> RowHash {
        RowHash { key: self.key.clone(), converter: None, hash: 0 }
    }

    /// The order that the hashes of all stretches stand for.
    pub(super) fn of(self, stretches: Vec<u64>) -> Self {
        RowOrder { stretches, ..self }
    }

    /// Whether these are the same rows in the same order.
    pub(crate) fn is(&self, stretches: impl Iterator<Item = u64>) -> bool {
        stretches.eq(self.stretches.iter().copied())
    }
}

/// Hashes the rows of one stretch.
pub(crate) struct RowHash {
    key: RandomState,
    /// Writes the cells of a row as bytes from which they can be read back, so that other cells are other bytes.
    converter: Option<RowConverter>,
    hash: u64,
}

impl RowHash {
    /// Takes the next rows: their cells in the deciding columns, in the order of these.
    pub(crate) fn add(&mut self, columns: &[&ArrayRef]) -> Result<()> {
        let columns: Vec<ArrayRef> = columns.iter().map(|&column| column.clone()).collect();
        let failed = |error| StreamFault::File(error).refusal("comparing two scans");
        let converter = match &mut self.converter {
            Some(converter) => converter,
            none => {
                let fields = columns.iter().map(|column| SortField::new(column.data_type().clone())).collect();
                none.insert(RowConverter::new(fields).map_err(failed)?)
            }
        };
        let rows = converter.convert_columns(&columns).map_err(failed)?;
        self.hash = rows.iter().fold(self.hash, |hash, row| mixed(hash ^ self.key.hash_one(row.as_ref())));
        Ok(())
    }

    /// The hash of all rows that were taken.
    pub(crate) fn finish(&self) -> u64 {
        self.hash
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Int64Array, StringArray};

    use super::*;

    #[test]
    fn any_other_row_place_or_missing_cell_is_another_order_and_batches_are_not() {
        let order = RowOrder::new(vec!["town".into(), "state".into(), "age".into()]);
        let hash = |rows: &[(Option<&str>, Option<&str>, i64)], at_once: usize| {
            let mut hash = order.begin();
            for rows in rows.chunks(at_once) {
                let town: ArrayRef = Arc::new(rows.iter().map(|row| row.0).collect::<StringArray>());
                let state: ArrayRef = Arc::new(rows.iter().map(|row| row.1).collect::<StringArray>());
                let age: ArrayRef = Arc::new(rows.iter().map(|row| row.2).collect::<Int64Array>());
                hash.add(&[&town, &state, &age]).expect("plain columns");
            }
            hash.finish()
        };
        let rows = [(Some("Ulm"), None, 1), (None, Some("Ulm"), 2), (Some("Bonn"), Some(""), 3)];
        let whole = hash(&rows, 3);
        assert_eq!(whole, hash(&rows, 1), "batches may end anywhere");
        for (a, b) in [(0, 1), (1, 2), (0, 2)] {
            let mut swapped = rows;
            swapped.swap(a, b);
            assert_ne!(whole, hash(&swapped, 3));
        }
        for (at, row) in [(0, (None, Some("Ulm"), 1)), (2, (Some("Bonn"), None, 3)), (2, (Some("Bonn"), Some(""), 4))] {
            let mut other = rows;
            other[at] = row;
            assert_ne!(whole, hash(&other, 3), "row {at}");
        }
        assert_ne!(order.begin().finish(), hash(&rows[..1], 1));
        assert!(RowOrder::new(Vec::new()).of(vec![1, 2]).is([1, 2].into_iter()));
        assert!(!RowOrder::new(Vec::new()).of(vec![1, 2]).is([2, 1].into_iter()));
    }
}
