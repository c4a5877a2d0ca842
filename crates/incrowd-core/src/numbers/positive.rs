//! An exact number above 0, such as the ℓ, c or β of a model.
//!
//! What a person writes as 2.5 is 5/2 and is compared as such, by multiplication of integers.

use std::fmt;
use std::str::FromStr;

use super::ratio::{greatest_common_divisor, read};
use crate::Ratio;

/// A number above 0 that is exact.
///
/// ```
/// use incrowd_core::Positive;
/// let l: Positive = "2.5".parse()?;
/// assert_eq!((l.numerator(), l.denominator()), (5, 2));
/// assert_eq!([l.to_string(), "6/2".parse::<Positive>()?.to_string()], ["2.5", "3"]);
/// assert!("0".parse::<Positive>().is_err());
/// # Ok::<(), incrowd_core::NotAboveZero>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Positive {
    numerator: u64,
    denominator: u64,
}

/// The text is not a number above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the value must be a number above 0, such as 3, 2.5 or 1/3")]
pub struct NotAboveZero;

impl Positive {
    /// A number in lowest terms; nothing when it is 0 or the denominator is.
    pub fn new(numerator: u64, denominator: u64) -> Option<Positive> {
        if numerator == 0 || denominator == 0 {
            return None;
        }
        let divisor = greatest_common_divisor(numerator, denominator);
        Some(Positive { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    /// The number above the line.
    pub fn numerator(self) -> u64 {
        self.numerator
    }

    /// The number below the line.
    pub fn denominator(self) -> u64 {
        self.denominator
    }

    /// One divided by it, when that is a share: when it is at least 1.
    pub fn inverse(self) -> Option<Ratio> {
        Ratio::new(self.denominator, self.numerator)
    }

    /// The smallest integer that is not below it.
    pub fn ceiling(self) -> u64 {
        self.numerator.div_ceil(self.denominator)
    }

    /// ⌊whole / number⌋.
    pub fn floor_into(self, whole: u64) -> u64 {
        let parts = u128::from(whole) * u128::from(self.denominator) / u128::from(self.numerator);
        u64::try_from(parts).unwrap_or(u64::MAX)
    }

    /// The nearest floating-point number.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl FromStr for Positive {
    type Err = NotAboveZero;

    fn from_str(text: &str) -> Result<Self, NotAboveZero> {
        read(text).and_then(|(above, below)| Positive::new(above, below)).ok_or(NotAboveZero)
    }
}

impl fmt::Display for Positive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimal = self.to_f64().to_string();
        // As a decimal number when that says all of it.
        match decimal.parse::<Positive>() {
            Ok(same) if same == *self => f.write_str(&decimal),
            _ => write!(f, "{}/{}", self.numerator, self.denominator),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_shown_as_it_was_written() {
        for text in ["1", "2.5", "0.1", "1/3", "1000000"] {
            assert_eq!(text.parse::<Positive>().map(|number| number.to_string()), Ok(text.to_owned()));
        }
        for wrong in ["", "0", "0/5", "5/0", "-1", "1e3", "x"] {
            assert_eq!(wrong.parse::<Positive>(), Err(NotAboveZero), "{wrong}");
        }
    }

    #[test]
    fn its_parts_are_whole_numbers() {
        let number: Positive = "2.5".parse().expect("a number");
        assert_eq!((number.ceiling(), number.floor_into(9), number.floor_into(10)), (3, 3, 4));
        assert_eq!(number.inverse(), Ratio::new(2, 5));
        assert_eq!(Positive::new(1, 2).and_then(Positive::inverse), None);
    }
}
