//! Laying out a stretch: the packed codes of its rows, in their order.

use std::sync::atomic::{AtomicU32, Ordering};

use arrow::record_batch::RecordBatch;
use incrowd_core::{Attribute, FrequencyTable, QuasiIdentifier, ShardTree, Stage};
use serde::{Deserialize, Serialize};

use super::route::{self, ExecutorShards};
use crate::cluster::tasks::coded;
use crate::cluster::tasks::folder::{TaskFolder, of_task};
use crate::cluster::tasks::recode::SOURCE;
use crate::cluster::tasks::space::{KeptFolder, TaskSpace};
use crate::count::codebook::OpenCodebook;
use crate::count::groups::FileStamp;
use crate::count::outgrown::Outgrown;
use crate::count::packer::Packer;
use crate::count::scan::scan_stretch;
use crate::out_of_core::{DrawnRows, Sketch, drawn_below, is_drawn};
use crate::runtime::cluster_fault::ClusterFault;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::source::table::Source;

pub(in crate::cluster::tasks) const LAY_OUT: &str = "lay-out";

/// The files of the job.
const PLAN: &str = "lay-out-plan";
pub(super) const ATTRIBUTES: &str = "attributes";

/// The input of all tasks.
#[derive(Serialize, Deserialize)]
pub(super) struct LayOutOrder {
    /// The number of the first row of each stretch.
    pub(super) first: Vec<u64>,
    /// Which rows are drawn.
    below: u64,
    seed: u64,
    pub(super) subject: bool,
}

impl LayOutOrder {
    pub(super) fn read(folder: TaskFolder<'_>) -> Result<LayOutOrder> {
        folder.json(PLAN)
    }
}

/// The codes of the rows of a stretch, and those of the rows that were drawn.
pub(super) fn codes_of(stretch: usize) -> String {
    of_task("codes-of", stretch)
}

fn drawn_of(stretch: usize) -> String {
    of_task("drawn-of", stretch)
}

fn sketch_of(stretch: usize) -> String {
    of_task("sketch-of", stretch)
}

/// Lays out a stretch.
pub(in crate::cluster::tasks) fn lay_out_stretch(engine: &Engine, folder: TaskFolder<'_>, task: usize) -> Result<()> {
    let (plan, source) = (LayOutOrder::read(folder)?, Source::of_parts(folder.json(SOURCE)?)?);
    let parts = coded::codebook(folder)?;
    let (read, layout) = (parts.codebook.names(), parts.layout());
    let codebook = OpenCodebook::of_parts(&source, parts.codebook)?;
    struct StretchCoder {
        packer: Packer,
        codes: Vec<u64>,
        drawn: Vec<u64>,
        sketch: Sketch,
        row: u64,
    }
    let first = *plan.first.get(task).ok_or_else(|| folder.damaged(PLAN))?;
    let reader = StretchCoder {
        packer: Packer::new(&codebook),
        codes: vec![],
        drawn: vec![],
        sketch: Sketch::default(),
        row: first,
    };
    let step = |reader: &mut StretchCoder, batch: &RecordBatch| {
        let keys = reader.packer.pack(&codebook, layout.fields(), layout.words(), batch)?;
        for key in keys.chunks_exact(layout.words()) {
            reader.sketch.add(key);
            if is_drawn(reader.row, plan.seed, plan.below) {
                reader.drawn.extend_from_slice(key);
            }
            reader.row += 1;
        }
        reader.codes.extend_from_slice(keys);
        Ok(())
    };
    let reader = scan_stretch(engine, &source, &read, (Stage::LayOut, task), reader, step)?;
    folder.put_words(&codes_of(task), reader.codes.into_iter())?;
    folder.put_words(&drawn_of(task), reader.drawn.into_iter())?;
    folder.put_bytes(&sketch_of(task), reader.sketch.bytes())?;
    folder.put_json(&of_task(LAY_OUT, task), &(reader.row - first))
}

/// The codes of every row, which executors laid out, and a sample of rows.
pub struct ExecutorCodes {
    kept: KeptFolder,
    drawn: DrawnRows,
    tuples: u64,
    pub(super) stretch_rows: Vec<u64>,
    pub(super) files: Vec<FileStamp>,
    attempts: AtomicU32,
}

impl std::fmt::Debug for ExecutorCodes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Neither codes nor where they are.
        f.debug_struct("ExecutorCodes").field("stretches", &self.stretch_rows.len()).finish_non_exhaustive()
    }
}

