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

mod convex_slopes;
mod distinct_rows;
mod dive;
mod odd_sets;
mod order_prices;
mod primal_dual;
mod projection;
mod relaxation;
mod share_limits;
mod working_set;

use std::time::Instant;

use incrowd_core::Stage;

use crate::Budget;
use crate::solver::effort::WorkCounter;
pub(crate) use dive::{CandidateRecord, Dive, DiveStyle, OpenRecord};
pub(crate) use odd_sets::CutProof;
use odd_sets::OddSetSearch;
use primal_dual::PrimalDual;
pub(crate) use relaxation::Relaxation;
pub(crate) use share_limits::LimitedShares;
use working_set::WorkingSet;

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
/// Work units of a point in a step, and in a pass over all records.
const STEP_UNITS: u64 = 5;
const PASS_UNITS: u64 = 2;

/// A search for the best prices, in one or several runs.
pub(crate) struct PriceSearch<'a, 'r> {
    relaxation: &'a Relaxation<'r>,
    began: Instant,
    /// What each row has to lose by itself, in sum.
    row_by_row: f64,
    /// The best prices so far, which are allowed, and their sum.
    best: (f64, Vec<f64>),
    /// The sum before each round.
    sums: Vec<f64>,
    /// How often prices were mended before the first step.
    passes: usize,
    /// The prices as the steps have them.
    steps: PrimalDual,
    /// The records of the last steps, with their shares.
    set: Option<WorkingSet>,
    /// The search with cuts, once it has begun.
    odd_sets: Option<OddSetSearch<'a, 'r>>,
    /// Whether there are too many pairs for cuts.
    is_without_cuts: bool,
}

impl<'a, 'r> PriceSearch<'a, 'r> {
    /// Begins with what each row has to lose by itself; none when the time was over before that was known.
    pub(crate) fn new(relaxation: &'a Relaxation<'r>, budget: &Budget) -> Option<Self> {
        let began = Instant::now();
        let prices = relaxation.cheapest(budget)?;
        let best = (relaxation.sum(&prices), prices.clone());
        let (sums, steps) = (Vec::new(), PrimalDual::new(prices));
        let (set, odd_sets, is_without_cuts) = (None, None, false);
        let row_by_row = best.0;
        Some(PriceSearch {
            relaxation,
            began,
            row_by_row,
            best,
            sums,
            passes: 0,
            steps,
            set,
            odd_sets,
            is_without_cuts,
        })
    }

    /// What is proven: the sum of the best prices, or more by cuts. Before the first run it is what each row has to lose
    /// by itself.
    pub(crate) fn sum(&self) -> f64 {
        self.odd_sets.as_ref().map_or(self.best.0, |cuts| cuts.sum().max(self.best.0))
    }

    /// The sum of what each row has to lose by itself.
    pub(crate) fn row_by_row(&self) -> f64 {
        self.row_by_row
    }

    /// The number of rounds so far: a round is some steps with records that are chosen anew.
    pub(crate) fn rounds(&self) -> usize {
        self.sums.len()
    }

    /// The best prices, by point.
    pub(crate) fn prices(&self) -> &[f64] {
        &self.best.1
    }

    /// The records whose k dearest rows come within `room` of their price; none when the time was over before.
    pub(crate) fn near(&self, room: f64, budget: &Budget) -> Option<Vec<CandidateRecord>> {
        let records = self.relaxation.records;
        let near = self.relaxation.near(&self.best.1, room, budget)?;
        let record = |number: u32| {
            let mut points = Vec::new();
            records.for_each_point(number as usize, |point| points.push(point));
            CandidateRecord { price: records.price(number as usize), points }
        };
        Some(near.into_iter().map(record).collect())
    }

    /// Whether the last rounds gained next to nothing.
    fn is_calm(&self) -> bool {
        self.sums.len().checked_sub(CALM.0).is_some_and(|at| self.best.0 <= self.sums[at] * (1.0 + CALM.1))
    }

    /// Searches until little is gained, the effort is spent or the time is over; tells each better sum, and ends when
    /// that is enough. Returns the work units that were spent. Another run goes on where this one ended.
    pub(crate) fn run(&mut self, budget: &Budget, mut is_enough: impl FnMut(f64) -> bool) -> u64 {
        let mut work = WorkCounter::new(budget);
        let mut is_over = is_enough(self.best.0);
        while self.passes < PASSES && !is_over {
            is_over = self.mend(&mut work) || is_enough(self.best.0);
            self.passes += 1;
            self.steps = PrimalDual::new(self.best.1.clone());
        }
        while !is_over && !self.is_calm() && !work.is_over() {
            self.sums.push(self.best.0);
            work.spend(self.relaxation.size() * PASS_UNITS);
            let Some(near) = self.relaxation.near(&self.best.1, ROOM, budget) else { break };
            let mut chosen = WorkingSet::new(self.relaxation, &near, self.set.as_ref());
            is_over = self.round(&mut chosen, &mut work) || self.mend(&mut work) || is_enough(self.best.0);
            self.set = Some(chosen);
        }
        work.spent()
    }

    /// Shares out what the best prices leave; whether the search is over.
    fn mend(&mut self, work: &mut WorkCounter<'_>) -> bool {
        work.budget().tell_spent(Stage::Bound, work.spent(), self.began);
        work.spend(self.relaxation.size() * PASS_UNITS);
        let mended = self.relaxation.mended(&self.best.1, work.budget());
        mended.into_iter().for_each(|mended| self.offer(mended));
        work.is_over()
    }

    /// Keeps prices if they are better. They have to be allowed.
    fn offer(&mut self, prices: Vec<f64>) {
        let sum = self.relaxation.sum(&prices);
        if sum > self.best.0 {
            self.best = (sum, prices);
        }
    }

    /// Some steps with the records of a set; whether the search is over.
    fn round(&mut self, set: &mut WorkingSet, work: &mut WorkCounter<'_>) -> bool {
        let star = self.relaxation.star;
        let caps: Vec<f64> = self.best.1.iter().map(|price| (price + ROOM).min(star)).collect();
        self.steps.prices.iter_mut().zip(&caps).for_each(|(price, cap)| *price = price.min(*cap));
        self.steps.begin(set);
        for step in 1..=STEPS {
            work.spend(set.size() as u64 * STEP_UNITS);
            if !self.steps.step(self.relaxation, set, &caps, work.budget()) {
                return true;
            }
            if step % BOUND_EVERY == 0 {
                let mended = set.mended(self.relaxation, &self.steps.prices, &caps, work.budget());
                mended.into_iter().for_each(|mended| self.offer(mended));
                work.budget().tell_spent(Stage::Bound, work.spent(), self.began);
                if work.is_over() {
                    return true;
                }
            }
        }
        false
    }
}
