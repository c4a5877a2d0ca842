//! Arguments of the commands that make and judge releases.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use incrowd::request::NamedSettings;

use super::cluster::ClusterArgs;
use super::options::OptionArgs;
use super::parse::{delimiter, pair, size};
use super::shared::{OutputFormat, RoleArgs, RunArgs, TableArgs};

#[derive(Debug, Args)]
pub(crate) struct AnonymizeArgs {
    /// The folder to write the release to, postgres:SCHEMA.NAME for tables of a database, or s3://BUCKET/NAME
    /// [default: the plan's]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) output: Option<PathBuf>,
    /// What is printed
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
    /// The release: a folder, postgres:SCHEMA.NAME, or s3://BUCKET/NAME
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) release: PathBuf,
    /// The table it was made from: also check that every published cell is true to it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) against: Option<PathBuf>,
    /// Print, for each promise, an SQL query that finds no row exactly when it holds
    #[arg(long)]
    pub(crate) sql: bool,
    /// What is printed
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) format: OutputFormat,
    /// The delimiter of the table [default: the record's]
    #[arg(long, value_name = "CHAR", value_parser = delimiter, requires = "against")]
    pub(crate) delimiter: Option<u8>,
    /// The first line of the table names its columns [default: the record's]
    #[arg(long, conflicts_with = "no_header", requires = "against")]
    pub(crate) header: bool,
    /// The table has no line of column names [default: the record's]
    #[arg(long, requires = "against")]
    pub(crate) no_header: bool,
    /// A text that stands for a missing value in the table (may be repeated)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, requires = "against")]
    pub(crate) null: Vec<String>,
    /// How a column of the table writes its dates, such as birth=%d.%m.%Y [default: the record's] (may be repeated)
    #[arg(long, value_name = "COLUMN=FORMAT", value_parser = pair, requires = "against")]
    pub(crate) date_format: Vec<(String, String)>,
    /// A hierarchy file of a column [default: the record's] (may be repeated)
    #[arg(long, value_name = "COLUMN=FILE", value_parser = pair, requires = "against")]
    pub(crate) hierarchy: Vec<(String, String)>,
    /// Memory that classes may take, such as 4GiB; beyond it, the files are read several times
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,
    /// A file that says how to connect to PostgreSQL [default: DATABASE_URL, PGSERVICE, PGHOST and so on]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) connection: Option<PathBuf>,
    /// Folder of the release's internal record [default: NAME.internal]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) record: Option<PathBuf>,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
