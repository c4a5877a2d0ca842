//! Broken text files are refused by line and column, and no refusal repeats a cell.

use incrowd_engine::ReadOptions;

use crate::support::{CANARY, Desk, assert_refused, question};

const NUL: &str = "remove NUL characters from the file; they usually come from a broken export";
const ENCODING: &str = "if that is right, use encoding = windows-1252; otherwise name the encoding of the file with it";
const UTF16: &str =
    "use encoding = utf-16le (Windows) or encoding = utf-16be, and check the letters that `check` shows";
const RAGGED: &str = "quote cells that contain the delimiter, or set the delimiter with delimiter";
const EMPTY: &str = "check that the export wrote rows";

#[test]
fn a_repeated_column_name_is_refused_with_both_positions() {
    let desk = Desk::new();
    let path = desk.write("t.csv", format!("age,sex, age \n1,{CANARY},2\n"));
    let words = format!("{path}: columns 1 and 3 have the same name");
    assert_refused(
        desk.open(&path),
        "IC404",
        &words,
        "rename one of them in the file; if the first line is a row, use header = false",
    );
}

#[test]
fn a_column_without_a_name_is_refused_with_its_position() {
    let desk = Desk::new();
    let path = desk.write("t.csv", format!("age,,sex\n1,{CANARY},2\n"));
    let hint = "name it in the header line; if the first line is a row, use header = false";
    assert_refused(desk.open(&path), "IC404", &format!("{path}: column 2 has no name"), hint);
}

#[test]
fn a_table_without_rows_is_refused_however_it_is_empty() {
    let desk = Desk::new();
    for (name, content) in [
        ("nothing.csv", ""),
        ("mark.csv", "\u{feff}"),
        ("blank.csv", " \r\n\t\n  "),
        ("header.csv", "age,sex"),
        ("line.csv", "age,sex\n"),
        ("lines.csv", "age,sex\r\n\r\n\r\n"),
    ] {
        let path = desk.write(name, content);
        let words = format!("{path}: the table has no rows");
        assert_refused(desk.count(&path, &["age"]), "IC403", &words, EMPTY);
        assert_refused(desk.open(&path).and_then(|table| table.profile(&desk.engine)), "IC403", &words, EMPTY);
    }
}

#[test]
fn a_nul_character_is_refused_by_line_and_column() {
    let desk = Desk::new();
    let path = desk.write("t.csv", format!("age,name\n1,a\n2,{CANARY}\0\n"));
    assert_refused(
        desk.open(&path),
        "IC405",
        &format!("{path}: line 3, column 2: the cell contains a NUL character"),
        NUL,
    );
}

#[test]
fn bytes_that_are_not_utf8_are_refused_by_line_and_column() {
    let desk = Desk::new();
    let mut bytes = format!("age,name\r\n1,a\r\n\r\n2,{CANARY}").into_bytes();
    bytes.extend(b"M\xfcller\r\n3,b\r\n");
    let path = desk.write("t.csv", bytes);
    let words = format!("{path}: line 4, column 2: the cell is not valid UTF-8; the file looks like windows-1252");
    assert_refused(desk.open(&path), "IC405", &words, ENCODING);
    let path = desk.write("cut.csv", b"age,name\n1,\xc3");
    let refused = desk.open(&path).expect_err("half a letter").to_string();
    assert!(refused.starts_with(&format!("{path}: line 2, column 2: the cell is not valid UTF-8")), "{refused}");
    let path = desk.write("header.csv", b"age,n\xe4me\n1,a\n");
    let words = format!("{path}: line 1, column 2: the cell is not valid UTF-8; the file looks like windows-1252");
    assert_refused(desk.open(&path), "IC405", &words, ENCODING);
}

#[test]
fn utf16_is_read_with_its_mark_and_refused_without() {
    let desk = Desk::new();
    let text = format!("age,name\n1,{CANARY}\n2,b\n");
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (name, bytes) in [("le.csv", little.clone()), ("be.csv", big.clone())] {
        let path = desk.write(name, bytes);
        assert_refused(desk.open(&path), "IC405", &format!("{path}: the file looks like UTF-16"), UTF16);
    }
    for (name, mark, bytes) in [("le-mark.csv", b"\xff\xfe", little), ("be-mark.csv", b"\xfe\xff", big)] {
        let path = desk.write(name, [mark.to_vec(), bytes].concat());
        assert!(desk.open(&path).is_ok(), "{name}");
    }
}

#[test]
fn a_quote_that_is_never_closed_is_refused_by_the_line_that_opened_it() {
    let desk = Desk::new();
    let path = desk.write("t.csv", format!("age,name\n1,a\n2,\"{CANARY}\n3,b\n4,c\n"));
    let words = format!("{path}: the quote opened on line 3 is not closed");
    let hint = "close the quote; double any quote inside a quoted cell";
    assert_refused(desk.open(&path), "IC406", &words, hint);
}

#[test]
fn a_line_with_too_few_or_too_many_cells_is_refused_by_its_line() {
    let desk = Desk::new();
    for (name, line, cells, content) in [
        ("few.csv", 3, 1, format!("age,name\n1,a\n{CANARY}\n")),
        ("many.csv", 3, 3, format!("age,name\n1,a\n2,b,{CANARY}\n3,c\n")),
        ("windows.csv", 3, 3, format!("age,name\r\n1,a\r\n2,b,{CANARY}\r\n")),
        ("blank.csv", 5, 3, format!("age,name\n1,a\n\n\n2,b,{CANARY}\n")),
        ("mark.csv", 2, 3, format!("\u{feff}age,name\n2,b,{CANARY}\n")),
        ("broken.csv", 4, 3, format!("age,name\n1,\"a\nb\"\n2,b,{CANARY}\n")),
        ("mac.csv", 3, 3, format!("age,name\r1,a\r2,b,{CANARY}\r")),
    ] {
        let path = desk.write(name, content);
        let words = format!("{path}: line {line} has {cells} cells, but the header has 2");
        // Also when the cell that is too many, or missing, is in no column that was asked for.
        assert_refused(desk.count(&path, &["age"]), "IC406", &words, RAGGED);
        assert_refused(desk.open(&path).and_then(|table| table.profile(&desk.engine)), "IC406", &words, RAGGED);
    }
}

