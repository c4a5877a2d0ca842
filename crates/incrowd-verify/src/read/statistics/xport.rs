//! SAS transport files of versions 5 and 8, from the layouts that SAS publishes (TS-140 and its extension): records of 80
//! bytes, columns described by 140 bytes each (136 on a VAX), rows one behind the other, and blanks up to the end of the last record.

use chrono::NaiveDate;
use encoding_rs::{Encoding, UTF_8};

use super::LabelledColumn;

/// The bytes of a record.
const RECORD: usize = 80;
/// The bytes that describe a column.
const DESCRIBED: usize = 140;
/// The same in files of VAX machines.
const DESCRIBED_ON_VAX: usize = 136;
/// What every record begins with that begins a part of the file.
const PART: &[u8] = b"HEADER RECORD*******";

/// A column as the file describes it.
struct XportVariable {
    name: String,
    about: String,
    is_text: bool,
    bytes: usize,
    /// The name of its format, in capitals.
    format: String,
}

/// All columns; nothing when the file is broken, or holds several tables.
pub(super) fn columns(bytes: &[u8], encoding: Option<&'static Encoding>) -> Option<Vec<LabelledColumn>> {
    let encoding = encoding.unwrap_or(UTF_8);
    let parts: Vec<(usize, &[u8])> = bytes
        .chunks_exact(RECORD)
        .enumerate()
        .filter_map(|(at, record)| Some(((at + 1) * RECORD, record.strip_prefix(PART)?)))
        .collect();
    let part = |name: &[u8]| -> Option<(usize, &[u8])> {
        let mut found = parts.iter().filter(|(_, rest)| rest.starts_with(name));
        let only = found.next().copied()?;
        found.next().is_none().then_some(only)
    };
    part(b"LIB")?;
    let (_, member) = part(b"MEM")?;
    let (described, head) = part(b"NAM")?;
    let (data, _) = part(b"OBS")?;
    let digits = |head: &[u8], from: usize, to: usize| {
        std::str::from_utf8(head.get(from..to)?).ok()?.trim().parse::<usize>().ok()
    };
    // Version 5 uses four of the ten digits; in version 8 there may be more columns.
    let count = digits(head, 28, 38)?;
    let size = digits(member, 54, 58).unwrap_or(DESCRIBED);
    if ![DESCRIBED, DESCRIBED_ON_VAX].contains(&size) {
        return None;
    }
    let described = bytes.get(described..data)?.chunks_exact(size);
    let variables = described.take(count).map(|bytes| variable(bytes, encoding)).collect::<Option<Vec<_>>>()?;
    if variables.len() != count {
        return None;
    }
    let width: usize = variables.iter().map(|variable| variable.bytes).sum();
    if width == 0 {
        return None;
    }
    let mut rows: Vec<&[u8]> = bytes.get(data..)?.chunks_exact(width).collect();
    let filling = rows.iter().rev().take_while(|row| row.iter().all(|&byte| byte == b' ')).count();
    if filling * width >= RECORD {
        return None;
    }
    rows.truncate(rows.len() - filling);
    let mut at = 0;
    let column = |variable: XportVariable| {
        let place = at..at + variable.bytes;
        at += variable.bytes;
        let cells = rows.iter().map(|row| cell(&variable, &row[place.clone()], encoding));
        let cells = cells.collect::<Option<Vec<_>>>()?;
        Some(LabelledColumn { name: variable.name, about: variable.about, cells, ..LabelledColumn::default() })
    };
    variables.into_iter().map(column).collect()
}

fn variable(bytes: &[u8], encoding: &'static Encoding) -> Option<XportVariable> {
    let number = |at: usize| usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]));
    let text = |from: usize, to: usize| text(&bytes[from..to], encoding);
    // A name of more than eight letters stands behind what version 5 has.
    let (short, long) = (text(8, 16)?, text(88, 120)?);
    let is_long = long.is_ascii() && !long.is_empty() && long.len() >= short.len();
    let (is_text, size) = (number(0) == 2, number(4));
    let fits = size > 0 && (is_text || size <= 8);
    let name = if is_long { long } else { short };
    fits.then_some(())?;
    Some(XportVariable { name, about: text(16, 56)?, is_text, bytes: size, format: text(56, 64)?.to_uppercase() })
}

/// A text without what fills it up; nothing when it is none.
fn text(bytes: &[u8], encoding: &'static Encoding) -> Option<String> {
    let (text, _, is_broken) = encoding.decode(bytes);
    (!is_broken).then(|| text.trim_matches([' ', '\0']).to_owned())
}

/// A cell; nothing when it is broken.
#[allow(clippy::option_option, reason = "a cell may be missing, and it may be broken")]
fn cell(variable: &XportVariable, bytes: &[u8], encoding: &'static Encoding) -> Option<Option<String>> {
    if variable.is_text {
        let (text, _, is_broken) = encoding.decode(bytes);
        let text = text.trim_end_matches([' ', '\0']);
        return (!is_broken).then(|| Some(text.to_owned()).filter(|text| !text.is_empty()));
    }
    let mut eight = [0; 8];
    eight[..bytes.len()].copy_from_slice(bytes);
    let is_missing = eight[1..] == [0; 7] && (eight[0].is_ascii_uppercase() || b"._".contains(&eight[0]));
    if is_missing {
        return Some(None);
    }
    shown(number(eight), &variable.format).map(Some)
}

