//! How a plan's release is solved, where it is written, and what the run may use.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use incrowd_algorithms::{DiversityWeights, Effort};
use incrowd_engine::{MOST_MEMORY, MOST_THREADS};
use incrowd_report::dossier::{Context, ReleaseModel};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::format_named;

/// How a release is solved. Every word has a default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SolvePlan {
    /// The solver: `incrowd list algorithms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// The measure it looks at: `incrowd list losses`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<String>,
    /// How much work `auto` and the search for a lower bound may do: `low`, `normal`, `high`, or a multiple of `normal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<EffortWord>,
    /// Time limit in seconds over everything that can be stopped. A release that it stopped cannot be repeated exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub time: Option<f64>,
    /// Tuples that `auto` solves at once at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<NonZeroUsize>,
    /// How `enhanced-pk` and `greedy-pk` weigh the sensitive columns when they look for different values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diversity_weights: Option<WeightsWord>,
    /// Seed of the solver: the same table, plan and seed give the same classes, unless a subject is named or a time limit stops
    /// the search. The order of the rows does not depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// How much work a solver may do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum EffortWord {
    /// By a word.
    Level(EffortLevel),
    /// A multiple of `normal`.
    Times(#[schemars(range(min = 0.0, max = 1e6))] f64),
}

/// A word for an effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EffortLevel {
    /// A twentieth of the normal.
    Low,
    /// The default.
    Normal,
    /// Ten times the normal.
    High,
}

impl EffortWord {
    /// The effort it stands for; nothing when it is not above 0 and at most a million.
    pub fn effort(self) -> Option<Effort> {
        match self {
            EffortWord::Level(EffortLevel::Low) => Some(Effort::LOW),
            EffortWord::Level(EffortLevel::Normal) => Some(Effort::NORMAL),
            EffortWord::Level(EffortLevel::High) => Some(Effort::HIGH),
            EffortWord::Times(times) => Effort::of(times),
        }
    }
}

/// How sensitive columns are weighed against each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum WeightsWord {
    /// By a rule.
    Rule(WeightsRule),
    /// By column, each above 0; only the ratios count.
    Columns(BTreeMap<String, f64>),
}

/// A rule for the weights of sensitive columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WeightsRule {
    /// All alike.
    Equal,
    /// Inversely proportional to the number of different values of each.
    Inverse,
}

impl WeightsWord {
    /// The weights it stands for.
    pub fn weights(&self) -> DiversityWeights {
        match self {
            WeightsWord::Rule(WeightsRule::Equal) => DiversityWeights::Equal,
            WeightsWord::Rule(WeightsRule::Inverse) => DiversityWeights::Inverse,
            WeightsWord::Columns(columns) => {
                DiversityWeights::Named(columns.iter().map(|(name, &weight)| (name.clone(), weight)).collect())
            }
        }
    }

    /// What cannot be.
    pub fn fault(&self) -> Option<String> {
        let WeightsWord::Columns(columns) = self else { return None };
        let (column, _) = columns.iter().find(|(_, weight)| !(weight.is_finite() && **weight > 0.0))?;
        Some(format!("the weight of “{column}” is a number above 0"))
    }
}

/// What is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleasePlan {
    /// The folder to write, relative to the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// `csv`, `parquet` or `arrow`; that of the table when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// `one-table`, or `two-tables`: quasi-identifiers as they are, sensitive columns apart, joined by a class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publish: Option<PublishWord>,
    /// A ledger of releases, relative to the plan, which warns when the same people are released again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<String>,
    /// What to do with columns that have no entry: `refuse`, `remove` or `keep`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<OthersWord>,
    /// In CSV, put an apostrophe before texts that a spreadsheet would run as formulas.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub escape_formulas: bool,
    /// Whether pages about the release are written with it, as they are when this is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<bool>,
}

/// What a release is published for: what the report says in the custodian's words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextPlan {
    /// The purpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Who gets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipients: Option<String>,
    /// How it is given: to everybody, to those who sign, or to be looked at in a closed room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release_model: Option<ReleaseModelWord>,
    /// Who answers for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responsible: Option<String>,
    /// When it is looked at again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_review: Option<String>,
}

/// How a release is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseModelWord {
    /// To everybody.
    Public,
    /// To those who sign for it.
    Controlled,
    /// To be looked at in a closed room.
    Enclave,
}

impl ContextPlan {
    pub(super) fn is_empty(&self) -> bool {
        *self == ContextPlan::default()
    }

    /// As a dossier tells it.
    pub fn dossier(&self) -> Context {
        Context {
            purpose: self.purpose.clone(),
            recipients: self.recipients.clone(),
            release_model: self.release_model.map(|model| match model {
                ReleaseModelWord::Public => ReleaseModel::Public,
                ReleaseModelWord::Controlled => ReleaseModel::Controlled,
                ReleaseModelWord::Enclave => ReleaseModel::Enclave,
            }),
            responsible: self.responsible.clone(),
            next_review: self.next_review.clone(),
        }
    }
}

/// What a release looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PublishWord {
    /// One table, its quasi-identifiers generalized.
    OneTable,
    /// Quasi-identifiers as they are in one table, sensitive columns in another. It does not hide who is in the table.
    TwoTables,
}

/// What to do with columns without a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OthersWord {
    /// Refuse the table.
    Refuse,
    /// Leave them out.
    Remove,
    /// Publish them as they are.
    Keep,
}

/// What a run may use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunPlan {
    /// Memory to use at most, in MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 16, max = 1_073_741_824))]
    pub memory_mib: Option<u64>,
    /// Threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_024))]
    pub threads: Option<usize>,
    /// The scheduler of the cluster on which tables are counted and recoded, such as df://host:50050.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

impl SolvePlan {
    pub(super) fn is_empty(&self) -> bool {
        *self == SolvePlan::default()
    }

    /// What cannot be.
    pub(super) fn fault(&self) -> Option<String> {
        if self.effort.is_some_and(|word| word.effort().is_none()) {
            return Some("effort is low, normal, high, or a number above 0 and at most 1,000,000".into());
        }
        if self.time.is_some_and(|seconds| Duration::try_from_secs_f64(seconds).is_err()) {
            return Some("time is a number of seconds of at least 0".into());
        }
        self.diversity_weights.as_ref().and_then(WeightsWord::fault)
    }
}

impl ReleasePlan {
    pub(super) fn is_empty(&self) -> bool {
        *self == ReleasePlan::default()
    }

    /// What cannot be.
    pub(super) fn fault(&self) -> Option<String> {
        if self.path.as_deref() == Some("") || self.ledger.as_deref() == Some("") {
            return Some("path and ledger under [release] name files, and may not be empty".into());
        }
        let word = self.format.as_deref().filter(|word| format_named(word).is_none())?;
        Some(format!("the format “{word}” is not known, only csv, parquet and arrow"))
    }
}

impl RunPlan {
    pub(super) fn is_empty(&self) -> bool {
        *self == RunPlan::default()
    }

    /// What cannot be.
    pub(super) fn fault(&self) -> Option<String> {
        let memory = self.memory_mib.is_some_and(|mib| !(16..=MOST_MEMORY >> 20).contains(&mib));
        let threads = self.threads.is_some_and(|threads| !(1..=MOST_THREADS).contains(&threads));
        match (memory, threads) {
            (true, _) => Some(format!("memory_mib is from 16 to {}", MOST_MEMORY >> 20)),
            (_, true) => Some(format!("threads is from 1 to {MOST_THREADS}")),
            _ => None,
        }
    }
}
