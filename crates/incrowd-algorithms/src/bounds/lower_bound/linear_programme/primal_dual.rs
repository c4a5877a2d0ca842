//! The steps of the first-order method, for any set of records.
//!
//! One step moves the shares of all records and then the prices of all rows. Both are reflected and averaged with an
//! anchor; when the steps have become shorter, the anchor is set anew, and the lengths of steps of shares and prices are
//! balanced by how far each has come.

use super::relaxation::Relaxation;
use super::working_set::{ShareStep, WorkingSet};
use crate::Budget;

/// Steps are a little shorter than what is proven to converge.
const LENGTH: f64 = 0.98;
/// The length of the steps of prices, relative to those of shares, at the beginning and at least.
const BALANCE: (f64, f64) = (0.3, 0.05);
/// How much a new balance counts.
const NEW_BALANCE: f64 = 0.2;
/// The anchor is set anew when steps have this share of their first length; when they have the second share and grow
/// again; or after this share of all steps, if it is more than a few.
const RESTART: (f64, f64, f64) = (0.2, 0.8, 0.36);
const FEW: usize = 10;

/// Prices on their way, and what the method remembers.
#[derive(Clone)]
pub(super) struct PrimalDual {
    /// The price of a row of each point.
    pub(super) prices: Vec<f64>,
    balance: f64,
    steps: usize,
    /// The prices that steps are averaged with, the number of steps since these were set, and the lengths of the first
    /// and the last of them.
    anchor: Vec<f64>,
    since: usize,
    first: f64,
    last: f64,
}

impl PrimalDual {
    pub(super) fn new(prices: Vec<f64>) -> Self {
        let anchor = prices.clone();
        let far = f64::INFINITY;
        PrimalDual { prices, balance: BALANCE.0, steps: 0, anchor, since: 0, first: far, last: far }
    }

    /// Sets the anchor where prices and shares are.
    pub(super) fn begin(&mut self, set: &mut WorkingSet) {
        set.set_anchor();
        self.restart();
    }

    fn restart(&mut self) {
        self.anchor.clone_from(&self.prices);
        (self.since, self.last) = (0, f64::INFINITY);
    }

    /// One step of shares and prices, which stay below the caps; false when the time was over.
    pub(super) fn step(
        &mut self,
        relaxation: &Relaxation<'_>,
        set: &mut WorkingSet,
        caps: &[f64],
        budget: &Budget,
    ) -> bool {
        let weight = 1.0 / (self.since as f64 + 2.0);
        let step = ShareStep { length: LENGTH / self.balance, anchor: weight };
        let Some((held, shares)) = set.step(relaxation.k as f64, &self.prices, step, budget) else { return false };
        let mut moved = 0.0;
        for (point, price) in self.prices.iter_mut().enumerate() {
            let degree = set.degrees[point].max(1.0);
            let next = (*price + LENGTH * self.balance / degree * (1.0 - held[point])).min(caps[point]);
            moved += relaxation.rows[point] * degree * (next - *price) * (next - *price);
            *price = (1.0 - weight) * (2.0 * next - *price) + weight * self.anchor[point];
        }
        let length = (self.balance * shares + moved / self.balance).sqrt();
        (self.since, self.steps) = (self.since + 1, self.steps + 1);
        self.first = if self.since == 1 { length } else { self.first };
        let is_long = self.since as f64 >= RESTART.2 * self.steps as f64 && self.since > FEW;
        let is_short = length <= RESTART.0 * self.first || (length <= RESTART.1 * self.first && length > self.last);
        self.last = length;
        if is_short || is_long {
            self.rebalance(relaxation, set);
            self.restart();
        }
        true
    }

    /// Makes the shares the anchor, and steps of prices as long as those of shares, by how far both have come.
    fn rebalance(&mut self, relaxation: &Relaxation<'_>, set: &mut WorkingSet) {
        let far = |(point, (price, anchor)): (usize, (&f64, &f64))| {
            relaxation.rows[point] * set.degrees[point].max(1.0) * (price - anchor) * (price - anchor)
        };
        let prices: f64 = self.prices.iter().zip(&self.anchor).enumerate().map(far).sum();
        let shares = set.set_anchor();
        if prices > 0.0 && shares > 0.0 {
            let balance = (prices / shares).sqrt().ln() * NEW_BALANCE + self.balance.ln() * (1.0 - NEW_BALANCE);
            self.balance = balance.exp().max(BALANCE.1);
        }
    }
}
