//! Odd sets whose cuts some shares violate.
//!
//! A set grows from each point by the point that has the largest shares of classes with points in it; of the sets on the
//! way the one is kept whose cut is violated most. Fractional solutions of matching problems fall into odd circles and
//! what hangs together with them, so that sets that grow in this way find nearly all: M. Grötschel and O. Holland,
//! "Solving matching problems with linear programming", 1985, section 3, do the same with components.

use std::collections::HashSet;

use super::programme::{CutProgramme, OddSet, odd_set};
use crate::Budget;
use crate::solver::clock::did;

/// Maximum number of rows of a set.
const ROWS: f64 = 15.0;
/// Sets begin with points of at most this number of rows, and take in points of at most the second number: more rows form
/// classes among themselves in any way.
const POINT_ROWS: (f64, f64) = (2.0, 5.0);
/// By how much a cut is violated at least.
const VIOLATED: f64 = 0.02;
/// Smaller shares connect no points.
const SHARE: f64 = 1e-3;
/// Number of sets between two checks of the deadline.
const STRIDE: usize = 1 << 9;

/// Violated odd sets that the programme does not have; none when the time was over before.
pub(super) fn violated_sets(programme: &CutProgramme<'_>, shares: &[f64], budget: &Budget) -> Option<Vec<OddSet>> {
    let mut known: HashSet<Vec<u32>> = programme.sets.iter().map(|set| set.points.clone()).collect();
    let mut found = Vec::new();
    let mut set = GrowingSet { programme, shares, points: vec![], is_inside: vec![false; programme.rows.len()] };
    for (seed, &rows) in (0..).zip(programme.rows) {
        if (seed as usize).is_multiple_of(STRIDE) && budget.is_over() {
            return None;
        }
        if rows <= POINT_ROWS.0
            && let Some(points) = set.grown_from(seed)
        {
            let set = odd_set(points, programme.rows);
            if known.insert(set.points.clone()) {
                found.push(set);
            }
        }
    }
    Some(found)
}

struct GrowingSet<'a> {
    programme: &'a CutProgramme<'a>,
    shares: &'a [f64],
    points: Vec<u32>,
    is_inside: Vec<bool>,
}

impl GrowingSet<'_> {
    /// The most violated set on the way from a point.
    fn grown_from(&mut self, seed: u32) -> Option<Vec<u32>> {
        let (mut next, mut rows, mut held) = (Some(seed), 0.0, 0.0);
        // The points beside the set, each with the shares of classes that connect it.
        let mut beside: Vec<(u32, f64)> = Vec::new();
        let mut best: (f64, usize) = (VIOLATED, 0);
        while let Some(point) = next {
            held += self.take(point, &mut beside);
            rows += self.programme.rows[point as usize];
            let violated = held - ((rows - 1.0) / 2.0).floor();
            if rows % 2.0 == 1.0 && violated > best.0 {
                best = (violated, self.points.len());
            }
            let most = POINT_ROWS.1.min(ROWS - rows);
            let fitting = beside.iter().filter(|other| self.programme.rows[other.0 as usize] <= most);
            next = fitting.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map(|other| other.0);
        }
        self.points.iter().for_each(|&point| self.is_inside[point as usize] = false);
        let points = std::mem::take(&mut self.points);
        (best.1 > 0).then(|| points[..best.1].to_vec())
    }

    /// Takes a point in; returns the shares of the classes that have two rows in the set since then.
    fn take(&mut self, point: u32, beside: &mut Vec<(u32, f64)>) -> f64 {
        let (programme, mut held) = (self.programme, 0.0);
        self.points.push(point);
        beside.retain(|other| other.0 != point);
        let classes = programme.classes_of_point.get(point as usize);
        did(classes.len());
        for &class in classes {
            let share = self.shares[class as usize];
            if share < SHARE {
                continue;
            }
            let points = programme.classes[class as usize].points();
            let inside = points.iter().filter(|other| self.is_inside[**other as usize]).count();
            let own = points.iter().filter(|other| **other == point).count();
            if inside < 2 && inside + own >= 2 {
                // A class with two rows of the point is in its list twice.
                held += share / own as f64;
            }
            for &other in points.iter().filter(|other| **other != point && !self.is_inside[**other as usize]) {
                match beside.iter_mut().find(|known| known.0 == other) {
                    Some(known) => known.1 += share,
                    None => beside.push((other, share)),
                }
            }
        }
        self.is_inside[point as usize] = true;
        held
    }
}
