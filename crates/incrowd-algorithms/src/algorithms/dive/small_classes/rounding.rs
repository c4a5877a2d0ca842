//! Classes from the shares that the linear programme gives to classes of two and three rows.
//!
//! Classes are taken in the order of their shares, as long as their rows are free, and then pairs in the order of what
//! they lose above the prices of their rows. A row that is left joins the class near to it where that costs least.

use crate::bounds::CutProof;
use crate::mining::ClosedRecords;
use crate::solver::numbers::to_usize;

/// The points of the rows of each class.
pub(super) struct RoundedClasses<'a> {
    records: &'a ClosedRecords,
    left: Vec<u64>,
    pub(super) classes: Vec<Vec<u32>>,
}

impl<'a> RoundedClasses<'a> {
    /// Classes of all rows; none when there are fewer than two.
    pub(super) fn new(records: &'a ClosedRecords, proof: &CutProof) -> Option<Self> {
        let points = records.points();
        let left = points.numbers().map(|point| points.rows(point)).collect();
        let mut rounded = RoundedClasses { records, left, classes: Vec::new() };
        let mut order: Vec<&(Vec<u32>, f64)> = proof.shares.iter().collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for (class, share) in order {
            // Classes of points with many rows may have shares above 1.
            let mut wanted = share.round().max(1.0);
            while wanted >= 1.0 && rounded.take(class) {
                wanted -= 1.0;
            }
        }
        let near = |one: u32| proof.near[one as usize].iter().map(move |&(other, slack)| (slack, one, other));
        let mut pairs: Vec<(f64, u32, u32)> = points.numbers().flat_map(near).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (_, one, other) in pairs {
            rounded.take(&[one, other]);
        }
        points.numbers().for_each(|point| while rounded.take(&[point, point]) {});
        rounded.place_rest(proof).then_some(rounded)
    }

    /// Makes a class of rows of these points if they are free.
    fn take(&mut self, class: &[u32]) -> bool {
        let wanted = |point: u32| class.iter().filter(|other| **other == point).count();
        let is_free = class.iter().all(|&point| to_usize(self.left[point as usize]) >= wanted(point));
        if is_free {
            class.iter().for_each(|&point| self.left[point as usize] -= 1);
            self.classes.push(class.to_vec());
        }
        is_free
    }

    /// Puts the rows that are left into classes near to them; whether there are any.
    fn place_rest(&mut self, proof: &CutProof) -> bool {
        let mut classes_of: Vec<Vec<usize>> = vec![Vec::new(); self.left.len()];
        for (number, class) in self.classes.iter().enumerate() {
            class.iter().for_each(|&point| classes_of[point as usize].push(number));
        }
        let rest: Vec<u32> = self.records.points().numbers().filter(|&point| self.left[point as usize] > 0).collect();
        for point in rest {
            let near = proof.near[point as usize].iter().flat_map(|&(other, _)| classes_of[other as usize].iter());
            let near = near.chain(&classes_of[point as usize]).copied();
            let cost = |number: usize| {
                let class = &self.classes[number];
                let joined = [&class[..], &[point]].concat();
                joined.len() as f64 * self.records.price_of_join(&joined)
                    - class.len() as f64 * self.records.price_of_join(class)
            };
            let best = near.map(|number| (cost(number), number)).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            // With no class near to it the row joins any.
            let Some(number) = best.map(|best| best.1).or_else(|| self.classes.len().checked_sub(1)) else {
                return false;
            };
            self.classes[number].push(point);
            classes_of[point as usize].push(number);
        }
        true
    }
}
