//! The bound for a table that is solved in shards, of which only one is in memory at a time.
//!
//! Shards are parts of the rows that cuts have made, and what was proven for parts (`row_parts.rs`) holds for them: if no
//! row of a shard has a higher price than what a class with rows of other shards loses at least, the prices of all
//! shards together are a bound for the whole table. A cut divides the leaves of a quasi-identifier, which are in the order
//! of its tree, into runs. The smallest cell that holds leaves of two runs holds two neighbouring leaves on both sides of
//! the beginning of a run, so that the cheapest such cell is the join of two neighbours.

use incrowd_core::{ShardTree, Stopped};

use super::row_parts::{PartLimits, TUPLES, by_parts};
use crate::{Budget, LowerBound, Problem, mining};

/// What a class with rows of a shard and of other shards loses at least for each row.
pub fn crossing_price(problem: &Problem<'_>, tree: &ShardTree, shard: u32) -> f64 {
    let mut least = problem.star_price();
    for (quasi, starts) in tree.cuts_around(shard) {
        let domain = &problem.quasi_identifiers[quasi].domain;
        for &start in starts.iter().skip(1).filter(|start| (1..domain.leaf_count()).contains(*start)) {
            let join = domain.join(domain.at_level(start - 1, 0), domain.at_level(start, 0));
            least = least.min(problem.prices.price(quasi, join));
        }
    }
    least
}

/// What the rows of a shard lose at least in any release of the whole table, in the mean over their cells, when no price of
/// a row is above `crossing` ([`crossing_price`]).
///
/// The mean over the shards, weighted by their rows, is a lower bound for the whole table. A model that compares classes
/// with the whole must have been bound to the whole table ([`Problem::within`]). None for the reasons of
/// [`lower_bound`](super::lower_bound); such a shard counts as 0.
pub fn lower_bound_of_shard(
    problem: &Problem<'_>,
    k: u64,
    crossing: f64,
    budget: &Budget,
) -> Result<Option<LowerBound>, Stopped> {
    budget.check()?;
    if problem.quasi_identifiers.is_empty() || problem.table.rows() == 0 || k == 0 || !mining::is_complete(problem) {
        return Ok(None);
    }
    let (rows, most) = (problem.all_rows(), crossing.min(problem.star_price()));
    budget.run(|| by_parts(problem, &rows, k, PartLimits { tuples: TUPLES, most }, budget))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Lm, Policy};
    use proptest::prelude::*;

    use super::super::small_optimum::{optimum, small_table};
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_release_of_the_whole_table_loses_less_than_the_bounds_of_its_shards(
            rows in prop::collection::vec([0u32..6, 0u32..6, 0u32..4], 2..8),
            k in 2usize..4,
            first in (0usize..2, 1u32..6, 1u32..6),
            second in 1u32..4,
        ) {
            let (table, quasi) = small_table(&rows);
            let policy = Policy::k_anonymity(k as u64);
            let problem = Problem::new(&table, &quasi, &policy, &Lm, 1).unwrap();
            let Some(least) = optimum(&problem, k) else { return Ok(()) };
            let mut tree = ShardTree::whole();
            let mut starts = vec![0, first.1, first.2];
            starts.sort_unstable();
            starts.dedup();
            let parts = tree.cut(0, first.0, starts);
            tree.cut(parts[0], 2, vec![0, second]);
            let mut sum = 0.0;
            for shard in (0u32..).take(tree.shards()) {
                let own: Vec<[u32; 3]> =
                    rows.iter().filter(|row| tree.shard(|quasi| row[quasi]) == shard).copied().collect();
                let (part, quasi) = small_table(&own);
                let part = Problem::new(&part, &quasi, &policy, &Lm, 1).unwrap();
                let crossing = crossing_price(&problem, &tree, shard);
                let found = lower_bound_of_shard(&part, k as u64, crossing, &Budget::default()).unwrap();
                sum += found.map_or(0.0, |bound| bound.best) * own.len() as f64;
            }
            prop_assert!(sum / rows.len() as f64 <= least + 1e-12, "{} {}", sum / rows.len() as f64, least);
        }
    }
}
