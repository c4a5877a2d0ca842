//! The policy as the manifest states it, and exact shares.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The models that must all hold, with the share of rows that may be suppressed.
///
/// A field that is not known here could change what is promised, so such a policy is refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// The models.
    pub models: Vec<Rule>,
    /// The share of rows of the original that may be suppressed, between 0 and 1.
    #[serde(default)]
    pub suppression: f64,
    /// How many rows of a person an attacker may know, a number or `all`, when that is part of the promise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_rows: Option<Value>,
}

/// One model with its parameters, for some sensitive attributes, each judged separately.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The name of the model, such as `k-anonymity`.
    pub model: String,
    /// Its parameters, such as `k`.
    #[serde(default)]
    pub parameters: Map<String, Value>,
    /// The sensitive attributes that it protects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitive: Vec<String>,
}

/// Whether `part` is at most ⌊share · whole⌋, with the share taken as the decimal number it is written as.
///
/// In binary 0.29 · 100 is less than 29. The shortest decimal that stands for the share is what a person wrote.
pub(crate) fn is_within(part: u64, share: f64, whole: u64) -> bool {
    if !(0.0..=1.0).contains(&share) {
        return false;
    }
    let text = format!("{share}");
    let (whole_digits, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let exact = || {
        let scale = 10u128.checked_pow(u32::try_from(decimals.len()).ok()?)?;
        let numerator: u128 = format!("{whole_digits}{decimals}").parse().ok()?;
        Some(u128::from(part).checked_mul(scale)? <= numerator.checked_mul(u128::from(whole))?)
    };
    // A share of more digits than that was computed, not written: then its binary value is what was meant.
    let computed = decimals.len() > 15 && part as f64 <= (share * whole as f64).floor();
    computed || exact().unwrap_or(part as f64 <= (share * whole as f64).floor())
}

#[cfg(test)]
mod tests {
    use super::is_within;

    #[test]
    fn a_share_is_taken_as_it_is_written() {
        assert!(is_within(29, 0.29, 100) && !is_within(30, 0.29, 100));
        assert!(is_within(7, 0.07, 100) && !is_within(8, 0.07, 100));
        assert!(is_within(0, 0.0, 5) && !is_within(1, 0.0, 5));
        assert!(is_within(u64::MAX, 1.0, u64::MAX));
    }

    #[test]
    fn a_third_allows_one_of_three() {
        assert!(is_within(1, 1.0 / 3.0, 3) && !is_within(2, 1.0 / 3.0, 3));
    }

    #[test]
    fn large_numbers_are_compared_without_rounding() {
        // 2⁶⁰ · 0.999999999999999 is 1152921504606845823.08; in floating point it is one more.
        assert!(is_within(1_152_921_504_606_845_823, 0.999_999_999_999_999, 1 << 60));
        assert!(!is_within(1_152_921_504_606_845_824, 0.999_999_999_999_999, 1 << 60));
        // Too small for the product to fit.
        assert!(!is_within(1 << 60, 1e-30, 1 << 61) && is_within(0, 1e-30, 1 << 61));
    }

    #[test]
    fn what_is_no_share_allows_nothing() {
        assert!(!is_within(0, -0.1, 10) && !is_within(0, f64::NAN, 10) && !is_within(1, 1.5, 10));
    }
}
