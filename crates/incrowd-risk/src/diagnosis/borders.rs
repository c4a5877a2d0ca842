//! Between the sets of columns that are safe and those that are not.
//!
//! Algorithm 2 of the paper in [`super::questions`], corrected: sets are searched level by level, from single columns
//! up. A set is a candidate if all its subsets with one column less are safe (Lemma 1: a set is never safer than its
//! subsets), each candidate is measured once, and both borders are kept: the *largest safe* sets, and the *smallest
//! dangerous* ones, which are what a custodian acts on. With a suppression budget the same holds: a person in a small
//! class of a set is in a small class of every larger set, so a larger set never needs fewer suppressed.
//!
//! The work can be limited. It is counted in tuples read, before they are read, so where a search stops depends on the
//! table only. Sets of the columns with the most values come first in a level, and [`SearchCut`] says which sets a stopped
//! search did not measure.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

use incrowd_core::{ClassSizes, ColumnSet, FrequencyTable, Role, Stage, Stopped, Watch};
use rayon::prelude::*;
use serde::Serialize;

use super::column_codes::ColumnCodes;
use super::subsets::in_order;
use super::walk::unwatched;

/// What is asked of the sets of columns.
///
/// ```
/// use incrowd_core::ColumnSet;
/// use incrowd_risk::diagnosis::BorderSearch;
/// let search = BorderSearch::new(5).suppressing(0.02).up_to(3).among(ColumnSet::first(8));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BorderSearch {
    k: u64,
    delta: f64,
    max_size: usize,
    effort: u64,
    columns: Option<ColumnSet>,
}

impl BorderSearch {
    /// A set is safe when every class has at least `k`.
    pub fn new(k: u64) -> Self {
        BorderSearch { k, delta: 0.0, max_size: usize::MAX, effort: u64::MAX, columns: None }
    }

    /// A set is also safe when suppressing at most this share reaches k.
    pub fn suppressing(self, delta: f64) -> Self {
        BorderSearch { delta, ..self }
    }

    /// Looks at sets of at most this many columns.
    pub fn up_to(self, max_size: usize) -> Self {
        BorderSearch { max_size, ..self }
    }

    /// Reads at most this many tuples, each as often as a set is measured on it. Single columns are always measured.
    pub fn within(self, effort: u64) -> Self {
        BorderSearch { effort, ..self }
    }

    /// Looks at these columns instead of the quasi-identifiers.
    pub fn among(self, columns: ColumnSet) -> Self {
        BorderSearch { columns: Some(columns), ..self }
    }
}

/// One set of columns that was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Measured {
    /// The columns.
    pub columns: ColumnSet,
    /// The size of the smallest class that is kept: of all classes when nothing may be suppressed.
    pub k: u64,
    /// How many are suppressed to reach `k`.
    pub suppressed: u64,
    /// How many classes there are.
    pub classes: u64,
    /// How many are alone in their class.
    pub unique: u64,
    /// How many are in classes smaller than the requested k.
    pub below: u64,
}

/// What a border search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Borders {
    /// Safe sets none of whose measured supersets is safe, in column order.
    pub largest_safe: Vec<ColumnSet>,
    /// Sets that are not safe although all their subsets are, smallest first.
    pub smallest_dangerous: Vec<ColumnSet>,
    /// Every set that was measured, smallest first, then in column order. A set that was not is a superset of a
    /// dangerous one, or the search was cut before it.
    pub measured: Vec<Measured>,
    /// How many sets were measured: the paper's "calls". Roll-ups shared on the way are not among them.
    pub groupings: usize,
    /// The first sets that were not measured although no smaller set shows that they are dangerous; nothing when every
    /// set of columns is decided.
    pub cut: Option<SearchCut>,
}

/// Where a search stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SearchCut {
    /// The number of columns of these sets. No set of more columns was measured.
    pub size: usize,
    /// How many sets of this size were not measured although all their subsets are safe.
    pub sets: u64,
    /// Whether they were counted to the end; otherwise there are more.
    pub exact: bool,
    /// Whether the search stopped because of its effort, and not because of the largest size allowed.
    pub by_effort: bool,
}

impl Borders {
    /// Whether every set of columns is decided: measured, or a superset of a dangerous one.
    pub fn complete(&self) -> bool {
        self.cut.is_none()
    }

    /// What was measured of a set, if it was.
    pub fn of(&self, columns: ColumnSet) -> Option<&Measured> {
        let at = self.measured.binary_search_by(|measured| in_order(&measured.columns, &columns)).ok()?;
        Some(&self.measured[at])
    }

