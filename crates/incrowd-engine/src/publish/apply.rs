//! The second scan: rows are read again, and each gets its class and its place in the release.

use std::path::Path;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::record_batch::RecordBatch;
use incrowd_core::Stage;

use super::kept_cells::{KeptColumn, clean_pieces};
use super::memory_shares::MemoryShares;
use super::publishing::Publishing;
use super::recipe::{Applied, PublishedColumn, Recipe};
use super::row_assignment::RowAssignments;
use super::shuffle::RowBits;
use super::staging::{RowStaging, Stager};
use super::tables::ReleaseTables;
use super::treated_cells::RowOrigin;
use crate::count::codebook::{Codebook, OpenCodebook};
use crate::count::lookup::Lookup;
use crate::count::packer::Packer;
use crate::count::scan::scan;
use crate::count::spill::Spills;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::source::table::Source;

/// What the threads of the scan share.
struct ApplyPlan {
    codebook: OpenCodebook,
    lookup: Lookup,
    seats: RowAssignments,
    kept: Vec<KeptColumn>,
    /// Where the kept columns are in a batch.
    kept_at: KeptPlaces,
}

/// One partition's reader.
struct ApplyReader {
    packer: Packer,
    seats: Vec<u32>,
    waiting: Waiting,
}

/// Where the rows of a partition get their place in the release and wait.
pub(crate) struct Waiting {
    bits: Vec<(u64, u64)>,
    stream: RowBits,
    pub(crate) stager: Stager,
    /// The number of the partition's first row in the table.
    first: u64,
    pub(crate) rows: u64,
}

/// Where in a batch the kept columns are, and the column that says which rows belong to one person, if a treatment
/// depends on it.
pub(crate) struct KeptPlaces {
    cells: Vec<usize>,
    people: Option<usize>,
}

impl KeptPlaces {
    /// These, and further ones behind them.
    #[cfg(feature = "cluster")]
    pub(crate) fn followed_by(mut self, places: std::ops::Range<usize>) -> KeptPlaces {
        self.cells.extend(places);
        self
    }

    /// The cells of the kept columns in a batch whose first row has this number in the table, and which rows they are.
    pub(super) fn of_batch(&self, batch: &RecordBatch, first: u64) -> (Vec<ArrayRef>, RowOrigin) {
        let cells = self.cells.iter().map(|&at| batch.column(at).clone()).collect();
        let people = self.people.map(|at| batch.column(at).clone());
        (cells, RowOrigin { first, people })
    }
}

impl Waiting {
    /// For the rows from this number on.
    pub(crate) fn from_row(key: [u8; 32], row: u64, staging: &Arc<RowStaging>) -> Self {
        let (stream, stager) = (RowBits::from_row(key, row), Stager::new(staging.clone()));
        Waiting { bits: Vec::new(), stream, stager, first: row, rows: 0 }
    }

    /// Takes the rows of a batch, each with its assignment and with the cells that are kept.
    pub(crate) fn add(
        &mut self,
        kept: &[KeptColumn],
        places: &KeptPlaces,
        batch: &RecordBatch,
        seats: &[u32],
    ) -> Result<()> {
        self.bits.clear();
        self.bits.extend((0..seats.len()).map(|_| self.stream.next()));
        let (cells, origin) = places.of_batch(batch, self.first + self.rows);
        self.rows += seats.len() as u64;
        let (bits, stager) = (&self.bits, &mut self.stager);
        clean_pieces(kept, &cells, &origin, (0, seats.len()), &mut |start, rows, cells| {
            stager.add(&bits[start..start + rows], &seats[start..start + rows], cells)
        })
    }
}

/// The kept columns among these, and where they are in a batch of the columns `read`, to which they are added.
pub(crate) fn kept_columns(
    source: &Source,
    columns: &[&PublishedColumn],
    read: &mut Vec<String>,
) -> Result<(Vec<KeptColumn>, KeptPlaces)> {
    let (mut kept, mut places) = (Vec::new(), KeptPlaces { cells: Vec::new(), people: None });
    let mut place = |name: &String| {
        read.iter().position(|read| read == name).unwrap_or_else(|| {
            read.push(name.clone());
            read.len() - 1
        })
    };
    for column in columns {
        if let PublishedColumn::Kept { name, treatment } = column {
            kept.push(KeptColumn::new(source, name, treatment.as_deref())?);
            places.cells.push(place(name));
            // A table has one such column.
            let person = treatment.as_deref().and_then(|treatment| treatment.person.as_ref());
            places.people = places.people.or(person.map(&mut place));
        }
    }
    Ok((kept, places))
}

