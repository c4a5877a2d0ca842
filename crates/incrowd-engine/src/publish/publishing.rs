//! What the tables of a release are written from, wherever its classes are held.

use incrowd_core::{Attribute, Cell, QuasiIdentifier, Recoding};

use super::recipe::{PublishedColumn, Recipe};
use super::text_dialect::TextDialect;
use crate::source::files::Format;

/// What each class publishes.
pub(crate) trait ClassCells: Sync {
    /// How many classes there are.
    fn classes(&self) -> usize;

    /// Appends the cells of a class, one for each quasi-identifier.
    fn append(&self, class: u32, cells: &mut Vec<Cell>);
}

impl ClassCells for Recoding {
    fn classes(&self) -> usize {
        self.classes()
    }

    fn append(&self, class: u32, cells: &mut Vec<Cell>) {
        cells.extend_from_slice(self.cells(class));
    }
}

/// What the tables of a release are written from.
pub(crate) struct Publishing<'a> {
    /// The columns that were counted.
    pub(crate) attributes: &'a [Attribute],
    pub(crate) quasi_identifiers: &'a [QuasiIdentifier],
    pub(crate) cells: &'a dyn ClassCells,
    /// Rows that are going to be written.
    pub(crate) rows: u64,
    pub(crate) columns: &'a [PublishedColumn],
    pub(crate) second: Option<&'a [PublishedColumn]>,
    pub(crate) format: Format,
    pub(crate) escape_formulas: bool,
    pub(crate) dialect: &'a TextDialect,
    pub(crate) key: [u8; 32],
}

impl<'a> Publishing<'a> {
    /// Of a table whose tuples are in memory.
    pub(crate) fn of(recipe: &Recipe<'a>) -> Self {
        let targets = (0..recipe.table.tuples()).flat_map(|tuple| recipe.recoding.targets(tuple));
        let withheld: u64 = targets.filter(|target| target.0 == Recoding::WITHHELD).map(|target| target.1).sum();
        Publishing {
            attributes: recipe.table.attributes(),
            quasi_identifiers: recipe.quasi_identifiers,
            cells: recipe.recoding,
            rows: recipe.table.rows() - withheld,
            columns: recipe.columns,
            second: recipe.second,
            format: recipe.format,
            escape_formulas: recipe.escape_formulas,
            dialect: recipe.dialect,
            key: recipe.key,
        }
    }
}
