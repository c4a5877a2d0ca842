//! A table whose tuples outgrow memory: solved shard by shard, with codes on disk.
//!
//! The tuples are cut into shards that fit, along the hierarchies and so that each keeps the policy independently
//! (`incrowd_algorithms::shard_tree`), and these are solved, recoded and judged one after the other. A row then finds
//! its class by its number, not by its tuple (`incrowd_engine::Shards`). The classes of all shards keep the policy;
//! where two of different shards publish the same cells they are one class to a reader, so the policy must survive
//! merging. What needs all tuples at once (a bound on the loss, the rule that forced a column up) is not found out.
//!
//! Models that compare a class with the whole are given how often each value occurs in the whole table. The whole are the rows
//! that are published. If rows were suppressed, it would be known only when all shards are solved; so none is, even if the
//! policy allows it.
//!
//! Refused, with the memory that solving the table whole would take, are: models that do not survive merging, policies
//! with a model that compares a class with the whole if no shards meet them without suppression, all models about sensitive
//! values when the table has a subject column, releases in two tables, and full-domain algorithms.

mod attempts;
#[cfg(feature = "cluster")]
mod by_tasks;
mod classes;
mod cut;
mod laid_out;
mod shards;

use std::borrow::Cow;
use std::time::Instant;

use incrowd_core::{Measures, Policy};
use incrowd_engine::{AtOnce, Engine, EngineError, Outgrown};

use super::prepare::Prepared;
use super::solve::{ClassesOnDisk, SolveSummary, Solved, SolvedClasses};
use super::time_limit::StoppedByClock;
use super::{AnonymizeOptions, Publish, quasi_identifiers};
use crate::error::{Error, Result};
#[cfg(feature = "cluster")]
pub(crate) use by_tasks::run_task;
pub(super) use classes::ShardedClasses;
use laid_out::LaidOut;
use shards::{ShardPolicySolver, SolvedShards};

/// The share of the memory, in percent, that tuples and all that solvers make of them may take.
const SHARE: u64 = 65;
/// What solving takes for each tuple, besides its key, its count and its leaves (4 bytes a quasi-identifier): members
/// of classes before and after a cut, the partition, the recoding.
const BESIDE: u64 = 144;
/// The most rows that are drawn to find the shards.
const DRAWN: u64 = 1 << 19;

/// How many tuples can be worked on at once.
pub(super) fn at_once(engine: &Engine, options: &AnonymizeOptions) -> AtOnce {
    let beside = BESIDE + 4 * options.declared.quasi_identifiers.len() as u64;
    AtOnce { memory: engine.memory().map(|memory| memory / 100 * SHARE), beside, most: options.at_once }
}

/// Solves what the first scan found too large to be worked on at once.
pub(super) fn solve(run: &Prepared<'_>, outgrown: Outgrown, spilled_bytes: u64) -> Result<Solved> {
    let (draw, seed) = (drawn_rows(run, &outgrown), run.randomness.solver_seed());
    #[cfg(feature = "cluster")]
    if let Some(codes) = run.source.lay_out_by_tasks(run.engine, &outgrown, draw, seed)? {
        return solve_laid_out(run, outgrown, codes, spilled_bytes);
    }
    let codes = run.source.lay_out(run.engine, &outgrown, draw, seed)?;
    solve_laid_out(run, outgrown, codes, spilled_bytes)
}

/// How many rows are drawn to find the shards: cutting what was drawn takes as much for each row as solving does.
fn drawn_rows(run: &Prepared<'_>, outgrown: &Outgrown) -> u64 {
    let most = AtOnce { most: None, ..run.question.at_once }.tuples(outgrown.words()) / 2;
    DRAWN.min(most).max(1)
}

