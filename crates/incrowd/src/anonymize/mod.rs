//! `anonymize`: from a table and a policy to a verified release. Reads like the arrow diagram.

mod booking;
mod canaries;
mod columns;
mod dossier;
mod kept_columns;
mod labels;
mod loss_report;
mod most_classes;
mod options;
mod proof;
mod quasi_identifiers;
mod randomness;
mod repeat;
mod sharded;
mod tell;
mod two_tables;
mod why;
mod withheld;

use std::path::{Path, PathBuf};
use std::time::Instant;

use incrowd_algorithms::{AlgorithmEntry, Budget, Effort, Problem, Solution, Statistics, Unsolved};
use incrowd_core::{
    ClassSizes, ColumnProfile, Finding, FrequencyTable, LossEntry, Measures, QuasiIdentifier, Recoding, Role,
};
use incrowd_engine::{Applied, Engine, EngineError, PublishedColumn, Question, Recipe, Source};
use incrowd_report::dossier::Repeatability;
use incrowd_risk::attack::Outcome;
use incrowd_verify::{Canaries, Manifest};
use serde::Serialize;

use crate::error::{Error, Result};
use crate::exposure::{Knowledge, PublishedRows, within_limits};
use crate::release::{Destination, Record, ReleasedBefore, name_of, small_counts};
use crate::repeated::repeated_identifiers;
use crate::report::{self, Reported};
use crate::spellings;
use booking::Booking;
use columns::Columns;
use dossier::Made;
use kept_columns::{InMemory, KeptColumns};

pub use columns::Others;
pub use loss_report::LossReport;
pub use most_classes::MostClasses;
pub use options::{AnonymizeOptions, HierarchyChoice};
pub use randomness::RandomnessRecord;
#[cfg(test)]
pub(crate) use tell::empty_manifest;
pub use two_tables::Publish;
pub use why::{ColumnWhy, LevelWhy, RuleShare};
pub use withheld::WithheldFor;

/// What `anonymize` did.
#[derive(Clone, Debug, Serialize)]
pub struct Anonymized {
    /// What was read.
    pub source: String,
    /// Where the release is.
    pub release: String,
    /// Where the custodian's record of it is.
    #[serde(skip)]
    pub record: PathBuf,
    /// Rows of the table.
    pub rows: u64,
    /// Distinct tuples on quasi-identifiers and protected attributes.
    pub tuples: u64,
    /// The k asked for.
    pub k: u64,
    /// In one table or in two.
    pub publish: Publish,
    /// The solver.
    pub algorithm: &'static str,
    /// The measure it looked at.
    pub loss_minimized: &'static str,
    /// Classes of the release.
    pub classes: u64,
    /// The most that any release of the same rows can have, when the policy asks for different values in every class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_classes: Option<MostClasses>,
    /// The size of the smallest: rows, or people when a subject column tells.
    pub smallest_class: u64,
    /// Rows that are withheld.
    pub suppressed_rows: u64,
    /// For which rules, how many each, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub withheld_for: Vec<WithheldFor>,
    /// What the release loses.
    pub loss: LossReport,
    /// Whether it loses as little as any release can: loss and bound meet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimal: Option<bool>,
    /// The levels of a full-domain solution, by quasi-identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<usize>>,
    /// Whether a time limit stopped the solver: another run may then give other classes.
    pub cut_short: bool,
    /// Whether a second run with the recorded key gives the same bytes.
    pub repeatability: Repeatability,
    /// The id of the release that this one repeats, with the same bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<String>,
    /// What the search met.
    #[serde(flatten)]
    pub statistics: Statistics,
    /// Seconds that the solver took.
    pub solve_seconds: f64,
    /// Whether the verifier accepted the written bytes. There is no release when it did not.
    pub verified: bool,
    /// The search for removed values in the written bytes.
    pub canaries: Canaries,
    /// What is promised, one sentence for each model.
    pub promises: Vec<String>,
    /// Of which table they were found to hold: of the written bytes, or of the people whose rows are written when a subject
    /// column tells them apart.
    pub counts: incrowd_verify::Counts,
    /// What the attacks that are run before a release is written achieved. For the custodian.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attacks: Vec<Outcome>,
    /// Releases of the same people, as the ledger knows them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub released_before: Vec<ReleasedBefore>,
    /// Columns that are published unchanged and split classes, with their figures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What the custodian should know.
    pub notes: Vec<String>,
    /// For each quasi-identifier, what it became and which rule forced it.
    pub why: Vec<ColumnWhy>,
    /// Where the pages about the release are, when they were written with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<Reported>,
    /// Bytes of codes that went through the disk because memory was short.
    pub spilled_bytes: u64,
}