#[test]
fn a_ragged_line_in_a_file_that_is_read_in_ranges_is_refused_by_its_line() {
    let desk = Desk::new();
    let filler = "x".repeat(300);
    let lines = 40_000;
    for (name, at, wrong, cells) in [("few.csv", 39_000, "1", 1), ("many.csv", 21_000, "1,2,3", 3)] {
        let mut text = String::from("age,name\n");
        (0..lines).for_each(|line| match line == at {
            true => text.push_str(&format!("{}\n", wrong.replace('1', CANARY))),
            false => text.push_str(&format!("{},{filler}\n", line % 90)),
        });
        assert!(text.len() > 11 << 20, "large enough to be cut");
        let path = desk.write(name, text);
        let words = format!("{path}: line {} has {cells} cells, but the header has 2", at + 2);
        assert_refused(desk.count(&path, &["age"]), "IC406", &words, RAGGED);
    }
}

#[test]
fn a_cell_longer_than_a_mebibyte_is_refused_by_line_and_column_when_its_column_is_asked_for() {
    let desk = Desk::new();
    let long = CANARY.repeat((1 << 20) / CANARY.len() + 1);
    let path = desk.write("t.csv", format!("age,note\n1,a\n2,{long}\n1,b\n"));
    let words = format!("{path}: line 3, column 2: a cell is longer than 1 MiB");
    let hint = "remove the column from the table: such long texts cannot be published safely";
    assert_refused(desk.count(&path, &["age", "note"]), "IC405", &words, hint);
    assert_eq!(desk.count(&path, &["age"]).unwrap().sizes.k(), 1);
}

#[test]
fn a_delimiter_is_detected_and_can_be_given() {
    let desk = Desk::new();
    for (delimiter, name) in [(b',', "c.csv"), (b';', "s.csv"), (b'\t', "t.csv"), (b'|', "p.csv"), (b'\t', "t.tsv")] {
        let mark = char::from(delimiter);
        let path = desk.write(name, format!("age{mark}weight\n1{mark}70\n2{mark}81\n2{mark}81\n"));
        let table = desk.open(&path).unwrap();
        assert_eq!((table.delimiter(), table.columns().join("+").as_str()), (Some(delimiter), "age+weight"));
        assert_eq!(table.count(&desk.engine, &question(&["age"])).unwrap().rows, 3);
    }
    let path = desk.write("told.csv", "a:b\n1:2\n");
    let told = ReadOptions { delimiter: Some(b':'), ..ReadOptions::default() };
    assert_eq!(desk.open_with(&path, told).unwrap().columns(), ["a", "b"]);
}

#[test]
fn a_second_byte_order_mark_is_refused_with_and_without_names() {
    let desk = Desk::new();
    let path = desk.write("t.csv", "\u{feff}\u{feff}age,sex\n30,f\n30,m\n");
    let words = format!("{path}: the first cell of column 1 begins with a byte order mark");
    for header in [true, false] {
        let said = ReadOptions { header: Some(header), ..ReadOptions::default() };
        assert_refused(desk.open_with(&path, said), "IC404", &words, "remove the second byte order mark from the file");
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_name() {
    let desk = Desk::new();
    let path = desk.write("t.csv", "\u{feff}\"age\",sex\n30,f\n30,m\n");
    let answer = desk.count(&path, &["age"]).unwrap();
    assert_eq!((answer.rows, answer.sizes.k()), (2, 2));
}

#[test]
fn a_header_longer_than_what_is_sniffed_is_read_whole() {
    let desk = Desk::new();
    let names: Vec<String> = (0..3000).map(|column| format!("a column with a rather long name, {column}")).collect();
    let header = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(",");
    let row = vec!["1"; names.len()].join(",");
    let path = desk.write("t.csv", format!("{header}\n{row}\n{row}\n"));
    assert_eq!(desk.open(&path).unwrap().columns().len(), 3000);
    assert_eq!(desk.count(&path, &[&names[2999]]).unwrap().sizes.k(), 2);
}

#[test]
fn a_damaged_file_is_refused_by_its_name() {
    let desk = Desk::new();
    let hint = "check that the file was copied completely, or use input_format = csv|parquet|arrow|xlsx|dta|sav";
    for (name, format) in [("t.parquet", "Parquet"), ("t.arrow", "Arrow")] {
        let path = desk.write(name, format!("PAR1 {CANARY} and no footer"));
        assert_refused(desk.open(&path), "IC402", &format!("{path}: damaged, or not valid {format}"), hint);
    }
    let whole = format!("age,name\n1,{CANARY}\n2,b\n").repeat(100);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, whole.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstd = zstd::encode_all(whole.as_bytes(), 1).unwrap();
    for (name, format, bytes) in [
        ("not.csv.gz", "gzip", CANARY.as_bytes()),
        ("not.csv.zst", "zstd", CANARY.as_bytes()),
        ("cut.csv.gz", "gzip", &gzip[..gzip.len() - 12]),
        ("cut.csv.zst", "zstd", &zstd[..zstd.len() - 12]),
    ] {
        let path = desk.write(name, bytes);
        assert_refused(desk.open(&path), "IC402", &format!("{path}: damaged, or not valid {format}"), hint);
    }
}
