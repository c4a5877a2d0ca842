//! What belongs to one call and to no plan, because a plan is passed on and used again.

use std::num::NonZeroU64;
use std::path::PathBuf;

use serde::Deserialize;

use super::AnonymizeOptions;

/// What belongs to one call.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CallPlan {
    /// Whether to look for a lower bound on the loss of any release.
    pub bound: Option<bool>,
    /// The most distinct tuples that are solved at once.
    pub at_once: Option<NonZeroU64>,
    /// The record of a release that is to be repeated.
    pub repeat: Option<PathBuf>,
    /// Replace a release of the same name.
    pub force: bool,
    /// The folder of the record, for a release that goes to a database or an object store.
    pub record: Option<PathBuf>,
    /// A file with the connection settings of a database.
    pub connection: Option<PathBuf>,
    /// Bytes of memory to use at most.
    pub memory: Option<u64>,
    /// The folder for temporary files.
    pub temp: Option<PathBuf>,
    /// SHA-256 of the file of the plan, as it is published.
    #[serde(skip)]
    pub plan_hash: Option<String>,
}

impl CallPlan {
    pub(super) fn overlay(self, said: CallPlan) -> CallPlan {
        CallPlan {
            bound: said.bound.or(self.bound),
            at_once: said.at_once.or(self.at_once),
            repeat: said.repeat.or(self.repeat),
            force: said.force || self.force,
            record: said.record.or(self.record),
            connection: said.connection.or(self.connection),
            memory: said.memory.or(self.memory),
            temp: said.temp.or(self.temp),
            plan_hash: said.plan_hash.or(self.plan_hash),
        }
    }

    /// Sets the options it stands for.
    pub(super) fn fill(self, options: &mut AnonymizeOptions) {
        options.bound = self.bound.unwrap_or(options.bound);
        options.at_once = self.at_once.map(NonZeroU64::get);
        options.repeat = self.repeat;
        options.force = self.force;
        options.record = self.record;
        options.plan_hash = self.plan_hash;
    }
}
