//! The engine held against input that lies, small memory and plain oracles.
#![allow(clippy::unwrap_used)]

#[path = "engine/applying.rs"]
mod applying;
#[path = "engine/counting.rs"]
mod counting;
#[path = "engine/faults.rs"]
mod faults;
#[path = "engine/files.rs"]
mod files;
#[path = "engine/formats.rs"]
mod formats;
#[path = "engine/leaks.rs"]
mod leaks;
#[path = "engine/limits.rs"]
mod limits;
#[path = "engine/missing.rs"]
mod missing;
#[path = "engine/numbers.rs"]
mod numbers;
#[path = "engine/people.rs"]
mod people;
#[path = "engine/postgres.rs"]
mod postgres;
#[path = "shared/postgres_schema.rs"]
mod postgres_schema;
#[path = "engine/profiles.rs"]
mod profiles;
#[path = "engine/releases.rs"]
mod releases;
#[path = "engine/support.rs"]
mod support;
#[path = "engine/texts.rs"]
mod texts;
#[path = "engine/two_tables.rs"]
mod two_tables;
#[path = "engine/typed_releases.rs"]
mod typed_releases;
#[path = "engine/writing.rs"]
mod writing;
