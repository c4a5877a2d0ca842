//! Work on executors that carry our code: jobs of many tasks, each of which runs a part of the engine.
//!
//! A plan of such a job is one node over the numbers of its tasks. It names a folder that all machines see, on a disk or in an
//! object store (`shared_folder.rs`), and a job; the plan contains nothing else. What a task needs is in the folder, and what it makes is put there
//! (`folder.rs`):
//!
//! ```text
//! group    a stretch of the table: its rows by the cells of the counted columns                  group.rs
//! merge    a part of the groups: those of all stretches added up                                group.rs
//! values   a part of the groups: the distinct cells of each column, when there are too many groups to be read
//! code, sizes   a part of the groups: tuples, and how many of each size there are               group_sizes.rs
//! hash-rows, add-up   a stretch and a part: how many rows agree on sets of columns              agreeing.rs
//! recode   a stretch of the table: each row gets its class and its place in the release, and rows go to the part
//!          that the upper bits of their place name                                              recode.rs
//! write    a part of the release: its rows from all stretches, sorted by their place, written   write.rs
//! ```
//!
//! Tuples that do not fit in the memory of one machine are solved in shards, by further jobs (`shards/`).
//!
//! **A task may run twice, also at the same time.** What it makes depends on the folder alone, and each file takes its
//! name when it is complete; so a task that runs again puts the same file in the place of its own, and of no other.
//! The place of a row is a keyed function of its number in the table, as in a local run, so that the parts in their
//! order hold the rows of a local release in theirs.
//!
//! The folder holds what a local run has in memory: dictionaries of original values, tuples as codes, the key of the
//! shuffle. It is closed to others, and removed whatever happens; what a killed run left is removed by the next one for its
//! target.

mod agreeing;
mod apply;
mod coded;
mod folder;
mod group;
mod group_file;
mod group_sizes;
mod job;
mod labels;
mod part_rows;
mod piece_runs;
mod recode;
mod release;
#[cfg(test)]
mod shard_tests;
mod shards;
mod shared_folder;
mod space;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use self::agreeing::agreeing_rows;
pub(crate) use self::apply::{CountedByTasks, TaskSizes, apply};
pub use self::folder::{TaskFolder, of_task};
pub(crate) use self::group::{MergedGroups, count};
pub use self::job::{TaskCall, run_task};
pub use self::shards::{ExecutorClasses, ExecutorCodes, ExecutorShards, NotedShard, ShardTask};
pub use self::shared_folder::{SharedFolder, StoreFolder};
pub use self::space::TaskSpace;
