//! The best classes of some rows: branch and bound with the prices and multipliers of the cuts.
//!
//! The *excess* of classes is what they lose above what prices and multipliers prove for their rows. A class adds its
//! slack, and for each set of which it takes rows what the set's multiplier can no longer give: ⌊r/2⌋ falls by more than
//! the class uses, with r the rows of the set that are left. Both are never negative, so that a search may end where the
//! excess reaches that of known classes. It is repeated with limits that rise: with a small one few classes are possible.

use std::collections::HashMap;

use crate::bounds::CutProof;
use crate::mining::ClosedRecords;
use crate::solver::clock::did;
use crate::solver::numbers::ordered;
use crate::solver::random::SplitMix64;

/// Maximum number of rows of a group: the bits of a number.
pub(super) const ROWS: usize = 64;
/// Maximum number of steps of a search with one limit.
const STEPS: usize = 1 << 13;
/// The limits of the searches, as parts of the excess that is known.
const LIMITS: [f64; 4] = [0.01, 0.1, 0.4, 1.0];
/// Work units of a step, and of a pair of rows.
const STEP_UNITS: u64 = 16;
const PAIR_UNITS: u64 = 8;
/// A smaller gain is none.
pub(super) const GAIN: f64 = 1e-7;

/// Rows of a group, as bits.
pub(super) type GroupRowSet = u64;

/// A class that rows of a group may form, and what it loses above their prices and the multipliers of its sets.
#[derive(Clone, Copy)]
struct GroupClass {
    rows: GroupRowSet,
    slack: f64,
}

/// A search for the best classes of some rows.
pub(super) struct GroupSearch<'a> {
    records: &'a ClosedRecords,
    proof: &'a CutProof,
    /// The point of each row.
    points: &'a [u32],
    /// The sets with two rows of the group or more: their multipliers and their rows.
    sets: Vec<(f64, GroupRowSet)>,
    /// For each row the last one before it that has the same point.
    alike: Vec<GroupRowSet>,
    /// The classes of each row with those after it, by rising slack.
    classes: Vec<Vec<GroupClass>>,
    /// The least excess with which the rows that were left were met before.
    met: HashMap<GroupRowSet, f64>,
    taken: Vec<GroupRowSet>,
    /// What is to be undercut, and the classes that do so.
    least: f64,
    found: Option<Vec<GroupRowSet>>,
    steps: usize,
    work: u64,
}

/// This number of rows, all.
fn all_rows(count: usize) -> GroupRowSet {
    GroupRowSet::MAX >> (ROWS - count.clamp(1, ROWS))
}

/// The places of the bits.
pub(super) fn places(mut rows: GroupRowSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = rows.trailing_zeros() as usize;
        rows &= rows.wrapping_sub(1);
        (place < ROWS).then_some(place)
    })
}

impl<'a> GroupSearch<'a> {
    /// A search for rows by their points.
    pub(super) fn new(records: &'a ClosedRecords, proof: &'a CutProof, points: &'a [u32]) -> Self {
        let mut numbers: Vec<u32> = points.iter().flat_map(|&point| proof.sets_of(point)).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let rows_of = |set: u32| {
            let inside = |row: &usize| proof.sets_of(points[*row]).contains(&set);
            (0..points.len()).filter(inside).fold(0, |rows, row| rows | 1 << row)
        };
        let sets = numbers.into_iter().map(|set| (proof.multipliers[set as usize], rows_of(set)));
        let before = |row: usize| (0..row).rev().find(|&other| points[other] == points[row]);
        GroupSearch {
            records,
            proof,
            points,
            sets: sets.filter(|set: &(f64, GroupRowSet)| set.0 > 0.0 && set.1.count_ones() >= 2).collect(),
            alike: (0..points.len()).map(|row| before(row).map_or(0, |other| 1 << other)).collect(),
            classes: Vec::new(),
            met: HashMap::new(),
            taken: Vec::new(),
            least: 0.0,
            found: None,
            steps: 0,
            work: 0,
        }
    }

    /// Classes with less excess than those now, if the search finds any. Chance decides between classes that are alike.
    pub(super) fn run(mut self, now: &[GroupRowSet], chance: u64) -> (Option<Vec<GroupRowSet>>, u64) {
        let (mut left, mut excess) = (all_rows(self.points.len()), 0.0);
        for &class in now {
            let points: Vec<u32> = places(class).map(|row| self.points[row]).collect();
            excess += self.slack(&points, class) + self.unused(left, class);
            left &= !class;
        }
        for limit in LIMITS {
            if self.found.is_some() || excess < GAIN {
                break;
            }
            self.least = excess * limit - GAIN;
            self.find_classes(chance);
            self.met.clear();
            self.steps = 0;
            self.search(all_rows(self.points.len()), 0.0);
            did(self.steps);
            self.work += STEP_UNITS * self.steps as u64;
        }
        (self.found, self.work)
    }

    fn slack(&self, points: &[u32], class: GroupRowSet) -> f64 {
        let prices: f64 = points.iter().map(|&point| self.proof.prices[point as usize]).sum();
        let multipliers = self.sets.iter().filter(|set| (set.1 & class).count_ones() >= 2).map(|set| set.0);
        points.len() as f64 * self.records.price_of_join(points) - prices + multipliers.sum::<f64>()
    }

    /// What multipliers can no longer give when a class takes rows.
    fn unused(&self, left: GroupRowSet, class: GroupRowSet) -> f64 {
        let of_set = |&(multiplier, rows): &(f64, GroupRowSet)| {
            let (had, taken) = ((rows & left).count_ones(), (rows & class).count_ones());
            multiplier * f64::from(had / 2 - (had - taken) / 2 - u32::from(taken >= 2))
        };
        self.sets.iter().filter(|set| set.1 & class != 0).map(of_set).sum()
    }

