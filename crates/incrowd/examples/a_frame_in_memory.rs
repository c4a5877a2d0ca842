//! A table that is in memory, as Arrow batches: no file is written to check it.
//!
//! `cargo run --example a_frame_in_memory`
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use arrow::array::{Int64Array, RecordBatch, StringArray};
use incrowd::{Declared, DiagnoseOptions, Engine, Settings, Source, diagnose};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ages = Arc::new(Int64Array::from(vec![34, 34, 71, 52]));
    let towns = Arc::new(StringArray::from(vec!["Ulm", "Ulm", "Bonn", "Bonn"]));
    let frame = RecordBatch::try_from_iter([("age", ages as _), ("town", towns as _)])?;

    let engine = Engine::new(&Settings::default())?;
    let source = Source::of_batches("frame", &frame.schema(), vec![frame])?;
    let declared = Declared { quasi_identifiers: vec!["age".into(), "town".into()], ..Declared::default() };
    let answer = diagnose(&engine, &source, &DiagnoseOptions { declared, k: Some(2), ..DiagnoseOptions::default() })?;
    println!("{} of {} rows are unique on age and town", answer.unique_rows, answer.rows);
    Ok(())
}
