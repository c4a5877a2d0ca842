//! Why a database refused, in words of our own.

use crate::runtime::error::EngineError;
use crate::runtime::remedy::DatabaseRemedy;

/// What a database refused, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{named}: {fact}")]
pub struct DatabaseFault {
    /// What the user named.
    pub(crate) named: String,
    /// What happened.
    pub(crate) fact: String,
    /// What to do about it.
    pub(crate) remedy: DatabaseRemedy,
}

impl From<DatabaseFault> for EngineError {
    fn from(fault: DatabaseFault) -> EngineError {
        EngineError::Database(fault)
    }
}

impl DatabaseFault {
    pub(crate) fn new(named: &str, fact: impl Into<String>, remedy: DatabaseRemedy) -> DatabaseFault {
        DatabaseFault { named: named.into(), fact: fact.into(), remedy }
    }
}
