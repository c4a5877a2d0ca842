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

mod anonymize;
mod ask;
#[cfg(feature = "cluster")]
pub mod cluster;
mod error;
mod exposure;
mod parameters;
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

pub use anonymize::{Anonymized, LossReport, MostClasses, anonymize};
pub use ask::check::{Check, CheckOptions, check, columns_of};
pub use ask::diagnose::{DiagnoseOptions, Diagnosed, SetAnswer, SmallClass, diagnose};
pub use ask::explain::{Explained, explain_by, explain_value};
pub use ask::verify::{VerifyOptions, manifest, verify};
pub use ask::{attack, compare, query};
pub use error::{Error, NotRepeatable, Result};
pub use incrowd_algorithms as algorithms;
pub use incrowd_core as core;
pub use incrowd_core::{counted, thousands};
pub use incrowd_engine::{
    Answer, Engine, EngineError, Format, Leftover, MOST_MEMORY, MOST_THREADS, Question, ReadOptions, Sentence, Setting,
    Settings, Source, Spelling, TableWriter, Target, remove_leftovers,
};
pub use incrowd_report::dossier::WithheldFor;
pub use incrowd_risk as risk;
pub use incrowd_verify::{Counts, Manifest, ModelSql, Verdict, sql};
pub use refusals::{REFUSALS, explain};
pub use release::{
    ColumnWhy, ExactCounts, Ledger, LedgerEntry, LevelWhy, OpenedRelease, RandomnessRecord, Record, RecordedFile,
    RecordedReading as Reading, ReleasedBefore, RuleShare, copy_release,
};
pub use request as plan;
pub use request::{AnonymizeOptions, HierarchyChoice, Others, Publish};
pub use roles::{ColumnReport, Declared, assign};

/// Whether a panic on this thread is one of a file's reader, which is caught and becomes a refusal.
pub fn panic_is_caught() -> bool {
    incrowd_engine::panic_is_caught() || incrowd_verify::panic_is_caught()
}
