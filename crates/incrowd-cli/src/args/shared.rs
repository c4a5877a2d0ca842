//! Arguments that several commands share.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::options::help;
use super::parse::{delimiter, pair, size, threads};

/// The table: named, or taken from a plan.
#[derive(Debug, Args)]
pub(crate) struct TableArgs {
    /// Table: file, folder or quoted glob (.csv, .tsv, also .gz or .zst; .xlsx, .dta, .sav, .xpt, .parquet, .arrow), local or in s3://, gs:// or
    /// az://; postgres:TABLE or 'postgres:SELECT …'; or a plan
    #[arg(required_unless_present = "plan", value_hint = ValueHint::AnyPath)]
    pub(crate) file: Option<String>,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

/// How a table is read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadArgs {
    #[arg(long, help = help("delimiter"), value_name = "CHAR", value_parser = delimiter)]
    pub(crate) delimiter: Option<u8>,
    #[arg(long, help = help("encoding"), value_name = "ENCODING")]
    pub(crate) encoding: Option<String>,
    #[arg(long, help = help("sheet"), value_name = "SHEET")]
    pub(crate) sheet: Option<String>,
    #[arg(long, help = help("range"), value_name = "RANGE")]
    pub(crate) range: Option<String>,
    #[arg(long, help = help("header"), conflicts_with = "no_header")]
    pub(crate) header: bool,
    /// Read the first line of a CSV file as data and name the columns column_1, column_2, …
    #[arg(long)]
    pub(crate) no_header: bool,
    #[arg(long, help = help("null"), value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) null: Vec<String>,
    #[arg(long, help = help("date_format"), value_name = "COLUMN=FORMAT", value_parser = pair)]
    pub(crate) date_format: Vec<(String, String)>,
    #[arg(long, help = help("decimal_comma"), value_name = "COLUMNS", value_delimiter = ',')]
    pub(crate) decimal_comma: Vec<String>,
    #[arg(long, help = help("input_format"), value_name = "FORMAT")]
    pub(crate) input_format: Option<InputFormat>,
    #[arg(long, help = help("connection"), value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) connection: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum InputFormat {
    Csv,
    Parquet,
    Arrow,
    Xlsx,
    Dta,
    Sav,
}

/// The roles of columns.
#[derive(Debug, Args)]
#[command(next_help_heading = "Roles")]
pub(crate) struct RoleArgs {
    #[arg(long, help = help("qi"), value_name = "COLUMNS", value_delimiter = ',')]
    pub(crate) qi: Vec<String>,
    #[arg(long, help = help("sensitive"), value_name = "COLUMNS", value_delimiter = ',')]
    pub(crate) sensitive: Vec<String>,
    #[arg(long, help = help("identifier"), value_name = "COLUMNS", value_delimiter = ',')]
    pub(crate) identifier: Vec<String>,
    #[arg(long, help = help("insensitive"), value_name = "COLUMNS", value_delimiter = ',')]
    pub(crate) insensitive: Vec<String>,
    #[arg(long, help = help("subject"), value_name = "COLUMN")]
    pub(crate) subject: Option<String>,
    #[arg(long, help = help("rows_are_people"), conflicts_with = "subject")]
    pub(crate) rows_are_people: bool,
    /// Plan with the table, roles and k; other arguments override it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) plan: Option<PathBuf>,
}

/// What a run may use.
#[derive(Debug, Args)]
#[command(next_help_heading = "Running")]
pub(crate) struct RunArgs {
    #[arg(long, help = help("memory"), value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,
    #[arg(long, help = help("threads"), value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    #[arg(long, help = help("temp"), value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) temp: Option<PathBuf>,
    /// Do not show progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// What a run tells programs that watch it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Running")]
pub(crate) struct EventArgs {
    /// Append what the run does to this file, one JSON object per line: stages, rows, warnings, the end
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) events: Option<PathBuf>,
}

/// What every question about a release takes: what its labels stand for, how its table is read, what is printed.
#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// Hierarchy file of a column [default: from the record, otherwise inferred from the published values] (may be
    /// repeated)
    #[arg(long, value_name = "COLUMN=FILE", value_parser = pair)]
    pub(crate) hierarchy: Vec<(String, String)>,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) format: OutputFormat,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// The columns of an option that is named once for each column. Refused when one is named twice: it would not be clear
/// which of the two counts.
pub(crate) fn once<'a, T>(option: &str, named: &'a [(String, T)]) -> Result<&'a [(String, T)], incrowd::Error> {
    let twice = |at: &usize| named[..*at].iter().any(|other| other.0 == named[*at].0);
    match (0..named.len()).find(twice) {
        Some(at) => Err(incrowd::Error::Repeated { what: format!("{option} of column “{}”", named[at].0) }),
        None => Ok(named),
    }
}

impl ReadArgs {
    /// Refuses two date formats of one column.
    pub(crate) fn check(&self) -> Result<(), incrowd::Error> {
        once("--date-format", &self.date_format).map(|_| ())
    }
}

impl AskArgs {
    /// Refuses what is named twice.
    pub(crate) fn check(&self) -> Result<(), incrowd::Error> {
        once("--hierarchy", &self.hierarchy)?;
        self.reading.check()
    }

    /// The hierarchy files by column.
    pub(crate) fn hierarchies(&self) -> BTreeMap<String, PathBuf> {
        self.hierarchy.iter().map(|(column, file)| (column.clone(), file.into())).collect()
    }
}

/// What `check` prints: for a person, for a program, or for a code host that shows findings next to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    Text,
    Json,
    Sarif,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    Text,
    Json,
}
