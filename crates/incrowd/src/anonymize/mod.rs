//! `anonymize`: from a table and a policy to a verified release, in five stages.
//!
//! ```text
//! prepare ──▶ solve (whole | sharded) ──▶ write ──▶ verify ──▶ publish
//! ```
//!
//! Each stage is a function that takes what the one before it gave, as plain data. [`prepare::Prepared`] is what all of
//! them read. A release in two tables, in a database or in an object store takes the same way: `columns` says which
//! tables there are, and [`Destination`] where they go. Nothing is visible under the release's name until the last
//! stage. Several tables of the same people are prepared each, solved together, written and verified each, and
//! published together (`linked_tables/`).

mod anonymized;
mod canaries;
mod columns;
mod delta_table;
mod dossier;
mod explain;
mod item_labels;
mod kept_columns;
mod labels;
mod ledger_entry;
mod linked_rows;
mod linked_tables;
mod manifest_text;
mod mean_groups;
mod notes;
mod population;
mod prepare;
mod publish;
mod quasi_identifiers;
mod randomness;
mod repeat;
mod sharded;
mod solve;
mod solver_request;
mod survey;
mod time_limit;
mod treatments;
mod two_tables;
mod value_groups;
mod verify;
#[cfg(feature = "cluster")]
mod verify_tasks;
mod write;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use incrowd_engine::{Engine, Source};

use crate::error::Result;
use crate::release::{Destination, DestinationOptions};
use crate::request::{AnonymizeOptions, Others, OutputDialect, Publish};
use crate::spellings;
use prepare::{RunDecisions, prepare};
use time_limit::TimeLimit;

#[cfg(feature = "cluster")]
pub(crate) use {sharded::run_task as run_shard_task, verify_tasks::run_task as run_verify_task};

pub use anonymized::Anonymized;
pub use explain::loss_report::LossReport;
pub use explain::most_classes::MostClasses;
pub use linked_tables::{LinkedAnonymized, LinkedTable, LinkedTableAnswer, anonymize_tables};
#[cfg(test)]
pub(crate) use manifest_text::empty_manifest;

/// Solves, recodes, writes, verifies and publishes.
///
/// The target is a folder, `postgres:schema.name` for tables of a database, or `s3://bucket/name`. Nothing that the
/// verifier has not accepted ever bears its name; on any error nothing is left there.
pub fn anonymize(engine: &Engine, source: &Source, options: &AnonymizeOptions, target: &Path) -> Result<Anonymized> {
    let begun = Instant::now();
    let with_k = survey::with_k(engine, source, options)?;
    let options = with_k.as_ref().map_or(options, |(options, _)| options);
    let time_limit = TimeLimit { deadline: options.time.map(|time| begun + time), cancel: engine.watch().cancel };
    let decided = RunDecisions::of(source, options)?;
    let folded = spellings::folded(engine, source, &options.fold_spellings, &options.declared)?;
    let source = folded.as_ref().unwrap_or(source);
    // Before any work is done: a target that is taken is refused at once.
    let (force, record, connection) = (options.force, options.record.as_deref(), options.reading.connection.as_deref());
    let place = DestinationOptions { force, record, connection };
    delta_table::refuse_database(options.delta, target)?;
    let mut destination = Destination::begin(engine, source, target, &place)?;
    #[cfg(feature = "cluster")]
    engine.share_folder(&destination.written_to(), target);

    let with_population;
    let drawn = repeat::randomness(engine, options)?;
    let (mut run, counted) = prepare(engine, source, options, target, decided, (time_limit, drawn))?;
    run.survey = with_k.as_ref().map(|(_, note)| note.clone());
    run.population = population::read(&run, &counted)?;
    if let Some(population) = &run.population {
        let policy = options.policy.clone().about(Arc::clone(&population.given));
        with_population = AnonymizeOptions { policy, ..options.clone() };
        run.options = &with_population;
    }
    let solved = solve::solve(&run, counted)?;
    let written = write::write(&run, solved, &mut destination)?;
    let verified = verify::verify(&run, written, &destination)?;
    publish::publish(&run, verified, destination)
}
