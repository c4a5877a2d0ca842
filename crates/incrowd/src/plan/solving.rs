//! How a plan's release is solved, where it is written, and what the run may use.

use std::num::NonZeroUsize;

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
    /// Seconds it may look for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub time: Option<f64>,
    /// Tuples that `auto` solves at once at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<NonZeroUsize>,
    /// A seed, for a run that can be repeated. Keep it secret: whoever knows it can undo the shuffle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
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
    /// What to do with columns that have no entry: `refuse`, `remove` or `keep`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<OthersWord>,
    /// In CSV, put an apostrophe before texts that a spreadsheet would run as formulas.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub escape_formulas: bool,
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
    #[schemars(range(min = 16))]
    pub memory_mib: Option<u64>,
    /// Threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub threads: Option<usize>,
}

impl SolvePlan {
    pub(super) fn is_empty(&self) -> bool {
        *self == SolvePlan::default()
    }
}

impl ReleasePlan {
    pub(super) fn is_empty(&self) -> bool {
        *self == ReleasePlan::default()
    }

    /// What cannot be.
    pub(super) fn fault(&self) -> Option<String> {
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
        let little = self.memory_mib.is_some_and(|mib| mib < 16);
        little.then(|| "memory_mib is at least 16".into())
    }
}
