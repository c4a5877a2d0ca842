//! Closed frequent generalized records: what the classes of any release are made of.
//!
//! A *generalized record* has one cell for each quasi-identifier. Its *support* is the rows inside it; it is *frequent*
//! with k rows or more, and *closed* when no cell can be made smaller without losing rows: it is the join of its
//! support. B. Kenig and T. Tassa, A practical approximation algorithm for optimal k-anonymity, DMKD 2012, section 5,
//! Algorithms 6 and 7. The class of a release is part of the support of the record it publishes, so solvers that go
//! through these records look at everything a release can be made of.
//!
//! Records are mined on *points*, the distinct tuples of quasi-identifiers; `walk.rs` says why each is met once. Free
//! intervals and sets have no levels between a value and `*`, and far too many cells to go through: they are mined as
//! if a value could become `*` only. A solver still gets classes that it may tighten; for the bound on the loss, which
//! needs every cell that may be published, [`is_complete`] says whether there are more.

mod binding_records;
mod mending;
mod points;
mod store;
mod tree;
mod walk;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use incrowd_core::{Cell, Stopped};

use crate::{Budget, Problem};
pub(crate) use binding_records::{BindingRecords, TopValues, binding_records};
pub(crate) use mending::PassingRecords;
pub(crate) use points::DistinctPoints;
use store::{RecordStore, StoredRecords};
use tree::CellTree;
use walk::{RecordVisitor, RecordWalk};

/// What mined records may take.
#[derive(Clone, Copy, Debug)]
pub struct MiningLimits {
    /// At most how many records; when there are more, none are given.
    pub records: usize,
    /// At most how many bytes for supports; those that do not fit are found again each time they are asked for.
    pub bytes: usize,
    /// At most how many points in all records together, which is the work of finding them; when there are more, none
    /// are given.
    pub work: u64,
}

impl Default for MiningLimits {
    fn default() -> Self {
        MiningLimits { records: 1 << 23, bytes: 1 << 30, work: u64::MAX }
    }
}

/// Why there are no records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unmined {
    /// There are more than the limit allows.
    #[error("more closed frequent records than the limit allows")]
    TooMany,
    /// The work was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Whether records have every cell that may be published: not so for free intervals and sets.
pub(crate) fn is_complete(problem: &Problem<'_>) -> bool {
    // With two leaves there is nothing between a value and `*` anyway.
    problem.quasi_identifiers.iter().all(|quasi| quasi.domain.has_levels() || quasi.domain.leaf_count() <= 2)
}

/// The closed frequent records of a table, in a fixed order. The first holds all rows.
pub struct ClosedRecords {
    points: DistinctPoints,
    /// The tuple of each member that the points were made of.
    tuples: Vec<usize>,
    trees: Vec<CellTree>,
    stored: StoredRecords,
    prices: Vec<f64>,
    cut_short: bool,
    work: u64,
}

impl ClosedRecords {
    /// The closed records with at least k of the table's rows.
    pub fn mine(problem: &Problem<'_>, k: u64, limits: MiningLimits, budget: &Budget) -> Result<Self, Unmined> {
        let rows = problem.all_rows();
        budget.run(|| Self::of_rows(problem, &rows, k, limits, budget))
    }

    /// The closed records with at least k of some rows.
    pub(crate) fn of_rows(
        problem: &Problem<'_>,
        rows: &[(usize, u64)],
        k: u64,
        limits: MiningLimits,
        budget: &Budget,
    ) -> Result<Self, Unmined> {
        let MiningInput { points, trees, order } = MiningInput::new(problem, rows);
        let left = AtomicUsize::new(limits.bytes);
        let mut store = RecordStore::new(trees.len(), &left);
        let walk = RecordWalk::new((&points, &trees, &order), k, limits, budget);
        let cut_short = walk.run(&mut store)?;
        let work = walk.work();
        let stored = store.finish();
        let width = trees.len();
        let prices = (0..stored.rows.len()).map(|record| price(&trees, &stored.cells[record * width..][..width]));
        let prices = prices.collect();
        let tuples = rows.iter().map(|member| member.0).collect();
        Ok(ClosedRecords { points, tuples, trees, prices, stored, cut_short, work })
    }

    /// As [`ClosedRecords::of_rows`], for solvers that can do with fewer: when there are too many, those of a larger k.
    /// They are among those of k, and the record of all rows is always there.
    pub(crate) fn for_solver(
        problem: &Problem<'_>,
        rows: &[(usize, u64)],
        k: u64,
        budget: &Budget,
    ) -> Result<Self, Stopped> {
        let all: u64 = rows.iter().map(|member| member.1).sum();
        let mut k = k.min(all);
        loop {
            match Self::of_rows(problem, rows, k, MiningLimits::default(), budget) {
                Ok(records) => return Ok(records),
                Err(Unmined::Stopped(stopped)) => return Err(stopped),
                // At worst k is the number of all rows, and there is one record.
                Err(Unmined::TooMany) => k = k.saturating_mul(2).min(all),
            }
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.prices.len()
    }

    /// Whether there is none: the table has fewer than k rows.
    pub fn is_empty(&self) -> bool {
        self.prices.is_empty()
    }

    /// The cells of a record, one for each quasi-identifier.
    pub fn cells(&self, record: usize) -> impl Iterator<Item = Cell> + '_ {
        let numbers = &self.stored.cells[record * self.trees.len()..][..self.trees.len()];
        self.trees.iter().zip(numbers).map(|(tree, &number)| tree.cell(number))
    }

