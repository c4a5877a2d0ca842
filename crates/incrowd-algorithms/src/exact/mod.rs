//! Exact search for small tables: the partition that loses least, or the proof that no partition keeps the policy.
//!
//! A class is a number of rows of each item, where an *item* is the set of tuples that agree on the quasi-identifiers
//! and on everything the policy looks at ([`items`]). All classes that keep the policy are listed as candidates
//! ([`candidates`]). A release is a set of candidates that together have every row once; the linear programme of all
//! releases gives each row a price ([`prices`]), which bounds from below what any rows can lose. A depth-first search
//! ([`search`]) covers the rows by candidates and leaves out whatever cannot lose less than the best that is known.
//!
//! **Which candidates suffice.** If the policy survives merging, a class whose rows can be parted into two classes that
//! keep it is not needed: the parts publish cells inside the cells of the class, and prices are monotone, so the parts
//! lose no more. Should parts then publish alike, they are one class, which keeps the policy, too. If it does not
//! survive merging, all classes are candidates, and no two classes of a release may publish alike, unless an id tells
//! them apart.
//!
//! The search takes tables of at most [`MOST_TUPLES`] tuples. `auto` uses it to solve small tables, and `feasibility`
//! to prove that a policy is infeasible. The number of candidates and the work of the search are limited
//! ([`SearchLimits`]) by constants that depend on the effort and not on the clock: so the result is the same on every
//! machine. Beyond the limits nothing is claimed.

mod candidates;
mod items;
mod prices;
mod search;

use incrowd_core::{Members, Stopped};

use crate::solver::ClassMembers;
use crate::{Budget, Effort, Problem};
use items::Items;
use search::ExactSearch;

/// Tables of at most this many tuples are searched exactly.
pub(crate) const MOST_TUPLES: usize = 12;
/// Differences below this part of the loss are rounding.
const ROUNDING: f64 = 1e-9;

/// How far a search goes before it gives up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchLimits {
    /// Numbers of rows by kind that are put before the policy.
    mixtures: usize,
    /// Pairs of them that are looked at for those that can be parted.
    pairs: usize,
    /// Candidates that are listed.
    candidates: usize,
    /// Candidates that are looked at by the search.
    looks: u64,
    /// States that the search remembers.
    states: usize,
}

impl SearchLimits {
    /// Milliseconds: searches are made very often.
    pub(crate) const NEAR: SearchLimits =
        SearchLimits { mixtures: 1 << 12, pairs: 1 << 20, candidates: 1 << 14, looks: 1 << 20, states: 1 << 16 };
    /// Seconds, and 50 MB: for a high effort.
    const FAR: SearchLimits =
        SearchLimits { mixtures: 1 << 21, pairs: 1 << 27, candidates: 1 << 20, looks: 1 << 24, states: 1 << 18 };

    /// For a table of `tuples` tuples that is searched once.
    pub(crate) fn of(budget: &Budget, tuples: usize) -> SearchLimits {
        let high = Effort::HIGH.units(tuples as u64);
        if budget.effort.is_some_and(|effort| effort >= high) { SearchLimits::FAR } else { SearchLimits::NEAR }
    }
}

/// What an exact search found.
#[derive(Debug, Default)]
pub(crate) struct ExactResult {
    /// Classes that keep the policy and lose less than what was known.
    pub(crate) classes: Option<Vec<ClassMembers>>,
    /// Whether the search was complete: without classes, none lose less than what was known, or none keep the policy.
    pub(crate) complete: bool,
    /// Whether a deadline cut the search.
    pub(crate) cut_short: bool,
    /// The work units that were spent.
    pub(crate) work: u64,
}

/// The classes of these rows that keep the policy and lose least, if they lose less than `known`. The rows have to be
/// those that the problem compares classes with.
pub(crate) fn best_classes(
    problem: &Problem<'_>,
    rows: &[(usize, u64)],
    known: Option<f64>,
    reach: SearchLimits,
    budget: &Budget,
) -> Result<ExactResult, Stopped> {
    budget.check()?;
    let whole = [Members::new(problem.table, rows)];
    if problem.policy.whole_counts(problem.table) && !problem.policy.holds_as_whole(&whole) {
        return Ok(ExactResult { complete: true, ..ExactResult::default() });
    }
    search(problem, rows, known, reach, budget)
}

/// The same for some of the rows that are published.
pub(crate) fn classes_of_part(
    problem: &Problem<'_>,
    rows: &[(usize, u64)],
    budget: &Budget,
) -> Result<ExactResult, Stopped> {
    search(problem, rows, None, SearchLimits::NEAR, budget)
}

fn search(
    problem: &Problem<'_>,
    rows: &[(usize, u64)],
    known: Option<f64>,
    reach: SearchLimits,
    budget: &Budget,
) -> Result<ExactResult, Stopped> {
    if rows.is_empty() || rows.len() > MOST_TUPLES {
        return Ok(ExactResult::default());
    }
    let items = Items::new(problem, rows);
    let Some(candidates) = candidates::list(problem, &items, &reach, budget) else {
        return Ok(ExactResult { cut_short: budget.is_over(), ..ExactResult::default() });
    };
    budget.check()?;
    // No partition loses more than one class of all rows.
    let most = items.price(items.all()) * items.total() as f64;
    let known = known.unwrap_or(f64::INFINITY).min((most + 1.0) * (1.0 + 4.0 * ROUNDING) - 1.0);
    let prices = prices::dual_prices(&items, &candidates, budget);
    let mut search = ExactSearch::new(problem, &items, candidates, prices, (known, reach), budget);
    search.run();
    budget.check()?;
    let classes = search.best().map(|chosen| items.deal(chosen));
    if classes.iter().flatten().any(|class| !problem.holds(class)) {
        // A model that depends on more than the kinds of rows: nothing is claimed.
        return Ok(ExactResult { work: search.work(), ..ExactResult::default() });
    }
    let (complete, cut_short) = (search.is_complete(), search.was_late());
    Ok(ExactResult { classes, complete, cut_short, work: search.work() })
}

#[cfg(test)]
mod tests;
