//! What classes publish and lose when each publishes the join of its members.

use incrowd_core::Cell;
use rayon::prelude::*;

use crate::Problem;
use crate::solver::clock::did;

/// The smallest cells that hold all members of a class.
pub(crate) fn join<'a>(problem: &'a Problem<'_>, class: &'a [(usize, u64)]) -> impl Iterator<Item = Cell> + 'a {
    problem.quasi_identifiers.iter().map(move |quasi| {
        did(class.len());
        let leaf = |tuple: usize| quasi.domain.leaf(quasi.leaves[problem.table.code(tuple, quasi.column) as usize]);
        let leaves = class.iter().map(|&(tuple, _)| leaf(tuple));
        leaves.reduce(|joined, leaf| quasi.domain.join(joined, leaf)).unwrap_or_else(|| quasi.domain.top())
    })
}

/// The loss of all rows of some classes. The sum is taken in order, so that it is the same on any number of threads.
pub(crate) fn loss(problem: &Problem<'_>, classes: &[Vec<(usize, u64)>]) -> f64 {
    let loss_of = |class: &Vec<(usize, u64)>| {
        let rows: u64 = class.iter().map(|member| member.1).sum();
        let row: f64 = (0..).zip(join(problem, class)).map(|(at, cell)| problem.prices.price(at, cell)).sum();
        rows as f64 * row
    };
    let losses: Vec<f64> = classes.par_iter().map(loss_of).collect();
    losses.iter().sum()
}
