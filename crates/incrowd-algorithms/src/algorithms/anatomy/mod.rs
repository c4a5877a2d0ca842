//! Anatomy: rows of different sensitive values are drawn into classes, whatever their quasi-identifiers are.
//!
//! Xiao and Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006. It is meant for releases in two
//! tables, where quasi-identifiers are published unchanged and classes have an id: then it does not matter how
//! different the rows of a class are, only which sensitive values they have. Rows are put into buckets by their value.
//! While ℓ buckets are not empty, a row drawn from each of the ℓ largest makes a class; a row that is left then joins a
//! class that lacks its value. When no value has more than a share 1/ℓ, at most one row is left in a bucket, and there
//! are ⌊n/ℓ⌋ classes.
//!
//! **Any policy.** What a bucket is and what ℓ is are asked of the policy ([`buckets`]). When k is larger than ℓ, a
//! class takes rows in several rounds, each from the largest buckets. A round takes more than ℓ rows when that makes
//! classes of k and the most frequent value allows it. Classes that do not keep the policy all the same, because it
//! asks for something else too, are joined ([`join_failing`]); rows that are left and that no class can take are joined
//! in the same way.
//!
//! **It ends** because each class takes rows out of the buckets. n·log(values) for the classes; joining judges each
//! class a bounded number of times.

mod buckets;
mod join_failing;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use incrowd_core::Stopped;
use rayon::prelude::*;

use super::{AlgorithmEntry, SolverTraits};
use crate::solver::ClassMembers;
use crate::solver::local::solve_local;
use crate::solver::numbers::to_usize;
use crate::solver::random::SplitMix64;
use crate::{Algorithm, Budget, Problem, Solution, Statistics, Unsolved};
use buckets::BucketValues;

pub(super) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "anatomy",
    summary: "Forms classes of rows with different sensitive values, for releases in two tables.",
    reference: "X. Xiao and Y. Tao, Anatomy, VLDB 2006",
    loss: "lm",
    counts_work: false,
    effort: None,
    traits: SolverTraits::LOCAL,
    new: || Box::new(Anatomy),
};

/// The deadline is checked once for this many classes that are tried.
const LOOK: usize = 64;

struct Anatomy;

impl Algorithm for Anatomy {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        solve_local(problem, budget, |problem, budget, rows| {
            let values = BucketValues::new(problem, &rows);
            let mut draw = SplitMix64::for_use(problem.seed, [values.l, rows.len() as u64]);
            let (classes, left) = drawn(problem, budget, &values, &rows, &mut draw)?;
            let rounds = classes.len() as u64;
            let (mut classes, mut fail): (Vec<ClassMembers>, Vec<ClassMembers>) =
                classes.into_par_iter().partition(|class| problem.holds(class));
            fail.extend(placed(problem, budget, &values, &mut classes, left, &mut draw)?);
            let classes = join_failing::join_failing(problem, budget, classes, fail, &mut draw)?;
            Ok((classes, Statistics::of_rounds(rounds)))
        })
    }
}

/// Classes of rows from the largest buckets, and the rows that are left.
fn drawn(
    problem: &Problem<'_>,
    budget: &Budget,
    values: &BucketValues,
    rest: &[(usize, u64)],
    draw: &mut SplitMix64,
) -> Result<(Vec<ClassMembers>, Vec<usize>), Stopped> {
    let mut buckets: Vec<Vec<usize>> = vec![Vec::new(); values.count];
    for &(tuple, rows) in rest {
        buckets[values.of(problem, tuple)].extend(std::iter::repeat_n(tuple, to_usize(rows)));
    }
    // Once shuffled, taking the last one of a bucket is drawing.
    buckets.iter_mut().for_each(|bucket| draw.shuffle(bucket));
    let mut remaining: u64 = rest.iter().map(|member| member.1).sum();
    let (k, l, all) = (problem.k, values.l, remaining);
    if let Some(free) = values.free {
        // As many buckets as a round takes beside the other one.
        let (rows, parts) = (std::mem::take(&mut buckets[free]), to_usize(widest(k, l)) - 1);
        let part = |part: usize| rows.iter().copied().skip(part).step_by(parts).collect();
        buckets.extend((0..parts.min(rows.len())).map(part));
    }
    let sizes = buckets.iter().enumerate().map(|(at, bucket)| (bucket.len(), Reverse(at)));
    let mut largest: BinaryHeap<(usize, Reverse<usize>)> = sizes.filter(|bucket| bucket.0 > 0).collect();
    let (mut classes, mut left, mut taken) = (Vec::new(), Vec::new(), Vec::new());
    while largest.len() as u64 >= l && !budget.is_over() {
        budget.check()?;
        let mut class: ClassMembers = Vec::with_capacity(to_usize(k.max(l).min(remaining)));
        while largest.len() as u64 >= l && (class.is_empty() || (class.len() as u64) < k) {
            let most = largest.peek().map_or(1, |bucket| bucket.0 as u64);
            let width = (remaining / most).min(widest(k - class.len() as u64, l)).max(l).min(largest.len() as u64);
            taken.extend((0..width).filter_map(|_| largest.pop()));
            remaining -= width;
            for (size, Reverse(at)) in taken.drain(..) {
                class.extend(buckets[at].pop().map(|tuple| (tuple, 1)));
                largest.extend((size > 1).then_some((size - 1, Reverse(at))));
            }
        }
        if (class.len() as u64) < k {
            left.extend(class.into_iter().map(|member| member.0));
        } else {
            classes.push(class);
        }
        budget.tell(all - remaining, Some(all));
    }
    left.extend(buckets.into_iter().flatten());
    Ok((classes, left))
}

/// The most rows that a round takes so that rounds of at least ℓ rows make up the rows that are wanted.
fn widest(wanted: u64, l: u64) -> u64 {
    wanted.div_ceil((wanted / l).max(1)).max(l)
}

/// Puts rows into classes that lack their value and keep the policy with them; the rows that found none, each by
/// itself.
///
/// A class that was passed over for a value is not asked again for it, so all rows of a value together ask each class
/// once.
fn placed(
    problem: &Problem<'_>,
    budget: &Budget,
    values: &BucketValues,
    classes: &mut [ClassMembers],
    left: Vec<usize>,
    draw: &mut SplitMix64,
) -> Result<Vec<ClassMembers>, Stopped> {
    let (start, all) = (draw.below(classes.len()), classes.len());
    let mut asked = vec![0; values.count];
    let mut refused = Vec::new();
    for tuple in left {
        budget.check()?;
        if budget.is_over() {
            refused.push(vec![(tuple, 1)]);
            continue;
        }
        let value = values.of(problem, tuple);
        let mut takes = |at: &usize| {
            let class = &mut classes[(start + at) % all];
            if class.iter().any(|member| values.of(problem, member.0) == value) {
                return false;
            }
            class.push((tuple, 1));
            let holds = problem.holds(class);
            if !holds {
                class.pop();
            }
            holds
        };
        let found = (asked[value]..all).take_while(|at| at % LOOK > 0 || !budget.is_over()).find(&mut takes);
        asked[value] = found.map_or(all, |at| at + 1);
        refused.extend(found.is_none().then(|| vec![(tuple, 1)]));
    }
    Ok(refused)
}
