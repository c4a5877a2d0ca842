//! What classes publish, as labels.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use ahash::RandomState;
use arrow::array::types::Int32Type;
use arrow::array::{ArrayRef, DictionaryArray, Int32Array, StringArray};
use incrowd_core::{Cell, Domain};

/// One recoded column of some rows: the number of each cell's label, and the labels that occur.
pub(crate) struct ColumnLabels<'a> {
    /// Nothing for a missing value.
    numbers: Vec<Option<i32>>,
    labels: Vec<Cow<'a, str>>,
}

impl<'a> ColumnLabels<'a> {
    /// The labels of these cells.
    pub(crate) fn new(domain: &'a Domain, cells: impl Iterator<Item = Cell>) -> Self {
        let missing = domain.missing().map(|leaf| domain.leaf(leaf));
        let mut known: HashMap<u64, Option<i32>, RandomState> = HashMap::default();
        let mut labels = Vec::new();
        let number = |cell: Cell| {
            if let Some(&number) = known.get(&cell.bits()) {
                return number;
            }
            // A missing value is no label; it differs from all labels by being null.
            let number = (Some(cell) != missing).then(|| {
                labels.push(domain.render(cell));
                labels.len() as i32 - 1
            });
            known.insert(cell.bits(), number);
            number
        };
        let numbers = cells.map(number).collect();
        ColumnLabels { numbers, labels }
    }

    /// The labels of consecutive rows, one by one.
    pub(crate) fn texts(&self) -> impl Iterator<Item = Option<&str>> {
        self.numbers.iter().map(|number| number.map(|number| &*self.labels[number as usize]))
    }

    /// An array with every label written out.
    pub(crate) fn plain(&self) -> ArrayRef {
        Arc::new(self.texts().collect::<StringArray>())
    }

    /// An array that holds each label once, and none that does not occur.
    pub(crate) fn dictionary(self) -> ArrayRef {
        let labels = StringArray::from_iter_values(&self.labels);
        Arc::new(DictionaryArray::<Int32Type>::new(Int32Array::from(self.numbers), Arc::new(labels)))
    }
}
