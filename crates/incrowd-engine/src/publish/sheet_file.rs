//! A release as a sheet of a workbook.
//!
//! A cell whose text is the shortest one of a number is written as that number, so that spreadsheets can sum it up;
//! every other cell is a text, `00501` too, and nothing is ever a formula. The workbook has one sheet, no defined names,
//! and no properties but a date that is always the same. Texts stand in their cells, so there is no list of texts that
//! could hold others.

use std::path::Path;

use rust_xlsxwriter::{DocProperties, ExcelDateTime, Workbook, Worksheet};

use crate::runtime::guard::guarded;

/// The most rows of a sheet, without the names of the columns.
pub(crate) const MOST_SHEET_ROWS: u64 = 1_048_575;

/// The name of the sheet.
const SHEET: &str = "data";

/// A workbook that is being written.
pub(crate) struct SheetFile {
    workbook: Workbook,
    /// The row that is written next.
    row: u32,
    /// Whether a row came that a sheet cannot hold: one without any content is no row there.
    pub(crate) has_empty_row: bool,
}

impl SheetFile {
    /// A workbook with the names of the columns. What does not fit in memory waits in a nameless file of the folder.
    pub(crate) fn new<'n>(folder: &Path, names: impl Iterator<Item = &'n str>) -> Option<SheetFile> {
        let mut workbook = Workbook::new();
        workbook.set_tempdir(folder).ok()?;
        let made = ExcelDateTime::from_ymd(2000, 1, 1).ok()?;
        workbook.set_properties(&DocProperties::new().set_creation_datetime(&made));
        let sheet = workbook.add_worksheet_with_constant_memory().ok()?;
        sheet.set_name(SHEET).ok()?;
        for (column, name) in (0..).zip(names) {
            sheet.write_string(0, column, name).ok()?;
        }
        Some(SheetFile { workbook, row: 1, has_empty_row: false })
    }

    /// Appends lines of CSV. The library panics when its temporary file cannot be written, as on a full disk.
    pub(crate) fn append(&mut self, lines: &[u8]) -> Option<()> {
        guarded(|| self.append_lines(lines)).ok()?
    }

    fn append_lines(&mut self, lines: &[u8]) -> Option<()> {
        let sheet = self.workbook.worksheet_from_index(0).ok()?;
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(lines);
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).ok()? {
            if record.iter().all(str::is_empty) {
                self.has_empty_row = true;
                return None;
            }
            for (column, text) in (0..).zip(&record) {
                write_cell(sheet, self.row, column, text)?;
            }
            self.row += 1;
        }
        Some(())
    }

    /// The bytes of the workbook.
    pub(crate) fn finish(mut self) -> Option<Vec<u8>> {
        guarded(|| self.workbook.save_to_buffer().ok()).ok()?
    }
}

fn write_cell(sheet: &mut Worksheet, row: u32, column: u16, text: &str) -> Option<()> {
    if text.is_empty() {
        return Some(());
    }
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && number.to_string() == text);
    match number {
        Some(number) => sheet.write_number(row, column, number),
        None => sheet.write_string(row, column, text),
    }
    .ok()
    .map(drop)
}

#[cfg(test)]
mod tests {
    use calamine::{Data, Reader, Xlsx};

    use super::*;

    #[test]
    fn numbers_are_numbers_and_everything_else_is_text() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut file = SheetFile::new(folder.path(), ["a", "=b"].into_iter()).expect("a workbook");
        file.append(b"34,00501\n0.5,=SUM(A1)\n,\"[30, 40)\"\n-7,1e5\n").expect("written");
        let bytes = file.finish().expect("saved");
        let mut workbook: Xlsx<_> = Xlsx::new(std::io::Cursor::new(bytes)).expect("a workbook");
        let cells = workbook.worksheet_range(SHEET).expect("a sheet");
        let rows: Vec<Vec<Data>> = cells.rows().map(<[Data]>::to_vec).collect();
        let text = |text: &str| Data::String(text.into());
        assert_eq!(rows[0], [text("a"), text("=b")]);
        assert_eq!(rows[1], [Data::Float(34.0), text("00501")]);
        assert_eq!(rows[2], [Data::Float(0.5), text("=SUM(A1)")]);
        assert_eq!(rows[3], [Data::Empty, text("[30, 40)")]);
        assert_eq!(rows[4], [Data::Float(-7.0), text("1e5")]);
        assert!(workbook.defined_names().is_empty());
    }

    #[test]
    fn a_row_without_content_is_not_lost_but_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut file = SheetFile::new(folder.path(), ["a", "b"].into_iter()).expect("a workbook");
        assert_eq!(file.append(b"1,2\n,\n"), None);
        assert!(file.has_empty_row);
    }

    #[test]
    fn the_same_rows_are_the_same_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        let made = || {
            let mut file = SheetFile::new(folder.path(), ["a"].into_iter())?;
            file.append(b"1\nx\n")?;
            file.finish()
        };
        assert!(made().is_some() && made() == made());
    }
}
