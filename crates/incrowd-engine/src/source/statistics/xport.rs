//! SAS transport files (`.xpt`, versions 5 and 8), read by hand: 80 bytes a record, and numbers in the form of old
//! mainframes. SAS publishes the format (“Record Layout of a SAS Version 5 or 6 Data Set in Transport Format”, and the
//! one of version 8).

use std::io::{BufRead, Seek, SeekFrom};

use super::calendar::{STATA_DAYS, day_text, duration_text, instant_text};
use super::{FileFacts, RowVisit, StatisticsCell, StatisticsRead, StatisticsValue, StatisticsVariable};
use crate::runtime::error::StatisticsFault;

/// The bytes of a record.
const RECORD: usize = 80;
/// The bytes that describe a column.
const NAMESTR: usize = 140;

fn broken<E>(_: E) -> StatisticsFault {
    StatisticsFault::Unreadable
}

#[derive(Debug)]
struct XportColumn {
    variable: StatisticsVariable,
    is_text: bool,
    length: usize,
    /// The name of its format, which says whether it is a time.
    format: String,
}

/// Reads all rows of the only data set in a file.
pub(super) fn read(
    mut file: impl BufRead + Seek,
    facts: FileFacts,
    visit: RowVisit<'_>,
) -> Result<StatisticsRead, StatisticsFault> {
    let columns = header(&mut file, facts)?;
    let width: usize = columns.iter().map(|column| column.length).sum();
    if width == 0 || width as u64 > facts.size {
        return Err(StatisticsFault::Unreadable);
    }
    refuse_second_table(&mut file)?;
    let (mut row, mut cells, mut declared_missing) = (vec![0; width], Vec::new(), 0);
    // The last record is filled up with spaces: short rows of nothing but spaces are not rows, unless others follow.
    let mut blank_rows = 0u64;
    while filled(&mut file, &mut row)? == width {
        if row.iter().all(|&byte| byte == b' ') {
            blank_rows += 1;
            continue;
        }
        for row in
            std::iter::repeat_n(&vec![b' '; width], usize::try_from(std::mem::take(&mut blank_rows)).map_err(broken)?)
                .chain([&row])
        {
            cells.clear();
            let mut left = row.as_slice();
            for column in &columns {
                let (bytes, rest) = left.split_at(column.length);
                left = rest;
                let (cell, is_declared) = cell(column, bytes, facts)?;
                declared_missing += u64::from(is_declared);
                cells.push(cell);
            }
            visit(&cells)?;
        }
    }
    if blank_rows * width as u64 >= RECORD as u64 {
        return Err(StatisticsFault::Unreadable);
    }
    Ok(StatisticsRead { variables: columns.into_iter().map(|column| column.variable).collect(), declared_missing })
}

/// Refuses a file in which another table follows. It begins with a record, wherever the rows before it end.
fn refuse_second_table(file: &mut (impl BufRead + Seek)) -> Result<(), StatisticsFault> {
    let first_row = file.stream_position().map_err(broken)?;
    let mut record = [0; RECORD];
    while filled(file, &mut record)? == RECORD {
        if record.starts_with(b"HEADER RECORD*******MEM") {
            return Err(StatisticsFault::SeveralTables);
        }
    }
    file.seek(SeekFrom::Start(first_row)).map(|_| ()).map_err(broken)
}

/// Fills as much as there is.
fn filled(file: &mut impl BufRead, row: &mut [u8]) -> Result<usize, StatisticsFault> {
    let mut at = 0;
    while at < row.len() {
        match file.read(&mut row[at..]).map_err(broken)? {
            0 => break,
            bytes => at += bytes,
        }
    }
    Ok(at)
}