/// Solves, recodes, writes, verifies and publishes.
///
/// The target is a folder, `postgres:schema.name` for tables of a database, or `s3://bucket/name`. Nothing that the
/// verifier has not accepted ever bears its name; on any error nothing is left there.
pub fn anonymize(engine: &Engine, source: &Source, options: &AnonymizeOptions, target: &Path) -> Result<Anonymized> {
    let begun = Instant::now();
    options.check()?;
    let columns = Columns::new(source, &options.declared, options.others)?;
    columns.check_policy(&options.policy)?;
    options.publish.check(&options.policy)?;
    let apart = options.publish == Publish::TwoTables;
    let algorithm = options.entry()?;
    let loss = options.loss(algorithm)?;
    let folded = spellings::folded(engine, source, options)?;
    let source = folded.as_ref().unwrap_or(source);
    let mut destination = Destination::begin(engine, source, target, options)?;
    let (randomness, repeat) = repeat::randomness(engine, options)?;
    let clock = Clock { deadline: options.time.map(|time| begun + time) };

    let question = Question {
        other_quasi_identifiers: vec![],
        quasi_identifiers: options.declared.quasi_identifiers.clone(),
        sensitive: options.policy.sensitive(),
        subject: options.declared.subject.clone(),
        person_key: Some(randomness.person_key()),
        sizes_only: false,
        at_once: sharded::at_once(engine, options),
    };
    let (mut profiled, mut removed) = columns.profiled(source);
    if !engine.is_on_cluster() {
        profiled.append(&mut removed);
    }
    let (mut profiles, mut answer) = source.profile_and_count(engine, &profiled, &question)?;
    if !removed.is_empty() {
        profiles.extend(source.profile_columns_here(engine, &removed)?);
    }
    refuse_repeated_people(engine, source, &profiles, options)?;
    let kept = KeptColumns::check(&columns, options, source, &profiles)?;
    drop(profiles);
    let spilled = answer.spilled_bytes;
    if let Some(outgrown) = answer.outgrown.take() {
        drop(answer);
        spellings::refuse(outgrown.attributes(), options)?;
        let (columns, kept, question, randomness) = (&columns, &kept, &question, &randomness);
        let (repeat, deadline) = (repeat.as_ref(), clock.deadline);
        let asked =
            sharded::Asked { engine, source, options, columns, kept, question, loss, randomness, repeat, deadline };
        return sharded::anonymize(&asked, outgrown, spilled, destination, target);
    }
    let (table, codebook) = answer.into_parts(engine)?;
    spellings::refuse(table.attributes(), options)?;
    if !question.sensitive.is_empty() {
        Error::refuse_nobody(&table)?;
    }
    let (quasi, hierarchies) = quasi_identifiers::build(&table, &question.quasi_identifiers, options, engine.memory())?;
    let booking = Booking::begin(engine, options.ledger.as_deref(), &table, &question.quasi_identifiers, source)?;

    let started = Instant::now();
    let solution = solve(engine, &table, &quasi, options, (algorithm, loss), randomness.solver_seed(), clock.deadline)?;
    let repeatability = repeat::repeatability(engine, solution.cut_short);
    let mut stopped = Vec::new();
    stopped.extend(solution.cut_short.then_some(StoppedByClock::Solver));
    let solve_seconds = started.elapsed().as_secs_f64();
    let recoding = recode(&table, &quasi, &solution);
    let judged =
        proof::judge(&table, &options.policy, &solution.partition, if apart { None } else { Some(&recoding) })?;
    let mut measures = Measures::of(&table, &quasi, &solution.partition, &recoding, options.policy.k());
    if apart {
        measures = measures.told_apart(&solution.partition, options.policy.k());
    }
    let mut bound = None;
    if loss.id == "lm" && options.bound && !apart {
        let resolution = loss_report::Resolution::new(&table, &quasi, &solution.partition);
        bound = loss_report::bound(engine, &table, &quasi, options, (&measures, &resolution), clock.deadline)?;
        stopped.extend(clock.is_over().then_some(StoppedByClock::Bound));
    }
    let most_classes = most_classes::of(&table, &options.policy, &solution.partition)?;
    let withheld_for =
        withheld::explain(&table, &quasi, &options.policy, &solution.partition, solution.levels.as_deref())?;
    let (mut why, mut attacks) = (Vec::new(), Vec::new());
    if apart {
        let (partition, seed) = (&solution.partition, randomness.solver_seed());
        attacks = two_tables::attack(engine, &table, &quasi, &options.policy, partition, seed)?;
    } else {
        why = why::explain(&table, &quasi, &options.policy, &solution.partition, &recoding)?;
    }

    let class_column = columns.class_column();
    let ([first, second], one_table) = (columns.in_two_tables(&class_column), columns.published());
    let recipe = Recipe {
        table: &table,
        quasi_identifiers: &quasi,
        recoding: &recoding,
        columns: if apart { &first } else { &one_table },
        second: apart.then_some(&second),
        format: destination.format(options.format),
        escape_formulas: options.escape_formulas,
        key: randomness.shuffle_key(),
    };
    let applied = source.apply(engine, &codebook, &recipe, &destination.written_to())?;
    let applied = destination.place(engine, applied)?;
    let rows = published_rows(engine, &destination, &applied, if apart { &first } else { &one_table })?;
    let memory = InMemory { table: &table, partition: &solution.partition, recoding: &recoding };
    let exposure = kept.measure(engine, &rows, (!apart).then_some(&memory))?;
    // A column whose published cells are all unchanged is retained, whatever was withheld.
    let told = small_counts::loss(&measures, &options.policy, applied.rows, applied.withheld);
    let changed =
        |name: &str| !apart && told.columns.iter().any(|column| column.name == name && column.unchanged < 1.0);
    let mut manifest = Manifest {
        release: randomness.release_id(),
        created: tell::now(),
        algorithm: algorithm.id.into(),
        loss_minimized: loss.id.into(),
        policy: tell::policy(&options.policy),
        counts: if table.counts_people() { incrowd_verify::Counts::People } else { incrowd_verify::Counts::Rows },
        source_rows: table.rows().into(),
        rows: applied.rows,
        suppressed_rows: applied.withheld.into(),
        classes: judged.classes,
        smallest_class: tell::smallest_class(&table, &solution.partition),
        columns: columns.entries(options.publish, changed),
        two_tables: two_tables::entry(&class_column, &applied),
        files: applied.files.iter().map(tell::file).collect(),
        loss: serde_json::to_value(&told).unwrap_or_default(),
        ..tell::empty_manifest()
    };
    let recoded = if apart { &[][..] } else { &quasi };
    let cells = |at: usize| (0..recoding.classes() as u32).map(|class| recoding.cells(class)[at]).collect();
    labels::declare(&mut manifest.columns, table.attributes(), &quasi, cells);
    let canaries = canaries::choose(engine, source, &columns, table.attributes(), recoded, cells)?;
    let found_in_cells = proof::verify(engine, &destination.public(), &mut manifest, &canaries)?;
    let repeats = repeat.as_ref().map(|repeat| repeat.check(&manifest.files)).transpose()?;
    let counts = tell::exact(&manifest, &applied, &measures);
    small_counts::publish_coarsely(&mut manifest);
    let mut dossier = None;
    if options.report {
        let made = Made {
            deadline: clock.deadline,
            repeatability,
            engine,
            table: &table,
            quasi: &quasi,
            columns: &columns,
            options,
            partition: &solution.partition,
            recoding: &recoding,
            measures: &measures,
            bound: bound.as_ref(),
            stopped: &stopped,
            manifest: &manifest,
            staged: &destination.public(),
            randomness: &randomness,
            why: &why,
            withheld_for: &withheld_for,
            attacks: &attacks,
            exposure: &exposure,
            before: before(engine, source, options, &exposure.knowledge)?,
        };
        let found = dossier::of(&made, name_of(target))?;
        stopped.extend((!apart && clock.is_over()).then_some(StoppedByClock::Curve));
        dossier = Some(report::publish(found, &mut destination, &mut manifest)?);
    }
    let sealed = manifest.to_sealed_json();

    let record = Record {
        release: manifest.release.clone(),
        source: source.name().into(),
        policy: options.policy.clone(),
        randomness: randomness.record(repeatability),
        files: repeat::recorded(&manifest.files),
        quasi_identifiers: question.quasi_identifiers.clone(),
        sensitive: columns.of(Role::Sensitive),
        identifiers: columns.of(Role::Identifier),
        keep_identifying: options.keep_identifying.clone(),
        subject: options.declared.subject.clone(),
        reading: crate::release::Reading::of(source, &options.reading),
        statistics: solution.statistics.clone(),
        why: why.clone(),
        counts: Some(counts.clone()),
        withheld_for: withheld_for.clone(),
        attacks: attacks.clone(),
        folder: std::path::PathBuf::new(),
        listed: Vec::new(),
    };
    record.write(&destination.internal(), &question.quasi_identifiers, &hierarchies)?;
    if let Some(dossier) = &mut dossier {
        report::keep_sealed(dossier, &sealed, &destination)?;
    }
    let record = destination.record();
    let pages = dossier.map(|_| report::written_with(target, &record, &manifest));
    // Entered and published, or neither: nothing is published after the work was asked to stop.
    let released_before = engine.watch().cancel.commit(|| -> Result<_> {
        let before = booking.map(|booking| booking.enter(engine, &manifest)).transpose()?.unwrap_or_default();
        destination.publish(engine, &sealed)?;
        Ok(before)
    })?;
    Ok(Anonymized {
        source: source.name().into(),
        release: target.display().to_string(),
        record,
        rows: table.rows(),
        tuples: table.tuples() as u64,
        k: options.policy.k(),
        publish: options.publish,
        algorithm: algorithm.id,
        loss_minimized: loss.id,
        classes: judged.classes,
        most_classes,
        smallest_class: judged.smallest_class,
        suppressed_rows: applied.withheld,
        withheld_for,
        optimal: bound.as_ref().map(|bound| bound.is_met),
        loss: LossReport::new(measures, bound.as_ref()),
        levels: solution.levels,
        cut_short: solution.cut_short,
        repeatability,
        repeats,
        statistics: solution.statistics,
        solve_seconds,
        verified: true,
        canaries: counts.canaries,
        promises: tell::promises(options)?,
        counts: manifest.counts,
        attacks,
        notes: [
            tell::notes(&columns, options, &applied, found_in_cells, &released_before),
            spellings::notes(source, table.attributes()),
            tell::stopped(&stopped),
        ]
        .concat(),
        findings: exposure.findings,
        released_before,
        why,
        report: pages,
        spilled_bytes: spilled + applied.spilled_bytes,
    })
}

