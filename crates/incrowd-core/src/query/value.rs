//! Single values, as conditions see them.

use std::borrow::Cow;
use std::cmp::Ordering;

use chrono::NaiveDate;

use crate::{Dictionary, Kind, Values, date_label};

/// One value of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// No value.
    Missing,
    /// An integer.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A day since 1970-01-01.
    Day(i32),
    /// A text.
    Text(&'a str),
}

impl Value<'_> {
    /// The value as a number, when it is one.
    pub fn number(self) -> Option<f64> {
        match self {
            Value::Integer(whole) => Some(whole as f64),
            Value::Number(number) => Some(number),
            Value::Missing | Value::Day(_) | Value::Text(_) => None,
        }
    }

    /// The value as it is written; nothing for a missing one.
    pub fn label(&self) -> Cow<'_, str> {
        match self {
            Value::Missing => Cow::Borrowed(""),
            Value::Integer(whole) => whole.to_string().into(),
            Value::Number(number) => number.to_string().into(),
            Value::Day(day) => date_label(*day).into(),
            Value::Text(text) => Cow::Borrowed(text),
        }
    }

    /// How it compares with a literal; nothing when it is missing, or when the two are of different kinds.
    pub(super) fn compare(self, literal: &Literal) -> Option<Ordering> {
        match self {
            Value::Missing => None,
            // Integers are compared as such: large ones have no exact floating-point form.
            Value::Integer(whole) => match literal.whole {
                Some(other) => Some(whole.cmp(&other)),
                None => (whole as f64).partial_cmp(&literal.number?),
            },
            Value::Number(number) => number.partial_cmp(&literal.number?),
            Value::Day(day) => Some(day.cmp(&literal.day?)),
            Value::Text(text) => Some(text.cmp(&literal.text)),
        }
    }
}

/// A value that is kept.
#[derive(Clone, Debug, PartialEq)]
pub enum Leaf {
    /// No value.
    Missing,
    /// An integer.
    Integer(i64),
    /// A number with the text it was written as.
    Number(f64, Box<str>),
    /// A day since 1970-01-01.
    Day(i32),
    /// A text.
    Text(Box<str>),
}

impl Leaf {
    /// The value.
    pub fn value(&self) -> Value<'_> {
        match self {
            Leaf::Missing => Value::Missing,
            Leaf::Integer(whole) => Value::Integer(*whole),
            Leaf::Number(number, _) => Value::Number(*number),
            Leaf::Day(day) => Value::Day(*day),
            Leaf::Text(text) => Value::Text(text),
        }
    }

    /// The value as it is written; nothing for a missing one.
    pub fn label(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Leaf::Missing => return None,
            Leaf::Integer(whole) => whole.to_string().into(),
            Leaf::Number(_, text) | Leaf::Text(text) => Cow::Borrowed(text),
            Leaf::Day(day) => date_label(*day).into(),
        })
    }

    /// Numbers and days by size, texts by their letters, a missing value last.
    pub fn order(&self, other: &Leaf) -> Ordering {
        match (self, other) {
            (Leaf::Integer(one), Leaf::Integer(two)) => one.cmp(two),
            (Leaf::Number(one, _), Leaf::Number(two, _)) => one.total_cmp(two),
            (Leaf::Day(one), Leaf::Day(two)) => one.cmp(two),
            (Leaf::Missing, Leaf::Missing) => Ordering::Equal,
            (Leaf::Missing, _) => Ordering::Greater,
            (_, Leaf::Missing) => Ordering::Less,
            _ => self.label().cmp(&other.label()),
        }
    }

    /// The values of a column, in the order of their codes.
    pub fn of_column(dictionary: &Dictionary) -> Vec<Leaf> {
        let mut leaves: Vec<Leaf> = match dictionary.values() {
            Values::Integers(values) => values.iter().map(|&whole| Leaf::Integer(whole)).collect(),
            Values::Dates(values) => values.iter().map(|&day| Leaf::Day(day)).collect(),
            Values::Texts(values) => values.iter().map(|text| Leaf::Text(text.clone())).collect(),
            Values::Numbers { values, .. } => {
                let number = |(code, &number): (u32, &f64)| Leaf::Number(number, dictionary.label(code).into());
                (0..).zip(values).map(number).collect()
            }
        };
        leaves.extend(dictionary.missing().map(|_| Leaf::Missing));
        leaves
    }

    /// A text as a value of a kind; as a text when it is not written like one. The empty text is the missing value.
    pub(crate) fn of_kind(kind: Kind, text: &str) -> Leaf {
        let typed = match kind {
            _ if text.is_empty() => Some(Leaf::Missing),
            Kind::Integer => integer(text).map(Leaf::Integer),
            Kind::Date => day(text).map(Leaf::Day),
            Kind::Number => plain_number(text).map(|number| Leaf::Number(number, text.into())),
            Kind::Text => None,
        };
        typed.unwrap_or_else(|| Leaf::Text(text.into()))
    }

    /// Texts as the values that they all are, by the rule that types columns: integers, days or numbers only when
    /// each is written as one. The empty text is the missing value.
    pub fn typed(labels: &[&str]) -> (Kind, Vec<Leaf>) {
        let fits = |kind: Kind| labels.iter().all(|label| !matches!(Leaf::of_kind(kind, label), Leaf::Text(_)));
        let kind = [Kind::Integer, Kind::Date, Kind::Number].into_iter().find(|&kind| fits(kind));
        let kind = kind.filter(|_| labels.iter().any(|label| !label.is_empty())).unwrap_or(Kind::Text);
        (kind, labels.iter().map(|label| Leaf::of_kind(kind, label)).collect())
    }
}

