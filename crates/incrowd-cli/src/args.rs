//! The words of the command line. Completions, the man page and the docs are made from them.

mod attack;
mod cluster;
mod compare;
mod every_flag;
mod invalid_values;
mod named;
mod options;
mod parse;
mod query;
mod release;
mod report;
mod shared;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use incrowd::request::{BuilderEntry, NamedSettings};

pub(crate) use attack::AttackArgs;
#[cfg(feature = "cluster")]
pub(crate) use cluster::ClusterAction;
pub(crate) use cluster::{ClusterArgs, ClusterCommand};
pub(crate) use compare::CompareArgs;
pub(crate) use named::{header, request};
use parse::{builder, count, crowd, pair, share, width};
pub(crate) use query::{EstimatorArg, QueryArgs};
pub(crate) use release::{AnonymizeArgs, VerifyArgs};
pub(crate) use report::ReportArgs;
use shared::once;
pub(crate) use shared::{CheckFormat, InputFormat, OutputFormat, ReadArgs, RoleArgs, RunArgs, TableArgs};

/// Publish tables about people so that everyone in them stays in a crowd.
#[derive(Debug, Parser)]
#[command(name = "incrowd", version, max_term_width = 100, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const AFTER_HELP: &str = "\
Start with:  incrowd check FILE
Exit status: 0 the promise holds, 1 it does not, 2 something went wrong";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// What does this table give away? Needs no configuration
    Check(CheckArgs),
    /// Ask about k, column sets and suppression on columns you name
    Diagnose(DiagnoseArgs),
    /// Draft a plan (incrowd.toml) with roles and hierarchies
    Init(InitArgs),
    /// Confirm the entries of a drafted plan, after you have read and corrected them
    Confirm(ConfirmArgs),
    /// Recode a table so that it keeps a policy, verify it, and write it as a release
    Anonymize(Box<AnonymizeArgs>),
    /// Is this folder a release that keeps what it promises?
    Verify(VerifyArgs),
    /// Estimate what the original would answer, and say what is certain
    Query(QueryArgs),
    /// Hold releases against their original: query error, columns, dependence, what can be learnt
    Compare(CompareArgs),
    /// Try what an adversary would: linkage, inference, minimality, intersection, learning and more
    Attack(AttackArgs),
    /// Write the report of a release: a page to publish, and one to sign
    Report(ReportArgs),
    /// Build, check and show hierarchies
    Hierarchy(HierarchyArgs),
    /// List algorithms, models, losses, hierarchies, formats and codes
    List(ListArgs),
    /// Explain a code such as IC101, or why a release publishes a value as it does
    Explain(ExplainArgs),
    /// Write a made-up, census-like table to try things on
    Sample(SampleArgs),
    /// Start a cluster on this machine to try it out, or the processes of a real one
    Cluster(ClusterCommand),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the man page, of incrowd or of one command
    Man {
        /// The command
        command: Option<String>,
    },
}

