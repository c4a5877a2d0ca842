//! Auto: the starts that suit the table, and the best of them refined until the effort is spent.
//!
//! No start is the best on every table, and refinement lowers each of them. Cheapest record first is nearly always the
//! best start; long and wide tables are given to it in shards ([`shard`](crate::shard)). Top-down and Mondrian cost n log n and are
//! there in case; k-ANON-CF, which is better on narrow tables, is asked unless a table is large. What the starts may take
//! is a share of the effort, and of the time, so that there is some left to refine: the best first, then those that are
//! nearly as good.
//!
//! It ends when the effort is spent or when refinement improves nothing more; neither depends on the machine. At a deadline
//! it returns the best so far and says so.

use std::time::Instant;

use super::{AlgorithmEntry, cheapest_first, k_anon_cf, mondrian, top_down};
use incrowd_core::Partition;

use crate::price::loss;
use crate::{Algorithm, Budget, Effort, Problem, Solution, Statistics, Unsolved, refined};

pub(super) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "auto",
    summary: "Runs the starts that suit the table's size and refines the best until the effort is spent.",
    reference: "incrowd",
    loss: "lm",
    counts_work: true,
    effort: Some(Effort::NORMAL),
    new: || Box::new(Auto),
};

/// Up to so many tuples k-ANON-CF is a start, too.
const SMALL: usize = 1 << 16;
/// The share of the time that starts may take.
const STARTS: f64 = 0.5;
/// The part of what is left of the effort that each start may take which counts its work.
const START: u64 = 2;
/// Starts that lose up to so many times what the best loses are refined, too, when there is time left.
const NEAR: f64 = 1.05;

struct Auto;

impl Algorithm for Auto {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        let budget = &budget.begin()?;
        let now = Instant::now();
        let deadline = budget.deadline.map(|deadline| now + deadline.saturating_duration_since(now).mul_f64(STARTS));
        let mut work = 0;
        let left = |work: u64| budget.effort.map(|effort| effort.saturating_sub(work));
        let mut starts = vec![&mondrian::ENTRY, &top_down::ENTRY, &cheapest_first::ENTRY];
        if problem.table.tuples() <= SMALL {
            starts.push(&k_anon_cf::ENTRY);
        }
        let mut cut_short = false;
        let mut found: Vec<(f64, Partition)> = Vec::new();
        for entry in starts {
            let hurried = Budget { deadline, effort: left(work), ..budget.clone() }.share_of_effort(1, START);
            if !found.is_empty() && hurried.is_over() {
                cut_short = true;
                break;
            }
            let partition = match (entry.new)().solve(problem, &hurried) {
                // What one start has found is not lost because another was too slow.
                Err(Unsolved::Stopped(_)) if !found.is_empty() && !budget.watch.cancel.is_cancelled() => {
                    cut_short = true;
                    break;
                }
                solved => {
                    let solution = solved?;
                    work += solution.statistics.work.unwrap_or(0);
                    cut_short |= solution.cut_short;
                    solution.partition
                }
            };
            found.push((lost_in(problem, &partition, budget), partition));
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let least = found.first().map_or(0.0, |start| start.0);
        if budget.is_over() && !found.is_empty() {
            let statistics = Statistics { work: Some(work), ..Statistics::default() };
            return Ok(Solution { partition: found.swap_remove(0).1, levels: None, cut_short: true, statistics });
        }
        let mut best: Option<(f64, Solution)> = None;
        for (_, start) in found.iter().filter(|start| start.0 <= least * NEAR) {
            if best.is_some() && (budget.is_over() || left(work) == Some(0)) {
                cut_short |= budget.is_over();
                break;
            }
            let solution = refined(problem, start, &Budget { effort: left(work), ..budget.clone() })?;
            work += solution.statistics.work.unwrap_or(0);
            cut_short |= solution.cut_short;
            let lost = lost_in(problem, &solution.partition, budget);
            match &mut best {
                Some((least, _)) if lost >= *least => {}
                best => *best = Some((lost, solution)),
            }
        }
        let (_, mut best) = best.ok_or(Unsolved::Stopped(incrowd_core::Stopped))?;
        best.cut_short = cut_short;
        best.statistics.work = Some(work);
        Ok(best)
    }
}

/// What all rows of a partition lose.
fn lost_in(problem: &Problem<'_>, partition: &Partition, budget: &Budget) -> f64 {
    let classes: Vec<Vec<(usize, u64)>> = partition.classes().map(<[_]>::to_vec).collect();
    budget.run(|| loss(problem, &classes))
}
