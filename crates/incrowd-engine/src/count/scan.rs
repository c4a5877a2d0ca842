//! One pass over a table: each stretch of it is read by its own task, batch by batch.
//!
//! Batches are small, so that memory is bounded and a cancelled scan ends soon. A scan is refused when the rows that it
//! met are not as many as the first look at the source counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::{AsArray, StringArray};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use futures::StreamExt;
use incrowd_core::{Cancel, Stage};
use tokio::task::JoinSet;

use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::guard::Guarded;
use crate::source::header::MARK;
use crate::source::projection::RowWindow;
use crate::source::spellings::{Spellings, fold};
use crate::source::stream::{BatchStream, StreamFault};
use crate::source::table::Source;

/// The most bytes of text that the batches of all threads may hold together.
const BATCH_BYTES: u64 = 64 << 20;

/// The rows of a batch, unless they are long.
const BATCH_ROWS: u64 = 8192;

/// Why a partition's task ended early.
enum ScanStopped {
    Stream(StreamFault),
    Refused(EngineError),
    /// A reader panicked.
    Panicked,
}

impl ScanStopped {
    /// What the user is told.
    fn explained(self, source: &Source, doing: &'static str) -> EngineError {
        match self {
            ScanStopped::Refused(error) => source.locate_fault(error),
            ScanStopped::Stream(fault) => source.explain_failure(doing, fault),
            ScanStopped::Panicked => source.damaged(),
        }
    }
}

/// Reads the columns, of at most this many rows, giving each batch to the state of its partition; returns the states in
/// the order of the partitions, which are stretches of the input.
///
/// An error or a cancel ends the tasks and waits for them, so that nothing of theirs is left on disk.
pub(crate) fn scan<S: Send + 'static>(
    engine: &Engine,
    source: &Source,
    columns: &[String],
    stage: Stage,
    most_rows: Option<usize>,
    start: impl Fn(usize) -> S,
    step: impl Fn(&mut S, &RecordBatch) -> Result<()> + Send + Sync + 'static,
) -> Result<Vec<S>> {
    let doing = stage.name();
    engine.block_on(async {
        let window = RowWindow { most_rows, batch_rows: batch_rows(engine, source) };
        let streams = Guarded(Box::pin(source.streams(engine, columns, window))).await;
        let streams = streams.unwrap_or_else(|_| Err(source.damaged()))?;
        let total = source.rows_expected().filter(|_| most_rows.is_none());
        let (rows, step) = (Arc::new(AtomicU64::new(0)), Arc::new(step));
        let cells = Arc::new(CellReading::of(source));
        let mut tasks = JoinSet::new();
        for (partition, stream) in streams.into_iter().enumerate() {
            let (state, step, rows) = (start(partition), step.clone(), rows.clone());
            let (cancel, progress, cells) = (engine.cancel.clone(), engine.progress.clone(), cells.clone());
            tasks.spawn(async move {
                let told = |more: u64| {
                    let done = rows.fetch_add(more, Ordering::Relaxed) + more;
                    progress.update(stage, done, total);
                };
                read_stream(stream, state, &cancel, &cells, &*step, told).await.map(|state| (partition, state))
            });
        }
        let mut states = Vec::new();
        while let Some(joined) = tasks.join_next().await {
            let stopped = match joined {
                Ok(Ok(state)) => {
                    states.push(state);
                    continue;
                }
                Ok(Err(stopped)) => stopped,
                Err(_) => ScanStopped::Refused(EngineError::Engine { doing, kind: "a task ended unexpectedly" }),
            };
            tasks.shutdown().await;
            return Err(stopped.explained(source, doing));
        }
        let read = rows.load(Ordering::Relaxed);
        match total.filter(|&expected| expected != read) {
            // Whatever a reader does with odd input, a row that is lost is never lost silently.
            Some(expected) => return Err(EngineError::RowsDiffer { name: source.name().into(), read, expected }),
            None if read == 0 => return Err(EngineError::Empty(source.name().into())),
            None => {}
        }
        states.sort_by_key(|&(partition, _)| partition);
        Ok(states.into_iter().map(|(_, state)| state).collect())
    })
}

