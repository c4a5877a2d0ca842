//! One table is one table, however it is stored.

use std::fs::File;
use std::io::Write;
use std::sync::Arc;

use arrow::array::types::Int32Type;
use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int8Array, Int32Array,
    LargeStringArray, ListArray, StringArray, StringViewArray, StructArray, TimestampMicrosecondArray, UInt64Array,
};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Int32Type as I32};
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow::record_batch::RecordBatch;
use incrowd_engine::Format;

use crate::support::{Desk, assert_refused, question, remedy, tuples, whole};

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true))).unwrap()
}

/// Writes an Arrow file.
pub(crate) fn arrow_file(path: &str, columns: Vec<(&str, ArrayRef)>) {
    arrow_file_with(path, columns, IpcWriteOptions::default());
}

fn arrow_file_with(path: &str, columns: Vec<(&str, ArrayRef)>, options: IpcWriteOptions) {
    let batch = batch(columns);
    let mut writer = FileWriter::try_new_with_options(File::create(path).unwrap(), &batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
}

const HEADER: [&str; 10] = ["name", "town", "job", "age", "height", "born", "seen", "member", "income", "id"];

/// The small table as typed columns; `town` and `job` are dictionaries.
fn columns() -> Vec<(&'static str, ArrayRef)> {
    let names = vec![Some("Ada"), Some("Bo, the \"second\""), None, Some("Ada"), Some("Zoë")];
    let towns = vec![Some("Ulm"), Some("Wien"), Some("Wien"), Some("Ulm"), None];
    let jobs: DictionaryArray<Int32Type> =
        vec![Some("baker"), Some("a rather long profession"), None, Some("baker"), Some("baker")].into_iter().collect();
    let ages: DictionaryArray<Int32Type> = DictionaryArray::new(
        Int32Array::from(vec![Some(1), Some(0), None, Some(1), Some(0)]),
        Arc::new(Int8Array::from(vec![31, -4, 99])),
    );
    let seen = [1_600_000_000_000_000, 1_600_000_000_500_000, 0, 1_600_000_000_000_000, -1];
    let incomes = StringArray::from(vec!["10.50", "-3.25", "10.50", "10.50", "0.00"]);
    let arrays: [ArrayRef; 10] = [
        Arc::new(StringArray::from(names)),
        Arc::new(StringArray::from(towns)),
        Arc::new(jobs),
        Arc::new(ages),
        Arc::new(Float64Array::from(vec![Some(1.5), Some(2.25), None, Some(1.5), Some(-0.0)])),
        Arc::new(Date32Array::from(vec![Some(3745), Some(0), Some(-1), Some(3745), None])),
        Arc::new(TimestampMicrosecondArray::from(seen.to_vec())),
        Arc::new(BooleanArray::from(vec![Some(true), Some(false), None, Some(true), Some(true)])),
        cast(&incomes, &DataType::Decimal128(10, 2)).unwrap(),
        Arc::new(UInt64Array::from(vec![u64::MAX, 0, 1, u64::MAX, u64::MAX - 1])),
    ];
    HEADER.into_iter().zip(arrays).collect()
}

/// The same table as text.
fn text(delimiter: &str) -> String {
    let rows = [
        "Ada|Ulm|baker|-4|1.5|1980-04-03|2020-09-13T12:26:40|true|10.50|18446744073709551615",
        "\"Bo, the \"\"second\"\"\"|Wien|a rather long profession|31|2.25|1970-01-01|2020-09-13T12:26:40.500000|false|-3.25|0",
        "|Wien|||||1970-01-01T00:00:00||10.50|1",
        "Ada|Ulm|baker|-4|1.5|1980-04-03|2020-09-13T12:26:40|true|10.50|18446744073709551615",
        "Zoë||baker|31|0||1969-12-31T23:59:59.999999|true|0.00|18446744073709551614",
    ];
    let rows = rows.map(|row| row.replace("|||||1970", "||||1969-12-31|1970"));
    let lines = std::iter::once(HEADER.join("|")).chain(rows);
    lines.map(|line| line.replace('|', delimiter)).collect::<Vec<_>>().join("\n")
}

fn stored_in_every_way(desk: &Desk) -> Vec<String> {
    let mut paths = vec![
        desk.write("t.csv", text(",")),
        desk.write("windows.csv", text(",").replace('\n', "\r\n")),
        desk.write("t.tsv", text("\t")),
        desk.write("semicolon.txt", text(";")),
        desk.write("t.csv.zst", zstd::encode_all(text(",").as_bytes(), 3).unwrap()),
    ];
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text(",").as_bytes()).unwrap();
    paths.push(desk.write("t.csv.gz", gzip.finish().unwrap()));
    paths.push(desk.parquet("t.parquet", columns()));
    let views = |data_type: DataType| {
        let mut columns = columns();
        columns.iter_mut().take(2).for_each(|(_, array)| *array = cast(array, &data_type).unwrap());
        columns
    };
    assert!(views(DataType::Utf8View)[0].1.as_any().is::<StringViewArray>());
    assert!(views(DataType::LargeUtf8)[0].1.as_any().is::<LargeStringArray>());
    for (name, columns, compression) in [
        ("t.arrow", columns(), None),
        ("views.arrow", views(DataType::Utf8View), None),
        ("large.arrow", views(DataType::LargeUtf8), None),
        ("lz4.feather", columns(), Some(CompressionType::LZ4_FRAME)),
        ("zstd.feather", columns(), Some(CompressionType::ZSTD)),
    ] {
        let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
        arrow_file_with(&desk.path(name), columns, options);
        paths.push(desk.path(name));
    }
    let batch = batch(columns());
    let stream = desk.path("t.arrows");
    let mut writer = StreamWriter::try_new(File::create(&stream).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    paths.push(stream);
    paths
}

#[test]
fn the_same_table_in_every_format_has_the_same_tuples() {
    let desk = Desk::new();
    let paths = stored_in_every_way(&desk);
    let first = desk.count(&paths[0], &HEADER).unwrap();
    assert_eq!((first.rows, first.sizes.k(), first.sizes.histogram()), (5, 1, &[(1, 3), (2, 1)][..]));
    for path in &paths[1..] {
        let table = desk.open(path).unwrap();
        assert_eq!(table.columns(), HEADER, "{path}");
        let answer = table.count(&desk.engine, &question(&HEADER)).unwrap();
        assert_eq!(tuples(whole(&answer)), tuples(whole(&first)), "{path}");
        for column in HEADER {
            let (one, other) = (desk.count(&paths[0], &[column]).unwrap(), desk.count(path, &[column]).unwrap());
            let kind = |answer| whole(answer).attributes()[0].dictionary.kind();
            assert_eq!((kind(&one), &one.sizes), (kind(&other), &other.sizes), "{column} of {path}");
        }
        let profiles = table.profile(&desk.engine).unwrap();
        assert_eq!(profiles.iter().map(incrowd_core::ColumnProfile::distinct).sum::<u64>(), 28, "{path}");
    }
}

#[test]
fn a_compressed_text_of_several_members_is_read_to_its_end() {
    let desk = Desk::new();
    let gzip = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
    for (name, bytes) in [
        ("t.csv.gz", [gzip("age\n1\n"), gzip("1\n2\n")].concat()),
        ("t.csv.zst", [zstd("age\n1\n"), zstd("1\n2\n")].concat()),
    ] {
        let answer = desk.count(&desk.write(name, bytes), &["age"]).unwrap();
        assert_eq!((answer.rows, answer.sizes.histogram()), (3, &[(1, 1), (2, 1)][..]), "{name}");
    }
}

#[test]
fn a_format_is_detected_by_the_first_bytes_if_the_name_does_not_show_it() {
    let desk = Desk::new();
    let parquet = desk.parquet("t.parquet", columns());
    std::fs::copy(&parquet, desk.path("table")).unwrap();
    assert_eq!(desk.open(&desk.path("table")).unwrap().format(), Format::Parquet);
    let path = desk.write("unknown", "age,sex\n1,f\n");
    let words = format!("{path}: not recognized as CSV, Parquet or Arrow");
    let hint = "give the file its usual ending, or use input_format = csv|parquet|arrow|xlsx|dta|sav";
    assert_refused(desk.open(&path), "IC402", &words, hint);
}

#[test]
fn a_column_of_lists_structs_or_bytes_is_refused_only_when_it_is_asked_for() {
    let desk = Desk::new();
    let lists = ListArray::from_iter_primitive::<I32, _, _>([Some(vec![Some(1)]), None]);
    let field = Arc::new(Field::new("inner", DataType::Int32, true));
    let structs = StructArray::from(vec![(field, Arc::new(Int32Array::from(vec![1, 2])) as ArrayRef)]);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("age", Arc::new(Int32Array::from(vec![30, 30]))),
        ("tags", Arc::new(lists)),
        ("address", Arc::new(structs)),
        ("photo", Arc::new(BinaryArray::from(vec![b"x".as_slice(), b"y"]))),
    ];
    let arrow = desk.path("t.arrow");
    arrow_file(&arrow, columns.clone());
    for path in [desk.parquet("t.parquet", columns), arrow] {
        assert_eq!(desk.count(&path, &["age"]).unwrap().sizes.k(), 2);
        let table = desk.open(&path).unwrap();
        assert_eq!(table.profile_columns(&desk.engine, &["age".into()]).unwrap()[0].distinct(), 1);
        for column in ["tags", "address", "photo"] {
            let error = crate::support::refusal(desk.count(&path, &["age", column]));
            assert!(error.to_string().starts_with(&format!("column “{column}” contains ")), "{error}");
            assert_eq!(remedy(&error), "convert it to scalar columns before the table is read, or leave it out");
            let subject = incrowd_engine::Question { subject: Some(column.into()), ..question(&["age"]) };
            assert_eq!(crate::support::refusal(table.count(&desk.engine, &subject)).code(), "IC408");
        }
    }
}

#[test]
fn an_empty_typed_file_is_refused_like_an_empty_text() {
    let desk = Desk::new();
    let none = || vec![("age", Arc::new(Int32Array::from(Vec::<i32>::new())) as ArrayRef)];
    arrow_file(&desk.path("t.arrow"), none());
    for path in [desk.parquet("t.parquet", none()), desk.path("t.arrow")] {
        let words = format!("{path}: the table has no rows");
        assert_refused(desk.count(&path, &["age"]), "IC403", &words, "check that the export wrote rows");
    }
}
