//! What can go wrong. `code.rs` gives each fault its code, and `remedy.rs` of the crate says what to do about it.

mod code;
mod known_rows_fault;
mod not_repeatable;
mod tables_fault;
mod treatment_fault;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use incrowd_algorithms::WrongWeights;
use incrowd_core::{FrequencyTable, HierarchyError, Infeasible, ModelError, Stopped, counted, size, thousands};
use incrowd_engine::EngineError;
use incrowd_verify::{Fault, VerifyError};

use crate::variants::Variants;

pub use known_rows_fault::KnownRowsFault;
pub use not_repeatable::NotRepeatable;
pub use tables_fault::TablesFault;
pub use treatment_fault::TreatmentFault;

/// A result of the library.
pub type Result<T> = std::result::Result<T, Error>;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The table could not be read or written.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A hierarchy is inconsistent or does not match its column.
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    /// A policy cannot be used with this table.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Rows of the table are of nobody in the population that the policy is about.
    #[error(
        "{} of {} cannot be of anybody in the population: too few people in it have their values",
        counted(*rows, "row", "rows"),
        thousands(*of)
    )]
    NotInPopulation {
        /// How many rows.
        rows: u64,
        /// How many rows the table has.
        of: u64,
    },
    /// A population is given that nothing is promised about.
    #[error("a population is given, but nothing is promised about it")]
    UnusedPopulation,
    /// The population is not a single file.
    #[error("{}: the population has to be one CSV, Parquet or Arrow file", .0.display())]
    PopulationIsNoFile(PathBuf),
    /// The count column of a population has cells that are no numbers of people.
    #[error("the column “{0}” of the population does not hold a whole number of people in every row")]
    CountIsNoNumber(String),
    /// A model is defined only where each column is published on one level.
    #[error("{model} needs classes that do not overlap, and the algorithm {algorithm} makes classes that may")]
    NeedsLevels {
        /// The model.
        model: &'static str,
        /// The algorithm.
        algorithm: &'static str,
    },
    /// Rows without a subject: the number of people is not known.
    #[error(
        "{} no value in the subject column, so people with sensitive values cannot be counted",
        counted(*rows, "row has", "rows have")
    )]
    NoSubject {
        /// How many rows.
        rows: u64,
    },
    /// A query is not supported.
    #[error(transparent)]
    Query(#[from] incrowd_core::query::QueryError),
    /// The plan is not valid.
    #[error("{path}: {message}")]
    Plan {
        /// The plan's file.
        path: String,
        /// What is wrong with it, and where.
        message: String,
    },
    /// A file other than the table (a plan, a hierarchy) could not be read or written.
    #[error("{}: {said}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The kind of error.
        kind: ErrorKind,
        /// What the system said.
        said: String,
    },
    /// A parameter has an invalid value.
    #[error("{parameter} {fact}")]
    Senseless {
        /// The parameter.
        parameter: String,
        /// What it has to be.
        fact: String,
    },
    /// A setting is given twice.
    #[error("{what} is given twice")]
    Repeated {
        /// What.
        what: String,
    },
    /// Two settings contradict each other.
    #[error("{0}")]
    Contradictory(String),
    /// A file that is read at once is larger than the limit.
    #[error("{}: larger than {}, the limit for such a file", path.display(), size(*most))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        most: u64,
    },
    /// A column was given two roles.
    #[error("column “{0}” has two roles")]
    TwoRoles(String),
    /// A column was given the same role twice.
    #[error("column “{0}” is named twice")]
    NamedTwice(String),
    /// A question that needs quasi-identifiers was asked without any.
    #[error("missing quasi-identifiers")]
    NoQuasiIdentifiers,
    /// A hierarchy does not fit its column.
    #[error("column “{column}”: {error}")]
    HierarchyOf {
        /// The column.
        column: String,
        /// What does not fit.
        error: HierarchyError,
    },
    /// A hierarchy was given for a column that is not generalized.
    #[error("a hierarchy is given for “{0}”, which is not a quasi-identifier")]
    UselessHierarchy(String),
    /// Columns of a table that is to be published have no role.
    #[error("{} without a role: {}", if .0.len() == 1 { "column" } else { "columns" }, .0.join(", "))]
    Undeclared(Vec<String>),
    /// The plan is a draft that has not been confirmed.
    #[error("the plan is a draft: {} not confirmed{}", what_is_open(*policy, columns.len()), first_few(columns))]
    Unconfirmed {
        /// Whether k and the rules are not confirmed.
        policy: bool,
        /// The columns whose entries are not confirmed.
        columns: Vec<String>,
    },
    /// A rule is about a sensitive column in which one value is spelled in several ways.
    #[error("{}; a rule about this column would count each spelling as a value", .0.fact())]
    Spellings(Variants),
    /// The spellings of a column cannot be merged: its values are not published.
    #[error("the spellings of “{0}” cannot be merged: it is neither a quasi-identifier nor sensitive")]
    UselessFolding(String),
    /// A column has too many values to search for spellings.
    #[error(
        "column “{column}” has more than {} values, which are too many to search for different spellings",
        thousands(*values)
    )]
    TooManySpellings {
        /// The column.
        column: String,
        /// The values that were counted.
        values: u64,
    },
    /// A model or a hierarchy of sensitive values is for a column that is not declared sensitive.
    #[error("a rule or hierarchy is about “{0}”, which is not declared sensitive")]
    NotSensitive(String),
    /// An identifier has repeated values, so rows may not be people.
    #[error("several rows may belong to one person: {}", facts.join("; "))]
    RowsMayNotBePeople {
        /// The identifiers with repeated values.
        columns: Vec<String>,
        /// How often, a fact for each, without a value.
        facts: Vec<String>,
    },
    /// Columns that single out people would be published unchanged.
    #[error("{} single out people: {}", if columns.len() == 1 { "a published column would" } else { "published columns would" }, facts.join("; "))]
    IdentifyingColumns {
        /// The columns.
        columns: Vec<String>,
        /// Why, a fact for each, without a value.
        facts: Vec<String>,
    },
    /// Pseudonyms would link rows that together single out people.
    #[error("pseudonyms would single out people: {}", facts.join("; "))]
    LinkedRows {
        /// The columns with pseudonyms.
        columns: Vec<String>,
        /// Why, a fact for each, without a value.
        facts: Vec<String>,
    },
    /// A column named as kept although it singles out people is not published unchanged.
    #[error("“{0}” is not published unchanged, so it cannot be kept as an identifying column")]
    NotKept(String),
    /// Nothing can be promised about several rows of a person.
    #[error("nothing can be promised about several known rows of a person: {}", .0.fact())]
    KnownRowsRefused(KnownRowsFault),
    /// Several tables cannot be released together.
    #[error("{}", .0.message())]
    TablesRefused(TablesFault),
    /// The release has several tables, and the question is about one.
    #[error("{} is a release of several tables: {}", release.display(), tables.join(", "))]
    SeveralTables {
        /// The release.
        release: PathBuf,
        /// The names of its tables.
        tables: Vec<String>,
    },
    /// A column cannot be treated so.
    #[error("column “{column}” cannot be published with the treatment {treatment}: {}", why.fact())]
    TreatmentRefused {
        /// The column.
        column: String,
        /// The treatment.
        treatment: String,
        /// The reason.
        why: TreatmentFault,
    },
    /// A release in two tables has no rule about sensitive values.
    #[error("two tables need a rule about a sensitive column, and the policy has none")]
    NothingBlurred,
    /// A rule protects a node that the hierarchy of its column does not have.
    #[error("the hierarchy of “{0}” does not have a label that the policy protects")]
    UnknownNode(String),
    /// The algorithm or loss is unknown.
    #[error("unknown {what} `{word}`; choose one of: {}", known.join(", "))]
    UnknownWord {
        /// What was to be chosen.
        what: &'static str,
        /// The word that was written.
        word: String,
        /// The known words.
        known: Vec<&'static str>,
    },
    /// No release of this table can meet the policy.
    #[error("the policy is infeasible: {}", facts(.0))]
    Infeasible(Vec<Infeasible>),
    /// No release that meets the policy was found; there may be one.
    #[error("no release that meets the policy was found, but one may exist: {}", facts(.0))]
    NotFound(Vec<Infeasible>),
    /// The verifier did not accept the release. Nothing was published.
    #[error(
        "the verifier did not accept the release: {}",
        .0.iter().map(|fault| fault.message.clone()).collect::<Vec<_>>().join("; ")
    )]
    Unverified(Vec<Fault>),
    /// Removed values were found in the written bytes. Nothing was published.
    #[error("{found} of {values} removed values were found in the written files")]
    Leak {
        /// How many.
        found: u64,
        /// Of how many.
        values: u64,
    },
    /// The verifier could not do its work.
    #[error(transparent)]
    Verify(VerifyError),
    /// The target already contains a release.
    #[error("{} already contains a release", .0.display())]
    ReleaseExists(PathBuf),
    /// The target exists and is not a release.
    #[error("{} exists and is not a release", .0.display())]
    Taken(PathBuf),
    /// The output path is a symbolic link.
    #[error("{} is a symbolic link", .0.display())]
    Link(PathBuf),
    /// A record already exists where the record of the new release would be written.
    #[error("{} exists: it may be the only record of another release", .0.display())]
    RecordExists(PathBuf),
    /// The output file already exists.
    #[error("{} already exists", .0.display())]
    FileExists(PathBuf),
    /// A folder that would be replaced contains files that incrowd did not write.
    #[error("{} was not replaced: {fact}", folder.display())]
    ForeignFiles {
        /// The folder.
        folder: PathBuf,
        /// Which file it is, by its name.
        fact: String,
    },
    /// The source table is in the folder that would be replaced.
    #[error("{} was not replaced: it contains the source table", .0.display())]
    OverSource(PathBuf),
    /// The previous release or record could not be restored.
    #[error("publishing failed, and the previous release could not be restored: it is in {}", .0.display())]
    NotPutBack(PathBuf),
    /// The last request to a database or an object store was not answered.
    #[error(
        "the connection was lost in the last step: the release may be published or not; its internal record is kept in {}{}",
        record.display(), before.as_ref().map(|before| format!(", the record of the release before in {}", before.display())).unwrap_or_default()
    )]
    OutcomeUnknown {
        /// The record of the release that may be there.
        record: PathBuf,
        /// The record of the release that was to be replaced, and may still be there.
        before: Option<PathBuf>,
    },
    /// The ledger was replaced during the run.
    #[error("{}: the ledger was replaced while the release was made", .0.display())]
    LedgerReplaced(PathBuf),
    /// The folder is not a release.
    #[error("{} is not a release", .0.display())]
    NotARelease(PathBuf),
    /// A release is not the one that was published.
    #[error("{} was changed after it was made: {fact}", release.display())]
    ReleaseChanged {
        /// Its folder.
        release: PathBuf,
        /// What differs, by the name of a file.
        fact: String,
    },
    /// The custodian's record is not the one that was written.
    #[error("the internal record {} was changed after it was written: {fact}", folder.display())]
    RecordChanged {
        /// Its folder.
        folder: PathBuf,
        /// What differs, by the name of a file.
        fact: String,
    },
    /// The custodian's record cannot be read.
    #[error("{}: the record is damaged", .0.display())]
    DamagedRecord(PathBuf),
    /// The record of a release is missing.
    #[error("{}: the internal record of the release is missing", .0.display())]
    NoRecord(PathBuf),
    /// The record belongs to another release.
    #[error("{}: the internal record belongs to another release", .0.display())]
    RecordOfAnother(PathBuf),
    /// The release has no such quasi-identifier, or publishes no such value in it.
    #[error("the release has no {what} of that name")]
    NothingToExplain {
        /// What was requested.
        what: &'static str,
    },
    /// Diversity weights that do not fit the table and its policy.
    #[error(transparent)]
    Weights(#[from] WrongWeights),
    /// The cluster cannot be used.
    #[cfg(feature = "cluster")]
    #[error(transparent)]
    Cluster(#[from] incrowd_cluster::ClusterError),
    /// A release cannot be repeated.
    #[error("{}: the release of this record cannot be repeated: {}", path.display(), why.fact())]
    NotRepeatable {
        /// The record.
        path: PathBuf,
        /// The reason.
        why: NotRepeatable,
    },
    /// A release was made with the key of a record, and its files differ from the recorded ones. Nothing was published.
    #[error("the files made with the recorded key differ from those of release {release}")]
    RepeatDiffers {
        /// The id of the release that was to be repeated.
        release: String,
    },
    /// The operating system provided no random numbers.
    #[error("the operating system provided no random numbers")]
    NoRandomness,
    /// The request needs all tuples at once, and they do not fit in memory.
    #[error(
        "{what} needs about {} distinct tuples in memory at once, which take {}, but --memory is {}",
        thousands(*tuples),
        size(*needed),
        size(*limit)
    )]
    NeedsWhole {
        /// What was requested.
        what: String,
        /// About how many tuples there are.
        tuples: u64,
        /// The memory it would take.
        needed: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// There are too many column sets to measure.
    #[error("{columns} columns have too many subsets to measure all of them")]
    TooManySets {
        /// How many columns were requested.
        columns: usize,
    },
}

