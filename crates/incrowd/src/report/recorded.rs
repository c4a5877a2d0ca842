//! The dossier that was kept when a release was made: a page of it costs no second look at the rows.
//!
//! It stands beside the release, in the custodian's folder, and belongs to it when it bears the release's id and the seal
//! of its manifest. The manifest names the SHA-256 of every file, so while those hold, what was found about the bytes then
//! is true of the bytes now.

use std::path::Path;

use incrowd_report::dossier::InternalDossier;

use super::{DOSSIER, ReportOptions};
use crate::error::{Error, Result};
use crate::release::OpenedRelease;
use crate::texts::{MOST_RECORD_BYTES, text_of};

/// What a page says that did not read the rows again.
const AT_THE_TIME: &str = "The verdict is from the time of the release. When this page was made, every file still had \
                           the SHA-256 that the manifest names, so the verdict is about the same bytes; `incrowd \
                           verify` reads them again.";

/// The dossier that was kept for this release; nothing when there is none.
pub(super) fn recorded(release: &OpenedRelease) -> Result<Option<InternalDossier>> {
    let path = release.record().and_then(|record| record.file(Path::new(DOSSIER)));
    let Some(path) = path else { return Ok(None) };
    let text = text_of(&path, MOST_RECORD_BYTES)?;
    let dossier: InternalDossier = serde_json::from_str(&text).map_err(|_| Error::DamagedRecord(path))?;
    let manifest = release.manifest();
    let of_release = dossier.public.identity.release.as_ref() == Some(&manifest.release);
    let of_seal = dossier.manifest_seal.as_ref() == Some(&manifest.seal);
    Ok(Some(dossier).filter(|_| of_release && of_seal))
}

/// The kept dossier, when it answers what is asked. The files are those it is about: the release is open.
pub(super) fn still_true(release: &OpenedRelease, options: &ReportOptions<'_>) -> Result<Option<InternalDossier>> {
    if options.verify || options.against.is_some() {
        return Ok(None);
    }
    let Some(mut dossier) = recorded(release)? else { return Ok(None) };
    let accepted = dossier.risk.as_ref().map(|risk| risk.threshold.value);
    if options.risk.is_some() && options.risk != accepted {
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
