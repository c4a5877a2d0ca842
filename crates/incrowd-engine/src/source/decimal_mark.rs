//! Numbers in the cells of a release, with a decimal comma and with a decimal point.

use std::borrow::Cow;

/// A number as it is written with a decimal comma, any other text unchanged; nothing for a text that would be read as such a
/// number and is none.
pub(crate) fn with_comma(text: &str) -> Option<Cow<'_, str>> {
    if is_number(text, ',') {
        return None;
    }
    Some(if is_number(text, '.') { Cow::Owned(text.replace('.', ",")) } else { Cow::Borrowed(text) })
}

/// The text that was written with a decimal comma.
pub(crate) fn with_point(text: &str) -> Cow<'_, str> {
    if is_number(text, ',') { Cow::Owned(text.replace(',', ".")) } else { Cow::Borrowed(text) }
}

/// Whether a text is a number with this decimal mark.
fn is_number(text: &str, mark: char) -> bool {
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = text.strip_prefix('-').unwrap_or(text).split_once(mark);
    parts.is_some_and(|(whole, fraction)| is_digits(whole) && is_digits(fraction))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_change_their_mark_and_other_texts_do_not() {
        for (text, written) in [
            ("70.5", "70,5"),
            ("-0.25", "-0,25"),
            ("70", "70"),
            ("*", "*"),
            ("[70.5, 80.5)", "[70.5, 80.5)"),
            ("1.2.3", "1.2.3"),
            ("1e-7", "1e-7"),
            ("1,2,3", "1,2,3"),
        ] {
            assert_eq!(with_comma(text).as_deref(), Some(written));
            assert_eq!(with_point(written), text);
        }
        assert_eq!(with_comma("10,20"), None, "a label that would be read as a number");
    }
}
