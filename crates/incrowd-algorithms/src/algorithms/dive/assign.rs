//! Rows to the records that a dive opened, each record with k rows or more.
//!
//! All rows of a point go to the record that takes the largest share of them. A record that is then short of rows gets
//! them from records that can spare them, where that costs least; if there are too few, it is closed again, and its rows
//! go to the cheapest open record that holds them. What no open record holds is cut from the cheapest closed frequent
//! records, as far as these cost about what the rows' prices in the linear programme say.

use crate::bounds::OpenRecord;
use crate::mining::ClosedRecords;
use crate::solver::numbers::to_u32;

/// A record of rows that are left may cost this factor more than their prices.
const DEAR: f64 = 1.5;
/// Shares below this are none.
const NO_SHARE: f64 = 1e-3;

/// Which open record each point is assigned to.
pub(super) struct RowAssignment<'a> {
    records: &'a ClosedRecords,
    least: u64,
    /// What a row of each open record loses.
    prices: Vec<f64>,
    /// The points of each.
    points: Vec<Vec<u32>>,
    /// The place among the open records of the record of each point.
    owner: Vec<Option<u32>>,
    /// The rows of each open record.
    rows: Vec<u64>,
    is_closed: Vec<bool>,
}

impl<'a> RowAssignment<'a> {
    pub(super) fn new(records: &'a ClosedRecords, open: &[OpenRecord], least: u64) -> Self {
        let mut largest = vec![(NO_SHARE, None); records.points().len()];
        for (place, record) in (0..).zip(open) {
            for &(point, share) in &record.points {
                let best = &mut largest[point as usize];
                *best = if share > best.0 { (share, Some(place)) } else { *best };
            }
        }
        let mut assignment = RowAssignment {
            records,
            least,
            prices: open.iter().map(|record| record.price).collect(),
            points: open.iter().map(|record| record.points.iter().map(|point| point.0).collect()).collect(),
            owner: largest.into_iter().map(|best| best.1).collect(),
            rows: vec![0; open.len()],
            is_closed: vec![false; open.len()],
        };
        for point in records.points().numbers() {
            if let Some(owner) = assignment.owner[point as usize] {
                assignment.rows[owner as usize] += records.points().rows(point);
            }
        }
        assignment
    }

    /// The points of each class, and those of none, given what a row of each point costs in the linear programme.
    pub(super) fn classes(mut self, prices: &[f64]) -> (Vec<Vec<u32>>, Vec<u32>) {
        self.fill_up();
        self.assign_free();
        let mut classes = vec![Vec::new(); self.prices.len()];
        let mut free = Vec::new();
        for point in self.records.points().numbers() {
            match self.owner[point as usize] {
                Some(owner) => classes[owner as usize].push(point),
                None => free.push(point),
            }
        }
        classes.retain(|class: &Vec<u32>| !class.is_empty());
        let left = self.cut_from_records(&free, prices, &mut classes);
        (classes, left)
    }

    fn price(&self, place: u32) -> f64 {
        self.prices[place as usize]
    }

    fn move_to(&mut self, point: u32, place: Option<u32>) {
        let rows = self.records.points().rows(point);
        let before = std::mem::replace(&mut self.owner[point as usize], place);
        before.into_iter().for_each(|before| self.rows[before as usize] -= rows);
        place.into_iter().for_each(|place| self.rows[place as usize] += rows);
    }

    /// Gives records that are short of rows what others can spare, the least short first; closes those that stay short.
    fn fill_up(&mut self) {
        let mut short: Vec<u32> = (0..to_u32(self.prices.len())).filter(|&place| self.is_short(place)).collect();
        short.sort_by_key(|&place| (self.least - self.rows[place as usize], place));
        for place in short {
            if self.is_short(place) && !self.take_spare(place) {
                self.is_closed[place as usize] = true;
                for point in std::mem::take(&mut self.points[place as usize]) {
                    if self.owner[point as usize] == Some(place) {
                        self.move_to(point, None);
                    }
                }
            }
        }
    }

    fn is_short(&self, place: u32) -> bool {
        self.rows[place as usize] < self.least
    }

    /// Takes points from records that stay large enough, or that nobody has, the cheapest first; whether that fills it.
    fn take_spare(&mut self, place: u32) -> bool {
        let own = self.price(place);
        let cost = |&point: &u32| match self.owner[point as usize] {
            Some(owner) if owner == place => None,
            Some(owner) => Some((own - self.price(owner), point)),
            None => Some((f64::NEG_INFINITY, point)),
        };
        let mut offers: Vec<(f64, u32)> = self.points[place as usize].iter().filter_map(cost).collect();
        offers.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut taken: Vec<(u32, Option<u32>)> = Vec::new();
        for (_, point) in offers {
            if !self.is_short(place) {
                return true;
            }
            let (owner, rows) = (self.owner[point as usize], self.records.points().rows(point));
            if owner.is_none_or(|owner| self.rows[owner as usize] >= self.least + rows || self.is_short(owner)) {
                taken.push((point, owner));
                self.move_to(point, Some(place));
            }
        }
        if self.is_short(place) {
            taken.into_iter().for_each(|(point, owner)| self.move_to(point, owner));
            return false;
        }
        true
    }

    /// Puts points that no record has into the cheapest open record that holds them.
    fn assign_free(&mut self) {
        let mut order: Vec<u32> =
            (0..to_u32(self.prices.len())).filter(|&place| !self.is_closed[place as usize]).collect();
        order.sort_by(|&a, &b| self.price(a).total_cmp(&self.price(b)).then(a.cmp(&b)));
        for place in order {
            for point in std::mem::take(&mut self.points[place as usize]) {
                if self.owner[point as usize].is_none() {
                    self.move_to(point, Some(place));
                }
            }
        }
    }

    /// Makes classes of free points from the cheapest records that hold enough of them; what is left.
    fn cut_from_records(&self, free: &[u32], prices: &[f64], classes: &mut Vec<Vec<u32>>) -> Vec<u32> {
        let mut is_free = vec![false; prices.len()];
        free.iter().for_each(|&point| is_free[point as usize] = true);
        let mut left: u64 = free.iter().map(|&point| self.records.points().rows(point)).sum();
        for record in super::super::cheapest_first::by_price(self.records) {
            if left < self.least {
                break;
            }
            let (mut rows, mut worth) = (0, 0.0);
            self.records.for_each_point(record as usize, |point| {
                if is_free[point as usize] {
                    let more = self.records.points().rows(point);
                    (rows, worth) = (rows + more, worth + more as f64 * prices[point as usize]);
                }
            });
            if rows >= self.least && self.records.price(record as usize) * rows as f64 <= DEAR * worth {
                let mut class = Vec::new();
                self.records.for_each_point(record as usize, |point| {
                    if std::mem::take(&mut is_free[point as usize]) {
                        class.push(point);
                    }
                });
                left -= rows;
                classes.push(class);
            }
        }
        free.iter().copied().filter(|&point| is_free[point as usize]).collect()
    }
}
