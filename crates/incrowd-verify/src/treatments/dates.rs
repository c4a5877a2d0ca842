//! Dates as texts: `YYYY-MM-DD`, alone or before a time of day.

use chrono::{Datelike, NaiveDate, TimeDelta};

/// The day that a text begins with, and what follows it. Nothing for a text that is neither a date nor a date and time.
pub(super) fn day(text: &str) -> Option<(NaiveDate, &str)> {
    let day = text.get(..10).filter(|day| day.is_ascii())?;
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
        for text in [
            "",
            "2024",
            "28.02.2024",
            "2024-02-30",
            "2024-02-28 noon",
            "2024/02/28",
            "2024-2-28",
            "２024-02-28",
            "202é-02-28",
            "2024-é-28",
            "2024-02-é8",
        ] {
            assert_eq!(day(text), None, "{text}");
        }
    }

    #[test]
    fn a_date_may_stand_before_a_time_of_day_and_nothing_else() {
        for rest in ["", "T08:15", " 08:15", "T08:15:00.125+01:00", " 08:15:00,5-0130", "T08:15Z"] {
            let text = format!("2024-02-28{rest}");
            let date = NaiveDate::from_ymd_opt(2024, 2, 28).expect("a date");
            assert_eq!(day(&text), Some((date, rest)), "{text}");
        }
        for rest in [
            "1",
            "123",
            "T",
            "T08",
            "T08:1",
            "T8:15",
            "T08-15",
            "x08:15",
            "T08:15 noon",
            "T08:15:0x",
            "T08:15:é",
            "Tab:cd",
        ] {
            assert_eq!(day(&format!("2024-02-28{rest}")), None, "{rest}");
        }
        for text in [
            "+024-02-28",
            "2024-+2-28",
            "2024-02-+8",
            "2024x02-28",
            "2024-02x28",
            "abcd-02-28",
            "2024-13-01",
            "2024-00-10",
        ] {
            assert_eq!(day(text), None, "{text}");
        }
    }

    #[test]
    fn a_moved_date_stays_within_the_years_1_to_9999() {
        for (text, days, moved) in [
            ("0001-01-02", -1, Some("0001-01-01")),
            ("0001-01-01", -1, None),
            ("9999-12-30", 1, Some("9999-12-31")),
            ("9999-12-31", 0, Some("9999-12-31")),
            ("2024-01-01 00:30", 366, Some("2025-01-01 00:30")),
            ("2024-01-01", i64::MAX, None),
            ("2024-01-01", i64::MIN, None),
            ("spring", 1, None),
        ] {
            assert_eq!(later(text, days).as_deref(), moved, "{text} {days}");
        }
    }
}
