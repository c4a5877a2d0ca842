//! What classes publish, as labels.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use ahash::RandomState;
use arrow::array::types::Int32Type;
use arrow::array::{ArrayRef, DictionaryArray, Int32Array, StringArray};
use incrowd_core::{Cell, Domain, QuasiIdentifier};

/// One recoded column of some rows: the number of each cell's label, and the labels that occur.
pub(crate) struct ColumnLabels<'a> {
    /// Nothing for a missing value.
    numbers: Vec<Option<i32>>,
    labels: Vec<Cow<'a, str>>,
}

/// The labels of the cells that classes publish, wherever these are described.
pub(crate) trait LabelTexts: Sync {
    /// How many columns are recoded.
    fn columns(&self) -> usize;

    /// The labels of these cells of a column.
    fn of_cells(&self, column: usize, cells: &mut dyn Iterator<Item = Cell>) -> ColumnLabels<'_>;

    /// The most bytes of a label of a column.
    fn longest(&self, column: usize) -> usize;
}

/// Labels as the domains of the quasi-identifiers write them.
pub(crate) struct DomainLabels<'a>(pub(crate) &'a [QuasiIdentifier]);

impl LabelTexts for DomainLabels<'_> {
    fn columns(&self) -> usize {
        self.0.len()
    }

    fn of_cells(&self, column: usize, cells: &mut dyn Iterator<Item = Cell>) -> ColumnLabels<'_> {
        ColumnLabels::new(&self.0[column].domain, cells)
    }

    fn longest(&self, column: usize) -> usize {
        let domain = &self.0[column].domain;
        (0..domain.leaf_count()).map(|leaf| domain.render(domain.leaf(leaf)).len()).max().unwrap_or(0)
    }
}

impl<'a> ColumnLabels<'a> {
    /// The labels of these cells.
    pub(crate) fn new(domain: &'a Domain, cells: impl Iterator<Item = Cell>) -> Self {
        let missing = domain.missing().map(|leaf| domain.leaf(leaf));
        // A missing value is no label; it differs from all labels by being null.
        ColumnLabels::written(cells, |cell| (Some(cell) != missing).then(|| domain.render(cell)))
    }

    /// The labels of these cells as `write` has them; nothing for a missing value.
    pub(crate) fn written(cells: impl Iterator<Item = Cell>, write: impl Fn(Cell) -> Option<Cow<'a, str>>) -> Self {
        let mut known: HashMap<u64, Option<i32>, RandomState> = HashMap::default();
        let mut labels = Vec::new();
        let number = |cell: Cell| {
            if let Some(&number) = known.get(&cell.bits()) {
                return number;
            }
            let number = write(cell).map(|label| {
                labels.push(label);
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
