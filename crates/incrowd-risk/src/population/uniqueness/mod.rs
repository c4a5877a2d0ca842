//! How many people are unique in the population, from the class sizes of a sample.
//!
//! Three models of the population, each with its file: Zayatz ([`zayatz`]), Pitman ([`pitman`]) and the slide negative
//! binomial distribution, SNB ([`snb`]). Which one is taken follows F. K. Dankar, K. El Emam, A. Neisa and T. Roffey,
//! "Estimating the re-identification risk of clinical data sets", BMC Medical Informatics and Decision Making 2012: up to
//! a sampling fraction of 0.1 Pitman, or Zayatz if Pitman cannot be fitted; above it the smaller of SNB and Zayatz.
//!
//! A person who is unique in the population and in the sample is a unique row of the sample. The expected number of
//! such people is the sampling fraction times the uniques of the population, so the share of unique rows that are unique
//! in the population too is the population uniqueness divided by the sample uniqueness, and the sample uniqueness bounds
//! the population uniqueness. An estimate above that bound is lowered to it if its interval reaches it, and dropped
//! otherwise.
//!
//! The intervals are those of an estimator whose model holds: they show how far another sample would move the estimate,
//! not how far the model is from the population. docs/population.md and benchmarks/population.md say how often they hold.

mod pitman;
mod snb;
mod zayatz;

use incrowd_core::ClassSizes;
use serde::Serialize;

/// A model of the population.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UniquenessModel {
    /// The classes of the population are distributed as those of the sample.
    Zayatz,
    /// Pitman's sampling formula.
    Pitman,
    /// The slide negative binomial distribution.
    Snb,
}

impl UniquenessModel {
    /// Every model, in the order of answers.
    pub const ALL: [UniquenessModel; 3] = [UniquenessModel::Zayatz, UniquenessModel::Pitman, UniquenessModel::Snb];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            UniquenessModel::Zayatz => "Zayatz",
            UniquenessModel::Pitman => "Pitman",
            UniquenessModel::Snb => "SNB",
        }
    }
}

/// Why a model has no estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoEstimate {
    /// All rows are unique: nothing shows how classes grow.
    AllUnique,
    /// No class has exactly two rows.
    NoPairs,
    /// The equations of the model have no solution for these class sizes.
    NoFit,
    /// The fitted model expects more unique rows than the sample has.
    AboveSample,
    /// People are in several classes or may be, and the models are about people in one class each.
    SeveralClasses,
}

impl NoEstimate {
    /// The reason as the end of a sentence.
    pub fn reason(self) -> &'static str {
        match self {
            NoEstimate::AllUnique => "all rows are unique",
            NoEstimate::NoPairs => "no class has exactly two rows",
            NoEstimate::NoFit => "the model cannot be fitted to these class sizes",
            NoEstimate::AboveSample => "the fitted model expects more unique rows than the table has",
            NoEstimate::SeveralClasses => "people are in several classes, or may be",
        }
    }
}

/// The estimate of one model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct UniquenessEstimate {
    /// The model.
    pub model: UniquenessModel,
    /// The share of the population that is unique in it.
    pub uniqueness: Option<f64>,
    /// The lower end of its interval of 95 %.
    pub low: Option<f64>,
    /// The upper end of its interval of 95 %.
    pub high: Option<f64>,
    /// The expected share of the unique rows of the sample that are unique in the population too; nothing if the sample
    /// has no unique row.
    pub unique_rows_also_unique: Option<f64>,
    /// Why there is no estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_estimate: Option<NoEstimate>,
}

/// The chosen estimate if the sampling fraction were another one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SensitivityPoint {
    /// The sampling fraction.
    pub sampling_fraction: f64,
    /// The model that is chosen for it.
    pub model: Option<UniquenessModel>,
    /// The share of the population that is unique in it.
    pub uniqueness: Option<f64>,
    /// The expected share of the unique rows of the sample that are unique in the population too.
    pub unique_rows_also_unique: Option<f64>,
}

