//! Counting held against a hash map of whole rows.

use incrowd_core::FrequencyTable;
use incrowd_engine::{Question, Settings};

use crate::support::{Desk, Rows, question, tuples, whole};

fn desk(threads: usize) -> Desk {
    Desk::with(&Settings { threads: Some(threads), ..Settings::default() })
}

/// Counts the generated table with several numbers of threads, each of which must find what the oracle finds.
#[track_caller]
fn assert_counted(rows: &Rows, words: usize, files: usize) {
    let mut first: Option<FrequencyTable> = None;
    for threads in [1, 2, 4] {
        let desk = desk(threads);
        for (file, part) in rows.rows.chunks(rows.rows.len().div_ceil(files)).enumerate() {
            let part = Rows { names: rows.names.clone(), rows: part.to_vec() };
            desk.write(&format!("t/{file}.csv"), part.csv());
        }
        let answer = desk.count(&desk.path("t"), &rows.columns()).unwrap();
        let table = whole(&answer);
        assert_eq!(table.layout().words(), words, "the width of the keys");
        assert_eq!((answer.rows, answer.tuples), (rows.rows.len() as u64, table.tuples() as u64));
        assert_eq!(answer.sizes, rows.class_sizes(rows.names.len()));
        match &first {
            None => {
                assert_eq!(tuples(table), rows.tuples());
                first = Some(table.clone());
            }
            Some(first) => assert!(table == first, "{threads} threads found another table than one"),
        }
    }
}

#[test]
fn keys_of_one_word_are_counted_right() {
    assert_counted(&Rows::generate(1, 20_000, &[3, 50, 7, 40]), 1, 4);
}

#[test]
fn keys_of_two_words_are_counted_right() {
    assert_counted(&Rows::generate(2, 10_000, &[3000, 3000, 3000, 2, 3000, 3000, 3, 3000]), 2, 4);
}

#[test]
fn keys_of_four_words_are_counted_right() {
    assert_counted(&Rows::generate(3, 4000, &[900; 20]), 4, 4);
}

#[test]
fn keys_of_eight_words_and_more_than_64_columns_are_counted_right() {
    let mut distinct = vec![20; 90];
    distinct[0] = 3;
    assert_counted(&Rows::generate(4, 1500, &distinct), 8, 2);
}

#[test]
fn keys_of_sixteen_words_and_128_columns_are_counted_right() {
    assert_counted(&Rows::generate(5, 800, &[80; 128]), 16, 2);
}

#[test]
fn dictionaries_that_outgrow_their_field_repeatedly_are_counted_correctly() {
    // The values of a row grow with its place, so fields widen all along the scan, each at its own time.
    let mut rows = Rows::generate(6, 0, &[1; 7]);
    rows.rows = (0..40_000u64)
        .map(|row| (0..7).map(|column| format!("v{}", row % 5 + (row >> (2 * column)) % 20_000)).collect())
        .collect();
    assert_counted(&rows, 2, 1);
}

#[test]
fn a_constant_column_takes_no_bits_and_changes_nothing() {
    let mut rows = Rows::generate(7, 1000, &[1, 5, 1, 5, 1]);
    rows.rows.iter_mut().step_by(3).for_each(|row| row[4].clear());
    assert_counted(&rows, 1, 2);
}

#[test]
fn missing_cells_are_a_value_of_their_own_in_every_column() {
    let mut rows = Rows::generate(8, 3000, &[4, 4, 4]);
    for (at, row) in rows.rows.iter_mut().enumerate().filter(|(at, _)| at % 4 < 3) {
        row[at % 4].clear();
    }
    assert_counted(&rows, 1, 3);
}

#[test]
fn a_file_that_is_read_in_ranges_is_counted_right() {
    let mut rows = Rows::generate(9, 40_000, &[12, 9, 3]);
    rows.names.push("filler".into());
    rows.rows.iter_mut().for_each(|row| row.push("x".repeat(300)));
    assert!(rows.csv().len() > 11 << 20, "large enough to be cut");
    assert_counted(&rows, 1, 1);
}

#[test]
fn sensitive_columns_are_carried_along_and_classes_are_by_quasi_identifier() {
    let desk = desk(2);
    let rows = Rows::generate(10, 5000, &[6, 5, 7, 3]);
    let path = desk.write("t.csv", rows.csv());
    let asked = Question { sensitive: vec!["c2".into(), "c3".into()], ..question(&["c0", "c1"]) };
    let answer = desk.open(&path).unwrap().count(&desk.engine, &asked).unwrap();
    assert_eq!(answer.sizes, rows.class_sizes(2));
    assert_eq!(tuples(whole(&answer)), rows.tuples());
    let sizes_only = Question { sizes_only: true, ..asked };
    let sizes = desk.open(&path).unwrap().count(&desk.engine, &sizes_only).unwrap();
    assert!(sizes.table.is_none());
    assert_eq!((sizes.sizes, sizes.rows, sizes.tuples), (answer.sizes, answer.rows, answer.tuples));
}

#[test]
fn the_order_of_the_rows_leaves_no_trace() {
    let desk = desk(2);
    let mut rows = Rows::generate(11, 3000, &[30, 40, 5]);
    let forwards = desk.count(&desk.write("f.csv", rows.csv()), &rows.columns()).unwrap();
    rows.rows.reverse();
    let backwards = desk.count(&desk.write("b.csv", rows.csv()), &rows.columns()).unwrap();
    assert!(forwards.table == backwards.table);
}

#[test]
fn more_bits_than_a_tuple_can_pack_are_refused() {
    let desk = desk(2);
    let rows = Rows::generate(12, 2500, &[1_000_000; 100]);
    let path = desk.write("t.csv", rows.csv());
    crate::support::assert_refused(
        desk.count(&path, &rows.columns()),
        "IC410",
        "the columns need more than 1,024 bits per tuple",
        "use fewer columns",
    );
}
