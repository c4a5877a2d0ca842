//! A share as a ratio of integers.
//!
//! α·|class| decides whether a promise holds, and 0.1 · 30 is not 3 in floating point. A ratio is compared by
//! multiplication of integers, so the answer is exact.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::convert::{to_u32, to_u64};

/// A share between 0 and 1 that is exact.
///
/// ```
/// use incrowd_core::Ratio;
/// let third: Ratio = "1/3".parse()?;
/// assert!(third.allows(10, 30) && !third.allows(11, 30));
/// assert_eq!("0.33".parse::<Ratio>()?, "33/100".parse()?);
/// assert_eq!("0.50".parse::<Ratio>()?.to_string(), "1/2");
/// assert!("1.5".parse::<Ratio>().is_err());
/// # Ok::<(), incrowd_core::NotAShare>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    numerator: u64,
    denominator: u64,
}

/// The text is not a share between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a share must be a number between 0 and 1, such as 0.33 or 1/3")]
pub struct NotAShare;

impl Ratio {
    /// A ratio in lowest terms; nothing when it is above 1 or the denominator is 0.
    pub fn new(numerator: u64, denominator: u64) -> Option<Ratio> {
        if denominator == 0 || numerator > denominator {
            return None;
        }
        let divisor = greatest_common_divisor(numerator, denominator);
        Some(Ratio { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    /// The number above the line.
    pub fn numerator(self) -> u64 {
        self.numerator
    }

    /// The number below the line.
    pub fn denominator(self) -> u64 {
        self.denominator
    }

    /// Whether `part` of `whole` is at most this share.
    pub fn allows(self, part: u64, whole: u64) -> bool {
        u128::from(part) * u128::from(self.denominator) <= u128::from(self.numerator) * u128::from(whole)
    }

    /// ⌊share · whole⌋.
    pub fn floor_of(self, whole: u64) -> u64 {
        to_u64(u128::from(self.numerator) * u128::from(whole) / u128::from(self.denominator))
    }

    /// ⌈share · whole⌉.
    pub fn ceiling_of(self, whole: u64) -> u64 {
        to_u64((u128::from(self.numerator) * u128::from(whole)).div_ceil(u128::from(self.denominator)))
    }

    /// The smallest whole of which `part` is at most this share; nothing when there is none.
    pub fn least_whole(self, part: u64) -> Option<u64> {
        match (part, self.numerator) {
            (0, _) => Some(0),
            (_, 0) => None,
            _ => {
                let whole = (u128::from(part) * u128::from(self.denominator)).div_ceil(u128::from(self.numerator));
                Some(u64::try_from(whole).unwrap_or(u64::MAX))
            }
        }
    }

    /// The nearest floating-point number, to show.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

pub(crate) fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { greatest_common_divisor(b, a % b) }
}

/// The numbers above and below the line of a number that is written as a decimal or as a ratio.
pub(crate) fn read(text: &str) -> Option<(u64, u64)> {
    if let Some((above, below)) = text.split_once('/') {
        return Some((above.trim().parse().ok()?, below.trim().parse().ok()?));
    }
    let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let plain = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || fraction.len() > 18 || !plain(whole) || !plain(fraction) {
        return None;
    }
    let digits = format!("0{whole}{fraction}").parse().ok()?;
    Some((digits, 10u64.pow(to_u32(fraction.len()))))
}

impl FromStr for Ratio {
    type Err = NotAShare;

    fn from_str(text: &str) -> Result<Self, NotAShare> {
        read(text).and_then(|(above, below)| Ratio::new(above, below)).ok_or(NotAShare)
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

impl Serialize for Ratio {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Ratio {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_least_whole_allows_the_part_and_one_less_does_not(above in 1u64..50, more in 0u64..50, part in 1u64..200) {
            let share = Ratio::new(above, above + more).expect("a share");
            let whole = share.least_whole(part).expect("above zero");
            prop_assert!(share.allows(part, whole));
            prop_assert!(!share.allows(part, whole - 1));
            prop_assert_eq!(share.floor_of(whole) + u64::from(share.floor_of(whole) < share.ceiling_of(whole)), share.ceiling_of(whole));
        }
    }

    #[test]
    fn decimals_are_read_exactly() {
        let read = |text: &str| text.parse::<Ratio>().map(|share| share.to_string());
        assert_eq!(read("0.1"), Ok("1/10".into()));
        assert_eq!(read("1"), Ok("1/1".into()));
        assert_eq!(read(".25"), Ok("1/4".into()));
        assert_eq!(read("0"), Ok("0/1".into()));
        for wrong in ["", ".", "-0.5", "2", "1/0", "3/2", "0,5", "1e-3", "0.1234567890123456789"] {
            assert_eq!(read(wrong), Err(NotAShare), "{wrong}");
        }
    }
}