/// What is estimated about the uniques of a population.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PopulationUniqueness {
    /// Rows (people) of the sample.
    pub sample_size: u64,
    /// People of the population.
    pub population_size: u64,
    /// The share of the population that is in the sample.
    pub sampling_fraction: f64,
    /// The share of the sample that is unique in it.
    pub sample_uniqueness: f64,
    /// One estimate for each model.
    pub estimates: Vec<UniquenessEstimate>,
    /// The model that Dankar's rule takes; nothing if it has no estimate.
    pub chosen: Option<UniquenessModel>,
    /// The chosen estimate for other sampling fractions, ascending.
    pub sensitivity: Vec<SensitivityPoint>,
}

impl PopulationUniqueness {
    /// The estimate that Dankar's rule takes.
    pub fn chosen_estimate(&self) -> Option<&UniquenessEstimate> {
        self.estimates.iter().find(|estimate| Some(estimate.model) == self.chosen)
    }

    /// No estimates, because the people of the sample are in several classes or may be.
    pub fn of_several_classes(sizes: &ClassSizes, people: u64, population: u64) -> Self {
        let sample = ObservedSample::new(sizes, population);
        let reason = NoEstimate::SeveralClasses;
        let estimates = UniquenessModel::ALL.map(|model| sample.judged(model, Err(reason))).to_vec();
        PopulationUniqueness {
            sample_size: people,
            population_size: population,
            sampling_fraction: people as f64 / population.max(1) as f64,
            ..sample.answer(estimates, vec![])
        }
    }
}

/// The unique people of a population of this size, estimated from the class sizes of a simple random sample of it. A
/// population that is smaller than the sample counts as equal to it.
///
/// ```
/// use incrowd_core::ClassSizes;
/// use incrowd_risk::population::{UniquenessModel, population_uniqueness};
/// // 60 unique rows, 15 pairs and 5 classes of four: 110 rows of 2,000 people.
/// let sizes = ClassSizes::from_sizes([vec![1; 60], vec![2; 15], vec![4; 5]].concat());
/// let found = population_uniqueness(&sizes, 2_000);
/// assert_eq!(found.chosen, Some(UniquenessModel::Pitman));
/// assert!(found.chosen_estimate().and_then(|one| one.uniqueness) < Some(found.sample_uniqueness));
/// ```
pub fn population_uniqueness(sizes: &ClassSizes, population: u64) -> PopulationUniqueness {
    /// Other sampling fractions, as factors of the given one.
    const FACTORS: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
    let sample = ObservedSample::new(sizes, population);
    let sensitivity = FACTORS.into_iter().filter_map(|factor| {
        let other = ObservedSample { population: sample.population / factor, ..sample };
        (other.population >= other.rows).then(|| {
            let estimates = other.estimates();
            let chosen = dankar(other.fraction(), &estimates);
            SensitivityPoint {
                sampling_fraction: other.fraction(),
                model: chosen.map(|estimate| estimate.model),
                uniqueness: chosen.and_then(|estimate| estimate.uniqueness),
                unique_rows_also_unique: chosen.and_then(|estimate| estimate.unique_rows_also_unique),
            }
        })
    });
    sample.answer(sample.estimates(), sensitivity.collect())
}

/// Dankar's rule: which of the estimates to take.
fn dankar(fraction: f64, estimates: &[UniquenessEstimate]) -> Option<&UniquenessEstimate> {
    /// Up to here Pitman's model is taken.
    const SMALL_FRACTION: f64 = 0.1;
    let of = |model: UniquenessModel| {
        estimates.iter().find(|estimate| estimate.model == model && estimate.uniqueness.is_some())
    };
    let zayatz = of(UniquenessModel::Zayatz);
    if fraction <= SMALL_FRACTION {
        return of(UniquenessModel::Pitman).or(zayatz);
    }
    match (of(UniquenessModel::Snb), zayatz) {
        (Some(snb), Some(zayatz)) if zayatz.uniqueness < snb.uniqueness => Some(zayatz),
        (snb, zayatz) => snb.or(zayatz),
    }
}

/// What the models see of a sample.
#[derive(Clone, Copy)]
struct ObservedSample<'a> {
    /// How many classes there are of each size, ascending.
    histogram: &'a [(u64, u64)],
    rows: f64,
    classes: f64,
    unique: f64,
    population: f64,
}

