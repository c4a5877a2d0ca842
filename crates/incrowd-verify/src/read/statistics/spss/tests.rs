//! Tests with SPSS files that are written here, byte after byte, in both orders of bytes.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::*;

mod broken;
mod described;
mod packed;

/// A file as it is written.
struct Written {
    big: bool,
    bytes: Vec<u8>,
}

impl Written {
    /// What stands before the columns.
    fn new(big: bool, packed: i32, rows: i32) -> Written {
        let mut file = Written { big, bytes: format!("$FL2{:60}", "").into_bytes() };
        file.ints(&[2, 9, packed, 0, rows]).number(100.0);
        file.bytes.resize(176, b' ');
        file
    }

    fn ints(&mut self, numbers: &[i32]) -> &mut Written {
        for number in numbers {
            self.bytes.extend(if self.big { number.to_be_bytes() } else { number.to_le_bytes() });
        }
        self
    }

    fn number(&mut self, number: f64) -> &mut Written {
        self.bytes.extend(eight(self.big, number));
        self
    }

    /// A text, filled up with blanks.
    fn text(&mut self, text: &str, size: usize) -> &mut Written {
        self.bytes.extend(format!("{text:size$}").bytes());
        self
    }

    fn raw(&mut self, bytes: &[u8]) -> &mut Written {
        self.bytes.extend(bytes);
        self
    }

    /// A column without a label.
    fn column(&mut self, kind: i32, name: &str, format: i32, missing: i32) -> &mut Written {
        self.ints(&[2, kind, 0, missing, format << 16 | 0x08_02, 0]).text(name, 8)
    }

    /// The rest of a text that is longer than eight bytes.
    fn rests(&mut self, count: usize) -> &mut Written {
        for _ in 0..count {
            self.column(-1, "", 0, 0);
        }
        self
    }

    /// What later versions say.
    fn later(&mut self, kind: i32, bytes: &[u8]) -> &mut Written {
        self.ints(&[7, kind, 1, i32::try_from(bytes.len()).expect("few")]).raw(bytes)
    }

    fn end(&mut self) -> &mut Written {
        self.ints(&[999, 0])
    }

    fn read(&self) -> Option<Vec<LabelledColumn>> {
        columns(&self.bytes, None)
    }
}

fn eight(big: bool, number: f64) -> [u8; 8] {
    if big { number.to_be_bytes() } else { number.to_le_bytes() }
}

/// A file with one column of numbers that ends where the rows begin.
fn numbers(big: bool, packed: i32, rows: i32) -> Written {
    let mut file = Written::new(big, packed, rows);
    file.column(0, "PAY", 5, 0).end();
    file
}

fn cells(column: &LabelledColumn) -> Vec<&str> {
    column.cells.iter().map(|cell| cell.as_deref().unwrap_or("-")).collect()
}

fn labels(column: &LabelledColumn) -> Vec<(&str, &str)> {
    column.labels.iter().map(|(value, label)| (value.as_str(), label.as_str())).collect()
}

/// The only column's cells; nothing when the file is refused.
fn read_cells(file: &Written) -> Option<Vec<String>> {
    let columns = file.read()?;
    assert_eq!(columns.len(), 1);
    Some(cells(&columns[0]).into_iter().map(str::to_owned).collect())
}
