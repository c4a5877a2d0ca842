//! Footers and columns of Parquet files that promise more than they have.

mod pages;
mod sums;

use std::io::Write;

use parquet::basic::Repetition;
use parquet::file::metadata::{FileMetaData, RowGroupMetaData};
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor, Type as SchemaType};
use tempfile::NamedTempFile;

use super::*;

const BROKEN: &str = "it is not a complete Parquet file";

/// What is said, or why nothing is.
fn told<T>(said: Result<T, ReadError>) -> Result<T, String> {
    said.map_err(|error| match error {
        ReadError::Unreadable(why) => why,
        ReadError::Cancelled => "cancelled".into(),
    })
}

fn refused<T>(why: &str) -> Result<T, String> {
    Err(why.to_owned())
}

fn too_large<T>(what: &str) -> Result<T, String> {
    Err(format!("{what} needs more memory than allowed"))
}

fn no_limit() -> MemoryBounds {
    MemoryBounds::new(None)
}

fn saved(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("the disk has room");
    file
}

fn opened(file: &NamedTempFile) -> File {
    File::open(file.path()).expect("it was written")
}

/// Columns of one kind.
fn columns(kind: Type, repetition: Repetition, count: usize) -> SchemaDescPtr {
    let column = |number: usize| {
        let name = format!("column {number}");
        let column = SchemaType::primitive_type_builder(&name, kind);
        Arc::new(column.with_repetition(repetition).with_length(1).build().expect("a column"))
    };
    let all = SchemaType::group_type_builder("schema").with_fields((0..count).map(column).collect()).build();
    Arc::new(SchemaDescriptor::new(Arc::new(all.expect("a schema"))))
}

/// A column at a place of a file.
fn chunk(of: &SchemaDescPtr, column: usize, values: i64, at: usize, size: usize) -> ColumnChunkMetaData {
    let chunk = ColumnChunkMetaData::builder(of.column(column)).set_num_values(values);
    let chunk = chunk.set_data_page_offset(at as i64).set_total_compressed_size(size as i64);
    chunk.set_total_uncompressed_size(size as i64).build().expect("a column")
}

