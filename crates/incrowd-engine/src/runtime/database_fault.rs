//! Why a database refused, in words of our own.

use crate::runtime::error::EngineError;

/// What a database refused, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{named}: {fact}")]
pub struct DatabaseFault {
    /// What the user named.
    pub(crate) named: String,
    /// What happened.
    pub(crate) fact: String,
    /// The way out.
    pub(crate) hint: &'static str,
}

impl From<DatabaseFault> for EngineError {
    fn from(fault: DatabaseFault) -> EngineError {
        EngineError::Database(fault)
    }
}

impl DatabaseFault {
    pub(crate) fn new(named: &str, fact: impl Into<String>, hint: &'static str) -> DatabaseFault {
        DatabaseFault { named: named.into(), fact: fact.into(), hint }
    }
}
