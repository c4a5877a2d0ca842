//! A table whose tuples outgrow memory: solved shard by shard, with codes on disk.
//!
//! The way is the usual one, with two differences. The tuples are cut into shards that fit, along the hierarchies and so
//! that each keeps the policy by itself (`incrowd_algorithms::shard_tree`), and these are solved, recoded and judged one
//! after the other. And a row finds its class by its number, not by its tuple (`incrowd_engine::Shards`). The classes of
//! all shards keep the policy; where two of different shards publish alike they are one to a reader, so the policy must
//! survive merging. What is found out about all tuples at once (a bound on the loss, the rule that forced a column up) is
//! not found out.

mod shards;

use std::path::Path;
use std::time::Instant;

use incrowd_algorithms::{AlgorithmEntry, Statistics};
use incrowd_core::{ClassSizes, LossEntry, Measures, Role};
use incrowd_engine::{AtOnce, Engine, EngineError, Outgrown, Question, RowCodes, RowRecipe, Source};
use incrowd_report::dossier::Repeatability;
use incrowd_verify::Manifest;

use super::columns::Columns;
use super::kept_columns::KeptColumns;
use super::randomness::Randomness;
use super::repeat::{self, Repeat};
use super::{
    AnonymizeOptions, Anonymized, LossReport, Publish, StoppedByClock, canaries, dossier, labels, proof,
    published_rows, quasi_identifiers, tell,
};
use crate::error::{Error, Result};
use crate::release::{Destination, Record, name_of, small_counts};
use crate::report;
use shards::Solved;

/// The share of the memory, in percent, that tuples and all that solvers make of them may take.
const SHARE: u64 = 65;
/// What solving takes for each tuple, besides its key, its count and its leaves (4 bytes a quasi-identifier): members of
/// classes before and after a cut, the partition, the recoding.
const BESIDE: u64 = 144;
/// At most so many rows are drawn to find the shards.
const DRAWN: u64 = 1 << 19;
/// What `auto` takes: its n log n solver that loses least.
const FOR_AUTO: &str = "mondrian";
/// Solvers whose classes are those of one level for each column of the whole table.
const FULL_DOMAIN: [&str; 2] = ["incognito", "progressive"];

/// How many tuples can be worked on at once.
pub(super) fn at_once(engine: &Engine, options: &AnonymizeOptions) -> AtOnce {
    let beside = BESIDE + 4 * options.declared.quasi_identifiers.len() as u64;
    AtOnce { memory: engine.memory().map(|memory| memory / 100 * SHARE), beside, most: options.at_once }
}

/// What is asked, and what was found out on the way so far.
pub(super) struct Asked<'a> {
    pub(super) engine: &'a Engine,
    pub(super) source: &'a Source,
    pub(super) options: &'a AnonymizeOptions,
    pub(super) columns: &'a Columns,
    pub(super) kept: &'a KeptColumns<'a>,
    pub(super) question: &'a Question,
    pub(super) loss: &'static LossEntry,
    pub(super) randomness: &'a Randomness,
    /// The release that is repeated.
    pub(super) repeat: Option<&'a Repeat>,
    /// When the time limit is over.
    pub(super) deadline: Option<Instant>,
}