fn zigzagged(number: i64) -> Vec<u8> {
    let mut rest = (number << 1 ^ number >> 63).cast_unsigned();
    let mut bytes = Vec::new();
    while rest > 0x7f {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

/// The header of a page: its kind, its two sizes, and the structure of a field with its numbers.
fn header(kind: i64, unpacked: i64, packed: i64, field: i16, numbers: &[i64]) -> Vec<u8> {
    let of = |numbers: &[i64]| -> Vec<u8> {
        numbers.iter().flat_map(|number| [vec![0x15], zigzagged(*number)].concat()).collect()
    };
    let mut bytes = of(&[kind, unpacked, packed]);
    if field > 3 {
        bytes.push((field as u8 - 3) << 4 | 12);
        bytes.extend(of(numbers));
        bytes.push(0);
    }
    bytes.push(0);
    bytes
}

/// A page of values that are stored plainly.
fn plain(values: i64, size: usize) -> Vec<u8> {
    [header(0, size as i64, size as i64, 5, &[values, 0, 3, 3]), vec![0; size]].concat()
}

#[test]
fn a_footer_stands_between_the_letters_of_the_file() {
    let list = |size: u8| [&[0x29, size << 4 | 3][..], &vec![0; size.into()], &[0]].concat();
    let file = |front: &[u8], footer: &[u8], said: usize, letters: &[u8]| {
        [front, footer, &(said as u32).to_le_bytes(), letters].concat()
    };
    let bounds = MemoryBounds { columns: 2, about: 11, ..no_limit() };
    for (bytes, expected) in [
        (file(b"PAR1", &[0], 1, b"PAR1"), Ok(())),
        (file(b"PAR1....", &[0], 1, b"PAR1"), Ok(())),
        (file(b"PAR", &[0], 1, b"PAR1"), refused(BROKEN)),
        (file(b"PAR1", &[0], 2, b"PAR1"), refused(BROKEN)),
        (file(b"PAR1", &[0], 1 << 31, b"PAR1"), refused(BROKEN)),
        (file(b"PAR1", &[0], 1, b"PAR2"), refused(BROKEN)),
        (file(b"PAR1", &[0], 1, b"PARE"), refused(BROKEN)),
        (file(b"PAR1", &[], 0, b"PAR1"), refused(BROKEN)),
        (file(b"PAR1", &[1], 1, b"PAR1"), refused(BROKEN)),
        (file(b"PAR1", &list(8), 11, b"PAR1"), Ok(())),
        (file(b"PAR1", &[&list(8)[..], &[0]].concat(), 12, b"PAR1"), too_large("the description of its data")),
        (vec![], refused(BROKEN)),
        (b"PAR1PAR".to_vec(), refused(BROKEN)),
        (b"PAR1PAR1".to_vec(), refused(BROKEN)),
    ] {
        assert_eq!(told(check_footer(&mut opened(&saved(&bytes)), &bounds)), expected, "{bytes:x?}");
    }
    for (size, expected) in [(8, Ok(())), (9, too_large("the list of its columns"))] {
        let bytes = file(b"PAR1", &list(size), usize::from(size) + 3, b"PAR1");
        let bounds = MemoryBounds { columns: 2, ..no_limit() };
        assert_eq!(told(check_footer(&mut opened(&saved(&bytes)), &bounds)), expected, "{size}");
    }
}

#[test]
fn a_column_stands_in_its_file() {
    let of = columns(Type::INT32, Repetition::REQUIRED, 1);
    for (data, dictionary, size, length, expected) in [
        (4, None, 8, 12, Ok((4, 12))),
        (4, None, 8, 11, refused(BROKEN)),
        (9, Some(4), 8, 12, Ok((4, 12))),
        (4, Some(9), 3, 12, Ok((9, 12))),
        (4, Some(9), 4, 12, refused(BROKEN)),
        (12, None, 0, 12, Ok((12, 12))),
        (-1, None, 8, 12, refused(BROKEN)),
        (4, Some(-1), 8, 12, refused(BROKEN)),
        (4, None, -1, 12, refused(BROKEN)),
        (i64::MAX, None, i64::MAX, 12, refused(BROKEN)),
    ] {
        let chunk = ColumnChunkMetaData::builder(of.column(0)).set_data_page_offset(data);
        let chunk = chunk.set_dictionary_page_offset(dictionary).set_total_compressed_size(size).build();
        assert_eq!(told(place(&chunk.expect("a column"), length)), expected, "{data} {dictionary:?} {size} {length}");
    }
}

/// The values, the place and the size of a column of a row group.
type Chunk = (i64, usize, usize);

/// Row groups of a file: of each the rows and the columns.
fn pages_of(
    bytes: &[u8],
    of: &SchemaDescPtr,
    rows: i64,
    groups: &[(i64, &[Chunk])],
    bounds: &MemoryBounds,
) -> Result<(), String> {
    let group = |(rows, chunks): &(i64, &[Chunk])| {
        let chunks =
            chunks.iter().enumerate().map(|(column, (values, at, size))| chunk(of, column, *values, *at, *size));
        let group = RowGroupMetaData::builder(Arc::clone(of)).set_num_rows(*rows);
        group.set_column_metadata(chunks.collect()).build().expect("it has its columns")
    };
    let about = FileMetaData::new(1, rows, None, None, Arc::clone(of), None);
    let about = ParquetMetaData::new(about, groups.iter().map(group).collect());
    told(check_pages(saved(bytes).path(), &about, bounds))
}

#[test]
fn a_file_has_the_rows_of_its_groups() {
    let of = columns(Type::INT32, Repetition::REQUIRED, 1);
    let (two, one) = (plain(2, 8), plain(1, 4));
    let bytes = [&b"PAR1"[..], &two, &one].concat();
    let (first, second) = ((2, 4, two.len()), (1, 4 + two.len(), one.len()));
    for (rows, groups, expected) in [
        (3, &[(2, &[first][..]), (1, &[second][..])][..], Ok(())),
        (3, &[(1, &[second]), (2, &[first])], Ok(())),
        (2, &[(2, &[first]), (0, &[(0, 4, 0)])], Ok(())),
        (0, &[], Ok(())),
        (4, &[(2, &[first]), (1, &[second])], refused(BROKEN)),
        (2, &[(2, &[first]), (1, &[second])], refused(BROKEN)),
        (1, &[(2, &[first]), (1, &[second])], refused(BROKEN)),
        (1, &[], refused(BROKEN)),
        (3, &[(3, &[first])], refused(BROKEN)),
        (1, &[(1, &[first])], refused(BROKEN)),
        (1, &[(2, &[first]), (-1, &[(-1, 4, 0)])], refused(BROKEN)),
        (i64::MIN, &[(2, &[first]), (i64::MAX - 1, &[(i64::MAX - 1, 4, 0)])], refused(BROKEN)),
        // The same bytes twice.
        (4, &[(2, &[first]), (2, &[first])], refused(BROKEN)),
    ] {
        assert_eq!(pages_of(&bytes, &of, rows, groups, &no_limit()), expected, "{rows}: {groups:?}");
    }
    // A column with lists has other numbers of values and rows.
    let lists = columns(Type::INT32, Repetition::REPEATED, 1);
    assert_eq!(pages_of(&bytes, &lists, 1, &[(1, &[first])], &no_limit()), Ok(()));
}

#[test]
fn columns_do_not_share_bytes() {
    let of = columns(Type::INT32, Repetition::REQUIRED, 3);
    let page = plain(1, 4);
    let size = page.len();
    let at = |number: usize| 4 + number * size;
    let bytes = [b"PAR1".to_vec(), page.repeat(3)].concat();
    let group = |places: [(usize, usize); 3]| {
        let chunks: Vec<Chunk> = places.iter().map(|(at, size)| (1, *at, *size)).collect();
        pages_of(&bytes, &of, 1, &[(1, &chunks)], &no_limit())
    };
    let [first, second, third] = [(at(0), size), (at(1), size), (at(2), size)];
    assert_eq!((group([first, second, third]), group([third, first, second])), (Ok(()), Ok(())));
    for shared in [[first, first, second], [first, second, second], [third, first, first]] {
        assert_eq!(group(shared), refused(BROKEN), "{shared:?}");
    }
    // The rest of a column follows its last page; here it is the next column.
    assert_eq!(group([first, (at(1), 2 * size), third]), refused(BROKEN));
    assert_eq!(group([first, (at(1), size + 1), third]), refused(BROKEN));
    // What has no bytes stands in the way of nothing.
    let nothing = |at: usize| {
        let group = [
            (0, &[(0, 4, 0), (0, at, 0), (0, at, 0)][..]),
            (1, &[(1, 4, size), (1, 4 + size, size), (1, 4 + 2 * size, size)]),
        ];
        pages_of(&bytes, &of, 1, &group, &no_limit())
    };
    assert_eq!((nothing(6), nothing(4)), (Ok(()), Ok(())));
}

#[test]
fn what_is_held_of_a_row_group_is_bounded() {
    let of = columns(Type::INT32, Repetition::REQUIRED, 2);
    let page = plain(2, 8);
    let size = page.len();
    let bytes = [b"PAR1".to_vec(), page.repeat(4)].concat();
    let chunk = |number: usize| (2, 4 + number * size, size);
    let groups = [(2, &[chunk(0), chunk(1)][..]), (2, &[chunk(2), chunk(3)])];
    let held = 2 * (size as u64 + 8);
    for (piece, expected) in [(held, Ok(())), (held - 1, too_large("a row group"))] {
        let bounds = MemoryBounds { piece, ..no_limit() };
        assert_eq!(pages_of(&bytes, &of, 4, &groups, &bounds), expected, "{piece}");
    }
}

#[test]
fn a_header_ends_before_its_column_does() {
    // Statistics of 300 bytes, for which the header is read again.
    let long = [&[0x15, 0, 0x15, 0, 0x15, 0, 0x2c, 0x15, 2, 0x48, 0xac, 2][..], &[7; 300], &[0, 0]].concat();
    let short = header(0, 8, 8, 5, &[2, 0, 3, 3]);
    for header in [long, short] {
        let size = header.len() as u64;
        let bytes = [&b"PAR1"[..], &header, &[0; 3]].concat();
        let read = |end: u64, about: u64| {
            let bounds = MemoryBounds { about, ..no_limit() };
            told(header_at(&mut opened(&saved(&bytes)), 4, end, &bounds)).map(|numbers| numbers.bytes as u64)
        };
        for (end, about, expected) in [
            (4 + size, 1 << 20, Ok(size)),
            (4 + size + 3, 1 << 20, Ok(size)),
            (4 + size, size, Ok(size)),
            (4 + size - 1, 1 << 20, refused(BROKEN)),
            (4 + size, size - 1, refused(BROKEN)),
            (4, 1 << 20, refused(BROKEN)),
            (3, 1 << 20, refused(BROKEN)),
            (4 + size + 4, 1 << 20, refused(BROKEN)),
        ] {
            assert_eq!(read(end, about), expected, "{size} bytes to {end}, at most {about}");
        }
    }
}
