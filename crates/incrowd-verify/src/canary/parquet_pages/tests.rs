use std::io::Write;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, Date32Array, Float32Array, Float64Array, Int16Array, Int32Array, Int64Array, StringArray,
    TimestampMicrosecondArray, UInt32Array, UInt64Array,
};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::{KeyValue, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::{ColumnPath, Type as ColumnType};
use tempfile::NamedTempFile;

use super::*;

fn saved(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("the disk has room");
    file
}

fn written(array: ArrayRef, properties: WriterPropertiesBuilder) -> NamedTempFile {
    written_as(Field::new("column", array.data_type().clone(), false), array, properties)
}

fn written_as(field: Field, array: ArrayRef, properties: WriterPropertiesBuilder) -> NamedTempFile {
    let schema = Arc::new(Schema::new(vec![field]));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![array]).expect("one column");
    let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties.build())).expect("a flat schema");
    writer.write(&batch).expect("the schema is that of the batch");
    saved(&writer.into_inner().expect("writing to memory"))
}

/// Cells are in data pages only.
fn plain() -> WriterPropertiesBuilder {
    WriterProperties::builder().set_dictionary_enabled(false).set_statistics_enabled(EnabledStatistics::None)
}

fn texts(cells: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(cells.to_vec()))
}

/// Leaks in a file, if it published no cells.
fn leaks(file: &NamedTempFile, values: &[&str]) -> u64 {
    let mut search = CanarySearch::of_texts(values);
    scan(file.path(), &mut search).expect("a whole file");
    search.leaks()
}

#[test]
fn a_number_in_a_dictionary_or_a_statistic_is_found_in_columns_of_all_sizes() {
    let columns: [(ArrayRef, &str); 10] = [
        (Arc::new(Int16Array::from(vec![5, 17_068])), "17068"),
        (Arc::new(Int32Array::from(vec![5, 170_680])), "170680"),
        (Arc::new(Int64Array::from(vec![5, 170_680])), "170680"),
        (Arc::new(Int16Array::from(vec![5, -17_068])), "-17068"),
        (Arc::new(Int32Array::from(vec![5, -170_680])), "-170680"),
        (Arc::new(Int64Array::from(vec![5, -170_680])), "-170680"),
        (Arc::new(UInt32Array::from(vec![5, 4_000_000_001])), "4000000001"),
        (Arc::new(UInt64Array::from(vec![5, 18_000_000_000_000_000_001])), "18000000000000000001"),
        (Arc::new(Float32Array::from(vec![5.0, 170.2])), "170.2"),
        (Arc::new(Float64Array::from(vec![5.0, 170.2])), "170.2"),
    ];
    for (array, number) in columns {
        let (dictionary, statistic) =
            (plain().set_dictionary_enabled(true), plain().set_statistics_enabled(EnabledStatistics::Chunk));
        for (place, properties) in [("dictionary", dictionary), ("statistic", statistic)] {
            let file = written(Arc::clone(&array), properties);
            assert_eq!(leaks(&file, &[number]), 1, "{place} of {}", array.data_type());
        }
    }
}

#[test]
fn the_number_that_stores_a_day_or_an_instant_is_no_value() {
    let day: ArrayRef = Arc::new(Date32Array::from(vec![20_680]));
    let instant: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![1_700_000_000_000_123]));
    for (array, number) in [(day, "20680"), (instant, "1700000000000123")] {
        assert_eq!(leaks(&written(array, WriterProperties::builder()), &[number]), 0, "{number}");
    }
}

#[test]
fn a_whole_number_is_read_as_its_converted_type_says() {
    let (number, long) = (-17_068_i32, -17_068_i64);
    // What is found: the number below zero, the one of 32 bits without a sign, the one of 64 bits without a sign.
    let values = ["-17068", "4294950228", "18446744073709534548"];
    for (converted, bytes, places) in [
        (ConvertedType::NONE, number.to_le_bytes().to_vec(), [4, 0, 0]),
        (ConvertedType::INT_8, number.to_le_bytes().to_vec(), [4, 0, 0]),
        (ConvertedType::INT_16, number.to_le_bytes().to_vec(), [4, 0, 0]),
        (ConvertedType::INT_32, number.to_le_bytes().to_vec(), [4, 0, 0]),
        (ConvertedType::UINT_8, number.to_le_bytes().to_vec(), [0, 4, 0]),
        (ConvertedType::UINT_16, number.to_le_bytes().to_vec(), [0, 4, 0]),
        (ConvertedType::UINT_32, number.to_le_bytes().to_vec(), [0, 4, 0]),
        (ConvertedType::DATE, number.to_le_bytes().to_vec(), [0, 0, 0]),
        (ConvertedType::NONE, long.to_le_bytes().to_vec(), [4, 0, 0]),
        (ConvertedType::INT_64, long.to_le_bytes().to_vec(), [4, 0, 0]),
        (ConvertedType::UINT_64, long.to_le_bytes().to_vec(), [0, 0, 4]),
        (ConvertedType::TIMESTAMP_MICROS, long.to_le_bytes().to_vec(), [0, 0, 0]),
    ] {
        let physical = if bytes.len() == 4 { Type::INT32 } else { Type::INT64 };
        let stored = ColumnType::primitive_type_builder("column", physical).with_converted_type(converted);
        let stored = Arc::new(stored.build().expect("both types fit"));
        let kind = StoredKind::of(&ColumnDescriptor::new(stored, 0, 0, ColumnPath::from("column")));
        let mut search = CanarySearch::of_texts(&values);
        // An entry that is cut is none.
        for end in 0..bytes.len() {
            entries(&bytes[..end], kind, &mut search);
        }
        assert_eq!(search.places(), [0, 0, 0], "{converted}");
        entries(&bytes, kind, &mut search);
        assert_eq!(search.places(), places, "{converted}");
    }
}

