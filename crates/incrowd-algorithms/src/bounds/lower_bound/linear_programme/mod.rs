//! The linear programme of all releases, solved by a first-order method; its dual prices are the bound.
//!
//! **The programme.** Each closed frequent record R takes a share x(R, i) of the rows of each of its points i, at most
//! its own share z(R), and of k rows at least that share; every row is taken once; Σ rows·price is least. A release is
//! such shares with z = 1 for the records that it publishes. The dual asks for prices of rows at which no class is
//! cheaper than its rows, as the ascent does (`ascent.rs`); the ascent stops two to three percent short of the optimum.
//!
//! **The method** is primal-dual hybrid gradient: A. Chambolle and T. Pock, "A first-order primal-dual algorithm for
//! convex problems with applications to imaging", 2011. Shares move along price(i) − price(R) and are projected onto the
//! cone of the record (`projection.rs`); prices move along 1 − what is taken of a row. Steps are reflected and averaged
//! with an anchor, which is set anew when the steps have become shorter: H. Lu and J. Yang, "Restarted Halpern PDHG for
//! linear programming", 2024. Lengths of steps are balanced at that moment, as in D. Applegate et al., "Practical
//! large-scale linear programming using primal-dual hybrid gradient", 2021.
//!
//! **Few records at a time.** Prices that are allowed leave most records far from binding. While prices rise by at most
//! [`ROOM`], only records matter whose k dearest rows are within it of their price: a few thousand of a million
//! (`working_set.rs`). After some steps the prices are mended (`relaxation.rs`) and the records are chosen anew.
//!
//! **The bound holds wherever it is stopped.** What the steps do is not trusted: a bound is the sum of mended prices,
//! which are allowed whatever they were made of.

mod dive;
mod projection;
mod relaxation;
mod working_set;

use std::time::Instant;

use incrowd_core::Stage;

use crate::Budget;
use crate::solver::effort::WorkCounter;
pub(crate) use dive::OpenRecord;
pub(crate) use relaxation::Relaxation;
use working_set::{ShareStep, WorkingSet};

/// How often prices are mended before the first step. Steps from prices that are far too low would lead astray.
const PASSES: usize = 8;
/// How far prices may rise before records are chosen anew.
const ROOM: f64 = 0.2;
/// Number of steps before records are chosen anew.
const STEPS: usize = 50;
/// Number of steps between two bounds.
const BOUND_EVERY: usize = 10;
/// The search ends when this number of rounds together gains less than this share.
const CALM: (usize, f64) = (5, 5e-4);
/// Steps are a little shorter than what is proven to converge.
const LENGTH: f64 = 0.98;
/// The length of the steps of prices, relative to those of shares, at the beginning and at least.
const BALANCE: (f64, f64) = (0.3, 0.05);
/// How much a new balance counts.
const NEW_BALANCE: f64 = 0.2;
/// The anchor is set anew when steps have this share of their first length; when they have the second share and grow
/// again; or after this share of all steps.
const RESTART: (f64, f64, f64) = (0.2, 0.8, 0.36);
/// Work units of a point in a step, and in a pass over all records.
const STEP_UNITS: u64 = 5;
const PASS_UNITS: u64 = 2;

/// A search for the best prices.
pub(crate) struct PriceSearch<'a, 'r> {
    relaxation: &'a Relaxation<'r>,
    work: WorkCounter<'a>,
    began: Instant,
    /// The best prices so far, which are allowed, and their sum.
    best: (f64, Vec<f64>),
    /// The prices as the steps have them.
    prices: Vec<f64>,
    balance: f64,
    steps: usize,
    /// The records of the last steps, with their shares.
    set: Option<WorkingSet>,
}

impl<'a, 'r> PriceSearch<'a, 'r> {
    /// Begins with what each row has to lose by itself; none when the time was over before that was known.
    pub(crate) fn new(relaxation: &'a Relaxation<'r>, budget: &'a Budget) -> Option<Self> {
        let (began, work) = (Instant::now(), WorkCounter::new(budget));
        let prices = relaxation.cheapest(budget)?;
        let best = (relaxation.sum(&prices), prices.clone());
        Some(PriceSearch { relaxation, work, began, best, prices, balance: BALANCE.0, steps: 0, set: None })
    }

    /// The sum of the best prices; before the search it is what each row has to lose by itself.
    pub(crate) fn sum(&self) -> f64 {
        self.best.0
    }

    /// Searches until little is gained, the effort is spent or the time is over; tells each better sum, and ends when
    /// that is enough.
    pub(crate) fn run(&mut self, mut is_enough: impl FnMut(f64) -> bool) {
        let mut is_over = is_enough(self.best.0);
        for _ in 0..PASSES {
            is_over = is_over || self.mend() || is_enough(self.best.0);
        }
        self.prices.clone_from(&self.best.1);
        let mut sums: Vec<f64> = Vec::new();
        while !is_over {
            sums.push(self.best.0);
            let calm = sums.len().checked_sub(CALM.0 + 1).is_some_and(|at| self.best.0 <= sums[at] * (1.0 + CALM.1));
            if calm || self.work.is_over() {
                break;
            }
            self.work.spend(self.relaxation.size() * PASS_UNITS);
            let Some(near) = self.relaxation.near(&self.best.1, ROOM, self.work.budget()) else { break };
            let mut chosen = WorkingSet::new(self.relaxation, &near, self.set.as_ref());
            is_over = self.round(&mut chosen) || self.mend() || is_enough(self.best.0);
            self.set = Some(chosen);
        }
    }

