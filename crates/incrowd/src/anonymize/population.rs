//! The population that a policy is about: read, compared with the sample, and bound to the policy.
//!
//! Refused is what its models cannot promise: a sample that has people whom the population lacks, several rows per person,
//! classes that overlap where a share of the population is promised, and tables that are solved in shards.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use incrowd_algorithms::AlgorithmEntry;
use incrowd_core::{FrequencyTable, GivenPopulation, Hierarchy, ModelError, QuasiIdentifier, Values};
use incrowd_engine::{Engine, Question, ReadOptions, Source};
use incrowd_verify::{Against, Format, PopulationEntry, PopulationTable, population_sha256};

use super::prepare::{CountedTable, Prepared, TuplesAtHand};
use super::{AnonymizeOptions, Publish, quasi_identifiers};
use crate::error::{Error, Result};
use crate::release::{RecordedReading, StagedRelease};
use crate::request::PopulationOptions;

/// A population that was read.
pub(super) struct ReadPopulation {
    /// For the policy.
    pub(super) given: Arc<GivenPopulation>,
    /// For the manifest.
    pub(super) entry: PopulationEntry,
    /// For the record.
    pub(super) reading: RecordedReading,
    /// For the verifier.
    pub(super) table: PopulationTable,
}

/// Refuses models about a population that cannot be kept in this way, before a row is read.
pub(super) fn check(options: &AnonymizeOptions, algorithm: &AlgorithmEntry) -> Result<()> {
    if options.risk.risk.is_some() != options.risk.attacker.is_some() {
        let (given, other) = if options.risk.risk.is_some() { ("risk", "attacker") } else { ("attacker", "risk") };
        return Err(Error::Senseless { parameter: given.into(), fact: format!("needs {other}, too") });
    }
    let mut models = options.policy.of_population().filter_map(|rule| rule.model().ok()).peekable();
    let Some(first) = models.peek().map(|model| model.id()) else {
        return match options.population {
            Some(_) => Err(Error::UnusedPopulation),
            None => Ok(()),
        };
    };
    if options.population.is_none() {
        return Err(ModelError::NoPopulation { model: first }.into());
    }
    if options.declared.subject.is_some() {
        return Err(ModelError::PopulationOfRows { model: first }.into());
    }
    if options.publish == Publish::TwoTables {
        let what = format!("{first} is about generalized labels, and two tables publish quasi-identifiers unchanged");
        return Err(Error::Contradictory(what));
    }
    if let Some(model) = models.find(|model| model.needs_levels()) {
        let model = model.id();
        if !algorithm.traits.full_domain {
            return Err(Error::NeedsLevels { model, algorithm: algorithm.id });
        }
        if options.policy.suppression > 0.0 {
            let what = format!("{model} is about every row of the table: no row may be suppressed");
            return Err(Error::Contradictory(what));
        }
    }
    Ok(())
}

/// Reads the population that the policy is about, if it is about one.
pub(super) fn read(run: &Prepared<'_>, counted: &CountedTable) -> Result<Option<ReadPopulation>> {
    let (options, names) = (run.options, &run.question.quasi_identifiers);
    let asked = options.population.as_ref().filter(|_| options.policy.of_population().next().is_some());
    let (Some(asked), TuplesAtHand::InMemory(table, _)) = (asked, &counted.tuples) else { return Ok(None) };
    let (quasi, hierarchies) = quasi_identifiers::build(table, names, options, run.engine.memory())?;
    let reading = ReadOptions { nulls: options.reading.nulls.clone(), ..ReadOptions::default() };
    let dates = options.reading.date_formats.iter().filter(|(column, _)| names.contains(column));
    let reading = ReadOptions { date_formats: dates.cloned().collect(), ..reading };
    let source = Source::open(run.engine, &asked.path.to_string_lossy(), reading.clone())?;
    let files = source.files();
    let [file] = &files[..] else { return Err(Error::PopulationIsNoFile(asked.path.clone())) };
    let counts = count(run.engine, &source, names, asked)?;
    let given = of_sample(table, (&quasi, &hierarchies), &counts);
    let lacking = given.rows_without_person(table);
    if lacking > 0 {
        return Err(Error::NotInPopulation { rows: lacking, of: table.rows() });
    }
    let entry = PopulationEntry {
        rows: counts.table.rows(),
        people: given.people(),
        count_column: asked.count_column.clone(),
        sha256: population_sha256(file)?,
    };
    let reading = RecordedReading::of(&source, &reading);
    let files = write_hierarchies(run, names, &hierarchies)?;
    let table = verified_table(file, &reading, asked.count_column.clone(), files);
    Ok(Some(ReadPopulation { given: Arc::new(given), entry, reading, table }))
}

