//! Arguments of the commands that make and judge releases.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint};
use incrowd::algorithms::Effort;
use incrowd::plan::{AlphaPlan, RulePlan, WeightsWord};

use super::cluster::ClusterArgs;
use super::shared::{InputFormat, OutputFormat, RoleArgs, RunArgs, TableArgs};
use super::words::{
    alpha, crowd, delimiter, effort, every_l, every_p, every_t, l_diversity, model, p_sensitive, pair, share, size,
    t_closeness, time, weights,
};

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
    /// What to do with columns that have no role
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Roles")]
    pub(crate) others: Option<OthersArg>,
    /// Publish these columns unchanged although they single out people
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Roles")]
    pub(crate) keep_identifying: Vec<String>,
    /// Columns in which values that differ only in letter case, spaces or Unicode form are read and published as one: the
    /// most frequent spelling
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Roles")]
    pub(crate) fold_spellings: Vec<String>,
    /// Columns in which values that differ only in letter case, spaces or Unicode form are different values
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Roles")]
    pub(crate) keep_spellings: Vec<String>,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    #[command(flatten)]
    pub(crate) solving: SolvingArgs,
    /// In one table, or in two: quasi-identifiers as they are, and sensitive columns apart. Two tables do not hide who is
    /// in the table [default: one-table]
    #[arg(long, value_enum, value_name = "TABLES", help_heading = "Writing")]
    pub(crate) publish: Option<PublishArg>,
    /// How the release is written [default: as the table is]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Writing")]
    pub(crate) output_format: Option<InputFormat>,
    /// In CSV, put an apostrophe before texts that a spreadsheet would run as formulas
    #[arg(long, help_heading = "Writing")]
    pub(crate) escape_formulas: bool,
    /// Replace a release of the same name; only files that incrowd wrote are deleted
    #[arg(long, help_heading = "Writing")]
    pub(crate) force: bool,
    /// Do not write pages about the release: report.html among its files, and one for you beside it
    #[arg(long, help_heading = "Writing")]
    pub(crate) no_report: bool,
    /// Your ledger of releases: warns when the same people are released again, and enters this one. Keep it to yourself
    #[arg(long, value_name = "FILE", help_heading = "Writing", value_hint = ValueHint::FilePath)]
    pub(crate) ledger: Option<PathBuf>,
    /// Where the internal record goes when the release goes to a database or object store [default: NAME.internal]
    #[arg(long, value_name = "DIR", help_heading = "Writing", value_hint = ValueHint::DirPath)]
    pub(crate) record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
}

/// What the release has to keep.
#[derive(Debug, Args)]
#[command(next_help_heading = "Policy")]
pub(crate) struct PolicyArgs {
    /// The crowd everybody stands in [default: the plan's]
    #[arg(long, value_name = "N", value_parser = crowd)]
    pub(crate) k: Option<u64>,
    /// The largest share of a sensitive value in a class: column=0.33 for every value, "column:value=0.5" for one,
    /// "column:a|b=0.5" for several together (may be repeated)
    #[arg(long, value_name = "COLUMN[:VALUES]=SHARE", value_parser = alpha)]
    pub(crate) alpha: Vec<AlphaPlan>,
    /// Allow ⌈α · size⌉ rows instead of α · size
    #[arg(long, requires = "alpha")]
    pub(crate) refined: bool,
    /// At least so many different values of each sensitive column in every class (p-sensitivity)
    #[arg(long, value_name = "N", value_parser = every_p)]
    pub(crate) p: Option<RulePlan>,
    /// Distinct ℓ-diversity of each sensitive column
    #[arg(long, value_name = "N", value_parser = every_l)]
    pub(crate) l: Option<RulePlan>,
    /// t-closeness of each sensitive column, every two values equally far apart
    #[arg(long, value_name = "X", value_parser = every_t)]
    pub(crate) t: Option<RulePlan>,
    /// At least so many different values of a sensitive column in every class: diagnosis=3 (may be repeated)
    #[arg(long, value_name = "COLUMN=P", value_parser = p_sensitive)]
    pub(crate) p_sensitive: Vec<RulePlan>,
    /// Distinct ℓ-diversity: diagnosis=3; `--model` has the other kinds (may be repeated)
    #[arg(long, value_name = "COLUMN=L", value_parser = l_diversity)]
    pub(crate) l_diversity: Vec<RulePlan>,
    /// In every class the values of a sensitive column are spread as in the whole release, up to this distance:
    /// diagnosis=0.2 (may be repeated)
    #[arg(long, value_name = "COLUMN=T", value_parser = t_closeness)]
    pub(crate) t_closeness: Vec<RulePlan>,
    /// Any model of `incrowd list models` with its parameters, lists with |:
    /// "t-closeness:salary,t=0.2,distance=ordered,order=low|middle|high" (may be repeated)
    #[arg(long, value_name = "MODEL:COLUMN,NAME=VALUE", value_parser = model)]
    pub(crate) model: Vec<RulePlan>,
    /// The share of rows that may be withheld, such as 0.02
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) suppress: Option<f64>,
}

