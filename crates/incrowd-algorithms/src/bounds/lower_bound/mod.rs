//! Lower bounds on the information loss of any release.
//!
//! **Row by row**: for each row the cheapest frequent record that covers it; their mean. It holds for every local
//! recoding and for every policy whose classes have at least k rows, with or without rows suppressed:
//!
//! - A published class has at least k rows. What it publishes for a row is a generalized record that holds all rows of
//!   the class, so its support has at least k rows: it is frequent.
//! - The join of its support is inside that record, has the same support, and is closed. Prices are monotone, so the
//!   closed record is not dearer. Hence each published row loses at least the price of the cheapest *closed* frequent
//!   record that covers it, and closed records are all that have to be looked at.
//! - A suppressed row counts as `*` in every cell, and no record is dearer than that. So it, too, loses at least the
//!   price of its cheapest record, and the bound needs no allowance for rows suppressed.
//! - Where k counts people, a class of k people has k rows or more.
//!
//! **Rows together.** Rows stand in each other's way: the cheapest record of a row is of no use to it when most of its
//! other rows are better off elsewhere. [`ascent`] prices rows so that no class is cheaper than its rows, which is the
//! dual of a linear programme, and begins with the row-by-row prices. Prices stay below `*`'s, so that a suppressed
//! row, which is in no class, loses its price at least. The result is never below the row-by-row bound, and on Adult it
//! is more than a third above it.
//!
//! Where all closed frequent records fit into memory, the programme is solved nearly to its optimum
//! ([`linear_programme`]), which on Adult is two to three percent above the ascent; where they do not, the ascent does
//! what it can with the records that may bind. Where not even these fit, prices are raised in passes over all records,
//! none of which is held (`mining/mending.rs`).
//!
//! **Cuts.** Where classes have two rows or more (k = 2), cuts of odd sets of rows (`linear_programme/odd_sets/`) raise the
//! bound further: on Adult by 2.6 percent, which is most of what the programme's optimum was below the best release.
//!
//! **Shards** of a table that is never in memory as a whole have prices that hold for the whole table, too
//! ([`shard_bound`]).
//!
//! **Other models.** Where the policy limits shares of sensitive values, the prices are then raised as far as classes
//! within these limits allow (`linear_programme/share_limits.rs`): α, frequency, entropy and recursive ℓ-diversity,
//! t-closeness with equal or hierarchical distances, β-likeness, δ-disclosure privacy. t-closeness with the ordered
//! distance has prices of its own (`linear_programme/order_prices.rs`). Distinct ℓ-diversity and p-sensitivity require a number
//! of values instead (`linear_programme/distinct_rows.rs`). t-closeness also requires some rows in a class: shares in small
//! classes are multiples of large fractions. For the other models, for tables that count people, and where rows may be
//! suppressed for those that compare classes with the table, the bound is that of the fewest rows of a class.
//!
//! Where a release meets a bound, the release is optimal.

mod ascent;
mod linear_programme;
mod row_parts;
mod shard_bound;
#[cfg(test)]
mod small_optimum;

use std::time::Instant;

use incrowd_core::{Stage, Stopped};

use crate::mining::{self, CheapestPrices, ClosedRecords, MiningLimits, PassingRecords, Unmined};
use crate::solver::numbers::to_usize;
use crate::{Budget, LowerBound, Problem};
use ascent::Ascent;
use linear_programme::LimitedShares;
pub(crate) use linear_programme::{CandidateRecord, CutProof, Dive, DiveStyle, OpenRecord, PriceSearch, Relaxation};
use row_parts::raised_on_the_whole;
pub use shard_bound::{crossing_price, lower_bound_of_shard};

