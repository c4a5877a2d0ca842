//! Cuts of groups of people, table by table, place by place and column by column.
//!
//! Which table, place and column: the widest, by the price of the cell that covers the rows of the group there. Where: as
//! `median_cuts` cuts classes, into all children of the lowest node of the hierarchy that covers the group if each has
//! enough people, and otherwise in two as near to the median as is allowed.

use std::ops::Range;

use incrowd_core::{KnownRows, Stopped};
use rayon::prelude::*;

use super::people::PersonHistories;
use super::pools::GroupShape;
use crate::solver::ClassMembers;
use crate::solver::clock::did;
use crate::solver::levels::LevelNodes;
use crate::solver::numbers::to_usize;
use crate::solver::start::add_up;
use crate::{Budget, Problem};

/// Groups of at most this many people are cut by one thread.
const SMALL: usize = 1 << 10;

/// Number of places and columns that are tried, the widest first.
const TRIED: usize = 32;

/// Number of cuts in two at one place and column that are judged, the most even first.
const TRIED_CUTS: usize = 4;

/// What every cut needs to know.
pub(super) struct GroupCuts<'a, 't> {
    /// A problem for each table.
    pub(super) problems: &'a [&'a Problem<'t>],
    pub(super) budget: &'a Budget,
    pub(super) people: &'a PersonHistories,
    /// The hierarchies of each table.
    pub(super) levels: &'a [LevelNodes],
    pub(super) known: KnownRows,
    /// How many people a group has at least.
    pub(super) k: u64,
    /// Whether the policy asks for more than k people.
    pub(super) asks_values: bool,
}

/// Where a group is cut.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CutPlace {
    table: usize,
    place: usize,
    quasi: usize,
}

/// The classes of a group in one table.
pub(super) struct GroupClasses {
    pub(super) classes: Vec<ClassMembers>,
    /// The rows that are suppressed.
    pub(super) surplus: ClassMembers,
}

/// The leaves of the rows of a group at one place and in one column.
#[derive(Clone, Copy)]
struct LeafSpan {
    /// Of all rows.
    first: u32,
    last: u32,
    /// Of the first row of each person at this place: of a rest class there are several.
    cut_first: u32,
    cut_last: u32,
}

impl LeafSpan {
    const NONE: LeafSpan = LeafSpan { first: u32::MAX, last: 0, cut_first: u32::MAX, cut_last: 0 };
}

/// People who publish the same rows, by number.
pub(super) type PeopleGroup = Vec<u32>;

/// People by the child of a node that their row is in: its number and how many they are.
type ChildPeople = Vec<(u32, usize)>;

impl GroupCuts<'_, '_> {
    /// The shape of a group in a table.
    pub(super) fn shape(&self, group: &[u32], table: usize) -> GroupShape {
        let lengths = || group.iter().map(|&person| self.people.rows(person, table).len());
        GroupShape::new(lengths().min().unwrap_or(0), lengths().max().unwrap_or(0), self.known)
    }

    fn shapes(&self, group: &[u32]) -> Vec<GroupShape> {
        (0..self.people.tables()).map(|table| self.shape(group, table)).collect()
    }

    /// Cuts groups as far as it goes; the parts, in the same order whatever the threads, and how many rounds it took.
    pub(super) fn cut(&self, groups: Vec<PeopleGroup>) -> Result<(Vec<PeopleGroup>, u64), Stopped> {
        let (mut done, mut rounds, mut front) = (Vec::new(), 0, groups);
        while !front.is_empty() {
            let parts: Vec<(Vec<PeopleGroup>, Vec<PeopleGroup>)> =
                front.into_par_iter().map(|group| self.step(group)).collect::<Result<_, Stopped>>()?;
            front = Vec::new();
            for (of_done, large) in parts {
                done.extend(of_done);
                front.extend(large);
            }
            rounds += 1;
        }
        Ok((done, rounds))
    }

    /// One cut of a large group, all cuts of a small one: the groups that are done, and those that are not.
    fn step(&self, group: PeopleGroup) -> Result<(Vec<PeopleGroup>, Vec<PeopleGroup>), Stopped> {
        let (mut done, mut large, mut todo) = (Vec::new(), Vec::new(), vec![group]);
        while let Some(group) = todo.pop() {
            self.budget.check()?;
            let is_large = group.len() > SMALL;
            match self.parts(&group) {
                Some(parts) if is_large => large = parts,
                Some(parts) => todo.extend(parts),
                None => done.push(group),
            }
        }
        Ok((done, large))
    }

    /// The parts of a group at the widest table, place and column that has an allowed cut.
    fn parts(&self, group: &[u32]) -> Option<Vec<PeopleGroup>> {
        if group.len() < to_usize(self.k.saturating_mul(2)) || self.budget.is_over() {
            return None;
        }
        let shapes = self.shapes(group);
        let mut order: Vec<(f64, CutPlace, LeafSpan)> = Vec::new();
        for (table, shape) in shapes.iter().enumerate() {
            let width = self.levels[table].width();
            for (at, span) in self.spans(group, table, shape).into_iter().enumerate() {
                if span.cut_first < span.cut_last {
                    let place = CutPlace { table, place: at / width, quasi: at % width };
                    order.push((self.share(place, &span), place, span));
                }
            }
        }
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let along = |at: CutPlace, span: LeafSpan| {
            if self.budget.is_over() { None } else { self.parts_along(group, &shapes[at.table], at, span) }
        };
        order.into_iter().take(TRIED).find_map(|(_, at, span)| along(at, span))
    }