    /// The classes whose slack is below the limit.
    fn find_classes(&mut self, chance: u64) {
        let (points, limit) = (self.points, self.least);
        let price = |row: usize| self.proof.prices[points[row] as usize];
        let mut classes: Vec<Vec<GroupClass>> = Vec::with_capacity(points.len());
        for one in 0..points.len() {
            let mut of_row = Vec::new();
            for two in one + 1..points.len() {
                let pair = [points[one], points[two]];
                let loss = self.records.price_of_join(&pair);
                let both: GroupRowSet = 1 << one | 1 << two;
                let slack = self.slack(&pair, both);
                if slack < limit {
                    of_row.push(GroupClass { rows: both, slack });
                }
                for (three, &third) in (two + 1..).zip(&points[two + 1..]) {
                    // A row of a triple loses no less than one of a pair in it.
                    if 3.0 * loss - price(one) - price(two) - price(three) < limit {
                        let slack = self.slack(&[pair[0], pair[1], third], both | 1 << three);
                        if slack < limit {
                            of_row.push(GroupClass { rows: both | 1 << three, slack });
                        }
                    }
                }
            }
            // Classes with the same slack come in any order.
            let drawn = |rows: GroupRowSet| SplitMix64::for_use(chance, [rows, 0]).next();
            of_row.sort_by_cached_key(|class| (ordered((class.slack / GAIN).round()), drawn(class.rows)));
            classes.push(of_row);
        }
        did(points.len() * points.len());
        self.work += PAIR_UNITS * (points.len() * points.len()) as u64;
        self.classes = classes;
    }

    fn search(&mut self, left: GroupRowSet, excess: f64) {
        if left == 0 {
            self.least = excess - GAIN;
            self.found = Some(self.taken.clone());
            return;
        }
        self.steps += 1;
        if self.steps > STEPS {
            return;
        }
        let known = self.met.entry(left).or_insert(f64::INFINITY);
        if *known <= excess {
            return;
        }
        *known = excess;
        let row = left.trailing_zeros() as usize;
        for at in 0..self.classes[row].len() {
            let GroupClass { rows, slack } = self.classes[row][at];
            if excess + slack >= self.least {
                break;
            }
            if rows & !left != 0 || !self.takes_first(rows, left) {
                continue;
            }
            let next = excess + slack + self.unused(left, rows);
            if next < self.least {
                self.taken.push(rows);
                self.search(left & !rows, next);
                self.taken.pop();
            }
        }
    }

    /// Whether a class takes the first of rows that are alike.
    fn takes_first(&self, rows: GroupRowSet, left: GroupRowSet) -> bool {
        places(rows).all(|row| self.alike[row] & left & !rows == 0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Lm, Policy};

    use super::super::super::super::deadline_tests::table;
    use super::*;
    use crate::bounds::{PriceSearch, Relaxation, stored_records};
    use crate::{Budget, Problem};

    /// The least loss of classes of two rows or more: of every set of rows the best way to divide it.
    fn optimum(records: &ClosedRecords, points: &[u32]) -> f64 {
        let mut best = vec![0.0];
        for set in 1usize..1 << points.len() {
            let first = set & set.wrapping_neg();
            let loss = |part: usize| {
                let class: Vec<u32> = places(part as u64).map(|row| points[row]).collect();
                let price = if class.len() < 2 { f64::INFINITY } else { records.price_of_join(&class) };
                class.len() as f64 * price
            };
            let parts = (1..=set).filter(|part| part & !set == 0 && part & first != 0);
            best.push(parts.map(|part| loss(part) + best[set ^ part]).fold(f64::INFINITY, f64::min));
        }
        best[best.len() - 1]
    }

    #[test]
    fn the_classes_of_a_group_are_the_best_of_all() {
        let (table, quasi) = table(300);
        let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(2), &Lm, 1).unwrap();
        let budget = Budget::default();
        let records = stored_records(&problem, &problem.all_rows(), 2, &budget).unwrap().unwrap();
        let relaxation = Relaxation::new(&records, 2, problem.star_price());
        let mut search = PriceSearch::new(&relaxation, &budget).unwrap();
        search.run(&budget, |_| false);
        search.run_cuts(&budget, |_| false);
        let proof = search.proof_by_cuts().unwrap();
        let mut chance = SplitMix64::new(1);
        let mut gained = 0;
        for case in 0..60 {
            // Neighbours in the order of points are near to each other.
            let first = u32::try_from(chance.below(records.points().len() - 30)).unwrap();
            let row_list = |point: u32| (0..records.points().rows(point)).map(move |_| point);
            let points: Vec<u32> = (first..).step_by(3).flat_map(row_list).take(10).collect();
            let now = [0b11, 0b1100, 0b11_0000, 0b11_0000_0000, 0b1100_0000];
            let loss = |classes: &[GroupRowSet]| -> f64 {
                let of = |class: &GroupRowSet| places(*class).map(|row| points[row]).collect::<Vec<u32>>();
                classes.iter().map(|class| of(class).len() as f64 * records.price_of_join(&of(class))).sum()
            };
            let (found, _) = GroupSearch::new(&records, &proof, &points).run(&now, case);
            let lost = found.as_ref().map_or(loss(&now), |classes| loss(classes));
            gained += usize::from(lost < loss(&now));
            let least = optimum(&records, &points);
            assert!((lost - least).abs() < 1e-5, "{lost} {least}");
        }
        assert!(gained > 20, "{gained}");
    }
}