/// A share of the population with the standard error of its logarithm.
#[derive(Clone, Copy, Debug)]
struct Fitted {
    uniqueness: f64,
    log_error: f64,
}

impl<'a> ObservedSample<'a> {
    fn new(sizes: &'a ClassSizes, population: u64) -> Self {
        ObservedSample {
            histogram: sizes.histogram(),
            rows: sizes.total() as f64,
            classes: sizes.classes() as f64,
            unique: sizes.unique() as f64,
            population: population.max(sizes.total()) as f64,
        }
    }

    fn fraction(&self) -> f64 {
        self.rows / self.population
    }

    /// How many classes have this size.
    fn of_size(&self, size: u64) -> f64 {
        self.histogram.iter().find(|&&(other, _)| other == size).map_or(0.0, |&(_, classes)| classes as f64)
    }

    fn estimates(&self) -> Vec<UniquenessEstimate> {
        // Nothing has to be estimated about a sample that is the population.
        let all = Fitted { uniqueness: self.unique / self.rows.max(1.0), log_error: 0.0 };
        let fit = |model| match model {
            _ if self.population <= self.rows => Ok(all),
            UniquenessModel::Zayatz => Ok(zayatz::fit(self)),
            UniquenessModel::Pitman => pitman::fit(self),
            UniquenessModel::Snb => snb::fit(self),
        };
        UniquenessModel::ALL.map(|model| self.judged(model, fit(model))).to_vec()
    }

    /// An estimate within what the sample allows.
    fn judged(&self, model: UniquenessModel, fitted: Result<Fitted, NoEstimate>) -> UniquenessEstimate {
        /// Half the width of an interval of 95 % in standard errors.
        const Z: f64 = 1.959_963_984_540_054;
        /// −ln 0.05: a population with this many uniques, times the population per row, has none in a sample with 5 %.
        const NONE_SEEN: f64 = 2.995_732_273_553_991;
        let none = |reason| UniquenessEstimate {
            model,
            uniqueness: None,
            low: None,
            high: None,
            unique_rows_also_unique: None,
            no_estimate: Some(reason),
        };
        let sampled = self.unique / self.rows.max(1.0);
        match fitted {
            Err(NoEstimate::SeveralClasses) => none(NoEstimate::SeveralClasses),
            _ if self.unique == 0.0 => UniquenessEstimate {
                uniqueness: Some(0.0),
                low: Some(0.0),
                high: Some(if self.population > self.rows { (NONE_SEEN / self.rows.max(1.0)).min(1.0) } else { 0.0 }),
                no_estimate: None,
                ..none(NoEstimate::NoFit)
            },
            Err(reason) => none(reason),
            Ok(Fitted { uniqueness, log_error }) => {
                let low = uniqueness * (-Z * log_error).exp();
                if !(uniqueness.is_finite() && log_error.is_finite()) {
                    return none(NoEstimate::NoFit);
                }
                if low > sampled {
                    return none(NoEstimate::AboveSample);
                }
                let uniqueness = uniqueness.min(sampled);
                UniquenessEstimate {
                    uniqueness: Some(uniqueness),
                    low: Some(low),
                    high: Some((uniqueness * (Z * log_error).exp()).min(1.0)),
                    unique_rows_also_unique: Some(uniqueness / sampled),
                    no_estimate: None,
                    ..none(NoEstimate::NoFit)
                }
            }
        }
    }

    fn answer(&self, estimates: Vec<UniquenessEstimate>, sensitivity: Vec<SensitivityPoint>) -> PopulationUniqueness {
        PopulationUniqueness {
            sample_size: whole(self.rows),
            population_size: whole(self.population),
            sampling_fraction: if self.population == 0.0 { 1.0 } else { self.fraction() },
            sample_uniqueness: self.unique / self.rows.max(1.0),
            chosen: dankar(self.fraction(), &estimates).map(|estimate| estimate.model),
            estimates,
            sensitivity,
        }
    }
}

/// A count that was made a number.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it comes from a count")]
fn whole(count: f64) -> u64 {
    count as u64
}

#[cfg(test)]
mod tests;
