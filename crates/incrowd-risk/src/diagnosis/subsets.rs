//! Every set of columns: how large its smallest class is, how many classes it has, how many people are alone in one.
//!
//! The answer to the questions that leave the set of columns open, without pruning: 2ⁿ − 1 sets, none of which touches
//! the rows again.

use incrowd_core::{ClassSizes, ColumnSet, FrequencyTable, Stopped, Watch};
use serde::Serialize;

use super::walk::{SetWalk, unwatched};

/// What one set of columns reveals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SubsetRisk {
    /// The columns.
    pub columns: ColumnSet,
    /// The size of the smallest class.
    pub k: u64,
    /// How many classes there are.
    pub classes: u64,
    /// How many are alone in their class.
    pub unique: u64,
}

/// More sets of columns were requested than can be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyColumns {
    /// How many columns were requested.
    pub columns: usize,
}

impl TooManyColumns {
    /// The most columns whose subsets are all measured: about a million sets.
    pub const MOST: usize = 20;

    fn check(columns: ColumnSet) -> Result<(), TooManyColumns> {
        let columns = columns.len();
        if columns > Self::MOST { Err(TooManyColumns { columns }) } else { Ok(()) }
    }
}

impl std::fmt::Display for TooManyColumns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let TooManyColumns { columns } = self;
        let most = Self::MOST;
        write!(
            f,
            "{columns} columns have more than 2^{most} subsets; name at most {most} columns, or search for borders"
        )
    }
}

impl std::error::Error for TooManyColumns {}

/// Every non-empty set of these columns, smaller sets first, then in column order.
///
/// ```
/// use incrowd_core::{Attribute, ColumnSet, Dictionary, FrequencyTable, Role};
/// use incrowd_risk::diagnosis::subsets;
/// let column = |name| Attribute::new(name, Role::QuasiIdentifier, Dictionary::of_texts(["0", "1"]));
/// let table = FrequencyTable::from_tuples(vec![column("A"), column("B")], [([0, 0], 2), ([0, 1], 1), ([1, 1], 3)]);
/// let ks: Vec<u64> = subsets(&table, ColumnSet::first(2))?.iter().map(|subset| subset.k).collect();
/// assert_eq!(ks, [3, 2, 1]);
/// # Ok::<(), incrowd_risk::diagnosis::TooManyColumns>(())
/// ```
pub fn subsets(table: &FrequencyTable, columns: ColumnSet) -> Result<Vec<SubsetRisk>, TooManyColumns> {
    let found = look_at_all(table, columns, |sizes| (sizes.k(), sizes.classes(), sizes.unique()))?;
    let risk = |(columns, (k, classes, unique))| SubsetRisk { columns, k, classes, unique };
    Ok(found.into_iter().map(risk).collect())
}

/// The class sizes of every non-empty set of these columns, as `look` sees them.
pub fn look_at_all<T: Send>(
    table: &FrequencyTable,
    columns: ColumnSet,
    look: impl Fn(&ClassSizes) -> T + Sync,
) -> Result<Vec<(ColumnSet, T)>, TooManyColumns> {
    TooManyColumns::check(columns)?;
    Ok(unwatched(|watch| look_at(table, columns, look, watch)))
}

/// As [`look_at_all`], watched and stoppable; nothing comes back from work that was stopped.
pub fn look_at_all_watched<T: Send>(
    table: &FrequencyTable,
    columns: ColumnSet,
    look: impl Fn(&ClassSizes) -> T + Sync,
    watch: &Watch,
) -> Result<Result<Vec<(ColumnSet, T)>, Stopped>, TooManyColumns> {
    TooManyColumns::check(columns)?;
    Ok(look_at(table, columns, look, watch))
}

fn look_at<T: Send>(
    table: &FrequencyTable,
    columns: ColumnSet,
    look: impl Fn(&ClassSizes) -> T + Sync,
    watch: &Watch,
) -> Result<Vec<(ColumnSet, T)>, Stopped> {
    let sets = all_subsets(columns);
    let found = SetWalk::new(table, columns, watch).measure(&sets, look)?;
    Ok(sets.into_iter().zip(found).collect())
}

fn all_subsets(columns: ColumnSet) -> Vec<ColumnSet> {
    let columns: Vec<usize> = columns.iter().collect();
    let chosen = |bits: u32| (0..columns.len()).filter(move |at| bits >> at & 1 == 1);
    let mut sets: Vec<ColumnSet> =
        (1..1u32 << columns.len()).map(|bits| chosen(bits).map(|at| columns[at]).collect()).collect();
    sets.sort_by(in_order);
    sets
}

/// Smaller sets first, then in column order.
pub(crate) fn in_order(a: &ColumnSet, b: &ColumnSet) -> std::cmp::Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().cmp(b.iter()))
}
