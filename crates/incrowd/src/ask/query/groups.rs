//! Adding up figures, group by group.

use std::collections::HashMap;

use incrowd_core::query::{Aggregate, Leaf, Query, QueryError};

use super::answer::{GroupFigures, QueryFigure};
use super::choices::Choices;
use crate::error::Result;

/// An answer of more groups is a table of its own.
const MOST_GROUPS: usize = 1_000_000;

/// What is added up for one figure of one group.
#[derive(Clone, Debug, Default)]
pub(super) struct FigureTally {
    /// The estimate of the count, or of the sum.
    pub(super) estimate: f64,
    /// The estimated number of rows behind a sum.
    pub(super) rows: f64,
    /// Rows that certainly count.
    pub(super) least: u64,
    /// Rows that may count.
    pub(super) most: u64,
    /// The values of rows behind a sum at their least, and at their greatest, negated.
    pub(super) lows: Choices,
    pub(super) highs: Choices,
}

/// Rows of the original of which a release shows nothing but their number.
#[derive(Clone, Copy, Debug)]
pub(super) struct WithheldRows {
    pub(super) rows: u64,
    /// The least and the greatest number that they may bring: `Some(None)` when they bring none, `None` when that is
    /// not known.
    pub(super) bounds: Option<Option<(f64, f64)>>,
}

impl FigureTally {
    /// Rows of which each brings something between two numbers; all of them count, or some may.
    pub(super) fn choose(&mut self, rows: u64, sure: bool, (low, high): (f64, f64)) {
        let least = if sure { rows } else { 0 };
        self.lows.push([(low, rows)], least, rows);
        self.highs.push([(-high, rows)], least, rows);
    }

    fn figure(mut self, aggregate: &Aggregate, withheld: WithheldRows, known: bool) -> QueryFigure {
        let finite = |bound: Option<f64>| bound.filter(|bound| known && bound.is_finite()).map(|bound| bound + 0.0);
        if *aggregate != Aggregate::Count {
            match withheld.bounds {
                Some(Some(bounds)) => self.choose(withheld.rows, false, bounds),
                None if withheld.rows > 0 => self.choose(withheld.rows, false, (f64::NEG_INFINITY, f64::INFINITY)),
                _ => {}
            }
        }
        let (below, above) = (self.lows.slack(), self.highs.slack());
        let (estimate, lower, upper) = match aggregate {
            Aggregate::Count => {
                (Some(self.estimate), Some(self.least as f64), Some((self.most + withheld.rows) as f64))
            }
            Aggregate::Sum(_) => {
                let (least, most) = (self.lows.least_sum() - below.0, above.0 - self.highs.least_sum());
                (Some(self.estimate), Some(least), Some(most))
            }
            Aggregate::Mean(_) => {
                let mean = (self.rows > 0.0).then(|| self.estimate / self.rows);
                let (least, most) = (self.lows.least_mean(), self.highs.least_mean());
                (mean, least.map(|mean| mean - below.1), most.map(|mean| above.1 - mean))
            }
        };
        QueryFigure { estimate, lower: finite(lower), upper: finite(upper), ..QueryFigure::default() }
    }
}

/// All groups of an answer; one without columns when there is no GROUP BY.
pub(super) struct AnswerGroups {
    aggregates: Vec<Aggregate>,
    tallies: HashMap<Vec<u32>, Vec<FigureTally>>,
}

impl AnswerGroups {
    pub(super) fn new(query: &Query) -> Self {
        let aggregates: Vec<Aggregate> = query.select.iter().map(|selected| selected.aggregate.clone()).collect();
        let mut tallies = HashMap::new();
        if query.group_by.is_empty() {
            tallies.insert(Vec::new(), vec![FigureTally::default(); aggregates.len()]);
        }
        AnswerGroups { aggregates, tallies }
    }

    /// What is added up for an aggregate of a group.
    pub(super) fn tally(&mut self, key: &[u32], aggregate: usize) -> Result<&mut FigureTally> {
        if !self.tallies.contains_key(key) {
            if self.tallies.len() == MOST_GROUPS {
                return Err(QueryError::new(
                    "the answer has more than a million groups",
                    "use GROUP BY with fewer columns",
                )
                .into());
            }
            self.tallies.insert(key.to_vec(), vec![FigureTally::default(); self.aggregates.len()]);
        }
        // It was put there if it was not there.
        let tallies = self.tallies.entry(key.to_vec()).or_default();
        Ok(&mut tallies[aggregate])
    }

    /// The figures of all groups, sorted by their values. `withheld` is called for each aggregate; what is known of the
    /// original is left out when groups are published labels.
    pub(super) fn finish(
        self,
        leaf: impl Fn(usize, u32) -> Leaf,
        withheld: &[WithheldRows],
        known: bool,
    ) -> Vec<GroupFigures> {
        let aggregates = self.aggregates;
        let found = |(key, tallies): (Vec<u32>, Vec<FigureTally>)| {
            let figures = tallies.into_iter().zip(&aggregates).zip(withheld);
            GroupFigures {
                key: key.iter().enumerate().map(|(at, &value)| leaf(at, value)).collect(),
                figures: figures
                    .map(|((tally, aggregate), &withheld)| tally.figure(aggregate, withheld, known))
                    .collect(),
            }
        };
        let mut all: Vec<GroupFigures> = self.tallies.into_iter().map(found).collect();
        all.sort_by(|a, b| {
            let orders = a.key.iter().zip(&b.key).map(|(one, two)| one.order(two));
            orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        all
    }
}
