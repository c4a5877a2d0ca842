//! Stata, by the crate `dta`, which reads every version of the format.

use std::collections::BTreeMap;
use std::io::{BufRead, Seek};

use dta::stata::dta::dta_reader::DtaReader;
use dta::stata::dta::long_string_table::LongStringTable;
use dta::stata::dta::schema::Schema;
use dta::stata::dta::value::Value;
use dta::stata::dta::value_label_table::ValueLabelTable;
use dta::stata::dta::variable_type::VariableType;
use dta::stata::temporal::TemporalKind;

use super::calendar::{STATA_DAYS, day_text, instant_text};
use super::stata_lengths::fault_of;
use super::{FileFacts, RowVisit, StatisticsCell, StatisticsRead, StatisticsValue, StatisticsVariable, stata_lengths};
use crate::runtime::error::StatisticsFault;

pub(super) fn read(
    mut file: impl BufRead + Seek,
    facts: FileFacts,
    visit: RowVisit<'_>,
) -> Result<StatisticsRead, StatisticsFault> {
    let encoding = facts.encoding.unwrap_or(encoding_rs::UTF_8);
    stata_lengths::check(&mut file, facts.size, encoding)?;
    file.rewind().map_err(|_| StatisticsFault::Unreadable)?;
    // Versions before 118 do not say how texts are encoded.
    let header = DtaReader::new().encoding(encoding).from_reader(&mut file).read_header().map_err(fault_of)?;
    let mut characteristics = header.read_schema().map_err(fault_of)?;
    characteristics.skip_to_end().map_err(fault_of)?;
    let schema = characteristics.schema().clone();
    // The file has long texts after the rows, and labels after them.
    let mut long_texts = LongStringTable::for_reading();
    let mut records = characteristics.into_record_reader().map_err(fault_of)?;
    if schema.variables().iter().any(|variable| variable.variable_type() == VariableType::LongString) {
        let mut long = records.seek_long_strings().map_err(fault_of)?;
        long.read_remaining_into(&mut long_texts).map_err(fault_of)?;
        records = long.seek_records().map_err(fault_of)?;
    }
    let kinds: Vec<Option<TemporalKind>> =
        schema.variables().iter().map(|variable| TemporalKind::from_format(variable.format())).collect();
    let (mut cells, mut declared_missing) = (Vec::with_capacity(kinds.len()), 0);
    while let Some(record) = records.read_record().map_err(fault_of)? {
        cells.clear();
        for (value, kind) in record.values().iter().zip(&kinds) {
            let cell = match value {
                Value::LongStringRef(reference) => long_texts
                    .get(reference)
                    .map(|text| text.data_str(encoding).map(|text| StatisticsValue::Text(text.into_owned())))
                    .unwrap_or_else(|| Some(StatisticsValue::Text(String::new())))
                    .ok_or(StatisticsFault::Binary)?,
                Value::String(text) => StatisticsValue::Text(text.clone().into_owned()),
                number => match present(number) {
                    Ok(value) => in_time(value, *kind).ok_or(StatisticsFault::Unreadable)?,
                    Err(is_declared) => {
                        declared_missing += u64::from(is_declared);
                        cells.push(None);
                        continue;
                    }
                },
            };
            cells.push(Some(cell).filter(|cell| *cell != StatisticsValue::Text(String::new())));
        }
        visit(&cells)?;
    }
    let mut labels = ValueLabelTable::new();
    let mut rest = records.into_long_string_reader().map_err(fault_of)?;
    rest.skip_to_end().map_err(fault_of)?;
    let mut reader = rest.into_value_label_reader().map_err(fault_of)?;
    reader.read_remaining_into(&mut labels).map_err(fault_of)?;
    Ok(StatisticsRead { variables: variables(&schema, &labels), declared_missing })
}

