//! Streams of record batches, and why one of them ends early.

use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use futures::stream::{BoxStream, StreamExt};

use crate::runtime::database_fault::DatabaseFault;
use crate::runtime::error::{CellFault, EngineError};

/// The rows of one stretch of a table, in their order.
pub(crate) type BatchStream = BoxStream<'static, BatchResult>;

/// A batch, or why there is none.
pub(crate) type BatchResult = Result<RecordBatch, StreamFault>;

/// Batches as the reader of a typed file gives them.
pub(crate) type ReaderBatches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// Why a stream of rows ended early.
#[derive(Debug)]
pub(crate) enum StreamFault {
    /// A file, or what is in it. The text of this error may quote cells and is not shown.
    File(ArrowError),
    /// The database or the connection.
    Database(DatabaseFault),
    /// A cell that cannot be taken.
    Cell { column: String, fault: CellFault },
}

impl From<ArrowError> for StreamFault {
    fn from(error: ArrowError) -> StreamFault {
        StreamFault::File(error)
    }
}

impl From<std::io::Error> for StreamFault {
    fn from(error: std::io::Error) -> StreamFault {
        StreamFault::File(error.into())
    }
}

impl StreamFault {
    /// The refusal of what was done when it happened.
    pub(crate) fn refusal(self, doing: &'static str) -> EngineError {
        let kind = match self {
            StreamFault::Database(fault) => return EngineError::Database(fault),
            StreamFault::Cell { column, fault } => return EngineError::BadValue { column, fault },
            StreamFault::File(ArrowError::IoError(..)) => "the file could not be read",
            StreamFault::File(ArrowError::ParquetError(_)) => {
                "the Parquet file is damaged, ends early or uses an unknown feature"
            }
            StreamFault::File(_) => "the content of the file does not match its metadata",
        };
        EngineError::Engine { doing, kind }
    }
}

/// A stream of batches that are made one after the other, of which only the first rows are taken if there is a limit.
pub(crate) fn stream(
    batches: impl Iterator<Item = BatchResult> + Send + 'static,
    most_rows: Option<usize>,
) -> BatchStream {
    let mut left = most_rows.unwrap_or(usize::MAX);
    let limited = batches.map_while(move |batch| {
        let batch = match batch {
            Ok(batch) if left == 0 && batch.num_rows() > 0 => return None,
            Ok(batch) => batch.slice(0, batch.num_rows().min(left)),
            Err(error) => return Some(Err(error)),
        };
        left -= batch.num_rows();
        Some(Ok(batch))
    });
    futures::stream::iter(limited).boxed()
}
