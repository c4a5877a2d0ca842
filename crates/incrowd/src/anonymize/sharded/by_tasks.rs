//! Solving shards on a cluster: one task for each, which also recodes and judges it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use incrowd_algorithms::{AlgorithmEntry, DiversityWeights, Effort};
use incrowd_core::{
    FrequencyTable, Infeasible, LossEntry, ModelEntry, Policy, QuasiIdentifier, ShardTree, Silent, Stage, WholeCounts,
};
use incrowd_engine::{
    Engine, EngineError, ExecutorCodes, ExecutorShards, NotedShard, Outgrown, ShardTask, SharedFolder, TaskCall,
    of_task,
};
use serde::{Deserialize, Serialize};

use super::classes::ShardedClasses;
use super::laid_out::{LaidOut, ShardSizes};
use super::shards::{ShardFigures, ShardPolicySolver, ShardSums, SolvedShards, seed_of, share_of, solve_shard};
use crate::anonymize::ledger_entry::PendingEntry;
use crate::anonymize::solver_request::SolverRequest;
use crate::anonymize::time_limit::TimeLimit;
use crate::error::{Error, Result};
use crate::release::{Ledger, LedgerEntry};

/// The jobs of an attempt, and their input.
const SOLVE: &str = "solve";
const FEASIBLE: &str = "feasible";
const PLAN: &str = "solve-plan";

/// The input of all tasks.
#[derive(Serialize, Deserialize)]
struct ShardSolvePlan {
    policy: Policy,
    quasi: Vec<QuasiIdentifier>,
    algorithm: String,
    loss: String,
    weights: DiversityWeights,
    whole: Option<WholeCounts>,
    effort: Option<f64>,
    until: Option<f64>,
    shard: Option<usize>,
    memory: Option<u64>,
    /// The most tuples of a shard.
    most: u64,
    seed: u64,
    /// The key that decides which rows of a tuple go to which of several classes.
    key: [u8; 32],
    /// The time for a shard.
    time: Option<Duration>,
    /// What the entry of a shard is made with, and the name of the table, if the release is entered in a ledger.
    ledger: Option<(Ledger, String)>,
}

/// What became of a shard.
#[derive(Serialize, Deserialize)]
enum ShardOutcome {
    Solved(Box<ShardFigures>, NotedShard, Option<LedgerEntry>),
    Infeasible(Vec<Reason>),
    NotFound(Vec<Reason>),
    TooManyTuples { tuples: u64, needed: u64, limit: u64 },
}

/// Why a policy cannot be kept, as plain data.
#[derive(Serialize, Deserialize)]
struct Reason {
    model: String,
    columns: Vec<String>,
    fact: String,
    remedy: String,
}

fn as_data(reasons: Vec<Infeasible>) -> Vec<Reason> {
    let reason =
        |Infeasible { model, columns, fact, remedy }| Reason { model: str::to_owned(model), columns, fact, remedy };
    reasons.into_iter().map(reason).collect()
}

fn reasons(data: Vec<Reason>) -> Vec<Infeasible> {
    let reason = |Reason { model, columns, fact, remedy }: Reason| {
        let model = ModelEntry::find(&model).map_or("k-anonymity", |entry| entry.id);
        Infeasible { model, columns, fact, remedy }
    };
    data.into_iter().map(reason).collect()
}

impl ShardSizes for ExecutorShards {
    fn count(&self) -> usize {
        ExecutorShards::count(self)
    }

    fn rows(&self, shard: usize) -> u64 {
        ExecutorShards::rows(self, shard)
    }

    fn tuples(&self, shard: usize) -> u64 {
        ExecutorShards::tuples(self, shard)
    }
}

impl LaidOut for ExecutorCodes {
    type Shards = ExecutorShards;

    fn tuples(&self) -> u64 {
        ExecutorCodes::tuples(self)
    }

    fn drawn_rows(&self) -> u64 {
        ExecutorCodes::drawn_rows(self)
    }

    fn drawn(&self, engine: &Engine, columns: FrequencyTable) -> FrequencyTable {
        ExecutorCodes::drawn(self, engine, columns)
    }

