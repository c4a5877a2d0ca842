//! From cells to the rows of a table.

use std::io::Write;

use super::cell_range::CellRange;
use super::sheets::{ChosenSheet, SheetCell};
use super::{WorkbookFacts, cell_text};
use crate::runtime::error::WorkbookFault;

/// Writes cells, which come row by row, as lines of CSV. The first row with content is the first line, and says how
/// wide the table is.
pub(super) struct SheetRows<W: Write> {
    writer: csv::Writer<W>,
    range: Option<CellRange>,
    /// The first and the last column, once they are known.
    columns: Option<(u32, u32)>,
    /// The number of the row that is collected, and its cells.
    row: u32,
    cells: Vec<(u32, String)>,
    /// The first and the last row that were written.
    written: Option<(u32, u32)>,
    facts: WorkbookFacts,
    /// Formulas whose result is empty.
    without_result: u64,
}

/// A cell by its row and its column.
pub(super) type CellPlace = (u32, u32);

impl<W: Write> SheetRows<W> {
    pub(super) fn new(target: W, range: Option<CellRange>) -> Self {
        SheetRows {
            writer: csv::WriterBuilder::new().flexible(false).from_writer(target),
            range,
            columns: None,
            row: 0,
            cells: Vec::new(),
            written: None,
            facts: WorkbookFacts::default(),
            without_result: 0,
        }
    }

    pub(super) fn add(&mut self, cell: SheetCell) -> Result<(), WorkbookFault> {
        let (row, column) = cell.place;
        if self.range.is_some_and(|range| !range.holds(row, column)) {
            return Ok(());
        }
        self.facts.formulas += u64::from(cell.is_formula);
        self.facts.errors += u64::from(matches!(cell.value, calamine::Data::Error(_)));
        let Some(text) = cell_text::text_of(cell.value) else {
            self.without_result += u64::from(cell.is_formula);
            return Ok(());
        };
        if row != self.row {
            self.write_row()?;
            if row < self.row {
                return Err(WorkbookFault::Unreadable);
            }
            self.row = row;
        }
        self.cells.push((column, text));
        Ok(())
    }

    /// Writes the last row; the first and the last cell of the table.
    pub(super) fn finish(&mut self) -> Result<(CellPlace, CellPlace), WorkbookFault> {
        self.write_row()?;
        if self.without_result > 0 {
            return Err(WorkbookFault::NoResults { cells: self.without_result });
        }
        let (rows, columns) = self.written.zip(self.columns).ok_or(WorkbookFault::NoContent)?;
        Ok(((rows.0, columns.0), (rows.1, columns.1)))
    }

    pub(super) fn facts(&self, sheet: &ChosenSheet) -> WorkbookFacts {
        WorkbookFacts {
            sheet: sheet.name.clone(),
            hidden_sheets: sheet.others_hidden,
            is_hidden: sheet.is_hidden,
            ..self.facts.clone()
        }
    }

    pub(super) fn into_target(self) -> std::io::Result<W> {
        self.writer.into_inner().map_err(csv::IntoInnerError::into_error)
    }

    fn write_row(&mut self) -> Result<(), WorkbookFault> {
        let cells = std::mem::take(&mut self.cells);
        let (Some(least), Some(most)) = (cells.iter().map(|cell| cell.0).min(), cells.iter().map(|cell| cell.0).max())
        else {
            return Ok(());
        };
        let (first, last) = *self.columns.get_or_insert(self.range.map_or((least, most), |range| range.columns));
        if least < first || most > last {
            return Err(WorkbookFault::BesideTable { row: u64::from(self.row) + 1 });
        }
        if let Some((_, before)) = self.written {
            self.facts.empty_rows += u64::from(self.row - before - 1);
        }
        self.written = Some((self.written.map_or(self.row, |rows| rows.0), self.row));
        let mut line = vec![String::new(); (last - first + 1) as usize];
        cells.into_iter().for_each(|(column, text)| line[(column - first) as usize] = text);
        self.writer.write_record(&line).map_err(|_| WorkbookFault::Unwritten)
    }
}
