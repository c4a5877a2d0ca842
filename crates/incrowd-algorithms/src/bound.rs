//! How little can be lost at all: a bound that no release falls below.
//!
//! For each row the cheapest frequent record that covers it; their mean. It holds for every local recoding and for every
//! policy whose classes have at least k rows, with or without rows withheld:
//!
//! - A published class has at least k rows. What it publishes for a row is a generalized record that holds all rows of the
//!   class, so its support has at least k rows: it is frequent.
//! - The join of its support is inside that record, has the same support, and is closed. Prices are monotone, so the
//!   closed record is not dearer. Hence each published row loses at least the price of the cheapest *closed* frequent
//!   record that covers it, and closed records are all that have to be looked at.
//! - A withheld row counts as `*` in every cell, and no record is dearer than that. So it, too, loses at least the price
//!   of its cheapest record, and the bound needs no allowance for rows withheld.
//! - Where k counts people, a class of k people has k rows or more.
//!
//! Rows may not share a record without each being in its support, so classes of different rows can stand in each other's
//! way, and the bound need not be reached. Where a release meets it, the release is optimal.

use incrowd_core::Stopped;

use crate::{Budget, Problem, closed_records};

/// What any release whose classes have at least k rows loses at least: the mean price of a row's cells, by the measure of
/// the problem. For LM it is comparable with [`Measures::lm`](incrowd_core::Measures).
///
/// None when there is no such release because the table has fewer rows, when a domain has no levels (its cells are too
/// many to go through), or when the deadline came first.
pub fn lower_bound(problem: &Problem<'_>, k: u64, budget: &Budget) -> Result<Option<f64>, Stopped> {
    budget.check()?;
    let table = problem.table;
    if problem.quasi_identifiers.is_empty() || table.rows() == 0 || !closed_records::is_complete(problem) {
        return Ok(None);
    }
    let rows: Vec<(usize, u64)> = (0..table.tuples()).map(|tuple| (tuple, table.count(tuple))).collect();
    let prices = budget.run(|| closed_records::cheapest(problem, &rows, k, budget))?;
    let cells = table.rows() as f64 * problem.quasi_identifiers.len() as f64;
    let mean = |prices: Vec<f64>| {
        let lost: f64 = rows.iter().zip(prices).map(|(member, price)| member.1 as f64 * price).sum();
        lost / cells
    };
    Ok(prices.map(mean))
}
