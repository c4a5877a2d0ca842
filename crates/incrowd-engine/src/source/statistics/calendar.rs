//! Days and instants, which statistics packages count from days of their own choice.

use chrono::{DateTime, NaiveDate, NaiveDateTime};

/// Days from 1960-01-01, where Stata and SAS begin, to 1970-01-01.
pub(crate) const STATA_DAYS: i64 = 3_653;
/// Days from 1582-10-14, where SPSS begins, to 1970-01-01.
pub(crate) const SPSS_DAYS: i64 = 141_428;

const DAY: f64 = 86_400.0;

/// The day that is this many days after the first.
pub(super) fn day_text(days: f64, first: i64) -> Option<String> {
    instant(days * DAY, first).map(|instant| instant.date().format("%Y-%m-%d").to_string())
}

/// The instant that is this many seconds after the first day.
pub(super) fn instant_text(seconds: f64, first: i64) -> Option<String> {
    instant(seconds, first).map(|instant| {
        let fraction = instant.and_utc().timestamp_subsec_millis();
        let text = instant.format("%Y-%m-%dT%H:%M:%S").to_string();
        if fraction == 0 { text } else { format!("{text}.{fraction:03}") }
    })
}

/// A time of day or a duration in hours, minutes and seconds.
#[allow(clippy::cast_possible_truncation, reason = "checked to be in range")]
pub(super) fn duration_text(seconds: f64) -> Option<String> {
    let whole = seconds.abs().round();
    (whole < 1e15).then(|| {
        let (sign, whole) = (if seconds < 0.0 { "-" } else { "" }, whole as i64);
        format!("{sign}{:02}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
    })
}

#[allow(clippy::cast_possible_truncation, reason = "checked to be in range")]
fn instant(seconds: f64, first: i64) -> Option<NaiveDateTime> {
    let milliseconds = (seconds * 1000.0).round();
    let first = first.checked_mul(86_400_000)?;
    (milliseconds.abs() < 1e15).then_some(())?;
    DateTime::from_timestamp_millis(milliseconds as i64 - first).map(|instant| instant.naive_utc())
}

/// The number of a day such as `2024-02-29`, and nothing for every other text.
pub(crate) fn day_number(text: &str, first: i64) -> Option<i64> {
    let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    let days = day.signed_duration_since(NaiveDate::default()).num_days() + first;
    #[allow(clippy::cast_precision_loss, reason = "a number of days")]
    (day_text(days as f64, first)? == text).then_some(days)
}

/// The seconds of an instant such as `2024-02-29T13:45:00`, and nothing for every other text.
pub(crate) fn instant_seconds(text: &str, first: i64) -> Option<f64> {
    let instant = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").ok()?;
    let milliseconds = instant.and_utc().timestamp_millis() + first * 86_400_000;
    #[allow(clippy::cast_precision_loss, reason = "below 2⁵³")]
    let seconds = milliseconds as f64 / 1000.0;
    (instant_text(seconds, first)? == text).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_instants_are_the_ones_that_the_packages_show() {
        assert_eq!(day_text(0.0, STATA_DAYS).as_deref(), Some("1960-01-01"));
        assert_eq!(day_text(0.0, SPSS_DAYS).as_deref(), Some("1582-10-14"));
        assert_eq!(day_number("2024-02-29", STATA_DAYS), Some(23_435));
        assert_eq!(instant_text(23_435.0 * DAY + 49_500.5, STATA_DAYS).as_deref(), Some("2024-02-29T13:45:00.500"));
        assert_eq!(instant_seconds("2024-02-29T13:45:00", STATA_DAYS), Some(23_435.0 * DAY + 49_500.0));
        assert_eq!(duration_text(-5_400.0).as_deref(), Some("-01:30:00"));
        assert_eq!(day_text(f64::INFINITY, STATA_DAYS), None);
        assert_eq!(day_number("2024-2-29", STATA_DAYS), None, "another spelling stays a text");
    }
}
