//! Estimates about the population that a table is a sample of.

use incrowd_core::ClassSizes;
use incrowd_engine::{Engine, Source};
use incrowd_risk::population::{PopulationUniqueness, population_uniqueness};

use super::{DiagnoseOptions, Diagnosed, survey};
use crate::error::{Error, Result};
use crate::parameters;

/// The population that a table is a simple random sample of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PopulationGiven {
    /// The share of the population that is in the table.
    SamplingFraction(f64),
    /// How many people the population has.
    Size(u64),
}

impl PopulationGiven {
    /// Refuses a fraction that is no share.
    pub(super) fn check(self) -> Result<()> {
        match self {
            PopulationGiven::SamplingFraction(fraction) => {
                parameters::share("sampling_fraction", Some(fraction), false)
            }
            PopulationGiven::Size(size) => parameters::at_least_one("population_size", Some(size)),
        }
    }

    /// How many people the population of a sample of this size has.
    fn size(self, sample: u64) -> Result<u64> {
        match self {
            PopulationGiven::SamplingFraction(fraction) => Ok(rounded(sample as f64 / fraction).max(sample)),
            PopulationGiven::Size(size) if size < sample => Err(Error::Senseless {
                parameter: "population_size".into(),
                fact: "must not be smaller than the table".into(),
            }),
            PopulationGiven::Size(size) => Ok(size),
        }
    }
}

/// The people of a table, as a sample of a population.
pub(super) struct SampleOfPeople<'a> {
    pub(super) sizes: &'a ClassSizes,
    pub(super) people: u64,
    /// Whether everybody is known to be in one class.
    pub(super) one_class_each: bool,
}

/// What is estimated about the population, and the sampling fraction if one is known.
pub(super) fn answer_about_population(
    answer: &mut Diagnosed,
    engine: &Engine,
    source: &Source,
    sample: &SampleOfPeople<'_>,
    options: &DiagnoseOptions,
) -> Result<Option<f64>> {
    let mut fraction = None;
    if let Some(survey) = &options.survey {
        let risk = survey::risk(engine, source, &options.declared.quasi_identifiers, survey)?;
        fraction = Some(risk.sampling_fraction.min(1.0));
        answer.survey = Some(risk);
    }
    if let Some(given) = options.population {
        let population = given.size(sample.people)?;
        let estimated = match sample.one_class_each {
            true => population_uniqueness(sample.sizes, population),
            false => PopulationUniqueness::of_several_classes(sample.sizes, sample.people, population),
        };
        fraction = Some(estimated.sampling_fraction);
        answer.population = Some(estimated);
    }
    if options.log_linear && fraction.is_none() {
        let fact = "needs the size of the population: a sampling fraction, a population size or a weight column";
        return Err(Error::Senseless { parameter: "log_linear".into(), fact: fact.into() });
    }
    Ok(fraction)
}

/// A count of people; the largest one if there are more.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a quotient of positive numbers")]
fn rounded(count: f64) -> u64 {
    count.round() as u64
}