/// A value that a question names.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    pub(super) text: Box<str>,
    pub(super) whole: Option<i64>,
    pub(super) number: Option<f64>,
    pub(super) day: Option<i32>,
    /// Written as a number, without quotes.
    pub(super) bare: bool,
}

impl Literal {
    /// A text, which is also the number or the day that it is written like.
    pub fn new(text: &str) -> Self {
        let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        Literal { whole: text.trim().parse().ok(), number, day: day(text.trim()), text: text.into(), bare: false }
    }

    /// A number that is written without quotes.
    pub fn bare(text: &str) -> Self {
        Literal { bare: true, ..Literal::new(text) }
    }
}

pub(super) fn integer(text: &str) -> Option<i64> {
    text.parse::<i64>().ok().filter(|number| number.to_string() == text)
}

pub(super) fn day(text: &str) -> Option<i32> {
    let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.to_epoch_days();
    (date_label(day) == text).then_some(day)
}

/// A number in plain decimals: `1e3`, `+1` and `00501` are texts.
pub(super) fn plain_number(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let leading_zero = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    let plain = digits.starts_with(|first: char| first.is_ascii_digit())
        && digits.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    if plain && !leading_zero { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_typed_only_when_all_of_them_are_of_the_kind() {
        let kind = |labels: &[&str]| Leaf::typed(labels).0;
        assert_eq!(kind(&["9", "10", ""]), Kind::Integer);
        assert_eq!(kind(&["9", "1.50"]), Kind::Number);
        assert_eq!(kind(&["00501", "90210"]), Kind::Text);
        assert_eq!(kind(&["1980-04-03"]), Kind::Date);
        assert_eq!(kind(&["9", "n/a"]), Kind::Text);
    }

    #[test]
    fn numbers_compare_as_numbers_and_texts_as_texts() {
        let ten = Literal::bare("10");
        assert_eq!(Value::Integer(9).compare(&ten), Some(Ordering::Less));
        assert_eq!(Value::Number(9.5).compare(&ten), Some(Ordering::Less));
        assert_eq!(Value::Text("9").compare(&ten), Some(Ordering::Greater));
        assert_eq!(Value::Missing.compare(&ten), None);
        assert_eq!(Value::Integer(i64::MAX).compare(&Literal::new("9223372036854775806")), Some(Ordering::Greater));
        assert_eq!(Value::Integer(2).compare(&Literal::bare("2.0")), Some(Ordering::Equal));
        assert_eq!(Value::Day(0).compare(&Literal::new("1970-01-02")), Some(Ordering::Less));
    }
}