    /// The borders of a search among fewer columns: what was measured answers for all of them. A set is a smallest
    /// dangerous one by its own subsets, whichever other columns there are.
    ///
    /// ```
    /// use incrowd_core::{Attribute, ColumnSet, Dictionary, FrequencyTable, Role};
    /// use incrowd_risk::diagnosis::{BorderSearch, borders};
    /// let column = |name| Attribute::new(name, Role::QuasiIdentifier, Dictionary::of_texts(["0", "1"]));
    /// let table = FrequencyTable::from_tuples(vec![column("A"), column("B")], [([0, 0], 2), ([0, 1], 1), ([1, 1], 3)]);
    /// let found = borders(&table, &BorderSearch::new(2)).within(ColumnSet::single(0));
    /// assert_eq!((found.largest_safe, found.smallest_dangerous), (vec![ColumnSet::single(0)], vec![]));
    /// ```
    pub fn within(&self, columns: ColumnSet) -> Borders {
        let is_within = |set: &&ColumnSet| set.is_subset(columns);
        let measured: Vec<Measured> = self.measured.iter().filter(|set| is_within(&&set.columns)).copied().collect();
        let smallest_dangerous: Vec<ColumnSet> = self.smallest_dangerous.iter().filter(is_within).copied().collect();
        let dangerous: HashSet<ColumnSet> = smallest_dangerous.iter().copied().collect();
        let safe: Vec<ColumnSet> =
            measured.iter().map(|set| set.columns).filter(|set| !dangerous.contains(set)).collect();
        let cut = self.cut.and_then(|cut| cut.among(&safe, &measured));
        Borders { largest_safe: largest(safe), smallest_dangerous, groupings: measured.len(), measured, cut }
    }
}

/// Those of some sets, in order, that none of the others extends.
fn largest(sets: Vec<ColumnSet>) -> Vec<ColumnSet> {
    let extended: HashSet<ColumnSet> = sets.iter().flat_map(|set| set.parents()).collect();
    sets.into_iter().filter(|set| !extended.contains(set)).collect()
}

impl SearchCut {
    /// Where the search stopped, among sets of the columns of which these are safe and these were measured; nothing
    /// when all of them are decided.
    fn among(self, safe: &[ColumnSet], measured: &[Measured]) -> Option<SearchCut> {
        if self.size == 1 {
            return Some(self);
        }
        let known: HashSet<ColumnSet> = measured.iter().map(|set| set.columns).collect();
        for size in self.size.. {
            let below: Vec<ColumnSet> = safe.iter().filter(|set| set.len() + 1 == size).copied().collect();
            if below.is_empty() {
                break;
            }
            let mut room = Level::COUNTED;
            let level = Level::above(&below, true, |_| {
                room -= 1;
                room > 0
            });
            let sets = level.sets.iter().filter(|set| !known.contains(set)).count() as u64 + level.skipped;
            if sets > 0 {
                return Some(SearchCut { size, sets, exact: level.counted, ..self });
            }
        }
        None
    }
}

/// Searches both borders.
///
/// ```
/// use incrowd_core::{Attribute, ColumnSet, Dictionary, FrequencyTable, Role};
/// use incrowd_risk::diagnosis::{BorderSearch, borders};
/// let column = |name| Attribute::new(name, Role::QuasiIdentifier, Dictionary::of_texts(["0", "1"]));
/// let table = FrequencyTable::from_tuples(vec![column("A"), column("B")], [([0, 0], 2), ([0, 1], 1), ([1, 1], 3)]);
/// let found = borders(&table, &BorderSearch::new(2));
/// assert_eq!(found.largest_safe, [ColumnSet::single(0), ColumnSet::single(1)]);
/// assert_eq!(found.smallest_dangerous, [ColumnSet::first(2)]);
/// assert_eq!(found.groupings, 3);
/// ```
pub fn borders(table: &FrequencyTable, search: &BorderSearch) -> Borders {
    unwatched(|watch| borders_watched(table, search, watch))
}

/// As [`borders`], watched and stoppable.
pub fn borders_watched(table: &FrequencyTable, search: &BorderSearch, watch: &Watch) -> Result<Borders, Stopped> {
    let columns = search.columns.unwrap_or_else(|| table.columns(Role::QuasiIdentifier));
    borders_on(ColumnCodes::new(table, columns), table.people(), search, watch)
}

