//! Stata, by the crate `dta`.

use std::io::Cursor;

use chrono::NaiveDate;
use dta::stata::dta::dta_reader::DtaReader;
use dta::stata::dta::long_string_table::LongStringTable;
use dta::stata::dta::schema::Schema;
use dta::stata::dta::value::Value;
use dta::stata::dta::value_label_table::ValueLabelTable;
use dta::stata::dta::variable_type::VariableType;
use dta::stata::temporal::TemporalKind;
use dta::stata::{
    stata_byte::StataByte, stata_double::StataDouble, stata_float::StataFloat, stata_int::StataInt,
    stata_long::StataLong,
};

use encoding_rs::{Encoding, UTF_8};

use super::LabelledColumn;

/// All columns; nothing when the file is broken.
pub(super) fn columns(bytes: &[u8], encoding: Option<&'static Encoding>) -> Option<Vec<LabelledColumn>> {
    let encoding = encoding.unwrap_or(UTF_8);
    if bytes.starts_with(b"<") {
        parts_follow(bytes, encoding, lengths_fit(bytes)?)?;
    } else {
        older_lengths_fit(bytes, encoding)?;
    }
    let start =
        || DtaReader::new().encoding(encoding).from_reader(Cursor::new(bytes)).read_header().ok()?.read_schema().ok();
    let schema = start()?.schema().clone();
    let named = |variable: &dta::stata::dta::variable::Variable| LabelledColumn {
        name: variable.name().to_owned(),
        about: variable.label().to_owned(),
        ..LabelledColumn::default()
    };
    let mut columns: Vec<LabelledColumn> = schema.variables().iter().map(named).collect();
    let mut long = LongStringTable::for_reading();
    let mut labels = ValueLabelTable::new();
    let mut first = start()?;
    first.skip_to_end().ok()?;
    let mut records = first.into_record_reader().ok()?;
    records.skip_to_end().ok()?;
    let mut behind = records.into_long_string_reader().ok()?;
    behind.read_remaining_into(&mut long).ok()?;
    behind.into_value_label_reader().ok()?.read_remaining_into(&mut labels).ok()?;
    let mut second = start()?;
    second.skip_to_end().ok()?;
    let mut records = second.into_record_reader().ok()?;
    while let Some(record) = records.read_record().ok()? {
        for ((value, variable), column) in record.values().iter().zip(schema.variables()).zip(&mut columns) {
            let text = match value {
                Value::String(text) => Some(text.clone().into_owned()),
                Value::LongStringRef(place) => match long.get(place) {
                    Some(text) => Some(text.data_str(encoding)?.into_owned()),
                    None => None,
                },
                Value::Float(StataFloat::Present(number)) if TemporalKind::from_format(variable.format()).is_none() => {
                    Some(number.to_string())
                }
                number => match number_of(number) {
                    Some(number) => Some(shown(number, variable.format())?),
                    None => None,
                },
            };
            column.cells.push(text.filter(|text| !text.is_empty()));
        }
    }
    for (variable, column) in schema.variables().iter().zip(&mut columns) {
        let set = labels.get(variable.value_label_name()).filter(|_| !variable.value_label_name().is_empty());
        for entry in set.map_or(&[][..], |set| set.entries()).iter().rev() {
            column.labels.insert(entry.value().to_string(), entry.label().trim().to_owned());
        }
    }
    Some(columns)
}

/// Whether every length that a file with tags states is within the file: the library makes room before it reads. Where the
/// parts with lengths begin and where their last items end: characteristics, long texts, labels of values.
fn lengths_fit(bytes: &[u8]) -> Option<[(usize, usize); 3]> {
    let behind =
        |tag: &[u8]| bytes.windows(tag.len()).take(1 << 10).position(|part| part == tag).map(|at| at + tag.len());
    let big = behind(b"<byteorder>MSF").is_some();
    let number = |at: usize, size: usize| -> Option<usize> {
        let part = bytes.get(at..at.checked_add(size)?)?;
        let add = |sum: usize, byte: &u8| sum << 8 | usize::from(*byte);
        Some(if big { part.iter().fold(0, add) } else { part.iter().rev().fold(0, add) })
    };
    let release = behind(b"<release>").and_then(|at| bytes.get(at..at + 3))?;
    let (name, map) = (if release == b"117" { 33 } else { 129 }, behind(b"<map>")?);
    (number(behind(b"<K>")?, if release == b"119" { 4 } else { 2 })? < bytes.len()).then_some(())?;
    let parts = [
        (8, "<characteristics>", "<ch>", 0, 5),
        (10, "<strls>", "GSO", if release == b"117" { 9 } else { 13 }, 0),
        (11, "<value_labels>", "<lbl>", 0, name + 9),
    ];
    let mut places = [(0, 0); 3];
    for ((entry, tag, item, before, after), place) in parts.into_iter().zip(&mut places) {
        let start = number(map + 8 * entry, 8)?;
        let mut at = start;
        at = bytes.get(at..)?.starts_with(tag.as_bytes()).then(|| at + tag.len())?;
        while bytes.get(at..)?.starts_with(item.as_bytes()) {
            let length = number(at + item.len() + before, 4)?;
            at = at.checked_add(item.len() + before + 4 + after)?.checked_add(length)?;
        }
        *place = (start, at);
    }
    Some(places)
}

