//! SPSS's system file, uncompressed, as the developers' guide of GNU PSPP describes it.

use std::io::{Read, Write};

use super::columns::{StoredAs, StoredColumn};
use super::{each_line, padded};
use crate::source::statistics::SPSS_DAYS;

/// The longest text of a column.
pub(super) const MOST_BYTES: usize = 255;

const MOST_NAME: usize = 64;
const MOST_LABEL: usize = 255;
const RESERVED: [&str; 13] = ["ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH"];

/// Whether SPSS has columns of that name.
pub(super) fn is_name(name: &str) -> bool {
    let is_inner = |letter: char| letter.is_alphanumeric() || "._$#@".contains(letter);
    name.chars().next().is_some_and(|first| first.is_alphabetic() || first == '@')
        && name.chars().all(is_inner)
        && !name.ends_with('.')
        && name.len() <= MOST_NAME
        && !RESERVED.contains(&name.to_uppercase().as_str())
}

/// How a column is shown: a type of SPSS, its width and its decimals.
#[allow(clippy::cast_possible_truncation, reason = "at most 255")]
fn format_of(column: &StoredColumn) -> i32 {
    let (kind, width, decimals) = match column.stored {
        StoredAs::Texts => (1, column.text_bytes() as i32, 0),
        StoredAs::Days => (39, 10, 0),
        StoredAs::Instants => (22, 20, 0),
        StoredAs::Codes | StoredAs::Whole => (5, 12, 0),
        StoredAs::Fraction => (5, 20, column.decimals.min(16) as i32),
    };
    kind << 16 | width << 8 | decimals
}

/// The elements of 8 bytes that a cell takes.
fn elements(column: &StoredColumn) -> usize {
    column.text_bytes().div_ceil(8).max(1)
}

/// Writes the file.
pub(super) fn write(columns: &[StoredColumn], rows: u64, lines: impl Read, out: &mut impl Write) -> Option<()> {
    out.write_all(&dictionary(columns, rows)?).ok()?;
    let mut line = Vec::new();
    each_line(lines, |record| {
        line.clear();
        for (column, text) in columns.iter().zip(record) {
            match column.stored {
                StoredAs::Texts => line.extend(padded(text, 8 * elements(column), b' ')),
                stored => {
                    // SPSS counts seconds.
                    let unit = if stored == StoredAs::Days { 86_400.0 } else { 1.0 };
                    let number = column.number(text, SPSS_DAYS).map_or(-f64::MAX, |number| number * unit);
                    line.extend(number.to_le_bytes());
                }
            }
        }
        out.write_all(&line).ok()
    })
}

/// What comes before the rows.
fn dictionary(columns: &[StoredColumn], rows: u64) -> Option<Vec<u8>> {
    let mut bytes = b"$FL2".to_vec();
    bytes.extend(padded("@(#) SPSS DATA FILE", 60, b' '));
    let row: usize = columns.iter().map(elements).sum();
    for number in [2, i32::try_from(row).ok()?, 0, 0, i32::try_from(rows).ok()?] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(100f64.to_le_bytes());
    // A date that is always the same, and no label.
    bytes.extend(padded("01 Jan 0000:00:00", 17 + 64, b' '));
    bytes.extend([0; 3]);
    for (at, column) in columns.iter().enumerate() {
        variable(&mut bytes, at, column)?;
    }
    let mut first = 1;
    for column in columns {
        labels(&mut bytes, first, column)?;
        first += i32::try_from(elements(column)).ok()?;
    }
    let numbers = [0, 0, 1, -1, 1, 1, 2, 65_001].map(i32::to_le_bytes).concat();
    extension(&mut bytes, 3, 4, &numbers)?;
    extension(&mut bytes, 4, 8, &[-f64::MAX, f64::MAX, -f64::MAX.next_down()].map(f64::to_le_bytes).concat())?;
    let names: Vec<String> =
        columns.iter().enumerate().map(|(at, column)| format!("{}={}", short(at), column.name)).collect();
    extension(&mut bytes, 13, 1, names.join("\t").as_bytes())?;
    extension(&mut bytes, 20, 1, b"UTF-8")?;
    bytes.extend(999i32.to_le_bytes());
    bytes.extend(0i32.to_le_bytes());
    Some(bytes)
}

/// The short name of a column, which nobody sees.
fn short(at: usize) -> String {
    format!("V{}", at + 1)
}

fn variable(bytes: &mut Vec<u8>, at: usize, column: &StoredColumn) -> Option<()> {
    let format = format_of(column);
    let mut record = |kind: i32, label: &str, name: &str| -> Option<()> {
        let label = padded(label, label.len().min(MOST_LABEL), b' ');
        for number in [2, kind, i32::from(!label.is_empty()), 0, format, format] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(padded(name, 8, b' '));
        if !label.is_empty() {
            bytes.extend(i32::try_from(label.len()).ok()?.to_le_bytes());
            let filled = label.len().next_multiple_of(4) - label.len();
            bytes.extend(label);
            bytes.extend(std::iter::repeat_n(b' ', filled));
        }
        Some(())
    };
    record(i32::try_from(column.text_bytes()).ok()?, &column.label, &short(at))?;
    (1..elements(column)).try_for_each(|_| record(-1, "", ""))
}

/// The labels of values that are published.
fn labels(bytes: &mut Vec<u8>, first: i32, column: &StoredColumn) -> Option<()> {
    let labels = column.labels();
    if labels.is_empty() {
        return Some(());
    }
    bytes.extend(3i32.to_le_bytes());
    bytes.extend(i32::try_from(labels.len()).ok()?.to_le_bytes());
    for (code, label) in labels {
        bytes.extend(code.to_le_bytes());
        bytes.push(u8::try_from(label.len()).ok()?);
        bytes.extend(padded(label, (label.len() + 1).next_multiple_of(8) - 1, b' '));
    }
    for number in [4, 1, first] {
        bytes.extend(number.to_le_bytes());
    }
    Some(())
}

fn extension(bytes: &mut Vec<u8>, kind: i32, size: usize, content: &[u8]) -> Option<()> {
    for number in [7, kind, i32::try_from(size).ok()?, i32::try_from(content.len() / size).ok()?] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(content);
    Some(())
}