    fn route(&self, engine: &Engine, tree: &ShardTree, quasi: &[QuasiIdentifier]) -> Result<ExecutorShards> {
        Ok(ExecutorCodes::route(self, engine, tree, quasi)?)
    }

    fn infeasible(
        &self,
        solver: &ShardPolicySolver<'_>,
        _: &mut Outgrown,
        shards: &ExecutorShards,
    ) -> Result<Vec<(usize, Error)>> {
        let outcomes: Vec<Vec<Reason>> = run(self, solver, shards, (FEASIBLE, None))?;
        let of_shards = shards.with_rows().into_iter().zip(outcomes).filter(|(_, found)| !found.is_empty());
        Ok(of_shards.map(|(shard, found)| (shard, Error::Infeasible(reasons(found)))).collect())
    }

    fn solve_each(
        &self,
        solver: &ShardPolicySolver<'_>,
        _: &mut Outgrown,
        shards: ExecutorShards,
    ) -> Result<SolvedShards> {
        let entry = PendingEntry::open(solver.run.options.ledger.as_deref())?;
        let (mut sums, mut noted) = (ShardSums::new(entry), Vec::new());
        let ledger = sums.ledger_entry.as_ref().map(PendingEntry::ledger);
        for outcome in run(self, solver, &shards, (SOLVE, ledger))? {
            match outcome {
                ShardOutcome::Solved(solved, notes, entry) => {
                    sums.add(&solved);
                    noted.push(notes);
                    sums.ledger_entry.iter_mut().zip(entry).for_each(|(pending, entry)| pending.merge(entry));
                }
                ShardOutcome::Infeasible(found) => return Err(Error::Infeasible(reasons(found))),
                ShardOutcome::NotFound(found) => return Err(Error::NotFound(reasons(found))),
                ShardOutcome::TooManyTuples { tuples, needed, limit } => {
                    return Err(EngineError::TooManyTuples { tuples, needed, limit }.into());
                }
            }
        }
        sums.statistics.shards = Some(shards.count() as u64);
        if let Some(entry) = &mut sums.ledger_entry {
            entry.warn(solver.run.engine);
        }
        let rows = shards.finish(solver.run.engine, self, solver.quasi, &noted)?;
        Ok(SolvedShards { rows: ShardedClasses::OnExecutors(rows), sums })
    }
}

/// Runs a job with a task for each shard that has rows, and reads what the tasks found.
fn run<T: serde::de::DeserializeOwned>(
    codes: &ExecutorCodes,
    solver: &ShardPolicySolver<'_>,
    shards: &ExecutorShards,
    (job, ledger): (&str, Option<Ledger>),
) -> Result<Vec<T>> {
    let (run, request) = (solver.run, solver.request());
    let (space, tasks) = (codes.space(run.engine)?, shards.with_rows().len());
    let plan = ShardSolvePlan {
        policy: request.policy.clone(),
        quasi: solver.quasi.to_vec(),
        algorithm: solver.algorithm.id.into(),
        loss: request.loss.id.into(),
        weights: request.weights.clone(),
        whole: request.whole.cloned(),
        effort: request.effort.map(Effort::times),
        until: request.until,
        shard: request.shard,
        memory: request.memory,
        most: solver.most_loaded(),
        seed: run.randomness.solver_seed(),
        key: run.randomness.shuffle_key(),
        time: run.time_limit.deadline.map(|deadline| share_of(deadline, tasks)),
        ledger: ledger.map(|ledger| (ledger, run.source.name().to_string())),
    };
    space.folder().put_json(PLAN, &plan)?;
    let job = shards.of_attempt(job);
    space.run(Stage::Solve, &job, tasks)?;
    let found = (0..tasks).map(|task| space.folder().json(&of_task(&job, task)));
    Ok(found.collect::<std::result::Result<_, EngineError>>()?)
}

