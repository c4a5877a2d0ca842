//! What is known about a release that stands on the disk: its manifest, its bytes and its record.

use std::path::Path;

use incrowd_core::ClassSizes;
use incrowd_engine::{Engine, Question, Source};
use incrowd_report::dossier::InternalDossier;
use incrowd_verify::Manifest;

use super::ReportOptions;
use super::known::Known;
use super::recorded::recorded;
use super::utility::{QUERIES, held_against, utility};
use crate::ask::attack::{AttackOptions, attack_opened};
use crate::ask::compare::{CompareOptions, Compared, compare_opened};
use crate::ask::verify::{VerifyOptions, verify};
use crate::error::{Error, Result};
use crate::exposure::within_limits;
use crate::release::OpenedRelease;

/// Everything that is known about a release, verified and attacked anew. What only its maker could know is taken from
/// the dossier that was kept for it.
pub fn release_dossier(engine: &Engine, release: &Path, options: &ReportOptions<'_>) -> Result<InternalDossier> {
    dossier(engine, OpenedRelease::open_with(engine, release, None)?, options)
}

/// As [`release_dossier`], of a release that is open already.
pub(super) fn dossier(engine: &Engine, release: OpenedRelease, options: &ReportOptions<'_>) -> Result<InternalDossier> {
    let (folder, manifest) = (release.folder().to_owned(), release.manifest().clone());
    let (record, kept) = (release.record().cloned(), recorded(&release)?);
    let verdict = verify(&folder, &VerifyOptions { watch: engine.watch(), ..VerifyOptions::default() })?;
    if let Some(fault) = verdict.faults.first() {
        return Err(Error::ReleaseChanged { release: folder, fact: fault.message.clone() });
    }
    let compared = options.against.map(|source| compared(engine, source, &release)).transpose()?;
    let asked = AttackOptions { against: options.against, risk: options.risk, ..AttackOptions::default() };
    let attacked = attack_opened(engine, release, &asked)?;
    let known = &attacked.knowledge.known;
    let mut before = options.against.map(|source| sizes(engine, source, &manifest, known)).transpose()?.flatten();

    let why = record.as_ref().map(|record| record.why.as_slice()).unwrap_or_default();
    let mut told = utility(&manifest, why);
    let (mut plan_hash, mut fingerprint, mut subgroups, mut sets) = (None, None, Vec::new(), None);
    let mut findings = (Vec::new(), Vec::new());
    if let Some(kept) = kept {
        before = before.or(kept.classes_before);
        told = kept.utility.or(kept.public.utility).unwrap_or(told);
        (plan_hash, fingerprint) = (kept.public.identity.plan_hash, kept.input_fingerprint);
        findings = (kept.public.findings, kept.findings);
        (subgroups, sets) =
            (kept.subgroups, kept.column_sets.or(kept.public.column_sets).map(|sets| (sets, kept.dangerous_sets)));
    }
    if let Some(found) = compared.as_ref().and_then(|compared| compared.releases.first()) {
        held_against(&mut told, found);
    }
    let known = Known {
        title: folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        manifest: &manifest,
        verified: true,
        population_checked: verdict.not_checked.is_empty() || manifest.population.is_none(),
        policy: record.as_ref().map(|record| &record.policy),
        context: options.context.clone(),
        risk: options.risk,
        chosen: None,
        command: options.command.clone(),
        plan_hash,
        fingerprint,
        seed: record.as_ref().and_then(|record| record.randomness.seed),
        repeatability: record.as_ref().and_then(|record| record.randomness.repeatability),
        after: attacked.crowds,
        knowledge: attacked.knowledge,
        findings: Vec::new(),
        attacks: attacked.attacks.into_iter().map(|one| one.outcome).collect(),
        before,
        sets,
        withheld_for: record.as_ref().map(|record| record.withheld_for.clone()).unwrap_or_default(),
        subgroups,
        utility: told,
        not_measured: Vec::new(),
    };
    let mut dossier = known.into_dossier();
    (dossier.public.findings, dossier.findings) = findings;
    Ok(dossier)
}

/// Class sizes of the original on the columns that an attacker could know; nothing when they are too many.
fn sizes(engine: &Engine, source: &Source, manifest: &Manifest, known: &[String]) -> Result<Option<ClassSizes>> {
    let mut quasi_identifiers = manifest.published(incrowd_verify::Role::QuasiIdentifier);
    quasi_identifiers.extend_from_slice(known);
    let question = Question { quasi_identifiers, sizes_only: true, ..Question::default() };
    within_limits(source.count(engine, &question).map(|answer| answer.sizes))
}

fn compared(engine: &Engine, source: &Source, release: &OpenedRelease) -> Result<Compared> {
    let mut options = CompareOptions::default();
    options.workload.queries = QUERIES;
    compare_opened(engine, source, std::slice::from_ref(release), &options)
}
