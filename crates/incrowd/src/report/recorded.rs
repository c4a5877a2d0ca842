//! The dossier that was kept when a release was made: a page of it costs no second look at the rows.
//!
//! It stands beside the release, in the custodian's folder, and belongs to it when it bears the release's id and the seal
//! of its manifest. The manifest names the SHA-256 of every file, so while those hold, what was found about the bytes then
//! is true of the bytes now.

use std::path::Path;

use incrowd_core::dossier::InternalDossier;
use incrowd_engine::Engine;
use incrowd_verify::{Manifest, files_are_whole};

use super::{DOSSIER, ReportOptions};
use crate::error::{Error, Result};
use crate::release::internal_of;
use crate::texts::{MOST_RECORD_BYTES, text_of};

/// What a page says that did not read the rows again.
const AT_THE_TIME: &str = "The verdict is from the time of the release. When this page was made, every file still had the \
                           SHA-256 that the manifest names, so it is about the same bytes; `incrowd verify` reads them \
                           again.";

/// The dossier that was kept for this release; nothing when there is none, or one for another release of the same name.
pub(super) fn recorded(release: &Path, manifest: &Manifest) -> Result<Option<InternalDossier>> {
    let path = internal_of(release).join(DOSSIER);
    let text = match text_of(&path, MOST_RECORD_BYTES) {
        Err(Error::File { kind: std::io::ErrorKind::NotFound, .. }) => return Ok(None),
        read => read?,
    };
    let dossier: InternalDossier = serde_json::from_str(&text).map_err(|_| Error::DamagedRecord(path))?;
    let of_release = dossier.public.identity.release.as_ref() == Some(&manifest.release);
    let of_seal = dossier.manifest_seal.as_ref() == Some(&manifest.seal);
    Ok(Some(dossier).filter(|_| of_release && of_seal))
}

/// The kept dossier, when it answers what is asked and the files are still those it is about.
pub(super) fn still_true(
    engine: &Engine,
    release: &Path,
    options: &ReportOptions<'_>,
) -> Result<Option<InternalDossier>> {
    if options.verify || options.against.is_some() {
        return Ok(None);
    }
    let manifest = Manifest::read(release).map_err(|_| Error::NotARelease(release.into()))?;
    let Some(mut dossier) = recorded(release, &manifest)? else { return Ok(None) };
    let accepted = dossier.risk.as_ref().map(|risk| risk.threshold.value);
    if options.risk.is_some() && options.risk != accepted {
        return Ok(None);
    }
    if !files_are_whole(release, &manifest, Some(&engine.watch().cancel.flag()))?.is_empty() {
        return Ok(None);
    }
    if options.context != Default::default() {
        dossier.public.context = options.context.clone();
    }
    if let Some(verification) = &mut dossier.public.verification {
        verification.sentence = format!("{} {AT_THE_TIME}", verification.sentence);
    }
    Ok(Some(dossier))
}