fn solve_laid_out<C: LaidOut>(
    run: &Prepared<'_>,
    mut outgrown: Outgrown,
    codes: C,
    spilled_bytes: u64,
) -> Result<Solved> {
    let (engine, names) = (run.engine, &run.question.quasi_identifiers);
    // A solver that has to see the whole table is refused below.
    let algorithm = run.algorithm.for_shards().unwrap_or(run.algorithm);
    let most = run.question.at_once.tuples(outgrown.words());
    refuse(run, codes.tuples(), &outgrown)?;

    let columns = outgrown.take_columns();
    let (quasi, hierarchies) = quasi_identifiers::build(&columns, names, run.options, engine.memory())?;
    outgrown.give_columns(columns);
    let started = Instant::now();
    let policy = policy_of_shards(run);
    let solver = ShardPolicySolver { run, policy: &policy, quasi: &quasi, algorithm, most };
    let solved = solver.solve(&mut outgrown, &codes)?;
    // Their files are not needed any more, and the shuffle needs the space.
    drop(codes);
    let solve_seconds = started.elapsed().as_secs_f64();
    let SolvedShards { rows, sums } = solved;
    let sizes = rows.sizes();
    let measures: Measures = sums
        .measures
        .finish(&sizes, rows.withheld(), run.options.policy.k())
        .ok_or(Error::Engine(EngineError::Empty(run.source.name().into())))?;
    let smallest_class_rows = sizes.k();
    let people = run.options.declared.subject.is_some();
    let summary = SolveSummary {
        algorithm,
        rows: rows.rows(),
        tuples: sums.tuples,
        classes: sizes.classes(),
        smallest_class: if people { sums.smallest_class } else { smallest_class_rows },
        smallest_class_rows,
        measures,
        bound: None,
        most_classes: None,
        withheld_for: Vec::new(),
        why: Vec::new(),
        attacks: Vec::new(),
        levels: None,
        cut_short: sums.cut_short,
        stopped: sums.cut_short.then_some(StoppedByClock::Solver).into_iter().collect(),
        statistics: sums.statistics,
        solve_seconds,
        spilled_bytes: spilled_bytes + rows.spilled_bytes(),
        ledger_entry: sums.ledger_entry,
    };
    let classes = ClassesOnDisk { rows, outgrown, quasi };
    Ok(Solved { classes: SolvedClasses::OnDisk(Box::new(classes)), hierarchies, summary })
}

/// The model that compares classes with the whole table, because of which no row is suppressed in shards although the policy
/// allows it.
pub(super) fn without_suppression(run: &Prepared<'_>) -> Option<&'static str> {
    let policy = &run.options.policy;
    let models = policy.models.iter().filter_map(|rule| rule.model().ok());
    let compares = models.map(|model| (model.compares(), model.id())).find(|(compares, _)| *compares);
    compares.filter(|_| policy.suppression > 0.0).map(|(_, id)| id)
}

/// The policy of each shard.
fn policy_of_shards<'a>(run: &Prepared<'a>) -> Cow<'a, Policy> {
    let policy = &run.options.policy;
    match without_suppression(run) {
        Some(_) => Cow::Owned(policy.clone().suppressing(0.0)),
        None => Cow::Borrowed(policy),
    }
}

/// Why a table that outgrew memory cannot be released together with others.
pub(super) fn needs_whole(run: &Prepared<'_>, outgrown: &Outgrown) -> Result<Error> {
    let draw = drawn_rows(run, outgrown);
    let codes = run.source.lay_out(run.engine, outgrown, draw, run.randomness.solver_seed())?;
    Ok(too_large(run, "a release of several tables".into(), codes.tuples(), outgrown))
}

/// Refuses what needs all tuples at once.
fn refuse(run: &Prepared<'_>, tuples: u64, outgrown: &Outgrown) -> Result<()> {
    let options = run.options;
    let models = || options.policy.models.iter().filter_map(|rule| rule.model().ok());
    let is_known = run.whole.as_ref().is_some_and(|whole| whole.fits(outgrown.attributes()));
    let compares = || models().find(|model| model.compares()).filter(|_| !is_known);
    // Whether a person has several values, and how many people have a value, is known only of all shards together.
    let of_people = || options.policy.models.iter().find(|rule| !rule.sensitive.is_empty());
    let of_people = options.declared.subject.as_ref().and_then(|_| of_people());
    let what = if options.publish == Publish::TwoTables {
        "a release in two tables".to_string()
    } else if options.policy.known_rows.is_some() {
        "a promise about several known rows of a person".to_string()
    } else if run.algorithm.for_shards().is_none() {
        format!("--algorithm {}", options.algorithm)
    } else if let Some(model) = models().find(|model| !model.survives_merging()) {
        format!("the model {}", model.id())
    } else if let Some(model) = compares() {
        format!("the model {} about a column with very many values", model.id())
    } else if let Some(rule) = options.policy.of_population().next() {
        format!("the model {}, which is about a population", rule.model)
    } else if let Some(rule) = of_people {
        format!("the model {} with a subject column", rule.model)
    } else {
        return Ok(());
    };
    Err(too_large(run, what, tuples, outgrown))
}

/// What was requested needs all tuples at once.
fn too_large(run: &Prepared<'_>, what: String, tuples: u64, outgrown: &Outgrown) -> Error {
    let AtOnce { beside, .. } = run.question.at_once;
    let needed = tuples * (8 * (outgrown.words() as u64 + 1) + beside) / SHARE * 100;
    let limit = run.engine.memory().unwrap_or(u64::MAX);
    Error::NeedsWhole { what, tuples, needed, limit }
}
