//! Special uniques: rows that are unique on few columns already.
//!
//! M. J. Elliot, A. M. Manning and R. W. Ford, "A computational algorithm for handling the special uniques problem",
//! International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 2002. A minimal sample unique (MSU) of a
//! row is a set of columns on which the row is unique while it is unique on no smaller part of it. A row with many or
//! small MSUs is more likely to be unique in the population. Each MSU of k columns scores Π (A − i) over i from k to the
//! depth M, where A is the number of columns; the SUDA score of a row is the sum over its MSUs. A set of all columns is
//! no special unique, so M is at most A − 1.
//!
//! The DIS of a table estimates how often a unique match of a row of the sample with the population is a correct one,
//! from its unique rows n₁, its classes of two n₂ and the sampling fraction π: π·n₁ / (π·n₁ + 2(1 − π)·n₂) (C. J.
//! Skinner and M. J. Elliot, "A measure of disclosure risk for microdata", Journal of the Royal Statistical Society B
//! 2002). M. J. Elliot and A. M. Manning, "Using DIS to modify the classification of special uniques", 2003, share it
//! out over the rows by their scores. Here the mean over the unique rows is the DIS of the table, and no row gets more than
//! 1; other programs scale differently.

mod search;

use incrowd_core::{ColumnSet, FrequencyTable, Stopped, Watch};
use serde::Serialize;

use search::{MOST_COLUMNS, Positions, Search};

/// The most column sets that are searched, about a million.
const MOST_SETS: u64 = 1 << 20;

/// The special uniques of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpecialUniques {
    /// The largest sets that were searched; less than the number of columns.
    pub depth: usize,
    /// How many column sets that makes.
    pub column_sets: u64,
    /// Rows (people, each counted in every class they are in) with at least one MSU.
    pub special_rows: u64,
    /// MSUs of all rows.
    pub minimal_sets: u64,
    /// The same by the size of the sets.
    pub by_size: Vec<MinimalSetSize>,
    /// The largest score of a row.
    pub max_score: f64,
    /// The mean score of the rows that are unique on all columns.
    pub mean_score: f64,
    /// The DIS of the table; only if the sampling fraction is known, and there are unique rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dis: Option<f64>,
    /// The largest DIS score of a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_dis: Option<f64>,
    /// What each column contributes, in column order.
    pub columns: Vec<ColumnContribution>,
    /// The score of each tuple, in the order of the table.
    #[serde(skip)]
    pub scores: Vec<f64>,
    /// The columns by which the search numbered them, and the MSUs of each tuple by these numbers.
    #[serde(skip)]
    found: (Vec<usize>, Vec<Vec<Positions>>),
}

/// The MSUs of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MinimalSetSize {
    /// How many columns they have.
    pub size: usize,
    /// How many they are.
    pub minimal_sets: u64,
    /// Rows whose smallest MSU has this size.
    pub rows: u64,
}

/// What a column contributes to the scores.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnContribution {
    /// The column.
    pub column: String,
    /// MSUs that include it.
    pub minimal_sets: u64,
    /// The share of the sum of all scores that comes from MSUs with this column.
    pub share_of_scores: f64,
}

/// More column sets were requested than can be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyColumnSets {
    /// How many columns were requested.
    pub columns: usize,
}

impl SpecialUniques {
    /// The special uniques on sets of at most `depth` of these columns, and their DIS scores for a sampling fraction.
    ///
    /// ```
    /// use incrowd_core::{Attribute, ColumnSet, Dictionary, FrequencyTable, Role, Watch};
    /// use incrowd_risk::population::SpecialUniques;
    /// let column = |name| Attribute::new(name, Role::QuasiIdentifier, Dictionary::of_texts(["0", "1"]));
    /// let attributes = vec![column("A"), column("B"), column("C")];
    /// let table = FrequencyTable::from_tuples(attributes, [([0, 0, 0], 2), ([0, 1, 1], 1), ([1, 1, 1], 1)]);
    /// let found = SpecialUniques::of(&table, ColumnSet::first(3), 2, None, &Watch::default()).unwrap().unwrap();
    /// // The last row is the only one with A = 1; the one before has A = 0 with B = 1, and with C = 1.
    /// assert_eq!(found.sets_of(2), [ColumnSet::single(0)]);
    /// assert_eq!(found.sets_of(1).len(), 2);
    /// assert_eq!(found.scores, [0.0, 2.0, 2.0]);
    /// ```
    pub fn of(
        table: &FrequencyTable,
        columns: ColumnSet,
        depth: usize,
        sampling_fraction: Option<f64>,
        watch: &Watch,
    ) -> Result<Result<SpecialUniques, Stopped>, TooManyColumnSets> {
        let positions: Vec<usize> = columns.iter().collect();
        let depth = depth.min(positions.len().saturating_sub(1));
        let column_sets = sets_up_to(positions.len(), depth);
        if positions.len() > MOST_COLUMNS || column_sets > MOST_SETS {
            return Err(TooManyColumnSets { columns: positions.len() });
        }
        let search = Search::new(table, &positions, depth, watch);
        let found = if depth == 0 { Ok(vec![Vec::new(); table.tuples()]) } else { search.run() };
        Ok(found.map(|found| {
            let mut summary = Summary::new(table, columns, depth, column_sets);
            summary.add(&search.order, &found);
            summary.finish(search.order, found, sampling_fraction)
        }))
    }
}

