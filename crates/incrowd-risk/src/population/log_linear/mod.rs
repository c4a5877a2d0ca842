//! The risk of a whole sample from a log-linear model of the population.
//!
//! C. J. Skinner and E. A. H. Elamir, "Record level measures of disclosure risk for survey microdata", Journal of Official
//! Statistics 2006; C. J. Skinner and N. Shlomo, "Assessing identification risk in survey microdata using log-linear
//! models", JASA 2008. The number of people with a combination of values is Poisson with mean λ, and each person is in
//! the sample with probability π, so the sample counts are Poisson with mean μ = πλ. The logarithm of μ is a sum of terms
//! for single columns and for pairs of columns, fitted by maximum likelihood (`cells.rs`). Summed over the unique rows:
//!
//! - τ₁ = Σ exp(−x): rows that are expected to be unique in the population, and
//! - τ₂ = Σ (1 − exp(−x)) / x: correct matches of an attacker who picks one of the people of the population who match;
//!   x = λ(1 − π) is the expected number of people besides the one in the sample.
//!
//! **The choice of the model.** Too few terms make rare combinations look rarer than they are, too many make every
//! unique row look like a class of its own. Skinner and Shlomo choose the model with the least estimated error of τ. The
//! estimate here is derived as theirs: the expected error of a fitted μ̂ is Σ w(μ)·(h(μ̂) − h(μ)), with w(μ) = μ·exp(−μ)
//! and h the summand of τ. It is expanded to second order around μ̂; for a cell with count f, f − μ̂ and (f − μ̂)² − f
//! have the means μ − μ̂ and (μ − μ̂)² and stand in for them. Models are compared in one sequence: no pairs, then one
//! more pair of columns at a time, the most dependent pairs first.

mod cells;

use incrowd_core::{ColumnSet, FrequencyTable, Stopped, Watch};
use serde::Serialize;

use cells::{Cells, Fit, Term};

/// The most combinations of values of a table that is fitted; each takes 12 bytes.
pub const MOST_CELLS: usize = 1 << 25;

/// The most cells that all models together may visit, each as often as a term is scaled once.
const MOST_WORK: usize = 1 << 29;

/// Why there is no log-linear estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoLogLinear {
    /// The columns have more combinations of values than are fitted.
    TooManyCells,
    /// No model could be fitted.
    NotConverged,
    /// A person is in several classes, or may be.
    SeveralClasses,
}

impl NoLogLinear {
    /// The reason as the end of a sentence.
    pub fn reason(self) -> &'static str {
        match self {
            NoLogLinear::TooManyCells => "the columns have too many combinations of values for memory or time",
            NoLogLinear::NotConverged => "no model could be fitted",
            NoLogLinear::SeveralClasses => "people are in several classes, or may be",
        }
    }
}

/// The risk of a sample under a log-linear model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogLinearRisk {
    /// The share of the population that is in the sample.
    pub sampling_fraction: f64,
    /// Combinations of values.
    pub cells: u64,
    /// Unique rows.
    pub unique_rows: u64,
    /// The models that were compared, from no pairs of columns to the most.
    pub models: Vec<LogLinearModel>,
    /// The position of the chosen one in `models`; nothing if there is no estimate.
    pub chosen: Option<usize>,
    /// Why there is no estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_estimate: Option<NoLogLinear>,
}

/// One model and its estimates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogLinearModel {
    /// The pairs of columns that depend on each other in the model.
    pub pairs: Vec<[String; 2]>,
    /// Unique rows that are expected to be unique in the population.
    pub tau1: f64,
    /// Correct matches that are expected among the unique rows.
    pub tau2: f64,
    /// The estimated error of τ₁: above 0 if it is too large.
    pub tau1_error: f64,
    /// The estimated error of τ₂.
    pub tau2_error: f64,
}

