//! Algorithm 4 of Kenig and Tassa (DMKD 2012), lazily: which record is taken next, and which of its rows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use incrowd_core::Stopped;

use super::Pricing;
use super::sets::CoverSets;
use crate::mining::ClosedRecords;
use crate::shard::{MinedShard, ShardClasses};
use crate::solver::clock::did;
use crate::solver::effort::WorkCounter;
use crate::solver::numbers::{to_u32, to_usize};

/// Number of points of records between two reports of progress and checks of the deadline.
const STRIDE: u64 = 1 << 15;
/// The work units of looking at a record, and of making a set of it, for each of its points.
const LOOK: u64 = 2;
const SET: u64 = 64;
/// Maximum number of places in which a stretch of new rows is tried.
const TRIES: usize = 64;

/// A record in the heap: its ratio, which is not negative and so ordered as its bits are; its new rows, many first; its
/// number.
type RatioEntry = Reverse<(u64, Reverse<u64>, u32)>;

struct Ratios<'a> {
    records: &'a ClosedRecords,
    k: u64,
    pricing: Pricing,
}

impl Ratios<'_> {
    /// The largest set.
    fn most(&self) -> u64 {
        2 * self.k - 1
    }

    /// The entry of a record that covers `new` new rows.
    fn entry(&self, record: u32, new: u64) -> RatioEntry {
        let (price, rows) = (self.records.price(record as usize), self.records.rows(record as usize));
        let new = new.min(self.most());
        let set = match self.pricing {
            Pricing::Printed => 1,
            Pricing::Weighted if rows <= self.most() => rows,
            Pricing::Weighted => new.max(self.k),
        };
        Reverse(((price * set as f64 / new as f64).to_bits(), Reverse(new), record))
    }
}

pub(super) fn cover(shard: &MinedShard<'_, '_>, pricing: Pricing) -> Result<ShardClasses, Stopped> {
    let &MinedShard { problem, budget, records, rows: rest, least: k, .. } = shard;
    let ratios = Ratios { records, k, pricing };
    let mut sets = CoverSets::new(problem, records.points(), rest, k);
    let entries = (0..to_u32(records.len())).map(|record| ratios.entry(record, records.rows(record as usize)));
    let mut heap: BinaryHeap<RatioEntry> = entries.collect();
    let (total, mut looked, mut rounds, mut cut_short) = (sets.free_rows(), STRIDE, 0, false);
    let mut work = WorkCounter::new(budget);
    while let Some(top) = heap.pop() {
        if looked >= STRIDE {
            budget.check()?;
            budget.tell(total - sets.free_rows(), Some(total));
            (cut_short, looked) = (budget.is_over(), 0);
        }
        if cut_short || work.is_spent() || sets.free_rows() == 0 {
            break;
        }
        let record = top.0.2;
        let (new, points) = sets.free_in(records, record);
        work.spend(points * LOOK);
        looked += points + 1;
        did(to_usize(points));
        if new == 0 {
            continue;
        }
        let fresh = ratios.entry(record, new);
        if fresh != top && heap.peek().is_some_and(|next| *next > fresh) {
            heap.push(fresh);
            continue;
        }
        rounds += 1;
        work.spend(points * SET);
        looked += points * SET / LOOK;
        if new >= ratios.most() {
            sets.take_new(records, record, ratios.most(), TRIES);
        } else {
            sets.take_all_new(records, record, new);
        }
        if new > ratios.most() {
            heap.push(ratios.entry(record, new - ratios.most()));
        }
    }
    let (classes, left) = sets.finish();
    Ok(ShardClasses { classes, left, rounds: Some(rounds), cut_short, work: work.spent() })
}