/// A number of a mainframe: a sign, seven bits of an exponent of 16 above 64, and 14 hexadecimal digits behind the point.
fn number(bytes: [u8; 8]) -> f64 {
    let digits = bytes[1..].iter().fold(0u64, |digits, &byte| digits << 8 | u64::from(byte));
    let power = i32::from(bytes[0] & 0x7f) - 64;
    let size = digits as f64 * 16f64.powi(power - 14);
    if bytes[0] >= 0x80 { -size } else { size }
}

/// A number as its format shows it; days are counted from 1960-01-01.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the size is looked at")]
fn shown(number: f64, format: &str) -> Option<String> {
    const DAYS: [&str; 9] =
        ["DATE", "DDMMYY", "MMDDYY", "YYMMDD", "E8601DA", "B8601DA", "JULIAN", "WORDDATE", "WEEKDATE"];
    let first = NaiveDate::from_ymd_opt(1960, 1, 1)?;
    let name = format.trim_start_matches(|letter: char| !letter.is_ascii_alphabetic());
    if ["DATETIME", "E8601DT"].iter().any(|other| name.starts_with(other)) {
        super::instant(first, number)
    } else if ["TIME", "E8601TM"].iter().any(|other| name.starts_with(other)) {
        let (sign, seconds) = (if number < 0.0 { "-" } else { "" }, number.abs().round());
        (seconds < 1e15).then(|| {
            let seconds = seconds as u64;
            format!("{sign}{:02}:{:02}:{:02}", seconds / 3600, seconds % 3600 / 60, seconds % 60)
        })
    } else if DAYS.iter().any(|other| name.starts_with(other)) {
        super::day(first, number.floor())
    } else {
        Some(number.to_string())
    }
}

#[cfg(test)]
mod edges;

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of version 5 with a number, a day and a text.
    fn file(rows: &[(&[u8; 8], &[u8; 8], &str)], more: &str) -> Vec<u8> {
        let head = |part: &str, rest: &str| {
            format!("{:80}", format!("HEADER RECORD*******{part:<7} HEADER RECORD!!!!!!!{rest}")).into_bytes()
        };
        let mut bytes = head("LIBRARY", &"0".repeat(30));
        bytes.extend([b' '; 160]);
        bytes.extend(head("MEMBER", "000000000000000001600000000140"));
        bytes.extend(head("DSCRPTR", &"0".repeat(30)));
        bytes.extend([b' '; 160]);
        bytes.extend(head("NAMESTR", "000000000300000000000000000000"));
        let start = bytes.len();
        for (at, (kind, size, name, format)) in
            [(1u16, 8u16, "PAY", ""), (1, 8, "DAY", "DATE"), (2, 5, "TOWN", "")].into_iter().enumerate()
        {
            let mut described = [0u8; DESCRIBED];
            described[..2].copy_from_slice(&kind.to_be_bytes());
            described[4..6].copy_from_slice(&size.to_be_bytes());
            described[6] = u8::try_from(at).expect("few");
            described[8..16].copy_from_slice(format!("{name:8}").as_bytes());
            described[16..56].copy_from_slice(format!("{:40}", "About").as_bytes());
            described[56..64].copy_from_slice(format!("{format:8}").as_bytes());
            bytes.extend(described);
        }
        bytes.resize(start + (3 * DESCRIBED).next_multiple_of(RECORD), b' ');
        bytes.extend(head("OBS", &"0".repeat(30)));
        rows.iter()
            .for_each(|(pay, day, town)| bytes.extend([&pay[..], &day[..], format!("{town:5}").as_bytes()].concat()));
        bytes.extend(more.bytes());
        bytes.resize(bytes.len().next_multiple_of(RECORD), b' ');
        bytes
    }

    #[test]
    fn cells_are_read_as_they_were_written() {
        let rows: [(&[u8; 8], &[u8; 8], &str); 3] = [
            (&[0x41, 0x18, 0, 0, 0, 0, 0, 0], &[0x44, 0x5b, 0x8b, 0, 0, 0, 0, 0], "Ulm"),
            (&[0xc2, 0x64, 0, 0, 0, 0, 0, 0], b".\0\0\0\0\0\0\0", ""),
            (b"A\0\0\0\0\0\0\0", &[0; 8], "Bonn"),
        ];
        let read = columns(&file(&rows, ""), None).expect("a table");
        let cells = |at: usize| read[at].cells.iter().map(|cell| cell.as_deref().unwrap_or("-")).collect::<Vec<_>>();
        assert_eq!(read.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["PAY", "DAY", "TOWN"]);
        assert_eq!(
            [cells(0), cells(1), cells(2)],
            [vec!["1.5", "-100", "-"], vec!["2024-02-29", "-", "1960-01-01"], vec!["Ulm", "-", "Bonn"],]
        );
    }

    #[test]
    fn a_file_that_is_cut_off_or_holds_two_tables_is_not_read() {
        let row: (&[u8; 8], &[u8; 8], &str) = (&[0x41, 0x10, 0, 0, 0, 0, 0, 0], &[0; 8], "Ulm");
        let whole = file(&[row; 9], "");
        assert!(columns(&whole, None).is_some());
        assert!(columns(&whole[..400], None).is_none());
        let mut two = whole.clone();
        two.extend(&whole);
        assert!(columns(&two, None).is_none());
        assert!(columns(&file(&[row; 9], &" ".repeat(200)), None).is_none(), "rows of blanks are no rows");
    }
}