/// Reads the rows again, recodes and shuffles them, and writes the data files into a folder, all in this process.
pub(crate) fn apply(
    engine: &Engine,
    source: &Source,
    codebook: &Codebook,
    recipe: &Recipe<'_>,
    folder: &Path,
) -> Result<Applied> {
    let (table, threads) = (recipe.table, engine.threads);
    // A row waits with a class, or the number of a split tuple, in 32 bits.
    if table.tuples() + recipe.recoding.classes() >= u32::MAX as usize {
        let (tuples, needed) = (table.tuples() as u64, table.bytes());
        return Err(EngineError::TooManyTuples { tuples, needed, limit: engine.memory.unwrap_or(needed) });
    }
    let mut read: Vec<String> = codebook.names().cloned().collect();
    let columns: Vec<&PublishedColumn> = recipe.columns.iter().chain(recipe.second.unwrap_or_default()).collect();
    let (kept, kept_at) = kept_columns(source, &columns, &mut read)?;
    let rooms = MemoryShares::new(engine, table, recipe.recoding, recipe.quasi_identifiers.len())?;
    // Rows of the second table wait while those of the first are written.
    let rooms = if recipe.second.is_some() { rooms.halved() } else { rooms };
    let spills = Arc::new(Spills::new(engine.folder.path()));
    let staging = Arc::new(RowStaging::new(&kept, table.rows(), threads, rooms, spills.clone()));
    let reading = Arc::new(ApplyPlan {
        codebook: codebook.open(source, table.attributes())?,
        lookup: Lookup::new(table),
        seats: RowAssignments::new(table, recipe.recoding),
        kept: kept.clone(),
        kept_at,
    });
    let stretches = match codebook.stretches(threads) {
        Some(rows) => rows.to_vec(),
        // Counted on another number of threads, so in other stretches.
        None => scan(
            engine,
            source,
            &read[..1],
            Stage::Recode,
            None,
            |_| 0,
            |rows: &mut u64, batch| {
                *rows += batch.num_rows() as u64;
                Ok(())
            },
        )?,
    };
    let start = |partition: usize| ApplyReader {
        packer: Packer::new(&reading.codebook),
        seats: Vec::new(),
        waiting: Waiting::from_row(recipe.key, stretches.iter().take(partition).sum(), &staging),
    };
    let shared = reading.clone();
    let step = move |reader: &mut ApplyReader, batch: &RecordBatch| reader.step(&shared, batch);
    let readers = scan(engine, source, &read, Stage::Recode, None, start, step)?;
    // Rows were numbered by the stretches of the first scan, and every tuple has its rows.
    if !readers.iter().map(|reader| reader.waiting.rows).eq(stretches) || !reading.seats.all_taken() {
        return Err(EngineError::Changed(source.name().into()));
    }
    let draws = reading.seats.draws(recipe.recoding);
    drop(reading);
    let staged = readers.into_iter().map(|reader| reader.waiting.stager.finish()).collect::<Result<Vec<_>>>()?;
    let publishing = Publishing::of(recipe);
    let statistics = source.statistics();
    ReleaseTables { engine, publishing: &publishing, kept: &kept, rooms, spills, folder, statistics }
        .write(&staging, staged, draws)
}

impl ApplyReader {
    fn step(&mut self, reading: &ApplyPlan, batch: &RecordBatch) -> Result<()> {
        self.find(reading, batch)?;
        self.waiting.add(&reading.kept, &reading.kept_at, batch, &self.seats)
    }

    /// Finds the tuple of every row, and its assignment.
    fn find(&mut self, reading: &ApplyPlan, batch: &RecordBatch) -> Result<()> {
        let (lookup, codebook) = (&reading.lookup, &reading.codebook);
        self.seats.clear();
        for key in self.packer.pack(codebook, lookup.fields(), lookup.words(), batch)?.chunks_exact(lookup.words()) {
            let seat = lookup.find(key).and_then(|tuple| reading.seats.take(tuple));
            self.seats.push(seat.ok_or_else(|| codebook.changed())?);
        }
        Ok(())
    }
}
