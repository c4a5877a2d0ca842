//! What can go wrong on the way, each with its code and the way out.

use incrowd_core::{HierarchyError, ModelError};
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
    /// A column was given two roles.
    #[error("column “{0}” is named with two roles")]
    TwoRoles(String),
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

impl Error {
    /// The stable code, for `incrowd explain`.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Engine(error) => error.code(),
            Error::Hierarchy(_) => "IC501",
            Error::Plan { .. } => "IC502",
            Error::Model(_) => "IC503",
            Error::TwoRoles(_) | Error::NoQuasiIdentifiers => "IC504",
            Error::TooManySets { .. } => "IC505",
        }
    }

    /// The way out, in one sentence; empty when the message says it already.
    pub fn hint(&self) -> String {
        match self {
            Error::Engine(error) => error.hint(),
            Error::Hierarchy(_) | Error::Model(_) => String::new(),
            Error::Plan { .. } => "`incrowd init --schema` prints what a plan may hold".into(),
            Error::TwoRoles(_) => "name each column once, with the role that protects it most".into(),
            Error::NoQuasiIdentifiers => {
                "name the columns an outsider may know with --qi a,b,c; `incrowd check FILE` suggests them".into()
            }
            Error::TooManySets { .. } => "ask for the borders with --sets instead, or name fewer columns".into(),
        }
    }
}
