//! Auto: the starts that suit the table, and the best of them refined until the effort is spent.
//!
//! No start is the best on every table, and refinement lowers each of them. Cheapest record first is nearly always the
//! best start; long and wide tables are given to it in shards ([`shard`](crate::shard)). Top-down and Mondrian cost n
//! log n and are there in case; k-ANON-CF, which is better on narrow tables, is asked unless a table is large;
//! agglomerative clustering, which is better on wide tables with few rows, where its n² comparisons are a small part of
//! the effort ([`starts`]).
//!
//! **Dive.** For policies that count rows and nothing else, records are opened as the linear programme of all releases
//! says ([`dive`]), several times, and what is best in each release is put together. That is refined to less than any
//! start, so it has all effort and time that the starts have left. It proves a bound on its way: the search ends when
//! the release loses at most [`Budget::until`](crate::Budget) times the bound.
//!
//! **Never worse than a start that was run.** Each has the whole effort, as when it is run independently, so with the same
//! effort none of them loses less than the result. On large tables the slow starts are run only if nothing comes of the
//! dive. Refinement has what the starts left, and at least a [`REFINING`]th part. Of
//! a time limit cheapest-first may take all, as it would by itself; the other starts have a share of what it left, so
//! that there is some left to refine: the best first, then those that are nearly as good.
//!
//! **Small tables are solved exactly** ([`exact`]), whatever the effort: the result loses least of all partitions of
//! the rows that the policy lets be published.
//!
//! It ends when the effort is spent or when refinement improves nothing more; neither depends on the machine. At a
//! deadline it returns the best so far and says so.

use std::time::{Duration, Instant};

use super::{
    AlgorithmEntry, InShards, SolverTraits, agglomerative, cheapest_first, dive, k_anon_cf, mondrian, top_down,
};
use incrowd_core::Partition;

use crate::exact::{self, SearchLimits};
use crate::solver::clusters::COMPARISONS;
use crate::solver::numbers::to_u32;
use crate::solver::price::loss;
use crate::solver::settle::settle;
use crate::solver::start::Start;
use crate::{Algorithm, Budget, Effort, Problem, Solution, Statistics, Unsolved, refined};

pub(super) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "auto",
    summary: "Runs the algorithms that suit the table size and refines the best result up to the effort limit.",
    reference: "incrowd",
    loss: "lm",
    counts_work: true,
    effort: Some(Effort::NORMAL),
    traits: SolverTraits { in_shards: InShards::By("mondrian"), uses_shards: true, ..SolverTraits::LOCAL },
    new: || Box::new(Auto),
};

/// Maximum number of tuples for which k-ANON-CF is a start, too.
const SMALL: usize = 1 << 16;
/// Maximum number of tuples for which every start is quick.
const QUICK: usize = 1 << 13;
/// The share of the time that is left after the first start which the others may take.
const STARTS: f64 = 0.5;
/// Refinement may take at least this part of the effort.
const REFINING: u64 = 4;
/// Agglomerative clustering may take this part of the effort, as far as that can be estimated in advance.
const CLUSTERING: u64 = 8;
/// Starts that lose at most this factor more than the best are refined, too, when there is time left.
const NEAR: f64 = 1.05;
/// For each tuple, what refinement needs before its first step. Measured on a million distinct values: up to 3 s.
const PREPARING: Duration = Duration::from_micros(4);

struct Auto;

impl Algorithm for Auto {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        let budget = &budget.begin()?;
        let mut search = AutoRun { problem, budget, work: 0, cut_short: false };
        let (quick, slow) = quick_and_slow(starts(problem, budget), problem, budget);
        let mut found = Vec::new();
        search.run_starts(quick, &mut found)?;
        let (lost, best) = match search.dive(&found)? {
            Some(best) => best,
            None => {
                search.run_starts(slow, &mut found)?;
                search.refine_best(&found)?
            }
        };
        let mut best = search.exact(lost, best)?;
        best.cut_short = search.cut_short;
        best.statistics.work = Some(search.work);
        Ok(best)
    }
}

