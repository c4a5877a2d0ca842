//! Classes as a reader sees them: those of different shards that publish alike are one.

use std::path::Path;

use ahash::RandomState;
use hashbrown::HashMap;
use incrowd_core::{Cell, ClassSizes, QuasiIdentifier, Recoding, Stage};

use super::by_row::BY_ROW;
use super::lay_out::ExecutorCodes;
use super::route::{ExecutorShards, shards_with_rows};
use super::shard::{NotedShard, ShardCells};
use super::{attempt_of, of_attempt};
use crate::cluster::tasks::apply::{TaskSizes, apply_by_row};
use crate::cluster::tasks::folder::{TaskFolder, of_task};
use crate::cluster::tasks::group::part_of;
use crate::cluster::tasks::labels;
use crate::cluster::tasks::space::{KeptFolder, TaskSpace};
use crate::count::groups::FileStamp;
use crate::out_of_core::{DistinctCells, RowRecipe};
use crate::publish::recipe::Applied;
use crate::runtime::cluster_fault::ClusterFault;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::narrow::number32;
use crate::source::table::Source;

pub(in crate::cluster::tasks) const PUBLISHED: &str = "published";

/// The cells that are published, of each quasi-identifier; their places are their numbers.
const CELLS: &str = "published-cells";

/// What classes publish, of each shard.
const CLASSES: &str = "classes-of";

/// Whose notes are used, of each shard that has rows.
const NOTED: &str = "noted";

pub(super) fn noted_shards(folder: TaskFolder<'_>, attempt: u32) -> Result<Vec<NotedShard>> {
    folder.json(&of_attempt(NOTED, attempt))
}

/// Writes what the classes of a shard publish and their rows, in as many parts as there are shards with rows.
pub(super) fn put_classes(
    folder: TaskFolder<'_>,
    (attempt, noted): (u32, NotedShard),
    recoding: &Recoding,
    rows: &[u64],
) -> Result<()> {
    let parts = shards_with_rows(folder, attempt)?.len();
    let mut pieces = vec![Vec::new(); parts];
    for (class, rows) in (0..number32(recoding.classes())).zip(rows) {
        let cells: Vec<u8> = recoding.cells(class).iter().flat_map(|cell| cell.bits().to_le_bytes()).collect();
        let piece = &mut pieces[part_of(&cells, parts)];
        piece.extend_from_slice(&cells);
        piece.extend(rows.to_le_bytes());
    }
    folder.put_pieces(&noted.file(CLASSES, attempt), &pieces)
}

/// Adds up the rows of classes of a part that publish alike.
pub(in crate::cluster::tasks) fn merge_published(
    engine: &Engine,
    folder: TaskFolder<'_>,
    job: &str,
    part: usize,
) -> Result<()> {
    let (_, attempt) = attempt_of(job);
    let mut classes: HashMap<Vec<u64>, u64, RandomState> = HashMap::default();
    for noted in noted_shards(folder, attempt)? {
        engine.check_cancelled()?;
        let width = ShardCells::read(folder, attempt, noted)?.cells.len();
        for class in folder.piece_words(&noted.file(CLASSES, attempt), part)?.chunks_exact(width + 1) {
            *classes.entry_ref(&class[..width]).or_insert(0) += class[width];
        }
    }
    folder.put_json(&of_task(job, part), &ClassSizes::from_sizes(classes.into_values()))
}

/// The classes of all rows: what each row publishes is noted on the disk that executors share.
pub struct ExecutorClasses {
    /// Nothing once the rows are written.
    kept: Option<KeptFolder>,
    attempt: u32,
    pub(in crate::cluster::tasks) files: Vec<FileStamp>,
    pub(in crate::cluster::tasks) stretch_rows: Vec<u64>,
    cells: Vec<Vec<Cell>>,
    sizes: ClassSizes,
    withheld: u64,
}

impl std::fmt::Debug for ExecutorClasses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExecutorClasses").field("withheld", &self.withheld).finish_non_exhaustive()
    }
}