#[test]
fn a_text_of_a_dictionary_ends_with_the_page() {
    let page = b"\x04\0\0\0Anna\x04\0\0\0Bert";
    for (end, places) in [(0, [0, 0]), (7, [0, 0]), (8, [4, 0]), (12, [4, 0]), (15, [4, 0]), (16, [4, 4])] {
        let mut search = CanarySearch::of_texts(&["Anna", "Bert"]);
        entries(&page[..end], StoredKind::Text, &mut search);
        assert_eq!(search.places(), places, "{end}");
    }
    // A length that is too large by one, or by all.
    for length in [5_u32, u32::MAX] {
        let mut search = CanarySearch::of_texts(&["Anna"]);
        entries(&[length.to_le_bytes().as_slice(), b"Anna"].concat(), StoredKind::Text, &mut search);
        assert_eq!(search.places(), [0], "{length}");
    }
}

#[test]
fn a_value_in_a_page_is_found_and_all_bytes_of_the_page_are_counted() {
    let mut search = CanarySearch::of_texts(&["Zoe-Leaked"]);
    scan(written(texts(&["xZoe-Leakedx", "b"]), plain()).path(), &mut search).expect("a whole file");
    // Each text follows its length of four bytes.
    assert_eq!((search.leaks(), search.bytes), (1, 4 + 12 + 4 + 1));
}

#[test]
fn two_cells_that_a_page_stores_without_a_gap_do_not_make_a_value() {
    for encoding in [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
        let file = written(texts(&["Zoe-", "Leaked"]), plain().set_encoding(encoding));
        let bytes = std::fs::read(file.path()).expect("it was written");
        assert!(bytes.windows(10).any(|window| window == b"Zoe-Leaked"), "{encoding}");
        assert_eq!(leaks(&file, &["Zoe-Leaked"]), 0, "{encoding}");
    }
}

#[test]
fn a_value_in_the_statistics_of_a_page_is_found() {
    let statistics = Statistics::byte_array(Some("Anna".into()), Some("Zoe1".into()), None, None, false);
    let page = Page::DataPage {
        buf: Vec::<u8>::new().into(),
        num_values: 0,
        encoding: Encoding::PLAIN,
        def_level_encoding: Encoding::RLE,
        rep_level_encoding: Encoding::RLE,
        statistics: Some(statistics),
    };
    let mut search = CanarySearch::of_texts(&["Anna", "Zoe1"]);
    scan_page(&page, StoredKind::Text, &mut search);
    assert_eq!(search.leaks(), 2);
}

#[test]
fn a_value_in_any_metadata_is_found() {
    // Arrow's form of the metadata has one entry of each key, and no entry without a value.
    let entry = |key: &str, value: Option<&str>| KeyValue { key: key.into(), value: value.map(Into::into) };
    let entries = vec![entry("note", Some("of Anna")), entry("note", Some("of Bert")), entry("Cleo", None)];
    let field = Field::new("column", DataType::Utf8, false).with_metadata([("of".into(), "Dora".into())].into());
    let file = written_as(field, texts(&["a"]), plain().set_key_value_metadata(Some(entries)));
    for value in ["Anna", "Bert", "Cleo", "Dora"] {
        assert_eq!(leaks(&file, &[value]), 1, "{value}");
    }
}

#[test]
fn what_a_writer_says_of_itself_is_no_leak() {
    let file = written(texts(&["a"]), plain().set_created_by("Somebody 1.0".into()));
    assert_eq!(leaks(&file, &["Somebody", "arrow_schema"]), 0);
}

#[test]
fn a_file_that_promises_more_rows_than_it_has_is_refused() {
    let whole = written(texts(&["a"]), plain());
    let about = ParquetMetaDataReader::new().parse_and_finish(whole.as_file()).expect("a whole file");
    for (more, is_refused) in [(0, false), (1, true)] {
        let group = about.row_group(0).clone();
        let rows = group.num_rows() + more;
        let group = group.into_builder().set_num_rows(rows).build().expect("it has its column");
        let about = ParquetMetaData::new(about.file_metadata().clone(), vec![group]);
        let mut bytes = std::fs::read(whole.path()).expect("it was written");
        ParquetMetaDataWriter::new(&mut bytes, &about).finish().expect("writing to memory");
        let scanned = scan(saved(&bytes).path(), &mut CanarySearch::of_texts(&["Anna"]));
        assert_eq!(scanned.is_err(), is_refused, "{more} more");
    }
}

#[test]
fn all_that_is_outside_of_the_columns_is_searched_and_nothing_in_them() {
    let all = "first gap.first column.second gap.second column.third gap";
    let file = saved(all.as_bytes());
    let chunk = |of: &str| (all.find(of).expect("it is in the file") as u64, of.len() as u64);
    for (value, is_found) in [
        ("first gap", true),
        ("first column", false),
        ("second gap", true),
        ("second column", false),
        ("third gap", true),
    ] {
        let mut search = CanarySearch::of_texts(&[value]);
        let chunks = vec![chunk("second column"), chunk("first column")];
        between(file.path(), chunks, &mut search).expect("a whole file");
        assert_eq!(search.leaks(), u64::from(is_found), "{value}");
    }
}
