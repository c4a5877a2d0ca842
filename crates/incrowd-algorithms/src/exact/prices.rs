//! Prices of rows: the dual solution of the linear programme that covers every row by candidates.
//!
//! The programme has one equation for each item, so at most twelve, and a column for each candidate. It is solved by
//! the revised simplex method with the inverse of the basis held as a whole. Whatever the arithmetic did, the prices
//! that are returned are lowered until no candidate loses less than its rows are priced: so they bound the loss of any
//! rows from below.

use super::MOST_TUPLES;
use super::candidates::Candidate;
use super::items::{ItemCounts, Items};
use crate::Budget;

/// A price for a row of each item.
pub(super) type RowPrices = [f64; MOST_TUPLES];

/// Maximum number of changes of the basis.
const MOST_STEPS: usize = 400;
/// Number of candidates that are compared for each change, unless none of them improves the basis.
const BLOCK: usize = 1 << 10;
/// Smaller numbers are rounding.
const SMALL: f64 = 1e-10;

/// What rows of these numbers are priced.
pub(super) fn value(prices: &RowPrices, counts: &ItemCounts) -> f64 {
    prices.iter().zip(counts).map(|(price, &count)| price * f64::from(count)).sum()
}

/// Prices with which no candidate loses less than its rows.
pub(super) fn dual_prices(items: &Items, candidates: &[Candidate], budget: &Budget) -> RowPrices {
    let mut simplex = Simplex::new(items, candidates);
    for _ in 0..MOST_STEPS {
        if budget.is_over() || budget.check().is_err() || !simplex.step(candidates) {
            break;
        }
    }
    let mut prices = simplex.prices();
    let over = |candidate: &Candidate| (value(&prices, &candidate.counts) - candidate.loss) / candidate.rows as f64;
    let most = candidates.iter().map(over).fold(0.0, f64::max);
    prices.iter_mut().take(items.len()).for_each(|price| *price -= most);
    prices
}

struct Simplex {
    /// The inverse of the basis, row by row.
    inverse: Vec<RowPrices>,
    /// What the columns of the basis cost.
    costs: Vec<f64>,
    /// How much of each column of the basis is taken.
    taken: Vec<f64>,
    /// The candidate at which the next comparison begins.
    next: usize,
}

impl Simplex {
    /// A basis of rows that are left alone, at a cost that no release has.
    fn new(items: &Items, candidates: &[Candidate]) -> Self {
        let dear = candidates.iter().map(|candidate| candidate.loss).fold(1.0, f64::max) * 1e3;
        let unit = |item: usize| {
            let mut row = RowPrices::default();
            row[item] = 1.0;
            row
        };
        Simplex {
            inverse: (0..items.len()).map(unit).collect(),
            costs: vec![dear; items.len()],
            taken: (0..items.len()).map(|item| items.rows(item) as f64).collect(),
            next: 0,
        }
    }

    fn prices(&self) -> RowPrices {
        let mut prices = RowPrices::default();
        for (row, cost) in self.inverse.iter().zip(&self.costs) {
            prices.iter_mut().zip(row).for_each(|(price, part)| *price += cost * part);
        }
        prices
    }

    /// Takes a candidate into the basis that loses less than its rows are priced: of those that are compared the one
    /// that is furthest below. Whether there was one.
    fn step(&mut self, candidates: &[Candidate]) -> bool {
        let prices = self.prices();
        let mut best: Option<(f64, &Candidate)> = None;
        for compared in 0..candidates.len() {
            if compared % BLOCK == 0 && best.is_some() {
                break;
            }
            self.next = if self.next + 1 < candidates.len() { self.next + 1 } else { 0 };
            let candidate = &candidates[self.next];
            let reduced = (candidate.loss - value(&prices, &candidate.counts)) / candidate.rows as f64;
            if reduced < best.map_or(-SMALL, |best| best.0) {
                best = Some((reduced, candidate));
            }
        }
        let Some((_, entering)) = best else { return false };
        let direction: Vec<f64> = self.inverse.iter().map(|row| value(row, &entering.counts)).collect();
        let ratio = |at: &usize| self.taken[*at].max(0.0) / direction[*at];
        let rows = (0..direction.len()).filter(|&at| direction[at] > SMALL);
        let Some(leaving) = rows.min_by(|a, b| ratio(a).total_cmp(&ratio(b))) else { return false };
        let step = ratio(&leaving);
        let pivot = self.inverse[leaving].map(|part| part / direction[leaving]);
        for at in (0..direction.len()).filter(|&at| at != leaving) {
            self.inverse[at].iter_mut().zip(&pivot).for_each(|(part, pivot)| *part -= direction[at] * pivot);
            self.taken[at] -= step * direction[at];
        }
        (self.inverse[leaving], self.taken[leaving], self.costs[leaving]) = (pivot, step, entering.loss);
        true
    }
}
