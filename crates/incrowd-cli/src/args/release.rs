//! Arguments of the commands that make and judge releases.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use incrowd::request::NamedSettings;

use super::cluster::ClusterArgs;
use super::options::OptionArgs;
use super::parse::{delimiter, pair, size};
use super::shared::{EventArgs, OutputFormat, RoleArgs, RunArgs, TableArgs};

#[derive(Debug, Args)]
pub(crate) struct AnonymizeArgs {
    /// Folder for the release, postgres:SCHEMA.NAME for database tables, or s3://BUCKET/NAME [default: from the plan]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) output: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) format: OutputFormat,
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) roles: RoleArgs,
    #[command(flatten)]
    pub(crate) options: OptionArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    /// Append an OpenLineage event about the table and its release to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Running")]
    pub(crate) lineage: Option<PathBuf>,
}

impl AnonymizeArgs {
    /// All that the arguments say about the request.
    pub(crate) fn named(&self) -> NamedSettings {
        let mut named = self.options.named.clone();
        let shared = [self.table.reading.named(), self.roles.named(), self.run.named(), self.cluster.named()];
        named.extend(shared.into_iter().flatten());
        named
    }
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Release: a folder, postgres:SCHEMA.NAME, or s3://BUCKET/NAME
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) release: PathBuf,
    /// Original table; also checks every published cell against it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) against: Option<PathBuf>,
    /// Table of the population that the policy is about; without it, promises about the population are not checked
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) population: Option<PathBuf>,
    /// For each guarantee, print an SQL query that returns no rows if and only if the guarantee holds
    #[arg(long)]
    pub(crate) sql: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) format: OutputFormat,
    /// Delimiter of the original table [default: from the record]
    #[arg(long, value_name = "CHAR", value_parser = delimiter, requires = "against")]
    pub(crate) delimiter: Option<u8>,
    /// Encoding of the original table, such as windows-1252 [default: from the record]
    #[arg(long, value_name = "ENCODING", requires = "against")]
    pub(crate) encoding: Option<String>,
    /// Read the first line of the original table as column names [default: from the record]
    #[arg(long, conflicts_with = "no_header", requires = "against")]
    pub(crate) header: bool,
    /// Read the first line of the original table as data [default: from the record]
    #[arg(long, requires = "against")]
    pub(crate) no_header: bool,
    /// Text that means a missing value in the original table (may be repeated)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, requires = "against")]
    pub(crate) null: Vec<String>,
    /// Date format of a column of the original table, such as birth=%d.%m.%Y [default: from the record] (may be
    /// repeated)
    #[arg(long, value_name = "COLUMN=FORMAT", value_parser = pair, requires = "against")]
    pub(crate) date_format: Vec<(String, String)>,
    /// Columns of the original table with numbers such as 1.234,5 [default: from the record]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', requires = "against")]
    pub(crate) decimal_comma: Vec<String>,
    /// Hierarchy file of a column [default: from the record] (may be repeated)
    #[arg(long, value_name = "COLUMN=FILE", value_parser = pair)]
    pub(crate) hierarchy: Vec<(String, String)>,
    /// Memory limit for classes, such as 4GiB; if they do not fit, the files are read several times
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,
    /// File with the PostgreSQL connection settings [default: environment variables DATABASE_URL, PGSERVICE, PGHOST, …]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) connection: Option<PathBuf>,
    /// Folder of the internal record [default: NAME.internal]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    /// Do not show progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
