//! The answer of `anonymize`.

use std::path::PathBuf;

use incrowd_algorithms::Statistics;
use incrowd_core::{Finding, KnownRows};
use incrowd_report::dossier::{Repeatability, WithheldFor};
use incrowd_risk::attack::Outcome;
use incrowd_verify::Canaries;
use serde::Serialize;

use super::{LossReport, MostClasses, Publish};
use crate::release::{ColumnWhy, ReleasedBefore};
use crate::report::Reported;

/// What `anonymize` did.
#[derive(Clone, Debug, Serialize)]
pub struct Anonymized {
    /// What was read.
    pub source: String,
    /// Where the release is.
    pub release: String,
    /// Where the custodian's record of it is.
    #[serde(skip)]
    pub record: PathBuf,
    /// Rows of the table.
    pub rows: u64,
    /// Distinct tuples on quasi-identifiers and protected attributes.
    pub tuples: u64,
    /// The k asked for.
    pub k: u64,
    /// In one table or in two.
    pub publish: Publish,
    /// The solver.
    pub algorithm: &'static str,
    /// The measure it looked at.
    pub loss_minimized: &'static str,
    /// Classes of the release.
    pub classes: u64,
    /// The most that any release of the same rows can have, when the policy asks for different values in every class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_classes: Option<MostClasses>,
    /// The size of the smallest: rows, or people when a subject column tells.
    pub smallest_class: u64,
    /// Rows that are suppressed.
    pub suppressed_rows: u64,
    /// For which rules, how many each, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub withheld_for: Vec<WithheldFor>,
    /// What the release loses.
    pub loss: LossReport,
    /// Whether it loses as little as any release can: loss and bound meet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimal: Option<bool>,
    /// The levels of a full-domain solution, by quasi-identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<usize>>,
    /// Whether a time limit or an early end by hand stopped the solver: another run may then give other classes.
    pub cut_short: bool,
    /// Whether a second run with the recorded key gives the same bytes.
    pub repeatability: Repeatability,
    /// The id of the release that this one repeats, with the same bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<String>,
    /// What the search met.
    #[serde(flatten)]
    pub statistics: Statistics,
    /// Seconds that the solver took.
    pub solve_seconds: f64,
    /// Whether the verifier accepted the written bytes. There is no release when it did not.
    pub verified: bool,
    /// The search for removed values in the written bytes.
    pub canaries: Canaries,
    /// What is promised, one sentence for each model.
    pub promises: Vec<String>,
    /// Of which table they were found to hold: of the written bytes, or of the people whose rows are written when a subject
    /// column tells them apart.
    pub counts: incrowd_verify::Counts,
    /// How many rows of a person an attacker may know, when that is promised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_rows: Option<KnownRows>,
    /// What the attacks that are run before a release is written achieved. For the custodian.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attacks: Vec<Outcome>,
    /// Releases of the same people, as the ledger knows them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub released_before: Vec<ReleasedBefore>,
    /// Columns that are published unchanged and split classes, with their figures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What the custodian should know.
    pub notes: Vec<String>,
    /// For each quasi-identifier, what it became and which rule forced it.
    pub why: Vec<ColumnWhy>,
    /// Where the pages about the release are, when they were written with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<Reported>,
    /// Bytes of codes that went through the disk because memory was short.
    pub spilled_bytes: u64,
}
