//! Columns of every type are recoded by their values and kept as they are, from and to every format.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::types::Int32Type;
use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array, Float64Array, Int64Array,
    LargeStringArray, ListArray, NullArray, StringArray, StringViewArray, TimestampMicrosecondArray, UInt8Array,
    UInt64Array,
};
use incrowd_core::MISSING_LABEL;
use parquet::file::properties::WriterProperties;

use crate::releases::{FORMATS, Job, each_alone, read};
use crate::support::{Desk, assert_refused, question, refusal};

/// Four rows, the third without values; each column with its cells as CSV writes them.
fn columns() -> Vec<(&'static str, ArrayRef, [&'static str; 4])> {
    let long = "a text that is too long to stand inline";
    let dictionary: DictionaryArray<Int32Type> =
        vec![Some("Ulm"), Some("Ulm"), None, Some("Bonn")].into_iter().collect();
    let instants = TimestampMicrosecondArray::from(vec![Some(1_500_000), Some(0), None, Some(-1)]);
    let days = TimestampMicrosecondArray::from(vec![Some(86_400_000_000), Some(0), None, Some(-86_400_000_000)]);
    let decimals = Decimal128Array::from(vec![Some(150), Some(-5), None, Some(0)]).with_precision_and_scale(9, 2);
    vec![
        (
            "text",
            Arc::new(StringArray::from(vec![Some("a, \"b\""), Some("x"), None, Some("x")])),
            ["a, \"b\"", "x", "", "x"],
        ),
        (
            "large",
            Arc::new(LargeStringArray::from(vec![Some("00501"), Some("7"), None, Some(long)])),
            ["00501", "7", "", long],
        ),
        ("view", Arc::new(StringViewArray::from(vec![Some(long), Some("b"), None, Some(long)])), [long, "b", "", long]),
        ("dictionary", Arc::new(dictionary), ["Ulm", "Ulm", "", "Bonn"]),
        (
            "whole",
            Arc::new(Int64Array::from(vec![Some(-7), Some(i64::MAX), None, Some(0)])),
            ["-7", "9223372036854775807", "", "0"],
        ),
        ("small", Arc::new(UInt8Array::from(vec![Some(255), Some(0), None, Some(1)])), ["255", "0", "", "1"]),
        (
            "unsigned",
            Arc::new(UInt64Array::from(vec![Some(u64::MAX), Some(0), None, Some(1)])),
            ["18446744073709551615", "0", "", "1"],
        ),
        (
            "flag",
            Arc::new(BooleanArray::from(vec![Some(true), Some(false), None, Some(true)])),
            ["true", "false", "", "true"],
        ),
        (
            "single",
            Arc::new(Float32Array::from(vec![Some(0.1), Some(-0.0), None, Some(f32::NAN)])),
            ["0.1", "0", "", ""],
        ),
        (
            "double",
            Arc::new(Float64Array::from(vec![Some(1.0), Some(2.5), None, Some(f64::NAN)])),
            ["1", "2.5", "", ""],
        ),
        (
            "date",
            Arc::new(Date32Array::from(vec![Some(3745), Some(-1), None, Some(0)])),
            ["1980-04-03", "1969-12-31", "", "1970-01-01"],
        ),
        (
            "instant",
            Arc::new(instants),
            ["1970-01-01T00:00:01.500000", "1970-01-01T00:00:00", "", "1969-12-31T23:59:59.999999"],
        ),
        (
            "zoned",
            Arc::new(
                TimestampMicrosecondArray::from(vec![Some(1), Some(0), None, Some(-1)]).with_timezone("Europe/Berlin"),
            ),
            // As the clocks there show it.
            ["1970-01-01T01:00:00.000001", "1970-01-01T01:00:00", "", "1970-01-01T00:59:59.999999"],
        ),
        ("days", Arc::new(days), ["1970-01-02", "1970-01-01", "", "1969-12-31"]),
        ("decimal", Arc::new(decimals.unwrap()), ["1.50", "-0.05", "", "0.00"]),
        ("nothing", Arc::new(NullArray::new(4)), ["", "", "", ""]),
    ]
}

