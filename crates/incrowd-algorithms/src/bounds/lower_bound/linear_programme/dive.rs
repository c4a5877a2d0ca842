//! A dive: records are opened for good, those with the largest shares first, while the others adapt.
//!
//! The linear programme says which records to open, but divides rows among them. A record that is opened has the share
//! 1 from then on: its rows are k or more. A few steps later the shares of the others have changed, and the next
//! records are opened, until few rows are left. Of records that compete for the same rows only as many are opened at
//! once as there are rows for. Chance has a say in the order, so that several dives end differently.
//!
//! **Merging.** A dive may also be among the records of some releases alone ([`Dive::among`]). They are few, so the
//! linear programme of these is solved quickly, and what it opens takes from each release what is best in it.

use super::primal_dual::PrimalDual;
use super::relaxation::Relaxation;
use super::working_set::WorkingSet;
use super::{PriceSearch, ROOM, STEP_UNITS};
use crate::Budget;
use crate::solver::effort::WorkCounter;
use crate::solver::random::SplitMix64;

/// Maximum number of times that records are opened.
const ROUNDS: usize = 100;
/// Records with this share are opened in any case; those with less than the second never.
const SHARES: (f64, f64) = (0.95, 0.02);
/// A record is opened if it finds this part of k rows that are not taken by others.
const FREE: f64 = 0.9;
/// The dive ends when no more than this part of the rows is left.
const LEFT: f64 = 0.04;

/// How a dive is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DiveStyle {
    /// Number of steps before the first record is opened.
    pub(crate) before: usize,
    /// Number of steps between two times that records are opened.
    pub(crate) steps: usize,
    /// The part of the classes that are still to be opened that is opened at once, at least.
    pub(crate) at_once: f64,
    /// By which part chance may change a record's share in the order.
    pub(crate) noise: f64,
}

/// A record that was opened.
pub(crate) struct OpenRecord {
    /// What a row of it loses.
    pub(crate) price: f64,
    /// Its points, each with the share that it takes of their rows.
    pub(crate) points: Vec<(u32, f64)>,
}

/// A record that may be opened.
pub(crate) struct CandidateRecord {
    /// What a row of it loses.
    pub(crate) price: f64,
    /// The points inside it, ascending.
    pub(crate) points: Vec<u32>,
}

/// Records that may be opened, with their shares, and prices of rows.
#[derive(Clone)]
pub(crate) struct Dive<'a, 'r> {
    relaxation: &'a Relaxation<'r>,
    set: WorkingSet,
    steps: PrimalDual,
    caps: Vec<f64>,
}

impl<'a, 'r> PriceSearch<'a, 'r> {
    /// A dive from where the search is; none before its first steps.
    pub(crate) fn dive(&self) -> Option<Dive<'a, 'r>> {
        let star = self.relaxation.star;
        let caps = self.best.1.iter().map(|price| (price + ROOM).min(star)).collect();
        let set = self.set.clone()?;
        Some(Dive { relaxation: self.relaxation, set, steps: self.steps.clone(), caps })
    }
}

impl<'a, 'r> Dive<'a, 'r> {
    /// A dive among some records, from the prices of a search.
    pub(crate) fn among(search: &PriceSearch<'a, 'r>, records: &[CandidateRecord]) -> Self {
        let relaxation = search.relaxation;
        let set = WorkingSet::among(relaxation, records);
        let caps = vec![relaxation.star; search.best.1.len()];
        Dive { relaxation, set, steps: PrimalDual::new(search.best.1.clone()), caps }
    }

    /// Opens records until most rows are taken, in an order that depends on the shares and on chance. When the effort is
    /// spent or the time is over, those that were opened by then. Returns the work units that were spent, too.
    pub(crate) fn run(mut self, style: DiveStyle, chance: &mut SplitMix64, budget: &Budget) -> (Vec<OpenRecord>, u64) {
        let mut work = WorkCounter::new(budget);
        let mut is_over = self.go(style.before, &mut work);
        let all: f64 = self.relaxation.rows.iter().sum();
        for _ in 0..ROUNDS {
            let mut free = self.set.free_shares();
            let left: f64 = free.iter().zip(&self.relaxation.rows).map(|(free, rows)| free.max(0.0) * rows).sum();
            if is_over || left <= LEFT * all || !self.open_largest(style, chance, &mut free, left) {
                break;
            }
            is_over = self.go(style.steps, &mut work);
        }
        (self.set.open_records(), work.spent())
    }

    /// Some steps; whether the effort is spent or the time over.
    fn go(&mut self, steps: usize, work: &mut WorkCounter<'_>) -> bool {
        self.steps.begin(&mut self.set);
        (0..steps).any(|_| {
            work.spend(self.set.size() as u64 * STEP_UNITS);
            !self.steps.step(self.relaxation, &mut self.set, &self.caps, work.budget()) || work.is_over()
        })
    }

    /// Opens the records with the largest shares; whether there are any.
    fn open_largest(&mut self, style: DiveStyle, chance: &mut SplitMix64, free: &mut [f64], left: f64) -> bool {
        let k = self.relaxation.k as f64;
        let mut candidates = self.set.closed_records();
        candidates.sort_by_key(|candidate| candidate.number);
        let mut keyed: Vec<_> =
            candidates.into_iter().map(|it| (it.share * (1.0 + style.noise * (chance.share() - 0.5)), it)).collect();
        keyed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.number.cmp(&b.1.number)));
        let wanted = (left / k * style.at_once).max(1.0);
        let mut opened = 0.0;
        for (_, candidate) in keyed.into_iter().filter(|(_, candidate)| candidate.share >= SHARES.1) {
            if opened >= wanted && candidate.share < SHARES.0 {
                continue;
            }
            if self.set.open(candidate, free, FREE * k) {
                opened += 1.0;
            }
        }
        opened > 0.0
    }
}
