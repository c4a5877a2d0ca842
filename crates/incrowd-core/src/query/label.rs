//! The forms of labels that show what they stand for: `[20, 30)`, `[20, 29]`, `{a, b}`, `435*`, `1980-Q1`, `*`.

use chrono::{Months, NaiveDate};

use super::value::day;
use crate::ROOT_LABEL;

/// What a label is written like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CellLabel<'a> {
    /// Itself.
    Value(&'a str),
    /// Everything between two ends; the upper one is in it when it is closed.
    Interval { from: &'a str, to: &'a str, closed: bool },
    /// One of several values.
    Set(Vec<&'a str>),
    /// A text that begins with `kept` and has `stars` more characters.
    Prefix { kept: &'a str, stars: usize },
    /// Anything.
    Any,
}

impl<'a> CellLabel<'a> {
    pub(super) fn read(label: &'a str) -> CellLabel<'a> {
        let kept = label.trim_end_matches(ROOT_LABEL);
        match (interval(label), set(label)) {
            (Some(interval), _) => interval,
            (_, Some(set)) => CellLabel::Set(set),
            _ if !label.is_empty() && kept.is_empty() => CellLabel::Any,
            _ if kept.len() < label.len() && !kept.contains(ROOT_LABEL) => {
                CellLabel::Prefix { kept, stars: label.len() - kept.len() }
            }
            _ => CellLabel::Value(label),
        }
    }
}

/// The values that a label names as members: all of a set, both ends of a closed interval; none of other labels. The
/// missing value of a set is nothing.
///
/// ```
/// use incrowd_core::query::named_members;
/// assert_eq!(named_members("[25, 39]"), [Some("25"), Some("39")]);
/// assert_eq!(named_members("{f, (missing)}"), [Some("f"), None]);
/// assert!(named_members("[20, 30)").is_empty() && named_members("*").is_empty());
/// ```
pub fn named_members(label: &str) -> Vec<Option<&str>> {
    match CellLabel::read(label) {
        CellLabel::Interval { from, to, closed: true } => vec![Some(from), Some(to)],
        CellLabel::Set(values) => {
            values.into_iter().map(|value| (value != crate::MISSING_LABEL).then_some(value)).collect()
        }
        _ => Vec::new(),
    }
}

fn interval(label: &str) -> Option<CellLabel<'_>> {
    let inner = label.strip_prefix('[')?;
    let (inner, closed) = match inner.strip_suffix(')') {
        Some(inner) => (inner, false),
        None => (inner.strip_suffix(']')?, true),
    };
    let (from, to) = inner.split_once(',')?;
    Some(CellLabel::Interval { from: from.trim(), to: to.trim(), closed })
}

/// The code that writes sets refuses values with braces or with a comma before a space, so a label comes apart in one way.
fn set(label: &str) -> Option<Vec<&str>> {
    let inner = label.strip_prefix('{')?.strip_suffix('}')?;
    let values: Vec<&str> = inner.split(", ").collect();
    let is_set = values.len() > 1 && values.iter().all(|value| !value.is_empty() && !value.contains(['{', '}']));
    is_set.then_some(values)
}

/// The first and the last day of a day, month, quarter, year or decade, as the calendar hierarchy writes them.
pub(super) fn calendar(label: &str) -> Option<(i32, i32)> {
    if let Some(day) = day(label) {
        return Some((day, day));
    }
    let (year, rest) = (label.get(..4)?.parse::<i32>().ok()?, label.get(4..)?);
    let (month, months) = match rest {
        "" => (1, 12),
        "s" if year % 10 == 0 => (1, 120),
        _ => match (rest.strip_prefix("-Q"), rest.strip_prefix('-')) {
            (Some(quarter), _) => (quarter.parse::<u32>().ok().filter(|quarter| (1..=4).contains(quarter))? * 3 - 2, 3),
            (_, Some(month)) if month.len() == 2 => (month.parse().ok()?, 1),
            _ => return None,
        },
    };
    let first = NaiveDate::from_ymd_opt(year, month, 1)?;
    let after = first.checked_add_months(Months::new(months))?;
    Some((first.to_epoch_days(), after.to_epoch_days() - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_as_they_are_written() {
        assert_eq!(CellLabel::read("[20, 30)"), CellLabel::Interval { from: "20", to: "30", closed: false });
        assert_eq!(
            CellLabel::read("[1980-01-01, 1989-12-31]"),
            CellLabel::Interval { from: "1980-01-01", to: "1989-12-31", closed: true }
        );
        assert_eq!(CellLabel::read("{f, (missing)}"), CellLabel::Set(vec!["f", "(missing)"]));
        assert_eq!(CellLabel::read("435**"), CellLabel::Prefix { kept: "435", stars: 2 });
        assert_eq!([CellLabel::read("*"), CellLabel::read("***")], [CellLabel::Any, CellLabel::Any]);
        for plain in ["Ulm", "{a}", "{a, }", "a*b*c", "[20", "", "20-30"] {
            assert_eq!(CellLabel::read(plain), CellLabel::Value(plain));
        }
    }

    #[test]
    fn calendar_labels_are_stretches_of_days() {
        let length = |label: &str| calendar(label).map(|(first, last)| last - first + 1);
        assert_eq!(["1980-02-29", "1980-02", "1980-Q1", "1980"].map(length), [Some(1), Some(29), Some(91), Some(366)]);
        assert_eq!(length("1980s"), Some(3653));
        assert_eq!(["1985s", "1980-Q5", "1980-13", "198", "1980-1", "19800"].map(length), [None; 6]);
        assert_eq!(calendar("1970-01"), Some((0, 30)));
    }
}
