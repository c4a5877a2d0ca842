//! All partitions of a table so small that all can be tried, judged by the oracle of the laws.

use std::collections::BTreeMap;

use incrowd_algorithms::{Problem, Solution};
use incrowd_core::Cell;

use crate::case::Case;
use crate::oracle::{self, Class};

/// The fewest rows withheld, at most `budget`, and the least that a partition of the others loses which keeps the
/// policy as it is published: classes that publish alike are one.
pub(crate) fn least(case: &Case, problem: &Problem<'_>, budget: u64) -> Option<(u32, f64)> {
    let rows: Vec<usize> =
        (0..problem.table.tuples()).flat_map(|tuple| (0..problem.table.count(tuple)).map(move |_| tuple)).collect();
    let all = (1usize << rows.len()) - 1;
    (0..=budget as u32).find_map(|withheld| {
        let ways = (0..=all).filter(|way| way.count_ones() == withheld && *way != all);
        let least = ways.filter_map(|way| Tried::new(case, problem, &rows, all & !way).least());
        least.min_by(f64::total_cmp).map(|least| (withheld, least))
    })
}

/// Whether a solution keeps the policy, accounts for everybody and withholds no more than allowed.
pub(crate) fn check(case: &Case, problem: &Problem<'_>, solution: &Solution) {
    let table = problem.table;
    assert!(solution.partition.accounts_for(table) && solution.partition.withheld_rows() <= problem.budget);
    let people = oracle::people(case);
    let classes = oracle::published(case, table, solution);
    let published = classes.concat();
    for class in &classes {
        assert!(oracle::keeps(case, table, &people, class, &published), "a class breaks the policy: {case:?}");
    }
    assert!(oracle::keeps_as_whole(case, table, &people, &published), "the whole breaks the policy: {case:?}");
}

/// The partitions of some rows, as bits.
struct Tried {
    rows: usize,
    /// For each set of rows the number of what it publishes, whether it keeps the policy, and what it loses.
    cells: Vec<usize>,
    keeps: Vec<bool>,
    loss: Vec<f64>,
    best: Option<f64>,
    /// Whether the rows may be published at all.
    whole: bool,
}

impl Tried {
    fn new(case: &Case, problem: &Problem<'_>, tuples: &[usize], rows: usize) -> Self {
        let (table, people) = (problem.table, oracle::people(case));
        let class = |set: usize| -> Class {
            let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
            (0..tuples.len())
                .filter(|row| set >> row & 1 == 1)
                .for_each(|row| *counts.entry(tuples[row]).or_default() += 1);
            counts.into_iter().collect()
        };
        let published = class(rows);
        let whole = oracle::keeps_as_whole(case, table, &people, &published);
        let mut numbers = BTreeMap::new();
        let mut tried = Tried { rows, cells: vec![0], keeps: vec![false], loss: vec![0.0], best: None, whole };
        for set in 1..=rows {
            if set & !rows > 0 {
                tried.cells.push(0);
                tried.keeps.push(false);
                tried.loss.push(0.0);
                continue;
            }
            let class = class(set);
            let next = numbers.len();
            tried.cells.push(*numbers.entry(oracle::cells(case, table, &class, None)).or_insert(next));
            tried.keeps.push(oracle::keeps(case, table, &people, &class, &published));
            tried.loss.push(price(problem, &class) * f64::from(set.count_ones()));
        }
        tried
    }

    fn least(mut self) -> Option<f64> {
        if self.whole {
            self.part(self.rows, &mut Vec::new());
        }
        self.best
    }

    /// Tries all partitions of the rows that are left.
    fn part(&mut self, left: usize, classes: &mut Vec<usize>) {
        if left == 0 {
            let mut published: BTreeMap<usize, usize> = BTreeMap::new();
            classes.iter().for_each(|&class| *published.entry(self.cells[class]).or_default() |= class);
            if published.values().all(|&class| self.keeps[class]) {
                let loss: f64 = published.values().map(|&class| self.loss[class]).sum();
                self.best = Some(self.best.map_or(loss, |best| best.min(loss)));
            }
            return;
        }
        let first = left & left.wrapping_neg();
        let others = left & !first;
        let mut more = others;
        loop {
            classes.push(first | more);
            self.part(others & !more, classes);
            classes.pop();
            if more == 0 {
                break;
            }
            more = (more - 1) & others;
        }
    }
}

/// What a row of a class loses.
fn price(problem: &Problem<'_>, class: &[(usize, u64)]) -> f64 {
    let price = |(at, quasi): (usize, &incrowd_core::QuasiIdentifier)| {
        let leaf = |tuple: usize| quasi.leaves[problem.table.code(tuple, quasi.column) as usize];
        let cells = class.iter().map(|member| quasi.domain.leaf(leaf(member.0)));
        let cell: Option<Cell> = cells.reduce(|a, b| quasi.domain.join(a, b));
        cell.map_or(0.0, |cell| problem.prices.price(at, cell))
    };
    problem.quasi_identifiers.iter().enumerate().map(price).sum()
}