/// How it is solved.
#[derive(Debug, Args)]
#[command(next_help_heading = "Solving")]
pub(crate) struct SolvingArgs {
    /// How a column is generalized, a file or intervals, dates, prefix, flat, sets, free-intervals: age=age.csv (may be
    /// repeated)
    /// [default: by its type]
    #[arg(long, value_name = "COLUMN=FILE", value_parser = pair)]
    pub(crate) hierarchy: Vec<(String, String)>,
    /// Allow lines of different length in the files of --hierarchy (an unbalanced tree)
    #[arg(long, requires = "hierarchy")]
    pub(crate) ragged: bool,
    /// The solver; `incrowd list algorithms` shows all [default: auto]
    #[arg(long, value_name = "WORD")]
    pub(crate) algorithm: Option<String>,
    /// The measure it looks at; `incrowd list losses` shows all [default: the solver's own]
    #[arg(long, value_name = "WORD")]
    pub(crate) loss: Option<String>,
    /// Work that auto and the search for a lower bound may do: low, normal, high, or a multiple of normal. Counted in steps:
    /// the result does not depend on the machine [default: normal]
    #[arg(long, value_name = "EFFORT", value_parser = effort)]
    pub(crate) effort: Option<Effort>,
    /// Time limit, such as 60s or 5m, over the solver, the lower bound and the report. A release that it stopped cannot be
    /// repeated exactly [default: none]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) time: Option<Duration>,
    /// Do not look for a lower bound on the loss of any release, which may take half the effort again
    #[arg(long)]
    pub(crate) no_bound: bool,
    /// Tuples that `auto` solves at once at most: fewer take less memory and time, and lose a little more
    /// [default: 131,072]
    #[arg(long, value_name = "TUPLES")]
    pub(crate) shard: Option<NonZeroUsize>,
    /// Cut a table with more distinct tuples into shards that are solved one after the other
    /// [default: as many as --memory holds]
    #[arg(long, value_name = "TUPLES")]
    pub(crate) at_once: Option<NonZeroU64>,
    /// How enhanced-pk and greedy-pk weigh sensitive columns: equal, inverse (to their numbers of values), or numbers:
    /// occupation=0.7,race=0.3
    /// [default: equal]
    #[arg(long, value_name = "WEIGHTS", value_parser = weights)]
    pub(crate) diversity_weights: Option<WeightsWord>,
    /// Seed of the solver: the same table, plan and seed give the same classes, unless --subject is given or --time stops the
    /// search. The order of the rows is drawn anew for every release [default: from the system]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Repeat a release with the key and seed of its internal record (NAME.internal). Refused unless the data files have the
    /// same bytes
    #[arg(long, value_name = "RECORD", conflicts_with = "seed", value_hint = ValueHint::AnyPath)]
    pub(crate) repeat: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum PublishArg {
    /// One table, its quasi-identifiers generalized
    OneTable,
    /// Two tables that only a class joins
    TwoTables,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum OthersArg {
    /// Refuse the table
    Refuse,
    /// Leave them out
    Remove,
    /// Publish them as they are
    Keep,
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
