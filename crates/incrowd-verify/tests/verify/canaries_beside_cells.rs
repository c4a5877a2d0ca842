//! Removed values are found in CSV files, workbooks and SPSS files, in their cells and beside them.

use incrowd_verify::canary::{CanaryScan, scan};
use incrowd_verify::{Canaries, FileDialect, FileEntry, Format, VerifyError};

use crate::support::listed;

/// Searches a file for some values.
fn searched(bytes: &[u8], file: FileEntry, values: &[&str]) -> Result<CanaryScan, VerifyError> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join(&file.name), bytes).unwrap();
    let values: Vec<Vec<u8>> = values.iter().map(|value| value.as_bytes().to_vec()).collect();
    scan(dir.path(), &[file], &values)
}

/// How many values are leaks, and how many are in cells.
fn found(bytes: &[u8], file: FileEntry, values: &[&str]) -> (u64, u64) {
    let scan = searched(bytes, file, values).unwrap();
    (scan.found, scan.found_in_cells)
}

const NAME: &str = "Zoe Longname-Leaked";

/// A workbook with one text, and what is changed in it.
fn workbook(change: impl FnOnce(&mut rust_xlsxwriter::Workbook)) -> Vec<u8> {
    let mut workbook = rust_xlsxwriter::Workbook::new();
    workbook.add_worksheet_with_constant_memory().unwrap().write_string(0, 0, "x").unwrap();
    change(&mut workbook);
    workbook.save_to_buffer().unwrap()
}

#[test]
fn a_value_in_a_property_or_another_part_of_a_workbook_is_found() {
    let found =
        |bytes: &[u8], value: &str| searched(bytes, listed("x.xlsx", Format::Xlsx), &[value]).map(|it| it.found);
    assert_eq!(found(&workbook(|_| {}), NAME).unwrap(), 0);
    let author = rust_xlsxwriter::DocProperties::new().set_author(NAME);
    let by_author = workbook(|workbook| {
        workbook.set_properties(&author);
    });
    assert_eq!(found(&by_author, NAME).unwrap(), 1, "the author");
    let defined = workbook(|workbook| {
        workbook.define_name("Zoe_Longname", "=Sheet1!$A$1").unwrap();
    });
    assert_eq!(found(&defined, "Zoe_Longname").unwrap(), 1, "a defined name");
    let second = workbook(|workbook| {
        workbook.add_worksheet().set_hidden(true).write_string(0, 0, "Zoe").unwrap();
    });
    assert!(found(&second, NAME).is_err(), "a release has one sheet and no list of texts");
}

#[test]
fn a_value_behind_the_parts_of_a_workbook_is_found() {
    let mut bytes = workbook(|_| {});
    // The last two bytes are the length of the comment that follows.
    let end = bytes.len() - 2;
    bytes.splice(end.., u16::try_from(NAME.len()).unwrap().to_le_bytes());
    bytes.extend(NAME.bytes());
    assert_eq!(found(&bytes, listed("x.xlsx", Format::Xlsx), &[NAME]), (1, 0));
}

