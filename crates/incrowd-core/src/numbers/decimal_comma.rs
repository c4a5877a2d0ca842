//! Numbers with a decimal comma, such as `1.234,50`: read only in columns that are named, because `1.234` is twelve
//! hundred and thirty-four in one country and little more than one in another.
//!
//! A number is rewritten digit by digit, never through a float: with a point, without separators of thousands and
//! without zeros at its end, so that all writings of one number are one value.

use std::borrow::Cow;

/// What may separate groups of three digits: a point, an apostrophe, a space, or one of the spaces that do not break.
const SEPARATORS: [char; 6] = ['.', '\'', '’', ' ', '\u{a0}', '\u{202f}'];

/// The number in plain digits with a point; nothing for a text that is no number with a decimal comma.
///
/// ```
/// use incrowd_core::number_with_comma;
/// assert_eq!(number_with_comma("1.234,50").as_deref(), Some("1234.5"));
/// assert_eq!(number_with_comma("1.23"), None);
/// ```
pub fn number_with_comma(text: &str) -> Option<Cow<'_, str>> {
    let (sign, digits) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    let (whole, fraction) = digits.split_once(',').unwrap_or((digits, ""));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if digits.contains(',') && !is_number(fraction) {
        return None;
    }
    let whole = if is_number(whole) { Cow::Borrowed(whole) } else { Cow::Owned(ungrouped(whole)?) };
    // A zero in front belongs to a code, not to a number.
    if whole.len() > 1 && whole.starts_with('0') {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    Some(match (sign, whole, fraction) {
        (_, whole, "") if whole == "0" => "0".into(),
        ("", Cow::Borrowed(whole), "") => whole.into(),
        (sign, whole, "") => format!("{sign}{whole}").into(),
        (sign, whole, fraction) => format!("{sign}{whole}.{fraction}").into(),
    })
}

/// The digits of a number whose thousands are separated, all by the same character.
fn ungrouped(whole: &str) -> Option<String> {
    let separator = whole.chars().find(|letter| SEPARATORS.contains(letter))?;
    let mut groups = whole.split(separator);
    let first = groups.next()?;
    let is_group = |group: &str, lengths: std::ops::RangeInclusive<usize>| {
        lengths.contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_digit())
    };
    let groups: Vec<&str> = groups.collect();
    let fit = is_group(first, 1..=3) && groups.iter().all(|group| is_group(group, 3..=3));
    fit.then(|| std::iter::once(first).chain(groups).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_writings_of_a_number_are_one() {
        for text in ["1234,5", "1.234,50", "1 234,5", "1'234,500", "1\u{a0}234,5", "1\u{202f}234,5", "1’234,5"] {
            assert_eq!(number_with_comma(text).as_deref(), Some("1234.5"), "{text}");
        }
        assert_eq!(number_with_comma("-0,0").as_deref(), Some("0"));
        assert_eq!(number_with_comma("−12,30").as_deref(), Some("-12.3"));
        assert_eq!(number_with_comma("1.234").as_deref(), Some("1234"));
        assert_eq!(number_with_comma("1.234.567").as_deref(), Some("1234567"));
        assert_eq!(number_with_comma("12345678901234567890,1").as_deref(), Some("12345678901234567890.1"));
    }

    #[test]
    fn what_is_no_such_number_stays() {
        for text in [
            "",
            ",5",
            "5,",
            "1,2,3",
            "1.23,4",
            "1.2345,6",
            "01,5",
            "1e3",
            "abc",
            "1. 234",
            "1.234 567",
            "-",
            "+1",
            "1,5 kg",
        ] {
            assert_eq!(number_with_comma(text), None, "{text}");
        }
    }
}
