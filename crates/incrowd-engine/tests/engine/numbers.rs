//! Numbers, instants and flags in typed files have one form each, and none is lost.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, Date32Array, Date64Array, Float16Array, Float32Array, Float64Array, Int64Array, StringArray,
    TimestampMillisecondArray, TimestampSecondArray, UInt64Array,
};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use incrowd_core::{Kind, Values};

use crate::support::{CANARY, Desk, assert_refused, labels, nulls, question, whole};

/// The kind, the labels and the class sizes of one column.
fn read(column: ArrayRef) -> (Kind, Vec<String>, Vec<(u64, u64)>) {
    let desk = Desk::new();
    let path = desk.parquet("t.parquet", vec![("c", column)]);
    let answer = desk.count(&path, &["c"]).unwrap();
    let table = whole(&answer);
    (table.attributes()[0].dictionary.kind(), labels(table, 0), answer.sizes.histogram().to_vec())
}

#[test]
fn nan_is_missing_and_zero_has_one_sign_and_infinity_is_one_value() {
    let special = [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, 1.5];
    let (kind, labels, sizes) = read(Arc::new(Float64Array::from(special.to_vec())));
    assert_eq!(kind, Kind::Number);
    assert_eq!(labels, ["-inf", "0", "1.5", "inf", "(missing)"]);
    assert_eq!(sizes, [(1, 2), (2, 3)]);
    let singles: Vec<f32> = special.iter().map(|&number| number as f32).collect();
    let (_, labels, sizes) = read(Arc::new(Float32Array::from(singles)));
    assert_eq!((labels.join(" "), sizes), ("-inf 0 1.5 inf (missing)".into(), vec![(1, 2), (2, 3)]));
    let halves: ArrayRef = cast(&Float64Array::from(special.to_vec()), &DataType::Float16).unwrap();
    assert!(halves.as_any().is::<Float16Array>());
    let desk = Desk::new();
    let path = desk.parquet("t.parquet", vec![("c", halves)]);
    let answer = desk.count(&path, &["c"]).unwrap();
    assert_eq!(labels_of(&answer), "-inf 0 1.5 inf (missing)");
}

fn labels_of(answer: &incrowd_engine::Answer) -> String {
    labels(whole(answer), 0).join(" ")
}

#[test]
fn a_single_is_shown_as_it_was_written() {
    let (_, labels, _) = read(Arc::new(Float32Array::from(vec![0.1, 16_777_216.0, -2.5])));
    assert_eq!(labels, ["-2.5", "0.1", "16777216"]);
}

#[test]
fn a_whole_number_beyond_the_signed_ones_is_kept_to_its_last_digit() {
    let (kind, labels, sizes) = read(Arc::new(UInt64Array::from(vec![u64::MAX, u64::MAX - 1, 7, u64::MAX])));
    assert_eq!(kind, Kind::Text);
    assert_eq!(labels, ["18446744073709551614", "18446744073709551615", "7"]);
    assert_eq!(sizes, [(1, 2), (2, 1)]);
    assert_eq!(read(Arc::new(UInt64Array::from(vec![8, 7]))).0, Kind::Integer);
    let (_, labels, _) = read(Arc::new(Int64Array::from(vec![i64::MIN, i64::MAX, 9_007_199_254_740_993])));
    assert_eq!(labels, ["-9223372036854775808", "9007199254740993", "9223372036854775807"]);
}

#[test]
fn midnights_are_days_and_other_instants_are_texts_in_order() {
    let day = 86_400_000;
    let (kind, labels, _) = read(Arc::new(TimestampMillisecondArray::from(vec![0, day, -day])));
    assert_eq!((kind, labels.join(" ")), (Kind::Date, "1969-12-31 1970-01-01 1970-01-02".into()));
    let (kind, labels, _) = read(Arc::new(TimestampMillisecondArray::from(vec![0, 1, 1000, -1])));
    assert_eq!(kind, Kind::Text);
    let expected = ["1969-12-31T23:59:59.999", "1970-01-01T00:00:00", "1970-01-01T00:00:00.001", "1970-01-01T00:00:01"];
    assert_eq!(labels, expected);
    assert_eq!(read(Arc::new(Date32Array::from(vec![3745, -1]))).1, ["1969-12-31", "1980-04-03"]);
    assert_eq!(read(Arc::new(Date64Array::from(vec![3745 * day]))).1, ["1980-04-03"]);
}

#[test]
fn instants_beyond_the_calendar_stay_different_values() {
    let far = i64::MAX / 86_400 * 86_400;
    let desk = Desk::new();
    let column: ArrayRef = Arc::new(TimestampSecondArray::from(vec![far, far - 86_400, far - (86_400 << 32), 5]));
    let path = desk.path("t.arrow");
    crate::formats::arrow_file(&path, vec![("c", column)]);
    let answer = desk.count(&path, &["c"]).unwrap();
    assert_eq!((answer.tuples, answer.sizes.k(), answer.sizes.classes()), (4, 1, 4));
}

#[test]
fn a_null_marker_means_the_same_in_a_typed_file_as_in_a_text() {
    let desk = Desk::new();
    let path = desk.parquet(
        "t.parquet",
        vec![
            ("age", Arc::new(Int64Array::from(vec![Some(-99), None, Some(30)])) as ArrayRef),
            ("weight", Arc::new(Float64Array::from(vec![Some(-99.0), None, Some(70.5)]))),
            ("name", Arc::new(StringArray::from(vec!["-99", "", "x"]))),
        ],
    );
    let table = desk.open_with(&path, nulls(&["-99"])).unwrap();
    for column in ["age", "weight", "name"] {
        let answer = table.count(&desk.engine, &question(&[column])).unwrap();
        assert_eq!(answer.sizes.histogram(), [(1, 1), (2, 1)], "{column}");
        assert_eq!(whole(&answer).attributes()[0].dictionary.missing(), Some(1), "{column}");
    }
}

#[test]
fn a_nul_or_a_document_in_a_typed_file_is_refused_by_its_column() {
    let desk = Desk::new();
    let column = |text: String| Arc::new(StringArray::from(vec!["a".to_string(), text])) as ArrayRef;
    let path = desk.parquet("nul.parquet", vec![("name", column(format!("{CANARY}\0")))]);
    let hint = "remove NUL characters from the file; they usually come from a broken export";
    let words = "column “name”: the cell contains a NUL character";
    assert_refused(desk.count(&path, &["name"]), "IC405", words, hint);
    let path = desk.parquet("long.parquet", vec![("name", column(CANARY.repeat(70_000)))]);
    let hint = "remove the column from the table: such long texts cannot be published safely";
    assert_refused(desk.count(&path, &["name"]), "IC405", "column “name”: a cell is longer than 1 MiB", hint);
}

#[test]
fn decimals_are_numbers_with_their_scale_when_a_double_can_hold_them() {
    let decimals = |texts: Vec<&str>, scale| cast(&StringArray::from(texts), &DataType::Decimal128(38, scale)).unwrap();
    let desk = Desk::new();
    let path = desk.parquet("t.parquet", vec![("c", decimals(vec!["1.50", "-2.00", "1.5"], 2))]);
    let answer = desk.count(&path, &["c"]).unwrap();
    let expected = Values::Numbers { values: vec![-2.0, 1.5], scale: Some(2) };
    assert_eq!(whole(&answer).attributes()[0].dictionary.values(), &expected);
    let (kind, labels, _) = read(decimals(vec!["12345678901234567890.1", "12345678901234567890.2"], 1));
    assert_eq!((kind, labels.len()), (Kind::Text, 2), "two decimals that one double would hold stay apart");
}
