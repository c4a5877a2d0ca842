//! Tables of more columns than a tuple holds: `check` and `diagnose` against brute force.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use incrowd::core::SearchLimit;
use incrowd::{Check, CheckOptions, Declared, DiagnoseOptions, Engine, ReadOptions, Settings, Source, check, diagnose};

type Rows = Vec<Vec<u64>>;

/// A table of this many columns, in which a column has 2 to 5 values.
fn rows(columns: u64, rows: u64, spread: u64) -> Rows {
    let cell = |row: u64, column: u64| {
        let mixed = (row % spread * 7_919 + column * 104_729 + 17).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
        mixed % (2 + column % 4)
    };
    (0..rows).map(|row| (0..columns).map(|column| cell(row, column)).collect()).collect()
}

struct Opened {
    engine: Engine,
    source: Source,
    _folder: tempfile::TempDir,
}

fn opened(rows: &Rows) -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let mut text = (0..rows[0].len()).map(|column| format!("q{column}")).collect::<Vec<_>>().join(",") + "\n";
    for row in rows {
        writeln!(text, "{}", row.iter().map(|cell| format!("v{cell}")).collect::<Vec<_>>().join(",")).unwrap();
    }
    let path = folder.path().join("wide.csv");
    std::fs::write(&path, text).unwrap();
    let engine = Engine::new(&Settings { temp: Some(folder.path().join("temp")), ..Settings::default() }).unwrap();
    let source = Source::open(&engine, path.to_str().unwrap(), ReadOptions::default()).unwrap();
    Opened { engine, source, _folder: folder }
}

fn checked(rows: &Rows, max_set_size: usize, k: u64) -> Check {
    let Opened { engine, source, _folder } = opened(rows);
    let quasi_identifiers = source.columns();
    let declared = Declared { quasi_identifiers, ..Declared::default() };
    check(&engine, &source, &CheckOptions { declared, max_set_size, k, ..CheckOptions::default() }).unwrap()
}

fn classes(rows: &Rows, columns: &[usize]) -> Vec<u64> {
    let mut classes: BTreeMap<Vec<u64>, u64> = BTreeMap::new();
    rows.iter().for_each(|row| *classes.entry(columns.iter().map(|&at| row[at]).collect()).or_default() += 1);
    classes.into_values().collect()
}

fn place(name: &str) -> usize {
    name[1..].parse().unwrap()
}

#[test]
fn all_columns_of_a_wide_table_are_counted_together() {
    for (columns, spread) in [(130, 10), (200, 50), (200, 1)] {
        let rows = rows(columns, 50, spread);
        let found = checked(&rows, 1, 3);
        let all = classes(&rows, &(0..columns as usize).collect::<Vec<_>>());
        let told = (found.diagnosis.k, found.diagnosis.classes, found.diagnosis.rows);
        assert_eq!(told, (*all.iter().min().unwrap(), all.len() as u64, 50), "{columns} columns");
        assert_eq!(found.diagnosis.below, all.iter().filter(|&&size| size < 3).sum::<u64>());
        assert_eq!(found.diagnosis.quasi_identifiers.len(), columns as usize);
        assert_eq!(found.safe, *all.iter().min().unwrap() >= 3);
    }
}

#[test]
fn what_is_said_of_the_sets_of_a_wide_table_is_true_and_the_rest_is_named() {
    let rows = rows(200, 50, 50);
    let found = checked(&rows, 2, 3);
    let dangerous: BTreeSet<Vec<usize>> = found
        .diagnosis
        .smallest_dangerous
        .iter()
        .map(|set| {
            let columns: Vec<usize> = set.columns.iter().map(|name| place(name)).collect();
            let sizes = classes(&rows, &columns);
            assert_eq!(
                (set.k, set.below),
                (*sizes.iter().min().unwrap(), sizes.iter().filter(|&&size| size < 3).sum())
            );
            columns
        })
        .collect();
    let left = found.diagnosis.not_searched.iter().find(|left| left.limit == SearchLimit::Columns).unwrap();
    let apart: BTreeSet<usize> = left.columns.iter().map(|name| place(name)).collect();
    let alone = |at: usize| classes(&rows, &[at]).into_iter().min().unwrap() >= 3;
    assert!((0..200).all(|at| alone(at) != dangerous.contains(&vec![at])), "every column is judged alone");
    // A pair is decided by a column of it, measured, or named as not measured.
    let mut open = 0;
    for a in 0..200 {
        for b in a + 1..200 {
            let pair = vec![a, b];
            if !alone(a) || !alone(b) {
                assert!(!dangerous.contains(&pair));
            } else if apart.contains(&a) || apart.contains(&b) {
                open += 1;
            } else {
                let small = classes(&rows, &pair).into_iter().min().unwrap() < 3;
                assert_eq!(dangerous.contains(&pair), small, "{pair:?}");
            }
        }
    }
    assert_eq!(left.sets, Some(open));
    assert!(open > 0 && !found.diagnosis.complete);
    assert!(found.diagnosis.findings.iter().any(|finding| finding.code.code == "IC306"));
    let report = incrowd::report::check_dossier(&found, Default::default());
    let sets = report.public.column_sets.unwrap();
    assert!(!sets.complete && !sets.not_searched.is_empty(), "the report says it too");
}

#[test]
fn thousands_of_columns_are_checked_and_diagnosed() {
    let rows = rows(2_000, 20, 20);
    let found = checked(&rows, 1, 2);
    assert_eq!((found.columns.len(), found.diagnosis.quasi_identifiers.len()), (2_000, 2_000));
    assert_eq!((found.diagnosis.k, found.diagnosis.attributes.len()), (1, 2_000));
    let Opened { engine, source, _folder } = opened(&rows);
    let declared = Declared { quasi_identifiers: source.columns(), rows_are_people: true, ..Declared::default() };
    let options = DiagnoseOptions { declared, k: Some(2), sets: true, max_set_size: Some(1), ..Default::default() };
    let told = diagnose(&engine, &source, &options).unwrap();
    assert_eq!((told.k, told.unique_rows, told.holds), (1, 20, Some(false)));
    assert!(told.not_searched.unwrap().iter().any(|left| left.limit == SearchLimit::Columns));
    let (safe, dangerous) = (told.largest_safe.unwrap(), told.smallest_dangerous.unwrap());
    assert_eq!(safe.len() + dangerous.len(), 2_000, "every column is judged alone");
}
