//! The last stage: the pages and the custodian's record are written, and the release gets its name.

use std::path::PathBuf;

use incrowd_core::Role;
use incrowd_report::dossier::{InternalDossier, Repeatability};

use super::prepare::Prepared;
use super::time_limit::StoppedByClock;
use super::verify::VerifiedRelease;
use super::write::WrittenClasses;
use super::{Anonymized, LossReport, Publish, dossier, notes, repeat};
use crate::error::Result;
use crate::release::{Destination, Record, RecordedReading, ReleasedBefore};
use crate::report::{self, Reported};

/// Publishes a verified release with its report and its record, all or nothing.
pub(super) fn publish(
    run: &Prepared<'_>,
    mut release: VerifiedRelease,
    mut destination: Destination,
) -> Result<Anonymized> {
    let engine = run.engine;
    let mut facts = stage(run, &mut release, &mut destination)?;
    let ledger_entry = release.written.summary.ledger_entry.take();
    let manifest = &release.written.manifest;
    // Entered and published, or neither: nothing is published after the work was asked to stop.
    facts.released_before = engine.watch().cancel.commit(|| -> Result<_> {
        let before = ledger_entry.map(|entry| entry.enter(engine, manifest)).transpose()?.unwrap_or_default();
        destination.publish(engine, &facts.sealed)?;
        Ok(before)
    })?;
    Ok(answer(run, release, facts))
}

/// Writes the pages and the record of a verified release next to its rows, and seals its manifest.
pub(super) fn stage(
    run: &Prepared<'_>,
    release: &mut VerifiedRelease,
    destination: &mut Destination,
) -> Result<PublishFacts> {
    let repeatability = repeat::repeatability(run, &release.written.applied, release.written.summary.cut_short);
    let mut dossier = None;
    if run.options.report {
        let found = dossier_of(run, release, repeatability, destination)?;
        dossier = Some(report::publish(found, destination, &mut release.written.manifest)?);
    }
    let manifest = &release.written.manifest;
    let sealed = manifest.to_sealed_json();
    let record = record_of(run, release, repeatability);
    record.write(&destination.internal(), &run.question.quasi_identifiers, &release.written.hierarchies)?;
    if let Some(dossier) = &mut dossier {
        report::keep_sealed(dossier, &sealed, destination)?;
    }
    let kept_in = destination.record();
    // Before the release gets its name: whatever can fail does so while nothing is published.
    let promises = notes::promises(run.options)?;
    let pages = dossier.map(|_| report::written_with(run.target, &kept_in, manifest));
    Ok(PublishFacts { sealed, record: kept_in, repeatability, released_before: Vec::new(), pages, promises })
}

/// What is known about the release, for its pages.
fn dossier_of(
    run: &Prepared<'_>,
    release: &mut VerifiedRelease,
    repeatability: Repeatability,
    destination: &Destination,
) -> Result<InternalDossier> {
    let WrittenClasses::InMemory(classes) = &release.written.classes else {
        return Ok(dossier::of_shards(run, &release.written, repeatability));
    };
    let found = dossier::of(run, classes, &release.written, repeatability, &destination.public())?;
    let curve = run.options.publish == Publish::OneTable && run.time_limit.is_over();
    release.written.summary.stopped.extend(curve.then_some(StoppedByClock::Curve));
    Ok(found)
}

/// What the custodian keeps of the release.
fn record_of(run: &Prepared<'_>, release: &VerifiedRelease, repeatability: Repeatability) -> Record {
    let (options, summary) = (run.options, &release.written.summary);
    Record {
        release: release.written.manifest.release.clone(),
        source: run.source.name().into(),
        population: run.population.as_ref().map(|population| population.reading.clone()),
        policy: options.policy.clone(),
        randomness: run.randomness.record(repeatability),
        files: repeat::recorded(&release.written.manifest.files),
        quasi_identifiers: run.question.quasi_identifiers.clone(),
        sensitive: run.columns.of(Role::Sensitive),
        identifiers: run.columns.of(Role::Identifier),
        keyed: run.columns.keyed(),
        group_bounds: release.written.group_bounds(),
        item_labels: release.written.item_labels(),
        keep_identifying: options.keep_identifying.clone(),
        subject: options.declared.subject.clone(),
        reading: RecordedReading::of(run.source, &options.reading),
        statistics: summary.statistics.clone(),
        why: summary.why.clone(),
        counts: Some(release.exact.clone()),
        withheld_for: summary.withheld_for.clone(),
        attacks: summary.attacks.clone(),
        folder: PathBuf::new(),
        listed: Vec::new(),
    }
}

/// Where and how the release is published.
pub(super) struct PublishFacts {
    /// The text of the sealed manifest.
    pub(super) sealed: String,
    /// Where the custodian's record is.
    record: PathBuf,
    repeatability: Repeatability,
    released_before: Vec<ReleasedBefore>,
    pages: Option<Reported>,
    promises: Vec<String>,
}

/// What is said of a published release.
pub(super) fn answer(run: &Prepared<'_>, release: VerifiedRelease, published: PublishFacts) -> Anonymized {
    let notes = notes::notes(run, &release, &published.released_before);
    let VerifiedRelease { written, exact, repeats, .. } = release;
    let (manifest, summary) = (written.manifest, written.summary);
    Anonymized {
        source: run.source.name().into(),
        release: run.target.display().to_string(),
        record: published.record,
        rows: summary.rows,
        tuples: summary.tuples,
        k: run.options.policy.k(),
        publish: run.options.publish,
        algorithm: summary.algorithm.id,
        loss_minimized: run.loss.id,
        classes: summary.classes,
        most_classes: summary.most_classes,
        smallest_class: summary.smallest_class,
        suppressed_rows: written.applied.withheld,
        withheld_for: summary.withheld_for,
        optimal: summary.bound.map(|bound| bound.is_met),
        loss: LossReport::new(summary.measures, summary.bound.as_ref()),
        levels: summary.levels,
        cut_short: summary.cut_short,
        repeatability: published.repeatability,
        repeats,
        statistics: summary.statistics,
        solve_seconds: summary.solve_seconds,
        verified: true,
        canaries: exact.canaries,
        promises: published.promises,
        counts: manifest.counts,
        known_rows: run.options.policy.known_rows,
        attacks: summary.attacks,
        released_before: published.released_before,
        findings: written.exposure.findings,
        notes,
        why: summary.why,
        report: published.pages,
        spilled_bytes: summary.spilled_bytes,
    }
}