/// Solves, recodes, writes, verifies and publishes what the first scan found too large to be worked on at once.
pub(super) fn anonymize(
    asked: &Asked<'_>,
    mut outgrown: Outgrown,
    spilled: u64,
    mut destination: Destination,
    target: &Path,
) -> Result<Anonymized> {
    let Asked { engine, source, options, columns, kept, question, loss, randomness, .. } = *asked;
    let algorithm = options.entry()?;
    let word = if algorithm.id == "auto" { FOR_AUTO } else { algorithm.id };
    let algorithm = AlgorithmEntry::find(word).unwrap_or(algorithm);
    let most = question.at_once.tuples(outgrown.words());
    // Cutting what was drawn takes as much for each row as solving does.
    let drawn = AtOnce { most: None, ..question.at_once }.tuples(outgrown.words()) / 2;
    let codes = source.lay_out(engine, &outgrown, DRAWN.min(drawn).max(1), randomness.solver_seed())?;
    asked.refuse(&codes, &outgrown)?;

    let columns_alone = outgrown.take_columns();
    let names = &question.quasi_identifiers;
    let (quasi, hierarchies) = quasi_identifiers::build(&columns_alone, names, options, engine.memory())?;
    outgrown.give_columns(columns_alone);
    let started = Instant::now();
    let solved = asked.solve(&mut outgrown, &codes, &quasi, algorithm, most)?;
    // Their files are not needed any more, and the shuffle wants the room.
    drop(codes);
    let solve_seconds = started.elapsed().as_secs_f64();
    let Solved { by_row, measures, smallest, tuples, statistics, cut_short, booking } = solved;
    let repeatability = repeat::repeatability(engine, cut_short);
    let k = options.policy.k();
    let measures: Measures = measures
        .finish(by_row.sizes().iter().copied(), by_row.withheld(), k)
        .ok_or(Error::Engine(EngineError::Empty(source.name().into())))?;

    let published = columns.published();
    let recipe = RowRecipe {
        attributes: outgrown.attributes(),
        quasi_identifiers: &quasi,
        columns: &published,
        format: destination.format(options.format),
        escape_formulas: options.escape_formulas,
        key: randomness.shuffle_key(),
    };
    let applied = source.apply_by_row(engine, &by_row, &recipe, &destination.written_to())?;
    let applied = destination.place(engine, applied)?;
    let exposure = kept.measure(engine, &published_rows(engine, &destination, &applied, &published)?, None)?;
    let told = small_counts::loss(&measures, &options.policy, applied.rows, applied.withheld);
    let changed = |name: &str| told.columns.iter().any(|column| column.name == name && column.unchanged < 1.0);
    let people = options.declared.subject.is_some();
    let mut manifest = Manifest {
        release: randomness.release_id(),
        created: tell::now(),
        algorithm: algorithm.id.into(),
        loss_minimized: loss.id.into(),
        policy: tell::policy(&options.policy),
        counts: if people { incrowd_verify::Counts::People } else { incrowd_verify::Counts::Rows },
        source_rows: by_row.rows().into(),
        rows: applied.rows,
        suppressed_rows: applied.withheld.into(),
        classes: by_row.sizes().len() as u64,
        smallest_class: by_row.sizes().iter().copied().min().unwrap_or(0),
        columns: columns.entries(Publish::OneTable, changed),
        files: applied.files.iter().map(tell::file).collect(),
        loss: serde_json::to_value(&told).unwrap_or_default(),
        ..tell::empty_manifest()
    };
    let cells = |at: usize| by_row.cells_of(at).to_vec();
    labels::declare(&mut manifest.columns, outgrown.attributes(), &quasi, cells);
    let canaries = canaries::choose(engine, source, columns, outgrown.attributes(), &quasi, cells)?;
    let (rows, written) = (by_row.rows(), by_row.spilled_bytes());
    let crowds = ClassSizes::from_sizes(by_row.sizes().iter().copied());
    // The verifier needs the room.
    drop(by_row);
    drop(quasi);
    let found_in_cells = proof::verify(engine, &destination.public(), &mut manifest, &canaries)?;
    let repeats = asked.repeat.map(|repeat| repeat.check(&manifest.files)).transpose()?;
    let counts = tell::exact(&manifest, &applied, &measures);
    small_counts::publish_coarsely(&mut manifest);
    let mut pages = None;
    if options.report {
        let found = dossier::of_shards(options, &manifest, crowds, &exposure, repeatability, name_of(target));
        pages = Some(report::publish(found, &mut destination, &mut manifest)?);
    }
    let sealed = manifest.to_sealed_json();

    let kept = Record { counts: Some(counts.clone()), ..asked.record(&manifest, &statistics, repeatability) };
    kept.write(&destination.internal(), &question.quasi_identifiers, &hierarchies)?;
    if let Some(pages) = &mut pages {
        report::keep_sealed(pages, &sealed, &destination)?;
    }
    let record = destination.record();
    let pages = pages.map(|_| report::written_with(target, &record, &manifest));
    // Entered and published, or neither: nothing is published after the work was asked to stop.
    let released_before = engine.watch().cancel.commit(|| -> Result<_> {
        let before = booking.map(|booking| booking.enter(engine, &manifest)).transpose()?.unwrap_or_default();
        destination.publish(engine, &sealed)?;
        Ok(before)
    })?;
    let mut notes = tell::notes(columns, options, &applied, found_in_cells, &released_before);
    notes.extend(crate::spellings::notes(source, outgrown.attributes()));
    notes.extend(tell::stopped(cut_short.then_some(StoppedByClock::Solver).as_slice()));
    notes.push(tell::in_shards(statistics.shards.unwrap_or(0), options.algorithm == "auto"));
    Ok(Anonymized {
        source: source.name().into(),
        release: target.display().to_string(),
        record,
        rows,
        tuples,
        k,
        publish: Publish::OneTable,
        algorithm: algorithm.id,
        loss_minimized: loss.id,
        classes: manifest.classes,
        most_classes: None,
        smallest_class: if people { smallest } else { manifest.smallest_class },
        suppressed_rows: applied.withheld,
        withheld_for: Vec::new(),
        optimal: None,
        loss: LossReport::new(measures, None),
        levels: None,
        cut_short,
        repeatability,
        repeats,
        statistics,
        solve_seconds,
        verified: true,
        canaries: counts.canaries,
        promises: tell::promises(options)?,
        counts: manifest.counts,
        attacks: Vec::new(),
        findings: exposure.findings,
        notes,
        released_before,
        why: Vec::new(),
        report: pages,
        spilled_bytes: spilled + written + applied.spilled_bytes,
    })
}

