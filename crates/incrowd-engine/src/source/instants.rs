//! Instants: how many ticks a second has, and the one form in which an instant is written.

use arrow::datatypes::{DataType, TimeUnit};

/// How many ticks a second has in a type of instants.
pub(crate) fn ticks(data_type: &DataType) -> Option<i64> {
    match data_type {
        DataType::Date64 | DataType::Timestamp(TimeUnit::Millisecond, _) => Some(1_000),
        DataType::Timestamp(TimeUnit::Second, _) => Some(1),
        DataType::Timestamp(TimeUnit::Microsecond, _) => Some(1_000_000),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => Some(1_000_000_000),
        _ => None,
    }
}

/// The one form in which an instant is written, for this many ticks a second.
pub(crate) fn instant_label(instant: i64, second: i64) -> String {
    // An instant beyond the calendar keeps its number: two of them must not become one value.
    let Some(time) = chrono::DateTime::from_timestamp(instant.div_euclid(second), 0) else {
        return format!("instant {instant}");
    };
    let fraction = instant.rem_euclid(second);
    let fraction =
        if fraction == 0 { String::new() } else { format!(".{fraction:0width$}", width = second.ilog10() as usize) };
    format!("{}{fraction}", time.format("%Y-%m-%dT%H:%M:%S"))
}
