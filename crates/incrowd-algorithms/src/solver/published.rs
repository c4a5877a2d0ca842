//! Classes as they are published: what each shows, and which of them a reader cannot tell apart.
//!
//! A class is what the published table shows. Tightened to the join of its members, a class may show the same as
//! another one, and then both are one class to anyone who reads the release. So classes that publish alike are merged.
//! When classes are told apart by an id ([`Problem::with_class_ids()`]), a class is what has the id, and none are merged for
//! publishing alike.

use std::collections::HashMap;

use ahash::RandomState;
use incrowd_core::Cell;
use rayon::prelude::*;

use super::ClassMembers;
use super::price::{join, joined_price};
use super::start::add_up;
use crate::Problem;

/// A class as it is published.
pub(crate) struct TightenedClass {
    pub(crate) members: ClassMembers,
    pub(crate) cells: Vec<Cell>,
}

/// The classes, those that publish alike as one, unless they are told apart.
pub(crate) fn merge_alike(problem: &Problem<'_>, classes: Vec<ClassMembers>) -> Vec<TightenedClass> {
    let publish = |mut members: ClassMembers| {
        add_up(&mut members);
        TightenedClass { cells: join(problem, &members).collect(), members }
    };
    let mut classes: Vec<TightenedClass> = classes.into_par_iter().map(publish).collect();
    if problem.has_class_ids {
        return classes;
    }
    let mut firsts: HashMap<&[Cell], usize, RandomState> =
        HashMap::with_capacity_and_hasher(classes.len(), RandomState::default());
    let first: Vec<usize> = (0..).zip(&classes).map(|(at, class)| *firsts.entry(&class.cells).or_insert(at)).collect();
    let mut grown = Vec::new();
    for (at, first) in first.into_iter().enumerate().filter(|(at, first)| at != first) {
        let members = std::mem::take(&mut classes[at].members);
        classes[first].members.extend(members);
        grown.push(first);
    }
    grown.sort_unstable();
    grown.dedup();
    grown.into_iter().for_each(|at| add_up(&mut classes[at].members));
    classes.retain(|class| !class.members.is_empty());
    classes
}

/// By how much the loss grows when two classes become one.
pub(crate) fn growth(problem: &Problem<'_>, a: &TightenedClass, b: &TightenedClass) -> f64 {
    let rows = |class: &TightenedClass| class.members.iter().map(|member| member.1).sum::<u64>() as f64;
    let row = joined_price(problem, &a.cells, &b.cells);
    rows(a) * (row - problem.prices.row(&a.cells)) + rows(b) * (row - problem.prices.row(&b.cells))
}
