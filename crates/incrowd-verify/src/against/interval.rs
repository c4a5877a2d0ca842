//! Numbers and intervals as they are written in cells.

use std::cmp::Ordering;

/// The one way to write a decimal number: no sign of plus, no zeros that say nothing. Nothing when it is none.
pub(super) fn decimal(text: &str) -> Option<String> {
    let (minus, digits) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number =
        !(whole.is_empty() && part.is_empty()) && whole.bytes().chain(part.bytes()).all(|b| b.is_ascii_digit());
    let (whole, part) = (whole.trim_start_matches('0'), part.trim_end_matches('0'));
    match (is_number, whole, part) {
        (false, ..) => None,
        (true, "", "") => Some("0".to_string()),
        (true, whole, part) => Some(format!("{minus}{whole}.{part}")),
    }
}

/// A bound of an interval, or a value that may lie in one.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Point {
    /// Whole numbers are compared as such: large ones have no exact floating-point form.
    Whole(i128),
    /// `NaN` compares with nothing: no interval contains it, and one with such a bound contains nothing.
    Number(f64),
    /// Dates as `YYYY-MM-DD…` sort as texts.
    Date(String),
}

impl Point {
    pub(super) fn read(text: &str) -> Option<Point> {
        if let Ok(whole) = text.parse() {
            return Some(Point::Whole(whole));
        }
        if let Ok(number) = text.parse() {
            return Some(Point::Number(number));
        }
        let bytes = text.as_bytes();
        let is_date = bytes.len() >= 10
            && bytes.is_ascii()
            && bytes[..10]
                .iter()
                .enumerate()
                .all(|(at, b)| if at == 4 || at == 7 { *b == b'-' } else { b.is_ascii_digit() });
        is_date.then(|| Point::Date(text.to_string()))
    }

    fn compare(&self, other: &Point) -> Option<Ordering> {
        match (self, other) {
            (Point::Whole(one), Point::Whole(two)) => Some(one.cmp(two)),
            (Point::Date(one), Point::Date(two)) => Some(one.cmp(two)),
            _ => self.float()?.partial_cmp(&other.float()?),
        }
    }

    fn float(&self) -> Option<f64> {
        match self {
            Point::Whole(whole) => Some(*whole as f64),
            Point::Number(number) => Some(*number),
            Point::Date(_) => None,
        }
    }
}

/// `[a, b)` or `[a, b]`.
pub(super) struct Interval {
    from: Point,
    to: Point,
    to_is_in: bool,
}

impl Interval {
    pub(super) fn read(label: &str) -> Option<Interval> {
        let inner = label.strip_prefix('[')?;
        let (inner, to_is_in) = match inner.strip_suffix(')') {
            Some(inner) => (inner, false),
            None => (inner.strip_suffix(']')?, true),
        };
        let (from, to) = inner.split_once(',')?;
        Some(Interval { from: Point::read(from.trim())?, to: Point::read(to.trim())?, to_is_in })
    }

    pub(super) fn contains(&self, value: &Point) -> bool {
        let reaches = self.from.compare(value).is_some_and(Ordering::is_le);
        let ends = value.compare(&self.to).is_some_and(|order| order.is_lt() || order.is_eq() && self.to_is_in);
        reaches && ends
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn holds(interval: &str, value: &str) -> bool {
        Point::read(value).is_some_and(|value| Interval::read(interval).unwrap().contains(&value))
    }

    #[test]
    fn an_interval_holds_its_lower_bound_and_its_upper_one_if_closed() {
        assert!(holds("[20, 30)", "20") && holds("[20, 30)", "29.9") && !holds("[20, 30)", "30"));
        assert!(holds("[20, 30]", "30") && !holds("[20, 30]", "30.5") && !holds("[20, 30]", "19"));
        assert!(holds("[0.3, 0.4)", "0.3") && holds("[-5, 0)", "-5") && !holds("[20, 30)", "x"));
    }

    #[test]
    fn large_whole_numbers_and_dates_are_told_apart() {
        assert!(!holds("[9007199254740992, 9007199254740993)", "9007199254740993"));
        assert!(holds("[9007199254740992, 9007199254740993)", "9007199254740992"));
        assert!(holds("[1980-01-01, 1990-01-01)", "1989-12-31") && !holds("[1980-01-01, 1990-01-01)", "1990-01-01"));
    }

    #[test]
    fn a_text_that_is_no_date_is_in_no_interval_of_dates() {
        for text in ["1985/05/31", "1985 or 1986", "1985"] {
            assert!(!holds("[1980-01-01, 1990-01-01)", text), "{text}");
        }
    }

    #[test]
    fn nan_is_in_no_interval_and_bounds_none_that_contains_a_number() {
        assert!(!holds("[0, 9)", "NaN") && !holds("[NaN, 9)", "5") && !holds("[0, NaN]", "5"));
    }

    #[test]
    fn a_decimal_number_has_one_form() {
        assert_eq!(decimal("0.50"), decimal("+.5"));
        assert_eq!(decimal("007"), decimal("7.0"));
        assert_eq!(decimal("-0"), decimal("0"));
        assert_ne!(decimal("-1"), decimal("1"));
        assert!(decimal("1e3").is_none() && decimal("").is_none() && decimal(".").is_none() && decimal("a1").is_none());
    }
}
