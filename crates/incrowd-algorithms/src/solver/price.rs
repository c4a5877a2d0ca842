//! What classes publish and lose when each publishes the join of its members.

use incrowd_core::Cell;
use rayon::prelude::*;

use super::ClassMembers;
use crate::Problem;
use crate::solver::clock::did;

/// The smallest cells that hold all members of a class.
pub(crate) fn join<'a>(problem: &'a Problem<'_>, class: &'a [(usize, u64)]) -> impl Iterator<Item = Cell> + 'a {
    problem.quasi_identifiers.iter().enumerate().map(move |(at, quasi)| {
        did(class.len());
        let leaves = class.iter().map(|&(tuple, _)| quasi.domain.leaf(problem.leaf(tuple, at)));
        leaves.reduce(|joined, leaf| quasi.domain.join(joined, leaf)).unwrap_or_else(|| quasi.domain.top())
    })
}

/// What is published for the rows of two classes together, given what each publishes.
pub(crate) fn join_cells<'a>(
    problem: &'a Problem<'_>,
    a: &'a [Cell],
    b: &'a [Cell],
) -> impl Iterator<Item = Cell> + 'a {
    let cells = a.iter().zip(b).zip(problem.quasi_identifiers);
    cells.map(|((&a, &b), quasi)| quasi.domain.join(a, b))
}

/// What a row loses that is published as both of these cells together.
pub(crate) fn joined_price(problem: &Problem<'_>, a: &[Cell], b: &[Cell]) -> f64 {
    price_of(problem, join_cells(problem, a, b))
}

/// What a row loses that is published as these cells.
pub(crate) fn price_of(problem: &Problem<'_>, cells: impl Iterator<Item = Cell>) -> f64 {
    (0..).zip(cells).map(|(at, cell)| problem.prices.price(at, cell)).sum()
}

/// The loss of all rows of some classes. The sum is taken in order, so that it is the same on any number of threads.
pub(crate) fn loss(problem: &Problem<'_>, classes: &[ClassMembers]) -> f64 {
    let loss_of = |class: &ClassMembers| {
        let rows: u64 = class.iter().map(|member| member.1).sum();
        rows as f64 * price_of(problem, join(problem, class))
    };
    let losses: Vec<f64> = classes.par_iter().map(loss_of).collect();
    losses.iter().sum()
}
