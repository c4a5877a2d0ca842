//! Cuts of odd sets of rows: a better bound where classes have at least two rows.
//!
//! For k = 2 the linear programme of all releases is that of fractional matching. It divides three rows that are near to
//! each other among three pairs, with a half of each, which no release can; on Adult that is most of what its optimum is
//! below the best release.
//!
//! **Classes of two or three rows.** Let classes have two rows or more, and let a class lose |C|·price(C), with the price
//! of the join of its rows. A class of four rows or more can be divided into classes of two and three rows, whose joins
//! are inside its own; prices are monotone, so that they lose no more. Hence the least loss is that of classes of two
//! and three rows.
//!
//! **The cuts.** Let S be a set of an odd number of rows. Classes are disjoint, and each of at most three rows has at most
//! one pair in S, so that at most (|S| − 1)/2 classes have two rows or more in S. For pairs these are the inequalities of
//! J. Edmonds, "Maximum matching and a polyhedron with 0,1-vertices", 1965; with triples, too, they follow from those of
//! the rows by rounding: V. Chvátal, "Edmonds polytopes and a hierarchy of combinatorial problems", 1973.
//!
//! **The bound.** Let rows have prices y and sets multipliers μ ≥ 0. If for each class C of two or three rows
//!
//! > Σ_{i ∈ C} y(i) ≤ |C|·price(C) + Σ μ(S) over the sets S with |C ∩ S| ≥ 2
//!
//! then no release loses less than Σ y(i) − Σ μ(S)·(|S| − 1)/2: sum the condition over its classes, in which each row is
//! once, and each set at most (|S| − 1)/2 times. A suppressed row is in no class and loses its price at least, because
//! prices stay below that of `*`; the cuts hold without it. A stricter policy has fewer releases, and k people are no
//! fewer rows, so that the bound needs k = 2 and nothing else.
//!
//! **Few triples have to be looked at.** If the condition holds for the three pairs of a triple C, half of their sum says
//! that it holds for C, unless a set with a multiplier has all three rows: the price of a pair is no larger than that of
//! C, a set with two rows of C counts a half and has to count at most one, but a set with three rows counts 3/2. So
//! besides all pairs only the triples inside the sets matter.
//!
//! **Rows of one point** have the same price. A set has all rows of a point or none, so that its classes may be counted
//! by points: a class of two rows of one point loses nothing and is there where a point has two rows or more.
//!
//! **Few pairs, too.** While no price rises by more than [`ROOM`] above prices at which pairs are known, only pairs matter
//! that come within twice as much of what they lose (`near_pairs.rs`): about three for each row of Adult. Prices are
//! limited by caps for that reason. Where the caps hold the bound down, pairs are chosen anew.
//!
//! **The search.** Steps of the first-order method move shares of classes, prices and multipliers (`steps.rs`). Then sets
//! are looked for whose cuts the shares violate (`separation.rs`), and the steps go on. Prices and multipliers are mended
//! (`mending.rs`) before anything is concluded from them, so that the bound holds wherever the search stops.

mod mending;
mod near_pairs;
mod programme;
mod proof;
mod separation;
mod steps;
#[cfg(test)]
mod tests;

use super::relaxation::Relaxation;
use super::{PASS_UNITS, PriceSearch};
use crate::Budget;
use crate::solver::clock::did;
use crate::solver::effort::WorkCounter;
use crate::solver::numbers::to_usize;
use mending::CutPrices;
use near_pairs::near_pairs;
use programme::CutProgramme;
#[cfg(test)]
use programme::OddSet;
pub(crate) use proof::CutProof;
use separation::violated_sets;
use steps::{CutPoint, CutSteps};

/// How far prices may rise before pairs are chosen anew.
const ROOM: f64 = 0.1;
/// Number of steps of a round, and between two bounds.
const STEPS: usize = 300;
const BOUND_EVERY: usize = 100;
/// The search ends when this number of rounds together gains less than this share.
const CALM: (usize, f64) = (3, 5e-5);
/// Work units of a step for each term, and of a bound.
const STEP_UNITS: u64 = 2;
const BOUND_UNITS: u64 = 10;
/// Pairs are chosen anew when points whose prices are at their caps may raise the bound by this share; a price is at its
/// cap when it is this near.
const CAPPED: f64 = 1e-5;
const AT_CAP: f64 = 1e-3;
/// Maximum number of pairs; the bytes that each takes, about, and the share of a memory limit that all may take.
const PAIRS: usize = 1 << 21;
const PAIR_BYTES: u64 = 1 << 7;
const SHARE: u64 = 8;

/// A search for the best prices of rows and multipliers of odd sets, in one or several runs.
pub(super) struct OddSetSearch<'a, 'r> {
    relaxation: &'a Relaxation<'r>,
    programme: CutProgramme<'a>,
    steps: CutSteps,
    /// The best prices and multipliers so far, which are allowed, and what they prove.
    best: (f64, CutPrices),
    /// What was proven before each round.
    sums: Vec<f64>,
    most_pairs: usize,
}

