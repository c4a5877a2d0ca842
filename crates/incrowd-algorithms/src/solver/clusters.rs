//! Clusters for solvers that compare everything with everything: what a class publishes, as small numbers.
//!
//! Each cell that occurs gets a number. To compare one class with thousands of others, the price of its join with every
//! known cell is looked up once ([`NumberedCells::towards`]); after that a comparison is one addition for each
//! quasi-identifier, whatever the domain: trees, intervals and sets alike. A new cell costs a number, and a class that
//! grows most often reaches cells that are known already.

use std::collections::HashMap;

use ahash::RandomState;
use incrowd_core::Cell;
use rayon::prelude::*;

use crate::Problem;
use crate::solver::clock::did;
use crate::solver::donors::KindRows;
use crate::solver::kinds::Kinds;
use crate::solver::levels::LevelNodes;
use crate::solver::numbers::to_u32;

/// Number of comparisons of two values that are one unit of work.
pub(crate) const COMPARISONS: u64 = 8;

/// Fewer comparisons than this are not worth a second thread.
const WORTH_A_THREAD: usize = 1 << 12;

/// The numbered cells of a problem.
pub(crate) struct NumberedCells<'a, 't> {
    problem: &'a Problem<'t>,
    width: usize,
    /// How many leaves of each quasi-identifier occur.
    leaves: Vec<usize>,
    /// Tuple by tuple, the number of its leaf of each quasi-identifier.
    tuples: Vec<u32>,
    /// The quasi-identifier and the cell of each number.
    known: Vec<(usize, Cell)>,
    prices: Vec<f64>,
    numbers: HashMap<(usize, Cell), u32, RandomState>,
}

impl<'a, 't> NumberedCells<'a, 't> {
    pub(crate) fn new(problem: &'a Problem<'t>, levels: &LevelNodes) -> Self {
        let width = levels.width();
        let mut cells = NumberedCells {
            problem,
            width,
            leaves: Vec::new(),
            tuples: Vec::with_capacity(problem.table.tuples() * width),
            known: Vec::new(),
            prices: Vec::new(),
            numbers: HashMap::default(),
        };
        let leaves = problem.quasi_identifiers.iter().map(|quasi| vec![None; quasi.domain.leaf_count() as usize]);
        let mut leaves: Vec<Vec<Option<u32>>> = leaves.collect();
        for tuple in 0..problem.table.tuples() {
            for (quasi, &leaf) in levels.leaves(tuple).iter().enumerate() {
                let cell = || problem.quasi_identifiers[quasi].domain.leaf(leaf);
                let number = leaves[quasi][leaf as usize].unwrap_or_else(|| cells.number(quasi, cell()));
                leaves[quasi][leaf as usize] = Some(number);
                cells.tuples.push(number);
            }
        }
        cells.leaves = leaves.iter().map(|leaves| leaves.iter().flatten().count()).collect();
        cells
    }

    fn number(&mut self, quasi: usize, cell: Cell) -> u32 {
        let next = to_u32(self.known.len());
        let number = *self.numbers.entry((quasi, cell)).or_insert(next);
        if number == next {
            self.known.push((quasi, cell));
            self.prices.push(self.problem.prices.price(quasi, cell));
        }
        number
    }

    /// How many quasi-identifiers there are.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// How many leaves of a quasi-identifier occur.
    pub(crate) fn leaves(&self, quasi: usize) -> usize {
        self.leaves[quasi]
    }

    /// The cells of a tuple.
    #[inline]
    pub(crate) fn of(&self, tuple: usize) -> &[u32] {
        &self.tuples[tuple * self.width..][..self.width]
    }

    /// What a row that publishes these cells loses.
    pub(crate) fn price(&self, cells: &[u32]) -> f64 {
        cells.iter().map(|&cell| self.prices[cell as usize]).sum()
    }

    /// The work of comparing one cluster with so many others.
    pub(crate) fn comparing(&self, others: usize) -> u64 {
        (others * self.width) as u64 / COMPARISONS + self.known.len() as u64
    }

    /// What a row of `*` loses.
    pub(crate) fn most(&self) -> f64 {
        self.problem.star_price()
    }

    /// Makes `cells` the smallest cells that hold them and `more`.
    pub(crate) fn join(&mut self, cells: &mut [u32], more: &[u32]) {
        for (quasi, (cell, &more)) in cells.iter_mut().zip(more).enumerate().filter(|(_, (cell, more))| cell != more) {
            let domain = &self.problem.quasi_identifiers[quasi].domain;
            let joined = domain.join(self.known[*cell as usize].1, self.known[more as usize].1);
            *cell = self.number(quasi, joined);
        }
    }

    /// The cells of some members together.
    pub(crate) fn of_all(&mut self, members: &[(usize, u64)]) -> Vec<u32> {
        let mut cells = members.first().map_or_else(Vec::new, |first| self.of(first.0).to_vec());
        for &(tuple, _) in members.iter().skip(1) {
            let start = tuple * self.width;
            let more: Vec<u32> = self.tuples[start..start + self.width].to_vec();
            self.join(&mut cells, &more);
        }
        cells
    }

