//! Applying what was decided: a second scan that recodes rows, shuffles them and writes the release.
//!
//! The rows are read again, column by column as they are needed: those of the table, to find each row's tuple; those
//! that are published as they are; nothing else. A row gets its class (`lookup.rs`, `seats.rs`) and its place in the
//! release (`shuffle.rs`), waits with its kept cells until all rows are there (`stage.rs`), and is written (`tables.rs`,
//! `release.rs`, `file.rs`). A release in two tables writes the first so, and shuffles what stands in the second anew on the way
//! (`second.rs`).

mod class_ids;
mod clean;
mod codebook;
mod disk;
mod file;
mod finished;
mod labels;
pub(crate) mod lookup;
mod packer;
mod publishing;
mod release;
mod room;
mod rows;
pub(crate) mod seats;
mod second;
pub(crate) mod shuffle;
mod stage;
mod tables;
mod text;

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::record_batch::RecordBatch;
use incrowd_core::{FrequencyTable, QuasiIdentifier, Recoding, Stage};

pub(crate) use self::clean::Kept;
use self::clean::clean_pieces;
pub use self::codebook::Codebook;
pub(crate) use self::codebook::CodedColumn;
pub(crate) use self::codebook::OpenCodebook;
pub use self::file::WrittenFile;
pub(crate) use self::file::{Cells, Column, ReleaseFile};
pub(crate) use self::finished::finished;
pub(crate) use self::labels::Labels;
pub(crate) use self::lookup::Lookup;
pub(crate) use self::packer::Packer;
pub(crate) use self::publishing::ClassCells;
use self::publishing::Publishing;
use self::room::Rooms;
pub use self::rows::RowRecipe;
pub(crate) use self::seats::Seats;
pub(crate) use self::shuffle::RowBits;
pub(crate) use self::stage::misfit;
use self::stage::{Stager, Staging};
use self::tables::Tables;
pub(crate) use self::text::texts;
use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::remote;
use crate::scan::scan;
use crate::source::Format;
use crate::spill::Spills;
use crate::table::Source;

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
    /// The cells of a column of the table as they are.
    Kept {
        /// Its name.
        name: String,
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
            PublishedColumn::Recoded { name, .. } | PublishedColumn::Kept { name } => name,
            PublishedColumn::ClassId { name } => name,
        }
    }
}

/// What is to be published.
#[derive(Clone, Copy, Debug)]
pub struct Recipe<'a> {
    /// The tuples that the first scan counted.
    pub table: &'a FrequencyTable,
    /// The quasi-identifiers, in the order of the recoding's cells.
    pub quasi_identifiers: &'a [QuasiIdentifier],
    /// What each class publishes, and which rows are in it.
    pub recoding: &'a Recoding,
    /// The columns in the order in which they are published; those that are removed are not listed.
    pub columns: &'a [PublishedColumn],
    /// The columns of a second table, when there is one. Its rows stand in an order of their own.
    pub second: Option<&'a [PublishedColumn]>,
    /// The format of the data files.
    pub format: Format,
    /// Put an apostrophe before texts that a spreadsheet would run as formulas; only in CSV.
    pub escape_formulas: bool,
    /// The key of the generator that shuffles rows. Whoever knows it can undo the shuffle.
    pub key: [u8; 32],
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The files of the release.
    pub files: Vec<WrittenFile>,
    /// Rows that were written.
    pub rows: u64,
    /// Rows that were withheld.
    pub withheld: u64,
    /// Bytes of waiting rows that went through the disk because memory was short.
    pub spilled_bytes: u64,
}

/// What the threads of the scan share.
struct Reading {
    codebook: OpenCodebook,
    lookup: Lookup,
    seats: Seats,
    kept: Vec<Kept>,
    /// Where the kept columns stand in a batch.
    kept_at: Vec<usize>,
}

/// One partition's reader.
struct Reader {
    packer: Packer,
    seats: Vec<u32>,
    waiting: Waiting,
}

/// Where the rows of a partition get their place in the release and wait.
struct Waiting {
    bits: Vec<(u64, u64)>,
    stream: RowBits,
    stager: Stager,
    rows: u64,
}

impl Waiting {
    /// For the rows from this number on.
    fn from_row(key: [u8; 32], row: u64, staging: &Arc<Staging>) -> Self {
        let (stream, stager) = (RowBits::from_row(key, row), Stager::new(staging.clone()));
        Waiting { bits: Vec::new(), stream, stager, rows: 0 }
    }

    /// Takes the rows of a batch, each with its seat and with the cells that are kept.
    fn add(&mut self, kept: &[Kept], cells: &[ArrayRef], seats: &[u32]) -> Result<()> {
        self.bits.clear();
        self.bits.extend((0..seats.len()).map(|_| self.stream.next()));
        self.rows += seats.len() as u64;
        let (bits, stager) = (&self.bits, &mut self.stager);
        clean_pieces(kept, cells, (0, seats.len()), &mut |start, rows, cells| {
            stager.add(&bits[start..start + rows], &seats[start..start + rows], cells)
        })
    }
}

