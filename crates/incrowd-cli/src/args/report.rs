//! The words of `incrowd report`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::parse::positive_share;
use super::shared::{OutputFormat, ReadArgs, RunArgs};

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The release
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) release: PathBuf,
    /// The table it was made from: risk before, attacks by who has it, query error
    #[arg(long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) against: Option<String>,
    /// Read, verify and attack the files again, instead of taking what was found when the release was made
    #[arg(long)]
    pub(crate) verify: bool,
    /// The folder to write to [default: the release's name with .report]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) output: Option<PathBuf>,
    /// Write over pages that are there already
    #[arg(long)]
    pub(crate) force: bool,
    /// The largest risk of re-identification that is accepted [default: 0.09]
    #[arg(long, value_name = "SHARE", value_parser = positive_share)]
    pub(crate) risk: Option<f64>,
    /// A plan, for purpose, recipients and who answers for the release
    #[arg(long, value_name = "PLAN", value_hint = ValueHint::FilePath)]
    pub(crate) plan: Option<PathBuf>,
    /// What is printed
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) format: OutputFormat,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}