/// A number, or whether it is missing for a reason (`.a` to `.z`).
fn present(value: &Value<'_>) -> Result<StatisticsValue, bool> {
    use dta::stata::missing_value::MissingValue::System;
    use dta::stata::{stata_byte::StataByte, stata_double::StataDouble, stata_float::StataFloat};
    use dta::stata::{stata_int::StataInt, stata_long::StataLong};
    match *value {
        Value::Byte(StataByte::Present(number)) => Ok(StatisticsValue::Number(number.into())),
        Value::Int(StataInt::Present(number)) => Ok(StatisticsValue::Number(number.into())),
        Value::Long(StataLong::Present(number)) => Ok(StatisticsValue::Number(number.into())),
        Value::Float(StataFloat::Present(number)) => Ok(StatisticsValue::Single(number)),
        Value::Double(StataDouble::Present(number)) => Ok(StatisticsValue::Number(number)),
        Value::Byte(StataByte::Missing(why)) => Err(why != System),
        Value::Int(StataInt::Missing(why)) => Err(why != System),
        Value::Long(StataLong::Missing(why)) => Err(why != System),
        Value::Float(StataFloat::Missing(why)) => Err(why != System),
        Value::Double(StataDouble::Missing(why)) => Err(why != System),
        Value::String(_) | Value::LongStringRef(_) => Err(false),
    }
}

/// A number that its format shows as a time; nothing when there is no such time.
fn in_time(value: StatisticsValue, kind: Option<TemporalKind>) -> StatisticsCell {
    let Some(kind) = kind else { return Some(value) };
    let number = match value {
        StatisticsValue::Number(number) => number,
        StatisticsValue::Single(number) => f64::from(number),
        StatisticsValue::Text(_) => return Some(value),
    };
    let part = |parts: f64| (1960.0 + (number / parts).floor(), number.rem_euclid(parts).floor() + 1.0);
    let text = match kind {
        TemporalKind::Date => day_text(number, STATA_DAYS)?,
        TemporalKind::DateTime => instant_text(number / 1000.0, STATA_DAYS)?,
        TemporalKind::Month => format!("{:04}-{:02}", part(12.0).0, part(12.0).1),
        TemporalKind::Quarter => format!("{:04}-Q{}", part(4.0).0, part(4.0).1),
        TemporalKind::HalfYear => format!("{:04}-H{}", part(2.0).0, part(2.0).1),
        TemporalKind::Week => format!("{:04}-w{:02}", part(52.0).0, part(52.0).1),
        // Years are numbers; instants with leap seconds are left as they are stored.
        _ => return Some(StatisticsValue::Number(number)),
    };
    Some(StatisticsValue::Text(text))
}

fn variables(schema: &Schema, labels: &ValueLabelTable) -> Vec<StatisticsVariable> {
    let one = |variable: &dta::stata::dta::variable::Variable| {
        let set = Some(variable.value_label_name()).filter(|name| !name.is_empty()).and_then(|name| labels.get(name));
        // The first label of a value counts.
        let mut by_value: BTreeMap<i32, String> = BTreeMap::new();
        for entry in set.map_or(&[][..], |set| set.entries()) {
            by_value.entry(entry.value()).or_insert_with(|| entry.label().to_owned());
        }
        StatisticsVariable {
            name: variable.name().to_owned(),
            label: variable.label().to_owned(),
            labels: by_value.into_iter().map(|(value, label)| (StatisticsValue::Number(value.into()), label)).collect(),
            is_text: matches!(variable.variable_type(), VariableType::FixedString(_) | VariableType::LongString),
            by_label: false,
        }
    };
    schema.variables().iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_shown_as_times_become_texts() {
        let text = |number: f64, kind| in_time(StatisticsValue::Number(number), Some(kind)).map(|value| value.text());
        assert_eq!(text(23_435.0, TemporalKind::Date).as_deref(), Some("2024-02-29"));
        assert_eq!(text(-1.0, TemporalKind::Month).as_deref(), Some("1959-12"));
        assert_eq!(text(257.0, TemporalKind::Quarter).as_deref(), Some("2024-Q2"));
        assert_eq!(text(2024.0, TemporalKind::Year).as_deref(), Some("2024"));
        let none: StatisticsCell = in_time(StatisticsValue::Number(1e300), Some(TemporalKind::Date));
        assert_eq!(none, None);
    }
}
