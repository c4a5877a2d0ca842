//! Files and streams of Arrow, as they are read.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow::array::{
    ArrayRef, Float16Array, Float32Array, Float64Array, Int8Array, Int32Array, StringArray, TimestampSecondArray,
};
use arrow::ipc::writer::{FileWriter, StreamWriter};
use tempfile::NamedTempFile;

use super::super::test_sink::{TextRows, steps};
use super::*;
use crate::manifest::Format;

fn no_limit() -> MemoryBounds {
    MemoryBounds::new(None)
}

fn saved(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("the disk has room");
    file
}

/// The same batches as a file and as a stream.
fn both(batches: &[RecordBatch]) -> [Vec<u8>; 2] {
    let schema = batches[0].schema();
    let mut file = FileWriter::try_new(Vec::new(), &schema).expect("a schema");
    let mut stream = StreamWriter::try_new(Vec::new(), &schema).expect("a schema");
    for batch in batches {
        file.write(batch).expect("writing to memory");
        stream.write(batch).expect("writing to memory");
    }
    [file.into_inner().expect("writing to memory"), stream.into_inner().expect("writing to memory")]
}

fn table(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

fn numbered(first: i32) -> RecordBatch {
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![first, first + 1]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    let others: ArrayRef = Arc::new(Int8Array::from(vec![7, 8]));
    table(vec![("number", numbers), ("text", texts), ("other", others)])
}

fn in_file(path: &Path, bounds: MemoryBounds) -> TableFile<'_> {
    let (delimiter, encoding, escaped, header) = (b',', None, false, true);
    let (decimal_commas, sheet) = (Vec::new(), None);
    TableFile { path, format: Format::Arrow, delimiter, encoding, escaped, decimal_commas, header, sheet, bounds }
}

fn why<T>(said: Result<T, ReadError>) -> String {
    match said {
        Ok(_) => "nothing".into(),
        Err(ReadError::Unreadable(why)) => why,
        Err(ReadError::Cancelled) => "cancelled".into(),
    }
}

#[test]
fn rows_of_a_file_and_of_a_stream_are_read_in_the_wanted_order_of_columns() {
    for bytes in both(&[numbered(1), numbered(5)]) {
        let file = saved(&bytes);
        let table = in_file(file.path(), no_limit());
        let mut rows = TextRows::new(2);
        let (told, steps) = steps(|progress| read(&table, &[1, 0], &mut rows, progress));
        assert_eq!((why(told), steps), ("nothing".to_owned(), vec![(2, 1_000), (4, 1_000)]));
        assert_eq!(rows.rows, [["a", "1"], ["(missing)", "2"], ["a", "5"], ["(missing)", "6"]]);
        assert_eq!(rows.pieces, [2, 2]);
        let cancel = AtomicBool::new(true);
        let told = read(&table, &[0], &mut TextRows::new(1), &ReadProgress::new(Some(&cancel), None, 0));
        assert_eq!(why(told), "cancelled");
    }
}

#[test]
fn a_long_batch_is_taken_in_pieces() {
    let numbers: ArrayRef = Arc::new(Int8Array::from_iter_values((0..65_539).map(|row| (row % 100) as i8)));
    let [bytes, _] = both(&[table(vec![("number", numbers)])]);
    let file = saved(&bytes);
    let mut rows = TextRows::new(1);
    let (told, steps) = steps(|progress| read(&in_file(file.path(), no_limit()), &[0], &mut rows, progress));
    assert_eq!((why(told), steps), ("nothing".to_owned(), vec![(65_536, 1_000), (65_539, 1_000)]));
    assert_eq!(rows.pieces, [65_536, 3]);
    assert_eq!(rows.rows[65_535..], [["35"], ["36"], ["37"], ["38"]]);
}

#[test]
fn columns_say_what_they_hold() {
    let float = Float16Array::from(vec![None]);
    let batch = table(vec![
        ("a", Arc::new(float)),
        ("b", Arc::new(Float32Array::from(vec![1.5]))),
        ("c", Arc::new(Float64Array::from(vec![1.5]))),
        ("d", Arc::new(TimestampSecondArray::from(vec![1]))),
        ("e", Arc::new(Int8Array::from(vec![1]))),
    ]);
    let column = |name: &str, is_float, is_instant| FileColumn { name: name.into(), is_float, is_instant };
    for bytes in both(&[batch]) {
        let columns = columns(saved(&bytes).path(), &no_limit()).expect("a whole file");
        let expected =
            [("a", true, false), ("b", true, false), ("c", true, false), ("d", false, true), ("e", false, false)];
        assert_eq!(columns, expected.map(|(name, is_float, is_instant)| column(name, is_float, is_instant)));
    }
}

#[test]
fn what_promises_too_much_is_refused_before_it_is_read() {
    let tight = MemoryBounds { piece: 1, ..no_limit() };
    for bytes in both(&[numbered(1)]) {
        let file = saved(&bytes);
        assert_eq!(why(columns(file.path(), &tight)), "a record batch needs more memory than allowed");
    }
    let [file, stream] = both(&[numbered(1)]);
    let cut = |bytes: &[u8], end: usize| why(columns(saved(&bytes[..bytes.len() - end]).path(), &no_limit()));
    assert_eq!(cut(&stream, 0), "nothing");
    assert_eq!(cut(&stream, 8), "it is truncated: the stream has no end-of-stream marker");
    assert_eq!((cut(&file, 0), cut(&file, 1)), ("nothing".to_owned(), NOT_WHOLE.to_owned()));
    assert_eq!((cut(&file, file.len()), cut(&file, file.len() - 6)), (NOT_WHOLE.to_owned(), NOT_WHOLE.to_owned()));
    assert_eq!(why(columns(Path::new("/no/such/file"), &no_limit())), "it cannot be opened");
}