impl From<VerifyError> for Error {
    /// A cancelled verification is stopped work, not a release that cannot be read.
    fn from(error: VerifyError) -> Self {
        match error {
            VerifyError::Cancelled => Error::from(Stopped),
            error => Error::Verify(error),
        }
    }
}

impl From<Stopped> for Error {
    fn from(Stopped: Stopped) -> Self {
        Error::Engine(EngineError::Cancelled)
    }
}

impl Error {
    /// Refuses rows without a subject where people with sensitive values are counted: they count as one person, which is on
    /// the safe side for k and not for shares.
    pub(crate) fn refuse_nobody(table: &FrequencyTable) -> Result<()> {
        match table.rows_of_nobody() {
            0 => Ok(()),
            rows => Err(Error::NoSubject { rows }),
        }
    }

    /// An error of the operating system about a file.
    pub fn file(path: &Path, error: &std::io::Error) -> Self {
        Error::File { path: path.into(), kind: error.kind(), said: in_words(error) }
    }

    /// Whether it means that a promise does not hold, rather than that something went wrong.
    pub fn is_broken_promise(&self) -> bool {
        matches!(self, Error::Infeasible(_) | Error::NotFound(_) | Error::Unverified(_) | Error::Leak { .. })
    }

    /// Whether it means that the work was stopped before it had an answer.
    pub fn is_stopped(&self) -> bool {
        matches!(self, Error::Engine(EngineError::Cancelled))
    }
}

