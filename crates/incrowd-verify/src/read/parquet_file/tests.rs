//! Files of Parquet, as they are read by one thread and by several.

use std::io::Write;
use std::sync::atomic::AtomicBool;

use arrow::array::{
    ArrayRef, Float32Array, Float64Array, Int32Array, ListArray, StringArray, TimestampMicrosecondArray,
    TimestampSecondArray,
};
use arrow::datatypes::{Int32Type, TimeUnit};
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use tempfile::NamedTempFile;

use super::super::test_sink::{TextRows, steps};
use super::*;
use crate::manifest::Format;

fn no_limit() -> MemoryBounds {
    MemoryBounds::new(None)
}

/// A file with a row group of each batch.
fn written(batches: &[RecordBatch]) -> NamedTempFile {
    let mut writer = ArrowWriter::try_new(Vec::new(), batches[0].schema(), None).expect("a schema");
    for batch in batches {
        writer.write(batch).expect("writing to memory");
        writer.flush().expect("writing to memory");
    }
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(&writer.into_inner().expect("writing to memory")).expect("the disk has room");
    file
}

fn table(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

fn numbered(first: i32) -> RecordBatch {
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![first, first + 1]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    let others: ArrayRef = Arc::new(Int32Array::from(vec![7, 8]));
    table(vec![("number", numbers), ("text", texts), ("other", others)])
}

fn in_file(path: &Path, bounds: MemoryBounds) -> TableFile<'_> {
    let (delimiter, encoding, escaped, header) = (b',', None, false, true);
    let (decimal_commas, sheet) = (Vec::new(), None);
    TableFile { path, format: Format::Parquet, delimiter, encoding, escaped, decimal_commas, header, sheet, bounds }
}

fn why<T>(said: Result<T, ReadError>) -> String {
    match said {
        Ok(_) => "nothing".into(),
        Err(ReadError::Unreadable(why)) => why,
        Err(ReadError::Cancelled) => "cancelled".into(),
    }
}

#[test]
fn all_row_groups_are_read_once_by_one_thread_and_by_two() {
    for groups in 1..=4 {
        let batches: Vec<RecordBatch> = (0..groups).map(|group| numbered(10 * group)).collect();
        let file = written(&batches);
        let table = in_file(file.path(), no_limit());
        let expected: Vec<[String; 2]> = (0..groups)
            .flat_map(|group| {
                [["a".into(), (10 * group).to_string()], ["(missing)".into(), (10 * group + 1).to_string()]]
            })
            .collect();
        let told_steps: Vec<(u64, u64)> = (1..=groups as u64).map(|group| (2 * group, 1_000)).collect();
        let mut rows = TextRows::new(2);
        let (told, met) = steps(|progress| read(&table, &[1, 0], &mut rows, progress));
        assert_eq!((why(told), &met), ("nothing".to_owned(), &told_steps));
        assert_eq!(rows.rows, expected);
        let mut counted = TextRows::new(2);
        let (told, met) = steps(|progress| read_in_parallel(&table, &[1, 0], &mut counted, progress));
        assert_eq!((why(told), &met), ("nothing".to_owned(), &told_steps));
        // One row group needs no second thread.
        assert_eq!(counted.merged, usize::from(groups > 1), "{groups}");
        let mut expected = expected;
        expected.sort();
        assert_eq!(counted.sorted(), expected);
        let cancel = AtomicBool::new(true);
        let cancelled = ReadProgress::new(Some(&cancel), None, 0);
        assert_eq!(why(read(&table, &[0], &mut TextRows::new(1), &cancelled)), "cancelled");
        assert_eq!(why(read_in_parallel(&table, &[0], &mut TextRows::new(1), &cancelled)), "cancelled");
    }
}

