//! The groups of people, found once for all tables.

use std::collections::HashMap;
use std::time::Instant;

use incrowd_algorithms::{Problem, Unsolved, solve_linked};
use incrowd_core::FrequencyTable;
use incrowd_engine::EngineError;

use super::super::prepare::{CountedTable, Prepared, TuplesAtHand};
use super::super::sharded;
use super::super::solve::{ReadyTable, Solved};
use super::super::solver_request::SolverRequest;
use crate::error::{Error, Result, TablesFault};

/// How many people there are.
pub(super) struct PeopleCounts {
    /// In each table.
    pub(super) of_tables: Vec<u64>,
    /// In all tables together.
    pub(super) all: u64,
}

/// Solves counted tables together.
pub(super) fn solve(
    names: &[&str],
    runs: &[Prepared<'_>],
    counted: Vec<CountedTable>,
) -> Result<(Vec<Solved>, PeopleCounts)> {
    let mut ready = Vec::new();
    for (run, CountedTable { tuples, spilled_bytes }) in runs.iter().zip(counted) {
        ready.push(match tuples {
            TuplesAtHand::InMemory(table, codebook) => ReadyTable::new(run, table, codebook, spilled_bytes)?,
            TuplesAtHand::Outgrown(outgrown) => return Err(sharded::needs_whole(run, &outgrown)?),
        });
    }
    let people = count_people(names, &ready)?;
    let started = Instant::now();
    let Some(first) = runs.first() else { return Ok((Vec::new(), people)) };
    let seed = first.randomness.solver_seed();
    let mut problems: Vec<(&str, Problem<'_>)> = Vec::new();
    for ((name, run), table) in names.iter().zip(runs).zip(&ready) {
        problems.push((*name, SolverRequest::of(run).problem(&table.table, &table.quasi, seed)?));
    }
    let tuples = ready.iter().map(|table| table.table.tuples() as u64).sum();
    let budget = SolverRequest::of(first).budget(first.algorithm, tuples, &first.time_limit);
    budget.tell(0, Some(ready.iter().map(|table| table.table.rows()).sum()));
    let solutions = solve_linked(&problems, &budget).map_err(|unsolved| match unsolved {
        Unsolved::Infeasible(reasons) => Error::Infeasible(reasons),
        Unsolved::NotFound(reasons) => Error::NotFound(reasons),
        _ => Error::Engine(EngineError::Cancelled),
    })?;
    drop(problems);
    let seconds = started.elapsed().as_secs_f64();
    let mut solved = Vec::new();
    for ((run, table), solution) in runs.iter().zip(ready).zip(solutions) {
        solved.push(table.solved(run, solution, seconds)?);
    }
    Ok((solved, people))
}

/// Counts the people of each table and of all, and refuses a table that shares nobody with the others: its subjects are
/// probably written differently.
fn count_people(names: &[&str], tables: &[ReadyTable]) -> Result<PeopleCounts> {
    let mut in_tables: HashMap<u64, u32> = HashMap::new();
    let mut of_tables = Vec::new();
    let people_of: Vec<Vec<u64>> = tables.iter().map(|table| people(&table.table)).collect();
    for people in &people_of {
        of_tables.push(people.len() as u64);
        people.iter().for_each(|person| *in_tables.entry(*person).or_default() += 1);
    }
    let alone = |people: &Vec<u64>| !people.is_empty() && people.iter().all(|person| in_tables[person] == 1);
    if let Some((name, _)) = names.iter().zip(&people_of).find(|(_, people)| alone(people)) {
        return Err(Error::TablesRefused(TablesFault::NoSharedPeople((*name).into())));
    }
    Ok(PeopleCounts { of_tables, all: in_tables.len() as u64 })
}

/// The people of a table, each once.
fn people(table: &FrequencyTable) -> Vec<u64> {
    let mut people: Vec<u64> = (0..table.tuples()).filter_map(|tuple| table.grouping().person(tuple)).collect();
    people.sort_unstable();
    people.dedup();
    people
}
