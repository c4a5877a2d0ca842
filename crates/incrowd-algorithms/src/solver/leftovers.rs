//! Rows that are left when no further class can be made of them: each joins the class where the loss grows least, among
//! those that keep the policy with it.
//!
//! There are two forms, one for each form that solvers hold classes in: [`place_in_classes`] asks every class and moves
//! the rows of a tuple together; [`place_in_clusters`] asks a few, and moves as many rows as a cluster can take. Rows
//! that no class can take stay in classes that break the policy, which [`settle`](super::settle::settle) merges. With
//! k-anonymity alone every class can take every row.

use incrowd_core::{Cell, Stopped};
use rayon::prelude::*;

use super::ClassMembers;
use super::clock::did;
use super::clusters::{NumberedCells, RowCluster, cheapest};
use super::kinds::Kinds;
use super::price::{join, joined_price};
use crate::{Budget, Problem, Unsolved};

/// Number of clusters that are tried for each tuple, the cheapest first.
const ASKED: usize = 16;

/// Puts rows into the cheapest clusters that keep the policy with them. Rows that no cluster can take become clusters
/// of their own, which [`settle`](super::settle::settle) merges. Linear in the number of clusters for each tuple; when
/// the time is over, all rows that are left become one cluster.
pub(crate) fn place_in_clusters(
    problem: &Problem<'_>,
    budget: &Budget,
    kinds: &Kinds,
    cells: &mut NumberedCells<'_, '_>,
    clusters: &mut Vec<RowCluster>,
    left: ClassMembers,
) -> Result<(), Stopped> {
    let mut left = left.into_iter();
    let own = clusters.len();
    while let Some((tuple, mut rows)) = left.next() {
        budget.check()?;
        if budget.is_over() || own == 0 {
            let rest = std::iter::once((tuple, rows)).chain(left).collect();
            clusters.push(RowCluster::new(cells, kinds, rest));
            return Ok(());
        }
        // All rows of the tuple at once, or as many as a cluster can take.
        let mut wanted = rows;
        while rows > 0 && wanted > 0 {
            match host_cluster((problem, budget), kinds, cells, &clusters[..own], (tuple, wanted)) {
                Some(at) => {
                    clusters[at].add(cells, kinds, (tuple, wanted));
                    rows -= wanted;
                    wanted = rows.min(wanted);
                }
                None => wanted /= 2,
            }
        }
        if rows > 0 {
            clusters.push(RowCluster::new(cells, kinds, vec![(tuple, rows)]));
        }
    }
    Ok(())
}

/// The cluster that takes these rows at the lowest price and keeps the policy with them.
fn host_cluster(
    (problem, budget): (&Problem<'_>, &Budget),
    kinds: &Kinds,
    cells: &NumberedCells<'_, '_>,
    clusters: &[RowCluster],
    (tuple, rows): (usize, u64),
) -> Option<usize> {
    let towards = cells.towards(cells.of(tuple));
    let mut refused = vec![false; clusters.len()];
    for _ in 0..ASKED {
        if budget.is_over() {
            return None;
        }
        let growth = |at: usize| clusters[at].growth(towards.price(&clusters[at].cells), rows);
        let (_, at) = cheapest(clusters.len(), |at| (!refused[at]).then(|| growth(at)))?;
        let mut pile = clusters[at].pile.clone();
        pile.extend(std::iter::once((kinds.sample(kinds.of(tuple)), rows)));
        if problem.holds(pile.rows()) {
            return Some(at);
        }
        refused[at] = true;
    }
    None
}

/// A class and what it publishes.
struct HostClass {
    members: ClassMembers,
    cells: Vec<Cell>,
    rows: u64,
    price: f64,
}

impl HostClass {
    fn new(problem: &Problem<'_>, members: ClassMembers) -> Self {
        let cells: Vec<Cell> = join(problem, &members).collect();
        let rows = members.iter().map(|member| member.1).sum();
        HostClass { price: problem.prices.row(&cells), members, cells, rows }
    }

    /// By how much the loss grows when rows join that are published as these cells by themselves.
    fn growth(&self, problem: &Problem<'_>, cells: &[Cell], rows: u64) -> f64 {
        let price = joined_price(problem, &self.cells, cells);
        self.rows as f64 * (price - self.price) + rows as f64 * price
    }
}

/// The classes with the rows that were left over. When the time is over they stay together.
pub(crate) fn place_in_classes(
    problem: &Problem<'_>,
    budget: &Budget,
    classes: Vec<ClassMembers>,
    left: ClassMembers,
) -> Result<Vec<ClassMembers>, Unsolved> {
    if left.is_empty() {
        return Ok(classes);
    }
    let mut hosts: Vec<HostClass> = classes.into_par_iter().map(|members| HostClass::new(problem, members)).collect();
    let mut waiting = left;
    // A row that is taken can make room for one that was not, so those are asked again.
    loop {
        let before = waiting.len();
        let mut refused = Vec::new();
        for member in waiting {
            budget.check()?;
            if budget.is_over() || !join_cheapest(problem, budget, &mut hosts, member) {
                refused.push(member);
            }
        }
        waiting = refused;
        if waiting.is_empty() || waiting.len() == before {
            break;
        }
    }
    let classes = hosts.into_iter().map(|host| host.members);
    Ok(classes.chain((!waiting.is_empty()).then_some(waiting)).collect())
}

/// Puts some rows of a tuple into the cheapest class that can take them; whether there is one.
fn join_cheapest(problem: &Problem<'_>, budget: &Budget, hosts: &mut [HostClass], member: (usize, u64)) -> bool {
    let cells: Vec<Cell> = join(problem, &[member]).collect();
    let growth = |(at, host): (usize, &HostClass)| (host.growth(problem, &cells, member.1), at);
    let mut order: Vec<(f64, usize)> = hosts.par_iter().enumerate().map(growth).collect();
    let cheaper = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let takes = |host: &mut HostClass| {
        host.members.push(member);
        did(1);
        let holds = problem.policy.survives_growth() || problem.holds(&host.members);
        if !holds {
            host.members.pop();
        }
        holds
    };
    // Mostly the first can take them, so that the others need not be sorted.
    let Some(&(_, first)) = order.iter().min_by(|a, b| cheaper(a, b)) else { return false };
    let mut host = takes(&mut hosts[first]).then_some(first);
    if host.is_none() {
        order.sort_unstable_by(cheaper);
        let others = order[1..].iter().map(|&(_, at)| at).take_while(|_| !budget.is_over());
        host = others.into_iter().find(|&at| takes(&mut hosts[at]));
    }
    let Some(host) = host else { return false };
    let members = std::mem::take(&mut hosts[host].members);
    hosts[host] = HostClass::new(problem, members);
    true
}
