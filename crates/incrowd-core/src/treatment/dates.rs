//! Dates that are moved by a number of days.

use chrono::{Datelike, Days, NaiveDate};

/// The date at the beginning of a text such as `2024-02-29` or `2024-02-29T08:15:00`, and the time of day that follows it.
/// Nothing for any other text.
pub fn date_of_text(text: &str) -> Option<(NaiveDate, &str)> {
    let (day, time) = text.split_at_checked(10)?;
    let has_form = day.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let date = NaiveDate::parse_from_str(day, "%Y-%m-%d").ok().filter(|_| has_form)?;
    (time.is_empty() || is_time(time)).then_some((date, time))
}

/// Whether a text is a time of day after a date: a `T` or space, hours and minutes, and what may follow them.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    matches!(bytes[0], b'T' | b' ')
        && [1, 2, 4, 5].into_iter().all(is_digit)
        && bytes[3] == b':'
        && bytes[6..].iter().all(|byte| byte.is_ascii_digit() || b":.,+-Z".contains(byte))
}

/// A date moved by a number of days and the time of day after it, as a text; nothing outside of the years 1 to 9999.
///
/// ```
/// let (date, time) = incrowd_core::date_of_text("2024-02-28T08:15:00").unwrap();
/// assert_eq!(incrowd_core::moved_text(date, 2, time).as_deref(), Some("2024-03-01T08:15:00"));
/// ```
pub fn moved_text(date: NaiveDate, days: i64, time: &str) -> Option<String> {
    let distance = Days::new(days.unsigned_abs());
    let moved = if days < 0 { date.checked_sub_days(distance) } else { date.checked_add_days(distance) };
    let moved = moved.filter(|date| (1..=9999).contains(&date.year()))?;
    Some(format!("{}{time}", moved.format("%Y-%m-%d")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_a_date_only_in_one_form() {
        for text in ["2024-02-29", "2024-02-29T08:15", "2024-02-29 08:15:00.5", "2024-02-29T08:15:00+02:00"] {
            assert!(date_of_text(text).is_some(), "{text}");
        }
        for text in [
            "",
            "2023-02-29",
            "29.02.2024",
            "2024-2-29",
            "2024-02-29x",
            "2024-02-29T",
            "2024-02-29T8:15",
            "+024-02-29",
            "2024-02-2ä",
            "2024-02-29T08:15 Ulm",
        ] {
            assert_eq!(date_of_text(text), None, "{text}");
        }
    }

    #[test]
    fn a_moved_date_stays_in_the_calendar() {
        let moved = |text: &str, days| date_of_text(text).and_then(|(date, time)| moved_text(date, days, time));
        assert_eq!(moved("2024-03-01", -1).as_deref(), Some("2024-02-29"));
        assert_eq!(moved("1999-12-31 23:59", 1).as_deref(), Some("2000-01-01 23:59"));
        assert_eq!(moved("9999-12-31", 1), None);
        assert_eq!(moved("0001-01-01", -1), None);
    }
}
