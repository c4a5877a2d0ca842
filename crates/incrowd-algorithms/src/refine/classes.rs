//! The classes while they are refined: members, published cells and price of each, and the index of them all.

use std::collections::BTreeSet;

use super::index::ClassIndex;
use super::judge::ClassJudge;
use super::points::ClassPoints;
use super::space::{CellNumber, CellSpace};
use crate::solver::PointRows;

/// Number of places for which looking for the classes near a point takes one work unit.
const SEARCHED: usize = 4;

/// One class as it is published.
#[derive(Clone, Default)]
pub(super) struct PointClass {
    /// Rows by point, ascending.
    pub(super) members: Vec<PointRows>,
    pub(super) rows: u64,
    pub(super) nodes: Vec<CellNumber>,
    /// What one row loses.
    pub(super) price: f64,
}

impl PointClass {
    pub(super) fn new(context: &RefineContext<'_, '_>, members: Vec<PointRows>) -> Self {
        let mut nodes = members.first().map(|first| context.points.leaves(first.0).to_vec()).unwrap_or_default();
        members.iter().for_each(|member| context.space.widen(&mut nodes, context.points.leaves(member.0)));
        let rows = members.iter().map(|member| member.1).sum();
        PointClass { rows, price: context.space.row_price(&nodes), nodes, members }
    }

    /// What all rows lose.
    pub(super) fn loss(&self) -> f64 {
        self.rows as f64 * self.price
    }

    /// What all rows lose when `rows` rows of a point join; gives up when a row loses more than `limit`.
    #[inline]
    pub(super) fn loss_with(&self, context: &RefineContext<'_, '_>, point: u32, rows: u64, limit: f64) -> f64 {
        let price = context.space.widened_price(&self.nodes, context.points.leaves(point), limit);
        (self.rows + rows) as f64 * price
    }

    /// The class with more rows of a point.
    pub(super) fn with(&self, context: &RefineContext<'_, '_>, (point, rows): PointRows) -> PointClass {
        let mut members = self.members.clone();
        match members.binary_search_by_key(&point, |member| member.0) {
            Ok(at) => members[at].1 += rows,
            Err(at) => members.insert(at, (point, rows)),
        }
        PointClass::new(context, members)
    }

    /// The class with fewer rows of a point.
    pub(super) fn without(&self, context: &RefineContext<'_, '_>, (point, rows): PointRows) -> PointClass {
        let mut members = self.members.clone();
        if let Ok(at) = members.binary_search_by_key(&point, |member| member.0) {
            members[at].1 = members[at].1.saturating_sub(rows);
        }
        members.retain(|member| member.1 > 0);
        PointClass::new(context, members)
    }
}

/// What does not change while classes are refined.
pub(super) struct RefineContext<'a, 't> {
    pub(super) space: &'a CellSpace<'a, 't>,
    pub(super) judge: &'a ClassJudge<'a, 't>,
    pub(super) points: ClassPoints,
}

impl RefineContext<'_, '_> {
    /// Whether a class keeps the policy, or is none any more.
    pub(super) fn holds(&self, class: &PointClass) -> bool {
        self.judge.holds(&self.points, class.members.iter().copied(), class.rows)
    }
}

/// All classes. A place without rows is free.
pub(super) struct PointClasses {
    list: Vec<PointClass>,
    free: BTreeSet<usize>,
    index: ClassIndex,
    /// The places whose class changed since they were last taken.
    changed: BTreeSet<usize>,
}

impl PointClasses {
    pub(super) fn new(context: &RefineContext<'_, '_>, classes: Vec<Vec<PointRows>>) -> Self {
        let index = ClassIndex::new(context.space, &context.points, classes.len() + classes.len() / 8 + 1);
        let mut all = PointClasses { list: Vec::new(), free: BTreeSet::new(), index, changed: BTreeSet::new() };
        for members in classes.into_iter().filter(|class| !class.is_empty()) {
            all.add(context, PointClass::new(context, members));
        }
        all
    }

    pub(super) fn get(&self, place: usize) -> &PointClass {
        &self.list[place]
    }

    /// How many places there are, free ones included.
    pub(super) fn places(&self) -> usize {
        self.list.len()
    }

    /// The places with a class.
    pub(super) fn taken(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.list.len()).filter(|&place| self.list[place].rows > 0)
    }

    /// What all rows lose, summed in order.
    pub(super) fn loss(&self) -> f64 {
        self.list.iter().map(PointClass::loss).sum()
    }

    /// Puts a class into a free place.
    pub(super) fn add(&mut self, context: &RefineContext<'_, '_>, class: PointClass) -> usize {
        let place = self.free.pop_first().unwrap_or(self.list.len());
        if place == self.list.len() {
            self.list.push(PointClass::default());
            if self.list.len() > self.index.room() {
                self.index = ClassIndex::new(context.space, &context.points, 2 * self.list.len());
                for (place, class) in self.list.iter().enumerate() {
                    self.index.put(context.space, place, &class.nodes, true);
                }
            }
        }
        self.set(context, place, class);
        place
    }

    /// Replaces a class; one without rows frees its place.
    pub(super) fn set(&mut self, context: &RefineContext<'_, '_>, place: usize, class: PointClass) {
        if self.list[place].nodes != class.nodes {
            self.index.put(context.space, place, &self.list[place].nodes, false);
            self.index.put(context.space, place, &class.nodes, true);
        }
        if class.rows == 0 {
            self.free.insert(place);
        }
        self.list[place] = class;
        self.changed.insert(place);
    }

    /// Hands out the classes that hold a point in all but `misses` quasi-identifiers.
    #[inline]
    pub(super) fn near(&self, point: u32, misses: usize, mut each: impl FnMut(usize, &PointClass)) {
        self.index.near(point, misses, |place| {
            if let Some(class) = self.list.get(place).filter(|class| class.rows > 0) {
                each(place, class);
            }
        });
    }

    /// The work of looking for the classes near a point: a word for each 64 places and quasi-identifier, and what is
    /// found.
    pub(super) fn search_work(&self) -> u64 {
        (self.list.len() / SEARCHED + 1) as u64
    }

    /// The places whose class changed since the last time.
    pub(super) fn take_changed(&mut self) -> BTreeSet<usize> {
        std::mem::take(&mut self.changed)
    }

    /// The members of all classes.
    pub(super) fn into_members(self) -> Vec<Vec<PointRows>> {
        self.list.into_iter().map(|class| class.members).filter(|members| !members.is_empty()).collect()
    }
}