/// Reads up to the first row.
fn header(file: &mut impl BufRead, facts: FileFacts) -> Result<Vec<XportColumn>, StatisticsFault> {
    let mut record = [0; RECORD];
    let mut next = |file: &mut dyn BufRead| -> Result<Option<String>, StatisticsFault> {
        file.read_exact(&mut record).map_err(broken)?;
        let text = String::from_utf8_lossy(&record).into_owned();
        Ok(text.strip_prefix("HEADER RECORD*******").map(str::to_owned))
    };
    if !next(file)?.is_some_and(|text| text.starts_with("LIB")) {
        return Err(StatisticsFault::Unreadable);
    }
    let mut columns = Vec::new();
    loop {
        let Some(text) = next(file)? else { continue };
        let number = |at: usize, digits: usize| text.get(at..at + digits).and_then(|text| text.trim().parse().ok());
        if text.starts_with("NAMEST") || text.starts_with("NAMSTV8") {
            let count: usize = number(34, 4).or_else(|| number(28, 10)).ok_or(StatisticsFault::Unreadable)?;
            if (count as u64).saturating_mul(NAMESTR as u64) > facts.size {
                return Err(StatisticsFault::Unreadable);
            }
            let mut bytes = vec![0; (count * NAMESTR).next_multiple_of(RECORD)];
            file.read_exact(&mut bytes).map_err(broken)?;
            columns = bytes
                .chunks_exact(NAMESTR)
                .take(count)
                .map(|bytes| column(bytes, facts))
                .collect::<Result<Vec<_>, _>>()?;
        } else if text.starts_with("OBS") {
            return Ok(columns);
        }
    }
}

fn column(bytes: &[u8], facts: FileFacts) -> Result<XportColumn, StatisticsFault> {
    let text = |from: usize, to: usize| -> Result<String, StatisticsFault> {
        Ok(facts.text(&bytes[from..to])?.trim_matches([' ', '\0']).to_owned())
    };
    let int = |at: usize| usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]));
    let (short, long) = (text(8, 16)?, text(88, 120)?);
    let name = if long.len() >= short.len() && long.is_ascii() && !long.is_empty() { long } else { short };
    let (is_text, length) = (int(0) == 2, int(4));
    if length == 0 || !is_text && length > 8 {
        return Err(StatisticsFault::Unreadable);
    }
    let variable = StatisticsVariable { name, label: text(16, 56)?, is_text, ..StatisticsVariable::default() };
    Ok(XportColumn { variable, is_text, length, format: text(56, 64)?.to_uppercase() })
}

/// A cell, and whether it is missing for a reason (`.A` to `.Z`, `._`).
fn cell(column: &XportColumn, bytes: &[u8], facts: FileFacts) -> Result<(StatisticsCell, bool), StatisticsFault> {
    if column.is_text {
        let text = facts.text(bytes)?;
        let text = text.trim_end_matches([' ', '\0']);
        return Ok(((!text.is_empty()).then(|| StatisticsValue::Text(text.to_owned())), false));
    }
    let mut number = [0; 8];
    number[..bytes.len()].copy_from_slice(bytes);
    if matches!(number[0], b'.' | b'_' | b'A'..=b'Z') && number[1..].iter().all(|&byte| byte == 0) {
        return Ok((None, number[0] != b'.'));
    }
    let number = from_mainframe(number);
    let text = match column.format.trim_start_matches(|letter: char| !letter.is_ascii_alphabetic()) {
        format if format.starts_with("DATETIME") || format.starts_with("E8601DT") => instant_text(number, STATA_DAYS),
        format if format.starts_with("TIME") || format.starts_with("E8601TM") => duration_text(number),
        format if is_day(format) => day_text(number.floor(), STATA_DAYS),
        _ => return Ok((Some(StatisticsValue::Number(number)), false)),
    };
    text.map(|text| (Some(StatisticsValue::Text(text)), false)).ok_or(StatisticsFault::Unreadable)
}

fn is_day(format: &str) -> bool {
    ["DATE", "DDMMYY", "MMDDYY", "YYMMDD", "E8601DA", "B8601DA", "JULIAN", "WORDDATE", "WEEKDATE"]
        .iter()
        .any(|name| format.starts_with(name))
}

/// A number with a sign, an exponent of 16 and 56 bits.
fn from_mainframe(bytes: [u8; 8]) -> f64 {
    let bits = u64::from_be_bytes(bytes);
    let (fraction, exponent) = (bits & 0x00ff_ffff_ffff_ffff, i32::from(bytes[0] & 0x7f) - 64 - 14);
    #[allow(clippy::cast_precision_loss, reason = "3 bits less than were stored, as every program reads it")]
    let number = fraction as f64 * 16f64.powi(exponent);
    if bytes[0] & 0x80 == 0 { number } else { -number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_mainframes_are_read() {
        assert_eq!(from_mainframe([0x41, 0x10, 0, 0, 0, 0, 0, 0]), 1.0);
        assert_eq!(from_mainframe([0xc1, 0x18, 0, 0, 0, 0, 0, 0]), -1.5);
        assert_eq!(from_mainframe([0x42, 0x64, 0, 0, 0, 0, 0, 0]), 100.0);
        assert_eq!(from_mainframe([0; 8]), 0.0);
    }
}