impl Source {
    /// As [`Source::apply_by_row`](crate::Source::apply_by_row), by tasks.
    ///
    /// # Errors
    /// Tasks failed, or the table changed since its rows were laid out.
    pub fn apply_by_tasks(
        &self,
        engine: &Engine,
        classes: &ExecutorClasses,
        recipe: &RowRecipe<'_>,
        folder: &Path,
    ) -> Result<Applied> {
        let sizes = TaskSizes::of_at_least(engine.cluster().map_or(0, |cluster| cluster.task_rows));
        let gone = || EngineError::Cluster { doing: Stage::Recode.name(), fault: ClusterFault::NoAnswer };
        let space = classes.kept.as_ref().ok_or_else(gone)?.space(engine)?;
        apply_by_row((&space, sizes), self, classes, recipe, folder)
    }
}

impl ExecutorShards {
    /// All shards are noted: what is published is put together.
    ///
    /// # Errors
    /// Tasks failed.
    pub fn finish(
        &self,
        engine: &Engine,
        codes: &ExecutorCodes,
        quasi: &[QuasiIdentifier],
        noted: &[NotedShard],
    ) -> Result<ExecutorClasses> {
        self.finish_in(&codes.space(engine)?, codes, quasi, noted)
    }

    pub(in crate::cluster::tasks) fn finish_in(
        &self,
        space: &TaskSpace<'_>,
        codes: &ExecutorCodes,
        quasi: &[QuasiIdentifier],
        noted: &[NotedShard],
    ) -> Result<ExecutorClasses> {
        let folder = space.folder();
        folder.put_json(&of_attempt(NOTED, self.attempt), &noted)?;
        let mut columns: Vec<DistinctCells> = quasi.iter().map(|_| DistinctCells::default()).collect();
        let mut withheld = 0;
        for &noted in noted {
            let found = ShardCells::read(folder, self.attempt, noted)?;
            withheld += found.withheld;
            for (column, cells) in columns.iter_mut().zip(found.cells) {
                cells.into_iter().for_each(|bits| {
                    column.number(Cell::from_bits(bits));
                });
            }
        }
        let job = of_attempt(PUBLISHED, self.attempt);
        space.run(Stage::Solve, &job, noted.len())?;
        let parts = (0..noted.len()).map(|part| folder.json(&of_task(&job, part)));
        let sizes = parts.collect::<Result<Vec<ClassSizes>>>()?;
        let sizes = sizes.iter().fold(ClassSizes::default(), |all, part| all.merge(part));
        let cells: Vec<Vec<Cell>> = columns.into_iter().map(|column| column.cells).collect();
        let bits = cells.iter().map(|cells| cells.iter().map(|cell| cell.bits()).collect());
        folder.put_json(CELLS, &bits.collect::<Vec<Vec<u64>>>())?;
        labels::put_texts(folder, &cells, quasi)?;
        let (stretch_rows, files) = (codes.stretch_rows.clone(), codes.files.clone());
        Ok(ExecutorClasses {
            kept: Some(codes.keep()),
            attempt: self.attempt,
            files,
            stretch_rows,
            cells,
            sizes,
            withheld,
        })
    }
}

/// The published cells of each quasi-identifier with their numbers.
pub(super) fn numbers(folder: TaskFolder<'_>) -> Result<Vec<HashMap<u64, u32, RandomState>>> {
    let cells: Vec<Vec<u64>> = folder.json(CELLS)?;
    Ok(cells.into_iter().map(|cells| cells.into_iter().zip(0..).collect()).collect())
}

impl ExecutorClasses {
    /// The job that reads the rows again.
    pub(in crate::cluster::tasks) fn recode_job(&self) -> String {
        of_attempt(BY_ROW, self.attempt)
    }

    /// The rows are written: what was noted is removed.
    pub fn remove_notes(&mut self) {
        self.kept = None;
    }

    /// Rows of the table.
    pub fn rows(&self) -> u64 {
        self.stretch_rows.iter().sum()
    }

    /// Rows that are suppressed.
    pub fn withheld(&self) -> u64 {
        self.withheld
    }

    /// The sizes of the classes as a reader of the release sees them.
    pub fn sizes(&self) -> &ClassSizes {
        &self.sizes
    }

    /// The distinct cells that are published of a quasi-identifier.
    pub fn cells_of(&self, quasi: usize) -> &[Cell] {
        &self.cells[quasi]
    }
}
