//! Removed values that still stand somewhere in the bytes are found, wherever a format hides them.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, StringArray, StringViewArray};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::ipc::writer::FileWriter;
use arrow::record_batch::RecordBatch;
use incrowd_verify::Format;
use incrowd_verify::canary::{CanaryScan, scan};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};

use crate::support::{Draft, listed};

fn searched(dir: &Path, name: &str, format: Format, values: &[&str]) -> CanaryScan {
    scan(dir, &[listed(name, format)], &values.iter().map(|value| value.as_bytes().to_vec()).collect::<Vec<_>>())
        .unwrap()
}

fn leaks_of_arrow(array: ArrayRef, values: &[&str]) -> (u64, u64) {
    let batch = RecordBatch::try_from_iter([("column", array)]).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let mut writer = FileWriter::try_new(File::create(dir.path().join("x")).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let found = searched(dir.path(), "x", Format::Arrow, values);
    (found.found, found.found_in_cells)
}

/// A Parquet file of one text column, changed in place afterwards.
fn leaks_of_parquet(
    cells: &[&str],
    properties: WriterPropertiesBuilder,
    change: impl FnOnce(&mut Vec<u8>),
    values: &[&str],
) -> (u64, u64) {
    let schema = Arc::new(Schema::new(vec![Field::new("column", DataType::Utf8, false)]));
    let array: ArrayRef = Arc::new(StringArray::from(cells.to_vec()));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![array]).unwrap();
    let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    let mut bytes = writer.into_inner().unwrap();
    change(&mut bytes);
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("x"), bytes).unwrap();
    let found = searched(dir.path(), "x", Format::Parquet, values);
    (found.found, found.found_in_cells)
}

fn replace_first(bytes: &mut [u8], from: &[u8], to: &[u8]) {
    let at = bytes.windows(from.len()).position(|window| window == from).unwrap();
    bytes[at..at + to.len()].copy_from_slice(to);
}

fn plain() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_statistics_enabled(EnabledStatistics::None)
}

/// Long and short values: they are found in different ways.
const NAMES: [&str; 2] = ["Zoe1", "Zoe Longname-Leaked"];

#[test]
fn an_honest_release_has_no_removed_value_in_any_format() {
    for format in [Format::Csv, Format::Parquet, Format::Arrow, Format::Xlsx] {
        let mut draft = Draft::honest(format);
        draft.write();
        let found = searched(&draft.dir(), &draft.manifest.files[0].name, format, &["Anna", "Bert", "23", "Anna", ""]);
        assert_eq!((found.values, found.found, found.found_in_cells), (3, 0, 0), "{format:?}");
        assert!(found.bytes >= std::fs::metadata(draft.data()).unwrap().len());
    }
}

#[test]
fn a_value_in_a_published_cell_is_told_apart_from_a_leak() {
    for format in [Format::Csv, Format::Parquet, Format::Arrow, Format::Xlsx] {
        let mut draft = Draft::honest(format);
        draft.rows[0][3] = Some("seen by Anna \"Zoe\" today".into());
        draft.write();
        let values = ["Anna", "Anna \"Zoe\"", "Bert", "30", "note"];
        let found = searched(&draft.dir(), &draft.manifest.files[0].name, format, &values);
        assert_eq!((found.found, found.found_in_cells), (0, 4), "{format:?}");
    }
}

#[test]
fn a_dictionary_entry_that_no_row_uses_is_found_in_parquet() {
    for name in NAMES {
        let cells = [name, "b", "b", "b", "b", "b", "b", "b"];
        // One bit per row, eight rows packed: the first row is made to point at the second entry.
        let hide = |bytes: &mut Vec<u8>| replace_first(bytes, &[1, 3, 0xFE], &[1, 3, 0xFF]);
        assert_eq!(leaks_of_parquet(&cells, plain(), hide, &[name]), (1, 0));
        assert_eq!(leaks_of_parquet(&cells, plain(), |_| {}, &[name]), (0, 1));
    }
}

#[test]
fn a_statistic_of_what_is_gone_is_found_in_parquet() {
    for name in NAMES {
        let properties = WriterProperties::builder().set_compression(Compression::UNCOMPRESSED);
        let hide = |bytes: &mut Vec<u8>| replace_first(bytes, name.as_bytes(), "z".repeat(name.len()).as_bytes());
        assert_eq!(leaks_of_parquet(&["b", name], properties, hide, &[name]), (1, 0));
    }
}

