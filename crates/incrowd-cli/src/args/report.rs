//! The arguments of `incrowd report`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::parse::positive_share;
use super::shared::{OutputFormat, ReadArgs, RunArgs};

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Release
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) release: PathBuf,
    /// Original table; adds the risk before anonymization, the attacks that need the original and the query error
    #[arg(long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) against: Option<String>,
    /// Verify the files and run the attacks again instead of using the results stored with the release
    #[arg(long)]
    pub(crate) verify: bool,
    /// Output folder [default: NAME.report]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite existing report pages
    #[arg(long)]
    pub(crate) force: bool,
    /// Maximum accepted re-identification risk [default: 0.09]
    #[arg(long, value_name = "SHARE", value_parser = positive_share)]
    pub(crate) risk: Option<f64>,
    /// Plan with the purpose, the recipients and the person responsible
    #[arg(long, value_name = "PLAN", value_hint = ValueHint::FilePath)]
    pub(crate) plan: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) format: OutputFormat,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}