    /// The rows inside a record.
    pub fn rows(&self, record: usize) -> u64 {
        self.stored.rows[record]
    }

    /// What a row loses that is published as the record.
    pub fn price(&self, record: usize) -> f64 {
        self.prices[record]
    }

    /// The tuples of the table inside a record, ascending.
    pub fn tuples(&self, record: usize) -> Vec<usize> {
        let mut tuples = Vec::new();
        self.for_each_point(record, |point| {
            tuples.extend(self.points.members(point).iter().map(|&member| self.tuples[member as usize]));
        });
        tuples.sort_unstable();
        tuples
    }

    /// Hands out the points inside a record, ascending.
    #[inline]
    pub(crate) fn for_each_point(&self, record: usize, each: impl FnMut(u32)) {
        self.stored.for_each_point(record, &self.points, &self.trees, each);
    }

    /// What a row loses in the smallest record that holds some points.
    pub(crate) fn price_of_join(&self, points: &[u32]) -> f64 {
        let join = |(quasi, tree): (usize, &CellTree)| {
            let leaves = self.points.leaves(quasi);
            tree.price(tree.join(points.iter().map(|&point| leaves[point as usize])))
        };
        self.trees.iter().enumerate().map(join).sum()
    }

    /// The points that the records were mined on.
    pub(crate) fn points(&self) -> &DistinctPoints {
        &self.points
    }

    /// Whether the points of every record are held.
    pub(crate) fn holds_supports(&self) -> bool {
        self.stored.holds_supports()
    }

    /// Whether a deadline passed before all were found.
    pub(crate) fn cut_short(&self) -> bool {
        self.cut_short
    }

    /// The points in all records together: the work of finding them.
    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    /// The bytes that the records take.
    pub fn bytes(&self) -> usize {
        self.stored.bytes() + self.prices.len() * 8
    }
}

impl std::fmt::Debug for ClosedRecords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClosedRecords").field("records", &self.len()).finish_non_exhaustive()
    }
}

/// What the cheapest records of some points lose.
pub(crate) struct CheapestPrices {
    /// For each point its rows and what the cheapest record loses that holds it and k rows or more.
    pub(crate) points: Vec<(u64, f64)>,
    /// The work units of looking at all records.
    pub(crate) work: u64,
}

/// What each point of some rows loses at least; none when there are fewer than k rows, or when the deadline passed or
/// the effort was spent before all records were seen. No record is kept, however many there are.
pub(crate) fn cheapest(
    problem: &Problem<'_>,
    rows: &[(usize, u64)],
    k: u64,
    budget: &Budget,
) -> Result<Option<CheapestPrices>, Stopped> {
    let MiningInput { points, trees, order } = MiningInput::new(problem, rows);
    let least: Vec<AtomicU64> = (0..points.len()).map(|_| AtomicU64::new(f64::INFINITY.to_bits())).collect();
    let limits = MiningLimits { records: usize::MAX, bytes: 0, work: budget.effort.unwrap_or(u64::MAX) };
    let walk = RecordWalk::new((&points, &trees, &order), k, limits, budget);
    let cut_short = match walk.run(&mut CheapestVisitor { trees: &trees, least: &least }) {
        Ok(cut_short) => cut_short,
        Err(Unmined::Stopped(stopped)) => return Err(stopped),
        Err(Unmined::TooMany) => true,
    };
    if cut_short || points.all_rows() < k {
        return Ok(None);
    }
    let price = |(point, least): (u32, AtomicU64)| (points.rows(point), f64::from_bits(least.into_inner()));
    Ok(Some(CheapestPrices { work: walk.work(), points: (0..).zip(least).map(price).collect() }))
}

/// The cheapest record of each point so far. Prices are not negative, so their bits are in their order.
struct CheapestVisitor<'a> {
    trees: &'a [CellTree],
    least: &'a [AtomicU64],
}

impl RecordVisitor for CheapestVisitor<'_> {
    fn record(&mut self, cells: &[u32], _: u64, points: &[u32]) {
        let price = price(self.trees, cells).to_bits();
        for &point in points {
            let least = &self.least[point as usize];
            if price < least.load(Ordering::Relaxed) {
                least.fetch_min(price, Ordering::Relaxed);
            }
        }
    }

    fn part(&self) -> Self {
        CheapestVisitor { ..*self }
    }

    fn join(&mut self, _: Self) {}
}

/// What records are mined on.
struct MiningInput {
    points: DistinctPoints,
    trees: Vec<CellTree>,
    order: Vec<usize>,
}

impl MiningInput {
    fn new(problem: &Problem<'_>, rows: &[(usize, u64)]) -> Self {
        let quasis = (0..).zip(problem.quasi_identifiers);
        let trees: Vec<CellTree> =
            quasis.map(|(at, quasi)| CellTree::new(quasi, |cell| problem.prices.price(at, cell))).collect();
        let mut order: Vec<usize> = (0..trees.len()).collect();
        // The quasi-identifiers with the fewest values first: a step along one of them leaves the most points, and
        // early steps are few.
        order.sort_by_key(|&quasi| problem.quasi_identifiers[quasi].domain.leaf_count());
        MiningInput { points: DistinctPoints::new(problem, rows, &order), trees, order }
    }
}

/// What a row loses that is published as these cells.
fn price(trees: &[CellTree], cells: &[u32]) -> f64 {
    trees.iter().zip(cells).map(|(tree, &cell)| tree.price(cell)).sum()
}
