//! Between the sets of columns that are safe and those that are not.
//!
//! Paper 002, Algorithm 2, as mended: sets are searched level by level, from single columns up. A set is a candidate
//! when all its subsets with one column less are safe (Lemma 1: a set is never safer than its subsets), each candidate
//! is measured once, and both borders are kept: the *largest safe* sets, and the *smallest dangerous* ones, which are
//! what a custodian acts on. With a suppression budget the same holds: whoever stands in a small class of a set stands
//! in a small class of every larger set, so a larger set never needs fewer withheld.

use std::collections::HashSet;

use incrowd_core::{ClassSizes, ColumnSet, FrequencyTable, Role, Stopped, Watch};
use serde::Serialize;

use super::subsets::in_order;
use super::walk::{Walk, unwatched};

/// What is asked of the sets of columns.
///
/// ```
/// use incrowd_core::ColumnSet;
/// use incrowd_risk::diagnosis::Search;
/// let search = Search::new(5).suppressing(0.02).up_to(3).among(ColumnSet::first(8));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    k: u64,
    delta: f64,
    max_size: usize,
    columns: Option<ColumnSet>,
}

impl Search {
    /// A set is safe when every class has at least `k`.
    pub fn new(k: u64) -> Self {
        Search { k, delta: 0.0, max_size: usize::MAX, columns: None }
    }

    /// A set is also safe when withholding at most this share reaches k.
    pub fn suppressing(self, delta: f64) -> Self {
        Search { delta, ..self }
    }

    /// Looks at sets of at most this many columns.
    pub fn up_to(self, max_size: usize) -> Self {
        Search { max_size, ..self }
    }

    /// Looks at these columns instead of the quasi-identifiers.
    pub fn among(self, columns: ColumnSet) -> Self {
        Search { columns: Some(columns), ..self }
    }
}

/// One set of columns that was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Measured {
    /// The columns.
    pub columns: ColumnSet,
    /// The size of the smallest class that is kept: of all classes when nothing may be withheld.
    pub k: u64,
    /// How many are withheld to reach `k`.
    pub suppressed: u64,
    /// How many classes there are.
    pub classes: u64,
    /// How many stand alone in their class.
    pub unique: u64,
    /// How many stand in classes smaller than the k that was asked for.
    pub below: u64,
}

/// What a border search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Borders {
    /// Safe sets none of whose measured supersets is safe, in column order.
    pub largest_safe: Vec<ColumnSet>,
    /// Sets that are not safe although all their subsets are, smallest first.
    pub smallest_dangerous: Vec<ColumnSet>,
    /// Every set that was measured. A set that was not is a superset of a dangerous one, or too large for the search.
    pub measured: Vec<Measured>,
    /// How many sets were measured: the paper's "calls". Roll-ups shared on the way are not among them.
    pub groupings: usize,
    /// Whether the search ended by itself and not at the largest size allowed.
    pub complete: bool,
}

impl Borders {
    /// What was measured of a set, if it was.
    pub fn of(&self, columns: ColumnSet) -> Option<&Measured> {
        self.measured.iter().find(|measured| measured.columns == columns)
    }
}

/// Searches both borders.
///
/// ```
/// use incrowd_core::{Attribute, ColumnSet, Dictionary, FrequencyTable, Role};
/// use incrowd_risk::diagnosis::{Search, borders};
/// let column = |name| Attribute::new(name, Role::QuasiIdentifier, Dictionary::of_texts(["0", "1"]));
/// let table = FrequencyTable::from_tuples(vec![column("A"), column("B")], [([0, 0], 2), ([0, 1], 1), ([1, 1], 3)]);
/// let found = borders(&table, &Search::new(2));
/// assert_eq!(found.largest_safe, [ColumnSet::single(0), ColumnSet::single(1)]);
/// assert_eq!(found.smallest_dangerous, [ColumnSet::first(2)]);
/// assert_eq!(found.groupings, 3);
/// ```
pub fn borders(table: &FrequencyTable, search: &Search) -> Borders {
    unwatched(|watch| borders_watched(table, search, watch))
}

/// As [`borders`], watched and stoppable.
pub fn borders_watched(table: &FrequencyTable, search: &Search, watch: &Watch) -> Result<Borders, Stopped> {
    let columns = search.columns.unwrap_or_else(|| table.columns(Role::QuasiIdentifier));
    borders_on(&Walk::new(table, columns, watch), table.people(), search)
}

pub(crate) fn borders_on(walk: &Walk<'_>, people: u64, search: &Search) -> Result<Borders, Stopped> {
    let budget = ClassSizes::budget(search.delta, people);
    let mut found =
        Borders { largest_safe: vec![], smallest_dangerous: vec![], measured: vec![], groupings: 0, complete: true };
    let mut candidates: Vec<ColumnSet> = walk.grouping().columns().iter().map(ColumnSet::single).collect();
    let mut below: Vec<ColumnSet> = Vec::new();
    for size in 1.. {
        if !candidates.is_empty() && size > search.max_size {
            found.complete = false;
            candidates.clear();
        }
        let measures = walk.measure(&candidates, |sizes| {
            let kept = sizes.at_budget(budget);
            (kept, sizes.classes(), sizes.unique(), sizes.below(search.k))
        })?;
        let mut safe = Vec::new();
        for (&columns, (kept, classes, unique, below)) in candidates.iter().zip(measures) {
            let (k, suppressed) = (kept.k, kept.suppressed);
            found.measured.push(Measured { columns, k, suppressed, classes, unique, below });
            if k >= search.k { safe.push(columns) } else { found.smallest_dangerous.push(columns) }
        }
        let extended: HashSet<ColumnSet> = safe.iter().flat_map(|set| set.parents()).collect();
        found.largest_safe.extend(below.iter().filter(|set| !extended.contains(set)));
        if safe.is_empty() {
            break;
        }
        candidates = next_level(&safe);
        below = safe;
    }
    found.groupings = found.measured.len();
    found.largest_safe.sort_by(in_order);
    Ok(found)
}

/// The sets of one column more all of whose subsets of this level are safe, in column order.
fn next_level(safe: &[ColumnSet]) -> Vec<ColumnSet> {
    let known: HashSet<ColumnSet> = safe.iter().copied().collect();
    let mut candidates = Vec::new();
    for (at, &a) in safe.iter().enumerate() {
        // Sets in column order that agree up to their last column stand together; every candidate has one such pair.
        let stem = |set: ColumnSet| set.iter().last().map(|last| set.without(last));
        for &b in safe[at + 1..].iter().take_while(|&&b| stem(b) == stem(a)) {
            let joined = a.union(b);
            if joined.parents().all(|subset| known.contains(&subset)) {
                candidates.push(joined);
            }
        }
    }
    candidates
}
