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
/// The same in files of VAX machines.
const NAMESTR_OF_VAX: usize = 136;

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
    let (mut columns, mut described) = (None, None);
    loop {
        let Some(text) = next(file)? else { continue };
        let number = |at: usize, digits: usize| text.get(at..at + digits).and_then(|text| text.trim().parse().ok());
        // Each part is there once, and in this order.
        match (text.get(..3).unwrap_or_default(), described, columns.take()) {
            ("MEM", None, None) => described = Some(described_length(number(54, 4))?),
            ("NAM", Some(length), None) => {
                // All ten digits: of the last four alone, 10,003 columns would be three, and the rows would be cut elsewhere.
                let count: usize = number(28, 10).ok_or(StatisticsFault::Unreadable)?;
                columns = Some(described_columns(file, count, length, facts)?);
            }
            ("OBS", _, Some(columns)) => return Ok(columns),
            ("LIB" | "MEM" | "NAM" | "OBS", ..) => return Err(StatisticsFault::Unreadable),
            (_, _, read) => columns = read,
        }
    }
}

/// How many bytes describe a column, as the file says, if it does.
fn described_length(said: Option<usize>) -> Result<usize, StatisticsFault> {
    let length = said.unwrap_or(NAMESTR);
    if [NAMESTR, NAMESTR_OF_VAX].contains(&length) { Ok(length) } else { Err(StatisticsFault::Unreadable) }
}

/// Reads the descriptions of the columns, each of so many bytes, up to the end of a record.
fn described_columns(
    file: &mut impl BufRead,
    count: usize,
    described: usize,
    facts: FileFacts,
) -> Result<Vec<XportColumn>, StatisticsFault> {
    if (count as u64).saturating_mul(described as u64) > facts.size {
        return Err(StatisticsFault::Unreadable);
    }
    let mut bytes = vec![0; (count * described).next_multiple_of(RECORD)];
    file.read_exact(&mut bytes).map_err(broken)?;
    bytes.chunks_exact(described).take(count).map(|bytes| column(bytes, facts)).collect()
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

    /// The parts before the rows, with columns of a letter whose descriptions have so many bytes.
    fn parts(member: &str, count: usize, described: usize) -> Vec<u8> {
        let head = |name: &str, rest: &str| {
            format!("{:80}", format!("HEADER RECORD*******{name:<7} HEADER RECORD!!!!!!!{rest}")).into_bytes()
        };
        let mut bytes =
            [head("LIBRARY", ""), head("MEMBER", member), head("NAMESTR", &format!("{count:010}"))].concat();
        let begin = bytes.len();
        for number in 0..count {
            let mut column = vec![0; described];
            (column[1], column[5]) = (2, 1);
            column[8..16].copy_from_slice(format!("{:8}", format!("C{number}")).as_bytes());
            bytes.extend(column);
        }
        bytes.resize(begin + (bytes.len() - begin).next_multiple_of(RECORD), b' ');
        bytes.extend(head("OBS", ""));
        bytes
    }

    fn names(bytes: &[u8]) -> Option<Vec<String>> {
        let facts = FileFacts { encoding: None, size: bytes.len() as u64 };
        let columns = header(&mut &bytes[..], facts).ok()?;
        Some(columns.into_iter().map(|column| column.variable.name).collect())
    }

    #[test]
    fn ten_thousand_columns_and_three_are_not_read_as_three() {
        let read = names(&parts("", 10_003, NAMESTR)).expect("a table");
        assert_eq!((read.len(), read[10_002].as_str()), (10_003, "C10002"));
    }

    #[test]
    fn descriptions_of_columns_have_the_length_that_is_stated() {
        let stated = |bytes: usize| format!("{}{bytes:04}", "0".repeat(26));
        for bytes in [NAMESTR, NAMESTR_OF_VAX] {
            assert_eq!(names(&parts(&stated(bytes), 3, bytes)).expect("a table"), ["C0", "C1", "C2"]);
        }
        assert_eq!(names(&parts(&stated(148), 3, 148)), None);
    }

    #[test]
    fn each_part_of_the_header_is_there_once() {
        let whole = parts("", 1, NAMESTR);
        assert!(names(&whole).is_some());
        for part in ["LIBRARY", "MEMBER ", "NAMESTR", "OBS    "] {
            let at = whole.windows(7).position(|bytes| bytes == part.as_bytes()).expect("a part") - 20;
            let mut gone = whole.clone();
            gone[at + 20..at + 27].copy_from_slice(b"UNKNOWN");
            assert_eq!(names(&gone), None, "without {part}");
            let mut twice = whole.clone();
            // The descriptions of columns belong to their part.
            let end = at + if part == "NAMESTR" { RECORD + NAMESTR.next_multiple_of(RECORD) } else { RECORD };
            twice.splice(at..at, whole[at..end].to_vec());
            assert_eq!(names(&twice).is_some(), part.starts_with("OBS"), "{part} twice");
        }
    }
}