pub(crate) fn borders_on(
    mut codes: ColumnCodes<'_>,
    people: u64,
    search: &BorderSearch,
    watch: &Watch,
) -> Result<Borders, Stopped> {
    let budget = ClassSizes::budget(search.delta, people);
    let look = |columns: ColumnSet, sizes: &ClassSizes| {
        let kept = sizes.at_budget(budget);
        let (k, suppressed, below) = (kept.k, kept.suppressed, sizes.below(search.k));
        Measured { columns, k, suppressed, classes: sizes.classes(), unique: sizes.unique(), below }
    };
    let singles: Vec<usize> = codes.columns().iter().collect();
    let mut found =
        Borders { largest_safe: vec![], smallest_dangerous: vec![], measured: vec![], groupings: 0, cut: None };
    let mut measured = match search.max_size {
        0 => Vec::new(),
        _ => measure(&singles, watch, |&column| look(ColumnSet::single(column), &codes.sizes_of_one(column)))?,
    };
    if search.max_size == 0 && !singles.is_empty() {
        found.cut = Some(SearchCut { size: 1, sets: singles.len() as u64, exact: true, by_effort: false });
    }
    // Sets of columns with many values are the likeliest to be dangerous: they are measured first.
    let mut order: Vec<usize> =
        measured.iter().filter(|set| set.k >= search.k).flat_map(|set| set.columns.iter()).collect();
    order.sort_by_key(|&column| std::cmp::Reverse(codes.values(column)));
    if order.len() > 1 && search.max_size > 1 {
        codes = codes.gathered(order.iter().copied().collect());
    }
    // From here on a set holds places in this order.
    let columns_at = |places: ColumnSet| places.iter().map(|place| order[place]).collect::<ColumnSet>();
    let mut safe: Vec<ColumnSet> = (0..order.len()).map(ColumnSet::single).collect();
    let mut effort = search.effort;
    for size in 2.. {
        found.measured.append(&mut measured);
        if safe.is_empty() || found.cut.is_some() {
            break;
        }
        let mut last = ColumnSet::EMPTY;
        let level = Level::above(&safe, size <= search.max_size, |set| {
            let numbering = if stem(set) == last { 0 } else { codes.tuples() as u64 * (size as u64 - 1) };
            last = stem(set);
            let left = effort.checked_sub(codes.work_of(columns_at(set)).saturating_add(numbering));
            effort = left.unwrap_or(0);
            left.is_some()
        });
        if level.skipped > 0 {
            let by_effort = size <= search.max_size;
            found.cut = Some(SearchCut { size, sets: level.skipped, exact: level.counted, by_effort });
        }
        let stems: Vec<&[ColumnSet]> = level.sets.chunk_by(|a, b| stem(*a) == stem(*b)).collect();
        let of_stem = |sets: &&[ColumnSet]| {
            let classes = codes.classes(stem(sets[0]).iter().map(|place| order[place]).collect());
            let last = |set: ColumnSet| set.iter().last().unwrap_or_default();
            let one = |&set: &ColumnSet| look(columns_at(set), &codes.sizes(&classes, order[last(set)]));
            sets.iter().map(one).collect::<Vec<_>>()
        };
        measured = measure(&stems, watch, of_stem)?.into_iter().flatten().collect();
        let reached = level.sets.iter().zip(&measured).filter(|(_, set)| set.k >= search.k);
        safe = reached.map(|(&places, _)| places).collect();
    }
    found.measured.sort_by(|a, b| in_order(&a.columns, &b.columns));
    found.groupings = found.measured.len();
    let of_sets = |safe: bool| {
        let sets = found.measured.iter().filter(move |set| (set.k >= search.k) == safe);
        sets.map(|set| set.columns).collect::<Vec<_>>()
    };
    found.smallest_dangerous = of_sets(false);
    found.largest_safe = largest(of_sets(true));
    Ok(found)
}

/// What `look` finds for each item, on all threads, in order.
fn measure<I: Sync, T: Send>(items: &[I], watch: &Watch, look: impl Fn(&I) -> T + Sync) -> Result<Vec<T>, Stopped> {
    let (done, total) = (AtomicU64::new(0), Some(items.len() as u64));
    let one = |item: &I| {
        if watch.cancel.is_cancelled() {
            return Err(Stopped);
        }
        let found = look(item);
        watch.progress.update(Stage::Diagnose, done.fetch_add(1, Ordering::Relaxed) + 1, total);
        Ok(found)
    };
    items.par_iter().map(one).collect()
}

/// The set without its last column.
fn stem(set: ColumnSet) -> ColumnSet {
    set.iter().last().map_or(set, |last| set.without(last))
}

/// Sets of one column more than safe ones.
struct Level {
    /// The sets to be measured, those with the same stem side by side.
    sets: Vec<ColumnSet>,
    /// How many more there are.
    skipped: u64,
    /// Whether these were counted to the end.
    counted: bool,
}

impl Level {
    /// Sets that the effort does not allow are counted up to here, sets that are too large up to one.
    const COUNTED: u64 = 1 << 20;

    /// The sets of one column more all of whose subsets of this level are safe, in order, as long as there is room for
    /// them.
    fn above(safe: &[ColumnSet], wanted: bool, mut room: impl FnMut(ColumnSet) -> bool) -> Level {
        let known: HashSet<ColumnSet> = safe.iter().copied().collect();
        let mut level = Level { sets: Vec::new(), skipped: 0, counted: true };
        let (mut open, mut looked_at, most) = (wanted, 0, if wanted { Self::COUNTED } else { 0 });
        for (at, &a) in safe.iter().enumerate() {
            // Sets in order that agree up to their last column are neighbours; every candidate has one such pair.
            for &b in safe[at + 1..].iter().take_while(|&&b| stem(b) == stem(a)) {
                let joined = a.union(b);
                looked_at += u64::from(!open);
                if looked_at > most && level.skipped > 0 {
                    return Level { counted: false, ..level };
                }
                if !joined.parents().all(|subset| known.contains(&subset)) {
                    continue;
                }
                open = open && room(joined);
                match open {
                    true => level.sets.push(joined),
                    false => level.skipped += 1,
                }
            }
        }
        level
    }
}
