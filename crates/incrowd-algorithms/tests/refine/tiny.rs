//! The best partition of a table so small that all can be tried.

use std::collections::HashMap;

use incrowd_algorithms::Problem;
use incrowd_core::Cell;

/// The least that any partition into classes that keep the policy loses. Every row is a tuple of its own here, as a
/// class is a set of rows: 2ⁿ classes, 3ⁿ ways to take a first one.
pub(crate) fn least_loss(problem: &Problem<'_>) -> Option<f64> {
    let rows: Vec<usize> =
        (0..problem.table.tuples()).flat_map(|tuple| (0..problem.table.count(tuple)).map(move |_| tuple)).collect();
    let all = (1usize << rows.len()) - 1;
    let class_loss: Vec<Option<f64>> = (0..=all).map(|class| loss(problem, &rows, class)).collect();
    let mut least: Vec<Option<f64>> = vec![None; all + 1];
    least[0] = Some(0.0);
    for set in 1..=all {
        let first = set & set.wrapping_neg();
        // All classes inside the set that hold its first row.
        let mut class = set;
        while class > 0 {
            if let (true, Some(here), Some(rest)) = (class & first > 0, class_loss[class], least[set & !class]) {
                least[set] = Some(least[set].map_or(here + rest, |least| least.min(here + rest)));
            }
            class = (class - 1) & set;
        }
    }
    least[all]
}

fn loss(problem: &Problem<'_>, rows: &[usize], class: usize) -> Option<f64> {
    let mut counts: HashMap<usize, u64> = HashMap::new();
    (0..rows.len()).filter(|row| class >> row & 1 == 1).for_each(|row| *counts.entry(rows[row]).or_default() += 1);
    let mut members: Vec<(usize, u64)> = counts.into_iter().collect();
    members.sort_unstable();
    let keeps = !members.is_empty() && problem.holds(&members);
    let price = |(at, quasi): (usize, &incrowd_core::QuasiIdentifier)| {
        let leaf = |tuple: usize| quasi.leaves[problem.table.code(tuple, quasi.column) as usize];
        let cells = members.iter().map(|member| quasi.domain.leaf(leaf(member.0)));
        let cell: Option<Cell> = cells.reduce(|a, b| quasi.domain.join(a, b));
        cell.map_or(0.0, |cell| problem.prices.price(at, cell))
    };
    keeps.then(|| {
        let row: f64 = problem.quasi_identifiers.iter().enumerate().map(price).sum();
        row * f64::from(class.count_ones())
    })
}