/// How many non-empty sets of at most `depth` of `columns` columns there are.
fn sets_up_to(columns: usize, depth: usize) -> u64 {
    let (mut sets, mut of_size) = (0u64, 1u128);
    for size in 1..=depth {
        of_size = of_size * (columns - size + 1) as u128 / size as u128;
        sets = sets.saturating_add(u64::try_from(of_size).unwrap_or(u64::MAX));
        if sets > MOST_SETS {
            break;
        }
    }
    sets
}

/// The score of an MSU of this size.
fn score(columns: usize, depth: usize, size: usize) -> f64 {
    (size..=depth).map(|i| (columns - i) as f64).product()
}

/// The columns of a set.
fn columns_of(order: &[usize], set: Positions) -> impl Iterator<Item = usize> {
    order.iter().enumerate().filter(move |(at, _)| set >> at & 1 == 1).map(|(_, &column)| column)
}

/// The figures of a search as they are added up.
struct Summary<'a> {
    table: &'a FrequencyTable,
    columns: ColumnSet,
    found: SpecialUniques,
    score_with_column: Vec<f64>,
}

impl<'a> Summary<'a> {
    fn new(table: &'a FrequencyTable, columns: ColumnSet, depth: usize, column_sets: u64) -> Self {
        let contribution = |column| ColumnContribution { column, minimal_sets: 0, share_of_scores: 0.0 };
        let found = SpecialUniques {
            depth,
            column_sets,
            special_rows: 0,
            minimal_sets: 0,
            by_size: (1..=depth).map(|size| MinimalSetSize { size, minimal_sets: 0, rows: 0 }).collect(),
            max_score: 0.0,
            mean_score: 0.0,
            dis: None,
            max_dis: None,
            columns: table.names(columns).into_iter().map(contribution).collect(),
            scores: Vec::new(),
            found: (Vec::new(), Vec::new()),
        };
        Summary { table, columns, found, score_with_column: vec![0.0; columns.len()] }
    }

    fn add(&mut self, order: &[usize], found: &[Vec<Positions>]) {
        let positions: Vec<usize> = self.columns.iter().collect();
        let place = |column: usize| positions.binary_search(&column).unwrap_or_default();
        let scores: Vec<f64> = (0..=order.len()).map(|size| score(positions.len(), self.found.depth, size)).collect();
        for sets in found {
            let mut sum = 0.0;
            for &set in sets {
                let size = set.count_ones() as usize;
                sum += scores[size];
                self.found.minimal_sets += 1;
                self.found.by_size[size - 1].minimal_sets += 1;
                for column in columns_of(order, set) {
                    self.found.columns[place(column)].minimal_sets += 1;
                    self.score_with_column[place(column)] += scores[size];
                }
            }
            if let Some(smallest) = sets.iter().map(|set| set.count_ones() as usize).min() {
                self.found.special_rows += 1;
                self.found.by_size[smallest - 1].rows += 1;
            }
            self.found.max_score = self.found.max_score.max(sum);
            self.found.scores.push(sum);
        }
    }

    fn finish(
        mut self,
        order: Vec<usize>,
        found: Vec<Vec<Positions>>,
        sampling_fraction: Option<f64>,
    ) -> SpecialUniques {
        self.found.found = (order, found);
        let sum: f64 = self.found.scores.iter().sum();
        if sum > 0.0 {
            let shares = self.found.columns.iter_mut().zip(&self.score_with_column);
            shares.for_each(|(column, score)| column.share_of_scores = score / sum);
        }
        let sizes = self.table.class_sizes(self.columns);
        let unique = sizes.unique() as f64;
        if unique > 0.0 {
            self.found.mean_score = sum / unique;
        }
        let pairs = sizes.histogram().iter().find(|&&(size, _)| size == 2).map_or(0.0, |&(_, classes)| classes as f64);
        if let Some(fraction) = sampling_fraction.filter(|_| unique > 0.0) {
            let dis = fraction * unique / (fraction * unique + 2.0 * (1.0 - fraction) * pairs);
            self.found.dis = Some(dis);
            self.found.max_dis = self.found.dis_score(self.found.max_score);
        }
        self.found
    }
}

impl SpecialUniques {
    /// The MSUs of a tuple.
    pub fn sets_of(&self, tuple: usize) -> Vec<ColumnSet> {
        let (order, found) = &self.found;
        found[tuple].iter().map(|&set| columns_of(order, set).collect()).collect()
    }

    /// The DIS score of a row with this score.
    pub fn dis_score(&self, score: f64) -> Option<f64> {
        let dis = self.dis?;
        Some(if self.mean_score > 0.0 { (dis * score / self.mean_score).min(1.0) } else { 0.0 })
    }
}

#[cfg(test)]
mod tests;
