//! The arguments of `incrowd compare`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::parse::{count, positive_share};
use super::shared::AskArgs;

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Original table of the releases
    #[arg(value_name = "ORIGINAL", value_hint = ValueHint::AnyPath)]
    pub(crate) original: String,
    /// Releases to compare
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    pub(crate) releases: Vec<PathBuf>,
    /// Column to predict; reports the accuracy of a classifier trained on each release
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// Number of random queries
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = count, help_heading = "Queries")]
    pub(crate) queries: usize,
    /// Quasi-identifiers per query
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = count, help_heading = "Queries")]
    pub(crate) dimensionality: usize,
    /// Expected share of rows that a query selects
    #[arg(long, value_name = "SHARE", value_parser = positive_share, default_value = "0.05", help_heading = "Queries")]
    pub(crate) selectivity: f64,
    /// Seed of the queries
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Queries")]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}
