//! Codes of a stretch go to their shards.

use incrowd_core::{QuasiIdentifier, ShardTree, Stage};
use serde::{Deserialize, Serialize};

use super::lay_out::{ExecutorCodes, codes_of};
use super::{attempt_of, of_attempt};
use crate::cluster::tasks::coded;
use crate::cluster::tasks::folder::{TaskFolder, of_task};
use crate::cluster::tasks::space::TaskSpace;
use crate::out_of_core::Sketch;
use crate::runtime::engine::Engine;
use crate::runtime::error::Result;

pub(in crate::cluster::tasks) const ROUTE: &str = "route";

/// The files of an attempt.
const PLAN: &str = "route-plan";
const SHARDS: &str = "shards-with-rows";

/// The input of all tasks: the tree, and the leaf of each code of the columns that it asks for.
#[derive(Serialize, Deserialize)]
struct RoutePlan {
    tree: ShardTree,
    leaves: Vec<(usize, Vec<u32>)>,
}

/// The codes of the rows of a stretch, shard by shard; the shard of each row, in 16 bits; the sketches of its shards.
pub(super) fn routed_of(attempt: u32, stretch: usize) -> String {
    of_task(&of_attempt("routed-of", attempt), stretch)
}

pub(super) fn which_of(attempt: u32, stretch: usize) -> String {
    of_task(&of_attempt("which-of", attempt), stretch)
}

fn sketches_of(attempt: u32, stretch: usize) -> String {
    of_task(&of_attempt("sketches-of", attempt), stretch)
}

/// The shards that have rows: the tasks of an attempt to solve them.
pub(super) fn shards_with_rows(folder: TaskFolder<'_>, attempt: u32) -> Result<Vec<usize>> {
    folder.json(&of_attempt(SHARDS, attempt))
}

/// Routes a stretch.
pub(in crate::cluster::tasks) fn route_stretch(
    engine: &Engine,
    folder: TaskFolder<'_>,
    job: &str,
    task: usize,
) -> Result<()> {
    let (_, attempt) = attempt_of(job);
    let (plan, layout): (RoutePlan, _) = (folder.json(&of_attempt(PLAN, attempt))?, coded::codebook(folder)?.layout());
    let shards = plan.tree.shards();
    let fields: Vec<_> = plan.leaves.iter().map(|(column, leaves)| (layout.fields()[*column], leaves)).collect();
    let codes = folder.words(&codes_of(task))?;
    let (mut pieces, mut rows) = (vec![Vec::new(); shards], vec![0u64; shards]);
    let mut sketches: Vec<Option<Sketch>> = vec![None; shards];
    let mut which = Vec::with_capacity(codes.len() / layout.words() * 2);
    for keys in codes.chunks(layout.words() << 16) {
        engine.check_cancelled()?;
        for key in keys.chunks_exact(layout.words()) {
            let shard = plan.tree.shard(|at| fields[at].1[fields[at].0.get(key) as usize]) as usize;
            let number = u16::try_from(shard).map_err(|_| folder.damaged(PLAN))?;
            which.extend(number.to_le_bytes());
            sketches[shard].get_or_insert_default().add(key);
            pieces[shard].extend(key.iter().flat_map(|word| word.to_le_bytes()));
            rows[shard] += 1;
        }
    }
    folder.put_pieces(&routed_of(attempt, task), &pieces)?;
    folder.put_bytes(&which_of(attempt, task), &which)?;
    let sketches =
        sketches.iter().map(|sketch| sketch.as_ref().map_or_else(Vec::new, |sketch| sketch.bytes().to_vec()));
    folder.put_pieces(&sketches_of(attempt, task), &sketches.collect::<Vec<_>>())?;
    folder.put_json(&of_task(job, task), &rows)
}

/// A table cut into shards by tasks.
#[derive(Debug)]
pub struct ExecutorShards {
    pub(super) attempt: u32,
    rows: Vec<u64>,
    tuples: Vec<u64>,
}

/// Brings every row to its shard.
pub(super) fn route(
    space: &TaskSpace<'_>,
    codes: &ExecutorCodes,
    attempt: u32,
    tree: &ShardTree,
    quasi: &[QuasiIdentifier],
) -> Result<ExecutorShards> {
    let (folder, stretches, shards) = (space.folder(), codes.stretch_rows.len(), tree.shards());
    let leaves = quasi.iter().map(|quasi| (quasi.column, quasi.leaves.clone())).collect();
    folder.put_json(&of_attempt(PLAN, attempt), &RoutePlan { tree: tree.clone(), leaves })?;
    let job = of_attempt(ROUTE, attempt);
    space.run(Stage::LayOut, &job, stretches)?;
    let (mut rows, mut sketches) = (vec![0; shards], vec![Sketch::default(); shards]);
    for stretch in 0..stretches {
        let found: Vec<u64> = folder.json(&of_task(&job, stretch))?;
        let name = sketches_of(attempt, stretch);
        for (shard, more) in found.into_iter().enumerate().filter(|(_, more)| *more > 0) {
            let sketch = Sketch::of_bytes(folder.piece(&name, shard)?).ok_or_else(|| folder.damaged(&name))?;
            sketches[shard].merge(&sketch);
            rows[shard] += more;
        }
    }
    let with_rows: Vec<usize> = (0..shards).filter(|&shard| rows[shard] > 0).collect();
    folder.put_json(&of_attempt(SHARDS, attempt), &with_rows)?;
    Ok(ExecutorShards { attempt, rows, tuples: sketches.iter().map(Sketch::estimate).collect() })
}

impl ExecutorShards {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// The rows of a shard.
    pub fn rows(&self, shard: usize) -> u64 {
        self.rows[shard]
    }

    /// About how many distinct tuples a shard has.
    pub fn tuples(&self, shard: usize) -> u64 {
        self.tuples[shard]
    }

    /// The shards that have rows. A task that solves one has its place in this list as its number.
    pub fn with_rows(&self) -> Vec<usize> {
        (0..self.count()).filter(|&shard| self.rows[shard] > 0).collect()
    }

    /// The name of a job, or of a file, of this attempt to cut the table.
    pub fn of_attempt(&self, name: &str) -> String {
        of_attempt(name, self.attempt)
    }
}
