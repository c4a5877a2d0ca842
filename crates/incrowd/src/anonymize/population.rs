//! The population that a policy is about: read, compared with the sample, and bound to the policy.
//!
//! Refused is what its models cannot promise: a sample that has people whom the population lacks, several rows per person,
//! classes that overlap where a share of the population is promised, and tables that are solved in shards.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use incrowd_algorithms::AlgorithmEntry;
use incrowd_core::{GivenPopulation, Hierarchy, ModelError};
use incrowd_verify::{Against, Format, PopulationEntry, PopulationTable, population_sha256};

use super::prepare::{CountedTable, Prepared, TuplesAtHand};
use super::{AnonymizeOptions, Publish, quasi_identifiers};
use crate::error::{Error, Result};
use crate::population::{self, CountedPopulation};
use crate::release::{RecordedReading, StagedRelease};

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
    if let Some((given, other)) = options.risk.incomplete() {
        return Err(Error::Senseless { parameter: given.into(), fact: format!("needs {other}, too") });
    }
    refuse_two_tables(options)?;
    if let Some(least) = options.risk.estimated.map(|estimate| estimate.k).filter(|&least| options.policy.k() < least) {
        let fact = format!("must be at least {least} for the estimated k-map");
        return Err(Error::Senseless { parameter: "k".into(), fact });
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

/// What is estimated about classes of generalized labels says nothing where quasi-identifiers are published unchanged.
fn refuse_two_tables(options: &AnonymizeOptions) -> Result<()> {
    let estimated = [
        options.risk.estimated.as_ref().map(|_| "an estimate of k-map"),
        options.risk.individual().map(|_| "the individual risk"),
    ];
    match estimated.into_iter().flatten().next().filter(|_| options.publish == Publish::TwoTables) {
        None => Ok(()),
        Some(what) => Err(Error::Contradictory(format!(
            "{what} is about generalized labels, and two tables publish quasi-identifiers unchanged"
        ))),
    }
}

/// Reads the population that the policy is about, if it is about one.
pub(super) fn read(run: &Prepared<'_>, counted: &CountedTable) -> Result<Option<ReadPopulation>> {
    let (options, names) = (run.options, &run.question.quasi_identifiers);
    let asked = options.population.as_ref().filter(|_| options.policy.of_population().next().is_some());
    let (Some(asked), TuplesAtHand::InMemory(table, _)) = (asked, &counted.tuples) else { return Ok(None) };
    let (quasi, hierarchies) = quasi_identifiers::build(table, names, options, run.engine.memory())?;
    let (source, reading) = population::open(run.engine, asked, names, &options.reading)?;
    let files = source.files();
    let [file] = &files[..] else { return Err(Error::PopulationIsNoFile(asked.path.clone())) };
    let counts = CountedPopulation::of(run.engine, &source, names, asked)?;
    let given = counts.like(table, (&quasi, &hierarchies));
    let lacking = given.rows_without_person(table);
    if lacking > 0 {
        return Err(Error::NotInPopulation { rows: lacking, of: table.rows() });
    }
    let entry = PopulationEntry {
        rows: counts.rows(),
        people: given.people(),
        count_column: asked.count_column.clone(),
        sha256: population_sha256(file)?,
    };
    let reading = RecordedReading::of(&source, &reading);
    let files = write_hierarchies(run, names, &hierarchies)?;
    let table = verified_table(file, &reading, asked.count_column.clone(), files);
    Ok(Some(ReadPopulation { given: Arc::new(given), entry, reading, table }))
}

/// How the verifier reads a population that was read like this.
fn verified_table(
    file: &Path,
    reading: &RecordedReading,
    count_column: Option<String>,
    hierarchies: BTreeMap<String, std::path::PathBuf>,
) -> PopulationTable {
    let table = Against {
        format: match reading.format.as_str() {
            "parquet" => Format::Parquet,
            "arrow" => Format::Arrow,
            _ => Format::Csv,
        },
        delimiter: reading.delimiter.and_then(|delimiter| u8::try_from(delimiter).ok()).unwrap_or(b','),
        encoding: reading.encoding.clone(),
        sheet: reading.sheet.clone(),
        range: reading.range.clone(),
        header: reading.header.unwrap_or(true),
        nulls: reading.nulls.clone(),
        date_formats: reading.date_formats.iter().cloned().collect(),
        decimal_commas: reading.decimal_commas.iter().cloned().collect(),
        hierarchies,
        ..Against::csv(file)
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
