//! Reads all cells of the first sheet of a workbook with the library alone, for `benchmarks/workbooks.py`.

#![allow(clippy::print_stdout, reason = "an example prints its answer")]

use std::error::Error;

use calamine::{DataRef, Reader, Xlsx, open_workbook};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a workbook")?;
    let mut workbook: Xlsx<_> = open_workbook(path)?;
    let sheet = workbook.sheet_names().into_iter().next().ok_or("no sheet")?;
    let mut cells = workbook.worksheet_cells_reader(&sheet)?;
    let (mut filled, mut bytes) = (0u64, 0u64);
    while let Some(cell) = cells.next_cell()? {
        match cell.get_value() {
            DataRef::Empty => {}
            DataRef::String(text) => bytes += text.len() as u64,
            DataRef::SharedString(text) => bytes += text.len() as u64,
            _ => filled += 1,
        }
    }
    println!("{filled} cells that are no texts, {bytes} bytes of text");
    Ok(())
}
