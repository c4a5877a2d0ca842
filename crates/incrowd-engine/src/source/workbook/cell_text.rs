//! A typed cell as text.

use calamine::{Data, ExcelDateTime};

/// Whole numbers up to here are stored exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The text of a cell; nothing for an empty one.
pub(super) fn text_of(cell: Data) -> Option<String> {
    Some(match cell {
        Data::Empty => return None,
        Data::String(text) => text,
        Data::Int(number) => number.to_string(),
        Data::Float(number) => number_text(number),
        Data::Bool(value) => value.to_string(),
        Data::DateTime(instant) if instant.is_duration() => duration(instant.as_f64()),
        Data::DateTime(instant) => date_text(&instant),
        Data::DateTimeIso(text) | Data::DurationIso(text) => text,
        Data::Error(error) => error.to_string(),
    })
    .filter(|text| !text.is_empty())
}

/// A number in the shortest text that is read as the same number.
fn number_text(number: f64) -> String {
    #[allow(clippy::cast_possible_truncation, reason = "a whole number below 2⁵³")]
    match number.fract() == 0.0 && number.abs() < EXACT {
        true => (number as i64).to_string(),
        false => number.to_string(),
    }
}

/// A day, an instant, or a time of day where there is no day.
fn date_text(instant: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, milli) = instant.to_ymd_hms_milli();
    let fraction = if milli == 0 { String::new() } else { format!(".{milli:03}") };
    let time = format!("{hour:02}:{minute:02}:{second:02}{fraction}");
    if (0.0..1.0).contains(&instant.as_f64()) {
        return time;
    }
    let date = format!("{year:04}-{month:02}-{day:02}");
    if (hour, minute, second, milli) == (0, 0, 0, 0) { date } else { format!("{date}T{time}") }
}

/// A duration in hours, minutes and seconds; it is stored in days.
#[allow(clippy::cast_possible_truncation, reason = "a number of seconds")]
fn duration(days: f64) -> String {
    let seconds = (days * 86_400.0).round() as i64;
    let (sign, seconds) = if seconds < 0 { ("-", -seconds) } else { ("", seconds) };
    format!("{sign}{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use calamine::{CellErrorType, ExcelDateTimeType};

    use super::*;

    #[test]
    fn typed_cells_become_their_plain_texts() {
        let day = |number: f64| Data::DateTime(ExcelDateTime::new(number, ExcelDateTimeType::DateTime, false));
        let long = Data::DateTime(ExcelDateTime::new(1.5, ExcelDateTimeType::TimeDelta, false));
        let texts = [
            (Data::Float(34.0), "34"),
            (Data::Float(-0.5), "-0.5"),
            (Data::Float(0.1 + 0.2), "0.30000000000000004"),
            (Data::Float(1e21), "1000000000000000000000"),
            (Data::Int(7), "7"),
            (Data::Bool(true), "true"),
            (Data::String(" a ".into()), " a "),
            (day(45_351.0), "2024-02-29"),
            (day(45_351.572_916_666_664), "2024-02-29T13:45:00"),
            (day(0.5), "12:00:00"),
            (long, "36:00:00"),
            (Data::Error(CellErrorType::NA), "#N/A"),
        ];
        for (cell, text) in texts {
            assert_eq!(text_of(cell.clone()).as_deref(), Some(text), "{cell:?}");
        }
        assert_eq!(text_of(Data::Empty), None);
        assert_eq!(text_of(Data::String(String::new())), None);
    }
}