#[test]
fn every_type_is_recoded_by_its_values_and_kept_unchanged() {
    let desk = Desk::new();
    let table = columns();
    let names: Vec<&str> = table.iter().map(|(name, ..)| *name).collect();
    let arrays: Vec<(&str, ArrayRef)> = table.iter().map(|(name, array, _)| (*name, array.clone())).collect();
    crate::formats::arrow_file(&desk.path("t.arrow"), arrays.clone());
    for path in [desk.path("t.arrow"), desk.parquet("t.parquet", arrays)] {
        // Each column is recoded and kept at once: both say the same, since every tuple is a class of its own.
        let job = Job::new(&desk, desk.open(&path).unwrap(), &question(&names), &names, each_alone);
        for format in FORMATS {
            let (published, rows) = read(&job.publish(&desk, &format!("{path}.out"), format).unwrap().1);
            assert_eq!(published, names.iter().chain(&names).copied().collect::<Vec<_>>());
            for (at, (name, _, cells)) in table.iter().enumerate() {
                let mut expected: Vec<Option<&str>> =
                    cells.iter().map(|cell| Some(*cell).filter(|cell| !cell.is_empty())).collect();
                expected.sort_unstable();
                let column = |at: usize| {
                    let mut cells: Vec<Option<&str>> = rows.iter().map(|row| row[at].as_deref()).collect();
                    cells.sort_unstable();
                    cells
                };
                assert_eq!(column(at), expected, "{name} recoded, {format:?} of {path}");
                let typed = ["single", "double", "instant", "zoned", "days"].contains(name) && format != FORMATS[0];
                if typed {
                    // These have another form in the display of arrow.
                    assert_eq!(column(names.len() + at).iter().flatten().count(), expected.iter().flatten().count());
                } else {
                    assert_eq!(column(names.len() + at), expected, "{name} kept, {format:?} of {path}");
                }
            }
            assert!(rows.iter().flatten().flatten().all(|cell| cell != MISSING_LABEL));
        }
    }
}

#[test]
fn long_texts_are_written_in_blocks_that_do_not_hang_on_memory() {
    let mut sizes = BTreeMap::new();
    for memory in [None, Some(24 << 20)] {
        let desk = Desk::with(&incrowd_engine::Settings { memory, threads: Some(2), ..Default::default() });
        let texts: Vec<String> = (0..600).map(|row| format!("{row}{}", "x".repeat(100_000))).collect();
        let towns: Vec<String> = (0..600).map(|row| format!("town {}", row % 3)).collect();
        let entries: DictionaryArray<Int32Type> = texts.iter().map(|text| Some(text.as_str())).collect();
        let columns: Vec<(&str, ArrayRef)> =
            vec![("town", Arc::new(StringArray::from(towns))), ("note", Arc::new(entries))];
        // Row groups, and so pages, that fit into the smaller memory.
        let small = WriterProperties::builder().set_dictionary_enabled(false).set_max_row_group_row_count(Some(30));
        let source = desk.open(&desk.parquet_with("t.parquet", columns, small.build())).unwrap();
        let job = Job::new(&desk, source, &question(&["town"]), &["note"], each_alone);
        for format in FORMATS {
            let (applied, path) = job.publish(&desk, "out", format).unwrap();
            assert_eq!((applied.rows, applied.spilled_bytes > 0), (600, memory.is_some()));
            let bytes = std::fs::read(&path).unwrap();
            assert!(*sizes.entry(format.name()).or_insert_with(|| bytes.clone()) == bytes, "{format:?}");
            let mut notes: Vec<String> = read(&path).1.into_iter().map(|row| row[1].clone().unwrap()).collect();
            notes.sort_unstable();
            let mut expected = texts.clone();
            expected.sort_unstable();
            assert!(notes == expected);
        }
        assert!(crate::releases::arrow_batches(desk.path("out/data.arrow").as_ref()).len() > 6, "of 8 MiB each");
    }
}

#[test]
fn cells_that_cannot_be_published_as_they_are_are_refused() {
    let desk = Desk::new();
    let town: ArrayRef = Arc::new(StringArray::from(vec!["Ulm", "Wien"]));
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)]), None]);
    let nul: ArrayRef = Arc::new(StringArray::from(vec!["a\0SECRET-CANARY-77", "b"]));
    let long: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat((1 << 20) + 1), "b".into()]));
    let columns = vec![("town", town), ("list", Arc::new(lists) as ArrayRef), ("nul", nul), ("long", long)];
    let path = desk.parquet("t.parquet", columns);
    let job = |kept: &str| Job::new(&desk, desk.open(&path).unwrap(), &question(&["town"]), &[kept], each_alone);
    let refused = refusal(job("list").publish(&desk, "out", FORMATS[0]));
    assert_eq!(refused.code(), "IC408");
    assert!(refused.to_string().contains("cannot be published unchanged"), "{refused}");
    let hint = "remove NUL characters from the file; they usually come from a broken export";
    assert_refused(
        job("nul").publish(&desk, "out", FORMATS[0]),
        "IC405",
        "column “nul”: the cell contains a NUL character",
        hint,
    );
    let hint = "remove the column from the table: such long texts cannot be published safely";
    assert_refused(
        job("long").publish(&desk, "out", FORMATS[0]),
        "IC405",
        "column “long”: a cell is longer than 1 MiB",
        hint,
    );
    assert_eq!(refusal(job("none").publish(&desk, "out", FORMATS[0])).code(), "IC407");
}
