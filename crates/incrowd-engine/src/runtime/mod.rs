//! What a run has: threads, memory, private files, limits, and the errors that all of the engine returns.
//!
//! Memory is bounded by what the user allows. Beyond that a stage spills to disk, uses fewer threads
//! ([`Engine::roll_up`](crate::Engine::roll_up)), works in shards (`out_of_core/`), or is refused with the number of
//! bytes that it would need.

pub(crate) mod cluster_fault;
#[cfg(feature = "cluster")]
pub(crate) mod cluster_session;
#[cfg(not(feature = "cluster"))]
pub(crate) mod cluster_session {
    //! Without the feature there is no cluster that an engine could hold.

    pub(crate) type Cluster = std::convert::Infallible;
}
mod codes;
pub(crate) mod database_fault;
pub(crate) mod engine;
pub(crate) mod error;
mod format_fault;
pub(crate) mod guard;
pub(crate) mod leftovers;
pub(crate) mod limits;
pub(crate) mod narrow;
pub(crate) mod platform;
pub(crate) mod remedy;
pub(crate) mod steady_file;
pub(crate) mod store_fault;
mod system_limits;
pub(crate) mod system_words;
pub(crate) mod temp;
pub(crate) mod thread_pool;
