//! Tests at the edges of what a transport file may hold.

use super::*;

/// A column as it is written: its kind, its size, its name, its format, its long name.
type Written<'w> = (u16, u16, &'w str, &'w str, &'w [u8]);

/// A file of any columns, that says how many they are.
fn file(count: &str, variables: &[Written<'_>], data: &[u8]) -> Vec<u8> {
    let head = |part: &str, rest: &str| {
        format!("{:80}", format!("HEADER RECORD*******{part:<7} HEADER RECORD!!!!!!!{rest}")).into_bytes()
    };
    let mut bytes = [head("LIBRARY", ""), head("MEMBER", ""), head("NAMESTR", count)].concat();
    let start = bytes.len();
    for &(kind, size, name, format, long) in variables {
        let mut described = [0u8; DESCRIBED];
        described[..2].copy_from_slice(&kind.to_be_bytes());
        described[4..6].copy_from_slice(&size.to_be_bytes());
        described[8..16].copy_from_slice(format!("{name:8}").as_bytes());
        described[16..56].copy_from_slice(format!("{:40}", format!("about {name}")).as_bytes());
        described[56..64].copy_from_slice(format!("{format:8}").as_bytes());
        described[88..88 + long.len()].copy_from_slice(long);
        bytes.extend(described);
    }
    bytes.resize(start + (bytes.len() - start).next_multiple_of(RECORD), b' ');
    bytes.extend(head("OBS", ""));
    bytes.extend(data);
    bytes.resize(bytes.len().next_multiple_of(RECORD), b' ');
    bytes
}

/// The count of columns in version 5.
fn four(count: usize) -> String {
    format!("000000{count:04}00")
}

fn texts(bytes: &[u8]) -> Option<Vec<Vec<String>>> {
    let cells = |column: LabelledColumn| column.cells.into_iter().map(Option::unwrap_or_default).collect();
    Some(columns(bytes, None)?.into_iter().map(cells).collect())
}

#[test]
fn columns_are_counted_in_four_digits_or_in_ten() {
    let variables: [Written<'_>; 2] = [(2, 3, "A", "", b""), (2, 5, "B", "", b"")];
    let counted = |count: &str| texts(&file(count, &variables, b"oneonlake")).map(|columns| columns.len());
    assert_eq!((counted(&four(2)), counted("2         ")), (Some(2), Some(2)));
    // One of them; more than there are; none; no number.
    assert_eq!(counted(&four(1)), Some(1));
    assert_eq!((counted(&four(4)), counted(&four(0)), counted("many")), (None, None, None));
    let one: Written<'_> = (2, 1, "A", "", b"");
    let many = file("0000010003", &[one; 10_003], &[b'x'; 10_003]);
    assert_eq!(texts(&many).map(|columns| columns.len()), Some(10_003), "of the last four digits alone, three");
}

#[test]
fn descriptions_of_columns_have_the_length_that_is_stated() {
    let stated = |size: usize| {
        let mut bytes = file(&four(1), &[(2, 8, "TOWN", "", b"")], b"Ulm     ");
        let begin = 3 * RECORD;
        // The only description, and what fills its record up, are longer or shorter by as much.
        let filled = DESCRIBED.next_multiple_of(RECORD);
        let described =
            [&bytes[begin..begin + DESCRIBED.min(size)], &vec![b' '; filled - DESCRIBED.min(size)]].concat();
        bytes.splice(begin..begin + filled, described);
        let member = format!("{}{size:04}", "0".repeat(26));
        bytes[RECORD + 48..RECORD + 78].copy_from_slice(member.as_bytes());
        texts(&bytes)
    };
    let town = Some(vec![vec!["Ulm".to_owned()]]);
    assert_eq!((stated(DESCRIBED), stated(DESCRIBED_ON_VAX), stated(148)), (town.clone(), town, None));
}

#[test]
fn a_part_that_is_missing_or_there_twice_is_refused() {
    let whole = file(&four(1), &[(2, 8, "TOWN", "", b"")], b"Ulm     Bonn    ");
    assert_eq!(texts(&whole), Some(vec![vec!["Ulm".to_owned(), "Bonn".to_owned()]]));
    for name in ["LIB", "MEM", "NAM", "OBS"] {
        let name = format!("HEADER RECORD*******{name}");
        let at = whole.windows(name.len()).position(|part| part == name.as_bytes()).expect("a part");
        let mut gone = whole.clone();
        gone[at] = b'h';
        assert_eq!(texts(&gone), None, "without {name}");
        let mut twice = whole.clone();
        let record = whole[at..at + RECORD].to_vec();
        twice.splice(0..0, record);
        assert_eq!(texts(&twice), None, "{name} twice");
    }
}

#[test]
fn blanks_behind_the_rows_fill_less_than_a_record() {
    let variables: [Written<'_>; 1] = [(2, 8, "TOWN", "", b"")];
    let rows = |rows: usize, blanks: usize| {
        let data = ["Ulm     ".repeat(rows), " ".repeat(blanks)].concat();
        texts(&file(&four(1), &variables, data.as_bytes())).map(|columns| columns[0].len())
    };
    // Ten rows are a record; nine of its eighths may be filled up.
    assert_eq!((rows(10, 0), rows(1, 0), rows(1, 72), rows(9, 8)), (Some(10), Some(1), Some(1), Some(9)));
    assert_eq!((rows(10, 80), rows(1, 152), rows(0, 80)), (None, None, None));
    assert_eq!(rows(0, 0), Some(0));
}

#[test]
fn a_name_of_more_letters_is_taken_where_it_is_one() {
    let cases: [(&str, &[u8], &str); 7] = [
        ("PAY", b"", "PAY"),
        ("PAY", b"PAY_OF_YEAR", "PAY_OF_YEAR"),
        ("PAY", b"pay", "pay"),
        ("PAY", b"PA", "PAY"),
        ("PAY", b"       ", "PAY"),
        ("PAY", "Löhne".as_bytes(), "PAY"),
        ("", b"", ""),
    ];
    for (short, long, name) in cases {
        let read = columns(&file(&four(1), &[(2, 1, short, "", long)], b"x"), None).expect("a table");
        assert_eq!((read[0].name.as_str(), read[0].about.as_str()), (name, format!("about {short}").trim()));
    }
}

#[test]
fn a_column_has_as_many_bytes_as_its_kind_allows() {
    let cases = [(1, 0, false), (1, 2, true), (1, 8, true), (1, 9, false), (2, 0, false), (2, 1, true), (2, 300, true)];
    for (kind, size, fits) in cases {
        let variables: [Written<'_>; 2] = [(2, 4, "A", "", b""), (kind, size, "B", "", b"")];
        let data = vec![b'x'; 4 + usize::from(size)];
        assert_eq!(texts(&file(&four(2), &variables, &data)).is_some(), fits, "{kind} {size}");
    }
}

#[test]
fn a_text_that_is_none_is_refused_or_read_in_the_encoding_given() {
    let bytes = file(&four(1), &[(2, 7, "TOWN", "", b"")], b"M\xfcnchen");
    assert_eq!(texts(&bytes), None);
    let read = columns(&bytes, Some(encoding_rs::WINDOWS_1252)).expect("a table");
    assert_eq!(read[0].cells, [Some("München".to_owned())]);
    assert_eq!(text(b" \0 a b \0", UTF_8).as_deref(), Some("a b"));
    assert_eq!((text(b"\xff", UTF_8), text(b"  ", UTF_8)), (None, Some(String::new())));
}

#[test]
fn a_cell_is_a_value_or_missing_or_broken() {
    let variable = |is_text: bool, bytes: usize, format: &str| XportVariable {
        name: String::new(),
        about: String::new(),
        is_text,
        bytes,
        format: format.to_owned(),
    };
    let number = |bytes: &[u8], format: &str| cell(&variable(false, bytes.len(), format), bytes, UTF_8);
    let some = |text: &str| Some(Some(text.to_owned()));
    for missing in [&b".\0\0\0\0\0\0\0"[..], b"_\0\0", b"A\0\0\0", b"Z\0\0\0\0\0\0\0"] {
        assert_eq!(number(missing, ""), Some(None));
    }
    assert_eq!(
        (number(&[0; 8], ""), number(b"A\x10", ""), number(b"A\0\0\0\0\0\0\x01", "").is_some()),
        (some("0"), some("1"), true)
    );
    assert_eq!((number(b"a\0\0", ""), number(b"/\0\0", "")), (some("0"), some("0")));
    assert_eq!((number(b"A\x20", "DATE9"), number(b"\x7f\xff", "DATE9")), (some("1960-01-03"), None));
    let town = |bytes: &[u8]| cell(&variable(true, bytes.len(), ""), bytes, UTF_8);
    assert_eq!((town(b" Ulm \0"), town(b"  \0"), town(b"\xff")), (some(" Ulm"), Some(None), None));
}

#[test]
fn numbers_of_a_mainframe_are_exact() {
    let cases = [
        ([0x41, 0x10, 0, 0, 0, 0, 0, 0], 1.0),
        ([0xc1, 0x10, 0, 0, 0, 0, 0, 0], -1.0),
        ([0x42, 0x64, 0, 0, 0, 0, 0, 0], 100.0),
        ([0x40, 0x80, 0, 0, 0, 0, 0, 0], 0.5),
        ([0x43, 0x12, 0x34, 0x56, 0, 0, 0, 0], 291.270_996_093_75),
        ([0x4e, 0, 0, 0, 0, 0, 0, 0x07], 7.0),
        ([0x7f, 0x10, 0, 0, 0, 0, 0, 0], 16f64.powi(62)),
        ([0x80, 0x10, 0, 0, 0, 0, 0, 0], -(16f64.powi(-65))),
        ([0x00, 0x10, 0, 0, 0, 0, 0, 0], 16f64.powi(-65)),
    ];
    for (bytes, expected) in cases {
        assert_eq!(number(bytes), expected, "{bytes:x?}");
    }
}

#[test]
fn a_number_is_shown_as_its_format_says() {
    let days =
        ["DATE", "DDMMYY10", "MMDDYY", "YYMMDD", "E8601DA", "B8601DA", "JULIAN", "WORDDATE", "WEEKDATE", "$DATE"];
    for format in days {
        assert_eq!(shown(60.5, format).as_deref(), Some("1960-03-01"), "{format}");
    }
    for format in ["DATETIME", "DATETIME20", "E8601DT", "9DATETIME"] {
        assert_eq!(shown(86_461.5, format).as_deref(), Some("1960-01-02T00:01:01.500"), "{format}");
    }
    for format in ["TIME", "TIME8", "E8601TM"] {
        let times = [
            (0.0, Some("00:00:00")),
            (-61.0, Some("-00:01:01")),
            (3_725.6, Some("01:02:06")),
            (360_000.0, Some("100:00:00")),
            (999_999_999_999_999.0, Some("277777777777:46:39")),
            (1e15, None),
            (f64::INFINITY, None),
        ];
        for (number, time) in times {
            assert_eq!(shown(number, format).as_deref(), time, "{format}");
        }
    }
    for format in ["", "F", "BEST12", "DOLLAR", "MYTIME", "E8601"] {
        assert_eq!(shown(1.25, format).as_deref(), Some("1.25"), "{format}");
    }
    assert_eq!((shown(f64::INFINITY, "DATE"), shown(1e300, "DATETIME")), (None, None));
}