#[test]
fn metadata_is_found_in_parquet() {
    for name in NAMES {
        let entry = KeyValue::new("comment".to_string(), format!("from {name}"));
        let properties = WriterProperties::builder().set_key_value_metadata(Some(vec![entry]));
        assert_eq!(leaks_of_parquet(&["b"], properties, |_| {}, &[name]), (1, 0));
    }
}

#[test]
fn compressed_pages_are_searched_as_what_they_decompress_to() {
    let codec = Compression::SNAPPY;
    let properties = || WriterProperties::builder().set_compression(codec).set_dictionary_enabled(false);
    let cells: Vec<String> = (0..500).map(|at| format!("Zoe Longname-Leaked {}", at % 7)).collect();
    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
    assert_eq!(leaks_of_parquet(&cells, properties(), |_| {}, &NAMES), (0, 1));
}

#[test]
fn a_text_below_a_null_is_found_in_arrow() {
    for name in NAMES {
        let values = Buffer::from(format!("ab{name}cd").into_bytes());
        let ends = [0, 2, 2 + name.len() as i32, 4 + name.len() as i32];
        let offsets = OffsetBuffer::new(ScalarBuffer::from(ends.to_vec()));
        let array = StringArray::new(offsets, values, Some(NullBuffer::from(vec![true, false, true])));
        assert_eq!(leaks_of_arrow(Arc::new(array), &[name, "ab"]), (1, 1));
    }
}

#[test]
fn a_number_below_a_null_is_found_in_arrow() {
    let nulls = Some(NullBuffer::from(vec![true, false, false]));
    let array = Int64Array::new(ScalarBuffer::from(vec![5, 170_680, 0]), nulls);
    assert_eq!(leaks_of_arrow(Arc::new(array), &["170680", "0", "5"]), (1, 1));
}

#[test]
fn a_dictionary_entry_that_no_row_uses_is_found_in_arrow() {
    for name in NAMES {
        let entries: ArrayRef = Arc::new(StringArray::from(vec!["a", name, "b"]));
        let array = DictionaryArray::new(Int32Array::from(vec![Some(0), None, Some(2)]), entries);
        assert_eq!(leaks_of_arrow(Arc::new(array), &[name, "a"]), (1, 1));
    }
}

#[test]
fn bytes_that_no_view_shows_are_found_in_arrow() {
    let whole = StringViewArray::from(vec!["Zoe Longname-Leaked", "what is published today", "short"]);
    let kept = whole.slice(1, 2);
    assert_eq!(leaks_of_arrow(Arc::new(kept.clone()), &["Zoe Longname-Leaked", "published"]), (1, 1));
    assert_eq!(leaks_of_arrow(Arc::new(kept.gc()), &["Zoe Longname-Leaked", "published"]), (0, 1));
    let hidden = StringViewArray::new(
        whole.views().clone(),
        whole.data_buffers().to_vec(),
        Some(NullBuffer::from(vec![true, true, false])),
    );
    assert_eq!(leaks_of_arrow(Arc::new(hidden), &["short"]), (1, 0));
}

#[test]
fn metadata_is_found_in_arrow() {
    let field =
        Field::new("column", DataType::Utf8, true).with_metadata([("from".to_string(), "Zoe1".to_string())].into());
    let array: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let batch = RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![array]).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let mut writer = FileWriter::try_new(File::create(dir.path().join("x")).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    assert_eq!(searched(dir.path(), "x", Format::Arrow, &["Zoe1"]).found, 1);
}

#[test]
fn a_file_that_cannot_be_read_is_not_called_clean() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("x"), "PAR1 broken PAR1").unwrap();
    assert!(scan(dir.path(), &[listed("x", Format::Parquet)], &[b"Anna".to_vec()]).is_err());
}

#[test]
fn a_value_between_the_columns_of_a_parquet_file_and_its_end_is_found() {
    let change = |bytes: &mut Vec<u8>| {
        let end = bytes.len() - 8;
        let footer = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap());
        let at = end - footer as usize;
        bytes.splice(at..at, b"xZoe-Leakedx".iter().copied());
    };
    assert_eq!(leaks_of_parquet(&["a", "b"], plain(), |_| {}, &["Zoe-Leaked"]), (0, 0));
    assert_eq!(leaks_of_parquet(&["a", "b"], plain(), change, &["Zoe-Leaked"]), (1, 0));
}