/// The solvers whose partitions are refined, for a table of this size. What is said of the effort is decided before
/// they run, so that it does not depend on the machine.
pub fn starts(problem: &Problem<'_>, budget: &Budget) -> Vec<&'static AlgorithmEntry> {
    let tuples = problem.table.tuples() as u64;
    if problem.policy.looks_at_cells() {
        // The others begin with classes of at least k rows; how many people of a population match a class, they learn
        // only when they merge those that fail. These two cut as long as both parts keep the policy.
        return vec![&mondrian::ENTRY, &top_down::ENTRY];
    }
    let mut starts = vec![&cheapest_first::ENTRY, &mondrian::ENTRY, &top_down::ENTRY];
    let effort = budget.effort.unwrap_or_else(|| Effort::NORMAL.units(tuples));
    if clustering_work(problem) <= effort / CLUSTERING || problem.table.tuples() <= exact::MOST_TUPLES {
        starts.push(&agglomerative::ENTRY);
    }
    if problem.table.tuples() <= SMALL {
        starts.push(&k_anon_cf::ENTRY);
    }
    starts
}

/// The starts that are run in any case, and those that are run only if nothing comes of the dive: on large tables they
/// take seconds, and what is refined from a dive loses less.
fn quick_and_slow(
    starts: Vec<&'static AlgorithmEntry>,
    problem: &Problem<'_>,
    budget: &Budget,
) -> (Vec<&'static AlgorithmEntry>, Vec<&'static AlgorithmEntry>) {
    let are_slow = problem.table.tuples() > QUICK && dive::suits(problem, budget);
    let is_quick =
        |entry: &&AlgorithmEntry| !are_slow || ![agglomerative::ENTRY.id, k_anon_cf::ENTRY.id].contains(&entry.id);
    starts.into_iter().partition(is_quick)
}

/// About how much work agglomerative clustering is: it compares all tuples with each other.
fn clustering_work(problem: &Problem<'_>) -> u64 {
    let (tuples, width) = (problem.table.tuples() as u64, problem.quasi_identifiers.len() as u64);
    tuples.saturating_mul(tuples).saturating_mul(width.max(1)) / COMPARISONS
}

struct AutoRun<'a, 't> {
    problem: &'a Problem<'t>,
    budget: &'a Budget,
    /// The work units that were spent.
    work: u64,
    cut_short: bool,
}

impl AutoRun<'_, '_> {
    /// Adds what each start finds, and puts the best first.
    fn run_starts(
        &mut self,
        starts: Vec<&'static AlgorithmEntry>,
        found: &mut Vec<(f64, Partition)>,
    ) -> Result<(), Unsolved> {
        let (problem, budget) = (self.problem, self.budget);
        // The first of all may take the whole time.
        let (mut hurried, unhurried) = (budget.clone(), usize::from(found.is_empty()));
        for (at, entry) in starts.into_iter().enumerate() {
            if at == unhurried {
                let now = Instant::now();
                let share = |deadline: Instant| now + deadline.saturating_duration_since(now).mul_f64(STARTS);
                hurried.deadline = budget.deadline.map(share);
            }
            if !found.is_empty() && hurried.is_over() {
                self.cut_short = true;
                break;
            }
            let partition = match (entry.new)().solve(problem, &hurried) {
                // What one start has found is not lost because another was too slow.
                Err(Unsolved::Stopped(_)) if !found.is_empty() && !budget.watch.cancel.is_cancelled() => {
                    self.cut_short = true;
                    break;
                }
                solved => {
                    let solution = solved?;
                    self.cut_short |= solution.cut_short;
                    self.work += solution.statistics.work.unwrap_or(0);
                    solution.partition
                }
            };
            let lost = lost_in(problem, &partition, budget);
            budget.tell_loss(problem, lost, rows_in(&partition));
            found.push((lost, partition));
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(())
    }

    /// What dives find, where they are worth their while and there is time for them; a start, if it loses less.
    fn dive(&mut self, found: &[(f64, Partition)]) -> Result<Option<(f64, Solution)>, Unsolved> {
        let (problem, budget) = (self.problem, self.budget);
        if !dive::suits(problem, budget) {
            return Ok(None);
        }
        if dive::is_too_late(problem, budget) {
            self.cut_short = true;
            return Ok(None);
        }
        let left = Budget { effort: self.effort_left(), ..budget.leaving_time_for(problem.table.tuples()) };
        let Some(dived) = dive::recombined(problem, &left)? else { return Ok(None) };
        let dive::Recombined { lost, partition, bound, work, cut_short } = dived;
        self.cut_short |= cut_short;
        self.work += work;
        let (lost, partition) = match found.first() {
            Some((least, start)) if *least < lost => (*least, start.clone()),
            _ => (lost, partition),
        };
        Ok(Some((lost, Solution { partition, levels: None, cut_short, bound, statistics: Statistics::default() })))
    }

    /// What the starts left of the effort, and at least a part of it.
    fn effort_left(&self) -> Option<u64> {
        self.budget.effort.map(|effort| effort.saturating_sub(self.work).max(effort / REFINING))
    }

    /// Refines the best start and those that are nearly as good.
    fn refine_best(&mut self, found: &[(f64, Partition)]) -> Result<(f64, Solution), Unsolved> {
        let (problem, budget) = (self.problem, self.budget);
        let mut left = self.effort_left();
        let least = found.first().map_or(0.0, |start| start.0);
        let too_late = budget.is_over() || budget.has_less_than(PREPARING * to_u32(problem.table.tuples()));
        if let (true, Some((lost, start))) = (too_late, found.first()) {
            self.cut_short = true;
            let solution = Solution {
                partition: start.clone(),
                levels: None,
                cut_short: true,
                bound: None,
                statistics: Statistics::default(),
            };
            return Ok((*lost, solution));
        }
        let mut best: Option<(f64, Solution)> = None;
        let near = found.iter().filter(|start| start.0 <= least * NEAR).map(|start| &start.1);
        for start in near {
            if best.is_some() && (budget.is_over() || left == Some(0)) {
                self.cut_short |= budget.is_over();
                break;
            }
            let refining = budget.leaving_time_for(problem.table.tuples());
            let solution = refined(problem, start, &Budget { effort: left, ..refining })?;
            let work = solution.statistics.work.unwrap_or(0);
            self.work += work;
            left = left.map(|left| left.saturating_sub(work));
            self.cut_short |= solution.cut_short;
            let lost = lost_in(problem, &solution.partition, budget);
            match &mut best {
                Some((least, _)) if lost >= *least => {}
                best => *best = Some((lost, solution)),
            }
        }
        best.ok_or(Unsolved::Stopped(incrowd_core::Stopped))
    }

    /// The partition that loses least, where all can be searched; else the one that is known.
    fn exact(&mut self, lost: f64, known: Solution) -> Result<Solution, Unsolved> {
        // A model about a population may be kept by labels that are wider than a class needs, at a lower price than by
        // more rows: then the best partition is not the best release.
        if self.problem.table.tuples() > exact::MOST_TUPLES || self.problem.policy.looks_at_cells() {
            return Ok(known);
        }
        let start = Start::new(self.problem)?;
        let problem = &start.problem;
        let exact = exact::best_classes(
            problem,
            &start.rest,
            Some(lost),
            SearchLimits::of(self.budget, start.rest.len()),
            self.budget,
        )?;
        self.work += exact.work;
        // With a proof it does not matter what was cut before.
        self.cut_short = if exact.complete { false } else { self.cut_short || exact.cut_short };
        let settled = |classes| settle(problem, &self.budget.finishing(), classes, start.withheld);
        let partition = exact.classes.map(settled).transpose()?;
        let statistics = Statistics { exact: exact.complete.then_some(true), ..known.statistics };
        Ok(Solution { partition: partition.unwrap_or(known.partition), statistics, ..known })
    }
}

/// The rows in the classes of a partition.
fn rows_in(partition: &Partition) -> u64 {
    partition.classes().flatten().map(|member| member.1).sum()
}

/// What all rows of a partition lose.
fn lost_in(problem: &Problem<'_>, partition: &Partition, budget: &Budget) -> f64 {
    let classes: Vec<Vec<(usize, u64)>> = partition.classes().map(<[_]>::to_vec).collect();
    budget.run(|| loss(problem, &classes))
}
