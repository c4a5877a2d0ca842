//! What is counted in the population that a table is a sample of, or estimated about it.

use incrowd_core::{ClassSizes, FrequencyTable, Hierarchy, QuasiIdentifier};
use incrowd_engine::{Engine, Question, Source};
use incrowd_risk::population::{EstimatedKMap, PopulationUniqueness, SampledClass, USUAL_ERROR, population_uniqueness};
use serde::Serialize;

use super::{DiagnoseOptions, Diagnosed, survey};
use crate::error::{Error, Result};
use crate::parameters;
use crate::population::{self, CountedPopulation};
use crate::request::PopulationOptions;

/// The population that a table is a sample of. Without its table, the sample is taken for a simple random one.
#[derive(Clone, Debug, PartialEq)]
pub enum PopulationGiven {
    /// Its table.
    Table(PopulationOptions),
    /// The share of the population that is in the table.
    SamplingFraction(f64),
    /// How many people the population has.
    Size(u64),
}

impl PopulationGiven {
    /// Refuses a fraction that is no share.
    pub(super) fn check(&self) -> Result<()> {
        match *self {
            PopulationGiven::Table(_) => Ok(()),
            PopulationGiven::SamplingFraction(fraction) => {
                parameters::share("sampling_fraction", Some(fraction), false)
            }
            PopulationGiven::Size(size) => parameters::at_least_one("population_size", Some(size)),
        }
    }
}

/// What is counted in a given population: how many people have the values of a row?
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CountedInPopulation {
    /// How many people the population has.
    pub people: u64,
    /// The fewest people who match a row (k-map).
    pub k_map: u64,
    /// Rows that one person matches at most.
    pub unique_rows: u64,
    /// The mean probability that an attacker who has the population picks the right person for a row.
    pub mean_risk: f64,
    /// Rows that fewer people match than the requested k.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_below_k: Option<u64>,
}

impl CountedInPopulation {
    fn new(people: u64, matches: &[(u64, u64)], k: Option<u64>) -> CountedInPopulation {
        let rows: u64 = matches.iter().map(|(rows, _)| rows).sum();
        let below = |k: u64| matches.iter().filter(|(_, matching)| *matching < k).map(|(rows, _)| rows).sum();
        // Where nobody is known to match, the population is coarser than the table, and the worst is assumed.
        let risks = matches.iter().map(|&(rows, matching)| rows as f64 / matching.max(1) as f64);
        CountedInPopulation {
            people,
            k_map: matches.iter().map(|(_, matching)| *matching).min().unwrap_or(0),
            unique_rows: below(2),
            mean_risk: risks.sum::<f64>() / rows.max(1) as f64,
            rows_below_k: k.map(below),
        }
    }
}

/// Counts in the table of a population.
fn counted(
    engine: &Engine,
    source: &Source,
    asked: &PopulationOptions,
    options: &DiagnoseOptions,
) -> Result<CountedInPopulation> {
    let names = &options.declared.quasi_identifiers;
    let question = Question { quasi_identifiers: names.clone(), ..Question::default() };
    let table: FrequencyTable = source.count(engine, &question)?.into_table(engine)?;
    let (mut quasi, mut hierarchies) = (Vec::with_capacity(names.len()), Vec::with_capacity(names.len()));
    for (column, name) in names.iter().enumerate() {
        let dictionary = &table.attributes()[column].dictionary;
        let of_column = |error| Error::HierarchyOf { column: name.clone(), error };
        let hierarchy = Hierarchy::suggest(dictionary).map_err(of_column)?.hierarchy;
        quasi.push(QuasiIdentifier::new(column, &hierarchy, dictionary).map_err(of_column)?);
        hierarchies.push(Some(hierarchy));
    }
    let (population, _) = population::open(engine, asked, names, source.read_options())?;
    let given = CountedPopulation::of(engine, &population, names, asked)?.like(&table, (&quasi, &hierarchies));
    let lacking = given.rows_without_person(&table);
    if lacking > 0 {
        return Err(Error::NotInPopulation { rows: lacking, of: table.rows() });
    }
    Ok(CountedInPopulation::new(given.people(), &given.people_like_rows(&table), options.k))
}

/// The size of a population that must hold a sample.
fn checked_size(size: u64, sample: u64) -> Result<u64> {
    if size >= sample {
        return Ok(size);
    }
    let fact = "must not be smaller than the table".into();
    Err(Error::Senseless { parameter: "population_size".into(), fact })
}

/// From which size on classes of the table are taken to have k people in the population, and what is smaller.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SmallInPopulation {
    /// The least size.
    #[serde(flatten)]
    pub estimate: EstimatedKMap,
    /// Rows (people) in smaller classes.
    pub rows_below: u64,
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
    let population = match &options.population {
        None => None,
        Some(PopulationGiven::Table(asked)) => {
            let counted = counted(engine, source, asked, options)?;
            fraction = Some((sample.people as f64 / counted.people.max(1) as f64).min(1.0));
            answer.in_population = Some(counted);
            None
        }
        Some(PopulationGiven::SamplingFraction(fraction)) => {
            Some(rounded(sample.people as f64 / fraction).max(sample.people))
        }
        Some(PopulationGiven::Size(size)) => Some(checked_size(*size, sample.people)?),
    };
    if let Some(population) = population {
        let estimated = match sample.one_class_each {
            true => population_uniqueness(sample.sizes, population),
            false => PopulationUniqueness::of_several_classes(sample.sizes, sample.people, population),
        };
        fraction = Some(estimated.sampling_fraction);
        answer.estimated_k_map = options.k.filter(|&k| k > 1 && !options.at_most).map(|k| {
            let model = SampledClass::default();
            let estimate = EstimatedKMap::new(k, estimated.sampling_fraction, model, USUAL_ERROR);
            SmallInPopulation { estimate, rows_below: sample.sizes.below(estimate.k) }
        });
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