/// A population by its tuples.
pub(crate) struct CountedPopulation {
    /// The tuples of the quasi-identifiers, with the count column as the last one if there is one.
    table: FrequencyTable,
    /// How many people each value of the count column stands for.
    people: Option<Vec<u64>>,
}

impl CountedPopulation {
    /// How many people a row of a tuple stands for.
    fn people(&self, tuple: usize, width: usize) -> u64 {
        self.people.as_ref().map_or(1, |people| people[self.table.code(tuple, width) as usize])
    }
}

/// Counts the tuples of a population.
pub(crate) fn count(
    engine: &Engine,
    source: &Source,
    names: &[String],
    asked: &PopulationOptions,
) -> Result<CountedPopulation> {
    let quasi_identifiers = names.iter().cloned().chain(asked.count_column.clone()).collect();
    let question = Question { quasi_identifiers, ..Question::default() };
    let table = source.count(engine, &question)?.into_table(engine)?;
    let people = match &asked.count_column {
        None => None,
        Some(column) => {
            let refused = || Error::CountIsNoNumber(column.clone());
            let dictionary = &table.attributes()[names.len()].dictionary;
            let Values::Integers(values) = dictionary.values() else { return Err(refused()) };
            let people: Option<Vec<u64>> = values.iter().map(|&value| u64::try_from(value).ok()).collect();
            Some(people.filter(|_| dictionary.missing().is_none()).ok_or_else(refused)?)
        }
    };
    Ok(CountedPopulation { table, people })
}

/// The population as cells of a sample's columns.
pub(crate) fn of_sample(
    sample: &FrequencyTable,
    (quasi, hierarchies): (&[QuasiIdentifier], &[Option<Hierarchy>]),
    counted: &CountedPopulation,
) -> GivenPopulation {
    let width = quasi.len();
    GivenPopulation::new(sample, quasi, hierarchies, &counted.table, |tuple| counted.people(tuple, width))
}

/// How the verifier reads a population that was read like this.
pub(crate) fn verified_table(
    file: &Path,
    reading: &RecordedReading,
    count_column: Option<String>,
    hierarchies: BTreeMap<String, std::path::PathBuf>,
) -> PopulationTable {
    let table = Against {
        path: file.into(),
        format: match reading.format.as_str() {
            "parquet" => Format::Parquet,
            "arrow" => Format::Arrow,
            _ => Format::Csv,
        },
        delimiter: reading.delimiter.and_then(|delimiter| u8::try_from(delimiter).ok()).unwrap_or(b','),
        encoding: reading.encoding.clone(),
        header: reading.header.unwrap_or(true),
        nulls: reading.nulls.clone(),
        spellings: BTreeMap::new(),
        date_formats: reading.date_formats.iter().cloned().collect(),
        decimal_commas: reading.decimal_commas.iter().cloned().collect(),
        hierarchies,
    };
    PopulationTable { table, count_column }
}

/// The hierarchies of the columns as files, for the verifier, which reads nothing else. They hold values, so they are in
/// the private folder of the run.
fn write_hierarchies(
    run: &Prepared<'_>,
    names: &[String],
    hierarchies: &[Option<Hierarchy>],
) -> Result<BTreeMap<String, std::path::PathBuf>> {
    let folder = run.engine.private_folder(&format!("population-{}", run.randomness.release_id()))?;
    let mut files = BTreeMap::new();
    for (at, (name, hierarchy)) in names.iter().zip(hierarchies).enumerate() {
        if let Some(hierarchy) = hierarchy {
            let path = folder.join(format!("{at}.csv"));
            StagedRelease::write(&path, &hierarchy.write())?;
            files.insert(name.clone(), path);
        }
    }
    Ok(files)
}
