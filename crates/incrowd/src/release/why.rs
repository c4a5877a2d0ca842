//! Why values changed, as the record keeps it: column → level → the rule that forced it.

use serde::{Deserialize, Serialize};

/// What a quasi-identifier became.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnWhy {
    /// The column.
    pub name: String,
    /// What its cells became, finest level first.
    pub levels: Vec<LevelWhy>,
}

/// The cells of a column that are published on one level of its hierarchy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelWhy {
    /// The level; 0 is the value itself.
    pub level: usize,
    /// The share of rows published on it, of those looked at.
    pub share: f64,
    /// Which rule one level finer would break, as shares of the rows on this level.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced_by: Vec<RuleShare>,
}

/// How often a rule forced a level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleShare {
    /// The rule: its model and attributes; `choice` when no single rule forced it.
    pub rule: String,
    /// The share of rows.
    pub share: f64,
}
