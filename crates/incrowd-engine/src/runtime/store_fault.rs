//! Why an object store refused, in words of our own.

use std::borrow::Cow;

use crate::runtime::error::EngineError;
use crate::runtime::remedy::StoreRemedy;

/// What an object store refused, and why, in words of our own: its messages may quote addresses that hold signatures.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{named}: {fact}")]
pub struct StoreFault {
    pub(crate) named: String,
    pub(crate) fact: Cow<'static, str>,
    pub(crate) remedy: StoreRemedy,
}

impl StoreFault {
    pub(crate) fn refusal(named: &str, fact: impl Into<Cow<'static, str>>, remedy: StoreRemedy) -> EngineError {
        EngineError::Store(StoreFault { named: named.into(), fact: fact.into(), remedy })
    }
}