/// An SPSS file with one column of numbers, its label, and labels of values.
fn sav(label: &str, values: &[(f64, &str)], rows: &[f64]) -> Vec<u8> {
    let ints = |numbers: &[i32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let (as_int, padded) = (|many: usize| i32::try_from(many).unwrap(), |text: &str, to: usize| format!("{text:to$}"));
    let mut file = format!("$FL2{:60}", "").into_bytes();
    file.extend(ints(&[2, 1, 0, 0, as_int(rows.len())]));
    file.extend(100_f64.to_le_bytes());
    file.extend(padded("", 9 + 8 + 64 + 3).bytes());
    // The column, with its label, no missing values, and the format F8.2.
    file.extend(ints(&[2, 0, 1, 0, 0x05_08_02, 0x05_08_02]));
    file.extend(padded("ILLNESS", 8).bytes());
    file.extend(ints(&[as_int(label.len())]));
    file.extend(padded(label, label.len().next_multiple_of(4)).bytes());
    file.extend(ints(&[3, as_int(values.len())]));
    for (value, label) in values {
        file.extend(value.to_le_bytes());
        file.push(u8::try_from(label.len()).unwrap());
        file.extend(padded(label, (label.len() + 1).next_multiple_of(8) - 1).bytes());
    }
    file.extend(ints(&[4, 1, 1, 999, 0]));
    file.extend(rows.iter().flat_map(|row| row.to_le_bytes()));
    file
}

/// What is found in an SPSS file of two rows, with the values 1 and 2.
fn found_in_sav(label: &str, values: &[(f64, &str)], value: &str) -> (u64, u64) {
    found(&sav(label, values, &[1.0, 2.0]), listed("x.sav", Format::Sav), &[value])
}

const ILLNESSES: [(f64, &str); 2] = [(1.0, "flu"), (2.0, "asthma")];

#[test]
fn labels_of_an_spss_file_are_searched_and_a_label_of_an_absent_value_is_a_fault() {
    assert_eq!(found_in_sav("illness", &ILLNESSES, "Ada Lovelace"), (0, 0));
    assert_eq!(found_in_sav("illness of Ada Lovelace", &ILLNESSES, "Ada Lovelace"), (1, 0));
    assert_eq!(found_in_sav("illness of Ada", &ILLNESSES, "Ada"), (1, 0), "too short to be found in all bytes");
    let absent = sav("illness", &[(1.0, "flu"), (2.0, "asthma"), (3.0, "measles")], &[1.0, 2.0]);
    assert!(searched(&absent, listed("x.sav", Format::Sav), &["Ada Lovelace"]).is_err());
}

#[test]
fn a_label_that_an_spss_file_publishes_as_a_cell_is_no_leak() {
    assert_eq!(found_in_sav("illness", &[(1.0, "Ada Lovelace"), (2.0, "asthma")], "Ada Lovelace"), (0, 1));
}

#[test]
fn a_value_in_the_header_of_an_spss_file_is_found() {
    let mut bytes = sav("illness", &ILLNESSES, &[1.0, 2.0]);
    // The name of the program that wrote the file.
    bytes[8..8 + NAME.len()].copy_from_slice(NAME.as_bytes());
    assert_eq!(found(&bytes, listed("x.sav", Format::Sav), &[NAME]), (1, 0));
}

/// A text as CSV with semicolons in some encodings.
fn encoded(text: &str) -> [(FileEntry, Vec<u8>); 3] {
    let units = text.encode_utf16().flat_map(u16::to_le_bytes);
    let latin = text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect();
    [("windows-1252", latin), ("UTF-16LE", [0xff, 0xfe].into_iter().chain(units).collect()), ("UTF-8", text.into())]
        .map(|(encoding, bytes)| {
            let dialect = FileDialect { delimiter: ';', encoding: Some(encoding.into()), decimal_comma: Vec::new() };
            (FileEntry { rows: 2, dialect: Some(dialect), ..listed("x", Format::Csv) }, bytes)
        })
}

#[test]
fn a_value_is_found_in_the_encoding_of_its_file() {
    for (file, bytes) in encoded("name;age\nZoë Köhler;34\n\"Jürgen; \"\"Ö\"\"\";35\n") {
        let values = ["Zoë Köhler", "Jürgen; \"Ö\"", "Öztürk"];
        let scan = searched(&bytes, file.clone(), &values).unwrap();
        assert_eq!((scan.found, scan.found_in_cells), (0, 2), "{file:?}");
        assert_eq!(scan.bytes, bytes.len() as u64);
        assert_eq!(found(&bytes, file.clone(), &["Zoë Köhler"]), (0, 1), "a value without quotes in {file:?}");
        assert_eq!(found(&bytes, file.clone(), &["Köhler;34"]), (1, 0), "a value across two cells in {file:?}");
    }
}

#[test]
fn the_record_of_a_search_has_its_values_bytes_and_leaks() {
    let scan = CanaryScan { values: 4, bytes: 3, found: 2, found_in_cells: 1 };
    assert_eq!(Canaries::from(scan), Canaries { values: 4, bytes: 3, found: 2 });
}
