//! The steps of the first-order method for classes of two or three rows with cuts.
//!
//! They are those of the linear programme of all records (`primal_dual.rs`), with the length of each step divided by the
//! number of terms of its share, price or multiplier: T. Pock and A. Chambolle, "Diagonal preconditioning for first order
//! primal-dual algorithms in convex optimization", 2011.

use rayon::prelude::*;

use super::programme::CutProgramme;

/// Steps are a little shorter than what is proven to converge.
const LENGTH: f64 = 0.98;
/// The length of the steps of prices, relative to those of shares, at the beginning; at least and at most.
const BALANCE: f64 = 0.3;
const BALANCES: (f64, f64) = (1e-3, 1e2);
/// How much a new balance counts.
const NEW_BALANCE: f64 = 0.3;
/// When the anchor is set anew, as for the programme of all records.
const RESTART: (f64, f64, f64) = (0.2, 0.8, 0.36);
const FEW: usize = 10;
/// Number of shares, and of prices, that a thread moves together.
const TOGETHER: usize = 1 << 11;

/// Shares of classes, prices of points and multipliers of sets.
#[derive(Clone, Default)]
pub(super) struct CutPoint {
    pub(super) shares: Vec<f64>,
    pub(super) prices: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
}

/// They on their way, and what the method remembers.
pub(super) struct CutSteps {
    pub(super) at: CutPoint,
    anchor: CutPoint,
    /// The shares reflected at their last step.
    reflected: Vec<f64>,
    balance: f64,
    steps: usize,
    since: usize,
    first: f64,
    last: f64,
}

impl CutSteps {
    pub(super) fn new(at: CutPoint) -> Self {
        let (anchor, far) = (at.clone(), f64::INFINITY);
        CutSteps { at, anchor, reflected: vec![], balance: BALANCE, steps: 0, since: 0, first: far, last: far }
    }

    /// Goes on with other classes and sets, of which there are no fewer sets.
    pub(super) fn begin(&mut self, programme: &CutProgramme<'_>, shares: Vec<f64>) {
        self.at.shares = shares;
        self.at.shares.resize(programme.classes.len(), 0.0);
        self.at.multipliers.resize(programme.sets.len(), 0.0);
        self.steps = 0;
        self.restart();
    }

    fn restart(&mut self) {
        self.anchor.clone_from(&self.at);
        (self.since, self.last) = (0, f64::INFINITY);
    }

    /// One step of all shares, and then of all prices and multipliers.
    pub(super) fn step(&mut self, programme: &CutProgramme<'_>) {
        let weight = 1.0 / (self.since as f64 + 2.0);
        let shares = self.move_shares(programme, weight);
        let prices = self.move_prices(programme, weight);
        let length = (self.balance * shares + prices / self.balance).sqrt();
        (self.since, self.steps) = (self.since + 1, self.steps + 1);
        self.first = if self.since == 1 { length } else { self.first };
        let is_long = self.since as f64 >= RESTART.2 * self.steps as f64 && self.since > FEW;
        let is_short = length <= RESTART.0 * self.first || (length <= RESTART.1 * self.first && length > self.last);
        self.last = length;
        if is_short || is_long {
            self.rebalance(programme);
            self.restart();
        }
    }

    /// The squared length of the step, each share counted by its terms.
    fn move_shares(&mut self, programme: &CutProgramme<'_>, weight: f64) -> f64 {
        let CutPoint { shares, prices, multipliers } = &mut self.at;
        self.reflected.resize(shares.len(), 0.0);
        let step = LENGTH / self.balance;
        let chunks = shares.par_chunks_mut(TOGETHER).zip(self.reflected.par_chunks_mut(TOGETHER)).enumerate();
        let lengths: Vec<f64> = chunks
            .map(|(chunk, (shares, reflected))| {
                let mut length = 0.0;
                for (class, (share, reflected)) in (chunk * TOGETHER..).zip(shares.iter_mut().zip(reflected)) {
                    let terms = terms_of_class(programme, class);
                    let next = (*share - step / terms * programme.slack(class, prices, multipliers)).max(0.0);
                    length += terms * (next - *share) * (next - *share);
                    *reflected = 2.0 * next - *share;
                    *share = (1.0 - weight) * *reflected + weight * self.anchor.shares[class];
                }
                length
            })
            .collect();
        lengths.into_iter().sum()
    }

    fn move_prices(&mut self, programme: &CutProgramme<'_>, weight: f64) -> f64 {
        let (step, reflected) = (LENGTH * self.balance, &self.reflected);
        let held = |classes: &[u32]| classes.iter().map(|&class| reflected[class as usize]).sum::<f64>();
        let chunks = self.at.prices.par_chunks_mut(TOGETHER).enumerate();
        let lengths: Vec<f64> = chunks
            .map(|(chunk, prices)| {
                let mut length = 0.0;
                for (point, price) in (chunk * TOGETHER..).zip(prices) {
                    let classes = programme.classes_of_point.get(point);
                    let terms = classes.len().max(1) as f64;
                    let next = *price + step / terms * (programme.rows[point] - held(classes));
                    let next = next.min(programme.caps[point]);
                    length += terms * (next - *price) * (next - *price);
                    *price = (1.0 - weight) * (2.0 * next - *price) + weight * self.anchor.prices[point];
                }
                length
            })
            .collect();
        let mut length: f64 = lengths.into_iter().sum();
        for (set, multiplier) in self.at.multipliers.iter_mut().enumerate() {
            let classes = programme.classes_of_set.get(set);
            let terms = classes.len().max(1) as f64;
            let next = (*multiplier + step / terms * (held(classes) - programme.sets[set].most)).max(0.0);
            length += terms * (next - *multiplier) * (next - *multiplier);
            *multiplier = (1.0 - weight) * (2.0 * next - *multiplier) + weight * self.anchor.multipliers[set];
        }
        length
    }

    /// Makes steps of prices as long as those of shares, by how far both have come.
    fn rebalance(&mut self, programme: &CutProgramme<'_>) {
        let far = |now: &[f64], before: &[f64], terms: &dyn Fn(usize) -> f64| -> f64 {
            let moved = now.iter().zip(before).enumerate();
            moved.map(|(at, (now, before))| terms(at) * (now - before) * (now - before)).sum()
        };
        let of = |lists: &[u32]| lists.len().max(1) as f64;
        let (at, anchor) = (&self.at, &self.anchor);
        let shares = far(&at.shares, &anchor.shares, &|class| terms_of_class(programme, class));
        let prices = far(&at.prices, &anchor.prices, &|point| of(programme.classes_of_point.get(point)))
            + far(&at.multipliers, &anchor.multipliers, &|set| of(programme.classes_of_set.get(set)));
        if shares > 0.0 && prices > 0.0 {
            let balance = (prices / shares).sqrt().ln() * NEW_BALANCE + self.balance.ln() * (1.0 - NEW_BALANCE);
            self.balance = balance.exp().clamp(BALANCES.0, BALANCES.1);
        }
    }
}

fn terms_of_class(programme: &CutProgramme<'_>, class: usize) -> f64 {
    (programme.classes[class].points().len() + programme.sets_of_class.get(class).len()) as f64
}
