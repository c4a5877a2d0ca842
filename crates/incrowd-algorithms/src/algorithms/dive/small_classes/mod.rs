//! Classes of two and three rows that lose nearly as little as the bound with cuts says.
//!
//! Where classes need two rows, some release of classes of two and three rows loses least, and the linear programme with
//! the cuts of odd sets (`bounds/lower_bound/linear_programme/odd_sets/`) knows nearly all of it: its shares are rounded
//! ([`rounding`]), and then classes lose more than prices and multipliers prove in a few places only. Rows around such
//! a place are put into the best classes that they have, by branch and bound ([`group_search`]): the rows that are
//! joined to a group are those in classes with small slack, so that a row that is left over in one place finds its way to
//! another along classes that are as cheap. Groups have all sizes and begin anew around each place, until a number of rounds
//! gain next to nothing.

mod group_search;
mod rounding;

use rayon::prelude::*;

use crate::Budget;
use crate::bounds::CutProof;
use crate::mining::ClosedRecords;
use crate::solver::effort::WorkCounter;
use crate::solver::numbers::to_u32;
use crate::solver::random::SplitMix64;
use group_search::{GAIN, GroupRowSet, GroupSearch, ROWS, places};
use rounding::RoundedClasses;

/// The sizes of groups in rows.
const SIZES: [usize; 6] = [12, 24, 16, 48, 32, 64];
/// The search ends when this number of rounds together gains less than this share.
const CALM: (usize, f64) = (60, 1e-5);
/// By how much chance changes the order in which classes join a group.
const CHANCE: f64 = 0.7;
/// A class whose slack is this small joins as early as one without.
const SLACK: f64 = 0.01;

/// Rows in classes of two and three.
pub(super) struct SmallClasses<'a> {
    records: &'a ClosedRecords,
    proof: &'a CutProof,
    /// The point of each row, ascending, and where the rows of each point begin.
    points: Vec<u32>,
    starts: Vec<u32>,
    /// The rows of each class.
    classes: Vec<Vec<u32>>,
    class_of: Vec<u32>,
}

impl<'a> SmallClasses<'a> {
    /// The rounded classes of the linear programme; none when there are fewer than two rows.
    pub(super) fn new(records: &'a ClosedRecords, proof: &'a CutProof) -> Option<Self> {
        let rounded = RoundedClasses::new(records, proof)?;
        let all = records.points();
        let points: Vec<u32> = all.numbers().flat_map(|point| (0..all.rows(point)).map(move |_| point)).collect();
        let starts = all.numbers().map(|point| to_u32(points.partition_point(|other| *other < point)));
        let starts: Vec<u32> = starts.chain([to_u32(points.len())]).collect();
        let mut next = starts.clone();
        let class_of = vec![0; points.len()];
        let mut small = SmallClasses { records, proof, points, starts, classes: vec![], class_of };
        for class in rounded.classes {
            let mut rows: Vec<u32> = Vec::new();
            for point in class {
                rows.push(next[point as usize]);
                next[point as usize] += 1;
            }
            while rows.len() > 3 {
                let rest = rows.split_off(2);
                small.push(std::mem::replace(&mut rows, rest));
            }
            small.push(rows);
        }
        Some(small)
    }

    fn push(&mut self, rows: Vec<u32>) {
        let number = to_u32(self.classes.len());
        rows.iter().for_each(|&row| self.class_of[row as usize] = number);
        self.classes.push(rows);
    }

    fn points_of(&self, rows: &[u32]) -> Vec<u32> {
        rows.iter().map(|&row| self.points[row as usize]).collect()
    }

    /// What all rows lose.
    pub(super) fn loss(&self) -> f64 {
        self.classes.iter().map(|rows| rows.len() as f64 * self.records.price_of_join(&self.points_of(rows))).sum()
    }

    /// The points of the rows of each class, ascending.
    pub(super) fn classes(self) -> Vec<Vec<u32>> {
        let mut classes: Vec<Vec<u32>> = self.classes.iter().map(|rows| self.points_of(rows)).collect();
        classes.iter_mut().for_each(|class| class.sort_unstable());
        classes.sort_unstable();
        classes
    }

    /// Improves classes in rounds until little is gained, the effort is spent or the time is over; returns the work units.
    pub(super) fn run(&mut self, chance: &mut SplitMix64, budget: &Budget) -> u64 {
        let mut work = WorkCounter::new(budget);
        let mut losses = vec![self.loss()];
        for size in SIZES.into_iter().cycle() {
            let groups = self.groups(size.min(ROWS), chance);
            // Without an excess the classes lose what is proven.
            if groups.is_empty() {
                break;
            }
            let Some(spent) = self.improve(&groups, chance.next(), budget) else { break };
            work.spend(spent);
            losses.push(self.loss());
            let last = losses[losses.len() - 1];
            let is_calm = losses.len().checked_sub(CALM.0 + 1).is_some_and(|at| last > losses[at] * (1.0 - CALM.1));
            if is_calm || work.is_over() {
                break;
            }
        }
        work.spent()
    }