/// Factor by which a row's price may first exceed the price of its cheapest record.
const FIRST: f64 = 2.0;
/// Factor by which it may then exceed the price it has reached.
const LATER: f64 = 1.25;
/// How often records are looked for that allow more.
const ROUNDS: usize = 3;
/// A round that gains less than this part is the last.
const LEAST_GAIN: f64 = 5e-3;
/// Maximum number of points in the records that are held, four bytes each.
const MOST: usize = 1 << 26;
/// Maximum number of records of the linear programme, and of bytes for their points.
const RECORDS: usize = 1 << 22;
const BYTES: usize = 1 << 29;
/// Number of points in all records up to which the ascent is tried, too.
const SMALL: u64 = 1 << 20;
/// The bytes of a record besides those of its points, about.
const RECORD_BYTES: usize = 1 << 6;
/// The share of a memory limit that records may take.
const SHARE: u64 = 4;
/// Sums of many prices are not exact; a bound is lowered by this share.
pub(crate) const ROUNDING: f64 = 1e-12;

/// What any release whose classes have at least k rows loses at least.
///
/// None when there is no such release because the table has fewer rows, when a domain has no levels (its cells are too
/// many to go through), or when the deadline came or the effort was spent before every row had been looked at. A later
/// end leaves the best bound so far. When what a release loses is known, a bound that meets it is the end of the
/// search.
pub fn lower_bound(
    problem: &Problem<'_>,
    k: u64,
    known: Option<f64>,
    budget: &Budget,
) -> Result<Option<LowerBound>, Stopped> {
    budget.check()?;
    let table = problem.table;
    if budget.is_over() {
        return Ok(None);
    }
    if problem.quasi_identifiers.is_empty() || table.rows() == 0 || k == 0 || !mining::is_complete(problem) {
        return Ok(None);
    }
    let rows = problem.all_rows();
    // Models that compare a class with the table require some rows. That was proven for rows, not for people, and where all
    // rows are published.
    let compares_rows = problem.budget == 0 && !problem.table.counts_people();
    let k = if compares_rows { k.max(problem.policy.fewest_rows()) } else { k };
    budget.run(|| {
        budget.tell_spent(Stage::Bound, 0, Instant::now());
        let mut found = None;
        if let Some(records) = stored_records(problem, &rows, k, &budget.share_of_effort(1, 2))? {
            found = by_linear_programme(problem, &records, k, known, budget);
            // On a small table the ascent takes next to nothing, and may end just at the optimum.
            if records.work() > SMALL {
                return Ok(found);
            }
        }
        let Some(CheapestPrices { points: least, work }) = mining::cheapest(problem, &rows, k, budget)? else {
            return Ok(found);
        };
        let left = Budget { effort: budget.effort.map(|effort| effort.saturating_sub(work)), ..budget.clone() };
        let cells = cells_of(problem);
        let lost: f64 = least.iter().map(|&(rows, price)| rows as f64 * price).sum();
        budget.watch.progress.found_bound(lost / cells);
        let is_met = known.is_some_and(|known| known * cells <= lost * (1.0 + ROUNDING));
        let best = if is_met { lost } else { together(problem, &rows, k, &least, &left)? };
        let best = found.map_or(best, |found| best.max(found.best * cells)).max(lost);
        Ok(Some(LowerBound { row_by_row: lost / cells, best: best / cells }))
    })
}

/// All closed frequent records; none when they are too many for the memory or the effort, or the time was over before.
/// What it took to find that out is not counted: at most as much again is spent on the records that may bind.
pub(crate) fn stored_records(
    problem: &Problem<'_>,
    rows: &[(usize, u64)],
    k: u64,
    budget: &Budget,
) -> Result<Option<ClosedRecords>, Stopped> {
    let bytes = budget.memory.map_or(BYTES, |memory| BYTES.min(to_usize(memory / SHARE)));
    let work = budget.effort.unwrap_or(u64::MAX);
    let limits = MiningLimits { records: RECORDS.min(bytes / RECORD_BYTES), bytes, work };
    match ClosedRecords::of_rows(problem, rows, k, limits, budget) {
        Ok(records) => Ok(Some(records).filter(|records| !records.cut_short() && records.holds_supports())),
        Err(Unmined::TooMany) => Ok(None),
        Err(Unmined::Stopped(stopped)) => Err(stopped),
    }
}

