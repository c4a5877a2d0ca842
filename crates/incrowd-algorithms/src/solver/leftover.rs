//! Rows that found no class of their own join one.
//!
//! Each goes where the loss of the class and its own grow least together, among the classes that keep the policy with it.
//! Rows that no class can take stay together as a class that breaks the policy; [`settle`](crate::solver::settle) merges it until
//! it does not. With k-anonymity alone every class can take every row.

use incrowd_core::Cell;
use rayon::prelude::*;

use crate::solver::clock::did;
use crate::solver::price::join;
use crate::{Budget, Problem, Unsolved};

/// A class and what it publishes.
struct Host {
    members: Vec<(usize, u64)>,
    cells: Vec<Cell>,
    rows: u64,
    price: f64,
}

impl Host {
    fn new(problem: &Problem<'_>, members: Vec<(usize, u64)>) -> Self {
        let cells: Vec<Cell> = join(problem, &members).collect();
        let rows = members.iter().map(|member| member.1).sum();
        Host { price: problem.prices.row(&cells), members, cells, rows }
    }

    /// By how much the loss grows when rows join that are published as these cells by themselves.
    fn growth(&self, problem: &Problem<'_>, cells: &[Cell], rows: u64) -> f64 {
        let pairs = self.cells.iter().zip(cells).zip(problem.quasi_identifiers);
        let joined = pairs.map(|((&class, &cell), quasi)| quasi.domain.join(class, cell));
        let price: f64 = (0..).zip(joined).map(|(at, cell)| problem.prices.price(at, cell)).sum();
        self.rows as f64 * (price - self.price) + rows as f64 * price
    }
}

/// The classes with the rows that were left over. When the time is over they stay together.
pub(crate) fn place(
    problem: &Problem<'_>,
    budget: &Budget,
    classes: Vec<Vec<(usize, u64)>>,
    left: Vec<(usize, u64)>,
) -> Result<Vec<Vec<(usize, u64)>>, Unsolved> {
    if left.is_empty() {
        return Ok(classes);
    }
    let mut hosts: Vec<Host> = classes.into_par_iter().map(|members| Host::new(problem, members)).collect();
    let mut waiting = left;
    // A row that is taken can make room for one that was not, so those are asked again.
    loop {
        let before = waiting.len();
        let mut refused = Vec::new();
        for member in waiting {
            budget.check()?;
            if budget.is_over() || !joins(problem, budget, &mut hosts, member) {
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
fn joins(problem: &Problem<'_>, budget: &Budget, hosts: &mut [Host], member: (usize, u64)) -> bool {
    let cells: Vec<Cell> = join(problem, &[member]).collect();
    let growth = |(at, host): (usize, &Host)| (host.growth(problem, &cells, member.1), at);
    let mut order: Vec<(f64, usize)> = hosts.par_iter().enumerate().map(growth).collect();
    let cheaper = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let takes = |host: &mut Host| {
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
    hosts[host] = Host::new(problem, members);
    true
}