/// Refuses to promise anything about people while an identifier says that several rows may belong to one.
fn refuse_repeated_people(
    engine: &Engine,
    source: &Source,
    profiles: &[ColumnProfile],
    options: &AnonymizeOptions,
) -> Result<()> {
    let repeated = repeated_identifiers(engine, source, profiles, &options.declared)?;
    if repeated.is_empty() {
        return Ok(());
    }
    let (columns, facts) = repeated.iter().map(|one| (one.column.clone(), one.fact())).unzip();
    Err(Error::RowsMayNotBePeople { columns, facts })
}

/// The staged rows, as their readers will see them.
fn published_rows(
    engine: &Engine,
    destination: &Destination,
    applied: &Applied,
    columns: &[PublishedColumn],
) -> Result<PublishedRows> {
    let file = applied.files.first().ok_or(EngineError::Empty(destination.public().display().to_string()))?;
    let names = columns.iter().map(|column| column.name().to_owned()).collect();
    PublishedRows::open(engine, &destination.public().join(&file.name), file.format, names)
}

/// How many look alike in the original on all columns that an attacker could know, when these are more than the
/// quasi-identifiers: the risk before and after is then about the same columns.
fn before(
    engine: &Engine,
    source: &Source,
    options: &AnonymizeOptions,
    knowledge: &Knowledge,
) -> Result<Option<ClassSizes>> {
    if knowledge.known.is_empty() {
        return Ok(None);
    }
    let subject = options.declared.subject.clone();
    let question = Question {
        quasi_identifiers: options.declared.quasi_identifiers.iter().chain(&knowledge.known).cloned().collect(),
        sizes_only: subject.is_none(),
        subject,
        ..Question::default()
    };
    within_limits(source.count(engine, &question).map(|answer| answer.sizes))
}

