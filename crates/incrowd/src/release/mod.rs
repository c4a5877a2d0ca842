//! A release as a folder: how it gets there, and what the custodian keeps next to it.

mod contents;
mod copy;
mod destination;
pub(crate) mod keys;
mod ledger;
mod opened;
mod record;
mod replaceable;
pub(crate) mod small_counts;
mod staging;
mod staging_folder;
mod why;

pub use copy::copy_release;
pub(crate) use destination::{Destination, DestinationOptions, Remote, name_of, record_of, refuse_source_in, remote};
pub use ledger::{Ledger, LedgerEntry, ReleasedBefore};
pub use opened::OpenedRelease;
pub(crate) use opened::seal_of;
pub use record::{RandomnessRecord, Record, RecordedFile, RecordedReading};
pub use small_counts::{ExactCounts, LEAST_TOLD};
pub(crate) use staging::{MANIFEST, StagedRelease, internal_of};
pub use why::{ColumnWhy, LevelWhy, RuleShare};
