//! What is to be published, and what was written.

use incrowd_core::{FrequencyTable, QuasiIdentifier, Recoding};

use super::release_file::WrittenFile;
use super::text_dialect::TextDialect;
use super::treated_cells::CellTreatment;
use super::written_objects::WrittenObjects;
use crate::source::files::Format;

/// A column of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublishedColumn {
    /// What the classes publish for a quasi-identifier.
    Recoded {
        /// The name it is published under.
        name: String,
        /// Its position among the quasi-identifiers.
        quasi_identifier: usize,
    },
    /// The cells of a column of the table, unchanged or treated.
    Kept {
        /// Its name.
        name: String,
        /// What is done to each of its cells, if anything is.
        treatment: Option<Box<CellTreatment>>,
    },
    /// The number of the row's class, which is random and the same in every table of the release.
    ClassId {
        /// The name it is published under.
        name: String,
    },
}

impl PublishedColumn {
    /// The name it is published under.
    pub fn name(&self) -> &String {
        match self {
            PublishedColumn::Recoded { name, .. } | PublishedColumn::Kept { name, .. } => name,
            PublishedColumn::ClassId { name } => name,
        }
    }
}

/// What is to be published.
#[derive(Clone, Copy)]
pub struct Recipe<'a> {
    /// The tuples that the first scan counted.
    pub table: &'a FrequencyTable,
    /// The quasi-identifiers, in the order of the recoding's cells.
    pub quasi_identifiers: &'a [QuasiIdentifier],
    /// What each class publishes, and which rows are in it.
    pub recoding: &'a Recoding,
    /// The columns in the order in which they are published; those that are removed are not listed.
    pub columns: &'a [PublishedColumn],
    /// The columns of a second table, if there is one. Its rows have an independent order.
    pub second: Option<&'a [PublishedColumn]>,
    /// The format of the data files.
    pub format: Format,
    /// Write each table into one file; otherwise executors may write a file each.
    pub one_file: bool,
    /// Put an apostrophe before texts that a spreadsheet would run as formulas; only in CSV.
    pub escape_formulas: bool,
    /// How CSV is written.
    pub dialect: &'a TextDialect,
    /// The key of the generator that shuffles rows. Anyone who knows it can undo the shuffle.
    pub key: [u8; 32],
}

impl std::fmt::Debug for Recipe<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Not the key, which undoes the shuffle, nor the table, which holds values.
        f.debug_struct("Recipe").field("columns", &self.columns).field("format", &self.format).finish_non_exhaustive()
    }
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The files of the release.
    pub files: Vec<WrittenFile>,
    /// Rows that were written.
    pub rows: u64,
    /// Rows that were suppressed.
    pub withheld: u64,
    /// Whether the order of rows follows from the key; not where executors decide it.
    pub in_known_order: bool,
    /// Bytes of waiting rows that went through the disk because memory was short.
    pub spilled_bytes: u64,
    /// The files as objects of the store that the release goes to, if executors wrote them there. They are here, too.
    pub in_store: Option<WrittenObjects>,
}

impl Applied {
    /// Files that were written in an order that follows from the key.
    pub(crate) fn of(files: Vec<WrittenFile>, rows: u64, withheld: u64) -> Applied {
        Applied { files, rows, withheld, in_known_order: true, spilled_bytes: 0, in_store: None }
    }
}