/// The parts of a plan that are not confirmed.
fn what_is_open(policy: bool, columns: usize) -> String {
    let roles = if columns == 1 { "the role of 1 column".into() } else { format!("the roles of {columns} columns") };
    match (policy, columns) {
        (true, 0) => "k is".into(),
        (true, _) => format!("k and {roles} are"),
        (false, 1) => format!("{roles} is"),
        (false, _) => format!("{roles} are"),
    }
}

/// Why a policy cannot be met, as the end of a message.
fn facts(reasons: &[Infeasible]) -> String {
    reasons.iter().map(|reason| reason.fact.as_str()).collect::<Vec<_>>().join("; ")
}

/// The first names of a list, for the end of a message.
fn first_few(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let more = if names.len() > SHOWN { format!(" and {} more", names.len() - SHOWN) } else { String::new() };
    match names {
        [] => String::new(),
        names => format!(": {}{more}", names[..names.len().min(SHOWN)].join(", ")),
    }
}

/// What the system said, as the engine says it of tables.
fn in_words(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such file or folder".into(),
        ErrorKind::InvalidData => "the file is not UTF-8 text".into(),
        _ => incrowd_engine::system_words(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_verification_is_stopped_work() {
        assert!(Error::from(VerifyError::Cancelled).is_stopped());
    }
}
