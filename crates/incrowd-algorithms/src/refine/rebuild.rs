//! A few classes are undone and built anew from the cheapest records of their rows.
//!
//! Two ways are tried, both several times. *From scratch*: going through the records by rising price, the points that
//! are still free become a class as soon as they keep the policy; the order is disturbed a little. *Opening*: one
//! record becomes a class first, of the points that lose more where they are; classes that can do without them stand,
//! and only the points of those that cannot are parted from scratch. Which record is opened is drawn from those whose
//! points would gain most. What is left over joins the class that grows least, or one outside the pool that holds it
//! already.

use super::classes::{PointClass, PointClasses, RefineContext};
use super::moves::LEAST_GAIN;
use super::parting::{PoolDraft, PoolParting};
use super::pool::{PointPool, PoolRecords, each_bit};
use crate::Budget;
use crate::solver::PointRows;
use crate::solver::random::SplitMix64;

/// By which part the price of a record is disturbed at most, try by try.
const NOISE: [f64; 9] = [0.0, 0.1, 0.3, 0.6, 0.1, 0.3, 0.6, 0.1, 0.3];

/// The work of sorting, for each record.
const SORTED: u64 = 16;

/// How many records are opened.
const OPENED: usize = 64;

/// A record may be dearer by this factor than the dearest class so far: others may gain more than it loses.
const DEARER: f64 = 1.25;

/// What came of some classes: new ones, and rows that join classes outside the pool, which hold them already.
pub(super) struct Rebuilt {
    pub(super) classes: Vec<PointClass>,
    pub(super) moved: Vec<(PointRows, usize)>,
}

/// Undoes some classes and builds them anew, if that gains something, and how much work it was. Rows may go to any
/// class that is not `closed`. When the time is over, what was found until then.
pub(super) fn rebuild(
    context: &RefineContext<'_, '_>,
    classes: &PointClasses,
    places: &[usize],
    closed: &[bool],
    (chance, budget): (&mut SplitMix64, &Budget),
) -> (Option<Rebuilt>, u64) {
    if budget.is_over() {
        return (None, 0);
    }
    let undone: Vec<&PointClass> = places.iter().map(|&place| classes.get(place)).collect();
    let before: f64 = undone.iter().map(|class| class.loss()).sum();
    let highest = undone.iter().map(|class| class.price).fold(0.0, f64::max);
    // Rows of one point in two classes are two entries, so that either class can stand.
    let of_class =
        |(at, class): (usize, &&PointClass)| class.members.iter().map(|&member| (member, at)).collect::<Vec<_>>();
    let mut entries: Vec<(PointRows, usize)> = undone.iter().enumerate().flat_map(of_class).collect();
    entries.sort_unstable();
    let Some(pool) = PointPool::new(context, entries.iter().map(|entry| entry.0).collect(), budget) else {
        return (None, 1);
    };
    let mut standing = vec![vec![0u64; pool.words]; places.len()];
    entries.iter().enumerate().for_each(|(entry, &(_, at))| standing[at][entry / 64] |= 1 << (entry % 64));
    let records = pool.mine(context.judge.least(), highest * DEARER + LEAST_GAIN, budget);
    let outside: Vec<Option<(f64, usize)>> =
        entries.iter().map(|entry| holding(context, classes, entry.0.0, closed)).collect();
    let mut parting = PoolParting::new(context, &pool, &records, &outside, before - LEAST_GAIN);

    let plain = disturbed(&records, 0.0, chance);
    parting.part(None, &[], &plain);
    for &noise in NOISE[1..].iter().take_while(|_| !budget.is_over()) {
        parting.part(None, &[], &disturbed(&records, noise, chance));
    }
    let prices: Vec<f64> = entries.iter().map(|entry| undone[entry.1].price).collect();
    for record in promising(&pool, &records, &prices, chance).into_iter().take_while(|_| !budget.is_over()) {
        let all = records.points(record, pool.words);
        let mut gaining = all.to_vec();
        each_bit(all, |entry| {
            if prices[entry] <= records.prices[record] {
                gaining[entry / 64] &= !(1 << (entry % 64));
            }
        });
        parting.part(Some(&gaining), &standing, &plain);
        if gaining != all {
            parting.part(Some(all), &standing, &plain);
        }
    }
    // Orders are sorted, and every record is weighed once.
    let sorted = records.prices.len() as u64 * (SORTED * NOISE.len() as u64 + pool.words as u64);
    let work = records.work + parting.work() + sorted + entries.len() as u64 * classes.search_work();
    (parting.best().map(|PoolDraft { classes, moved, .. }| Rebuilt { classes, moved }), work)
}

/// The records by rising price, each price raised by chance by at most a part of itself.
fn disturbed(records: &PoolRecords, noise: f64, chance: &mut SplitMix64) -> Vec<u32> {
    let key = |(price, record): (&f64, u32)| (price * (1.0 + noise * chance.share()), record);
    let mut keys: Vec<(f64, u32)> = records.prices.iter().zip(0..).map(key).collect();
    keys.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    keys.into_iter().map(|(_, record)| record).collect()
}

/// Some of the records whose points, which lose `prices` so far, would gain most in them.
fn promising(pool: &PointPool, records: &PoolRecords, prices: &[f64], chance: &mut SplitMix64) -> Vec<usize> {
    let mut gains: Vec<(f64, usize)> = Vec::with_capacity(records.prices.len());
    for (record, &price) in records.prices.iter().enumerate() {
        let mut gain = 0.0;
        let of_entry = |entry: usize| pool.members[entry].1 as f64 * (prices[entry] - price).max(0.0);
        each_bit(records.points(record, pool.words), |entry| gain += of_entry(entry));
        if gain > 0.0 {
            gains.push((gain * (0.5 + chance.share()), record));
        }
    }
    if gains.len() > OPENED {
        gains.select_nth_unstable_by(OPENED, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        gains.truncate(OPENED);
    }
    gains.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    gains.into_iter().map(|(_, record)| record).collect()
}

/// The cheapest class outside the pool that holds a point. A policy that looks at more than rows would have to be asked
/// again when several pools give rows to one class, so there is none then.
fn holding(
    context: &RefineContext<'_, '_>,
    classes: &PointClasses,
    point: u32,
    closed: &[bool],
) -> Option<(f64, usize)> {
    let mut best: Option<(f64, usize)> = None;
    if context.judge.only_counts_rows() {
        classes.near(point, 0, |place, class| {
            if !closed[place] && best.is_none_or(|best| class.price < best.0) {
                // The index finds a class too many where leaves share a bitmap.
                let leaves = context.points.leaves(point);
                let mut grown = class.nodes.clone();
                context.space.widen(&mut grown, leaves);
                best = if grown == class.nodes { Some((class.price, place)) } else { best };
            }
        });
    }
    best
}
