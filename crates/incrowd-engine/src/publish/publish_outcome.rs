//! Whether a release is where it was to go.

/// What became of a release that was published in a database or in an object store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishOutcome {
    /// It is there, whole.
    Published,
    /// It is there, whole, or it is not: the answer to the last request was lost, and nobody could be asked.
    Unknown,
}
