//! Dates that are moved by a number of days, in the type of their column.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringBuilder};
use arrow::array::{Date32Array, Int64Array};
use arrow::compute::{CastOptions, cast, cast_with_options};
use arrow::datatypes::{DataType, Date32Type, Int64Type};
use chrono::NaiveDate;
use incrowd_core::{date_of_text, moved_text};

use crate::source::instants::ticks;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Days since 1970-01-01 of the years 1 to 9999, which every format can hold.
const CALENDAR: std::ops::RangeInclusive<i32> = -719_162..=2_932_896;

/// Whether a column of this type can hold dates.
pub(super) fn can_move(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::Date32) || ticks(data_type).is_some()
}

/// The cells moved by the days of their row, each in the type of the column. Texts are dates in the format `form`, or as
/// `YYYY-MM-DD` with or without a time of day, and are written as the latter. Nothing when a cell is no date or leaves the
/// calendar. `is_there` says of a text that it is not a missing value.
pub(super) fn moved(
    array: &ArrayRef,
    form: Option<&str>,
    is_there: impl Fn(&str) -> bool,
    days: impl Fn(usize) -> i64,
) -> Option<ArrayRef> {
    match array.data_type() {
        DataType::Utf8 => {
            let mut cells = StringBuilder::new();
            for (row, text) in array.as_string::<i32>().iter().enumerate() {
                cells.append_option(match text.filter(|text| is_there(text)) {
                    Some(text) => Some(moved_cell(text, form, days(row))?),
                    None => None,
                });
            }
            Some(Arc::new(cells.finish()))
        }
        DataType::Date32 => {
            let moved = array.as_primitive::<Date32Type>().iter().enumerate().map(|(row, day)| {
                let move_by = |day: i32| {
                    i32::try_from(i64::from(day).checked_add(days(row))?).ok().filter(|day| CALENDAR.contains(day))
                };
                day.map(|day| move_by(day).ok_or(())).transpose()
            });
            Some(Arc::new(moved.collect::<Result<Date32Array, ()>>().ok()?))
        }
        other => {
            let second = ticks(other)?;
            let instants = cast(array, &DataType::Int64).ok()?;
            let moved = instants.as_primitive::<Int64Type>().iter().enumerate().map(|(row, instant)| {
                let move_by = |instant: i64| days(row).checked_mul(DAY * second)?.checked_add(instant);
                instant.map(|instant| move_by(instant).ok_or(())).transpose()
            });
            let moved: ArrayRef = Arc::new(moved.collect::<Result<Int64Array, ()>>().ok()?);
            cast_with_options(&moved, other, &CastOptions { safe: false, ..CastOptions::default() }).ok()
        }
    }
}

fn moved_cell(text: &str, form: Option<&str>, days: i64) -> Option<String> {
    let (date, time) = match form {
        Some(form) => (NaiveDate::parse_from_str(text, form).ok()?, ""),
        None => date_of_text(text)?,
    };
    moved_text(date, days, time)
}
