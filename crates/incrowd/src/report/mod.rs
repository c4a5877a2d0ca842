//! `report`: everything that is known about a release or a table, as the page that somebody signs.
//!
//! What is written anew is little: the manifest, the custodian's record, the verifier, the attacks and the comparison
//! with the original each say their part, and the dossier keeps what may be published apart from what may not.

mod checked;
mod released;
mod utility;

use std::path::{Path, PathBuf};

use incrowd_core::dossier::{Context, InternalDossier};
use incrowd_engine::{Engine, Source};

pub use checked::check_dossier;
pub use released::release_dossier;

use crate::error::{Error, Result};
use crate::release::Staging;

/// Counts of fewer people are not told in public.
pub const LEAST_TOLD: u64 = 10;

/// What a report is made with.
#[derive(Default)]
pub struct ReportOptions<'a> {
    /// The table that the release was made from: risk before, attacks by who has it, query error.
    pub against: Option<&'a Source>,
    /// The largest risk of re-identification that is accepted; 0.09 when left out.
    pub risk: Option<f64>,
    /// What the release is published for.
    pub context: Context,
    /// The command that made the release, for the section on reproduction.
    pub command: Option<String>,
}

/// Where the pages of a release were written.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Reported {
    /// The page that may be published.
    pub public: PathBuf,
    /// The page for the custodian.
    pub internal: PathBuf,
    /// The dossier behind both, as JSON. Internal.
    pub dossier: PathBuf,
}

/// Writes the report of a release into a folder: `public.html`, `internal.html` and `dossier.json`.
pub fn report(engine: &Engine, release: &Path, options: &ReportOptions<'_>, folder: &Path) -> Result<Reported> {
    write(&release_dossier(engine, release, options)?, folder)
}

/// Writes both pages of a dossier and the dossier itself.
pub fn write(dossier: &InternalDossier, folder: &Path) -> Result<Reported> {
    std::fs::create_dir_all(folder).map_err(|error| Error::file(folder, &error))?;
    let path = |name: &str| folder.join(name);
    let reported =
        Reported { public: path("public.html"), internal: path("internal.html"), dossier: path("dossier.json") };
    Staging::write(&reported.public, &incrowd_report::public(&dossier.public))?;
    Staging::write_private(&reported.internal, &incrowd_report::internal(dossier))?;
    let text = serde_json::to_string_pretty(dossier).unwrap_or_default() + "\n";
    Staging::write_private(&reported.dossier, &text)?;
    Ok(reported)
}