impl Source {
    /// As [`Source::lay_out`](crate::Source::lay_out), by tasks, when executors counted; nothing when the rows were
    /// counted here.
    ///
    /// # Errors
    /// Tasks failed, or the table changed.
    pub fn lay_out_by_tasks(
        &self,
        engine: &Engine,
        outgrown: &Outgrown,
        draw: u64,
        seed: u64,
    ) -> Result<Option<ExecutorCodes>> {
        if outgrown.codebook.groups().is_none() {
            return Ok(None);
        }
        let space = engine.shared_folder().map(|beside| engine.task_space(beside)).transpose()?.flatten();
        let gone = EngineError::Cluster { doing: Stage::LayOut.name(), fault: ClusterFault::NoAnswer };
        lay_out(&space.ok_or(gone)?, self, outgrown, (draw, seed)).map(Some)
    }
}

/// Lays out a table whose tuples executors found too many.
pub(in crate::cluster::tasks) fn lay_out(
    space: &TaskSpace<'_>,
    source: &Source,
    outgrown: &Outgrown,
    (draw, seed): (u64, u64),
) -> Result<ExecutorCodes> {
    let changed = || EngineError::Changed(source.name().into());
    let (folder, layout) = (space.folder(), outgrown.layout());
    let groups = outgrown.codebook.groups().ok_or_else(changed)?;
    let stretch_rows = groups.stretch_rows.clone();
    let parts = source.parts(stretch_rows.len())?.ok_or_else(changed)?;
    let starts = stretch_rows.iter().scan(0, |next, rows| Some(std::mem::replace(next, *next + rows)));
    let (below, subject) = (drawn_below(draw, outgrown.rows), outgrown.codebook.has_subject());
    folder.put_json(SOURCE, &parts)?;
    coded::put_codebook(folder, outgrown.codebook.parts(&outgrown.attributes), &layout)?;
    folder.put_json(ATTRIBUTES, &outgrown.attributes)?;
    folder.put_json(PLAN, &LayOutOrder { first: starts.collect(), below, seed, subject })?;
    space.run(Stage::LayOut, LAY_OUT, stretch_rows.len())?;
    let (mut sketch, mut drawn) = (Sketch::default(), Vec::new());
    for (stretch, &rows) in stretch_rows.iter().enumerate() {
        if folder.json::<u64>(&of_task(LAY_OUT, stretch))? != rows {
            return Err(changed());
        }
        let name = sketch_of(stretch);
        sketch.merge(&Sketch::of_bytes(folder.bytes(&name)?).ok_or_else(|| folder.damaged(&name))?);
        drawn.append(&mut folder.words(&drawn_of(stretch))?);
    }
    Ok(ExecutorCodes {
        kept: space.keep(),
        drawn: DrawnRows { words: layout.words(), subject, keys: drawn },
        tuples: sketch.estimate(),
        stretch_rows,
        files: groups.files.clone(),
        attempts: AtomicU32::new(0),
    })
}

/// The columns of a table, as a task reads them.
pub(super) fn attributes(folder: TaskFolder<'_>) -> Result<Vec<Attribute>> {
    folder.json(ATTRIBUTES)
}

impl ExecutorCodes {
    /// About how many distinct tuples there are.
    pub fn tuples(&self) -> u64 {
        self.tuples
    }

    /// How many rows were drawn.
    pub fn drawn_rows(&self) -> u64 {
        self.drawn.rows()
    }

    /// The rows that were drawn, as a table of these columns, which are given away.
    pub fn drawn(&self, engine: &Engine, columns: FrequencyTable) -> FrequencyTable {
        self.drawn.table(engine, columns)
    }

    /// Brings every row to its shard: a new attempt.
    ///
    /// # Errors
    /// Tasks failed.
    pub fn route(&self, engine: &Engine, tree: &ShardTree, quasi: &[QuasiIdentifier]) -> Result<ExecutorShards> {
        self.route_in(&self.space(engine)?, tree, quasi)
    }

    pub(in crate::cluster::tasks) fn route_in(
        &self,
        space: &TaskSpace<'_>,
        tree: &ShardTree,
        quasi: &[QuasiIdentifier],
    ) -> Result<ExecutorShards> {
        route::route(space, self, self.attempts.fetch_add(1, Ordering::Relaxed), tree, quasi)
    }

    /// The way to run further jobs on them.
    ///
    /// # Errors
    /// The engine has no cluster.
    pub fn space<'a>(&self, engine: &'a Engine) -> Result<TaskSpace<'a>> {
        self.kept.space(engine)
    }

    pub(super) fn keep(&self) -> KeptFolder {
        self.kept.clone()
    }
}
