//! Arrow IPC files and streams, read by us: checked as a whole first, then read batch by batch.
//!
//! A reader by itself takes a stream that was cut off for a whole one, and believes every length that a file declares.

mod check;
mod lz4_frame;
mod read;

pub(crate) use check::check;
pub(crate) use read::streams;

/// How a checked file can be cut.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "cluster", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct ArrowParts {
    /// Whether a footer says where the batches are; otherwise the file is a stream and is read as a whole.
    pub(crate) has_footer: bool,
    /// How many batches it has.
    pub(crate) batches: usize,
}
