//! Rows on their way: sorted into buckets by the upper bits of what they are shuffled by.
//!
//! A release in random order needs every row before the first can be written, and all rows may not fit in memory.
//! Random bits are uniform, so buckets are equally large and each fits; what is in one comes before all of the next.
//! Rows wait in memory while there is room, else in the run's private folder. A row that waits is its random bits, its
//! class and the cells that are going to be published unchanged: nothing that is removed or generalized.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use arrow::array::{Array, ArrayRef, UInt32Array, UInt64Array};
use arrow::compute::interleave;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;

use super::kept_cells::KeptColumn;
use super::memory_shares::MemoryShares;
use super::row_file::RowFile;
use crate::count::spill::Spills;
use crate::runtime::error::{EngineError, Result};

/// The columns of a waiting row before those that are kept: what it is sorted by, what its class is drawn by, its
/// seat.
pub(crate) const OWN_COLUMNS: usize = 3;

/// The bytes of these columns.
const OWN_BYTES: u64 = 20;

/// The most buckets there are.
const MOST_BUCKETS: u64 = 1 << 12;

/// What all threads share.
pub(crate) struct RowStaging {
    schema: SchemaRef,
    rows: u64,
    threads: u64,
    rooms: MemoryShares,
    held: AtomicU64,
    staged: AtomicU64,
    /// How many upper bits select the bucket, once a thread knows how large rows are.
    bits: OnceLock<u32>,
    spills: Arc<Spills>,
}

impl RowStaging {
    pub(crate) fn new(
        kept: &[KeptColumn],
        rows: u64,
        threads: usize,
        rooms: MemoryShares,
        spills: Arc<Spills>,
    ) -> Self {
        let own = [DataType::UInt64, DataType::UInt64, DataType::UInt32];
        let types = own.into_iter().chain(kept.iter().map(|kept| kept.data_type().clone()));
        let fields = types.enumerate().map(|(at, data_type)| Field::new(at.to_string(), data_type, true));
        RowStaging {
            schema: Arc::new(Schema::new(fields.collect::<Vec<_>>())),
            rows,
            threads: threads as u64,
            rooms,
            held: AtomicU64::new(0),
            staged: AtomicU64::new(0),
            bits: OnceLock::new(),
            spills,
        }
    }

    /// For rows of one stretch, all of which are held: this many upper bits select the bucket.
    #[cfg(feature = "cluster")]
    pub(crate) fn with_bits(kept: &[KeptColumn], bits: u32, rooms: MemoryShares, spills: Arc<Spills>) -> Self {
        let held = MemoryShares { held: u64::MAX, unsorted: u64::MAX, ..rooms };
        let staging = RowStaging::new(kept, 0, 1, held, spills);
        staging.bits.get_or_init(|| bits);
        staging
    }

    /// The columns of a row that waits.
    #[cfg(feature = "cluster")]
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// How many upper bits select the bucket; decided by the first thread that has seen enough rows to know their size.
    fn bits(&self, bytes: u64, rows: u64) -> u32 {
        *self.bits.get_or_init(|| {
            let all = u128::from(bytes) * u128::from(self.rows) / u128::from(rows.max(1));
            let fitting = u64::try_from(all / u128::from(self.rooms.bucket.max(1))).unwrap_or(u64::MAX);
            // A few for each thread keep all of them busy to the end; a small table is not worth them.
            let busy = if all > 1 << 20 { 4 * self.threads } else { 1 };
            fitting.saturating_add(1).max(busy).min(MOST_BUCKETS).next_power_of_two().trailing_zeros()
        })
    }

    /// How many buckets there are.
    pub(crate) fn buckets(&self) -> usize {
        self.bits.get().map_or(1, |bits| 1 << bits)
    }

    /// How many buckets can be written at once.
    pub(crate) fn at_once(&self) -> usize {
        let bucket = self.staged.load(Ordering::Relaxed) / self.buckets() as u64;
        (self.rooms.bucket * self.threads / bucket.max(1)).clamp(1, self.threads) as usize
    }
}

/// The rows of one thread.
pub(crate) struct Stager {
    shared: Arc<RowStaging>,
    unsorted: Unsorted,
    /// The rows of each bucket in memory.
    held: Vec<Vec<RecordBatch>>,
    held_bytes: u64,
    file: Option<RowFile>,
}

#[derive(Default)]
struct Unsorted {
    bits: Vec<(u64, u64)>,
    seats: Vec<u32>,
    /// The piece and the row in it.
    places: Vec<(usize, usize)>,
    pieces: Vec<Vec<ArrayRef>>,
    bytes: u64,
}

impl Stager {
    pub(crate) fn new(shared: Arc<RowStaging>) -> Self {
        Stager { shared, unsorted: Unsorted::default(), held: Vec::new(), held_bytes: 0, file: None }
    }

