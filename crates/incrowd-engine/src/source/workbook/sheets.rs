//! The sheets of a workbook and their cells.

use std::io::{BufReader, Read, Seek};
use std::path::Path;

use calamine::{Data, DataRef, Ods, Range, Reader, SheetType, SheetVisible, Sheets, Xls, Xlsb, Xlsx};

use super::rows::CellPlace;
use crate::runtime::error::WorkbookFault;
use crate::source::files::ReadSeek;

/// The formats of workbooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkbookKind {
    /// Excel since 2007.
    Xlsx,
    /// The same, stored as binary records.
    Xlsb,
    /// Excel before 2007.
    Xls,
    /// OpenDocument.
    Ods,
}

impl WorkbookKind {
    /// By the ending of the name.
    pub(super) fn of(path: &Path) -> Option<WorkbookKind> {
        Some(match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "xlsx" | "xlsm" => WorkbookKind::Xlsx,
            "xlsb" => WorkbookKind::Xlsb,
            "xls" => WorkbookKind::Xls,
            "ods" => WorkbookKind::Ods,
            _ => return None,
        })
    }
}

type SheetReader = BufReader<Box<dyn ReadSeek>>;

/// A workbook, opened.
pub(super) struct Workbook(Sheets<SheetReader>);

/// The sheet that is the table.
pub(super) struct ChosenSheet {
    pub(super) name: String,
    pub(super) is_hidden: bool,
    /// How many other sheets are hidden.
    pub(super) others_hidden: u64,
}

/// A cell that may have content.
pub(super) struct SheetCell {
    pub(super) place: CellPlace,
    pub(super) value: Data,
    pub(super) is_formula: bool,
}

impl Workbook {
    pub(super) fn open(kind: WorkbookKind, mut reader: SheetReader) -> Result<Workbook, WorkbookFault> {
        // A new workbook under the old ending is common.
        let mut start = [0; 2];
        let is_archive = reader.read_exact(&mut start).is_ok() && &start == b"PK";
        reader.rewind().map_err(unreadable)?;
        Ok(Workbook(match kind {
            WorkbookKind::Xls if is_archive => Sheets::Xlsx(Xlsx::new(reader).map_err(unreadable)?),
            WorkbookKind::Xlsx => Sheets::Xlsx(Xlsx::new(reader).map_err(unreadable)?),
            WorkbookKind::Xlsb => Sheets::Xlsb(Xlsb::new(reader).map_err(unreadable)?),
            WorkbookKind::Xls => Sheets::Xls(Xls::new(reader).map_err(unreadable)?),
            WorkbookKind::Ods => Sheets::Ods(Ods::new(reader).map_err(unreadable)?),
        }))
    }

    /// The sheet with this name, or the only visible one that has content.
    pub(super) fn choose(&mut self, named: Option<&str>) -> Result<ChosenSheet, WorkbookFault> {
        let sheets: Vec<(String, bool)> = self
            .0
            .sheets_metadata()
            .iter()
            .filter(|sheet| sheet.typ == SheetType::WorkSheet)
            .map(|sheet| (sheet.name.clone(), sheet.visible != SheetVisible::Visible))
            .collect();
        let names = |among: &[(String, bool)]| among.iter().map(|sheet| sheet.0.clone()).collect::<Vec<_>>();
        let found = match named {
            Some(name) => sheets.iter().find(|sheet| sheet.0 == name).cloned(),
            None => {
                let mut filled = Vec::new();
                for sheet in sheets.iter().filter(|sheet| !sheet.1) {
                    if self.has_content(&sheet.0)? {
                        filled.push(sheet.clone());
                    }
                }
                if filled.len() > 1 {
                    return Err(WorkbookFault::SeveralSheets { names: names(&filled) });
                }
                filled.pop()
            }
        };
        let Some((name, is_hidden)) = found else {
            return Err(WorkbookFault::NoSheet { named: named.map(Into::into), names: names(&sheets) });
        };
        let others_hidden = sheets.iter().filter(|other| other.1 && other.0 != name).count() as u64;
        Ok(ChosenSheet { name, is_hidden, others_hidden })
    }

    fn has_content(&mut self, sheet: &str) -> Result<bool, WorkbookFault> {
        let Sheets::Xlsx(workbook) = &mut self.0 else {
            return Ok(!self.0.worksheet_range(sheet).map_err(unreadable)?.is_empty());
        };
        let mut cells = workbook.worksheet_cells_reader(sheet).map_err(unreadable)?;
        while let Some(cell) = cells.next_cell().map_err(unreadable)? {
            if *cell.get_value() != DataRef::Empty {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Hands on the cells of a sheet, row by row. New workbooks are read as a stream; others are small by their nature.
    pub(super) fn each_cell(
        &mut self,
        sheet: &str,
        mut take: impl FnMut(SheetCell) -> Result<(), WorkbookFault>,
    ) -> Result<(), WorkbookFault> {
        if let Sheets::Xlsx(workbook) = &mut self.0 {
            let mut cells = workbook.worksheet_cells_reader(sheet).map_err(unreadable)?;
            while let Some(cell) = cells.next_cell_with_formula_metadata().map_err(unreadable)? {
                take(SheetCell { place: cell.pos, value: cell.value.into(), is_formula: cell.formula.is_some() })?;
            }
            return Ok(());
        }
        let cells: Range<Data> = self.0.worksheet_range(sheet).map_err(unreadable)?;
        let formulas = self.0.worksheet_formula(sheet).map_err(unreadable)?;
        let (top, left) = cells.start().unwrap_or_default();
        for (row, column, value) in cells.used_cells() {
            #[allow(clippy::cast_possible_truncation, reason = "a sheet has far fewer rows and columns")]
            let place = (top + row as u32, left + column as u32);
            let is_formula = formulas.get_value(place).is_some_and(|formula| !formula.is_empty());
            take(SheetCell { place, value: value.clone(), is_formula })?;
        }
        Ok(())
    }

    /// How many merged regions reach into a rectangle of cells.
    pub(super) fn merged_within(&mut self, sheet: &str, first: CellPlace, last: CellPlace) -> u64 {
        let regions = match &mut self.0 {
            Sheets::Xlsx(workbook) => workbook.merge_cells_by_sheet_name(sheet).unwrap_or_default(),
            Sheets::Xls(workbook) => workbook.merge_cells_by_sheet_name(sheet).unwrap_or_default(),
            _ => Vec::new(),
        };
        let reaches = |region: &&calamine::Dimensions| {
            region.start.0 <= last.0 && region.end.0 >= first.0 && region.start.1 <= last.1 && region.end.1 >= first.1
        };
        regions.iter().filter(reaches).count() as u64
    }
}

/// What the library says may quote a cell, and is not shown.
fn unreadable<E>(_: E) -> WorkbookFault {
    WorkbookFault::Unreadable
}
