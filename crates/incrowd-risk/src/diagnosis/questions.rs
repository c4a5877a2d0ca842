//! Twelve questions about k, a set of columns S, and the share δ of rows that may be suppressed, as in the paper
//! "A privacy diagnosis centre: algorithms for k-anonymity diagnosis".
//!
//! | asked for | δ = 0 | δ given | δ open |
//! | --- | --- | --- | --- |
//! | yes or no, for k and S | 1 | 5 | 9 |
//! | k, for S | 2 | 6 | 11 |
//! | S, for k | 3 | 7 | 10 |
//! | k and S | 4 | 8 | 12 |
//!
//! Where k is given, it can be asked for "at least k" or "at most k". At most ⌊δ·n⌋ of the n rows (people, when
//! the table has a subject column) are suppressed, whole classes, smallest size first. The rows themselves are
//! [`tuples_below`].

use incrowd_core::{ClassSizes, ColumnSet, CurvePoint, FrequencyTable, Suppression};
use serde::Serialize;

use super::borders::{BorderSearch, Borders, borders};
use super::curve::suppression_curve;
use super::subsets::{TooManyColumns, look_at_all};

/// A claim about k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KBound {
    /// Every class has at least this size.
    AtLeast(u64),
    /// Some class has at most this size.
    AtMost(u64),
}

impl KBound {
    /// Whether a table of this k keeps the bound.
    pub fn holds(self, k: u64) -> bool {
        match self {
            KBound::AtLeast(least) => k >= least,
            KBound::AtMost(most) => k <= most,
        }
    }
}

/// How many may be suppressed for a bound to hold: `from` or more, and fewer than `until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Budgets {
    /// The smallest number with which the bound holds.
    pub from: u64,
    /// The smallest number with which it holds no longer, if there is one.
    pub until: Option<u64>,
}

impl Budgets {
    /// `from` as the share δ of `n`.
    pub fn least_share(self, n: u64) -> f64 {
        if n == 0 { 0.0 } else { self.from as f64 / n as f64 }
    }
}

/// Questions 1 (δ = 0) and 5: is the table k-anonymous with respect to S after suppressing at most δ?
///
/// ```
/// use incrowd_core::{Attribute, ColumnSet, Dictionary, FrequencyTable, Role};
/// use incrowd_risk::diagnosis::{KBound, is_anonymous, k_of};
/// let a = Attribute::new("A", Role::QuasiIdentifier, Dictionary::of_texts(["0", "1", "2"]));
/// let table = FrequencyTable::from_tuples(vec![a], [([0], 1), ([1], 3), ([2], 6)]);
/// let s = ColumnSet::single(0);
/// assert!(!is_anonymous(&table, s, KBound::AtLeast(3), 0.0));
/// assert!(is_anonymous(&table, s, KBound::AtLeast(3), 0.1));
/// assert_eq!(k_of(&table, s, 0.4).suppressed, 4);
/// ```
pub fn is_anonymous(table: &FrequencyTable, s: ColumnSet, bound: KBound, delta: f64) -> bool {
    bound.holds(k_of(table, s, delta).k)
}

/// Questions 2 (δ = 0, Algorithm 1) and 6 (Algorithm 3 as corrected): the largest k for S after suppressing at most δ.
pub fn k_of(table: &FrequencyTable, s: ColumnSet, delta: f64) -> Suppression {
    table.class_sizes(s).at_budget(ClassSizes::budget(delta, table.people()))
}

/// Questions 3 (δ = 0, Algorithm 2) and 7: the sets of these columns for which the bound holds.
///
/// "At least k" holds for every subset of a set for which it holds, so the answer is the largest sets; "at most k"
/// holds for every superset, so the answer is the smallest sets. With each comes the search that found them.
pub fn sets_with(table: &FrequencyTable, columns: ColumnSet, bound: KBound, delta: f64) -> (Vec<ColumnSet>, Borders) {
    let search = |k| borders(table, &BorderSearch::new(k).suppressing(delta).among(columns));
    match bound {
        KBound::AtLeast(k) => {
            let found = search(k);
            (found.largest_safe.clone(), found)
        }
        KBound::AtMost(k) => {
            let found = search(k.saturating_add(1));
            (found.smallest_dangerous.clone(), found)
        }
    }
}

/// Questions 4 (δ = 0) and 8: the largest k of every set of these columns after suppressing at most δ.
///
/// [`Borders::measured`] has them; every set that is not there is a superset of one with k = 1 and has k = 1 too.
pub fn k_of_sets(table: &FrequencyTable, columns: ColumnSet, delta: f64) -> Borders {
    borders(table, &BorderSearch::new(2).suppressing(delta).among(columns))
}

/// Question 9: how many must, or may, be suppressed for the bound to hold for S. `None` when it never holds.
pub fn budgets_for(table: &FrequencyTable, s: ColumnSet, bound: KBound) -> Option<Budgets> {
    budgets_of(&table.class_sizes(s), bound)
}

/// Question 10: question 9 for every set of these columns.
pub fn budgets_for_sets(
    table: &FrequencyTable,
    columns: ColumnSet,
    bound: KBound,
) -> Result<Vec<(ColumnSet, Option<Budgets>)>, TooManyColumns> {
    look_at_all(table, columns, |sizes| budgets_of(sizes, bound))
}

/// Question 11: every k that can be had for S, with the fewest suppressed to have it.
pub fn curve_of(table: &FrequencyTable, s: ColumnSet) -> Vec<CurvePoint> {
    suppression_curve(&table.class_sizes(s), table.people(), usize::MAX)
}

/// Question 12: question 11 for every set of these columns, each curve thinned to at most `points` steps.
pub fn curves_of_sets(
    table: &FrequencyTable,
    columns: ColumnSet,
    points: usize,
) -> Result<Vec<(ColumnSet, Vec<CurvePoint>)>, TooManyColumns> {
    look_at_all(table, columns, |sizes| suppression_curve(sizes, table.people(), points))
}

/// The tuples whose class with respect to S is smaller than `k`, by their position in the table: what is suppressed to
/// reach k.
pub fn tuples_below(table: &FrequencyTable, s: ColumnSet, k: u64) -> Vec<usize> {
    let classes = table.roll_up(s);
    let sizes = classes.sizes_within(table.grouping()).enumerate();
    sizes.filter(|&(_, size)| size < k).map(|(tuple, _)| tuple).collect()
}

fn budgets_of(sizes: &ClassSizes, bound: KBound) -> Option<Budgets> {
    let largest = sizes.histogram().last().map_or(0, |&(size, _)| size);
    let needed = |k: u64| (k <= largest).then(|| sizes.below(k));
    match bound {
        KBound::AtLeast(k) => needed(k).map(|from| Budgets { from, until: None }),
        KBound::AtMost(k) => match needed(k.saturating_add(1)) {
            Some(0) => None,
            until => Some(Budgets { from: 0, until }),
        },
    }
}