    /// What each class loses above the prices of its rows and what it leaves unused of its sets, in part.
    fn excesses(&self) -> Vec<f64> {
        let mut used = vec![0.0; self.proof.multipliers.len()];
        for rows in &self.classes {
            let mut sets: Vec<u32> =
                rows.iter().flat_map(|&row| self.proof.sets_of(self.points[row as usize])).copied().collect();
            sets.sort_unstable();
            sets.chunk_by(|a, b| a == b)
                .filter(|alike| alike.len() >= 2)
                .for_each(|alike| used[alike[0] as usize] += 1.0);
        }
        let excess = |rows: &Vec<u32>| {
            let points = self.points_of(rows);
            let prices: f64 = points.iter().map(|&point| self.proof.prices[point as usize]).sum();
            let mut sets: Vec<u32> = points.iter().flat_map(|&point| self.proof.sets_of(point)).copied().collect();
            sets.sort_unstable();
            let of_sets = sets.chunk_by(|a, b| a == b).map(|alike| {
                let (set, is_in) = (alike[0] as usize, alike.len() >= 2);
                let is_unused = used[set] < self.proof.most[set];
                self.proof.multipliers[set] * (f64::from(is_in) + f64::from(is_unused))
            });
            rows.len() as f64 * self.records.price_of_join(&points) - prices + of_sets.sum::<f64>()
        };
        self.classes.par_iter().map(excess).collect()
    }

    /// Puts the rows of each group into better classes; the work units, or none when the time was over.
    fn improve(&mut self, groups: &[Vec<u32>], seed: u64, budget: &Budget) -> Option<u64> {
        let search = |group: &Vec<u32>| {
            if budget.is_over() {
                return None;
            }
            let rows: Vec<u32> = group.iter().flat_map(|&class| self.classes[class as usize].iter().copied()).collect();
            let (points, mut at) = (self.points_of(&rows), 0);
            let bits = |class: &u32| {
                let begin = at;
                at += self.classes[*class as usize].len();
                (begin..at).fold(0, |bits: GroupRowSet, row| bits | 1 << row)
            };
            let now: Vec<GroupRowSet> = group.iter().map(bits).collect();
            let (found, work) = GroupSearch::new(self.records, self.proof, &points).run(&now, seed);
            let of_bits = |bits: GroupRowSet| places(bits).map(|at| rows[at]).collect::<Vec<u32>>();
            Some((found.map(|classes| classes.into_iter().map(of_bits).collect::<Vec<_>>()), work))
        };
        let searched: Vec<_> = groups.par_iter().map(search).collect::<Option<Vec<_>>>()?;
        let mut is_gone = vec![false; self.classes.len()];
        let (mut new, mut spent) = (Vec::new(), self.points.len() as u64);
        for (group, (classes, work)) in groups.iter().zip(searched) {
            spent += work;
            if let Some(classes) = classes {
                group.iter().for_each(|&class| is_gone[class as usize] = true);
                new.extend(classes);
            }
        }
        let old = std::mem::take(&mut self.classes);
        let kept = old.into_iter().zip(is_gone).filter(|(_, is_gone)| !is_gone).map(|(rows, _)| rows);
        kept.chain(new).for_each(|rows| self.push(rows));
        Some(spent)
    }

    /// Groups of classes, each around one with an excess. No two have a class together.
    fn groups(&self, size: usize, chance: &mut SplitMix64) -> Vec<Vec<u32>> {
        let excesses = self.excesses();
        let places = (0..).zip(&excesses).filter(|(_, excess)| **excess > GAIN);
        let mut seeds: Vec<(f64, u32)> =
            places.map(|(class, excess)| (excess * (1.0 - CHANCE * chance.share()), class)).collect();
        seeds.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut is_taken = vec![false; self.classes.len()];
        let mut groups = Vec::new();
        for (_, seed) in seeds {
            if !is_taken[seed as usize] {
                groups.push(self.group(seed, size, &mut is_taken, chance));
            }
        }
        groups
    }

    /// The classes around one, those first that are connected by the smallest slack.
    fn group(&self, seed: u32, size: usize, is_taken: &mut [bool], chance: &mut SplitMix64) -> Vec<u32> {
        let (mut group, mut count, mut next) = (Vec::new(), 0, Some(seed));
        let mut beside: Vec<(f64, u32)> = Vec::new();
        while let Some(class) = next {
            let rows = &self.classes[class as usize];
            is_taken[class as usize] = true;
            group.push(class);
            count += rows.len();
            beside.retain(|other| other.1 != class);
            for &(point, slack) in rows.iter().flat_map(|&row| &self.proof.near[self.points[row as usize] as usize]) {
                let (begin, end) = (self.starts[point as usize], self.starts[point as usize + 1]);
                let other = self.class_of[begin as usize + chance.below((end - begin) as usize)];
                let key = (slack + SLACK) * (1.0 - CHANCE * chance.share());
                if !is_taken[other as usize] {
                    match beside.iter_mut().find(|known| known.1 == other) {
                        Some(known) => known.0 = known.0.min(key),
                        None => beside.push((key, other)),
                    }
                }
            }
            let fitting = beside.iter().filter(|other| count + self.classes[other.1 as usize].len() <= size);
            next = fitting.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|other| other.1);
        }
        group
    }
}