impl Command {
    /// Whether a program reads the answer, and so wants to read a failure too.
    pub(crate) fn answers_in_json(&self) -> bool {
        let format = match self {
            Command::Check(args) => return args.format == CheckFormat::Json,
            Command::Diagnose(args) => args.format,
            Command::Anonymize(args) => args.format,
            Command::Verify(args) => args.format,
            Command::Query(args) => args.ask.format,
            Command::Compare(args) => args.ask.format,
            Command::Attack(args) => args.ask.format,
            Command::Report(args) => args.format,
            Command::List(args) => args.format,
            Command::Explain(args) => args.format,
            Command::Init(_)
            | Command::Confirm(_)
            | Command::Hierarchy(_)
            | Command::Sample(_)
            | Command::Cluster(_)
            | Command::Completions { .. }
            | Command::Man { .. } => return false,
        };
        format == OutputFormat::Json
    }
    /// Refuses what is named twice, in any command.
    pub(crate) fn check(&self) -> Result<(), incrowd::Error> {
        match self {
            Command::Check(args) => args.table.reading.check(),
            Command::Diagnose(args) => {
                once("--hierarchy", &args.hierarchy)?;
                once("--protected", &args.protected)?;
                args.table.reading.check()
            }
            Command::Init(args) => args.reading.check(),
            Command::Anonymize(args) => {
                args.options.check()?;
                args.table.reading.check()
            }
            Command::Verify(args) => {
                once("--hierarchy", &args.hierarchy)?;
                once("--date-format", &args.date_format).map(|_| ())
            }
            Command::Query(args) => args.ask.check(),
            Command::Compare(args) => args.ask.check(),
            Command::Attack(args) => args.ask.check(),
            Command::Report(args) => args.reading.check(),
            Command::Hierarchy(HierarchyArgs { action }) => match action {
                HierarchyAction::Build { reading, .. } | HierarchyAction::Check { reading, .. } => reading.check(),
                HierarchyAction::Show { .. } => Ok(()),
            },
            Command::Confirm(_)
            | Command::List(_)
            | Command::Explain(_)
            | Command::Sample(_)
            | Command::Cluster(_)
            | Command::Completions { .. }
            | Command::Man { .. } => Ok(()),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// The crowd everybody should stand in [default: the plan's, else 5]
    #[arg(long, value_name = "N", value_parser = crowd)]
    pub(crate) k: Option<u64>,
    /// The largest column sets to look at
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = count)]
    pub(crate) max_columns: usize,
    /// Also show which values are exposed. Only for those who may see the table
    #[arg(long)]
    pub(crate) show_values: bool,
    /// Also write the answer as a report into this folder: a page to show, and one for you
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) report: Option<PathBuf>,
    /// Write over pages that are there already
    #[arg(long, requires = "report")]
    pub(crate) force: bool,
    /// What is printed
    #[arg(long, value_enum, default_value_t = CheckFormat::Text)]
    pub(crate) format: CheckFormat,
    #[command(flatten)]
    pub(crate) roles: RoleArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DiagnoseArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// The crowd asked for
    #[arg(long, value_name = "N", value_parser = crowd)]
    pub(crate) k: Option<u64>,
    /// Ask for "at most k" instead of "at least k"
    #[arg(long, requires = "k")]
    pub(crate) at_most: bool,
    /// The share of rows that may be withheld, such as 0.02
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) delta: Option<f64>,
    /// Find the largest safe and the smallest dangerous column sets
    #[arg(long)]
    pub(crate) sets: bool,
    /// Measure every column set
    #[arg(long)]
    pub(crate) all_sets: bool,
    /// The largest column sets to look at with --sets
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) max_columns: Option<usize>,
    /// Show which k is had for which share withheld
    #[arg(long)]
    pub(crate) curve: bool,
    /// Show what each column does to the risk
    #[arg(long)]
    pub(crate) columns: bool,
    /// Also name the classes to withhold. Only for those who may see the table
    #[arg(long)]
    pub(crate) show_values: bool,
    /// A hierarchy file over the values of a sensitive column: also say which hierarchical t the table keeps (may be
    /// repeated)
    #[arg(long, value_name = "COLUMN=FILE", value_parser = pair)]
    pub(crate) hierarchy: Vec<(String, String)>,
    /// Protected nodes of such a hierarchy: also say which extended p the table keeps (may be repeated)
    #[arg(long, value_name = "COLUMN=NODE|NODE", value_parser = pair, requires = "hierarchy")]
    pub(crate) protected: Vec<(String, String)>,
    /// What is printed
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) format: OutputFormat,
    #[command(flatten)]
    pub(crate) roles: RoleArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
}

impl CheckArgs {
    /// All that the arguments say about the request.
    pub(crate) fn named(&self) -> NamedSettings {
        let k = self.k.map(|k| ("k".to_owned(), k.into()));
        let shared = [self.table.reading.named(), self.roles.named(), self.cluster.named()];
        shared.into_iter().flatten().chain(k).collect()
    }
}

