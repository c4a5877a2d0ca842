//! `report`: everything that is known about a release or a table, as the page that a person signs.
//!
//! What is written anew is little: the manifest, the custodian's record, the verifier, the attacks and the comparison
//! with the original each say their part, and the dossier keeps what may be published apart from what may not.
//!
//! A dossier is filled from a `Known`. While a release is made, `anonymize/dossier` takes one from what is in memory,
//! so that no row is read again; later `released.rs` makes one from the written files. `recorded.rs` takes the dossier
//! that was kept with the release, while the seal of the manifest and the checksums of the files hold. The public page
//! is written before the manifest, because the manifest names it; the dossier is written after the manifest, because it
//! holds its seal.

mod checked;
mod known;
mod parts;
mod privacy_tests;
mod recorded;
mod released;
mod utility;

use std::path::{Path, PathBuf};

use incrowd_engine::{Engine, Source};
use incrowd_report::dossier::{Context, InternalDossier};
use incrowd_verify::{Manifest, ReportEntry};

pub use checked::check_dossier;
pub use incrowd_report::dossier;
pub(crate) use known::Known;
pub(crate) use parts::known_presence;
pub use released::release_dossier;
pub(crate) use utility::{QUERIES, queries, utility};

use crate::error::{Error, Result};
pub use crate::release::LEAST_TOLD;
use crate::release::{Destination, OpenedRelease, StagedRelease, seal_of};
use crate::texts::json_of;

/// The page about a release that stands among its files.
const REPORT: &str = "report.html";
/// The same page in a folder of pages.
const PUBLIC: &str = "public.html";
/// The custodian's page.
const INTERNAL: &str = "internal.html";
/// The dossier behind both.
const DOSSIER: &str = "dossier.json";

/// What a report is made with.
#[derive(Default)]
pub struct ReportOptions<'a> {
    /// The table that the release was made from: risk before, attacks that use it, query error.
    pub against: Option<&'a Source>,
    /// Read, verify and attack the written bytes again, although a dossier was kept when they were written.
    pub verify: bool,
    /// The largest risk of re-identification that is accepted; 0.09 when left out.
    pub risk: Option<f64>,
    /// What the release is published for.
    pub context: Context,
    /// The command that made the release, for the section on reproduction.
    pub command: Option<String>,
    /// Write over pages that are there already.
    pub force: bool,
}

/// Where the pages of a release were written.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Reported {
    /// The page that may be published.
    pub public: PathBuf,
    /// The page for the custodian.
    pub internal: PathBuf,
    /// The dossier behind both, as JSON. Internal.
    pub dossier: PathBuf,
}

/// Writes the report of a release into a folder: `public.html`, `internal.html` and `dossier.json`.
///
/// The release is checked first: one that was changed, or does not keep its promises, has no report. The dossier that was
/// kept when the release was made is taken when it is there and answers what is asked. Otherwise the release is read,
/// verified and attacked again.
pub fn report(engine: &Engine, release: &Path, options: &ReportOptions<'_>, folder: &Path) -> Result<Reported> {
    crate::parameters::share("risk", options.risk, false)?;
    refuse_existing(folder, options.force)?;
    let opened = OpenedRelease::open_with(engine, release, None)?;
    let dossier = match recorded::still_true(&opened, options)? {
        Some(dossier) => dossier,
        None => released::dossier(engine, opened, options)?,
    };
    engine.watch().cancel.commit(|| write(&dossier, folder, options.force))
}

/// Refuses to write pages over files that are in the folder, unless that is asked for.
pub fn refuse_existing(folder: &Path, force: bool) -> Result<()> {
    let taken = |name: &&str| folder.join(name).symlink_metadata().is_ok();
    match [PUBLIC, INTERNAL, DOSSIER].into_iter().find(taken).filter(|_| !force) {
        Some(name) => Err(Error::FileExists(folder.join(name))),
        None => Ok(()),
    }
}

/// Writes both pages of a dossier and the dossier itself; over files that are there already only when that is asked
/// for.
pub fn write(dossier: &InternalDossier, folder: &Path, force: bool) -> Result<Reported> {
    refuse_existing(folder, force)?;
    std::fs::create_dir_all(folder).map_err(|error| Error::file(folder, &error))?;
    let path = |name: &str| folder.join(name);
    let reported = Reported { public: path(PUBLIC), internal: path(INTERNAL), dossier: path(DOSSIER) };
    StagedRelease::write(&reported.public, &incrowd_report::public(&dossier.public))?;
    keep(dossier, folder)?;
    Ok(reported)
}

/// Writes the public page among the files of a release that is being made, and enters it into the manifest. Tables of a
/// database have no place for a page: theirs stands with the record, and the manifest does not name it.
pub(crate) fn publish(
    dossier: InternalDossier,
    destination: &mut Destination,
    manifest: &mut Manifest,
) -> Result<InternalDossier> {
    let page = incrowd_report::public(&dossier.public);
    if destination.add_page(REPORT, &page)? {
        manifest.report = Some(ReportEntry::of(REPORT, &page));
    }
    Ok(dossier)
}

/// Keeps the dossier of a release that is being made, bound to its sealed manifest.
pub(crate) fn keep_sealed(dossier: &mut InternalDossier, sealed: &str, destination: &Destination) -> Result<()> {
    dossier.manifest_seal = seal_of(sealed);
    keep(dossier, &destination.internal())
}

/// Writes what only the custodian may see: their page and the dossier.
fn keep(dossier: &InternalDossier, folder: &Path) -> Result<()> {
    StagedRelease::write_private(&folder.join(INTERNAL), &incrowd_report::internal(dossier))?;
    let path = folder.join(DOSSIER);
    StagedRelease::write_private(&path, &json_of(dossier, &path)?)
}

/// Where the pages of a release are when they were written with it and its record.
pub(crate) fn written_with(release: &Path, record: &Path, manifest: &Manifest) -> Reported {
    let public = if manifest.report.is_some() { release } else { record };
    Reported { public: public.join(REPORT), internal: record.join(INTERNAL), dossier: record.join(DOSSIER) }
}