impl LogLinearRisk {
    /// The chosen model.
    pub fn chosen_model(&self) -> Option<&LogLinearModel> {
        self.models.get(self.chosen?)
    }

    /// No estimate, for a reason.
    pub fn none(sampling_fraction: f64, unique_rows: u64, reason: NoLogLinear) -> Self {
        LogLinearRisk {
            sampling_fraction,
            cells: 0,
            unique_rows,
            models: vec![],
            chosen: None,
            no_estimate: Some(reason),
        }
    }

    /// Fits models to the classes of these columns, if they have at most `most_cells` combinations of values.
    pub fn of(
        table: &FrequencyTable,
        columns: ColumnSet,
        sampling_fraction: f64,
        most_cells: usize,
        watch: &Watch,
    ) -> Result<LogLinearRisk, Stopped> {
        let mut order: Vec<usize> = columns.iter().collect();
        order.sort_by_key(|&column| table.attributes()[column].dictionary.len());
        let none = |reason| LogLinearRisk::none(sampling_fraction, table.class_sizes(columns).unique(), reason);
        let Some(cells) = filled(table, columns, &order, most_cells.min(MOST_CELLS)) else {
            return Ok(none(NoLogLinear::TooManyCells));
        };
        let name = |at: usize| table.attributes()[order[at]].name.clone();
        let pairs = by_dependence(&cells);
        let rows: f64 = cells.counts.iter().map(|&count| f64::from(count)).sum();
        let mut expected = vec![rows / cells.counts.len() as f64; cells.counts.len()];
        let (mut models, mut work) = (Vec::new(), 0usize);
        for taken in 0..=pairs.len() {
            let is_last = taken == pairs.len();
            work = work.saturating_add(cells.counts.len().saturating_mul(taken.max(1)));
            if work > MOST_WORK && taken > 0 && !is_last {
                continue;
            }
            let terms = terms(cells.columns(), &pairs[..taken]);
            if matches!(cells.fit(&terms, &mut expected, watch)?, Fit::NotConverged) {
                continue;
            }
            let named = pairs[..taken].iter().map(|&(a, b)| [name(a), name(b)]);
            models.push(measured(&cells.counts, &expected, sampling_fraction, named.collect()));
        }
        let error = |model: &LogLinearModel| model.tau1_error.abs() + model.tau2_error.abs();
        let best = models.iter().map(error).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((chosen, _)) = best else { return Ok(none(NoLogLinear::NotConverged)) };
        let unique_rows = cells.counts.iter().filter(|&&count| count == 1).count() as u64;
        Ok(LogLinearRisk {
            sampling_fraction,
            cells: cells.counts.len() as u64,
            unique_rows,
            models,
            chosen: Some(chosen),
            no_estimate: None,
        })
    }
}

/// The counts of all combinations of values that columns have in the table, with the columns in an order.
fn filled(table: &FrequencyTable, columns: ColumnSet, order: &[usize], most: usize) -> Option<Cells> {
    let grouping = table.roll_up(columns);
    // Codes without rows get no cells.
    let mut places: Vec<Vec<usize>> = Vec::new();
    for &column in order {
        let mut met = vec![usize::MAX; table.attributes()[column].dictionary.len()];
        grouping.classes().for_each(|class| met[class.code(&grouping, column) as usize] = 0);
        for (next, place) in met.iter_mut().filter(|place| **place == 0).enumerate() {
            *place = next;
        }
        places.push(met);
    }
    let levels = places.iter().map(|places| places.iter().filter(|&&place| place != usize::MAX).count());
    let mut cells = Cells::new(levels.collect(), most)?;
    for class in grouping.classes() {
        let codes = order.iter().zip(&places).map(|(&column, places)| places[class.code(&grouping, column) as usize]);
        let at = cells.at(codes);
        cells.counts[at] = u32::try_from(class.size).unwrap_or(u32::MAX);
    }
    Some(cells)
}