/// The kept columns among these, and where they stand in a batch of the columns `read`, to which they are added.
fn kept_columns(
    source: &Source,
    columns: &[&PublishedColumn],
    read: &mut Vec<String>,
) -> Result<(Vec<Kept>, Vec<usize>)> {
    let (mut kept, mut kept_at) = (Vec::new(), Vec::new());
    for column in columns {
        if let PublishedColumn::Kept { name } = column {
            kept.push(Kept::new(name, source.data_type(name)?)?);
            kept_at.push(read.iter().position(|read| read == name).unwrap_or_else(|| {
                read.push(name.clone());
                read.len() - 1
            }));
        }
    }
    Ok((kept, kept_at))
}

impl Source {
    /// Reads the rows again, recodes and shuffles them, and writes the data files into a folder.
    ///
    /// The codebook and the table are those of one [`Source::count`]. A table that changed since is refused. What was
    /// written until an error stays in the folder, which is the caller's to remove.
    ///
    /// # Panics
    /// If the recoding is not one of this table and these quasi-identifiers.
    pub fn apply(&self, engine: &Engine, codebook: &Codebook, recipe: &Recipe<'_>, folder: &Path) -> Result<Applied> {
        let (table, threads) = (recipe.table, engine.threads);
        if let Some((cluster, groups)) = engine.cluster().zip(codebook.groups()) {
            let names = codebook.names().cloned().collect();
            return remote::apply(cluster, engine, self, (names, groups), recipe, folder);
        }
        // A row waits with a class, or the number of a split tuple, in 32 bits.
        if table.tuples() + recipe.recoding.classes() >= u32::MAX as usize {
            let (tuples, needed) = (table.tuples() as u64, table.bytes());
            return Err(EngineError::TooManyTuples { tuples, needed, limit: engine.memory.unwrap_or(needed) });
        }
        let mut read: Vec<String> = codebook.names().cloned().collect();
        let columns: Vec<&PublishedColumn> = recipe.columns.iter().chain(recipe.second.unwrap_or_default()).collect();
        let (kept, kept_at) = kept_columns(self, &columns, &mut read)?;
        let rooms = Rooms::new(engine, table, recipe.recoding, recipe.quasi_identifiers.len())?;
        // Rows of the second table wait while those of the first are written.
        let rooms = if recipe.second.is_some() { rooms.halved() } else { rooms };
        let spills = Arc::new(Spills::new(engine.folder.path()));
        let staging = Arc::new(Staging::new(&kept, table.rows(), threads, rooms, spills.clone()));
        let reading = Arc::new(Reading {
            codebook: codebook.open(self, table.attributes())?,
            lookup: Lookup::new(table),
            seats: Seats::new(table, recipe.recoding),
            kept: kept.clone(),
            kept_at,
        });
        let stretches = match codebook.stretches(threads) {
            Some(rows) => rows.to_vec(),
            // Counted on another number of threads, so in other stretches.
            None => scan(
                engine,
                self,
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
        let start = |partition: usize| Reader {
            packer: Packer::new(&reading.codebook),
            seats: Vec::new(),
            waiting: Waiting::from_row(recipe.key, stretches.iter().take(partition).sum(), &staging),
        };
        let shared = reading.clone();
        let step = move |reader: &mut Reader, batch: &RecordBatch| reader.step(&shared, batch);
        let readers = scan(engine, self, &read, Stage::Recode, None, start, step)?;
        // Rows were numbered by the stretches of the first scan, and every tuple has its rows.
        if !readers.iter().map(|reader| reader.waiting.rows).eq(stretches) || !reading.seats.all_taken() {
            return Err(EngineError::Changed(self.name().into()));
        }
        let draws = reading.seats.draws(recipe.recoding);
        drop(reading);
        let staged = readers.into_iter().map(|reader| reader.waiting.stager.finish()).collect::<Result<Vec<_>>>()?;
        let publishing = Publishing::of(recipe);
        Tables { engine, publishing: &publishing, kept: &kept, rooms, spills, folder }.write(&staging, staged, draws)
    }
}

impl Reader {
    fn step(&mut self, reading: &Reading, batch: &RecordBatch) -> Result<()> {
        self.find(reading, batch)?;
        let kept: Vec<ArrayRef> = reading.kept_at.iter().map(|&at| batch.column(at).clone()).collect();
        self.waiting.add(&reading.kept, &kept, &self.seats)
    }

    /// Finds the tuple of every row, and its seat.
    fn find(&mut self, reading: &Reading, batch: &RecordBatch) -> Result<()> {
        let (lookup, codebook) = (&reading.lookup, &reading.codebook);
        self.seats.clear();
        for key in self.packer.pack(codebook, lookup.fields(), lookup.words(), batch)?.chunks_exact(lookup.words()) {
            let seat = lookup.find(key).and_then(|tuple| reading.seats.take(tuple));
            self.seats.push(seat.ok_or_else(|| codebook.changed())?);
        }
        Ok(())
    }
}