/// Whether the parts of a file with tags stand where the library meets them: it reads one behind the other, wherever the file
/// says that they are.
fn parts_follow(bytes: &[u8], encoding: &'static Encoding, parts: [(usize, usize); 3]) -> Option<()> {
    let [(first, first_end), (long, long_end), (labels, _)] = parts;
    let mut cursor = Cursor::new(bytes);
    let header = DtaReader::new().encoding(encoding).from_reader(&mut cursor).read_header().ok()?;
    let rows = usize::try_from(header.header().observation_count()).ok()?;
    let rows_bytes = bytes_of_rows(rows, header.read_schema().ok()?.schema())?;
    let rows_end = (first_end + "</characteristics><data>".len()).checked_add(rows_bytes)?;
    let follow = usize::try_from(cursor.position()).ok()? == first
        && rows_end.checked_add("</data>".len())? == long
        && long_end + "</strls>".len() == labels;
    follow.then_some(())
}

/// The bytes of all rows; nothing when rows take none, of which a short file could state any number.
fn bytes_of_rows(rows: usize, schema: &Schema) -> Option<usize> {
    let width = |variable: &dta::stata::dta::variable::Variable| match variable.variable_type() {
        VariableType::Byte => 1,
        VariableType::Int => 2,
        VariableType::Long | VariableType::Float => 4,
        VariableType::Double | VariableType::LongString => 8,
        VariableType::FixedString(width) => usize::from(width),
    };
    let row: usize = schema.variables().iter().map(width).sum();
    (row > 0 || rows == 0).then(|| row.checked_mul(rows))?
}

/// The same for older files, whose parts stand one behind the other: header, columns, characteristics, rows, labels.
fn older_lengths_fit(bytes: &[u8], encoding: &'static Encoding) -> Option<()> {
    let (release, is_big) = (*bytes.first()?, *bytes.get(1)? == 1);
    let mut cursor = Cursor::new(bytes);
    let header = DtaReader::new().encoding(encoding).from_reader(&mut cursor).read_header().ok()?;
    let rows = usize::try_from(header.header().observation_count()).ok()?;
    let schema = header.read_schema().ok()?.schema().clone();
    let mut at = usize::try_from(cursor.position()).ok()?;
    let number = |at: usize, size: usize| -> Option<usize> {
        let part = bytes.get(at..at.checked_add(size)?)?;
        let add = |sum: usize, byte: &u8| sum << 8 | usize::from(*byte);
        Some(if is_big { part.iter().fold(0, add) } else { part.iter().rev().fold(0, add) })
    };
    let step = |at: usize, size: usize| at.checked_add(size).filter(|end| *end <= bytes.len());
    let wide = if release >= 110 { 4 } else { 2 };
    let mut is_over = release < 105;
    while !is_over {
        let (kind, length) = (number(at, 1)?, number(at + 1, wide)?);
        at = step(at, (1 + wide).checked_add(length)?)?;
        // For the library, the list ends here, whatever the length is.
        is_over = kind == 0;
        (!is_over || length == 0).then_some(())?;
    }
    at = step(at, bytes_of_rows(rows, &schema)?)?;
    let name = if release >= 110 { 33 } else { 9 };
    // Older labels are counted in 16 bits.
    while release >= 108 && at < bytes.len() {
        at = step(at, number(at, 4)?.checked_add(4 + name + 3)?)?;
    }
    Some(())
}

fn number_of(value: &Value<'_>) -> Option<f64> {
    match *value {
        Value::Byte(StataByte::Present(number)) => Some(number.into()),
        Value::Int(StataInt::Present(number)) => Some(number.into()),
        Value::Long(StataLong::Present(number)) => Some(number.into()),
        Value::Float(StataFloat::Present(number)) => Some(number.into()),
        Value::Double(StataDouble::Present(number)) => Some(number),
        _ => None,
    }
}

/// A number as its format shows it.
fn shown(number: f64, format: &str) -> Option<String> {
    let first = NaiveDate::from_ymd_opt(1960, 1, 1)?;
    let in_year = |parts: f64| (1960.0 + (number / parts).floor(), number.rem_euclid(parts).floor() + 1.0);
    Some(match TemporalKind::from_format(format) {
        Some(TemporalKind::Date) => super::day(first, number)?,
        Some(TemporalKind::DateTime) => super::instant(first, number / 1000.0)?,
        Some(TemporalKind::Month) => format!("{:04}-{:02}", in_year(12.0).0, in_year(12.0).1),
        Some(TemporalKind::Quarter) => format!("{:04}-Q{}", in_year(4.0).0, in_year(4.0).1),
        Some(TemporalKind::HalfYear) => format!("{:04}-H{}", in_year(2.0).0, in_year(2.0).1),
        Some(TemporalKind::Week) => format!("{:04}-w{:02}", in_year(52.0).0, in_year(52.0).1),
        _ => number.to_string(),
    })
}

#[cfg(test)]
mod tests;