impl<'a, 'r> OddSetSearch<'a, 'r> {
    /// Begins with prices that are allowed without cuts; none when there are too many pairs or the time was over before.
    fn new(relaxation: &'a Relaxation<'r>, prices: &[f64], work: &mut WorkCounter<'_>) -> Option<Self> {
        let by_memory = work.budget().memory.map_or(PAIRS, |memory| to_usize(memory / SHARE / PAIR_BYTES));
        let most_pairs = PAIRS.min(by_memory);
        work.spend(relaxation.size() * PASS_UNITS);
        let pairs = near_pairs(relaxation, prices, ROOM, most_pairs, work.budget())?;
        let programme = CutProgramme::new(relaxation, caps(relaxation, prices), &pairs, Vec::new());
        let shares = vec![0.0; programme.classes.len()];
        let steps = CutSteps::new(CutPoint { shares, prices: prices.to_vec(), multipliers: vec![] });
        let best = (relaxation.sum(prices), CutPrices { prices: prices.to_vec(), multipliers: vec![] });
        Some(OddSetSearch { relaxation, programme, steps, best, sums: vec![], most_pairs })
    }

    /// What is proven.
    pub(super) fn sum(&self) -> f64 {
        self.best.0
    }

    /// Whether the last rounds gained next to nothing.
    fn is_calm(&self) -> bool {
        self.sums.len().checked_sub(CALM.0 + 1).is_some_and(|at| self.best.0 <= self.sums[at] * (1.0 + CALM.1))
    }

    /// Searches until little is gained, the effort is spent or the time is over.
    fn run(&mut self, work: &mut WorkCounter<'_>, mut is_enough: impl FnMut(f64) -> bool) {
        while !self.is_calm() && !work.is_over() {
            self.sums.push(self.best.0);
            if self.round(work) || is_enough(self.best.0) {
                break;
            }
            let Some(sets) = violated_sets(&self.programme, &self.steps.at.shares, work.budget()) else { break };
            self.programme.add(self.relaxation, sets);
            let shares = std::mem::take(&mut self.steps.at.shares);
            self.steps.begin(&self.programme, shares);
            if self.is_capped() && !self.choose_pairs(work) {
                break;
            }
        }
    }

    /// Some steps; whether the search is over.
    fn round(&mut self, work: &mut WorkCounter<'_>) -> bool {
        let size = self.programme.size();
        for step in 1..=STEPS {
            work.spend(size as u64 * STEP_UNITS);
            did(size);
            self.steps.step(&self.programme);
            if step % BOUND_EVERY == 0 {
                work.spend(size as u64 * BOUND_UNITS);
                self.offer();
            }
            if work.is_over() {
                return true;
            }
        }
        false
    }

    /// Keeps the prices and multipliers of the steps, mended, if they prove more.
    fn offer(&mut self) {
        let mended = self.programme.mended(&self.steps.at.prices, &self.steps.at.multipliers);
        let sum = self.programme.sum(&mended);
        // What the steps do is not trusted, nor is the arithmetic of mending.
        if sum > self.best.0 && self.programme.allows(&mended) {
            self.best = (sum, mended);
        }
    }

    /// Whether prices that are at their caps may raise the bound.
    fn is_capped(&self) -> bool {
        let CutPoint { shares, prices, .. } = &self.steps.at;
        let gain = |(point, price): (usize, &f64)| {
            let cap = self.programme.caps[point];
            let classes = self.programme.classes_of_point.get(point).iter();
            let held: f64 = classes.map(|&class| shares[class as usize]).sum();
            let room = if *price >= cap - AT_CAP { (self.relaxation.star - cap).min(ROOM) } else { 0.0 };
            room * (self.programme.rows[point] - held).max(0.0)
        };
        prices.iter().enumerate().map(gain).sum::<f64>() > CAPPED * self.best.0
    }

    /// Chooses pairs and caps by the best prices; false when there are too many or the time was over before.
    fn choose_pairs(&mut self, work: &mut WorkCounter<'_>) -> bool {
        let prices = &self.best.1.prices;
        work.spend(self.relaxation.size() * PASS_UNITS);
        let Some(pairs) = near_pairs(self.relaxation, prices, ROOM, self.most_pairs, work.budget()) else {
            return false;
        };
        let sets = std::mem::take(&mut self.programme.sets);
        let programme = CutProgramme::new(self.relaxation, caps(self.relaxation, prices), &pairs, sets);
        let shares = programme.shares_from(&self.programme, &self.steps.at.shares);
        self.programme = programme;
        self.steps.begin(&self.programme, shares);
        true
    }
}

/// What prices may rise to.
fn caps(relaxation: &Relaxation<'_>, prices: &[f64]) -> Vec<f64> {
    prices.iter().map(|price| (price + ROOM).min(relaxation.star)).collect()
}

impl PriceSearch<'_, '_> {
    /// Raises the bound by cuts, if classes have at least two rows and the linear programme without cuts is solved; until
    /// little is gained, the effort is spent or the time is over. Reports each better sum, and ends when that is enough.
    /// Returns the work units that were spent. The prices of the search stay as they are.
    pub(crate) fn run_cuts(&mut self, budget: &Budget, is_enough: impl FnMut(f64) -> bool) -> u64 {
        let mut work = WorkCounter::new(budget);
        if self.relaxation.k != 2 || self.is_without_cuts || !self.is_calm() || work.is_over() {
            return 0;
        }
        if self.odd_sets.is_none() {
            self.odd_sets = OddSetSearch::new(self.relaxation, &self.best.1, &mut work);
            self.is_without_cuts = self.odd_sets.is_none() && !work.is_late();
        }
        if let Some(search) = &mut self.odd_sets {
            search.run(&mut work, is_enough);
        }
        work.spent()
    }
}
