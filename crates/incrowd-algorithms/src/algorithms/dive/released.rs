//! The records that releases publish, each once, with all points inside it.

use std::collections::{BTreeSet, HashMap};

use ahash::RandomState;
use incrowd_core::{Cell, Partition};
use rayon::prelude::*;

use crate::bounds::CandidateRecord;
use crate::mining::DistinctPoints;
use crate::solver::numbers::to_u32;
use crate::solver::price::{join, price_of};
use crate::solver::start::add_up;
use crate::{Budget, Problem};

/// Records that are published.
pub(super) struct ReleasedRecords {
    pub(super) records: Vec<CandidateRecord>,
    /// The cells of each, ascending.
    cells: Vec<Vec<Cell>>,
}

impl ReleasedRecords {
    /// For each point the number of the record that most of its rows are published as in one of the releases.
    pub(super) fn owners(
        &self,
        problem: &Problem<'_>,
        points: &DistinctPoints,
        rows: &[(usize, u64)],
        release: &Partition,
    ) -> Option<Vec<u32>> {
        let point_of: HashMap<usize, u32, RandomState> = points
            .numbers()
            .flat_map(|point| points.members(point).iter().map(move |&place| (rows[place as usize].0, point)))
            .collect();
        let mut most: Vec<(u64, Option<u32>)> = vec![(0, None); points.len()];
        for class in release.classes() {
            let cells: Vec<Cell> = join(problem, class).collect();
            let number = to_u32(self.cells.binary_search(&cells).ok()?);
            let mut members: Vec<(u32, u64)> = class.iter().map(|member| (point_of[&member.0], member.1)).collect();
            add_up(&mut members);
            for (point, rows) in members {
                let best = &mut most[point as usize];
                *best = if rows > best.0 { (rows, Some(number)) } else { *best };
            }
        }
        most.into_iter().map(|best| best.1).collect()
    }
}

/// The records of some releases, in a fixed order; none when the time was over before.
pub(super) fn released_records<'p>(
    problem: &Problem<'_>,
    points: &DistinctPoints,
    releases: impl Iterator<Item = &'p Partition>,
    budget: &Budget,
) -> Option<ReleasedRecords> {
    let classes = releases.flat_map(Partition::classes);
    let published: BTreeSet<Vec<Cell>> = classes.map(|class| join(problem, class).collect()).collect();
    let cells: BTreeSet<(usize, Cell)> = published.iter().flat_map(|cells| cells.iter().copied().enumerate()).collect();
    let inside = |(quasi, cell): (usize, Cell)| {
        (!budget.is_over()).then(|| ((quasi, cell), points_inside(problem, points, quasi, cell)))
    };
    let inside: Option<HashMap<(usize, Cell), Vec<u64>, RandomState>> = cells.into_par_iter().map(inside).collect();
    let inside = inside?;
    let record = |cells: &Vec<Cell>| {
        let price = price_of(problem, cells.iter().copied());
        let mut all = vec![u64::MAX; points.len().div_ceil(64)];
        for bits in cells.iter().copied().enumerate().filter_map(|cell| inside.get(&cell)) {
            all.iter_mut().zip(bits).for_each(|(all, bits)| *all &= bits);
        }
        (!budget.is_over()).then(|| CandidateRecord { price, points: numbers(&all) })
    };
    let cells: Vec<Vec<Cell>> = published.into_iter().collect();
    let records: Option<Vec<CandidateRecord>> = cells.par_iter().map(record).collect();
    Some(ReleasedRecords { records: records?, cells })
}

/// The points inside a cell of a quasi-identifier, as bits.
fn points_inside(problem: &Problem<'_>, points: &DistinctPoints, quasi: usize, cell: Cell) -> Vec<u64> {
    let domain = &problem.quasi_identifiers[quasi].domain;
    let holds: Vec<bool> = (0..domain.leaf_count()).map(|leaf| domain.contains(cell, domain.leaf(leaf))).collect();
    let word = |leaves: &[u32]| {
        let bits = leaves.iter().enumerate().map(|(at, &leaf)| u64::from(holds[leaf as usize]) << at);
        bits.fold(0, |word, bit| word | bit)
    };
    points.leaves(quasi).chunks(64).map(word).collect()
}

/// The places of the bits that are set.
fn numbers(words: &[u64]) -> Vec<u32> {
    let mut numbers = Vec::new();
    for (first, &word) in (0..).step_by(64).zip(words) {
        let mut left = word;
        while left != 0 {
            numbers.push(first + left.trailing_zeros());
            left &= left - 1;
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Lm, Policy};

    use super::super::super::deadline_tests::table;
    use super::*;
    use crate::bounds::stored_records;

    #[test]
    fn a_released_record_has_the_price_and_the_points_of_a_closed_record() {
        let (table, quasi) = table(300);
        let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(4), &Lm, 1).unwrap();
        let budget = Budget::default();
        let release = super::super::super::AlgorithmEntry::find("mondrian").unwrap().solve(&problem, &budget).unwrap();
        let closed = stored_records(&problem, &problem.all_rows(), 4, &budget).unwrap().unwrap();
        let released =
            released_records(&problem, closed.points(), [&release.partition, &release.partition].into_iter(), &budget);
        let released = released.unwrap().records;
        assert_eq!(released.len(), release.partition.len(), "each record once");
        for record in released {
            let same = (0..closed.len()).find(|&number| {
                let mut points = Vec::new();
                closed.for_each_point(number, |point| points.push(point));
                points == record.points
            });
            assert!((closed.price(same.unwrap()) - record.price).abs() < 1e-12);
        }
    }
}
