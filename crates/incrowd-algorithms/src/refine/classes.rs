//! The classes while they are refined: members, published cells and price of each, and the index of them all.

use std::collections::BTreeSet;

use super::index::Index;
use super::judge::Judge;
use super::points::{Member, Points};
use super::space::{Node, Space};

/// Looking for the classes near a point takes a unit for so many places.
const SEARCHED: usize = 4;

/// One class as it is published.
#[derive(Clone, Default)]
pub(super) struct Class {
    /// Rows by point, ascending.
    pub(super) members: Vec<Member>,
    pub(super) rows: u64,
    pub(super) nodes: Vec<Node>,
    /// What one row loses.
    pub(super) price: f64,
}

impl Class {
    pub(super) fn new(world: &World<'_, '_>, members: Vec<Member>) -> Self {
        let mut nodes = members.first().map(|first| world.points.leaves(first.0).to_vec()).unwrap_or_default();
        members.iter().for_each(|member| world.space.widen(&mut nodes, world.points.leaves(member.0)));
        let rows = members.iter().map(|member| member.1).sum();
        Class { rows, price: world.space.row_price(&nodes), nodes, members }
    }

    /// What all rows lose.
    pub(super) fn loss(&self) -> f64 {
        self.rows as f64 * self.price
    }

    /// What all rows lose when so many rows of a point join; gives up when a row loses more than `limit`.
    #[inline]
    pub(super) fn loss_with(&self, world: &World<'_, '_>, point: u32, rows: u64, limit: f64) -> f64 {
        let price = world.space.widened_price(&self.nodes, world.points.leaves(point), limit);
        (self.rows + rows) as f64 * price
    }

    /// Adds rows of a point, or takes them away.
    pub(super) fn changed(&self, world: &World<'_, '_>, point: u32, rows: i64) -> Class {
        let mut members = self.members.clone();
        match members.binary_search_by_key(&point, |member| member.0) {
            Ok(at) => members[at].1 = members[at].1.saturating_add_signed(rows),
            Err(at) => members.insert(at, (point, rows.unsigned_abs())),
        }
        members.retain(|member| member.1 > 0);
        Class::new(world, members)
    }
}

/// What does not change while classes are refined.
pub(super) struct World<'a, 't> {
    pub(super) space: &'a Space<'a, 't>,
    pub(super) judge: &'a Judge<'a, 't>,
    pub(super) points: Points,
}

impl World<'_, '_> {
    /// Whether a class keeps the policy, or is none any more.
    pub(super) fn holds(&self, class: &Class) -> bool {
        self.judge.holds(&self.points, class.members.iter().copied(), class.rows)
    }
}

/// All classes. A place without rows is free.
pub(super) struct Classes {
    list: Vec<Class>,
    free: BTreeSet<usize>,
    index: Index,
    /// The places whose class changed since somebody looked.
    changed: BTreeSet<usize>,
}

impl Classes {
    pub(super) fn new(world: &World<'_, '_>, classes: Vec<Vec<Member>>) -> Self {
        let index = Index::new(world.space, &world.points, classes.len() + classes.len() / 8 + 1);
        let mut all = Classes { list: Vec::new(), free: BTreeSet::new(), index, changed: BTreeSet::new() };
        for members in classes.into_iter().filter(|class| !class.is_empty()) {
            all.add(world, Class::new(world, members));
        }
        all
    }

    pub(super) fn get(&self, place: usize) -> &Class {
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
        self.list.iter().map(Class::loss).sum()
    }

    /// Puts a class into a free place.
    pub(super) fn add(&mut self, world: &World<'_, '_>, class: Class) -> usize {
        let place = self.free.pop_first().unwrap_or(self.list.len());
        if place == self.list.len() {
            self.list.push(Class::default());
            if self.list.len() > self.index.room() {
                self.index = Index::new(world.space, &world.points, 2 * self.list.len());
                for (place, class) in self.list.iter().enumerate() {
                    self.index.put(world.space, place, &class.nodes, true);
                }
            }
        }
        self.set(world, place, class);
        place
    }

    /// Replaces a class; one without rows frees its place.
    pub(super) fn set(&mut self, world: &World<'_, '_>, place: usize, class: Class) {
        if self.list[place].nodes != class.nodes {
            self.index.put(world.space, place, &self.list[place].nodes, false);
            self.index.put(world.space, place, &class.nodes, true);
        }
        if class.rows == 0 {
            self.free.insert(place);
        }
        self.list[place] = class;
        self.changed.insert(place);
    }

    /// Hands out the classes that hold a point in all but `misses` quasi-identifiers.
    #[inline]
    pub(super) fn near(&self, point: u32, misses: usize, mut each: impl FnMut(usize, &Class)) {
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
    pub(super) fn into_members(self) -> Vec<Vec<Member>> {
        self.list.into_iter().map(|class| class.members).filter(|members| !members.is_empty()).collect()
    }
}
