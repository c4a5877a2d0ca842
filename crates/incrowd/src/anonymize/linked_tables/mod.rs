//! Several tables of the same people, released together.
//!
//! People have the same pseudonym in all tables, so an attacker who recognizes a person by rows of several tables knows all
//! of their rows. So people, not rows, are grouped, and once for all tables: at least k people have the same published
//! rows in every table (`incrowd_algorithms::solve_linked`). Each table is then written and verified as a release of its own,
//! in a folder of its own with its own manifest and record. A manifest over them lists their seals.
//!
//! ```text
//! prepare each ──▶ solve together ──▶ write each ──▶ verify each ──▶ verify together ──▶ publish together
//! ```
//!
//! All of them are staged in one hidden folder, which gets its name by one rename: the tables are published together, or
//! none is.

mod answer;
mod solve;

use std::path::{Path, PathBuf};
use std::time::Instant;

use incrowd_core::{KnownRows, Stage};
use incrowd_engine::{Engine, Source};
use incrowd_verify::{Fault, FaultKind, FileEntry, TableEntry, TablesManifest, Verified};

use super::prepare::{CountedTable, Prepared, RunDecisions, prepare};
use super::publish::{self, PublishFacts};
use super::randomness::Randomness;
use super::solve::Solved;
use super::time_limit::TimeLimit;
use super::verify::{self, VerifiedRelease};
use super::{AnonymizeOptions, Publish, manifest_text, write};
use crate::error::{Error, Result, TablesFault};
use crate::release::{Destination, MANIFEST, StagedRelease, record_of, refuse_source_in, remote, seal_of};
use crate::request::{Plan, is_elsewhere};
use crate::spellings;

pub use answer::{LinkedAnonymized, LinkedTableAnswer};

/// One of several tables with the same people.
#[derive(Debug)]
pub struct LinkedTable {
    /// Its name, which is that of its folder in the release.
    pub name: String,
    /// The rows.
    pub source: Source,
    /// What is promised and written. All tables have the same k and the same number of known rows.
    pub options: AnonymizeOptions,
}

impl LinkedTable {
    /// Opens the tables of a plan.
    pub fn open_all(engine: &Engine, plan: &Plan) -> Result<Vec<LinkedTable>> {
        let open = |(name, plan): (String, Plan)| {
            if is_elsewhere(&plan.source.path) {
                return Err(Error::TablesRefused(TablesFault::SourceElsewhere(name)));
            }
            let source = Source::open(engine, &plan.source.path, plan.read_options())?;
            let options = plan.options(source.format())?;
            Ok(LinkedTable { name, source, options })
        };
        plan.table_plans()?.into_iter().map(open).collect()
    }
}

