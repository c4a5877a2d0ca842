//! Applying what was decided shard by shard: the class of each row was written down by its number.
//!
//! The rows are read a third time: what is published unchanged, and the columns that decided the class, to see that the
//! rows are those of the second scan in the same order (`row_order.rs`). From there on everything goes its
//! usual way.

use std::path::Path;
use std::sync::{Arc, Mutex};

use arrow::record_batch::RecordBatch;
use incrowd_core::{Attribute, QuasiIdentifier, Stage};

use super::by_row::{ByRow, RowClassReader};
use super::row_order::RowHash;
use crate::count::scan::scan;
use crate::count::spill::Spills;
use crate::publish::apply::{KeptPlaces, Waiting, kept_columns};
use crate::publish::kept_cells::KeptColumn;
use crate::publish::memory_shares::MemoryShares;
use crate::publish::publishing::{ClassCells, Publishing};
use crate::publish::recipe::{Applied, PublishedColumn};
use crate::publish::row_assignment::ClassDraws;
use crate::publish::staging::RowStaging;
use crate::publish::tables::ReleaseTables;
use crate::publish::text_dialect::TextDialect;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::source::files::Format;
use crate::source::table::Source;

/// What is to be published of a table that was solved shard by shard.
#[derive(Clone, Copy)]
pub struct RowRecipe<'a> {
    /// The columns that were counted.
    pub attributes: &'a [Attribute],
    /// The quasi-identifiers, in the order of the cells.
    pub quasi_identifiers: &'a [QuasiIdentifier],
    /// The columns in the order in which they are published.
    pub columns: &'a [PublishedColumn],
    /// The format of the data file.
    pub format: Format,
    /// Tasks of a cluster write one file, and not one each.
    pub one_file: bool,
    /// Put an apostrophe before texts that a spreadsheet would run as formulas; only in CSV.
    pub escape_formulas: bool,
    /// How CSV is written.
    pub dialect: &'a TextDialect,
    /// The key of the generator that shuffles rows.
    pub key: [u8; 32],
}

impl std::fmt::Debug for RowRecipe<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Not the key, which undoes the shuffle, nor the attributes, which hold values.
        f.debug_struct("RowRecipe")
            .field("columns", &self.columns)
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

/// One partition's reader.
struct ByRowReader {
    classes: RowClassReader,
    hash: RowHash,
    seats: Vec<u32>,
    waiting: Waiting,
}

/// What the threads of the scan share.
struct ByRowPlan {
    name: String,
    kept: Vec<KeptColumn>,
    /// Where the kept columns are in a batch, and where those that decided the class.
    kept_at: KeptPlaces,
    decided_at: Vec<usize>,
}

impl ByRowReader {
    fn step(&mut self, reading: &ByRowPlan, batch: &RecordBatch) -> Result<()> {
        self.seats.clear();
        self.classes.next(batch.num_rows(), &mut self.seats)?;
        if self.seats.len() < batch.num_rows() {
            return Err(EngineError::Changed(reading.name.clone()));
        }
        self.hash.add(&reading.decided_at.iter().map(|&at| batch.column(at)).collect::<Vec<_>>())?;
        self.waiting.add(&reading.kept, &reading.kept_at, batch, &self.seats)
    }
}

/// Reads the rows again and writes the data file into a folder, each row with the class that was noted for it.
pub(crate) fn apply_by_row(
    engine: &Engine,
    source: &Source,
    by_row: &ByRow,
    recipe: &RowRecipe<'_>,
    folder: &Path,
) -> Result<Applied> {
    let mut read = Vec::new();
    let (kept, kept_at) = kept_columns(source, &recipe.columns.iter().collect::<Vec<_>>(), &mut read)?;
    let order = by_row.order();
    read.extend(order.columns().iter().filter(|column| !read.contains(column)).cloned().collect::<Vec<_>>());
    let place = |column: &String| read.iter().position(|read| read == column);
    let decided_at: Vec<usize> = order.columns().iter().filter_map(place).collect();
    let rooms = MemoryShares::beside(engine, by_row.bytes(engine), by_row.classes().classes() as u64)?;
    let spills = Arc::new(Spills::new(engine.folder.path()));
    let staging = Arc::new(RowStaging::new(&kept, by_row.rows(), engine.threads, rooms, spills.clone()));
    let stretches = by_row.stretches().to_vec();
    let readers = (0..stretches.len()).map(|partition| by_row.read(engine, partition));
    // Opened before the scan, which starts its partitions without a way to fail.
    let readers: Vec<Mutex<Option<RowClassReader>>> =
        readers.map(|classes| Ok(Mutex::new(Some(classes?)))).collect::<Result<_>>()?;
    let start = |partition: usize| ByRowReader {
        classes: readers.get(partition).and_then(|one| one.lock().ok()?.take()).unwrap_or_default(),
        hash: order.begin(),
        seats: Vec::new(),
        waiting: Waiting::from_row(recipe.key, stretches.iter().take(partition).sum(), &staging),
    };
    let reading = ByRowPlan { name: source.name().into(), kept: kept.clone(), kept_at, decided_at };
    let step = move |reader: &mut ByRowReader, batch: &RecordBatch| reader.step(&reading, batch);
    let readers = scan(engine, source, &read, Stage::Recode, None, start, step)?;
    if !readers.iter().map(|reader| reader.waiting.rows).eq(stretches) {
        return Err(EngineError::Changed(source.name().into()));
    }
    if !order.is(readers.iter().map(|reader| reader.hash.finish())) {
        return Err(EngineError::OtherOrder(source.name().into()));
    }
    let staged = readers.into_iter().map(|reader| reader.waiting.stager.finish()).collect::<Result<Vec<_>>>()?;
    let publishing = Publishing {
        attributes: recipe.attributes,
        quasi_identifiers: recipe.quasi_identifiers,
        cells: by_row.classes(),
        rows: by_row.rows() - by_row.withheld(),
        columns: recipe.columns,
        second: None,
        format: recipe.format,
        escape_formulas: recipe.escape_formulas,
        dialect: recipe.dialect,
        key: recipe.key,
    };
    let draws = ClassDraws::told(by_row.classes().classes());
    let statistics = source.statistics();
    ReleaseTables { engine, publishing: &publishing, kept: &kept, rooms, spills, folder, statistics }
        .write(&staging, staged, draws)
}