impl DiagnoseArgs {
    /// All that the arguments say about the request.
    pub(crate) fn named(&self) -> NamedSettings {
        [self.table.reading.named(), self.roles.named(), self.cluster.named()].into_iter().flatten().collect()
    }
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The table to draft a plan for
    #[arg(required_unless_present = "schema", value_hint = ValueHint::AnyPath)]
    pub(crate) file: Option<String>,
    /// Where to write the plan; - for the screen
    #[arg(long, short, value_name = "FILE", default_value = incrowd::plan::FILE_NAME)]
    pub(crate) output: String,
    /// The crowd everybody should stand in
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = crowd)]
    pub(crate) k: u64,
    /// Write over an existing plan
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the JSON Schema of plans instead
    #[arg(long)]
    pub(crate) schema: bool,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ConfirmArgs {
    /// The plan
    #[arg(default_value = incrowd::plan::FILE_NAME, value_hint = ValueHint::FilePath)]
    pub(crate) plan: PathBuf,
    /// Confirm only the entries of these columns, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,
    /// Print what would be confirmed and change nothing; exit status 1 when there is something
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HierarchyArgs {
    #[command(subcommand)]
    pub(crate) action: HierarchyAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HierarchyAction {
    /// Build a hierarchy for a column; it lists the column's values
    Build {
        /// The table
        #[arg(value_hint = ValueHint::AnyPath)]
        file: String,
        /// The column
        #[arg(long, value_name = "COLUMN")]
        column: String,
        /// How to build it [default: by the column's type]
        #[arg(long, value_parser = builder())]
        kind: Option<&'static BuilderEntry>,
        /// Widths of nested intervals, finest first: 5,10,20
        #[arg(long, value_name = "WIDTHS", value_delimiter = ',', value_parser = width)]
        widths: Vec<f64>,
        /// Where to write it [default: the screen]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Write over an existing file
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        reading: ReadArgs,
        #[command(flatten)]
        run: RunArgs,
    },
    /// Check a hierarchy file, and whether it covers a column
    Check {
        /// The hierarchy: one line per value, value;level 1;…;*
        hierarchy: PathBuf,
        /// The table whose column it should cover
        #[arg(long, value_name = "FILE", requires = "column")]
        table: Option<String>,
        /// The column
        #[arg(long, value_name = "COLUMN", requires = "table")]
        column: Option<String>,
        /// Lines may have different lengths (an unbalanced tree)
        #[arg(long)]
        ragged: bool,
        /// Also show which values are not covered
        #[arg(long)]
        show_values: bool,
        #[command(flatten)]
        reading: ReadArgs,
        #[command(flatten)]
        run: RunArgs,
    },
    /// Show the levels of a hierarchy file
    Show {
        /// The hierarchy
        hierarchy: PathBuf,
        /// Lines may have different lengths (an unbalanced tree)
        #[arg(long)]
        ragged: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// What to list [default: everything]
    #[arg(value_enum)]
    pub(crate) what: Option<Listed>,
    /// What is printed
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) format: OutputFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listed {
    Algorithms,
    Models,
    Losses,
    Attacks,
    Hierarchies,
    Formats,
    Codes,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A code such as IC101, or its name; or a release
    #[arg(value_name = "CODE or DIR")]
    pub(crate) what: String,
    /// In a release: the quasi-identifier to explain [default: all]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) column: Option<String>,
    /// In a release: the published value to explain
    #[arg(long, value_name = "VALUE", requires = "column")]
    pub(crate) value: Option<String>,
    /// In a release: folder of its internal record [default: DIR.internal]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) record: Option<PathBuf>,
    /// What is printed
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, Args)]
pub(crate) struct SampleArgs {
    /// Where to write it; the name tells the format (.csv, .csv.gz, .tsv, .parquet, .arrow)
    #[arg(long, short, value_name = "FILE", default_value = "census.csv")]
    pub(crate) output: PathBuf,
    /// How many rows
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) rows: u64,
    /// The same seed gives the same table
    #[arg(long, value_name = "N", default_value_t = 42)]
    pub(crate) seed: u64,
    /// Also write hierarchies for its columns into a folder
    #[arg(long, value_name = "DIR")]
    pub(crate) hierarchies: Option<PathBuf>,
    /// Write over existing files
    #[arg(long)]
    pub(crate) force: bool,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
