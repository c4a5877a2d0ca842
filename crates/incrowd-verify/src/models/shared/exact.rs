//! Exact numbers of a policy, and fractions compared without rounding.

use serde_json::{Map, Value};

/// A number that is not negative, as a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExactNumber {
    pub(crate) above: u64,
    pub(crate) below: u64,
}

impl ExactNumber {
    /// A number as a policy writes it: a whole number, a decimal number, or the text of one, or of a ratio. A decimal
    /// number means the shortest digits that stand for it.
    pub(crate) fn read(value: &Value) -> Option<ExactNumber> {
        match value {
            Value::Number(number) => match number.as_u64() {
                Some(whole) => Some(ExactNumber { above: whole, below: 1 }),
                None => ExactNumber::of_text(&format!("{}", number.as_f64()?)),
            },
            Value::String(text) => ExactNumber::of_text(text),
            _ => None,
        }
    }

    fn of_text(text: &str) -> Option<ExactNumber> {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u64>().ok())?;
        if let Some((above, below)) = text.split_once('/') {
            return Some(ExactNumber { above: digits(above)?, below: digits(below).filter(|below| *below > 0)? });
        }
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let below = 10u64.checked_pow(u32::try_from(decimals.len()).ok()?)?;
        Some(ExactNumber { above: digits(&format!("{whole}{decimals}"))?, below })
    }

    /// The parameter of this name, when it is a number that is allowed.
    pub(crate) fn parameter(
        parameters: &Map<String, Value>,
        name: &str,
        allowed: impl Fn(ExactNumber) -> bool,
        needed: &str,
    ) -> Result<ExactNumber, String> {
        let read = parameters.get(name).and_then(ExactNumber::read).filter(|number| allowed(*number));
        read.ok_or_else(|| format!("{name} is not {needed}"))
    }

    /// Whether part / whole is at most this number; the whole is not 0.
    pub(crate) fn is_at_least(self, part: u128, whole: u128) -> bool {
        is_at_most((part, whole), (u128::from(self.above), u128::from(self.below)))
    }

    pub(crate) fn to_f64(self) -> f64 {
        self.above as f64 / self.below as f64
    }
}

impl std::fmt::Display for ExactNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.below {
            1 => write!(f, "{}", self.above),
            below => write!(f, "{}/{below}", self.above),
        }
    }
}

/// Whether the first fraction is at most the second. Whole parts are compared, and then the remainders turned upside
/// down, so that nothing grows.
fn is_at_most(mut first: (u128, u128), mut second: (u128, u128)) -> bool {
    loop {
        let wholes = (first.0 / first.1, second.0 / second.1);
        let rests = (first.0 % first.1, second.0 % second.1);
        match (wholes.0 == wholes.1, rests) {
            (false, _) => return wholes.0 < wholes.1,
            (true, (0, _)) => return true,
            (true, (_, 0)) => return false,
            (true, (one, other)) => (first, second) = ((second.1, other), (first.1, one)),
        }
    }
}

/// A whole number above 0.
pub(crate) fn whole(parameters: &Map<String, Value>, name: &str) -> Result<u64, String> {
    let read = parameters.get(name).and_then(Value::as_u64).filter(|number| *number > 0);
    read.ok_or_else(|| format!("{name} is not an integer above 0"))
}

/// A list of lists of texts, none of them empty. A number in JSON means the text it is written as.
pub(crate) fn lists(value: &Value) -> Option<Vec<Vec<String>>> {
    let lists: Option<Vec<Vec<String>>> = value.as_array()?.iter().map(texts).collect();
    lists.filter(|lists| !lists.is_empty())
}

/// A list of texts that is not empty.
pub(crate) fn texts(value: &Value) -> Option<Vec<String>> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let texts: Option<Vec<String>> = value.as_array()?.iter().map(text).collect();
    texts.filter(|texts| !texts.is_empty())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    proptest! {
        #[test]
        fn fractions_are_compared_as_their_products_are(a in 0u64.., b in 1u64.., c in 0u64.., d in 1u64..) {
            let [a, b, c, d] = [a, b, c, d].map(u128::from);
            prop_assert_eq!(is_at_most((a, b), (c, d)), a * d <= c * b);
            prop_assert!(is_at_most((a, b), (a, b)));
            // Larger than any product that could be formed.
            prop_assert_eq!(is_at_most((a << 60, b << 60), (c << 50, d << 50)), a * d <= c * b);
        }
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        let read = |value: Value| ExactNumber::read(&value).map(|number| (number.above, number.below));
        assert_eq!(read(json!(3)), Some((3, 1)));
        assert_eq!(read(json!(0.29)), Some((29, 100)));
        assert_eq!(read(json!("2.50")), Some((250, 100)));
        assert_eq!(read(json!("1/3")), Some((1, 3)));
        for wrong in [
            json!(-1),
            json!("1/0"),
            json!("x"),
            json!(""),
            json!("1e3"),
            json!([1]),
            json!("-0.5"),
            json!("/3"),
            json!("+1"),
            json!("1/+3"),
        ] {
            assert_eq!(read(wrong.clone()), None, "{wrong}");
        }
    }
}