    /// What is published for these cells together with `more`.
    pub(crate) fn joined(&self, cells: &[u32], more: &[u32]) -> Vec<Cell> {
        let known = |&cell: &u32| self.known[cell as usize].1;
        let pairs = cells.iter().zip(more).zip(self.problem.quasi_identifiers);
        pairs.map(|((cell, more), quasi)| quasi.domain.join(known(cell), known(more))).collect()
    }

    /// For every known cell, what its join with these cells costs.
    pub(crate) fn towards(&self, cells: &[u32]) -> JoinPrices {
        let price = |&(quasi, cell): &(usize, Cell)| {
            let domain = &self.problem.quasi_identifiers[quasi].domain;
            self.problem.prices.price(quasi, domain.join(self.known[cells[quasi] as usize].1, cell))
        };
        did(self.known.len());
        let joined: Vec<f64> = self.known.iter().map(price).collect();
        let own = cells.iter().map(|&cell| self.prices[cell as usize]).collect::<Vec<f64>>();
        let growth = self.known.iter().zip(&joined).map(|(&(quasi, _), price)| price - own[quasi]).collect();
        let most = self.leaves.iter().enumerate().map(|(quasi, _)| {
            let domain = &self.problem.quasi_identifiers[quasi].domain;
            self.problem.prices.price(quasi, domain.top()) - own[quasi]
        });
        JoinPrices { most: most.collect(), growth, joined }
    }
}

/// What joins with one class cost.
pub(crate) struct JoinPrices {
    /// For each known cell the price of the join.
    joined: Vec<f64>,
    /// The same less what the class publishes now.
    growth: Vec<f64>,
    /// The most that the price of each quasi-identifier can grow.
    most: Vec<f64>,
}

impl JoinPrices {
    /// What a row loses when the class and these cells are one.
    #[inline]
    pub(crate) fn price(&self, cells: &[u32]) -> f64 {
        cells.iter().map(|&cell| self.joined[cell as usize]).sum()
    }

    /// By how much the price of a quasi-identifier grows when this cell joins.
    #[inline]
    pub(crate) fn growth(&self, cell: u32) -> f64 {
        self.growth[cell as usize]
    }

    /// The most that the price of a quasi-identifier can grow.
    pub(crate) fn most(&self, quasi: usize) -> f64 {
        self.most[quasi]
    }
}

/// The place with the smallest value, the first one of several, of those that have one.
pub(crate) fn cheapest(places: usize, value: impl Fn(usize) -> Option<f64> + Sync) -> Option<(f64, usize)> {
    did(places);
    let valued = (0..places).into_par_iter().with_min_len(WORTH_A_THREAD);
    let valued = valued.filter_map(|at| value(at).map(|value| (value, at)));
    valued.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
}

/// Rows that are to become a class.
#[derive(Clone, Default)]
pub(crate) struct RowCluster {
    pub(crate) members: Vec<(usize, u64)>,
    /// The rows by kind.
    pub(crate) pile: KindRows,
    /// What it publishes.
    pub(crate) cells: Vec<u32>,
    /// What one of its rows loses.
    pub(crate) price: f64,
    pub(crate) rows: u64,
}

impl RowCluster {
    /// The rows of some members.
    pub(crate) fn new(cells: &mut NumberedCells<'_, '_>, kinds: &Kinds, members: Vec<(usize, u64)>) -> Self {
        let mut pile = KindRows::default();
        let counts = kinds.count_up(&members);
        pile.extend(counts.into_iter());
        let joined = cells.of_all(&members);
        let rows = members.iter().map(|member| member.1).sum();
        RowCluster { price: cells.price(&joined), cells: joined, members, pile, rows }
    }

    /// Takes rows in.
    pub(crate) fn add(&mut self, cells: &mut NumberedCells<'_, '_>, kinds: &Kinds, member: (usize, u64)) {
        let more = cells.of(member.0).to_vec();
        if self.members.is_empty() {
            self.cells = more;
        } else {
            cells.join(&mut self.cells, &more);
        }
        self.price = cells.price(&self.cells);
        self.pile.extend(std::iter::once((kinds.sample(kinds.of(member.0)), member.1)));
        self.rows += member.1;
        self.members.push(member);
    }

    /// Takes all rows of another cluster in.
    pub(crate) fn merge(&mut self, cells: &mut NumberedCells<'_, '_>, other: RowCluster) {
        cells.join(&mut self.cells, &other.cells);
        self.price = cells.price(&self.cells);
        self.pile.extend(other.pile.rows().to_vec().into_iter());
        self.rows += other.rows;
        self.members.extend(other.members);
    }

    /// What its rows lose.
    pub(crate) fn loss(&self) -> f64 {
        self.rows as f64 * self.price
    }

    /// By how much the loss grows when `more` rows join and each row then loses `price`.
    #[inline]
    pub(crate) fn growth(&self, price: f64, more: u64) -> f64 {
        (self.rows + more) as f64 * price - self.loss()
    }
}
