//! Shards by tasks: what `out_of_core/` does on one machine, when tuples do not fit in the memory of one.
//!
//! ```text
//! lay-out    a stretch of the table: the codes of its rows, in their order; some rows are drawn          lay_out.rs
//! route      a stretch: its codes go to the shards that a tree names; which one is noted for each row    route.rs
//! solve      a shard: its codes become a frequency table, which is solved; what each row publishes is
//!            noted in the order of the rows (the solver is the caller's)                                 shard.rs
//! published  a part of the classes, by what they publish: classes of two shards that publish alike are
//!            one to a reader                                                                             published.rs
//! by-row     a stretch: its rows are read again with the cells that are kept, and each gets what it
//!            publishes; were they the rows that were laid out?                                           by_row.rs
//! ```
//!
//! Shards, drawn rows and assignments are those of a local run with the same seed and key. No number goes over all
//! classes: what a row publishes is noted as numbers of cells, those of its shard, so that no limit of 32 bits is met.
//!
//! **A table can be cut several times**, in attempts: every attempt has files and jobs of its own, so that a task of an
//! earlier one which is still running changes nothing.

mod by_row;
mod lay_out;
mod published;
mod route;
mod shard;

pub(super) use self::by_row::{BY_ROW, by_row};
pub use self::lay_out::ExecutorCodes;
#[cfg(test)]
pub(super) use self::lay_out::lay_out;
pub(super) use self::lay_out::{LAY_OUT, lay_out_stretch};
pub use self::published::ExecutorClasses;
pub(super) use self::published::{PUBLISHED, merge_published};
pub use self::route::ExecutorShards;
pub(super) use self::route::{ROUTE, route_stretch};
pub use self::shard::{NotedShard, ShardTask};

/// The name of a job or a file of one attempt.
fn of_attempt(name: &str, attempt: u32) -> String {
    format!("{name}@{attempt}")
}

/// The job of an attempt: its name, and the attempt.
pub(super) fn attempt_of(job: &str) -> (&str, u32) {
    let (name, attempt) = job.split_once('@').unwrap_or((job, "0"));
    (name, attempt.parse().unwrap_or(0))
}