/// Reads one stretch of a table that is cut into as many as its readers, on this thread; returns the state.
#[cfg(feature = "cluster")]
pub(crate) fn scan_stretch<S>(
    engine: &Engine,
    source: &Source,
    columns: &[String],
    (stage, stretch): (Stage, usize),
    state: S,
    step: impl Fn(&mut S, &RecordBatch) -> Result<()>,
) -> Result<S> {
    engine.block_on(async {
        let window = RowWindow { most_rows: None, batch_rows: batch_rows(engine, source) };
        let streams = Guarded(Box::pin(source.streams(engine, columns, window))).await;
        let streams = streams.unwrap_or_else(|_| Err(source.damaged()))?;
        // A table of few parts has fewer stretches than readers.
        let Some(stream) = streams.into_iter().nth(stretch) else { return Ok(state) };
        let cells = CellReading::of(source);
        let read = read_stream(stream, state, &engine.cancel, &cells, &step, |_| {}).await;
        read.map_err(|stopped| stopped.explained(source, stage.name()))
    })
}

/// What is done to the cells of every batch before anything else sees them.
struct CellReading {
    spellings: Spellings,
    comma_labels: Vec<String>,
    /// The column whose first cell is behind a byte order mark.
    marked: Option<String>,
}

impl CellReading {
    fn of(source: &Source) -> CellReading {
        CellReading {
            spellings: source.options.spellings.clone(),
            comma_labels: source.options.comma_labels.clone(),
            marked: source.columns().first().filter(|_| source.is_marked()).cloned(),
        }
    }

    fn read(&self, batch: RecordBatch) -> std::result::Result<RecordBatch, ArrowError> {
        let batch = match &self.marked {
            Some(first) => without_mark(batch, first)?,
            None => batch,
        };
        fold(batch, &self.spellings, &self.comma_labels)
    }
}

/// Gives every batch of a stream to the state, and tells how many rows it had.
async fn read_stream<S>(
    mut stream: BatchStream,
    mut state: S,
    cancel: &Cancel,
    cells: &CellReading,
    step: &(impl Fn(&mut S, &RecordBatch) -> Result<()> + ?Sized),
    told: impl Fn(u64),
) -> std::result::Result<S, ScanStopped> {
    while let Some(batch) = Guarded(stream.next()).await.map_err(|_| ScanStopped::Panicked)? {
        let batch = batch.map_err(ScanStopped::Stream)?;
        if cancel.is_cancelled() {
            return Err(ScanStopped::Refused(EngineError::Cancelled));
        }
        let batch = cells.read(batch).map_err(|error| ScanStopped::Stream(error.into()))?;
        step(&mut state, &batch).map_err(ScanStopped::Refused)?;
        told(batch.num_rows() as u64);
        // Readers never wait by themselves: here a task that is no longer wanted ends.
        tokio::task::yield_now().await;
    }
    Ok(state)
}

/// A batch of a text without a header, whose first cell the reader leaves behind its byte order mark.
fn without_mark(batch: RecordBatch, first: &str) -> std::result::Result<RecordBatch, ArrowError> {
    let Some((at, _)) = batch.schema_ref().column_with_name(first) else { return Ok(batch) };
    let Some(cells) = batch.column(at).as_string_opt::<i32>() else { return Ok(batch) };
    if !cells.iter().flatten().any(|cell| cell.starts_with(MARK)) {
        return Ok(batch);
    }
    let bare = |cell: Option<&str>| cell.map(|cell| cell.strip_prefix(MARK).unwrap_or(cell).to_string());
    // A cell of nothing but the mark is missing, as any empty one.
    let bare = cells.iter().map(|cell| bare(cell).filter(|cell| !cell.is_empty()));
    let mut columns = batch.columns().to_vec();
    columns[at] = Arc::new(bare.collect::<StringArray>());
    RecordBatch::try_new(batch.schema(), columns)
}

/// The rows of a batch, few where rows are long: a compressed file may promise little and hold much.
fn batch_rows(engine: &Engine, source: &Source) -> usize {
    let bytes = engine.memory.map_or(BATCH_BYTES, |memory| BATCH_BYTES.min(memory / 16)) / engine.threads as u64;
    (bytes / source.row_bytes().max(1)).clamp(1, BATCH_ROWS) as usize
}