    /// The price of the cell that covers the rows of a group at a place, as a share of the highest price.
    fn share(&self, at: CutPlace, span: &LeafSpan) -> f64 {
        let problem = self.problems[at.table];
        let (domain, prices) = (&problem.quasi_identifiers[at.quasi].domain, &problem.prices);
        let all = prices.price(at.quasi, domain.top());
        if all > 0.0 { prices.price(at.quasi, domain.span(span.first, span.last)) / all } else { 0.0 }
    }

    /// The rows of a person at a place of a table.
    fn rows_at(&self, person: u32, table: usize, shape: &GroupShape, place: usize) -> Range<usize> {
        let rows = self.people.rows(person, table).len();
        if place == shape.places { place..rows } else { shape.row(place, rows)..shape.row(place, rows) + 1 }
    }

    /// The leaves of a group in a table, place by place and then column by column; the rest class is the last place.
    fn spans(&self, group: &[u32], table: usize, shape: &GroupShape) -> Vec<LeafSpan> {
        let levels = &self.levels[table];
        let (width, places) = (levels.width(), shape.places + usize::from(shape.has_rest));
        let mut spans = vec![LeafSpan::NONE; places * width];
        for &person in group {
            let rows = self.people.rows(person, table);
            did(rows.len());
            for (place, spans) in spans.chunks_exact_mut(width).enumerate() {
                for (at, &tuple) in rows[self.rows_at(person, table, shape, place)].iter().enumerate() {
                    for (span, &leaf) in spans.iter_mut().zip(levels.leaves(tuple as usize)) {
                        (span.first, span.last) = (span.first.min(leaf), span.last.max(leaf));
                        if at == 0 {
                            (span.cut_first, span.cut_last) = (span.cut_first.min(leaf), span.cut_last.max(leaf));
                        }
                    }
                }
            }
        }
        spans
    }

    /// The parts of a group at a place and column, when they keep the policy.
    fn parts_along(&self, group: &[u32], shape: &GroupShape, at: CutPlace, span: LeafSpan) -> Option<Vec<PeopleGroup>> {
        let CutPlace { table, place, quasi } = at;
        let levels = &self.levels[table];
        let nodes = levels.nodes(quasi, levels.common(quasi, span.cut_first, span.cut_last) - 1);
        let child_of = |person: u32| {
            let row = self.rows_at(person, table, shape, place).start;
            nodes[levels.leaves(self.people.rows(person, table)[row] as usize)[quasi] as usize]
        };
        did(group.len());
        let lowest = nodes[span.cut_first as usize];
        let mut counts = vec![0usize; (nodes[span.cut_last as usize] - lowest) as usize + 1];
        group.iter().for_each(|&person| counts[(child_of(person) - lowest) as usize] += 1);
        let children: ChildPeople = (lowest..).zip(counts).filter(|(_, people)| *people > 0).collect();
        let split = |starts: &[u32]| -> Vec<PeopleGroup> {
            let mut parts = vec![Vec::new(); starts.len()];
            for &person in group {
                parts[starts.partition_point(|&start| start <= child_of(person)) - 1].push(person);
            }
            parts
        };
        let least = to_usize(self.k);
        let allowed = |parts: &Vec<PeopleGroup>| !self.asks_values || parts.iter().all(|part| self.holds(part));
        let has_levels = self.problems[table].quasi_identifiers[quasi].domain.has_levels();
        if has_levels && children.iter().all(|&(_, people)| people >= least) {
            let starts: Vec<u32> = children.iter().map(|&(child, _)| child).collect();
            let parts = Some(split(&starts)).filter(allowed);
            if parts.is_some() {
                return parts;
            }
        }
        let cuts = median_cuts(&children, least);
        cuts.into_iter().take(TRIED_CUTS).map(|start| split(&[0, start])).find(allowed)
    }

    /// Whether the classes of a group keep the policy in every table.
    pub(super) fn holds(&self, group: &[u32]) -> bool {
        let table_holds = |table: usize| {
            let mut classes = self.classes(group, table).classes;
            classes.iter_mut().for_each(add_up);
            classes.iter().all(|class| self.problems[table].holds(class))
        };
        group.len() >= to_usize(self.k) && (0..self.people.tables()).all(table_holds)
    }

    /// The classes of a group in a table, and its rows that are suppressed there.
    pub(super) fn classes(&self, group: &[u32], table: usize) -> GroupClasses {
        let shape = self.shape(group, table);
        let places = shape.places + usize::from(shape.has_rest);
        let (mut classes, mut surplus) = (vec![Vec::new(); places], Vec::new());
        for &person in group {
            let rows = self.people.rows(person, table);
            let mut next = 0;
            for (place, class) in classes.iter_mut().enumerate() {
                let taken = self.rows_at(person, table, &shape, place);
                surplus.extend(rows[next..taken.start].iter().map(|&tuple| (tuple as usize, 1)));
                class.extend(rows[taken.clone()].iter().map(|&tuple| (tuple as usize, 1)));
                next = taken.end;
            }
            surplus.extend(rows[next..].iter().map(|&tuple| (tuple as usize, 1)));
        }
        GroupClasses { classes, surplus }
    }
}

/// The first child above each cut in two that leaves enough people on both sides, the most even cut first.
fn median_cuts(children: &ChildPeople, least: usize) -> Vec<u32> {
    let all: usize = children.iter().map(|&(_, people)| people).sum();
    let below = children.iter().scan(0, |below, &(child, people)| {
        let here = (child, *below);
        *below += people;
        Some(here)
    });
    let mut cuts: Vec<(u32, usize)> = below.filter(|&(_, below)| below >= least && all - below >= least).collect();
    cuts.sort_by_key(|&(child, below)| (below.abs_diff(all - below), child));
    cuts.into_iter().map(|(child, _)| child).collect()
}
