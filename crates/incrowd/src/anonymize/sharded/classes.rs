//! The classes of a table that was solved in shards, wherever they were noted.

use std::path::Path;

use incrowd_core::{Cell, ClassSizes};
#[cfg(feature = "cluster")]
use incrowd_engine::ExecutorClasses;
use incrowd_engine::{Applied, ByRow, Engine, RowRecipe, Source};

use crate::error::Result;

/// The class of each row, noted by its number.
#[derive(Debug)]
pub(in crate::anonymize) enum ShardedClasses {
    /// On the disk of this machine.
    OnDisk(ByRow),
    /// On the disk that the executors of a cluster share.
    #[cfg(feature = "cluster")]
    OnExecutors(ExecutorClasses),
}

impl ShardedClasses {
    /// Rows of the table.
    pub(super) fn rows(&self) -> u64 {
        match self {
            ShardedClasses::OnDisk(rows) => rows.rows(),
            #[cfg(feature = "cluster")]
            ShardedClasses::OnExecutors(rows) => rows.rows(),
        }
    }

    /// Rows that are suppressed.
    pub(super) fn withheld(&self) -> u64 {
        match self {
            ShardedClasses::OnDisk(rows) => rows.withheld(),
            #[cfg(feature = "cluster")]
            ShardedClasses::OnExecutors(rows) => rows.withheld(),
        }
    }

    /// The sizes of the classes as a reader of the release sees them, in rows.
    pub(in crate::anonymize) fn sizes(&self) -> ClassSizes {
        match self {
            ShardedClasses::OnDisk(rows) => ClassSizes::from_sizes(rows.sizes().iter().copied()),
            #[cfg(feature = "cluster")]
            ShardedClasses::OnExecutors(rows) => rows.sizes().clone(),
        }
    }

    /// The distinct cells that are published of a quasi-identifier.
    pub(in crate::anonymize) fn cells_of(&self, quasi: usize) -> &[Cell] {
        match self {
            ShardedClasses::OnDisk(rows) => rows.cells_of(quasi),
            #[cfg(feature = "cluster")]
            ShardedClasses::OnExecutors(rows) => rows.cells_of(quasi),
        }
    }

    /// Bytes that were written to the disk of this machine.
    pub(super) fn spilled_bytes(&self) -> u64 {
        match self {
            ShardedClasses::OnDisk(rows) => rows.spilled_bytes(),
            #[cfg(feature = "cluster")]
            ShardedClasses::OnExecutors(_) => 0,
        }
    }

    /// The rows are written: what was noted on a shared disk is removed.
    pub(in crate::anonymize) fn remove_notes(&mut self) {
        match self {
            ShardedClasses::OnDisk(_) => {}
            #[cfg(feature = "cluster")]
            ShardedClasses::OnExecutors(rows) => rows.remove_notes(),
        }
    }

    /// Reads the rows again and writes them into a folder, each with what its class publishes.
    pub(in crate::anonymize) fn write(
        &self,
        engine: &Engine,
        source: &Source,
        recipe: &RowRecipe<'_>,
        folder: &Path,
    ) -> Result<Applied> {
        Ok(match self {
            ShardedClasses::OnDisk(rows) => source.apply_by_row(engine, rows, recipe, folder)?,
            #[cfg(feature = "cluster")]
            ShardedClasses::OnExecutors(rows) => source.apply_by_tasks(engine, rows, recipe, folder)?,
        })
    }
}
