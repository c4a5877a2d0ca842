//! Workbooks of spreadsheet programs: one sheet of a file, written once more as CSV into the run's private folder, and
//! read from there as any text.
//!
//! A sheet is more than a table, so what would be read wrongly is refused: several sheets, merged cells in the table,
//! cells beside it. What a reader of the table may not expect is counted ([`WorkbookFacts`]) and said: hidden sheets,
//! formulas, of which the stored results are read, cells with an error, empty rows.
//!
//! Numbers and dates are typed cells there: a number becomes its shortest text, a date `2024-02-29`, an instant
//! `2024-02-29T13:45:00`, whatever the format that the sheet shows them in.

mod cell_range;
mod cell_text;
mod rows;
mod sheets;

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result, WorkbookFault};
use crate::runtime::guard::guarded;
use crate::runtime::limits::{FilePart, grows_too_much};
use crate::runtime::platform;
use crate::source::files::TableFile;

pub use cell_range::CellRange;
use rows::SheetRows;
use sheets::{Workbook, WorkbookKind};

/// Which part of a workbook is the table, where that is not clear.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SheetOptions {
    /// The name of the sheet; without it, there must be only one with content.
    pub sheet: Option<String>,
    /// The cells of the table; without it, all cells of the sheet.
    pub range: Option<CellRange>,
}

/// What is in the sheet that was read, or beside it, that its reader may not expect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkbookFacts {
    /// The sheet that was read.
    pub sheet: String,
    /// Sheets that the workbook hides, the one that was read not among them.
    pub hidden_sheets: u64,
    /// Whether the sheet that was read is hidden.
    pub is_hidden: bool,
    /// Cells with a formula; their stored results were read.
    pub formulas: u64,
    /// Cells with an error such as `#N/A`, which were read as that text.
    pub errors: u64,
    /// Rows without any content between others, which were left out.
    pub empty_rows: u64,
}

/// Whether a file has the ending of a workbook.
pub(crate) fn has_ending(path: &Path) -> bool {
    WorkbookKind::of(path).is_some()
}

/// Writes the sheet of a workbook as CSV into a private folder: where it is then, and what was found.
pub(crate) fn transcribed(
    engine: &Engine,
    file: &TableFile,
    options: &SheetOptions,
) -> Result<(PathBuf, WorkbookFacts)> {
    let refused = |fault: WorkbookFault| EngineError::Workbook { path: file.to_path_buf(), fault };
    let failed = |error| EngineError::io(file.to_path_buf(), error);
    refuse_too_large(engine, file)?;
    let into = engine.private_file("sheet", "sheet.csv")?;
    let unwritten = |error| EngineError::temp(&into, error);
    let target = platform::private(File::options().write(true).create_new(true)).open(&into).map_err(unwritten)?;
    let mut rows = SheetRows::new(BufWriter::new(target), options.range);
    let read = guarded(|| -> Result<WorkbookFacts> {
        let kind = WorkbookKind::of(file).unwrap_or(WorkbookKind::Xlsx);
        let mut workbook = Workbook::open(kind, BufReader::new(file.open().map_err(failed)?)).map_err(refused)?;
        let chosen = workbook.choose(options.sheet.as_deref()).map_err(refused)?;
        let mut stopped = None;
        let mut cells: u64 = 0;
        let found = workbook.each_cell(&chosen.name, |cell| {
            cells += 1;
            if cells.is_multiple_of(1 << 14) {
                stopped = engine.check_cancelled().err();
            }
            if stopped.is_some() { Err(WorkbookFault::Unreadable) } else { rows.add(cell) }
        });
        if let Some(stopped) = stopped {
            return Err(stopped);
        }
        found.map_err(refused)?;
        let (first, last) = rows.finish().map_err(refused)?;
        let merged = workbook.merged_within(&chosen.name, first, last);
        if merged > 0 {
            return Err(refused(WorkbookFault::Merged { regions: merged }));
        }
        Ok(rows.facts(&chosen))
    });
    let facts = read.unwrap_or_else(|_| Err(refused(WorkbookFault::Unreadable)))?;
    rows.into_target().and_then(|mut target| target.flush()).map_err(unwritten)?;
    Ok((into, facts))
}

/// Refuses a file that would grow beyond all measure when its parts are unpacked.
fn refuse_too_large(engine: &Engine, file: &TableFile) -> Result<()> {
    let stored = file.size()?;
    let Ok(opened) = file.open() else { return Ok(()) };
    // What is no archive is read as it is.
    let Ok(mut archive) = zip::ZipArchive::new(opened) else { return Ok(()) };
    let (mut unpacked, mut strings) = (0u64, 0u64);
    for at in 0..archive.len() {
        let Ok(part) = archive.by_index_raw(at) else { continue };
        unpacked = unpacked.saturating_add(part.size());
        // Texts are kept in memory, and so is everything of an OpenDocument.
        let in_memory = |name: &str| name.ends_with("sharedStrings.xml") || name.ends_with("content.xml");
        if part.name().is_ok_and(|name| in_memory(&name)) {
            strings = strings.saturating_add(part.size());
        }
    }
    let over = |part, most| Err(EngineError::OverLimit { path: file.to_path_buf(), part, most });
    if grows_too_much(stored, unpacked) {
        return over(FilePart::Expansion, stored);
    }
    match engine.memory() {
        Some(memory) if strings > memory / 2 => over(FilePart::Sheet, memory / 2),
        _ => Ok(()),
    }
}
