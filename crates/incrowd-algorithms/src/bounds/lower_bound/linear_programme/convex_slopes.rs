//! A convex function of one number, as a sum of bends, with its minimum at hand.
//!
//! The points at which the slope changes are in two heaps, left and right of the minimum. Adding a bend moves as much
//! change of slope from one heap to the other as it adds, so that the minimum stays between them.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A convex function by the points at which its slope changes, each with by how much.
#[derive(Default)]
pub(super) struct ConvexSlopes {
    left: BinaryHeap<SlopeChange>,
    right: BinaryHeap<Reverse<SlopeChange>>,
    /// By how much the points on the left have moved to the left, and the others to the right.
    moved: f64,
}

#[derive(Clone, Copy, PartialEq)]
struct SlopeChange {
    at: f64,
    by: f64,
}

impl Eq for SlopeChange {}

impl Ord for SlopeChange {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at.total_cmp(&other.at).then(self.by.total_cmp(&other.by))
    }
}

impl PartialOrd for SlopeChange {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl ConvexSlopes {
    /// The function of the least value within a distance.
    pub(super) fn widen(&mut self, distance: f64) {
        self.moved += distance;
    }

    /// Adds by · (x − at)⁺.
    pub(super) fn add_rising(&mut self, at: f64, by: f64) {
        self.left.push(SlopeChange { at: at + self.moved, by });
        let mut left = by;
        while left > 0.0
            && let Some(top) = self.left.pop()
        {
            let by = top.by.min(left);
            left -= by;
            self.right.push(Reverse(SlopeChange { at: top.at - 2.0 * self.moved, by }));
            if top.by > by {
                self.left.push(SlopeChange { by: top.by - by, ..top });
            }
        }
    }

    /// Adds by · (at − x)⁺.
    pub(super) fn add_falling(&mut self, at: f64, by: f64) {
        self.right.push(Reverse(SlopeChange { at: at - self.moved, by }));
        let mut left = by;
        while left > 0.0
            && let Some(Reverse(top)) = self.right.pop()
        {
            let by = top.by.min(left);
            left -= by;
            self.left.push(SlopeChange { at: top.at + 2.0 * self.moved, by });
            if top.by > by {
                self.right.push(Reverse(SlopeChange { by: top.by - by, ..top }));
            }
        }
    }

    /// A place of the minimum.
    pub(super) fn minimum(&self) -> f64 {
        let left = self.left.peek().map(|top| top.at - self.moved);
        left.or_else(|| self.right.peek().map(|top| top.0.at + self.moved)).unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_minimum_is_where_a_sum_of_bends_is_least(
            bends in prop::collection::vec((0u32..10, 1u32..4, any::<bool>()), 1..12),
            width in 0u32..3,
            more in prop::collection::vec((0u32..10, 1u32..4, any::<bool>()), 0..6),
        ) {
            let value = |bends: &[(u32, u32, bool)], x: f64| -> f64 {
                let bend = |&(at, by, rises): &(u32, u32, bool)| {
                    let over = if rises { x - f64::from(at) } else { f64::from(at) - x };
                    over.max(0.0) * f64::from(by)
                };
                bends.iter().map(bend).sum()
            };
            let mut slopes = ConvexSlopes::default();
            let add = |slopes: &mut ConvexSlopes, bends: &[(u32, u32, bool)]| {
                for &(at, by, rises) in bends {
                    match rises {
                        true => slopes.add_rising(f64::from(at), f64::from(by)),
                        false => slopes.add_falling(f64::from(at), f64::from(by)),
                    }
                }
            };
            add(&mut slopes, &bends);
            slopes.widen(f64::from(width));
            add(&mut slopes, &more);
            let width = i32::try_from(width).unwrap_or(0);
            let whole = |x: i32| {
                let near = (x - width..=x + width).map(|near| value(&bends, f64::from(near)));
                near.fold(f64::INFINITY, f64::min) + value(&more, f64::from(x))
            };
            let least = (-15..25).map(whole).fold(f64::INFINITY, f64::min);
            // All bends are at whole numbers, and so is a minimum.
            let found = slopes.minimum();
            let at = (-15..25).find(|&at| f64::from(at) == found);
            prop_assert!(at.is_some_and(|at| (whole(at) - least).abs() < 1e-9), "{} at {}", least, found);
        }
    }
}
