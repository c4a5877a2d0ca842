//! Tests of what is common to all readers.

use arrow::array::{ArrayRef, Int32Array, StringArray};
use arrow::record_batch::RecordBatch;

use super::*;

#[test]
fn a_published_file_is_read_in_the_dialect_of_the_manifest() {
    let mut entry = FileEntry {
        name: "data.csv".into(),
        format: Format::Csv,
        rows: 1,
        bytes: 1,
        sha256: String::new(),
        escaped: true,
        dialect: None,
    };
    let path = Path::new("data.csv");
    let plain = TableFile::published(path, &entry);
    assert_eq!((plain.path, plain.format, plain.delimiter, plain.header), (path, Format::Csv, b',', true));
    // What a release publishes is what its cells say, apostrophes included.
    assert!(!plain.escaped && plain.encoding.is_none() && plain.decimal_commas.is_empty() && plain.sheet.is_none());
    assert_eq!(plain.bounds, MemoryBounds::new(None));
    let dialect = |delimiter: char| FileDialect {
        delimiter,
        encoding: Some("windows-1252".into()),
        decimal_comma: vec!["pay".into()],
    };
    entry.dialect = Some(dialect(';'));
    let other = TableFile::published(path, &entry);
    assert_eq!((other.delimiter, other.encoding), (b';', Some(encoding_rs::WINDOWS_1252)));
    assert_eq!(other.decimal_commas, ["pay"]);
    entry.dialect = Some(dialect('a'));
    assert_eq!(TableFile::published(path, &entry).delimiter, b',');
}

#[test]
fn a_panic_makes_a_file_unreadable_and_only_where_it_is_caught() {
    assert!(!panic_is_caught());
    let caught = guarded(|| {
        assert!(panic_is_caught());
        assert!(guarded(|| Ok(panic_is_caught())).expect("no panic"));
        assert!(panic_is_caught(), "the outer one goes on");
        Ok(7)
    });
    assert_eq!(caught.expect("no panic"), 7);
    assert!(!panic_is_caught());
    let broken: Result<(), ReadError> = guarded(|| panic!("a broken file"));
    assert!(matches!(broken, Err(ReadError::Unreadable(why)) if why == "its content is broken"));
    assert!(!panic_is_caught());
    let refused: Result<(), ReadError> = guarded(|| Err(ReadError::Cancelled));
    assert!(matches!(refused, Err(ReadError::Cancelled)));
}

#[test]
fn wanted_columns_have_places_in_the_order_of_the_file() {
    assert_eq!(places(&[]), [] as [usize; 0]);
    assert_eq!(places(&[3, 1, 3, 7, 1]), [1, 0, 1, 2, 0]);
    assert_eq!(places(&[0, 1, 2]), [0, 1, 2]);
}

/// Takes codes as they come.
struct Taken {
    encoders: Vec<CellEncoder>,
    added: Vec<(Vec<Vec<u32>>, usize)>,
}

impl RowSink for Taken {
    fn encoders(&mut self) -> &mut [CellEncoder] {
        &mut self.encoders
    }

    fn add(&mut self, columns: &[Vec<u32>], rows: usize) {
        self.added.push((columns.to_vec(), rows));
    }

    fn rows(&self) -> u64 {
        self.added.iter().map(|added| added.1 as u64).sum()
    }
}

#[test]
fn a_batch_adds_the_columns_that_are_wanted_and_nothing_of_the_last() {
    let text: ArrayRef = std::sync::Arc::new(StringArray::from(vec!["a", "b", "a"]));
    let number: ArrayRef = std::sync::Arc::new(Int32Array::from(vec![Some(5), None, Some(6)]));
    let batch = RecordBatch::try_from_iter([("t", text), ("n", number)]).expect("equal lengths");
    let mut into = Taken { encoders: vec![CellEncoder::plain(), CellEncoder::plain()], added: Vec::new() };
    let mut columns = vec![vec![9, 9], Vec::new()];
    for _ in 0..2 {
        add_batch(&batch, &[1, 0], &mut into, &mut columns).expect("flat columns");
    }
    let expected = (vec![vec![1, 0, 2], vec![1, 2, 1]], 3);
    assert_eq!((into.rows(), into.added), (6, vec![expected.clone(), expected]));
}
