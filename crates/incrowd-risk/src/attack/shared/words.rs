//! Shares in words, as precise as a person reads them.

use incrowd_core::percent;

/// A share in per cent with three digits that count: 0.0697 %, 11.6 %.
pub(in crate::attack) fn part(share: f64) -> String {
    percent(rounded(100.0 * share, 3) / 100.0)
}

/// A factor with three digits that count, for "… times".
pub(in crate::attack) fn times(factor: f64) -> String {
    let rounded = rounded(factor, 3);
    if rounded == 1.0 { "as frequent".to_owned() } else { format!("{rounded} times as frequent") }
}

/// A whole number that was kept as a floating-point number.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // What is beyond the numbers is the nearest of them.
pub(in crate::attack) fn whole(number: f64) -> u64 {
    number as u64
}

#[allow(clippy::cast_possible_truncation)] // The logarithm of a number is below 400.
fn rounded(number: f64, digits: i32) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return number;
    }
    let unit = 10f64.powi(digits - 1 - number.abs().log10().floor() as i32);
    (number * unit).round() / unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_told_with_three_digits_however_small_they_are() {
        assert_eq!([0.1156789, 1.0, 0.0, 0.000712, 0.99999].map(part), ["11.6 %", "100 %", "0 %", "0.0712 %", "100 %"]);
        assert_eq!(
            [1.0, 278.49, 2.0 / 3.0].map(times),
            ["as frequent", "278 times as frequent", "0.667 times as frequent"]
        );
    }
}
