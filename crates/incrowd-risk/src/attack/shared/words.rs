//! Shares in words, as precise as a person reads them.

use incrowd_core::percent;

/// A share in per cent with three digits that count: 0.0697 %, 11.6 %.
pub(in crate::attack) fn part(share: f64) -> String {
    percent(to_three_digits(100.0 * share, f64::round) / 100.0)
}

/// A factor with three digits that count, rounded up: it is told as the most that occurs.
pub(in crate::attack) fn at_most_times(factor: f64) -> String {
    let rounded = to_three_digits(factor, |number| (number - 1e-9).ceil());
    if rounded == 1.0 { "as frequent".to_owned() } else { format!("{rounded} times as frequent") }
}

/// A whole number that was kept as a floating-point number.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // What is beyond the numbers is the nearest of them.
pub(in crate::attack) fn whole(number: f64) -> u64 {
    number as u64
}

#[allow(clippy::cast_possible_truncation)] // The logarithm of a number is below 400.
fn to_three_digits(number: f64, round: impl Fn(f64) -> f64) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return number;
    }
    let unit = 10f64.powi(2 - number.abs().log10().floor() as i32);
    round(number * unit) / unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_told_with_three_digits_however_small_they_are() {
        assert_eq!([0.1156789, 1.0, 0.0, 0.000712, 0.99999].map(part), ["11.6 %", "100 %", "0 %", "0.0712 %", "100 %"]);
        assert_eq!(
            [1.0, 5.0, 278.49, 4.0 / 3.0].map(at_most_times),
            ["as frequent", "5 times as frequent", "279 times as frequent", "1.34 times as frequent"]
        );
    }
}
