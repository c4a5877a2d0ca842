//! What a check found: codes and column names are public, numbers internal.

use serde::{Deserialize, Deserializer, Serialize};

use super::Standing;
use incrowd_core::{Diagnosis, Finding, NotSearched, SetRisk, Severity};

/// A finding without its numbers: the sentence is the code's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublicFinding {
    /// The stable code.
    pub code: String,
    /// The stable name.
    pub name: String,
    /// How much it matters.
    #[serde(deserialize_with = "severity")]
    pub severity: Severity,
    /// The columns it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// What the code says.
    pub summary: String,
}

impl From<&Finding> for PublicFinding {
    fn from(finding: &Finding) -> Self {
        PublicFinding {
            code: finding.code.code.to_owned(),
            name: finding.code.name.to_owned(),
            severity: finding.code.severity,
            columns: finding.columns.clone(),
            summary: finding.code.summary.to_owned(),
        }
    }
}

/// A finding in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingNumbers {
    /// The stable code.
    pub code: String,
    /// How much it matters.
    #[serde(deserialize_with = "severity")]
    pub severity: Severity,
    /// The columns it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The finding in a sentence, without a value.
    pub message: String,
    /// How many it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// As a share of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
}

impl From<&Finding> for FindingNumbers {
    fn from(finding: &Finding) -> Self {
        FindingNumbers {
            code: finding.code.code.to_owned(),
            severity: finding.code.severity,
            columns: finding.columns.clone(),
            message: finding.message.clone(),
            rows: finding.rows,
            share: finding.share,
        }
    }
}

/// Which sets of columns are dangerous, by name alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnSets {
    /// The k asked for.
    pub k: u64,
    /// How "every set of columns reaches k" stands.
    pub standing: Standing,
    /// The smallest sets that do not reach k.
    #[serde(default)]
    pub dangerous: Vec<Vec<String>>,
    /// The largest sets that do.
    #[serde(default)]
    pub safe: Vec<Vec<String>>,
    /// Whether every set was searched.
    pub complete: bool,
    /// What was not searched, each in one sentence without its full stop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_searched: Vec<String>,
    /// How many sets were measured.
    pub measured: u64,
}

impl ColumnSets {
    /// What a search for sets that do not reach k found, with the number of sets it measured, of every size if it is
    /// complete.
    pub fn found(k: u64, dangerous: &[SetRisk], safe: Vec<Vec<String>>, complete: bool, measured: u64) -> Self {
        let standing = match (dangerous.is_empty(), complete) {
            (false, _) => Standing::Fails,
            (true, true) => Standing::Proved,
            (true, false) => Standing::NotFound,
        };
        let dangerous = dangerous.iter().map(|set| set.columns.clone()).collect();
        ColumnSets { k, standing, dangerous, safe, complete, not_searched: vec![], measured }
    }
}

impl From<&Diagnosis> for ColumnSets {
    fn from(diagnosis: &Diagnosis) -> Self {
        let Diagnosis { k_asked, smallest_dangerous, largest_safe, complete, groupings, .. } = diagnosis;
        let found = ColumnSets::found(*k_asked, smallest_dangerous, largest_safe.clone(), *complete, *groupings as u64);
        ColumnSets { not_searched: diagnosis.not_searched.iter().map(NotSearched::sentence).collect(), ..found }
    }
}

/// A dangerous set of columns in numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetNumbers {
    /// The columns.
    pub columns: Vec<String>,
    /// The size of the smallest class.
    pub k: u64,
    /// How many stand alone.
    pub unique_rows: u64,
    /// How many stand in classes smaller than the k asked for.
    pub rows_below_k: u64,
}

impl From<&SetRisk> for SetNumbers {
    fn from(set: &SetRisk) -> Self {
        SetNumbers { columns: set.columns.clone(), k: set.k, unique_rows: set.unique, rows_below_k: set.below }
    }
}

/// Reads the word that is written for a severity: a dossier is the first thing with a severity that is read back.
fn severity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Severity, D::Error> {
    let word = String::deserialize(deserializer)?;
    let all = [Severity::Danger, Severity::Warning, Severity::Note, Severity::Refusal];
    let found = all.into_iter().find(|severity| severity.name() == word);
    found.ok_or_else(|| serde::de::Error::custom("a severity is danger, warning, note or refusal"))
}
