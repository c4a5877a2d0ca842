//! Workbooks written part by part, and what is searched in each.

use std::io::Write;

use tempfile::NamedTempFile;
use zip::write::SimpleFileOptions;

use super::*;

/// A workbook of some parts.
fn workbook(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in parts {
        archive.start_file(*name, SimpleFileOptions::default()).expect("writing to memory");
        archive.write_all(text.as_bytes()).expect("writing to memory");
    }
    archive.finish().expect("writing to memory").into_inner()
}

/// Searches a file; how many values leak, and how many bytes were searched.
fn scanned(bytes: &[u8], values: &[&str]) -> Result<(u64, u64), String> {
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("the disk has room");
    let mut search = CanarySearch::of_texts(values);
    match scan(file.path(), &mut search) {
        Ok(()) => Ok((search.leaks(), search.bytes)),
        Err(ReadError::Unreadable(why)) => Err(why),
        Err(ReadError::Cancelled) => Err("it was cancelled".to_string()),
    }
}

fn hidden(xml: &str) -> String {
    let mut xml = xml.as_bytes().to_vec();
    hide_places(&mut xml);
    String::from_utf8(xml).expect("text")
}

#[test]
fn places_of_cells_are_not_searched_and_their_values_are() {
    let text = hidden("<row r=\"123456\" spans=\"1:2\"><c r=\"A123456\"><v>654321</v></c></row>");
    assert!(!text.contains("123456") && text.contains("<v>654321</v>"), "{text}");
}

#[test]
fn only_places_are_overwritten() {
    for (xml, left) in [
        ("", ""),
        (" r=\"", " r=\""),
        (" r=\"\"", " r=\"\""),
        (" r=\"A1\" s=\"1\"", " r=\"  \" s=\"1\""),
        (" ref=\"A1:B2\" ref=\"C3\"", " ref=\"     \" ref=\"  \""),
        (" spans=\"1:16384\"/>", " spans=\"       \"/>"),
        // The attribute is another one.
        ("<c xr=\"A1\" href=\"A1\"", "<c xr=\"A1\" href=\"A1\""),
    ] {
        assert_eq!(hidden(xml), left, "{xml}");
    }
}

#[test]
fn a_part_that_is_cut_anywhere_keeps_its_length() {
    let whole = "<row r=\"12\" spans=\"1:2\"><c ref=\"A12\"><v>6</v></c></row>";
    let whole_left = "<row r=\"  \" spans=\"   \"><c ref=\"   \"><v>6</v></c></row>";
    for end in 0..=whole.len() {
        assert_eq!(hidden(&whole[..end]), whole_left[..end], "{end}");
    }
}

#[test]
fn every_part_is_searched_and_its_bytes_are_counted() {
    for leaking in PARTS {
        let parts = PARTS.map(|name| (name, if name == leaking { "<a>xZoe-Leakedx</a>" } else { "<a/>" }));
        assert_eq!(scanned(&workbook(&parts), &["Zoe-Leaked"]), Ok((1, 19 + 8 * 4)), "{leaking}");
    }
}

#[test]
fn a_number_of_a_row_is_no_leak_and_a_number_in_a_cell_is_one() {
    for (xml, leaks) in [
        ("<row r=\"123456\"><c r=\"A123456\"><v>1</v></c></row>", 0),
        ("<row r=\"1\"><c r=\"A1\"><v>123456</v></c></row>", 1),
    ] {
        let bytes = workbook(&[("xl/worksheets/sheet1.xml", xml)]);
        assert_eq!(scanned(&bytes, &["123456"]), Ok((leaks, xml.len() as u64)), "{xml}");
    }
}

#[test]
fn a_part_that_no_release_has_is_refused() {
    for name in
        ["xl/sharedStrings.xml", "xl/worksheets/sheet2.xml", "xl/comments1.xml", "XL/workbook.xml", "xl/styles.xml/"]
    {
        let refused = scanned(&workbook(&[("xl/workbook.xml", "<a/>"), (name, "")]), &["Anna"]);
        assert_eq!(refused, Err("the workbook has a part that no release has".to_string()), "{name}");
    }
}

#[test]
fn a_workbook_that_cannot_be_unpacked_is_refused_wherever_it_is_cut() {
    let whole = workbook(&[("xl/workbook.xml", "<a>of Anna and Bert</a>")]);
    for end in 0..whole.len() {
        let refused = scanned(&whole[..end], &["Anna"]);
        assert_eq!(refused, Err("the workbook cannot be unpacked".to_string()), "{end}");
    }
    // The sum of a part does not fit what it holds.
    let mut edited = whole;
    let sum = edited.windows(4).position(|window| window == b"PK\x01\x02").expect("a list of parts") + 16;
    edited[sum] ^= 1;
    assert_eq!(scanned(&edited, &["Anna"]), Err("the workbook cannot be unpacked".to_string()));
}

#[test]
fn a_text_where_a_place_is_expected_is_searched() {
    for (text, is_left) in [
        ("ABC1234567", false),
        ("ABCD1", true),
        ("A12345678", true),
        ("1A", true),
        ("a1", true),
        ("A1:B2", false),
        ("A1:Zoe", true),
        ("Zoe:B2", true),
        ("A1 Zoe", true),
    ] {
        for attribute in ["r", "ref", "spans"] {
            let xml = format!("<c {attribute}=\"{text}\"/>");
            assert_eq!(hidden(&xml) == xml, is_left, "{xml}");
        }
    }
    for xml in ["<a>of r=\"Zoe-Leaked\"</a>", "<a>of r=\"</a><b>Zoe-Leaked</b>", "<a r=\"Zoe r=\"Zoe-Leaked"] {
        let bytes = workbook(&[("docProps/core.xml", xml)]);
        assert_eq!(scanned(&bytes, &["Zoe-Leaked"]), Ok((1, xml.len() as u64)), "{xml}");
    }
}
