//! Arrow IPC files and streams, read by us: checked as a whole first, then read batch by batch.
//!
//! The query engine would hold a whole stretch of a file in memory, take a stream that was cut off for a whole one, and
//! believe every length that a file declares.

mod check;
mod lz4_frame;
mod read;

pub(crate) use check::check;
pub(crate) use read::streams;
