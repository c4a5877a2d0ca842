//! The first stage: what is asked is checked, the table is counted, and what cannot be released is refused.

use std::path::Path;

use incrowd_algorithms::AlgorithmEntry;
use incrowd_core::{ColumnProfile, FrequencyTable, LossEntry, Policy, Rule, WholeCounts};
use incrowd_engine::{Codebook, Engine, EngineError, Outgrown, Question, Source};

use super::AnonymizeOptions;
use super::columns::{ColumnGroups, Columns};
use super::delta_table;
use super::kept_columns::KeptColumns;
use super::linked_rows;
use super::population::{self, ReadPopulation};
use super::randomness::Randomness;
use super::repeat::Repeat;
use super::sharded;
use super::time_limit::TimeLimit;
use super::value_groups;
use crate::error::{Error, Result};
use crate::repeated_identifiers::{RepeatedIdentifier, repeated_by_tasks, repeated_identifiers};
use crate::spellings;

/// What is decided by the options and the names of the columns, before a row is read.
pub(super) struct RunDecisions {
    pub(super) columns: Columns,
    pub(super) algorithm: &'static AlgorithmEntry,
    pub(super) loss: &'static LossEntry,
}

impl RunDecisions {
    /// Refuses options that contradict themselves, each other or the columns of the table.
    pub(super) fn of(source: &Source, options: &AnonymizeOptions) -> Result<RunDecisions> {
        options.check()?;
        let columns = Columns::new(source, options)?;
        columns.check_policy(&options.policy)?;
        options.publish.check(&options.policy)?;
        if options.delta {
            delta_table::check(source, options.publish, &columns)?;
        }
        let algorithm = match linked_rows::solver(options)? {
            Some(histories) => histories,
            None => options.entry()?,
        };
        let loss = options.loss(algorithm)?;
        population::check(options, algorithm)?;
        Ok(RunDecisions { columns, algorithm, loss })
    }
}

/// A run before anything is solved: what is asked, and what was decided. Every later stage reads it.
pub(super) struct Prepared<'a> {
    pub(super) engine: &'a Engine,
    pub(super) source: &'a Source,
    pub(super) options: &'a AnonymizeOptions,
    /// Where the release goes.
    pub(super) target: &'a Path,
    pub(super) columns: Columns,
    /// What is published of columns whose treatment looks at all cells.
    pub(super) groups: ColumnGroups,
    pub(super) kept: KeptColumns<'a>,
    pub(super) algorithm: &'static AlgorithmEntry,
    pub(super) loss: &'static LossEntry,
    pub(super) randomness: Randomness,
    /// The release that is repeated.
    pub(super) repeat: Option<Repeat>,
    pub(super) time_limit: TimeLimit,
    pub(super) question: Question,
    /// How k follows from the weights of a survey, if it does.
    pub(super) survey: Option<String>,
    /// The population that the policy is about.
    pub(super) population: Option<ReadPopulation>,
    /// How often each value occurs that classes of shards are compared by, if the policy compares.
    pub(super) whole: Option<WholeCounts>,
}

/// The table as the first scan counted it.
pub(super) struct CountedTable {
    pub(super) tuples: TuplesAtHand,
    /// Bytes of codes that went through the disk.
    pub(super) spilled_bytes: u64,
}

/// The distinct tuples, if they fit in memory.
pub(super) enum TuplesAtHand {
    InMemory(FrequencyTable, Codebook),
    Outgrown(Outgrown),
}

/// Counts the table, and refuses what singles out people whatever is solved.
pub(super) fn prepare<'a>(
    engine: &'a Engine,
    source: &'a Source,
    options: &'a AnonymizeOptions,
    target: &'a Path,
    decided: RunDecisions,
    (time_limit, (randomness, repeat)): (TimeLimit, (Randomness, Option<Repeat>)),
) -> Result<(Prepared<'a>, CountedTable)> {
    let RunDecisions { columns, algorithm, loss } = decided;
    if engine.is_on_cluster() && !options.treatments.is_empty() {
        return Err(EngineError::NotOnCluster { what: "treating columns" }.into());
    }
    let question = Question {
        other_quasi_identifiers: vec![],
        quasi_identifiers: options.declared.quasi_identifiers.clone(),
        sensitive: options.policy.sensitive(),
        subject: options.declared.subject.clone(),
        person_key: Some(randomness.person_key()),
        sizes_only: false,
        at_once: sharded::at_once(engine, options),
    };
    let (profiled, removed) = columns.profiled(source);
    // A cluster profiles what it counts; values of columns that are removed do not leave its tasks, or are read here.
    let (together, apart) =
        if engine.is_on_cluster() { (profiled, removed) } else { ([profiled, removed].concat(), vec![]) };
    let (mut profiles, mut answer) = source.profile_and_count(engine, &together, &question)?;
    let mut repeated = Vec::new();
    if !apart.is_empty() {
        match repeated_by_tasks(engine, source, &apart, &options.declared)? {
            Some(found) => repeated = found,
            None => profiles.extend(source.profile_columns_here(engine, &apart)?),
        }
    }
    repeated.extend(repeated_identifiers(engine, source, &profiles, &options.declared)?);
    refuse_repeated_people(&repeated)?;
    let kept = KeptColumns::check(&columns, options, source, &profiles)?;
    let whole = whole_counts(&options.policy, &profiles);
    drop(profiles);
    let groups = value_groups::group(engine, source, &columns, options)?;
    let spilled_bytes = answer.spilled_bytes;
    let tuples = match answer.outgrown.take() {
        Some(outgrown) => {
            drop(answer);
            spellings::refuse(outgrown.attributes(), &options.policy, &options.keep_spellings)?;
            TuplesAtHand::Outgrown(outgrown)
        }
        None => {
            let (table, codebook) = answer.into_parts(engine)?;
            spellings::refuse(table.attributes(), &options.policy, &options.keep_spellings)?;
            TuplesAtHand::InMemory(table, codebook)
        }
    };
    let prepared = Prepared {
        engine,
        source,
        options,
        target,
        columns,
        groups,
        kept,
        algorithm,
        loss,
        randomness,
        repeat,
        time_limit,
        question,
        survey: None,
        population: None,
        whole,
    };
    Ok((prepared, CountedTable { tuples, spilled_bytes }))
}

/// How often each value occurs that the models of a policy compare, in all rows.
fn whole_counts(policy: &Policy, profiles: &[ColumnProfile]) -> Option<WholeCounts> {
    let compares = |rule: &&Rule| rule.model().is_ok_and(|model| model.compares());
    let names: Vec<String> = policy.models.iter().filter(compares).flat_map(|rule| rule.sensitive.clone()).collect();
    if names.is_empty() { None } else { WholeCounts::of_profiles(&names, profiles) }
}

/// Refuses to promise anything about people while an identifier says that several rows may belong to one.
fn refuse_repeated_people(repeated: &[RepeatedIdentifier]) -> Result<()> {
    if repeated.is_empty() {
        return Ok(());
    }
    let (columns, facts) = repeated.iter().map(|one| (one.column.clone(), one.fact())).unzip();
    Err(Error::RowsMayNotBePeople { columns, facts })
}
