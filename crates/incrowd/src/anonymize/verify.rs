//! The two verifications of a release: on the recoded tuples before a byte is written, and, as the fourth stage, on the
//! written bytes. Both are the verifier's own code.

use std::borrow::Cow;
use std::path::Path;

use incrowd_core::{FrequencyTable, Partition, Policy, Recoding, Stage, WholeCounts};
use incrowd_engine::{Applied, Engine};
use incrowd_verify::canary::CanaryScan;
use incrowd_verify::{Fault, FaultKind, Judge, Manifest, NotChecked, PopulationTable, SensitiveColumn, Verdict};

use super::manifest_text;
use super::prepare::Prepared;
use super::write::WrittenRelease;
use crate::error::{Error, Result};
use crate::release::{Destination, ExactCounts, small_counts};

/// The verifier's name of a promise about several rows of a person.
const KNOWN_ROWS: &str = "known-rows";

/// The first verification, before a byte is written: the verifier's own models on the recoded tuples. Without a
/// recoding classes are distinguished by a number; with one they are what publishes alike. The tuples of a shard are compared
/// with the whole table.
pub(super) fn judge(
    table: &FrequencyTable,
    policy: &Policy,
    (partition, recoding): (&Partition, Option<&Recoding>),
    whole: Option<&WholeCounts>,
) -> Result<incrowd_verify::Judgement> {
    let names = policy.sensitive();
    let at: Vec<usize> = names.iter().filter_map(|name| table.position(name)).collect();
    let sensitive = |(name, &column): (&String, &usize)| {
        let dictionary = &table.attributes()[column].dictionary;
        let label = |code: u32| dictionary.text(code).map(Cow::into_owned);
        SensitiveColumn { name: name.clone(), labels: (0..).take(dictionary.len()).map(label).collect() }
    };
    let mut judge = Judge::new(&manifest_text::policy(policy)?, names.iter().zip(&at).map(sensitive).collect());
    for name in &names {
        if let Some(rows) = whole.and_then(|whole| whole.column(name)) {
            judge.compare_with(name, rows);
        }
    }
    let alike = recoding.map(Recoding::alike);
    let shown = |class: u32| alike.as_ref().map_or(class, |alike| alike[class as usize]);
    let mut codes = vec![0; at.len()];
    for (class, members) in (0..).zip(partition.classes()) {
        for &(tuple, rows) in members {
            codes.iter_mut().zip(&at).for_each(|(code, &column)| *code = table.code(tuple, column));
            judge.add(shown(class), &codes, table.grouping().person(tuple), rows);
        }
    }
    let judged = judge.finish();
    if judged.holds { Ok(judged) } else { Err(Error::Unverified(judged.faults)) }
}

/// A release whose written bytes the verifier accepted.
pub(super) struct VerifiedRelease {
    pub(super) written: WrittenRelease,
    /// The figures that the manifest tells coarsely.
    pub(super) exact: ExactCounts,
    /// How many of the removed values that were searched for stand in published columns.
    pub(super) found_in_cells: u64,
    /// The id of the release that this one repeats.
    pub(super) repeats: Option<String>,
}

/// Verifies the written bytes, and makes the manifest one that may be published. A repeated release has to have the
/// recorded bytes.
pub(super) fn verify(
    run: &Prepared<'_>,
    mut written: WrittenRelease,
    destination: &Destination,
) -> Result<VerifiedRelease> {
    let manifest = &mut written.manifest;
    let population = run.population.as_ref().map(|population| population.table.clone());
    let found_in_cells =
        verify_bytes(run.engine, (&destination.public(), &written.applied), manifest, population, &written.canaries)?;
    let repeats = run.repeat.as_ref().map(|repeat| repeat.check(&manifest.files)).transpose()?;
    let exact = manifest_text::exact(manifest, &written.applied, &written.summary.measures);
    small_counts::publish_coarsely(manifest);
    Ok(VerifiedRelease { written, exact, found_in_cells, repeats })
}

/// Reads the written bytes with the verifier, and searches for removed values in them: how many of them stand in
/// published columns.
fn verify_bytes(
    engine: &Engine,
    (folder, applied): (&Path, &Applied),
    manifest: &mut Manifest,
    population: Option<PopulationTable>,
    canaries: &[Vec<u8>],
) -> Result<u64> {
    let (watch, cancelled) = (engine.watch(), engine.watch().cancel.flag());
    let progress = |done: u64, total: u64| watch.progress.update(Stage::Verify, done, Some(total));
    let (cancel, memory) = (Some(&*cancelled), engine.memory());
    let (verdict, scan): (Verdict, Option<CanaryScan>) = match by_tasks(engine, (folder, applied), manifest, canaries)?
    {
        Some((verdict, scan)) => (verdict, Some(scan)),
        None => {
            let progress = Some(&progress as &(dyn Fn(u64, u64) + Sync));
            let options = incrowd_verify::Options { against: None, population, cancel, progress, memory };
            (incrowd_verify::verify_staged(folder, manifest, &options)?, None)
        }
    };
    if !verdict.verified {
        return Err(Error::Unverified(verdict.faults));
    }
    // Promises about people were judged before; one about a population or about several rows of a person that nobody
    // checked is never published.
    let is_open = |open: &&NotChecked| manifest.population.is_some() || open.model == KNOWN_ROWS;
    let open = verdict.not_checked.iter().filter(is_open);
    let faults: Vec<Fault> = open
        .map(|open| Fault { kind: FaultKind::Promise, message: format!("{} was not checked", open.model) })
        .collect();
    if !faults.is_empty() {
        return Err(Error::Unverified(faults));
    }
    let scan = match scan {
        Some(scan) => scan,
        None => incrowd_verify::canary::scan(folder, &manifest.files, canaries)?,
    };
    if scan.found > 0 {
        return Err(Error::Leak { found: scan.found, values: scan.values });
    }
    manifest.canaries = scan.into();
    manifest.verified = incrowd_verify::Verified { by: manifest_text::verifier(), holds: true };
    Ok(scan.found_in_cells)
}

/// The verdict of executors that read a file each, where they can.
#[cfg(feature = "cluster")]
fn by_tasks(
    engine: &Engine,
    (folder, applied): (&Path, &Applied),
    manifest: &Manifest,
    canaries: &[Vec<u8>],
) -> Result<Option<(Verdict, CanaryScan)>> {
    super::verify_tasks::verify(engine, folder, manifest, canaries, applied.in_store.as_ref())
}

#[cfg(not(feature = "cluster"))]
fn by_tasks(_: &Engine, _: (&Path, &Applied), _: &Manifest, _: &[Vec<u8>]) -> Result<Option<(Verdict, CanaryScan)>> {
    Ok(None)
}
