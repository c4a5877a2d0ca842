//! How cells become codes and codes become tuples, as files for tasks.

use serde::{Deserialize, Serialize};

use incrowd_core::{FrequencyTable, Layout};

use super::folder::TaskFolder;
use crate::count::codebook::CodebookParts;
use crate::count::lookup::Lookup;
use crate::publish::row_assignment::RowAssignments;
use crate::runtime::error::Result;

const CODEBOOK: &str = "codebook";
const KEYS: &str = "keys";
const ASSIGNED: &str = "assigned";

/// The codes of the columns, and the bits that each takes in a key.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CodedParts {
    pub(super) codebook: CodebookParts,
    widths: Vec<u32>,
}

impl CodedParts {
    /// How codes are packed into a key.
    pub(super) fn layout(&self) -> Layout {
        Layout::new(self.widths.iter().copied())
    }
}

/// The tuples of a table, and what the rows of each are assigned.
pub(super) struct AssignedTuples {
    pub(super) lookup: Lookup,
    pub(super) seats: Vec<u32>,
}

/// Writes the codes of a table, its tuples, and what their rows are assigned.
pub(super) fn put(
    folder: TaskFolder<'_>,
    codebook: CodebookParts,
    table: &FrequencyTable,
    seats: &RowAssignments,
) -> Result<()> {
    put_codebook(folder, codebook, table.layout())?;
    folder.put_words(KEYS, Lookup::new(table).keys().iter().copied())?;
    folder.put_words(ASSIGNED, seats.all().map(u64::from))
}

/// Writes the codes of a table.
pub(super) fn put_codebook(folder: TaskFolder<'_>, codebook: CodebookParts, layout: &Layout) -> Result<()> {
    let widths = layout.fields().iter().map(|field| field.bits()).collect();
    folder.put_json(CODEBOOK, &CodedParts { codebook, widths })
}

/// Reads the codes.
pub(super) fn codebook(folder: TaskFolder<'_>) -> Result<CodedParts> {
    folder.json(CODEBOOK)
}

/// Reads the tuples.
pub(super) fn tuples(folder: TaskFolder<'_>, parts: &CodedParts) -> Result<AssignedTuples> {
    let layout = parts.layout();
    let lookup = Lookup::of_keys(layout.fields().to_vec(), layout.words(), folder.words(KEYS)?);
    let seats = folder.words(ASSIGNED)?.into_iter().map(u32::try_from).collect::<std::result::Result<_, _>>();
    Ok(AssignedTuples { lookup, seats: seats.map_err(|_| folder.damaged(ASSIGNED))? })
}
