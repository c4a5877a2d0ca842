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
mod labels;
mod lookup;
mod release;
mod room;
mod seats;
mod second;
mod shuffle;
mod stage;
mod tables;
mod text;

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::record_batch::RecordBatch;
use incrowd_core::{FrequencyTable, QuasiIdentifier, Recoding, Stage};

use self::clean::{Kept, clean_pieces};
pub use self::codebook::Codebook;
pub(crate) use self::codebook::CodedColumn;
use self::codebook::OpenCodebook;
pub use self::file::WrittenFile;
use self::lookup::Lookup;
use self::room::Rooms;
use self::seats::Seats;
use self::shuffle::RowBits;
use self::stage::{Stager, Staging};
use self::tables::Tables;
use crate::encode::Encoder;
use crate::engine::Engine;
use crate::error::{EngineError, Result};
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
    fn name(&self) -> &String {
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
    name: String,
    codebook: OpenCodebook,
    lookup: Lookup,
    seats: Seats,
    kept: Vec<Kept>,
    /// Where the kept columns stand in a batch.
    kept_at: Vec<usize>,
}

/// One partition's reader.
struct Reader {
    encoders: Vec<Encoder>,
    codes: Vec<u32>,
    people: Vec<u64>,
    keys: Vec<u64>,
    seats: Vec<u32>,
    bits: Vec<(u64, u64)>,
    stream: RowBits,
    stager: Stager,
    rows: u64,
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
        // A row waits with a class, or the number of a split tuple, in 32 bits.
        if table.tuples() + recipe.recoding.classes() >= u32::MAX as usize {
            let (tuples, needed) = (table.tuples() as u64, table.bytes());
            return Err(EngineError::TooManyTuples { tuples, needed, limit: engine.memory.unwrap_or(needed) });
        }
        let mut read: Vec<String> = codebook.names().cloned().collect();
        let (mut kept, mut kept_at) = (Vec::new(), Vec::new());
        for column in recipe.columns.iter().chain(recipe.second.unwrap_or_default()) {
            if let PublishedColumn::Kept { name } = column {
                kept.push(Kept::new(name, self.data_type(name)?)?);
                kept_at.push(read.iter().position(|read| read == name).unwrap_or_else(|| {
                    read.push(name.clone());
                    read.len() - 1
                }));
            }
        }
        let rooms = Rooms::new(engine, table, recipe.recoding, recipe.quasi_identifiers.len())?;
        // Rows of the second table wait while those of the first are written.
        let rooms = if recipe.second.is_some() { rooms.halved() } else { rooms };
        let spills = Arc::new(Spills::new(engine.folder.path()));
        let staging = Arc::new(Staging::new(&kept, table.rows(), threads, rooms, spills.clone()));
        let reading = Arc::new(Reading {
            name: self.name().into(),
            codebook: codebook.open(self, table)?,
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
            encoders: reading.codebook.encoders(),
            codes: Vec::new(),
            people: Vec::new(),
            keys: Vec::new(),
            seats: Vec::new(),
            bits: Vec::new(),
            stream: RowBits::from_row(recipe.key, stretches.iter().take(partition).sum()),
            stager: Stager::new(staging.clone()),
            rows: 0,
        };
        let shared = reading.clone();
        let step = move |reader: &mut Reader, batch: &RecordBatch| reader.step(&shared, batch);
        let readers = scan(engine, self, &read, Stage::Recode, None, start, step)?;
        // Rows were numbered by the stretches of the first scan, and every tuple has its rows.
        if !readers.iter().map(|reader| reader.rows).eq(stretches) || !reading.seats.all_taken() {
            return Err(EngineError::Changed(self.name().into()));
        }
        let draws = reading.seats.draws(recipe.recoding);
        drop(reading);
        let staged = readers.into_iter().map(|reader| reader.stager.finish()).collect::<Result<Vec<_>>>()?;
        Tables { engine, recipe, kept: &kept, rooms, spills, folder }.write(&staging, staged, draws)
    }
}

impl Reader {
    fn step(&mut self, reading: &Reading, batch: &RecordBatch) -> Result<()> {
        self.find(reading, batch)?;
        self.bits.clear();
        self.bits.extend((0..batch.num_rows()).map(|_| self.stream.next()));
        self.rows += batch.num_rows() as u64;
        let kept: Vec<ArrayRef> = reading.kept_at.iter().map(|&at| batch.column(at).clone()).collect();
        let (bits, seats, stager) = (&self.bits, &self.seats, &mut self.stager);
        clean_pieces(&reading.kept, &kept, (0, batch.num_rows()), &mut |start, rows, cells| {
            stager.add(&bits[start..start + rows], &seats[start..start + rows], cells)
        })
    }

    /// Finds the tuple of every row, and its seat.
    fn find(&mut self, reading: &Reading, batch: &RecordBatch) -> Result<()> {
        let (lookup, codebook, words) = (&reading.lookup, &reading.codebook, reading.lookup.words());
        let changed = || EngineError::Changed(reading.name.clone());
        self.keys.clear();
        self.keys.resize(batch.num_rows() * words, 0);
        let attributes = self.encoders.len();
        for (at, encoder) in self.encoders.iter_mut().enumerate() {
            encoder.encode(batch.column(at), &mut self.codes).map_err(|no_code| codebook.refusal(at, no_code))?;
            let field = lookup.fields()[at];
            for (key, &code) in self.keys.chunks_exact_mut(words).zip(&self.codes) {
                field.put(key, u64::from(codebook.rank(at, code).ok_or_else(changed)?));
            }
        }
        if let Some((hasher, field)) = codebook.hasher().zip(lookup.fields().get(attributes)) {
            self.people.clear();
            hasher.hash(batch.column(attributes), &mut self.people);
            self.keys.chunks_exact_mut(words).zip(&self.people).for_each(|(key, &person)| field.put(key, person));
        }
        self.seats.clear();
        for key in self.keys.chunks_exact(words) {
            let seat = lookup.find(key).and_then(|tuple| reading.seats.take(tuple));
            self.seats.push(seat.ok_or_else(changed)?);
        }
        Ok(())
    }
}