/// The time limit of a run, over all that can be stopped.
#[derive(Clone, Copy)]
struct Clock {
    deadline: Option<Instant>,
}

impl Clock {
    fn is_over(self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// What a time limit stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StoppedByClock {
    Solver,
    Bound,
    Curve,
}

/// The work for the lower bound: half of what the solver has.
fn effort_for_bound(options: &AnonymizeOptions, tuples: usize) -> u64 {
    options.effort.unwrap_or(Effort::NORMAL).units(tuples as u64) / 2
}

fn solve(
    engine: &Engine,
    table: &FrequencyTable,
    quasi: &[QuasiIdentifier],
    options: &AnonymizeOptions,
    (algorithm, loss): (&AlgorithmEntry, &LossEntry),
    seed: u64,
    deadline: Option<Instant>,
) -> Result<Solution> {
    let problem = Problem::new(table, quasi, &options.policy, (loss.new)().as_ref(), seed)?;
    let mut problem = problem.weighing(&options.diversity_weights)?;
    if options.publish == Publish::TwoTables {
        problem = problem.told_apart();
    }
    let effort = options.effort.or(algorithm.effort);
    let budget = Budget {
        deadline,
        effort: effort.map(|effort| effort.units(table.tuples() as u64)),
        watch: engine.watch(),
        threads: Some(engine.threads()),
        shard: options.shard,
        memory: engine.memory(),
        ..Budget::default()
    };
    budget.tell(0, Some(table.rows()));
    algorithm.solve(&problem, &budget).map_err(|unsolved| match unsolved {
        Unsolved::Infeasible(reasons) => Error::Infeasible(most_classes::advise(table, &options.policy, reasons)),
        Unsolved::NotFound(reasons) => Error::NotFound(reasons),
        _ => Error::Engine(EngineError::Cancelled),
    })
}

/// What each class publishes: the join of its members, or the levels of a full-domain solution.
fn recode(table: &FrequencyTable, quasi: &[QuasiIdentifier], solution: &Solution) -> Recoding {
    match &solution.levels {
        Some(levels) => Recoding::full_domain(table, quasi, &solution.partition, levels),
        None => Recoding::tightened(table, quasi, &solution.partition),
    }
}
