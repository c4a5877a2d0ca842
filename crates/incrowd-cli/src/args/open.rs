//! The arguments of `open`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::RunArgs;

#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// Table, plan or release to open [default: choose in the page]
    #[arg(value_name = "TABLE|PLAN|RELEASE", value_hint = ValueHint::AnyPath)]
    pub(crate) what: Option<PathBuf>,
    /// Folder whose files the page can open [default: the current folder, or that of TABLE|PLAN|RELEASE]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folder: Option<PathBuf>,
    /// Port on 127.0.0.1 [default: a free one]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,
    /// Do not start a browser; only print the address
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// Minutes without a request after which the server ends
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(crate) idle: u64,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}
