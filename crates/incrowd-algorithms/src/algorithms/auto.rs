//! Auto: the starts that suit the table, and the best of them refined until the time is over.
//!
//! No start is the best on every table, and refinement lowers each of them. Cheapest record first is nearly always the
//! best start, but mining its records takes memory and time that grow with the tuples; on large tables the starts are
//! those that cost n log n. What a start may take is a share of the time, so that there is some left to refine.
//!
//! With a deadline it returns the best so far and says so. Without one it stops when a round of refinement improves
//! nothing.

use std::time::{Duration, Instant};

use super::{AlgorithmEntry, cheapest_first, k_anon_cf, mondrian, top_down};
use incrowd_core::Partition;

use crate::price::loss;
use crate::{Algorithm, Budget, Problem, Solution, Unsolved, refined};

pub(super) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "auto",
    summary: "Runs the starts that suit the table's size and refines the best until the time is over.",
    reference: "incrowd",
    loss: "lm",
    time: Some(Duration::from_secs(60)),
    new: || Box::new(Auto),
};

/// Up to so many tuples the closed frequent records are mined.
const MINED: usize = 200_000;
/// The share of the time that starts may take.
const STARTS: f64 = 0.5;

struct Auto;

impl Algorithm for Auto {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        budget.check()?;
        let now = Instant::now();
        let deadline = budget.deadline.map(|deadline| now + deadline.saturating_duration_since(now).mul_f64(STARTS));
        let hurried = Budget { deadline, ..budget.clone() };
        let mut starts: Vec<&AlgorithmEntry> = vec![&top_down::ENTRY, &mondrian::ENTRY];
        if problem.table.tuples() <= MINED {
            starts.splice(0..0, [&cheapest_first::ENTRY, &k_anon_cf::ENTRY]);
        }
        let mut best: Option<(f64, Partition)> = None;
        for entry in starts {
            let partition = match (entry.new)().solve(problem, &hurried) {
                // What one start has found is not lost because another was too slow.
                Err(Unsolved::Stopped(_)) if best.is_some() && !budget.watch.cancel.is_cancelled() => break,
                solved => solved?.partition,
            };
            let lost = budget.run(|| loss(problem, &classes_of(&partition)));
            if best.as_ref().is_none_or(|(least, _)| lost < *least) {
                best = Some((lost, partition));
            }
        }
        let Some((_, start)) = best else { return Err(incrowd_core::Stopped.into()) };
        refined(problem, &start, budget)
    }
}

fn classes_of(partition: &Partition) -> Vec<Vec<(usize, u64)>> {
    partition.classes().map(<[_]>::to_vec).collect()
}
