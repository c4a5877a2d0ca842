//! A dive: records are opened for good, those with the largest shares first, while the others adapt.
//!
//! The linear programme says which records to open, but divides rows among them. A record that is opened has the share
//! 1 from then on: its rows are k or more. A few steps later the shares of the others have changed, and the next
//! records are opened, until few rows are left. Of records that compete for the same rows only as many are opened at
//! once as there are rows for.

use super::working_set::WorkingSet;
use super::{PriceSearch, ROOM};

/// Maximum number of times that records are opened.
const ROUNDS: usize = 30;
/// Number of steps between them.
const STEPS: usize = 15;
/// The part of the classes that are still to be opened that is opened at once, at least.
const AT_ONCE: f64 = 0.1;
/// Records with this share are opened in any case; those with less than the second never.
const SHARES: (f64, f64) = (0.95, 0.02);
/// A record is opened if it finds this part of k rows that are not taken by others.
const FREE: f64 = 0.9;
/// The dive ends when no more than this part of the rows is left.
const LEFT: f64 = 0.04;

/// A record that was opened.
pub(crate) struct OpenRecord {
    /// Its number among the closed frequent records.
    pub(crate) number: u32,
    /// Its points, each with the share that it takes of their rows.
    pub(crate) points: Vec<(u32, f64)>,
}

impl PriceSearch<'_, '_> {
    /// Opens records until most rows are taken, in a fixed order. When the effort is spent or the time is over, those
    /// that were opened by then.
    pub(crate) fn dive(&mut self) -> Vec<OpenRecord> {
        let Some(mut set) = self.set.take() else { return Vec::new() };
        let star = self.relaxation.star;
        let caps: Vec<f64> = self.best.1.iter().map(|price| (price + ROOM).min(star)).collect();
        let all: f64 = self.relaxation.rows.iter().sum();
        for _ in 0..ROUNDS {
            let mut free = set.free_shares();
            let left: f64 = free.iter().zip(&self.relaxation.rows).map(|(free, rows)| free.max(0.0) * rows).sum();
            if left <= LEFT * all || !self.open_largest(&mut set, &mut free, left) {
                break;
            }
            set.set_anchor();
            let anchor = self.prices.clone();
            for since in 0..STEPS {
                self.spend_step(&set);
                if self.step(&mut set, (&caps, &anchor), since).is_none() || self.work.is_over() {
                    return set.open_records();
                }
            }
        }
        set.open_records()
    }

    /// Opens the records with the largest shares; whether there are any.
    fn open_largest(&self, set: &mut WorkingSet, free: &mut [f64], left: f64) -> bool {
        let k = self.relaxation.k as f64;
        let mut candidates = set.closed_records();
        candidates.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.number.cmp(&b.number)));
        let wanted = (left / k * AT_ONCE).max(1.0);
        let mut opened = 0.0;
        for candidate in candidates {
            if candidate.share < SHARES.1 || (opened >= wanted && candidate.share < SHARES.0) {
                break;
            }
            if set.open(candidate, free, FREE * k) {
                opened += 1.0;
            }
        }
        opened > 0.0
    }
}