/// Solves several tables together, and recodes, writes, verifies and publishes them: all of them or none.
///
/// The target is a folder. It gets a folder for each table, which is a release of its own.
pub fn anonymize_tables(engine: &Engine, tables: &[LinkedTable], target: &Path) -> Result<LinkedAnonymized> {
    let begun = Instant::now();
    let known = refuse(engine, tables, target)?;
    let time = tables.iter().filter_map(|table| table.options.time).min();
    let time_limit = TimeLimit { deadline: time.map(|time| begun + time), cancel: engine.watch().cancel };
    let mut decided = Vec::new();
    for table in tables {
        decided.push(RunDecisions::of(&table.source, &table.options)?);
    }
    let mut folded = Vec::new();
    for LinkedTable { source, options, .. } in tables {
        folded.push(spellings::folded(engine, source, &options.fold_spellings, &options.declared)?);
    }
    let staging = begin(tables, target)?;
    let shared = Randomness::fresh(tables.iter().find_map(|table| table.options.seed))?;
    let targets: Vec<PathBuf> = tables.iter().map(|table| target.join(&table.name)).collect();
    let (mut runs, mut counted): (Vec<Prepared<'_>>, Vec<CountedTable>) = Default::default();
    for (((table, folded), decided), target) in tables.iter().zip(&folded).zip(decided).zip(&targets) {
        let source = folded.as_ref().unwrap_or(&table.source);
        let drawn = (time_limit.clone(), (shared.of_table()?, None));
        let (run, count) = prepare(engine, source, &table.options, target, decided, drawn)?;
        runs.push(run);
        counted.push(count);
    }
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    let (solved, people) = solve::solve(&names, &runs, counted)?;
    let staged = stage(&names, &runs, solved, &staging)?;
    let manifest = manifest_of(&names, &runs, &staged, &shared)?;
    verify_together(engine, &staging, &manifest)?;
    let record = staging.record().to_path_buf();
    let sealed = TablesManifest { verified: Verified { by: manifest_text::verifier(), holds: true }, ..manifest };
    StagedRelease::write(&staging.public().join(MANIFEST), &sealed.to_sealed_json())?;
    engine.watch().cancel.commit(|| staging.publish())?;
    let tables = names.iter().zip(&runs).zip(staged).zip(&people.of_tables);
    let tables = tables.map(|(((name, run), (release, facts)), &people)| LinkedTableAnswer {
        name: (*name).into(),
        people,
        made: publish::answer(run, release, facts),
    });
    let k = runs.iter().map(|run| run.options.policy.k()).max().unwrap_or(1);
    Ok(LinkedAnonymized {
        release: target.display().to_string(),
        record,
        k,
        known_rows: known,
        people: people.all,
        verified: true,
        promises: vec![known.promise_in_all_tables(k)],
        tables: tables.collect(),
    })
}

/// Refuses what several tables cannot have; how many rows of each table an attacker may know.
fn refuse(engine: &Engine, tables: &[LinkedTable], target: &Path) -> Result<KnownRows> {
    let any = |is_so: fn(&AnonymizeOptions) -> bool| tables.iter().any(|table| is_so(&table.options));
    let fault = if remote(target).is_some() {
        Some(TablesFault::OutputElsewhere)
    } else if engine.is_on_cluster() {
        Some(TablesFault::Cluster)
    } else if any(|options| options.repeat.is_some()) {
        Some(TablesFault::Repeat)
    } else if any(|options| options.ledger.is_some()) {
        Some(TablesFault::Ledger)
    } else if any(|options| options.publish == Publish::TwoTables) {
        Some(TablesFault::TwoTables)
    } else if any(|options| options.population.is_some() || options.risk.is_given()) {
        Some(TablesFault::Population)
    } else {
        None
    };
    if let Some(fault) = fault {
        return Err(Error::TablesRefused(fault));
    }
    let policies = || tables.iter().map(|table| &table.options.policy);
    let first = policies().next().and_then(|policy| Some((policy.k(), policy.known_rows?)));
    match first {
        Some((k, known)) if policies().all(|policy| (policy.k(), policy.known_rows) == (k, Some(known))) => Ok(known),
        _ => Err(Error::Contradictory("all tables need the same k and the same number of known rows".into())),
    }
}

/// The hidden folder for all tables. A target that is taken, or holds one of the tables, is refused.
fn begin(tables: &[LinkedTable], target: &Path) -> Result<StagedRelease> {
    let record = record_of(target, None);
    for table in tables {
        refuse_source_in(&table.source, &[target, &record])?;
    }
    StagedRelease::begin(target, tables.iter().any(|table| table.options.force))
}

/// Writes and verifies each table, with its pages and its record. Values that one table hides are searched for in all of them.
fn stage(
    names: &[&str],
    runs: &[Prepared<'_>],
    solved: Vec<Solved>,
    staging: &StagedRelease,
) -> Result<Vec<(VerifiedRelease, PublishFacts)>> {
    let mut written = Vec::new();
    for ((name, run), solved) in names.iter().zip(runs).zip(solved) {
        let mut destination = Destination::of_table(staging, name)?;
        let rows = write::write(run, solved, &mut destination)?;
        written.push((verify::verify(run, rows, &destination)?, destination));
    }
    for (at, (_, destination)) in written.iter().enumerate() {
        let others = written.iter().enumerate().filter(|(other, _)| *other != at);
        let hidden: Vec<Vec<u8>> = others.flat_map(|(_, (other, _))| other.written.canaries.clone()).collect();
        search(&destination.public(), &written[at].0.written.manifest.files, &hidden)?;
    }
    let mut staged = Vec::new();
    for (run, (mut release, mut destination)) in runs.iter().zip(written) {
        let facts = publish::stage(run, &mut release, &mut destination)?;
        destination.publish(run.engine, &facts.sealed)?;
        staged.push((release, facts));
    }
    Ok(staged)
}

/// Refuses files in which values stand that another table hides.
fn search(folder: &Path, files: &[FileEntry], hidden: &[Vec<u8>]) -> Result<()> {
    let scan = incrowd_verify::canary::scan(folder, files, hidden)?;
    if scan.found > 0 { Err(Error::Leak { found: scan.found, values: scan.values }) } else { Ok(()) }
}

/// The manifest over the tables, which are not verified together yet.
fn manifest_of(
    names: &[&str],
    runs: &[Prepared<'_>],
    staged: &[(VerifiedRelease, PublishFacts)],
    shared: &Randomness,
) -> Result<TablesManifest> {
    let entry = |(name, (_, facts)): (&&str, &(VerifiedRelease, PublishFacts))| TableEntry {
        name: (*name).into(),
        seal: seal_of(&facts.sealed).unwrap_or_default(),
    };
    let first = runs.first().map(|run| &run.options.policy);
    let mut policy = first.map(manifest_text::policy).transpose()?.unwrap_or_default();
    // Rules about sensitive columns, and the share of suppressed rows, are promises of each table.
    policy.models.retain(|rule| rule.model == "k-anonymity");
    policy.suppression = 0.0;
    Ok(TablesManifest {
        incrowd_tables: incrowd_verify::FORM,
        version: env!("CARGO_PKG_VERSION").into(),
        release: shared.release_id(),
        created: manifest_text::now(),
        policy,
        tables: names.iter().zip(staged).map(entry).collect(),
        verified: Verified::default(),
        seal: String::new(),
    })
}

/// The verifier compares people by their rows in all written tables. What it does not accept, or cannot check, is not
/// published.
fn verify_together(engine: &Engine, staging: &StagedRelease, manifest: &TablesManifest) -> Result<()> {
    let (watch, cancelled) = (engine.watch(), engine.watch().cancel.flag());
    let progress = |done: u64, total: u64| watch.progress.update(Stage::Verify, done, Some(total));
    let (cancel, memory) = (Some(&*cancelled), engine.memory());
    let options =
        incrowd_verify::Options { against: None, population: None, cancel, progress: Some(&progress), memory };
    let verdict = incrowd_verify::verify_links(&staging.public(), manifest, &options)?;
    let open = verdict.not_checked.iter().map(|open| format!("{} was not checked", open.model));
    let unchecked = open.map(|message| Fault { kind: FaultKind::Promise, message });
    let faults: Vec<Fault> = verdict.faults.into_iter().chain(unchecked).collect();
    if faults.is_empty() { Ok(()) } else { Err(Error::Unverified(faults)) }
}
