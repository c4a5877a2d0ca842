//! Tests with files of Stata of several versions, in both orders of bytes.

use dta::stata::dta::byte_order::ByteOrder;
use dta::stata::dta::dta_writer::DtaWriter;
use dta::stata::dta::header::Header;
use dta::stata::dta::release::Release;
use dta::stata::dta::variable::Variable;
use dta::stata::missing_value::MissingValue;

use super::*;

mod lengths;

const ORDERS: [ByteOrder; 2] = [ByteOrder::LittleEndian, ByteOrder::BigEndian];

/// A file of a version, with columns given by type, name, format and the name of their labels.
fn written(
    release: u8,
    order: ByteOrder,
    columns: &[(VariableType, &str, &str, &str)],
    rows: &[Vec<Value<'_>>],
    long: &LongStringTable,
) -> Vec<u8> {
    let column = |&(kind, name, format, labels): &(VariableType, &str, &str, &str)| {
        Variable::builder(kind, name).format(format).value_label_name(labels).label(format!("about {name}"))
    };
    let schema = Schema::builder().variables(columns.iter().map(column).collect()).build().expect("a schema");
    let header = Header::builder(Release::try_from(release).expect("a version"), order).build();
    let writer = DtaWriter::new().from_writer(Cursor::new(Vec::new())).write_header(header).expect("memory");
    let mut records = writer.write_schema(schema).expect("memory").into_record_writer().expect("memory");
    for row in rows {
        records.write_record(row).expect("memory");
    }
    let mut behind = records.into_long_string_writer().expect("memory");
    if release >= 117 {
        behind.write_long_string_table(long).expect("memory");
    }
    behind.into_value_label_writer().expect("memory").finish().expect("memory").into_inner()
}

fn bytes_of(number: usize, size: usize, order: ByteOrder) -> Vec<u8> {
    let bytes = number.to_be_bytes();
    let mut bytes = bytes[bytes.len() - size..].to_vec();
    if order == ByteOrder::LittleEndian {
        bytes.reverse();
    }
    bytes
}

/// The labels 1 and 2 under a name, as they stand in a file.
fn label_set(release: u8, order: ByteOrder, name: &str, labels: [&str; 2]) -> Vec<u8> {
    let number = |number: usize, size: usize| bytes_of(number, size, order);
    let named = |size: usize, fill: usize| {
        let mut bytes = name.as_bytes().to_vec();
        bytes.resize(size + fill, 0);
        bytes
    };
    if release < 108 {
        let text = |label: &str| format!("{label:\0<8}").into_bytes();
        return [number(2, 2), named(9, 1), number(1, 2), number(2, 2), text(labels[0]), text(labels[1])].concat();
    }
    let texts = format!("{}\0{}\0", labels[0], labels[1]);
    let payload = [2, texts.len(), 0, labels[0].len() + 1, 1, 2].map(|part| number(part, 4)).concat();
    let payload = [payload, texts.into_bytes()].concat();
    let size = if release >= 118 {
        129
    } else if release >= 110 {
        33
    } else {
        9
    };
    let set = [number(payload.len(), 4), named(size, 3), payload].concat();
    if release < 117 { set } else { [&b"<lbl>"[..], &set, b"</lbl>"].concat() }
}

/// A file with labels.
fn with_labels(release: u8, order: ByteOrder, mut bytes: Vec<u8>, set: &[u8]) -> Vec<u8> {
    let tag = b"<value_labels>";
    let at = bytes.windows(tag.len()).rposition(|part| part == tag).map_or(bytes.len(), |at| at + tag.len());
    assert_eq!(at < bytes.len(), release >= 117, "{order:?}");
    bytes.splice(at..at, set.iter().copied());
    bytes
}

fn cells(column: &LabelledColumn) -> Vec<&str> {
    column.cells.iter().map(|cell| cell.as_deref().unwrap_or("-")).collect()
}

#[test]
fn cells_and_labels_are_read_from_every_version() {
    let columns_are = [
        (VariableType::Byte, "sex", "%8.0g", "sexes"),
        (VariableType::Int, "kids", "%8.0g", ""),
        (VariableType::Long, "pay", "%12.0g", "none"),
        (VariableType::Float, "size", "%9.0g", ""),
        (VariableType::Float, "born", "%td", ""),
        (VariableType::Double, "weight", "%10.0g", ""),
        (VariableType::FixedString(6), "town", "%6s", ""),
    ];
    let missing = MissingValue::System;
    let rows = [
        vec![
            Value::Byte(StataByte::Present(1)),
            Value::Int(StataInt::Present(300)),
            Value::Long(StataLong::Present(-70_000)),
            Value::Float(StataFloat::Present(1.1)),
            Value::Float(StataFloat::Present(60.0)),
            Value::Double(StataDouble::Present(2.25)),
            Value::string("Ulm"),
        ],
        vec![
            Value::Byte(StataByte::Missing(missing)),
            Value::Int(StataInt::Missing(missing)),
            Value::Long(StataLong::Missing(missing)),
            Value::Float(StataFloat::Missing(missing)),
            Value::Float(StataFloat::Missing(missing)),
            Value::Double(StataDouble::Missing(missing)),
            Value::string(""),
        ],
    ];
    for release in [104, 105, 107, 108, 109, 110, 113, 115, 117, 118, 119] {
        for order in ORDERS {
            let bytes = written(release, order, &columns_are, &rows, &LongStringTable::for_writing());
            let set = label_set(release, order, "sexes", [" man ", "woman"]);
            let read = columns(&with_labels(release, order, bytes, &set), None);
            let read = read.unwrap_or_else(|| panic!("version {release} is read"));
            for ((column, (_, name, ..)), text) in
                read.iter().zip(columns_are).zip(["1", "300", "-70000", "1.1", "1960-03-01", "2.25", "Ulm"])
            {
                assert_eq!((column.name.as_str(), column.about.as_str()), (name, format!("about {name}").as_str()));
                assert_eq!(cells(column), [text, "-"], "{release} {name}");
                let labels: Vec<_> = column.labels.iter().map(|(value, label)| format!("{value}={label}")).collect();
                let expected: &[&str] = if name == "sex" { &["1=man", "2=woman"] } else { &[] };
                assert_eq!(labels, expected, "{release} {name}");
            }
            assert_eq!(read.len(), columns_are.len());
        }
    }
}

#[test]
fn a_long_text_is_looked_up() {
    for release in [117, 118, 119] {
        for order in ORDERS {
            let (mut long, mut gone) = (LongStringTable::for_writing(), LongStringTable::for_writing());
            let texts = [long.get_or_insert(1, 1, "a long text"), long.get_or_insert(1, 2, "another")];
            let [first, second] = texts.map(Value::LongStringRef);
            let third = Value::LongStringRef(gone.get_or_insert(1, 3, "gone"));
            let kind = [(VariableType::LongString, "note", "%9s", "")];
            let bytes = written(release, order, &kind, &[vec![second], vec![first], vec![third]], &long);
            let read = columns(&bytes, None).expect("a whole file");
            assert_eq!(cells(&read[0]), ["another", "a long text", "-"]);
            // Where the parts are is told at the beginning; the reader of the file would not look there.
            let tag = b"<map>";
            let map = bytes.windows(tag.len()).position(|part| part == tag).expect("a map") + tag.len();
            for entry in [8, 10, 11] {
                let mut wrong = bytes.clone();
                wrong[map + 8 * entry..][..8].copy_from_slice(&bytes_of(map, 8, order));
                assert!(columns(&wrong, None).is_none(), "part {entry} is elsewhere");
            }
        }
    }
}

#[test]
fn what_is_no_such_file_is_refused() {
    for bytes in [&b""[..], b"<", b"<stata_dta>", b"\x72", b"\x72\x02\x01\x00", &[0x72; 4000], &[b'<'; 4000]] {
        assert!(columns(bytes, None).is_none());
    }
}

#[test]
fn each_kind_of_number_is_a_number_or_missing() {
    let missing = MissingValue::System;
    let numbers = [
        (Value::Byte(StataByte::Present(-7)), Value::Byte(StataByte::Missing(missing)), -7.0),
        (Value::Int(StataInt::Present(300)), Value::Int(StataInt::Missing(missing)), 300.0),
        (Value::Long(StataLong::Present(70_000)), Value::Long(StataLong::Missing(missing)), 70_000.0),
        (Value::Float(StataFloat::Present(0.5)), Value::Float(StataFloat::Missing(missing)), 0.5),
        (Value::Double(StataDouble::Present(1e300)), Value::Double(StataDouble::Missing(missing)), 1e300),
    ];
    for (present, missing, number) in numbers {
        assert_eq!((number_of(&present), number_of(&missing)), (Some(number), None));
    }
    assert_eq!(number_of(&Value::string("1")), None);
}

#[test]
fn a_number_is_shown_as_its_format_says() {
    let cases = [
        (60.0, "%td", "1960-03-01"),
        (-1.0, "%dD_m_Y", "1959-12-31"),
        (86_400_250.0, "%tc", "1960-01-02T00:00:00.250"),
        (86_400_250.0, "%tC", "86400250"),
        (0.0, "%tm", "1960-01"),
        (-1.0, "%tm", "1959-12"),
        (25.0, "%tm", "1962-02"),
        (5.0, "%tq", "1961-Q2"),
        (-4.0, "%tq", "1959-Q1"),
        (3.0, "%th", "1961-H2"),
        (52.0, "%tw", "1961-w01"),
        (-1.0, "%tw", "1959-w52"),
        (2024.0, "%ty", "2024"),
        (1.5, "%9.0g", "1.5"),
        (1.5, "", "1.5"),
    ];
    for (number, format, text) in cases {
        assert_eq!(shown(number, format).as_deref(), Some(text), "{number} {format}");
    }
    assert_eq!((shown(f64::NAN, "%td"), shown(f64::INFINITY, "%tc")), (None, None));
}
