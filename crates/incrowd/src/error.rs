//! What can go wrong on the way, each with its code and the way out.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use incrowd_algorithms::WrongWeights;
use incrowd_core::{FrequencyTable, HierarchyError, Infeasible, ModelError, Stopped, counted, size, thousands};
use incrowd_engine::EngineError;
use incrowd_verify::{Fault, VerifyError};

use crate::variants::Variants;

/// A result of the library.
pub type Result<T> = std::result::Result<T, Error>;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The table could not be read or written.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A hierarchy does not hold together or does not fit its column.
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    /// A policy cannot be kept by this table.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Rows without a subject, of which it is not known how many people they are.
    #[error(
        "{} no value in the subject column, so it is not known how many people have a sensitive value",
        counted(*rows, "row has", "rows have")
    )]
    NoSubject {
        /// How many rows.
        rows: u64,
    },
    /// A question cannot be asked of a release.
    #[error(transparent)]
    Query(#[from] incrowd_core::query::QueryError),
    /// The plan could not be read.
    #[error("{path}: {message}")]
    Plan {
        /// The plan's file.
        path: String,
        /// What is wrong with it, and where.
        message: String,
    },
    /// A file beside the table (a plan, a hierarchy) could not be read or written.
    #[error("{}: {}", path.display(), in_words(*kind))]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        kind: ErrorKind,
    },
    /// A parameter has a value that makes no sense.
    #[error("{parameter} {fact}")]
    Senseless {
        /// The parameter.
        parameter: String,
        /// What it has to be.
        fact: String,
    },
    /// The same thing is asked for twice, so that it is not clear what counts.
    #[error("{what} is asked for twice")]
    Repeated {
        /// What.
        what: String,
    },
    /// Two things are asked for that exclude each other.
    #[error("{0}")]
    Contradictory(String),
    /// A file that is read whole is larger than it may be.
    #[error("{}: larger than {}, the most that is read of such a file", path.display(), size(*most))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        most: u64,
    },
    /// A column was given two roles.
    #[error("column “{0}” is named with two roles")]
    TwoRoles(String),
    /// A column was given the same role twice.
    #[error("column “{0}” is named twice")]
    NamedTwice(String),
    /// A question that needs quasi-identifiers was asked without any.
    #[error("no quasi-identifiers are named")]
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
    #[error("{} no role: {}", if .0.len() == 1 { "a column has" } else { "columns have" }, .0.join(", "))]
    Undeclared(Vec<String>),
    /// A plan was drafted, and nobody has confirmed what was guessed.
    #[error("the plan is a draft: {} not confirmed{}", what_is_open(*policy, columns.len()), first_few(columns))]
    Unconfirmed {
        /// Whether k and the rules are not confirmed.
        policy: bool,
        /// The columns whose entries are not confirmed.
        columns: Vec<String>,
    },
    /// A rule is about a sensitive column in which one value is spelled in several ways.
    #[error("{}; a rule that counts different values would count each spelling", .0.fact())]
    Spellings(Variants),
    /// Spellings of a column are to be read as one, and the column is not published with its values.
    #[error("the spellings of “{0}” are to be read as one, and it is neither a quasi-identifier nor sensitive")]
    UselessFolding(String),
    /// A column has more values than can be looked at for spellings.
    #[error("column “{column}” has more than {} values, too many to find those that are spelled in several ways", thousands(*values))]
    TooManySpellings {
        /// The column.
        column: String,
        /// The values that were counted.
        values: u64,
    },
    /// A model or a hierarchy of sensitive values is for a column that is not declared sensitive.
    #[error("“{0}” is taken as sensitive, but not declared so")]
    NotSensitive(String),
    /// An identifier repeats, so rows may not be people.
    #[error("rows may not be different people: {}", facts.join("; "))]
    RowsMayNotBePeople {
        /// The identifiers that repeat.
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
    /// A column is to be published although it singles out people, and is not published unchanged at all.
    #[error("“{0}” is not published unchanged, so there is nothing to keep")]
    NotKept(String),
    /// Two tables are asked for, and no rule is about sensitive values.
    #[error("two tables are asked for, and no rule of the policy is about a sensitive column")]
    NothingBlurred,
    /// A rule protects a node that the hierarchy of its column does not have.
    #[error("the hierarchy of “{0}” has no node of a label that the policy protects")]
    UnknownNode(String),
    /// There is no such algorithm or loss.
    #[error("there is no {what} `{word}`; choose one of: {}", known.join(", "))]
    UnknownWord {
        /// What was to be chosen.
        what: &'static str,
        /// The word that was written.
        word: String,
        /// The words there are.
        known: Vec<&'static str>,
    },
    /// The policy cannot be kept by any release of this table.
    #[error("the policy cannot be kept: {}", .0.iter().map(|reason| reason.fact.clone()).collect::<Vec<_>>().join("; "))]
    Infeasible(Vec<Infeasible>),
    /// No release that keeps the policy was found; there may be one.
    #[error("a release that keeps the policy was not found: {}", .0.iter().map(|reason| reason.fact.clone()).collect::<Vec<_>>().join("; "))]
    NotFound(Vec<Infeasible>),
    /// The verifier refused what was made. Nothing was published.
    #[error("the verifier refused the release: {}", .0.iter().map(|fault| fault.message.clone()).collect::<Vec<_>>().join("; "))]
    Unverified(Vec<Fault>),
    /// Removed values were found in the written bytes. Nothing was published.
    #[error("{found} of {values} removed values were found in the written bytes")]
    Leak {
        /// How many.
        found: u64,
        /// Of how many.
        values: u64,
    },
    /// The verifier could not do its work.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// The target is a release already.
    #[error("{} is a release already", .0.display())]
    ReleaseExists(PathBuf),
    /// The target exists and is no release.
    #[error("{} exists and is not a release", .0.display())]
    Taken(PathBuf),
    /// A symbolic link stands where something would be written.
    #[error("{} is a symbolic link", .0.display())]
    Link(PathBuf),
    /// A record stands where the record of the new release would go.
    #[error("{} exists: it may be the only record of another release", .0.display())]
    RecordExists(PathBuf),
    /// A file stands where one is to be written.
    #[error("{} exists already", .0.display())]
    FileExists(PathBuf),
    /// A folder that would be replaced holds what incrowd did not write.
    #[error("{} is not replaced: {fact}", folder.display())]
    ForeignFiles {
        /// The folder.
        folder: PathBuf,
        /// Which file it is, by its name.
        fact: String,
    },
    /// The table that is read stands in what would be replaced.
    #[error("{} is not replaced: the table that is read is in it", .0.display())]
    OverSource(PathBuf),
    /// A release or a record that was to be replaced could not be put back.
    #[error("publishing failed, and what was to be replaced could not be put back: it is in {}", .0.display())]
    NotPutBack(PathBuf),
    /// Another ledger stands where the run found one.
    #[error("{}: the ledger was replaced while the release was made", .0.display())]
    LedgerReplaced(PathBuf),
    /// The folder is not a release.
    #[error("{} is not a release", .0.display())]
    NotARelease(PathBuf),
    /// A release is not the one that was published.
    #[error("{} was changed since it was made: {fact}", release.display())]
    ReleaseChanged {
        /// Its folder.
        release: PathBuf,
        /// What differs, by the name of a file.
        fact: String,
    },
    /// The custodian's record is not the one that was written.
    #[error("the internal record {} was changed since it was written: {fact}", folder.display())]
    RecordChanged {
        /// Its folder.
        folder: PathBuf,
        /// What differs, by the name of a file.
        fact: String,
    },
    /// The custodian's record cannot be read.
    #[error("{}: the record is damaged", .0.display())]
    DamagedRecord(PathBuf),
    /// The record of a release is not beside it.
    #[error("{}: the internal record of the release is not there", .0.display())]
    NoRecord(PathBuf),
    /// The record belongs to another release.
    #[error("{}: the internal record is that of another release", .0.display())]
    RecordOfAnother(PathBuf),
    /// The release has no such quasi-identifier, or publishes no such value in it.
    #[error("the release publishes no {what} of that name")]
    NothingToExplain {
        /// What was asked for.
        what: &'static str,
    },
    /// Weights of diversity that do not fit the table and its policy.
    #[error(transparent)]
    Weights(#[from] WrongWeights),
    /// There is no cluster where one was named.
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
    /// The operating system gave no randomness.
    #[error("the operating system gave no random numbers")]
    NoRandomness,
    /// Something that needs all tuples at once, of a table whose tuples outgrow the memory.
    #[error(
        "{what} needs all of about {} distinct tuples at once, which take {}, and --memory is {}",
        thousands(*tuples),
        size(*needed),
        size(*limit)
    )]
    NeedsWhole {
        /// What was asked for.
        what: String,
        /// About how many tuples there are.
        tuples: u64,
        /// The memory it would take.
        needed: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// More column sets than can be looked at.
    #[error("{columns} columns have too many subsets to look at each")]
    TooManySets {
        /// How many columns were asked for.
        columns: usize,
    },
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
        Error::File { path: path.into(), kind: error.kind() }
    }

    /// The stable code, for `incrowd explain`.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Engine(error) => error.code(),
            Error::File { .. } => "IC401",
            Error::TooLarge { .. } => "IC423",
            Error::Hierarchy(error) | Error::HierarchyOf { error, .. } if is_same_label(error) => "IC545",
            Error::Hierarchy(_) | Error::HierarchyOf { .. } | Error::UselessHierarchy(_) => "IC501",
            Error::Plan { .. } => "IC502",
            Error::Model(ModelError::SeveralValues { .. }) => "IC520",
            Error::NoSubject { .. } => "IC521",
            Error::Model(_) | Error::UnknownNode(_) | Error::NothingBlurred => "IC503",
            Error::TwoRoles(_) | Error::NamedTwice(_) | Error::NoQuasiIdentifiers | Error::NotKept(_) => "IC504",
            Error::RowsMayNotBePeople { .. } => "IC525",
            Error::IdentifyingColumns { .. } => "IC526",
            Error::TooManySets { .. } => "IC505",
            Error::Undeclared(_) | Error::NotSensitive(_) => "IC506",
            Error::Unconfirmed { .. } => "IC530",
            Error::Spellings(_) => "IC531",
            Error::UselessFolding(_) | Error::TooManySpellings { .. } => "IC532",
            Error::UnknownWord { .. } | Error::NothingToExplain { .. } | Error::Weights(_) => "IC507",
            Error::Query(_) => "IC508",
            Error::Senseless { .. } => "IC626",
            Error::Repeated { .. } | Error::Contradictory(_) => "IC627",
            Error::Infeasible(_) => "IC601",
            Error::NotFound(_) => "IC625",
            Error::Unverified(_) | Error::Verify(_) => "IC602",
            Error::Leak { .. } => "IC603",
            Error::ReleaseExists(_) | Error::Taken(_) | Error::RecordExists(_) | Error::NotARelease(_) => "IC604",
            Error::FileExists(_) => "IC435",
            Error::ForeignFiles { .. } => "IC615",
            Error::OverSource(_) => "IC616",
            Error::NotPutBack(_) => "IC617",
            Error::LedgerReplaced(_) => "IC618",
            Error::DamagedRecord(_) | Error::NoRecord(_) => "IC605",
            Error::RecordOfAnother(_) => "IC610",
            Error::ReleaseChanged { .. } => "IC630",
            Error::RecordChanged { .. } => "IC631",
            Error::Link(_) => "IC632",
            #[cfg(feature = "cluster")]
            Error::Cluster(_) => "IC421",
            Error::NotRepeatable { .. } => "IC540",
            Error::RepeatDiffers { .. } => "IC613",
            Error::NoRandomness => "IC606",
            Error::NeedsWhole { .. } => "IC410",
        }
    }

    /// Whether it means that a promise does not hold, rather than that something went wrong.
    pub fn is_broken_promise(&self) -> bool {
        matches!(self, Error::Infeasible(_) | Error::NotFound(_) | Error::Unverified(_) | Error::Leak { .. })
    }

    /// Whether it means that the work was stopped before it had an answer.
    pub fn is_stopped(&self) -> bool {
        self.code() == "IC412"
    }

    /// The way out, in one sentence; empty when the message says it already.
    pub fn hint(&self) -> String {
        match self {
            Error::Engine(error) => error.hint(),
            #[cfg(feature = "cluster")]
            Error::Cluster(error) => error.hint().into(),
            Error::Query(error) => error.way_out.clone(),
            Error::Hierarchy(HierarchyError::Ragged { .. }) => "say --ragged to allow lines of different length".into(),
            Error::HierarchyOf { error: HierarchyError::Ragged { .. }, .. } => {
                "say --ragged to allow lines of different length in the hierarchies of quasi-identifiers".into()
            }
            Error::Hierarchy(HierarchyError::ValueLikeLabel)
            | Error::HierarchyOf { error: HierarchyError::ValueLikeLabel, .. } => {
                "where `*` means that the value is missing, say --null '*'".into()
            }
            Error::Hierarchy(_) | Error::HierarchyOf { .. } | Error::Model(_) | Error::UnknownWord { .. } => String::new(),
            Error::Weights(_) => "say --diversity-weights COLUMN=NUMBER,COLUMN=NUMBER, or `inverse`, or `equal`".into(),
            Error::Senseless { .. } => "give a value in that range, or leave it out".into(),
            Error::Repeated { .. } => "name it once, with the value that is meant".into(),
            Error::Contradictory(_) => "leave one of the two out".into(),
            Error::NoSubject { .. } => {
                "fill in the subject of these rows or remove them; without --subject each row is counted as a person".into()
            }
            Error::UselessHierarchy(_) => "name it with --qi, or leave its hierarchy out".into(),
            Error::Undeclared(_) => {
                "name each with --qi, --sensitive, --identifier or --insensitive; `--others remove` leaves the rest out".into()
            }
            Error::RowsMayNotBePeople { columns, .. } => format!(
                "name the column that tells people apart with --subject {}, or state with --rows-are-people that each row is \
                 a different person",
                columns.first().map(String::as_str).unwrap_or("COLUMN")
            ),
            Error::IdentifyingColumns { columns, .. } => {
                let columns = columns.join(",");
                format!(
                    "leave them out with --others remove, generalize them with --qi, or publish them unchanged all the same \
                     with --keep-identifying {columns}"
                )
            }
            Error::NotKept(_) => "name only sensitive or insensitive columns with --keep-identifying".into(),
            Error::Spellings(Variants { column, .. }) => format!(
                "read them as one value with --fold-spellings {column}; if they are different values, say --keep-spellings {column}"
            ),
            Error::UselessFolding(_) => "name only columns that are quasi-identifiers or sensitive".into(),
            Error::TooManySpellings { .. } => "leave it out, or clean its values before".into(),
            Error::Unconfirmed { .. } => {
                "read the entries and correct them, then set `confirmed = true` in each, or confirm all with `incrowd confirm PLAN`"
                    .into()
            }
            Error::NotSensitive(column) => format!("say --sensitive {column}"),
            Error::NothingBlurred => {
                "protect the column with --alpha COLUMN=SHARE, --l N or --p N; two tables hide nothing else".into()
            }
            Error::UnknownNode(_) => "check its spelling; `incrowd hierarchy show FILE` shows all labels".into(),
            Error::Infeasible(reasons) | Error::NotFound(reasons) => reasons.iter().map(|reason| reason.way_out.clone()).collect::<Vec<_>>().join("; "),
            Error::Unverified(_) => "nothing was published; please report this with the plan, without any data".into(),
            Error::Leak { .. } => {
                "nothing was published: a removed value stands in a published column, or the writer leaks; look at free texts first".into()
            }
            Error::Verify(_) => String::new(),
            Error::ReleaseExists(_) => "say --force to write over it, or -o DIR to write elsewhere".into(),
            Error::FileExists(_) => "say --force to write over it, or name another place to write to".into(),
            Error::Taken(_) => "name a folder that does not exist yet with -o DIR".into(),
            Error::Link(_) => "name the file or folder that it points to, or another one, with -o".into(),
            Error::RecordExists(_) => {
                "move it to where its release is, or say -o DIR to write elsewhere; --force replaces it".into()
            }
            Error::ForeignFiles { .. } => {
                "move what you want to keep elsewhere and delete the folder, or say -o DIR to write elsewhere".into()
            }
            Error::OverSource(_) => "say -o DIR to write elsewhere; the table would be deleted".into(),
            Error::NotPutBack(_) => {
                "check the folder and its permissions; the next run to the same name puts it back first".into()
            }
            Error::LedgerReplaced(_) => "nothing was published; run again with the ledger that is there now".into(),
            Error::NotARelease(_) => "name the folder that `incrowd anonymize … -o DIR` made".into(),
            Error::DamagedRecord(_) | Error::NoRecord(_) => {
                "the folder NAME.internal is written beside the release NAME; name what it held by hand".into()
            }
            Error::ReleaseChanged { .. } => {
                "`incrowd verify DIR` lists every difference; get the release again from where it was published".into()
            }
            Error::RecordChanged { .. } => {
                "restore the folder from a backup, or move it elsewhere to read the release without its record".into()
            }
            Error::RecordOfAnother(_) => {
                "name the folder of this release's own record with --record DIR, or move that folder elsewhere".into()
            }
            Error::NothingToExplain { .. } => "values are compared letter for letter, as they stand in the release".into(),
            Error::NotRepeatable { why, .. } => why.remedy().into(),
            Error::RepeatDiffers { .. } => {
                "nothing was published; use the same table, plan and version of incrowd, or make a new release without the record".into()
            }
            Error::NoRandomness => "try again; a system without random numbers cannot shuffle people safely".into(),
            Error::Plan { .. } => "`incrowd init --schema` prints what a plan may hold".into(),
            Error::File { .. } => "check the path and your permissions".into(),
            Error::TooLarge { .. } => "check that this is the right file; for a hierarchy, raise --memory".into(),
            Error::NamedTwice(_) => "name each column once".into(),
            Error::TwoRoles(_) => "name each column once, with the role that protects it most".into(),
            Error::NoQuasiIdentifiers => {
                "name the columns an outsider may know with --qi a,b,c; `incrowd check FILE` suggests them".into()
            }
            Error::NeedsWhole { .. } => {
                "raise --memory to that, choose fewer columns, or ask for k, p, ℓ or α with mondrian or top-down in one table, \
                 which can be had in shards; with a subject column only k can"
                    .into()
            }
            Error::TooManySets { .. } => "ask for the borders with --sets instead, or name fewer columns".into(),
        }
    }
}

