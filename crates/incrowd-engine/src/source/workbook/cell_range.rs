//! A rectangle of cells as spreadsheets write it: `B3:F200`, or `B3:F` down to the last row.

use std::fmt;
use std::str::FromStr;

/// A rectangle of cells, counted from 0, with both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRange {
    /// The first and the last row.
    pub(crate) rows: (u32, u32),
    /// The first and the last column.
    pub(crate) columns: (u32, u32),
}

impl CellRange {
    pub(crate) fn holds(self, row: u32, column: u32) -> bool {
        (self.rows.0..=self.rows.1).contains(&row) && (self.columns.0..=self.columns.1).contains(&column)
    }
}

impl FromStr for CellRange {
    type Err = ();

    fn from_str(text: &str) -> Result<CellRange, ()> {
        let (first, last) = text.trim().split_once(':').ok_or(())?;
        let ((row, column), (last_row, last_column)) = (corner(first)?, corner(last)?);
        let rows = (row.ok_or(())?, last_row.unwrap_or(u32::MAX));
        let range = CellRange { rows, columns: (column, last_column) };
        (range.rows.0 <= range.rows.1 && range.columns.0 <= range.columns.1).then_some(range).ok_or(())
    }
}

impl fmt::Display for CellRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (letters(self.columns.0), letters(self.columns.1));
        write!(f, "{first}{}:{last}", u64::from(self.rows.0) + 1)?;
        if self.rows.1 == u32::MAX { Ok(()) } else { write!(f, "{}", self.rows.1 + 1) }
    }
}

/// The letters of a column, counted from 0.
fn letters(column: u32) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        letters.push(char::from(b'A' + u8::try_from((rest - 1) % 26).unwrap_or(0)));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect()
}

/// A corner such as `F200`: its row, which may be left out, and its column.
fn corner(text: &str) -> Result<(Option<u32>, u32), ()> {
    let text = text.replace('$', "").to_ascii_uppercase();
    let digits = text.find(|letter: char| letter.is_ascii_digit()).unwrap_or(text.len());
    let (letters, number) = text.split_at(digits);
    if letters.is_empty() || letters.len() > 3 || !letters.bytes().all(|letter| letter.is_ascii_uppercase()) {
        return Err(());
    }
    let column = letters.bytes().fold(0, |column, letter| column * 26 + u32::from(letter - b'A') + 1) - 1;
    if number.is_empty() {
        return Ok((None, column));
    }
    let row: u32 = number.parse().map_err(drop)?;
    Ok((Some(row.checked_sub(1).ok_or(())?), column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_read_as_spreadsheets_write_it() {
        let range = |text: &str| text.parse::<CellRange>().map(|range| (range.rows, range.columns));
        assert_eq!(range("B3:F200"), Ok(((2, 199), (1, 5))));
        assert_eq!(range("$a$1:aa10"), Ok(((0, 9), (0, 26))));
        assert_eq!(range("A5:XFD"), Ok(((4, u32::MAX), (0, 16_383))), "down to the last row");
        for text in ["B3:F200", "A1:AA10", "A5:XFD", "Z1:AZ1"] {
            assert_eq!(text.parse::<CellRange>().map(|range| range.to_string()), Ok(text.into()));
        }
        for wrong in ["", "B3", "3:5", "F2:B9", "B9:F2", "B0:F2", "B:F", "ABCD1:ABCE2", "Ä1:B2"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }
}
