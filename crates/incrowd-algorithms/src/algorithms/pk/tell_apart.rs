//! Classes that would publish the same cells exchange rows, so that a reader can tell them apart.
//!
//! To a reader two classes that publish the same cells are one, twice as large as it had to be. The solvers that
//! share this file want as many classes as there can be, so they let such a class exchange one row with another
//! class, by the exchange that costs least of those after which both keep the policy and publish what no other class
//! does. Where there is none, or none that is [worth it](WORTH), [`settle`](crate::solver::settle::settle) merges the
//! classes.
//!
//! Each such class compares each of its rows with each other row of the table, on looked-up prices.

use std::collections::{HashMap, HashSet};

use ahash::RandomState;
use incrowd_core::{Cell, Stopped};
use rayon::prelude::*;

use crate::solver::clock::did;
use crate::solver::clusters::{NumberedCells, RowCluster};
use crate::solver::kinds::Kinds;
use crate::solver::start::add_up;
use crate::{Budget, Problem};

/// An exchange may cost at most this share of what the rows of both classes would lose as `*`. Without a limit, many
/// small classes among equal rows would be distinguished at the price of all their detail.
const WORTH: f64 = 0.05;

/// The deadline is checked once for this many partners.
const LOOK: usize = 64;

/// How many classes publish each combination of cells.
type PublishedCounts = HashMap<Vec<Cell>, usize, RandomState>;

/// A row of a class, and what the class publishes without it.
struct WithoutRow {
    tuple: usize,
    cells: Vec<u32>,
}

/// An exchange of one row of a class with one row of another.
#[derive(Clone, Copy)]
struct RowExchange {
    growth: f64,
    own: usize,
    other: usize,
    theirs: usize,
}

/// Exchanges rows until no two clusters publish alike, as far as that can be done in time. Nothing is to be done when
/// an id tells them apart.
pub(crate) fn tell_apart(
    problem: &Problem<'_>,
    budget: &Budget,
    kinds: &Kinds,
    cells: &mut NumberedCells<'_, '_>,
    clusters: &mut [RowCluster],
) -> Result<(), Stopped> {
    if problem.has_class_ids {
        return Ok(());
    }
    let publish = |cells: &NumberedCells<'_, '_>, cluster: &RowCluster| cells.joined(&cluster.cells, &cluster.cells);
    let mut published = PublishedCounts::default();
    clusters.iter().for_each(|cluster| *published.entry(publish(cells, cluster)).or_default() += 1);
    let mut without: Vec<Vec<WithoutRow>> = Vec::new();
    // Where one class found no exchange, those that publish the same would hardly find any.
    let mut refused: HashSet<Vec<Cell>, RandomState> = HashSet::default();
    for at in 0..clusters.len() {
        budget.check()?;
        let alike = publish(cells, &clusters[at]);
        if published[&alike] == 1 || refused.contains(&alike) {
            continue;
        }
        if budget.is_over() {
            break;
        }
        if without.is_empty() {
            without = clusters.iter_mut().map(|cluster| take_turns(budget, cells, cluster)).collect();
        }
        let Some(found) = cheapest((problem, budget), cells, clusters, &without, &published, at) else {
            refused.insert(alike);
            continue;
        };
        let (own, theirs) = (without[at][found.own].tuple, without[found.other][found.theirs].tuple);
        for (at, gone, come) in [(at, own, theirs), (found.other, theirs, own)] {
            if let Some(count) = published.get_mut(&publish(cells, &clusters[at])) {
                *count -= 1;
            }
            clusters[at] = RowCluster::new(cells, kinds, exchanged(&clusters[at].members, gone, come));
            without[at] = take_turns(budget, cells, &mut clusters[at]);
            *published.entry(publish(cells, &clusters[at])).or_default() += 1;
        }
    }
    Ok(())
}

/// For each tuple of a cluster what the cluster publishes with one row of it less; for the first ones when the time is
/// over.
fn take_turns(budget: &Budget, cells: &mut NumberedCells<'_, '_>, cluster: &mut RowCluster) -> Vec<WithoutRow> {
    add_up(&mut cluster.members);
    let mut turns = Vec::with_capacity(cluster.members.len());
    for at in 0..cluster.members.len() {
        did(cluster.members.len());
        if budget.is_over() {
            break;
        }
        let (tuple, rows) = cluster.members[at];
        let others = cluster.members.iter().copied().enumerate().filter(|other| other.0 != at || rows > 1);
        let others: Vec<(usize, u64)> = others.map(|(_, other)| other).collect();
        turns.push(WithoutRow { tuple, cells: cells.of_all(&others) });
    }
    turns
}

/// Members with a row of one tuple less and a row of another one more.
fn exchanged(members: &[(usize, u64)], gone: usize, come: usize) -> Vec<(usize, u64)> {
    let left = |&(tuple, rows): &(usize, u64)| (tuple, rows - u64::from(tuple == gone));
    let mut members: Vec<(usize, u64)> = members.iter().map(left).filter(|member| member.1 > 0).collect();
    members.push((come, 1));
    add_up(&mut members);
    members
}

/// The exchange that costs least of those that leave both classes like no other and with the policy kept.
fn cheapest(
    (problem, budget): (&Problem<'_>, &Budget),
    cells: &NumberedCells<'_, '_>,
    clusters: &[RowCluster],
    without: &[Vec<WithoutRow>],
    published: &PublishedCounts,
    at: usize,
) -> Option<RowExchange> {
    let (class, most) = (&clusters[at], cells.most());
    let rest = |(own, row): (usize, &WithoutRow)| {
        // A class of one row would exchange itself.
        if row.cells.is_empty() {
            return None;
        }
        let (ours, gone) = (cells.towards(&row.cells), cells.towards(cells.of(row.tuple)));
        let mut best: Option<RowExchange> = None;
        for other in (0..clusters.len()).filter(|&other| other != at) {
            let partner = &clusters[other];
            did(without[other].len());
            if other % LOOK == 0 && budget.is_over() {
                break;
            }
            for (theirs, their) in without[other].iter().enumerate() {
                let come = cells.of(their.tuple);
                if their.cells.is_empty() || come == cells.of(row.tuple) {
                    continue;
                }
                let growth = class.rows as f64 * (ours.price(come) - class.price)
                    + partner.rows as f64 * (gone.price(&their.cells) - partner.price);
                let limit = WORTH * most * (class.rows + partner.rows) as f64;
                if growth > limit || best.is_some_and(|best| growth >= best.growth) {
                    continue;
                }
                let first = cells.joined(&row.cells, come);
                let second = cells.joined(&their.cells, cells.of(row.tuple));
                let is_new = |new: &Vec<Cell>| published.get(new).is_none_or(|&count| count == 0);
                // The partner may go on publishing what it alone publishes now.
                let stays = partner.cells != class.cells && second == cells.joined(&partner.cells, &partner.cells);
                if first != second
                    && is_new(&first)
                    && (stays || is_new(&second))
                    && problem.holds(&exchanged(&class.members, row.tuple, their.tuple))
                    && problem.holds(&exchanged(&partner.members, their.tuple, row.tuple))
                {
                    best = Some(RowExchange { growth, own, other, theirs });
                }
            }
        }
        best
    };
    let found = without[at].par_iter().enumerate().filter_map(rest);
    found.min_by(|a, b| a.growth.total_cmp(&b.growth).then(a.own.cmp(&b.own)))
}