/// Runs a task of a job about shards; nothing when it is of another job.
pub(crate) fn run_task(call: &TaskCall) -> Option<std::result::Result<(), EngineError>> {
    match call.job.name.split('@').next() {
        Some(SOLVE) => Some(task(call, solve)),
        Some(FEASIBLE) => Some(task(call, infeasible)),
        _ => None,
    }
}

/// The engine of a task, its shard, and its input.
struct ShardWork<'a> {
    call: &'a TaskCall,
    engine: Engine,
    shard: ShardTask<'a>,
    plan: ShardSolvePlan,
}

/// What to say of a plan of another version.
fn unknown() -> EngineError {
    EngineError::Engine { doing: Stage::Solve.name(), kind: "this version does not know the solver" }
}

impl ShardWork<'_> {
    /// What is asked of the solver.
    fn request(&self) -> Result<SolverRequest<'_>> {
        let ShardWork { engine, plan, .. } = self;
        Ok(SolverRequest {
            policy: &plan.policy,
            weights: &plan.weights,
            whole: plan.whole.as_ref(),
            has_class_ids: false,
            loss: LossEntry::find(&plan.loss).ok_or_else(unknown)?,
            effort: plan.effort.and_then(Effort::of),
            until: plan.until,
            shard: plan.shard,
            watch: engine.watch(),
            threads: engine.threads(),
            memory: plan.memory,
        })
    }
}

fn task<T: Serialize>(call: &TaskCall, work: fn(&ShardWork<'_>) -> Result<T>) -> std::result::Result<(), EngineError> {
    let shared = SharedFolder::of(call)?;
    let folder = shared.folder();
    let engine = Engine::watched(&call.settings, call.cancel.clone(), Arc::new(Silent))?;
    let shard = ShardWork { call, engine, shard: ShardTask::of(call, folder)?, plan: folder.json(PLAN)? };
    let found = work(&shard).map_err(|error| match error {
        Error::Engine(error) => error,
        _ => EngineError::Engine { doing: Stage::Solve.name(), kind: "a shard could not be solved" },
    })?;
    folder.put_json(&of_task(&call.job.name, call.task), &found)
}

/// Solves the shard of a task, and notes what its rows publish.
fn solve(work: &ShardWork<'_>) -> Result<ShardOutcome> {
    let ShardWork { call, engine, shard, plan } = work;
    let algorithm = AlgorithmEntry::find(&plan.algorithm).ok_or_else(unknown)?;
    let request = work.request()?;
    let time_limit = TimeLimit { deadline: plan.time.map(|time| Instant::now() + time), cancel: call.cancel.clone() };
    let table = match shard.load(engine, plan.most) {
        Err(EngineError::TooManyTuples { tuples, needed, limit }) => {
            return Ok(ShardOutcome::TooManyTuples { tuples, needed, limit });
        }
        loaded => loaded?,
    };
    let seed = seed_of(plan.seed, shard.shard);
    match solve_shard(&request, (&table, &plan.quasi), algorithm, seed, &time_limit) {
        Ok((recoding, solved)) => {
            let noted = shard.note(engine, &table, &recoding, plan.key)?;
            let entry = plan.ledger.as_ref().map(|(ledger, source)| {
                let name = |quasi: &QuasiIdentifier| table.attributes()[quasi.column].name.clone();
                ledger.entry(&table, &plan.quasi.iter().map(name).collect::<Vec<_>>(), source)
            });
            Ok(ShardOutcome::Solved(Box::new(solved), noted, entry))
        }
        Err(Error::Infeasible(reasons)) => Ok(ShardOutcome::Infeasible(as_data(reasons))),
        Err(Error::NotFound(reasons)) => Ok(ShardOutcome::NotFound(as_data(reasons))),
        Err(error) => Err(error),
    }
}

/// Why the shard of a task cannot keep the policy; nothing when it can.
fn infeasible(work: &ShardWork<'_>) -> Result<Vec<Reason>> {
    let ShardWork { engine, shard, plan, .. } = work;
    let table = shard.load(engine, plan.most)?;
    let problem = work.request()?.problem(&table, &plan.quasi, 0)?;
    Ok(problem.policy.withhold(&table, problem.budget).err().map(as_data).unwrap_or_default())
}