/// The bound when all records are at hand.
fn by_linear_programme(
    problem: &Problem<'_>,
    records: &ClosedRecords,
    k: u64,
    known: Option<f64>,
    budget: &Budget,
) -> Option<LowerBound> {
    if records.is_empty() {
        return None;
    }
    let left = Budget { effort: budget.effort.map(|effort| effort.saturating_sub(records.work())), ..budget.clone() };
    let cells = cells_of(problem);
    let relaxation = Relaxation::new(records, k, problem.star_price());
    let mut search = PriceSearch::new(&relaxation, &left)?;
    let lost = search.sum();
    let mut is_enough = |sum: f64| {
        let sum = (sum * (1.0 - ROUNDING)).max(lost);
        budget.watch.progress.found_bound(sum / cells);
        known.is_some_and(|known| known * cells <= sum * (1.0 + ROUNDING))
    };
    let spent = search.run(&left, &mut is_enough);
    if !is_enough(search.sum()) {
        let left = Budget { effort: left.effort.map(|effort| effort.saturating_sub(spent)), ..left.clone() };
        search.run_cuts(&left, &mut is_enough);
    }
    let rows = problem.all_rows();
    if let Some(limits) = LimitedShares::new(problem, records, &rows, k) {
        search.raise(&limits, &left, |sum| budget.watch.progress.found_bound(sum * (1.0 - ROUNDING) / cells));
    }
    Some(LowerBound::of_search(&search, cells))
}

impl LowerBound {
    /// What the prices of a search prove; all cells of the quasi-identifiers are counted.
    pub(crate) fn of_search(search: &PriceSearch<'_, '_>, cells: f64) -> Self {
        let row_by_row = search.row_by_row();
        LowerBound { row_by_row: row_by_row / cells, best: (search.sum() * (1.0 - ROUNDING)).max(row_by_row) / cells }
    }
}

/// The cells of the quasi-identifiers.
fn cells_of(problem: &Problem<'_>) -> f64 {
    problem.table.rows() as f64 * problem.quasi_identifiers.len() as f64
}

/// The sum of the best prices that no class undercuts.
fn together(
    problem: &Problem<'_>,
    rows: &[(usize, u64)],
    k: u64,
    least: &[(u64, f64)],
    budget: &Budget,
) -> Result<f64, Stopped> {
    let star = problem.star_price();
    let mut prices: Vec<f64> = least.iter().map(|point| point.1).collect();
    let (mut best, mut factor): (f64, f64) = (0.0, FIRST);
    let mut left = budget.clone();
    for _ in 0..ROUNDS {
        // A price may have come to be negative; it may still be what its row has to lose.
        let cap = |(price, least): (&f64, &(u64, f64))| (price.max(least.1) * factor).min(star);
        let caps = prices.iter().zip(least).map(cap).collect();
        let half = left.share_of_effort(1, 2);
        let Some(records) = mining::binding_records(problem, rows, k, caps, MOST, &half)? else {
            // The records that may bind are too many to be held, too: they are looked at one by one.
            left.effort = left.effort.map(|effort| effort / 2);
            let passing = PassingRecords::new(problem, rows, k, star);
            let sum = least.iter().zip(&prices).map(|(point, price)| point.0 as f64 * price).sum();
            let raised = raised_on_the_whole(problem, &passing, (sum, prices), &left)?;
            return Ok(best.max(raised * (1.0 - ROUNDING)));
        };
        let ascent = Ascent::new(&records, k);
        let (climbed, work) = ascent.climb(&prices, &half);
        prices = climbed;
        left.effort = left.effort.map(|effort| effort.saturating_sub(records.work + work));
        let before = std::mem::replace(&mut best, ascent.sum(&prices) * (1.0 - ROUNDING));
        budget.watch.progress.found_bound(best.max(before) / cells_of(problem));
        if best < before * (1.0 + LEAST_GAIN) {
            best = best.max(before);
            break;
        }
        factor = LATER;
    }
    Ok(best)
}