impl Asked<'_> {
    /// Refuses what needs all tuples at once.
    fn refuse(&self, codes: &RowCodes, outgrown: &Outgrown) -> Result<()> {
        let models = || self.options.policy.models.iter().filter_map(|rule| rule.model().ok());
        // Whether a person has several values, and how many people have a value, is known only of all shards together.
        let of_people = || self.options.policy.models.iter().find(|rule| !rule.sensitive.is_empty());
        let of_people = self.options.declared.subject.as_ref().and_then(|_| of_people());
        let what = if self.options.publish == Publish::TwoTables {
            "a release in two tables".to_string()
        } else if FULL_DOMAIN.contains(&self.options.algorithm.as_str()) {
            format!("--algorithm {}", self.options.algorithm)
        } else if let Some(model) = models().find(|model| model.compares() || !model.survives_merging()) {
            format!("the model {}", model.id())
        } else if let Some(rule) = of_people {
            format!("the model {} with a subject column", rule.model)
        } else {
            return Ok(());
        };
        let AtOnce { beside, .. } = self.question.at_once;
        let needed = codes.tuples() * (8 * (outgrown.words() as u64 + 1) + beside) / SHARE * 100;
        let limit = self.engine.memory().unwrap_or(u64::MAX);
        Err(Error::NeedsWhole { what, tuples: codes.tuples(), needed, limit })
    }

    fn record(&self, manifest: &Manifest, statistics: &Statistics, repeatability: Repeatability) -> Record {
        let Asked { source, options, columns, question, randomness, .. } = *self;
        Record {
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
            statistics: statistics.clone(),
            why: Vec::new(),
            counts: None,
            withheld_for: Vec::new(),
            attacks: Vec::new(),
            folder: std::path::PathBuf::new(),
            listed: Vec::new(),
        }
    }
}