#[test]
fn columns_say_what_is_stored_and_not_what_the_writer_meant() {
    let zone = "Europe/Berlin";
    let file = written(&[table(vec![
        ("a", Arc::new(Float32Array::from(vec![1.5]))),
        ("b", Arc::new(Float64Array::from(vec![1.5]))),
        ("c", Arc::new(TimestampMicrosecondArray::from(vec![1]))),
        // The format knows no seconds: a number is stored.
        ("d", Arc::new(TimestampSecondArray::from(vec![1]))),
        ("e", Arc::new(StringArray::from(vec!["a"]))),
        ("f", Arc::new(TimestampMicrosecondArray::from(vec![1]).with_timezone(zone))),
        ("g", Arc::new(TimestampSecondArray::from(vec![1]).with_timezone(zone))),
    ])]);
    let columns = columns(file.path(), &no_limit()).expect("a whole file");
    let told: Vec<_> = columns.iter().map(|column| (&*column.name, column.is_float, column.is_instant)).collect();
    let expected = [
        ("a", true, false),
        ("b", true, false),
        ("c", false, true),
        ("d", false, false),
        ("e", false, false),
        ("f", false, true),
        ("g", false, false),
    ];
    assert_eq!(told, expected);
    let (_, about) = open(file.path(), &no_limit()).expect("a whole file");
    let kinds: Vec<DataType> = about.schema().fields().iter().map(|field| field.data_type().clone()).collect();
    let texts = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let instants = |zone: Option<&str>| DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into));
    let number = DataType::Int64;
    let expected =
        [DataType::Float32, DataType::Float64, instants(None), number.clone(), texts, instants(Some(zone)), number];
    assert_eq!(kinds, expected);
}

#[test]
fn what_promises_too_much_is_refused_before_it_is_read() {
    let file = written(&[numbered(1)]);
    for (bounds, expected) in [
        (no_limit(), "nothing"),
        (MemoryBounds { about: 8, ..no_limit() }, "the description of its data needs more memory than allowed"),
        (MemoryBounds { columns: 0, ..no_limit() }, "the list of its columns needs more memory than allowed"),
        (MemoryBounds { piece: 1, ..no_limit() }, "a row group needs more memory than allowed"),
        (MemoryBounds { page: 1, ..no_limit() }, "a page needs more memory than allowed"),
    ] {
        assert_eq!(why(check(file.path(), &bounds)), expected);
        assert_eq!(why(columns(file.path(), &bounds)), expected);
        let nothing = ReadProgress::new(None, None, 0);
        assert_eq!(why(read(&in_file(file.path(), bounds), &[0], &mut TextRows::new(1), &nothing)), expected);
    }
    let whole = std::fs::read(file.path()).expect("it was written");
    let mut cut = NamedTempFile::new().expect("a temporary file");
    cut.write_all(&whole[..whole.len() - 1]).expect("the disk has room");
    assert_eq!(why(check(cut.path(), &no_limit())), "it is not a complete Parquet file");
    assert_eq!(why(check(Path::new("/no/such/file"), &no_limit())), "it cannot be opened");
}

#[test]
fn a_column_with_lists_is_refused() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1), Some(2)])]);
    let file = written(&[table(vec![("number", Arc::new(Int32Array::from(vec![1]))), ("list", Arc::new(lists))])]);
    // A list of a single number is not flat either, though it is one column: its cells are refused as they are read.
    let columns = columns(file.path(), &no_limit()).map(|columns| columns.len());
    let told = read(&in_file(file.path(), no_limit()), &[1], &mut TextRows::new(1), &ReadProgress::new(None, None, 0));
    assert_eq!((columns.ok(), why(told)), (Some(2), "a column is not flat".to_owned()));
}

#[test]
fn a_column_of_two_columns_is_refused() {
    let parts =
        table(vec![("first", Arc::new(Int32Array::from(vec![1]))), ("second", Arc::new(Int32Array::from(vec![2])))]);
    let file = written(&[table(vec![("both", Arc::new(arrow::array::StructArray::from(parts)))])]);
    assert_eq!(why(columns(file.path(), &no_limit())), "a column is not flat");
}
