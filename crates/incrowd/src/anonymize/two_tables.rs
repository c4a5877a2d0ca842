//! Publishing in two tables (the lossy join of Wong, Liu, Yin, Huang, Wang and Pei, ER 2006 Workshops; Xiao and Tao's
//! Anatomy, VLDB 2006): quasi-identifiers as they are with a class, and the sensitive values of each class.
//!
//! Nothing is generalized, so figures about quasi-identifiers are exact. In turn who is in the table can be read in the
//! release, and what is learnt over all classes says more about each than its share of values. So the form has to be
//! requested, the learning attack is run before a byte is written, and its success is reported at once.

use incrowd_core::{ColumnSet, FrequencyTable, Partition, Policy, QuasiIdentifier};
use incrowd_engine::{Applied, Engine, EngineError};
use incrowd_risk::attack::{Outcome, Sampling, TwoTables, learning};

use super::Publish;
use super::columns::PublishedTables;
use crate::error::{Error, Result};

/// What two tables do not hide; every release in this form says so.
pub(super) const NOT_HIDDEN: &str = "Two tables do not hide who is in the table: quasi-identifiers are published \
                                     unchanged, so everyone in it can be found there. Only the assignment of the \
                                     sensitive values of a class to its people is obscured.";

impl Publish {
    /// Refuses what cannot be published in two tables: without a rule about sensitive values a class may have a single
    /// value, and nothing else is hidden.
    pub(super) fn check(self, policy: &Policy) -> Result<()> {
        let bare = self == Publish::TwoTables && policy.sensitive().is_empty();
        if bare { Err(Error::NothingBlurred) } else { Ok(()) }
    }
}

/// Attacks the release that these classes would be, once for each protected column, and reports each outcome as a
/// warning.
pub(super) fn attack(
    engine: &Engine,
    table: &FrequencyTable,
    quasi: &[QuasiIdentifier],
    policy: &Policy,
    partition: &Partition,
    seed: u64,
) -> Result<Vec<Outcome>> {
    let known: ColumnSet = quasi.iter().map(|quasi| quasi.column).collect();
    let sampling = Sampling { seed, ..Sampling::default() };
    let secrets: Vec<usize> = policy.sensitive().iter().filter_map(|name| table.position(name)).collect();
    let watch = engine.watch();
    let mut outcomes = Vec::with_capacity(secrets.len());
    watch.progress.warn(NOT_HIDDEN);
    for secret in secrets {
        let tables = TwoTables::new(table, partition, known, secret, &sampling);
        let outcome = learning::attack(&tables, &watch).map_err(|_| EngineError::Cancelled)?;
        watch.progress.warn(&outcome.meaning);
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

/// The entry of the manifest about the two tables of a release.
pub(super) fn entry(tables: &PublishedTables, applied: &Applied) -> Option<incrowd_verify::TwoTables> {
    let ([first, second], Some(_)) = (&applied.files[..], &tables.second) else { return None };
    Some(incrowd_verify::TwoTables {
        class_column: tables.class_column.clone(),
        quasi_identifiers: first.name.clone(),
        sensitive: second.name.clone(),
        does_not_hide: NOT_HIDDEN.into(),
    })
}
