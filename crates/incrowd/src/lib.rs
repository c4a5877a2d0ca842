//! Publish tables about people so that everyone in them stays in a crowd.
//!
//! incrowd tells a data custodian what a table gives away: how many people in it stand alone, which columns together
//! give them away, and what to do next.
//!
//! ```
//! use incrowd::{CheckOptions, Engine, ReadOptions, Settings, Source, check};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("visits.csv");
//! std::fs::write(&path, "age,sex,diagnosis\n34,f,flu\n34,f,cold\n71,m,gout\n")?;
//!
//! let engine = Engine::new(&Settings::default())?;
//! let source = Source::open(&engine, path.to_str().expect("plain path"), ReadOptions::default())?;
//! let answer = check(&engine, &source, &CheckOptions { k: 2, ..CheckOptions::default() })?;
//! assert!(!answer.safe, "the only man of 71 is alone");
//! assert_eq!(answer.diagnosis.unique, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate is a façade: what it hands out is plain data of `incrowd-core`.
//!
//! # The stages of a run
//!
//! ```text
//! Source ──scan──▶ FrequencyTable ──solve──▶ Partition ──recode──▶ Recoding ──apply──▶ files ──rename──▶ release
//!       (engine)         │        (algorithms)            (core)      │      (engine)    │
//!                    diagnosis                                      Judge       verify_staged, canary
//!                      (risk)                                      (verify)           (verify)
//! ```
//!
//! - A stage reads the types to its left and calls no other stage. The types between the stages are plain data of
//!   `incrowd-core`.
//! - Rows are read to count and profile them, and again to write them. A table whose tuples do not fit in memory is
//!   read once more. Every question in between is answered from the distinct tuples.
//! - A release is verified twice: the recoded tuples before a byte is written, and the staged files before they get
//!   their name. No unverified file ever has that name.
//!
//! # What every stage owes
//!
//! - **Determinism.** The same input, plan and seed give the same classes on every machine with any number of threads;
//!   with the recorded key they also give the same bytes. Searches are bounded by effort, which is counted at
//!   sequential points and shared out before work is done in parallel. A time limit comes on top of that, and a result
//!   that it stopped is reported as not repeatable. Times in JSON answers are exempt.
//! - **Cancellation and progress.** Long work takes a [`Watch`](crate::core::Watch). A signal ends it at the next step
//!   and leaves no files.
//! - **Deadlines.** A solver that reaches its time limit returns the best classes that it has found.
//! - **Limits.** Memory is bounded by what the user allows. A stage that needs more spills to disk, uses fewer threads,
//!   works in shards, or refuses with a number. It is not killed.
//! - **Silence about people.** No log line, error, panic, progress line or name of a temporary file holds a cell's
//!   value. Values are shown only on request, and separately from findings.
//! - **Refusals** name the thing, the fact and the remedy.

mod anonymize;
mod ask;
#[cfg(feature = "cluster")]
pub mod cluster;
mod error;
mod explain;
mod exposure;
mod hierarchy_editor;
mod parameters;
mod population;
mod refusals;
mod release;
mod remedy;
mod repeated_identifiers;
pub mod report;
pub mod request;
mod roles;
pub mod sample;
pub mod spellings;
pub mod texts;
mod variants;

pub use anonymize::{
    Anonymized, LinkedAnonymized, LinkedTable, LinkedTableAnswer, LossReport, MostClasses, anonymize, anonymize_tables,
};
pub use ask::check::{Check, CheckOptions, check, columns_of};
pub use ask::diagnose::{
    CountedInPopulation, DiagnoseOptions, Diagnosed, PopulationGiven, SetAnswer, SmallClass, SmallInPopulation,
    SpecialRow, SurveyGiven, diagnose,
};
pub use ask::explain::{Explained, explain_by, explain_value};
pub use ask::feasible::{Feasibility, NearestParameter, RuleFeasibility, feasibility};
pub use ask::lattice::{LatticeNode, LevelLattice, lattice};
pub use ask::live::LiveTable;
pub use ask::verify::{VerifyOptions, manifest, verify};
pub use ask::{attack, compare, query};
pub use error::{Error, KnownRowsFault, NotRepeatable, Result, TablesFault, TreatmentFault};
pub use explain::explain;
pub use hierarchy_editor::{EditError, EditedNode, HierarchyEditor, NodeId};
pub use incrowd_algorithms as algorithms;
pub use incrowd_core as core;
pub use incrowd_core::{counted, thousands};
pub use incrowd_engine::{
    Answer, CellRange, Engine, EngineError, Format, Leftover, MOST_MEMORY, MOST_THREADS, Question, ReadOptions,
    Sentence, Setting, Settings, SheetOptions, Source, Spelling, StatisticsFacts, StatisticsValue, StatisticsVariable,
    TableWriter, Target, TextEncoding, WorkbookFacts, platform, remove_leftovers,
};
pub use incrowd_report::dossier::WithheldFor;
pub use incrowd_risk as risk;
pub use incrowd_verify::{Counts, Manifest, ModelSql, Verdict, sql};
pub use refusals::REFUSALS;
pub use release::{
    ColumnWhy, ExactCounts, Ledger, LedgerEntry, LevelWhy, OpenedRelease, RandomnessRecord, Record, RecordedFile,
    RecordedReading, ReleasedBefore, RuleShare, copy_release,
};
pub use request::{AnonymizeOptions, HierarchyChoice, Others, OutputDialect, Publish};
pub use roles::{ColumnReport, Declared, assign};

/// Whether a panic on this thread is one of a file's reader, which is caught and becomes a refusal.
pub fn panic_is_caught() -> bool {
    incrowd_engine::panic_is_caught() || incrowd_verify::panic_is_caught()
}