/// The pairs of columns, most dependent first: by the likelihood ratio against independence, less twice its degrees of
/// freedom.
fn by_dependence(cells: &Cells) -> Vec<(usize, usize)> {
    let single: Vec<Vec<f64>> =
        (0..cells.columns()).map(|column| cells.margin(Term::Column(column), &cells.counts)).collect();
    let mut pairs = Vec::new();
    for first in 0..cells.columns() {
        for second in first + 1..cells.columns() {
            let (a, b) = (&single[first], &single[second]);
            let rows: f64 = a.iter().sum();
            let joint = cells.margin(Term::Pair(first, second), &cells.counts);
            let term = |(at, &count): (usize, &f64)| {
                let independent = a[at / b.len()] * b[at % b.len()] / rows;
                if count > 0.0 { 2.0 * count * (count / independent).ln() } else { 0.0 }
            };
            let ratio: f64 = joint.iter().enumerate().map(term).sum();
            let freedom = ((a.len() - 1) * (b.len() - 1)) as f64;
            pairs.push((ratio - 2.0 * freedom, (first, second)));
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    pairs.into_iter().map(|(_, pair)| pair).collect()
}

/// The terms of a model: its pairs, and the columns that are in none.
fn terms(columns: usize, pairs: &[(usize, usize)]) -> Vec<Term> {
    let alone = (0..columns).filter(|column| pairs.iter().all(|(a, b)| a != column && b != column));
    let pairs = pairs.iter().map(|&(a, b)| Term::Pair(a, b));
    alone.map(Term::Column).chain(pairs).collect()
}

/// A summand of τ at x, with its first two derivatives.
struct Summand {
    value: f64,
    first: f64,
    second: f64,
}

impl Summand {
    /// exp(−x).
    fn of_tau1(x: f64) -> Summand {
        let value = (-x).exp();
        Summand { value, first: -value, second: value }
    }

    /// (1 − exp(−x)) / x.
    fn of_tau2(x: f64) -> Summand {
        /// Below it, the series is exact and the fractions are not.
        const SMALL: f64 = 1e-2;
        if x < SMALL {
            return Summand {
                value: 1.0 - x / 2.0 + x * x / 6.0 - x.powi(3) / 24.0,
                first: -0.5 + x / 3.0 - x * x / 8.0 + x.powi(3) / 30.0,
                second: 1.0 / 3.0 - x / 4.0 + x * x / 10.0 - x.powi(3) / 36.0,
            };
        }
        let power = (-x).exp();
        Summand {
            value: -(-x).exp_m1() / x,
            first: (power * (1.0 + x) - 1.0) / (x * x),
            second: (2.0 - power * (2.0 + 2.0 * x + x * x)) / x.powi(3),
        }
    }
}

fn measured(counts: &[u32], expected: &[f64], fraction: f64, pairs: Vec<[String; 2]>) -> LogLinearModel {
    let others = (1.0 - fraction) / fraction;
    let mut model = LogLinearModel { pairs, tau1: 0.0, tau2: 0.0, tau1_error: 0.0, tau2_error: 0.0 };
    for (&count, &mean) in counts.iter().zip(expected).filter(|&(_, &mean)| mean > 0.0) {
        let x = mean * others;
        let (one, two) = (Summand::of_tau1(x), Summand::of_tau2(x));
        if count == 1 {
            model.tau1 += one.value;
            model.tau2 += two.value;
        }
        let count = f64::from(count);
        let (weight, slope) = (mean * (-mean).exp(), (1.0 - mean) * (-mean).exp());
        let (off, squared) = (count - mean, (count - mean).powi(2) - count);
        let error = |summand: &Summand| {
            let (first, second) = (summand.first * others, summand.second * others * others);
            -weight * first * off - (slope * first + weight * second / 2.0) * squared
        };
        model.tau1_error += error(&one);
        model.tau2_error += error(&two);
    }
    model
}

#[cfg(test)]
mod tests;
