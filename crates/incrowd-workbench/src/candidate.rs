//! A candidate: a release of the plan with other settings that was made in a private folder.

use std::path::PathBuf;

use incrowd::request::NamedSettings;
use serde_json::Value;

/// A candidate of the open table.
pub(crate) struct ReleaseCandidate {
    pub(crate) name: String,
    pub(crate) pinned: bool,
    pub(crate) job: u64,
    pub(crate) changes: NamedSettings,
    pub(crate) settings: Value,
    /// What the plan said besides the settings.
    pub(crate) basis: String,
    pub(crate) folder: PathBuf,
    pub(crate) made: Option<MadeCandidate>,
}

/// What came of a candidate.
pub(crate) struct MadeCandidate {
    pub(crate) figures: Value,
    pub(crate) loss: f64,
    pub(crate) risk: f64,
    /// Whether the same settings give the same bytes: it was not stopped early.
    pub(crate) is_repeatable: bool,
}
