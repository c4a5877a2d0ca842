//! What can go wrong on the way, each with its code and the way out.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use incrowd_core::{HierarchyError, ModelError, Stopped};
use incrowd_engine::EngineError;

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
    /// A column was given two roles.
    #[error("column “{0}” is named with two roles")]
    TwoRoles(String),
    /// A column was given the same role twice.
    #[error("column “{0}” is named twice")]
    NamedTwice(String),
    /// A question that needs quasi-identifiers was asked without any.
    #[error("no quasi-identifiers are named")]
    NoQuasiIdentifiers,
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
    /// An error of the operating system about a file.
    pub fn file(path: &Path, error: &std::io::Error) -> Self {
        Error::File { path: path.into(), kind: error.kind() }
    }

    /// The stable code, for `incrowd explain`.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Engine(error) => error.code(),
            Error::File { .. } => "IC401",
            Error::Hierarchy(_) => "IC501",
            Error::Plan { .. } => "IC502",
            Error::Model(_) => "IC503",
            Error::TwoRoles(_) | Error::NamedTwice(_) | Error::NoQuasiIdentifiers => "IC504",
            Error::TooManySets { .. } => "IC505",
        }
    }

    /// The way out, in one sentence; empty when the message says it already.
    pub fn hint(&self) -> String {
        match self {
            Error::Engine(error) => error.hint(),
            Error::Hierarchy(HierarchyError::Ragged { .. }) => "say --ragged to allow lines of different length".into(),
            Error::Hierarchy(_) | Error::Model(_) => String::new(),
            Error::Plan { .. } => "`incrowd init --schema` prints what a plan may hold".into(),
            Error::File { .. } => "check the path and your permissions".into(),
            Error::NamedTwice(_) => "name each column once".into(),
            Error::TwoRoles(_) => "name each column once, with the role that protects it most".into(),
            Error::NoQuasiIdentifiers => {
                "name the columns an outsider may know with --qi a,b,c; `incrowd check FILE` suggests them".into()
            }
            Error::TooManySets { .. } => "ask for the borders with --sets instead, or name fewer columns".into(),
        }
    }
}

/// What the system said, as the engine says it of tables.
fn in_words(kind: ErrorKind) -> String {
    match kind {
        ErrorKind::NotFound => "there is no such file or folder".into(),
        ErrorKind::InvalidData => "the file is not UTF-8 text".into(),
        other => other.to_string(),
    }
}
