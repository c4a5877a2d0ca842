//! The cheapest way to cut an order of rows into runs of at least k.
//!
//! No run of the best way needs 2k rows or more: it could be cut in two that lose no more. So for each row the best way
//! to end a run there is the best of k runs of k to 2k − 1 rows, each after the best way to end where it begins. What a
//! run loses depends on its first and last tuple only, so it is computed for pairs of tuples, in parallel, and compared
//! for rows.

use incrowd_core::{Cell, Stopped};
use rayon::prelude::*;

use crate::solver::ClassMembers;
use crate::solver::clock::did;
use crate::solver::levels::LevelNodes;
use crate::solver::numbers::{to_u32, to_usize};
use crate::{Budget, Problem};

/// Tuples whose runs are priced at once.
const BLOCK: usize = 1 << 10;

/// The best runs of k to 2k − 1 rows in this order. Fewer than k rows are one run. n·k steps. When the time is over,
/// the rows that were not looked at are cut into runs of k.
pub(super) fn best(
    problem: &Problem<'_>,
    budget: &Budget,
    levels: &LevelNodes,
    order: &[(usize, u64)],
    k: u64,
) -> Result<Vec<ClassMembers>, Stopped> {
    let (order, mut runs) = shortened(order, k);
    let ends: Vec<usize> = order
        .iter()
        .scan(0, |end, member| {
            *end += to_usize(member.1);
            Some(*end)
        })
        .collect();
    let rows = ends.last().copied().unwrap_or(0);
    let k = to_usize(k);
    let most = k.saturating_mul(2) - 1;
    if rows < 2 * k {
        runs.push(order);
        return Ok(runs);
    }
    // What the best runs up to each row lose, and how many rows the last of them has.
    let mut lost = vec![f64::INFINITY; rows + 1];
    let mut last = vec![0u32; rows + 1];
    lost[0] = 0.0;
    let begin = |tuple: usize| if tuple == 0 { 0 } else { ends[tuple - 1] };
    let mut end = rows;
    for block in (0..order.len()).step_by(BLOCK) {
        budget.check()?;
        if budget.is_over() {
            end = begin(block);
            break;
        }
        budget.tell(begin(block) as u64, Some(rows as u64));
        let block = block..(block + BLOCK).min(order.len());
        let prices = |tuple: usize| {
            let first = (begin(tuple) + 1).saturating_sub(most);
            prices_back(problem, levels, &order, tuple, ends.partition_point(|&end| end <= first))
        };
        let prices: Vec<Vec<f64>> = block.clone().into_par_iter().map(prices).collect();
        for (tuple, prices) in block.zip(prices) {
            did(prices.len());
            for end in begin(tuple) + 1..=ends[tuple] {
                for (back, &price) in prices.iter().enumerate() {
                    let first = tuple - back;
                    if ends[first] + most <= end {
                        break;
                    }
                    let starts =
                        begin(first).max(end.saturating_sub(most))..ends[first].min((end + 1).saturating_sub(k));
                    for start in starts {
                        let loss = lost[start] + (end - start) as f64 * price;
                        if loss < lost[end] {
                            (lost[end], last[end]) = (loss, to_u32(end - start));
                        }
                    }
                }
            }
        }
    }
    // What was not looked at, in runs of k, the last of which has all that is left; with what was, if that is no run
    // yet.
    let mut straight = if lost[end].is_finite() { end } else { 0 };
    if end < rows && rows - straight < k {
        straight -= last[straight] as usize;
    }
    let mut cuts: Vec<usize> = (straight..rows).step_by(k).take(((rows - straight) / k).max(1)).collect();
    let mut end = rows;
    while end > 0 {
        let start = cuts.pop().unwrap_or_else(|| end - last[end] as usize);
        let (first, past) = (ends.partition_point(|&at| at <= start), ends.partition_point(|&at| at < end) + 1);
        let part = |tuple: usize| (order[tuple].0, (ends[tuple].min(end) - begin(tuple).max(start)) as u64);
        runs.push((first..past).map(part).collect());
        end = start;
    }
    Ok(runs)
}

