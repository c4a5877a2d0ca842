//! Rows that wait for a group.

use super::{GroupWork, RowGroup, VarietyValues};
use crate::solver::clusters::{JoinPrices, NumberedCells};
use crate::solver::nearest::SortedTuples;
use crate::solver::numbers::{share, to_usize};
use crate::solver::start::add_up;

/// Rows that are in no group, as sorted tuples with counts.
pub(crate) struct RowPool {
    sorted: SortedTuples,
    /// How many of the tuples have rows left.
    left: usize,
    /// The combinations of the rows, ascending, each with the rows that are left.
    combinations: Vec<(u32, u64)>,
}

/// The row that suits a group best.
pub(crate) struct BestMatch {
    /// Its place in the pool.
    pub(crate) at: usize,
    /// How much diversity it brings.
    pub(crate) diversity: u64,
    /// By how much the loss of the group grows.
    pub(crate) growth: f64,
}

impl RowPool {
    pub(crate) fn new(cells: &NumberedCells<'_, '_>, things: &VarietyValues<'_>, rows: Vec<(usize, u64)>) -> Self {
        let mut combinations: Vec<(u32, u64)> =
            rows.iter().map(|&(tuple, rows)| (things.combination(tuple), rows)).collect();
        add_up(&mut combinations);
        // Of rows that are equally near those with frequent values are taken first, so that rare ones last.
        let rank = |tuple: usize| {
            let found = combinations.binary_search_by_key(&things.combination(tuple), |known| known.0);
            found.map_or(u64::MAX, |found| u64::MAX - combinations[found].1)
        };
        RowPool { left: rows.len(), sorted: SortedTuples::ranked(cells, rows, rank), combinations }
    }

    /// The rows that are left of the tuple at a place.
    pub(crate) fn rows_at(&self, at: usize) -> u64 {
        self.sorted.members[at].1
    }

    /// How many rows are left.
    pub(crate) fn rows(&self) -> u64 {
        self.combinations.iter().map(|combination| combination.1).sum()
    }

    /// The rows that are left.
    pub(crate) fn members(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.sorted.members.iter().copied().filter(|member| member.1 > 0)
    }

    fn count(&mut self, combination: u32) -> Option<&mut u64> {
        let at = self.combinations.binary_search_by_key(&combination, |known| known.0).ok()?;
        Some(&mut self.combinations[at].1)
    }

    /// Takes rows of the tuple at a place out; the tuple.
    pub(crate) fn take(&mut self, things: &VarietyValues<'_>, at: usize, rows: u64) -> usize {
        let (tuple, left) = &mut self.sorted.members[at];
        *left -= rows;
        self.left -= usize::from(*left == 0);
        let tuple = *tuple;
        if let Some(count) = self.count(things.combination(tuple)) {
            *count -= rows;
        }
        tuple
    }

    /// Gives rows back.
    pub(crate) fn give(&mut self, cells: &NumberedCells<'_, '_>, things: &VarietyValues<'_>, rows: Vec<(usize, u64)>) {
        let mut all: Vec<(usize, u64)> = self.members().chain(rows).collect();
        add_up(&mut all);
        *self = RowPool::new(cells, things, all);
    }

    /// Forgets the tuples that have no rows, when there are many. Places change.
    pub(crate) fn tidy(&mut self) {
        if self.left < self.sorted.members.len() / 4 * 3 {
            self.sorted.tidy();
            self.combinations.retain(|combination| combination.1 > 0);
        }
    }

    /// The place of the row for which a group loses least more; of the first row for a group that has none.
    pub(crate) fn nearest(&self, towards: Option<&JoinPrices>) -> Option<usize> {
        match towards {
            Some(towards) => self.sorted.nearest(towards, |_| true),
            None => self.sorted.members.iter().position(|member| member.1 > 0),
        }
    }

    /// The places of `count` rows that lie at equal distances in the order of the sort, as far as there are rows.
    pub(crate) fn spread(&self, count: usize) -> Vec<usize> {
        let rows: Vec<u64> = self.sorted.members.iter().map(|member| member.1).collect();
        let all = self.rows();
        let count = count.min(to_usize(all));
        let (mut places, mut at, mut before) = (Vec::with_capacity(count), 0, 0);
        for next in 0..count {
            let row = share(all, next as u64, count as u64);
            while before + rows[at] <= row {
                (before, at) = (before + rows[at], at + 1);
            }
            places.push(at);
        }
        places
    }

    /// The place of the row that is furthest from a tuple.
    pub(crate) fn furthest(&self, cells: &NumberedCells<'_, '_>, tuple: usize) -> Option<usize> {
        self.sorted.furthest(&cells.towards(cells.of(tuple)))
    }

    /// *BestMatch* of Truta, Campan and Meyer for one group: of the rows that bring most diversity the one for which it
    /// loses least more.
    pub(crate) fn best(&self, work: &GroupWork<'_, '_>, group: &RowGroup) -> Option<BestMatch> {
        let brings =
            |&(combination, rows): &(u32, u64)| if rows > 0 { group.diversity(&work.things, combination) } else { 0 };
        let brought: Vec<u64> = self.combinations.iter().map(brings).collect();
        let diversity = brought.iter().copied().max()?;
        let wanted = |at: usize| {
            let combination = work.things.combination(self.sorted.members[at].0);
            let found = self.combinations.binary_search_by_key(&combination, |known| known.0);
            found.is_ok_and(|found| brought[found] == diversity)
        };
        if group.cluster.rows == 0 {
            let at = (0..self.sorted.members.len()).find(|&at| self.rows_at(at) > 0 && wanted(at))?;
            return Some(BestMatch { at, diversity, growth: 0.0 });
        }
        let towards = work.cells.towards(&group.cluster.cells);
        let at = self.sorted.nearest(&towards, wanted)?;
        let price = towards.price(work.cells.of(self.sorted.members[at].0));
        Some(BestMatch { at, diversity, growth: group.cluster.growth(price, 1) })
    }
}
