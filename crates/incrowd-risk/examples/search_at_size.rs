//! How long the diagnosis of `check` takes on tuples that are in memory: seconds, sets measured, and what was not searched.
//!
//! `cargo run --release -p incrowd-risk --example search_at_size`

use std::io::Write;
use std::time::Instant;

use incrowd_core::{Attribute, Dictionary, FrequencyTable, NotSearched, Role, Values};
use incrowd_risk::diagnosis::{DiagnosisOptions, diagnose};

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout();
    for (columns, rows) in [(30, 1_000), (128, 3_000), (30, 100_000), (30, 1_000_000)] {
        let table = table(columns, rows);
        let started = Instant::now();
        let found = diagnose(&table, &DiagnosisOptions { max_set_size: 3, ..DiagnosisOptions::default() });
        let seconds = started.elapsed().as_secs_f64();
        let left: Vec<String> = found.not_searched.iter().map(NotSearched::sentence).collect();
        let (sets, left) = (found.groupings, left.join("; "));
        writeln!(out, "| {columns} | {rows} | {} | {seconds:.2} | {sets} | {left} |", table.tuples())?;
    }
    Ok(())
}

/// Columns of 2, 3, 5, 10 and 50 values in turn; of a long table two columns have about as many values as rows.
fn table(columns: u32, rows: u64) -> FrequencyTable {
    let values = |column: u32| match column {
        7 | 19 if rows >= 100_000 => rows,
        _ => [2, 3, 5, 10, 50][column as usize % 5],
    };
    let attribute = |column: u32| {
        let dictionary = Dictionary::new(Values::Integers((0..values(column) as i64).collect()), false);
        Attribute::new(format!("q{column}"), Role::QuasiIdentifier, dictionary)
    };
    let mixed = |row: u64, column: u32| {
        let one = (row << 8 | u64::from(column)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let two = (one ^ one >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (two ^ two >> 32) % values(column)
    };
    let tuples = (0..rows).map(|row| ((0..columns).map(|column| mixed(row, column) as u32).collect::<Vec<_>>(), 1));
    FrequencyTable::from_tuples((0..columns).map(attribute).collect(), tuples)
}
