//! Dates as texts: `YYYY-MM-DD`, alone or before a time of day.

use chrono::{Datelike, NaiveDate, TimeDelta};

/// The day that a text begins with, and what follows it. Nothing for a text that is neither a date nor a date and time.
pub(super) fn day(text: &str) -> Option<(NaiveDate, &str)> {
    let day = text.get(..10)?;
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<u32>().ok())?;
    let (year, month, of_month) = (digits(&day[..4])?, digits(&day[5..7])?, digits(&day[8..])?);
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, of_month)?;
    let rest = &text[10..];
    let is_joined = &day[4..5] == "-" && &day[7..8] == "-";
    (is_joined && (rest.is_empty() || is_clock(rest))).then_some((date, rest))
}

fn is_clock(text: &str) -> bool {
    let allowed = |letter: char| letter.is_ascii_digit() || ":.,+-Z".contains(letter);
    let shape: String = text.chars().take(6).map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    (shape == "T00:00" || shape == " 00:00") && text.chars().skip(6).all(allowed)
}

/// The text of a date some days later, or earlier; nothing outside of the years 1 to 9999.
pub(super) fn later(text: &str, days: i64) -> Option<String> {
    let (date, rest) = day(text)?;
    let date = date.checked_add_signed(TimeDelta::try_days(days)?)?;
    (1..=9999).contains(&date.year()).then(|| format!("{}{rest}", date.format("%Y-%m-%d")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_moved_and_the_time_of_day_stays() {
        assert_eq!(later("2024-02-28", 2).as_deref(), Some("2024-03-01"));
        assert_eq!(later("2024-03-01T08:15:00", -1).as_deref(), Some("2024-02-29T08:15:00"));
        assert_eq!(later("9999-12-31", 1), None);
    }

    #[test]
    fn other_texts_are_no_dates() {
        for text in
            ["", "2024", "28.02.2024", "2024-02-30", "2024-02-28 noon", "2024/02/28", "2024-2-28", "２024-02-28"]
        {
            assert_eq!(day(text), None, "{text}");
        }
    }
}
