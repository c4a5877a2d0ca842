//! Auto: the starts that suit the table, and the best of them refined until the time is over.
//!
//! No start is the best on every table, and refinement lowers each of them. Cheapest record first is nearly always the
//! best start; long and wide tables are given to it in shards ([`shard`](crate::shard)). Top-down and Mondrian cost n log n and are
//! there in case; k-ANON-CF is asked about small tables. What the starts may take is a share of the time, so that there is
//! some left to refine.
//!
//! With a deadline it returns the best so far and says so. Without one it stops when refinement improves nothing more.

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

/// Up to so many tuples k-ANON-CF is a start, too.
const SMALL: usize = 1 << 13;
/// The share of the time that starts may take.
const STARTS: f64 = 0.5;

struct Auto;

impl Algorithm for Auto {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        budget.check()?;
        let now = Instant::now();
        let deadline = budget.deadline.map(|deadline| now + deadline.saturating_duration_since(now).mul_f64(STARTS));
        let hurried = Budget { deadline, ..budget.clone() };
        let mut starts = vec![&mondrian::ENTRY, &top_down::ENTRY, &cheapest_first::ENTRY];
        if problem.table.tuples() <= SMALL {
            starts.push(&k_anon_cf::ENTRY);
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
