//! A sheet of a workbook as CSV: how the verifier reads an original that a spreadsheet program wrote.
//!
//! The cells are taken from the library's table of the whole sheet, with the names and rows of the range that the record
//! names. An empty row is no row. Numbers are written as short as they can be read again, days and instants in ISO 8601.

use std::path::Path;
use std::sync::Arc;

use calamine::{Data, ExcelDateTime, Range, Reader, open_workbook_auto};

use super::ReadError;

/// Whether a file is a workbook, by its name.
pub(crate) fn is_workbook(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    matches!(ending.as_deref(), Some("xlsx" | "xlsm" | "xlsb" | "xls" | "ods"))
}

/// The sheet of a workbook as CSV.
pub(crate) fn sheet_as_csv(path: &Path, sheet: Option<&str>, range: Option<&str>) -> Result<Arc<[u8]>, ReadError> {
    // What the library says may quote a cell.
    let unreadable = || ReadError::unreadable("the workbook cannot be read");
    super::guarded(|| {
        let mut workbook = open_workbook_auto(path).map_err(|_| unreadable())?;
        let cells = match sheet {
            Some(name) => workbook.worksheet_range(name).map_err(|_| unreadable())?,
            None => match workbook.worksheets().into_iter().filter(|sheet| !sheet.1.is_empty()).collect::<Vec<_>>() {
                sheets if sheets.len() == 1 => sheets.into_iter().next().map(|sheet| sheet.1).unwrap_or_default(),
                _ => return Err(ReadError::unreadable("it has several sheets, and the record does not name one")),
            },
        };
        let cells = match range {
            None => cells,
            Some(range) => {
                let (first, last) = corners(range, &cells).ok_or_else(unreadable)?;
                cells.range(first, last)
            }
        };
        lines(&cells).map(Into::into).ok_or_else(unreadable)
    })
}

/// The rows with content as lines of CSV.
fn lines(cells: &Range<Data>) -> Option<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in cells.rows() {
        let texts: Vec<String> = row.iter().map(text).collect();
        if texts.iter().any(|text| !text.is_empty()) {
            writer.write_record(&texts).ok()?;
        }
    }
    writer.into_inner().ok()
}

fn text(cell: &Data) -> String {
    match cell {
        Data::Empty => String::new(),
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => text.clone(),
        Data::Int(number) => number.to_string(),
        Data::Float(number) => number.to_string(),
        Data::Bool(truth) => truth.to_string(),
        Data::Error(error) => error.to_string(),
        Data::DateTime(moment) => moment_text(moment),
    }
}

/// A span of time in hours, a time of day, a day or an instant. The library counts days since 1899-12-30.
fn moment_text(moment: &ExcelDateTime) -> String {
    let days = moment.as_f64();
    if moment.is_duration() {
        let seconds = (days.abs() * 86_400.0).round();
        let sign = if days < 0.0 && seconds > 0.0 { "-" } else { "" };
        let (hours, rest) = ((seconds / 3600.0).floor(), seconds % 3600.0);
        return format!("{sign}{hours:.0}:{:02.0}:{:02.0}", (rest / 60.0).floor(), rest % 60.0);
    }
    let (year, month, day, hour, minute, second, milli) = moment.to_ymd_hms_milli();
    let mut clock = format!("{hour:02}:{minute:02}:{second:02}");
    if milli > 0 {
        clock += &format!(".{milli:03}");
    }
    let date = format!("{year:04}-{month:02}-{day:02}");
    match clock.as_str() {
        _ if (0.0..1.0).contains(&days) => clock,
        "00:00:00" => date,
        _ => format!("{date}T{clock}"),
    }
}

/// The first and the last cell of a range such as `B3:F200` or `B3:F`, by row and column from 0.
fn corners(range: &str, cells: &Range<Data>) -> Option<((u32, u32), (u32, u32))> {
    let (first, last) = range.split_once(':')?;
    let part = |text: &str| -> Option<(Option<u32>, u32)> {
        let at = text.find(|letter: char| letter.is_ascii_digit()).unwrap_or(text.len());
        let column = text[..at].chars().try_fold(0u32, |column, letter| {
            column.checked_mul(26)?.checked_add(letter.to_digit(36)?.checked_sub(9)?)
        })?;
        let row = if at == text.len() { None } else { Some(text[at..].parse::<u32>().ok()?.checked_sub(1)?) };
        Some((row, column.checked_sub(1)?))
    };
    let ((top, left), (bottom, right)) = (part(first)?, part(last)?);
    let end = cells.end().unwrap_or_default().0;
    let first = (top?, left);
    Some((first, (bottom.unwrap_or(end).min(end).max(first.0), right)))
}

#[cfg(test)]
mod tests;