    /// The best prices, by point.
    pub(crate) fn prices(&self) -> &[f64] {
        &self.best.1
    }

    /// The work units that were spent since it began or went on.
    pub(crate) fn spent(&self) -> u64 {
        self.work.spent()
    }

    /// Goes on with another budget.
    pub(crate) fn go_on(&mut self, budget: &'a Budget) {
        self.work = WorkCounter::new(budget);
    }

    fn spend_step(&mut self, set: &WorkingSet) {
        self.work.spend(set.size() as u64 * STEP_UNITS);
    }

    /// Shares out what the best prices leave; whether the search is over.
    fn mend(&mut self) -> bool {
        self.work.budget().tell_spent(Stage::Bound, self.work.spent(), self.began);
        self.work.spend(self.relaxation.size() * PASS_UNITS);
        let mended = self.relaxation.mended(&self.best.1, self.work.budget());
        mended.into_iter().for_each(|mended| self.offer(mended));
        self.work.is_over()
    }

    /// Keeps prices if they are better. They have to be allowed.
    fn offer(&mut self, prices: Vec<f64>) {
        let sum = self.relaxation.sum(&prices);
        if sum > self.best.0 {
            self.best = (sum, prices);
        }
    }

    /// Some steps with the records of a set; whether the search is over.
    fn round(&mut self, set: &mut WorkingSet) -> bool {
        let star = self.relaxation.star;
        let caps: Vec<f64> = self.best.1.iter().map(|price| (price + ROOM).min(star)).collect();
        self.prices.iter_mut().zip(&caps).for_each(|(price, cap)| *price = price.min(*cap));
        let mut anchor = self.prices.clone();
        set.set_anchor();
        let (mut since, mut first, mut last) = (0, f64::INFINITY, f64::INFINITY);
        for step in 1..=STEPS {
            self.spend_step(set);
            let Some(length) = self.step(set, (&caps, &anchor), since) else { return true };
            (since, self.steps) = (since + 1, self.steps + 1);
            first = if since == 1 { length } else { first };
            let is_long = since as f64 >= RESTART.2 * self.steps as f64 && since > BOUND_EVERY;
            let restarts = length <= RESTART.0 * first || (length <= RESTART.1 * first && length > last) || is_long;
            last = length;
            if step % BOUND_EVERY == 0 {
                let mended = set.mended(self.relaxation, &self.prices, &caps, self.work.budget());
                mended.into_iter().for_each(|mended| self.offer(mended));
                self.work.budget().tell_spent(Stage::Bound, self.work.spent(), self.began);
                if self.work.is_over() {
                    return true;
                }
            }
            if restarts {
                self.rebalance(set, &anchor);
                anchor.clone_from(&self.prices);
                (since, last) = (0, f64::INFINITY);
            }
        }
        false
    }

    /// One step of shares and prices; its length, or none when the time was over.
    fn step(&mut self, set: &mut WorkingSet, (caps, anchor): (&[f64], &[f64]), since: usize) -> Option<f64> {
        let weight = 1.0 / (since as f64 + 2.0);
        let step = ShareStep { length: LENGTH / self.balance, anchor: weight };
        let (held, shares) = set.step(self.relaxation.k as f64, &self.prices, step, self.work.budget())?;
        let mut moved = 0.0;
        for (point, price) in self.prices.iter_mut().enumerate() {
            let degree = set.degrees[point].max(1.0);
            let next = (*price + LENGTH * self.balance / degree * (1.0 - held[point])).min(caps[point]);
            moved += self.relaxation.rows[point] * degree * (next - *price) * (next - *price);
            *price = (1.0 - weight) * (2.0 * next - *price) + weight * anchor[point];
        }
        Some((self.balance * shares + moved / self.balance).sqrt())
    }

    /// Makes the shares the anchor, and steps of prices as long as those of shares, by how far both have come.
    fn rebalance(&mut self, set: &mut WorkingSet, anchor: &[f64]) {
        let far = |(point, (price, anchor)): (usize, (&f64, &f64))| {
            self.relaxation.rows[point] * set.degrees[point].max(1.0) * (price - anchor) * (price - anchor)
        };
        let prices: f64 = self.prices.iter().zip(anchor).enumerate().map(far).sum();
        let shares = set.set_anchor();
        if prices > 0.0 && shares > 0.0 {
            let balance = (prices / shares).sqrt().ln() * NEW_BALANCE + self.balance.ln() * (1.0 - NEW_BALANCE);
            self.balance = balance.exp().max(BALANCE.1);
        }
    }
}
