//! The cells of every quasi-identifier as numbers that are cheap to join and to price.
//!
//! Refinement joins and prices cells hundreds of millions of times. A hierarchy has few nodes, so they are numbered and
//! the join of any two is looked up. Free intervals and sets have too many cells for that: their number is the cell
//! itself, and the domain is asked.

use incrowd_core::{Cell, Domain};

use crate::Problem;
use crate::solver::numbers::to_usize;

/// A cell of one quasi-identifier, as [`CellSpace`] numbers it.
pub(super) type CellNumber = u64;

/// A hierarchy of more nodes than this is asked instead of looked up: the table has the square of it as entries.
const MOST_NODES: usize = 1 << 11;

/// One quasi-identifier.
struct Axis<'a> {
    domain: &'a Domain,
    /// The number of each leaf.
    leaves: Vec<CellNumber>,
    table: Option<NodeTable>,
}

/// The nodes of a hierarchy.
struct NodeTable {
    count: usize,
    joins: Vec<u16>,
    prices: Vec<f64>,
    /// The leaves below each node, as a range.
    spans: Vec<(u32, u32)>,
}

/// All quasi-identifiers of a problem.
pub(super) struct CellSpace<'a, 't> {
    problem: &'a Problem<'t>,
    axes: Vec<Axis<'a>>,
}

impl<'a, 't> CellSpace<'a, 't> {
    pub(super) fn new(problem: &'a Problem<'t>) -> Self {
        let axis = |(at, quasi): (usize, &'a incrowd_core::QuasiIdentifier)| Axis::new(problem, at, &quasi.domain);
        CellSpace { problem, axes: problem.quasi_identifiers.iter().enumerate().map(axis).collect() }
    }

    /// How many quasi-identifiers there are.
    pub(super) fn width(&self) -> usize {
        self.axes.len()
    }

    /// The leaves of a tuple.
    pub(super) fn leaves_of(&self, tuple: usize) -> impl Iterator<Item = CellNumber> + '_ {
        let axes = self.axes.iter().enumerate();
        axes.map(move |(at, axis)| axis.leaves[self.problem.leaf(tuple, at) as usize])
    }

    /// How many leaves a quasi-identifier has.
    pub(super) fn leaf_count(&self, at: usize) -> usize {
        self.axes[at].leaves.len()
    }

    /// Whether the cells of a quasi-identifier form a tree.
    pub(super) fn is_tree(&self, at: usize) -> bool {
        self.axes[at].domain.has_levels()
    }

    /// The smallest cell that holds both.
    #[inline]
    pub(super) fn join(&self, at: usize, a: CellNumber, b: CellNumber) -> CellNumber {
        if a == b {
            return a;
        }
        let axis = &self.axes[at];
        match &axis.table {
            Some(table) => CellNumber::from(table.joins[to_usize(a) * table.count + to_usize(b)]),
            None => axis.domain.join(Cell::from_bits(a), Cell::from_bits(b)).bits(),
        }
    }

    /// What a cell loses.
    #[inline]
    pub(super) fn price(&self, at: usize, node: CellNumber) -> f64 {
        match &self.axes[at].table {
            Some(table) => table.prices[to_usize(node)],
            None => self.problem.prices.price(at, Cell::from_bits(node)),
        }
    }

    /// What one row loses.
    #[inline]
    pub(super) fn row_price(&self, nodes: &[CellNumber]) -> f64 {
        nodes.iter().enumerate().map(|(at, &node)| self.price(at, node)).sum()
    }

    /// Widens some cells so that they hold others, too.
    #[inline]
    pub(super) fn widen(&self, nodes: &mut [CellNumber], others: &[CellNumber]) {
        for (at, (node, &other)) in nodes.iter_mut().zip(others).enumerate() {
            *node = self.join(at, *node, other);
        }
    }

    /// What one row loses in cells that are widened to hold others; gives up above `limit`.
    #[inline]
    pub(super) fn widened_price(&self, nodes: &[CellNumber], others: &[CellNumber], limit: f64) -> f64 {
        let mut price = 0.0;
        for (at, (&node, &other)) in nodes.iter().zip(others).enumerate() {
            price += self.price(at, self.join(at, node, other));
            if price > limit {
                return f64::INFINITY;
            }
        }
        price
    }

    /// Hands out the leaves of a cell, as ranges of their codes, both ends included.
    pub(super) fn each_range(&self, at: usize, node: CellNumber, mut each: impl FnMut(usize, usize)) {
        let axis = &self.axes[at];
        let mut range = |(first, last): (u32, u32)| each(first as usize, last as usize);
        match &axis.table {
            Some(table) => range(table.spans[to_usize(node)]),
            None => axis.domain.leaf_ranges(Cell::from_bits(node)).for_each(range),
        }
    }

    /// The code of a leaf.
    pub(super) fn leaf_code(&self, at: usize, leaf: CellNumber) -> usize {
        let axis = &self.axes[at];
        let (code, _) = match &axis.table {
            Some(table) => table.spans[to_usize(leaf)],
            None => axis.domain.leaf_ranges(Cell::from_bits(leaf)).next().unwrap_or_default(),
        };
        code as usize
    }
}

impl<'a> Axis<'a> {
    fn new(problem: &Problem<'_>, at: usize, domain: &'a Domain) -> Self {
        let leaves: Vec<Cell> = (0..domain.leaf_count()).map(|leaf| domain.leaf(leaf)).collect();
        let plain = || leaves.iter().map(|leaf| leaf.bits()).collect();
        if !domain.has_levels() {
            return Axis { domain, leaves: plain(), table: None };
        }
        let levels = (0..=domain.height()).flat_map(|level| (0..domain.leaf_count()).map(move |leaf| (leaf, level)));
        let mut cells: Vec<Cell> = levels.map(|(leaf, level)| domain.at_level(leaf, level)).collect();
        cells.sort_unstable();
        cells.dedup();
        if cells.len() > MOST_NODES {
            return Axis { domain, leaves: plain(), table: None };
        }
        let number = |cell: &Cell| cells.binary_search(cell).unwrap_or(0);
        // There are fewer nodes than 2¹⁶.
        let join = |a: Cell, b: Cell| u16::try_from(number(&domain.join(a, b))).unwrap_or(u16::MAX);
        let joins = cells.iter().flat_map(|&a| cells.iter().map(move |&b| join(a, b))).collect();
        let span = |&cell: &Cell| {
            let mut inside = (0..).zip(&leaves).filter(|(_, leaf)| domain.contains(cell, **leaf)).map(|(code, _)| code);
            let first = inside.next().unwrap_or(0);
            (first, inside.last().unwrap_or(first))
        };
        let table = NodeTable {
            count: cells.len(),
            joins,
            prices: cells.iter().map(|&cell| problem.prices.price(at, cell)).collect(),
            spans: cells.iter().map(span).collect(),
        };
        Axis { domain, leaves: leaves.iter().map(|leaf| number(leaf) as CellNumber).collect(), table: Some(table) }
    }
}
