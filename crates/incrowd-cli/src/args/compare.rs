//! The words of `incrowd compare`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::parse::{count, positive_share};
use super::shared::AskArgs;

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The table the releases were made from
    #[arg(value_name = "ORIGINAL", value_hint = ValueHint::AnyPath)]
    pub(crate) original: String,
    /// The releases
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    pub(crate) releases: Vec<PathBuf>,
    /// A column: how well can it be guessed from the others by who learns from the release?
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// Random questions to ask
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = count, help_heading = "Questions")]
    pub(crate) queries: usize,
    /// Quasi-identifiers in each question
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = count, help_heading = "Questions")]
    pub(crate) dimensionality: usize,
    /// The share of rows that a question is expected to count
    #[arg(long, value_name = "SHARE", value_parser = positive_share, default_value = "0.05", help_heading = "Questions")]
    pub(crate) selectivity: f64,
    /// Which questions: the same seed asks the same
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Questions")]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}
