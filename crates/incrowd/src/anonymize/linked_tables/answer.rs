//! What is said of several tables that were released together.

use std::path::PathBuf;

use incrowd_core::KnownRows;
use serde::Serialize;

use super::super::Anonymized;

/// A release of several tables.
#[derive(Clone, Debug, Serialize)]
pub struct LinkedAnonymized {
    /// Where it is.
    pub release: String,
    /// Where the custodian's record is, with a folder for each table.
    #[serde(skip)]
    pub record: PathBuf,
    /// How many people have the same rows in all tables, at least.
    pub k: u64,
    /// How many rows of each table an attacker may know.
    pub known_rows: KnownRows,
    /// How many people the tables have together.
    pub people: u64,
    /// The verifier accepted each table, and all of them together.
    pub verified: bool,
    /// What is promised about people by their rows in all tables.
    pub promises: Vec<String>,
    /// Each table.
    pub tables: Vec<LinkedTableAnswer>,
}

/// One of several tables that were released together.
#[derive(Clone, Debug, Serialize)]
pub struct LinkedTableAnswer {
    /// Its name.
    pub name: String,
    /// How many people have rows in it.
    pub people: u64,
    /// What is said of it as a release.
    #[serde(flatten)]
    pub made: Anonymized,
}