/// The order with fewer rows of tuples that have very many, and the runs that these make by themselves. With 5k rows
/// left, a run of that tuple alone is left too, whatever the runs around it take, so the best way stays the best.
fn shortened(order: &[(usize, u64)], k: u64) -> (ClassMembers, Vec<ClassMembers>) {
    let spare = |rows: u64| (rows / k).saturating_sub(5) * k;
    let short = order.iter().map(|&(tuple, rows)| (tuple, rows - spare(rows))).collect();
    let runs = order.iter().filter(|member| spare(member.1) > 0).map(|&(tuple, rows)| vec![(tuple, spare(rows))]);
    (short, runs.collect())
}

/// What a row loses in the runs that end with a tuple: first the run of that tuple alone, then the one from the tuple
/// before it, and so on down to `first`.
fn prices_back(
    problem: &Problem<'_>,
    levels: &LevelNodes,
    order: &[(usize, u64)],
    last: usize,
    first: usize,
) -> Vec<f64> {
    let leaf =
        |at: usize, quasi: usize| problem.quasi_identifiers[quasi].domain.leaf(levels.leaves(order[at].0)[quasi]);
    let mut cells: Vec<Cell> = (0..levels.width()).map(|quasi| leaf(last, quasi)).collect();
    let mut prices: Vec<f64> = (0..).zip(&cells).map(|(quasi, &cell)| problem.prices.price(quasi, cell)).collect();
    let mut price = |at: usize| {
        for (quasi, cell) in cells.iter_mut().enumerate() {
            let joined = problem.quasi_identifiers[quasi].domain.join(*cell, leaf(at, quasi));
            if joined != *cell {
                *cell = joined;
                prices[quasi] = problem.prices.price(quasi, joined);
            }
        }
        prices.iter().sum::<f64>()
    };
    (first..=last).rev().map(&mut price).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Attribute, Dictionary, FrequencyTable, Hierarchy, Lm, Policy, QuasiIdentifier, Role};
    use proptest::prelude::*;

    use super::*;
    use crate::solver::price::loss;

    /// The least that the rows from `start` on lose in runs of at least k rows, all ways tried.
    fn least(problem: &Problem<'_>, rows: &[usize], k: usize) -> f64 {
        let run = |rows: &[usize]| loss(problem, &[rows.iter().map(|&tuple| (tuple, 1)).collect()]);
        let shorter = (k..=rows.len().saturating_sub(k)).map(|cut| run(&rows[..cut]) + least(problem, &rows[cut..], k));
        shorter.fold(run(rows), f64::min)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_runs_of_at_least_k_rows_lose_less(
            codes in prop::collection::vec((0u32..6, 0u32..6), 1..7),
            counts in prop::collection::vec(1u64..5, 8),
            many in 0u64..12,
            k in 1u64..4,
        ) {
            let values = Dictionary::of_texts(["00", "01", "10", "11", "20", "21"]);
            let hierarchy = Hierarchy::prefix(&values, None).unwrap();
            let quasi = [0, 1].map(|at| QuasiIdentifier::new(at, &hierarchy, &values).unwrap());
            let attribute = |name: &str| Attribute::new(name, Role::QuasiIdentifier, values.clone());
            let tuples = codes.iter().zip(&counts).map(|(&(x, y), &count)| ([x, y], count));
            let table = FrequencyTable::from_tuples(vec![attribute("x"), attribute("y")], tuples);
            let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(k), &Lm, 1).unwrap();
            let mut order: Vec<(usize, u64)> = (0..table.tuples()).map(|at| (at, table.count(at).min(2))).collect();
            // One tuple of many rows, so that the order is made shorter.
            order[0].1 += many;
            let rows: Vec<usize> = order.iter().flat_map(|&(tuple, rows)| vec![tuple; to_usize(rows)]).collect();
            prop_assume!(rows.len() as u64 >= k && rows.len() <= 14);
            let runs = best(&problem, &Budget::default(), &LevelNodes::new(&problem), &order, k).unwrap();
            let mut all: Vec<(usize, u64)> = runs.concat();
            crate::solver::start::add_up(&mut all);
            prop_assert_eq!(&all, &order);
            prop_assert!(runs.iter().all(|run| run.iter().map(|member| member.1).sum::<u64>() >= k));
            let (found, least) = (loss(&problem, &runs), least(&problem, &rows, to_usize(k)));
            prop_assert!((found - least).abs() < 1e-9, "{} instead of {}", found, least);
        }
    }
}
