//! The arguments of the command line. Completions, the man page and the docs are made from them.

mod attack;
mod cluster;
mod compare;
mod every_flag;
mod invalid_values;
mod named;
mod open;
mod options;
mod parse;
mod query;
mod release;
mod report;
mod shared;

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use incrowd::request::{BuilderEntry, NamedSettings, PopulationOptions};
use incrowd::{PopulationGiven, SurveyGiven};

pub(crate) use attack::AttackArgs;
#[cfg(feature = "cluster")]
pub(crate) use cluster::ClusterAction;
pub(crate) use cluster::{ClusterArgs, ClusterCommand};
pub(crate) use compare::CompareArgs;
pub(crate) use named::{header, request};
pub(crate) use open::OpenArgs;
use parse::{builder, class_size, count, pair, positive_share, share, width};
pub(crate) use query::{EstimatorArg, QueryArgs};
pub(crate) use release::{AnonymizeArgs, VerifyArgs};
pub(crate) use report::ReportArgs;
use shared::once;
pub(crate) use shared::{CheckFormat, InputFormat, OutputFormat, ReadArgs, RoleArgs, RunArgs, TableArgs};

/// Anonymize tables about people and verify the files that are published.
#[derive(Debug, Parser)]
#[command(name = "incrowd", version, max_term_width = 100, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const AFTER_HELP: &str = "\
Start with:  incrowd check FILE
Exit status: 0 yes (the promise holds), 1 no, 2 error";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Open the workbench in a browser: check, anonymize, verify and attack without a terminal
    Open(OpenArgs),
    /// Measure the re-identification risk of a table; needs no configuration
    Check(CheckArgs),
    /// Measure k for given columns, for subsets of them and after suppression
    Diagnose(DiagnoseArgs),
    /// Draft a plan (incrowd.toml) with roles and hierarchies
    Init(InitArgs),
    /// Confirm entries of a drafted plan after you have reviewed and corrected them
    Confirm(ConfirmArgs),
    /// Anonymize a table to meet a policy and write it as a verified release
    Anonymize(Box<AnonymizeArgs>),
    /// Check whether a release keeps its promises
    Verify(VerifyArgs),
    /// Estimate the answer to a query on the original table, with guaranteed bounds
    Query(QueryArgs),
    /// Compare releases with their original: query error, distributions, dependence, classifier accuracy
    Compare(CompareArgs),
    /// Run attacks on a release: linkage, inference, minimality, intersection, learning and more
    Attack(AttackArgs),
    /// Write a report on a release: a page to publish and an internal page to sign
    Report(ReportArgs),
    /// Build, check and show hierarchies
    Hierarchy(HierarchyArgs),
    /// List algorithms, models, losses, attacks, hierarchies, formats and diagnostic codes
    List(ListArgs),
    /// Explain a diagnostic code such as IC101, or why a release generalizes a value
    Explain(ExplainArgs),
    /// Write a census-like table of made-up people
    Sample(SampleArgs),
    /// Start a test cluster on this machine, or a single scheduler or executor
    Cluster(ClusterCommand),
    /// Print shell completions
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
    /// Print the man page of incrowd or of a command
    Man {
        /// Command
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
            Command::Open(_)
            | Command::Init(_)
            | Command::Confirm(_)
            | Command::Hierarchy(_)
            | Command::Sample(_)
            | Command::Cluster(_)
            | Command::Completions { .. }
            | Command::Man { .. } => return false,
        };
        format == OutputFormat::Json
    }

    /// A command that reports events, and the file for them, if there is one.
    pub(crate) fn events(&self) -> Option<(&'static str, Option<&Path>)> {
        match self {
            Command::Anonymize(args) => Some(("anonymize", args.events.events.as_deref())),
            Command::Verify(args) => Some(("verify", args.events.events.as_deref())),
            _ => None,
        }
    }

    /// Refuses arguments that are given twice, in any command.
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
            Command::Open(_)
            | Command::Confirm(_)
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
    /// Minimum class size [default: from the plan, otherwise 5]
    #[arg(long, value_name = "N", value_parser = class_size)]
    pub(crate) k: Option<u64>,
    /// Maximum number of columns per set to search
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = count)]
    pub(crate) max_columns: usize,
    /// Also show the exposed values. The output then contains cells of the table
    #[arg(long)]
    pub(crate) show_values: bool,
    /// Also write a report to this folder: a page to share and an internal page
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) report: Option<PathBuf>,
    /// Overwrite existing report pages
    #[arg(long, requires = "report")]
    pub(crate) force: bool,
    /// Output format
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
    /// Minimum class size to test
    #[arg(long, value_name = "N", value_parser = class_size)]
    pub(crate) k: Option<u64>,
    /// Test whether the table is at most k-anonymous instead of at least k-anonymous
    #[arg(long, requires = "k")]
    pub(crate) at_most: bool,
    /// Maximum share of rows to suppress, such as 0.02
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) delta: Option<f64>,
    /// Find the maximal column sets that reach k and the minimal sets that do not
    #[arg(long)]
    pub(crate) sets: bool,
    /// Compute k for every column set
    #[arg(long)]
    pub(crate) all_sets: bool,
    /// Maximum number of columns per set for --sets
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) max_columns: Option<usize>,
    /// Show the k reached for each share of suppressed rows
    #[arg(long)]
    pub(crate) curve: bool,
    /// Show the effect of each column on the risk
    #[arg(long)]
    pub(crate) columns: bool,
    /// Also list the classes to suppress. The output then contains cells of the table
    #[arg(long)]
    pub(crate) show_values: bool,
    /// Hierarchy file of a sensitive column; also computes t with hierarchical distance (may be repeated)
    #[arg(long, value_name = "COLUMN=FILE", value_parser = pair)]
    pub(crate) hierarchy: Vec<(String, String)>,
    /// Protected nodes of a --hierarchy; also computes p of extended p-sensitivity (may be repeated)
    #[arg(long, value_name = "COLUMN=NODE|NODE", value_parser = pair, requires = "hierarchy")]
    pub(crate) protected: Vec<(String, String)>,
    /// Table of the population that the sample was drawn from, with the same columns; counts the people who match each row
    #[arg(long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) population: Option<PathBuf>,
    /// Column of the population that says how many people a row stands for
    #[arg(long, value_name = "COLUMN", requires = "population")]
    pub(crate) population_count: Option<String>,
    /// Share of the population that is in the table, such as 0.1; estimates how many people are unique in the population
    #[arg(long, value_name = "SHARE", value_parser = positive_share, conflicts_with_all = ["population_size", "population"])]
    pub(crate) sampling_fraction: Option<f64>,
    /// Number of people in the population that the table is a sample of, instead of --sampling-fraction
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "population")]
    pub(crate) population_size: Option<u64>,
    /// Find rows that are unique on few columns (minimal sample uniques), with SUDA scores
    #[arg(long)]
    pub(crate) special_uniques: bool,
    /// Maximum number of columns per set for --special-uniques [default: 6]
    #[arg(long, value_name = "N", value_parser = count, requires = "special_uniques")]
    pub(crate) depth: Option<usize>,
    /// Column with the survey weight of each row; computes the individual risk of each row
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weight: Option<String>,
    /// Column that identifies the household of each row; also computes the risk of households
    #[arg(long, value_name = "COLUMN", requires = "weight")]
    pub(crate) household: Option<String>,
    /// Fit log-linear models to the unique rows; needs --sampling-fraction, --population-size or --weight
    #[arg(long)]
    pub(crate) log_linear: bool,
    /// Output format
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
    /// The population that the table is a sample of.
    pub(crate) fn population(&self) -> Option<PopulationGiven> {
        let table = self.population.clone().map(|path| {
            PopulationGiven::Table(PopulationOptions { path, count_column: self.population_count.clone() })
        });
        let fraction = self.sampling_fraction.map(PopulationGiven::SamplingFraction);
        table.or(fraction).or(self.population_size.map(PopulationGiven::Size))
    }

    /// The columns of a survey with weights.
    pub(crate) fn survey(&self) -> Option<SurveyGiven> {
        let weight = self.weight.clone()?;
        Some(SurveyGiven { weight, household: self.household.clone() })
    }

    /// All that the arguments say about the request.
    pub(crate) fn named(&self) -> NamedSettings {
        [self.table.reading.named(), self.roles.named(), self.cluster.named()].into_iter().flatten().collect()
    }
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Table to draft a plan for
    #[arg(required_unless_present = "schema", value_hint = ValueHint::AnyPath)]
    pub(crate) file: Option<String>,
    /// File for the plan; - for stdout
    #[arg(long, short, value_name = "FILE", default_value = incrowd::request::FILE_NAME)]
    pub(crate) output: String,
    /// Minimum class size
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = class_size)]
    pub(crate) k: u64,
    /// Overwrite an existing plan
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the JSON Schema of plans and nothing else
    #[arg(long)]
    pub(crate) schema: bool,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ConfirmArgs {
    /// Plan
    #[arg(default_value = incrowd::request::FILE_NAME, value_hint = ValueHint::FilePath)]
    pub(crate) plan: PathBuf,
    /// Confirm only the entries of these columns, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,
    /// Print what would be confirmed without changing the plan; exit status 1 if there is something to confirm
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
    /// Build a hierarchy file from a column; the file contains the values of the column
    Build {
        /// Table
        #[arg(value_hint = ValueHint::AnyPath)]
        file: String,
        /// Column
        #[arg(long, value_name = "COLUMN")]
        column: String,
        /// Kind of hierarchy [default: by the type of the column]
        #[arg(long, value_parser = builder())]
        kind: Option<&'static BuilderEntry>,
        /// Widths of nested intervals, finest first: 5,10,20
        #[arg(long, value_name = "WIDTHS", value_delimiter = ',', value_parser = width)]
        widths: Vec<f64>,
        /// Output file [default: stdout]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Overwrite an existing file
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        reading: ReadArgs,
        #[command(flatten)]
        run: RunArgs,
    },
    /// Check that a hierarchy file is valid and covers a column
    Check {
        /// Hierarchy file: one line per value, value;level 1;…;*
        hierarchy: PathBuf,
        /// Table whose column it should cover
        #[arg(long, value_name = "FILE", requires = "column")]
        table: Option<String>,
        /// Column
        #[arg(long, value_name = "COLUMN", requires = "table")]
        column: Option<String>,
        /// Allow lines of different lengths (an unbalanced tree)
        #[arg(long)]
        ragged: bool,
        /// Also show the values that are not covered. The output then contains cells of the table
        #[arg(long)]
        show_values: bool,
        #[command(flatten)]
        reading: ReadArgs,
        #[command(flatten)]
        run: RunArgs,
    },
    /// Show the levels of a hierarchy file
    Show {
        /// Hierarchy file
        hierarchy: PathBuf,
        /// Allow lines of different lengths (an unbalanced tree)
        #[arg(long)]
        ragged: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// What to list [default: everything]
    #[arg(value_enum)]
    pub(crate) what: Option<Listed>,
    /// Output format
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
    /// Diagnostic code such as IC101 or its name, or a release
    #[arg(value_name = "CODE or DIR")]
    pub(crate) what: String,
    /// Quasi-identifier of the release to explain [default: all]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) column: Option<String>,
    /// Published value to explain
    #[arg(long, value_name = "VALUE", requires = "column")]
    pub(crate) value: Option<String>,
    /// Folder of the internal record of the release [default: NAME.internal]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) record: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, Args)]
pub(crate) struct SampleArgs {
    /// Output file; its extension sets the format (.csv, .csv.gz, .tsv, .parquet, .arrow)
    #[arg(long, short, value_name = "FILE", default_value = "census.csv")]
    pub(crate) output: PathBuf,
    /// Number of rows
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) rows: u64,
    /// Seed of the table
    #[arg(long, value_name = "N", default_value_t = 42)]
    pub(crate) seed: u64,
    /// Also write hierarchies for the columns of the table to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) hierarchies: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    pub(crate) force: bool,
    /// Do not show progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