    /// Takes some rows: random bits, assignments, and clean arrays of the kept cells.
    pub(crate) fn add(&mut self, bits: &[(u64, u64)], seats: &[u32], kept: Vec<ArrayRef>) -> Result<()> {
        let unsorted = &mut self.unsorted;
        unsorted.bits.extend_from_slice(bits);
        unsorted.seats.extend_from_slice(seats);
        unsorted.places.extend((0..seats.len()).map(|row| (unsorted.pieces.len(), row)));
        unsorted.bytes += OWN_BYTES * seats.len() as u64 + bytes_of(&kept);
        unsorted.pieces.push(kept);
        if unsorted.bytes >= self.shared.rooms.unsorted { self.sort() } else { Ok(()) }
    }

    /// Sorts what is unsorted into buckets, and makes room when there is none.
    fn sort(&mut self) -> Result<()> {
        let Unsorted { bits, seats, places, pieces, bytes } = std::mem::take(&mut self.unsorted);
        if seats.is_empty() {
            return Ok(());
        }
        let upper = self.shared.bits(bytes, seats.len() as u64);
        let bucket_of = |row: usize| bits[row].0.checked_shr(64 - upper).unwrap_or(0) as usize;
        let mut ends = vec![0; 1 << upper];
        (0..bits.len()).for_each(|row| ends[bucket_of(row)] += 1);
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        let mut order = vec![0; bits.len()];
        for row in 0..bits.len() {
            let end = &mut ends[bucket_of(row)];
            order[*end] = row;
            *end += 1;
        }
        self.held.resize(1 << upper, Vec::new());
        let mut start = 0;
        for (bucket, end) in ends.into_iter().enumerate().filter(|&(_, end)| end > 0) {
            let rows = &order[start..end];
            start = end;
            if rows.is_empty() {
                continue;
            }
            let mut columns: Vec<ArrayRef> = vec![
                Arc::new(UInt64Array::from_iter_values(rows.iter().map(|&row| bits[row].0))),
                Arc::new(UInt64Array::from_iter_values(rows.iter().map(|&row| bits[row].1))),
                Arc::new(UInt32Array::from_iter_values(rows.iter().map(|&row| seats[row]))),
            ];
            let taken: Vec<(usize, usize)> = rows.iter().map(|&row| places[row]).collect();
            for column in 0..self.shared.schema.fields().len() - OWN_COLUMNS {
                let arrays: Vec<&dyn Array> = pieces.iter().map(|piece| piece[column].as_ref()).collect();
                columns.push(interleave(&arrays, &taken).map_err(|_| misfit())?);
            }
            let batch = RecordBatch::try_new(self.shared.schema.clone(), columns).map_err(|_| misfit())?;
            self.held[bucket].push(batch);
        }
        self.held_bytes += bytes;
        self.shared.staged.fetch_add(bytes, Ordering::Relaxed);
        let held = self.shared.held.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if held > self.shared.rooms.held { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(RowFile::create(&self.shared.spills)?),
        };
        for (bucket, batches) in self.held.iter_mut().enumerate().filter(|(_, batches)| !batches.is_empty()) {
            file.append(bucket, &self.shared.schema, &std::mem::take(batches), &self.shared.spills)?;
        }
        self.shared.held.fetch_sub(self.held_bytes, Ordering::Relaxed);
        self.held_bytes = 0;
        Ok(())
    }

    /// All rows are there.
    pub(crate) fn finish(mut self) -> Result<Staged> {
        self.sort()?;
        Ok(Staged { held: self.held, file: self.file, elsewhere: None })
    }
}

/// The rows of one thread, bucket by bucket.
pub(crate) struct Staged {
    held: Vec<Vec<RecordBatch>>,
    file: Option<RowFile>,
    elsewhere: Option<BucketReader>,
}

/// Reads the rows of a bucket.
type BucketReader = Box<dyn Fn(usize) -> Result<Vec<RecordBatch>> + Send + Sync>;

impl Staged {
    /// Rows that are neither held nor in a file of ours: those of a bucket are read when its turn comes.
    #[cfg(feature = "cluster")]
    pub(crate) fn elsewhere(read: impl Fn(usize) -> Result<Vec<RecordBatch>> + Send + Sync + 'static) -> Staged {
        Staged { held: Vec::new(), file: None, elsewhere: Some(Box::new(read)) }
    }

    /// The rows of a bucket that are in memory, which are given away.
    pub(crate) fn take(&mut self, bucket: usize) -> Vec<RecordBatch> {
        self.held.get_mut(bucket).map(std::mem::take).unwrap_or_default()
    }

    /// The rows of a bucket that are not in memory.
    pub(crate) fn read(&self, bucket: usize) -> Result<Vec<RecordBatch>> {
        match (&self.file, &self.elsewhere) {
            (Some(file), _) => file.read(bucket),
            (None, Some(read)) => read(bucket),
            (None, None) => Ok(Vec::new()),
        }
    }
}

/// The bytes of the cells.
fn bytes_of(arrays: &[ArrayRef]) -> u64 {
    arrays.iter().map(|array| array.to_data().get_slice_memory_size().unwrap_or(0) as u64).sum()
}

/// Arrays are made here with the types they are declared with, so that they always fit.
pub(crate) fn misfit() -> EngineError {
    EngineError::Engine { doing: "recoding rows", kind: "a column does not have its type" }
}