/// Why a release cannot be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotRepeatable {
    /// A time limit stopped its search.
    TimeLimit,
    /// A cluster wrote its rows.
    Cluster,
    /// This run is on a cluster.
    OnCluster,
    /// Its record holds no checksums.
    EarlierVersion,
}

impl NotRepeatable {
    fn fact(self) -> &'static str {
        match self {
            NotRepeatable::TimeLimit => "a time limit stopped its search, and a second run may end elsewhere",
            NotRepeatable::Cluster => "a cluster wrote its rows, in an order that is not recorded",
            NotRepeatable::OnCluster => "a cluster writes rows in an order of its own",
            NotRepeatable::EarlierVersion => "the record holds no checksums, as those of earlier versions",
        }
    }

    fn remedy(self) -> &'static str {
        match self {
            NotRepeatable::OnCluster => "repeat it without a cluster",
            _ => "make a new release; one without a time limit and without a cluster can be repeated",
        }
    }
}

/// What of a plan nobody has confirmed.
fn what_is_open(policy: bool, columns: usize) -> String {
    let roles = if columns == 1 { "the role of 1 column".into() } else { format!("the roles of {columns} columns") };
    match (policy, columns) {
        (true, 0) => "k is".into(),
        (true, _) => format!("k and {roles} are"),
        (false, 1) => format!("{roles} is"),
        (false, _) => format!("{roles} are"),
    }
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

/// Whether one label would stand for different values.
fn is_same_label(error: &HierarchyError) -> bool {
    use HierarchyError::{SameAsRoot, SameLabel, ValueLikeLabel};
    matches!(error, SameLabel { .. } | SameAsRoot { .. } | ValueLikeLabel)
}

/// What the system said, as the engine says it of tables.
fn in_words(kind: ErrorKind) -> String {
    match kind {
        ErrorKind::NotFound => "there is no such file or folder".into(),
        ErrorKind::InvalidData => "the file is not UTF-8 text".into(),
        other => other.to_string(),
    }
}
