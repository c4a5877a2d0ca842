//! Tests of the cells of a workbook, and of ranges of them.

use calamine::{CellErrorType, ExcelDateTimeType};
use rust_xlsxwriter::Workbook;

use super::*;

#[test]
fn a_range_is_found_and_ends_with_the_sheet() {
    let cells: Range<Data> = Range::new((0, 0), (99, 9));
    let cases = [
        ("B3:F200", Some(((2, 1), (99, 5)))),
        ("B3:F99", Some(((2, 1), (98, 5)))),
        ("B3:F100", Some(((2, 1), (99, 5)))),
        ("A5:AB", Some(((4, 0), (99, 27)))),
        ("A1:ZZ1", Some(((0, 0), (0, 701)))),
        ("b3:f4", Some(((2, 1), (3, 5)))),
        // A range that begins behind the sheet, or ends above its beginning, is one row.
        ("A200:B", Some(((199, 0), (199, 1)))),
        ("A9:B3", Some(((8, 0), (8, 1)))),
        ("B3", None),
        ("B:F200", None),
        ("B0:F200", None),
        ("B3:F0", None),
        ("3:4", None),
        ("B3:4", None),
        ("$B3:F4", None),
        ("B3x:F4", None),
        ("AAAAAAAAAAAAA1:B2", None),
        ("B99999999999:C", None),
    ];
    for (range, found) in cases {
        assert_eq!(corners(range, &cells), found, "{range}");
    }
    assert_eq!(corners("A1:B", &Range::empty()), Some(((0, 0), (0, 1))));
}

#[test]
fn other_files_are_no_workbooks() {
    for name in ["a.xlsx", "A.XLSX", "a.xlsm", "a.xlsb", "a.xls", "a.ods"] {
        assert!(is_workbook(Path::new(name)), "{name}");
    }
    for name in ["a.csv", "xlsx", "a.xlsx.csv", "a."] {
        assert!(!is_workbook(Path::new(name)), "{name}");
    }
    assert!(sheet_as_csv(Path::new("gone.xlsx"), None, None).is_err());
}

#[test]
fn a_cell_is_as_short_as_it_can_be_read_again() {
    let cells = [
        (Data::Empty, ""),
        (Data::String(" a,b ".into()), " a,b "),
        (Data::DateTimeIso("2020-01-01".into()), "2020-01-01"),
        (Data::DurationIso("PT1H".into()), "PT1H"),
        (Data::Int(-7), "-7"),
        (Data::Float(2.0), "2"),
        (Data::Float(0.1), "0.1"),
        (Data::Bool(true), "true"),
        (Data::Error(CellErrorType::Div0), "#DIV/0!"),
        (Data::DateTime(ExcelDateTime::new(43_831.0, ExcelDateTimeType::DateTime, false)), "2020-01-01"),
    ];
    for (cell, shown) in cells {
        assert_eq!(text(&cell), shown);
    }
}

#[test]
fn moments_are_days_times_instants_or_spans() {
    let moment = |days: f64| moment_text(&ExcelDateTime::new(days, ExcelDateTimeType::DateTime, false));
    let moments = [
        (0.0, "00:00:00"),
        (0.5, "12:00:00"),
        (1.0 - 0.5 / 86_400.0, "23:59:59.500"),
        (43_831.0, "2020-01-01"),
        (43_831.75, "2020-01-01T18:00:00"),
        (43_831.0 + 0.25 / 86_400.0, "2020-01-01T00:00:00.250"),
    ];
    for (days, text) in moments {
        assert_eq!(moment(days), text);
    }
    let span = |days: f64| moment_text(&ExcelDateTime::new(days, ExcelDateTimeType::TimeDelta, false));
    let spans = [
        (0.0, "0:00:00"),
        (1.5, "36:00:00"),
        (3_725.0 / 86_400.0, "1:02:05"),
        (-61.0 / 86_400.0, "-0:01:01"),
        (-0.25 / 86_400.0, "0:00:00"),
        (1e3, "24000:00:00"),
    ];
    for (days, text) in spans {
        assert_eq!(span(days), text, "{days}");
    }
}

#[test]
fn an_empty_row_is_no_row() {
    let mut cells: Range<Data> = Range::new((0, 0), (3, 1));
    cells.set_value((0, 0), Data::String("a".into()));
    cells.set_value((0, 1), Data::String("b".into()));
    cells.set_value((2, 1), Data::Int(7));
    assert_eq!(lines(&cells).as_deref(), Some(&b"a,b\n,7\n"[..]));
}

#[test]
fn the_sheet_is_the_only_one_with_content_or_the_one_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book.xlsx");
    let saved = |sheets: &[(&str, &str)]| {
        let mut workbook = Workbook::new();
        for (name, cell) in sheets {
            let sheet = workbook.add_worksheet().set_name(*name).expect("a name");
            if !cell.is_empty() {
                sheet.write_string(0, 0, *cell).expect("a cell").write_number(1, 1, 2.5).expect("a cell");
            }
        }
        workbook.save(&path).expect("the disk has room");
    };
    let read = |sheet: Option<&str>, range: Option<&str>| match sheet_as_csv(&path, sheet, range) {
        Ok(csv) => String::from_utf8_lossy(&csv).into_owned(),
        Err(ReadError::Unreadable(why)) => why,
        Err(ReadError::Cancelled) => "cancelled".into(),
    };
    let several = "it has several sheets, and the record does not name one";
    saved(&[("First", "a"), ("Empty", "")]);
    assert_eq!(read(None, None), "a,\n,2.5\n");
    assert_eq!(read(None, Some("B2:B")), "2.5\n");
    assert_eq!(read(None, Some("B2")), "the workbook cannot be read");
    saved(&[("First", "a"), ("Second", "b")]);
    assert_eq!((read(None, None).as_str(), read(Some("Second"), None).as_str()), (several, "b,\n,2.5\n"));
    assert_eq!(read(Some("Third"), None), "the workbook cannot be read");
    saved(&[("Empty", "")]);
    assert_eq!(read(None, None), several);
}
