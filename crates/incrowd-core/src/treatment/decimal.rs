//! Decimal numbers, exactly: rounding in floating point would make `0.3` of three steps of `0.1` a different text.

use std::fmt;

use super::draws::{RandomWords, drawn_below};

/// The most digits of a number that is treated.
const MOST_DIGITS: usize = 30;

/// A whole number of units of 10⁻ˢᶜᵃˡᵉ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decimal {
    units: i128,
    /// At most 30.
    scale: u32,
}

impl Decimal {
    /// A number as a text has it: digits with an optional sign, point and exponent. Nothing for any other text, and for
    /// numbers of more than 30 digits.
    pub fn parse(text: &str) -> Option<Decimal> {
        let (digits, exponent) = match text.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let unsigned = digits.strip_prefix(['-', '+']).unwrap_or(digits);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let all = [whole, fraction].concat();
        if whole.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) || unsigned.ends_with('.') {
            return None;
        }
        let significant = all.trim_start_matches('0');
        if significant.len() > MOST_DIGITS {
            return None;
        }
        let mut units: i128 = if significant.is_empty() { 0 } else { significant.parse().ok()? };
        if digits.starts_with('-') {
            units = -units;
        }
        let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
        if units == 0 {
            return Some(Decimal { units: 0, scale: 0 });
        }
        match u32::try_from(scale) {
            Ok(scale) => Decimal { units, scale }.reduced(),
            Err(_) => Decimal { units: units.checked_mul(power(scale.unsigned_abs())?)?, scale: 0 }.reduced(),
        }
    }

    /// Without zeros at the end of the fraction.
    fn reduced(mut self) -> Option<Decimal> {
        while self.scale > 0 && self.units % 10 == 0 {
            self.units /= 10;
            self.scale -= 1;
        }
        let fits = self.scale as usize <= MOST_DIGITS && self.units.unsigned_abs() < 10u128.pow(30);
        fits.then_some(self)
    }

    /// Both numbers in units of the finer one, and its scale.
    fn aligned(self, other: Decimal) -> Option<(i128, i128, u32)> {
        let scale = self.scale.max(other.scale);
        let units = |number: Decimal| number.units.checked_mul(power(scale - number.scale)?);
        Some((units(self)?, units(other)?, scale))
    }

    /// The nearest multiple of a base above 0; of two that are equally near, the one farther from 0. Nothing when the
    /// digits do not suffice.
    pub fn rounded(self, base: Decimal) -> Option<Decimal> {
        let (value, base, scale) = self.aligned(base)?;
        let half = value.checked_abs()?.checked_mul(2)?.checked_add(base)?;
        let units = half.checked_div(base.checked_mul(2)?)?.checked_mul(base)?;
        Decimal { units: units * value.signum(), scale }.reduced()
    }

    /// One of the two multiples of a base above 0 that are nearest, the upper one with a probability that makes the number
    /// the mean of what is published. A multiple stays.
    pub fn randomly_rounded(self, base: Decimal, words: RandomWords<'_>) -> Option<Decimal> {
        let (value, base, scale) = self.aligned(base)?;
        let above = u128::try_from(value.checked_rem_euclid(base)?).ok()?;
        let is_up = above > 0 && drawn_below(u128::try_from(base).ok()?, words) < above;
        let below = value.checked_div_euclid(base)?;
        Decimal { units: below.checked_add(is_up.into())?.checked_mul(base)?, scale }.reduced()
    }

    /// How often a base above 0 goes into it, if it is a multiple.
    pub fn ratio(self, base: Decimal) -> Option<u64> {
        let (value, base, _) = self.aligned(base)?;
        if value.checked_rem(base)? == 0 { u64::try_from(value / base).ok() } else { None }
    }

    /// The number with the other sign.
    pub fn negated(self) -> Decimal {
        Decimal { units: -self.units, ..self }
    }

    /// The largest multiple of a base above 0 that is not larger.
    pub fn floored(self, base: Decimal) -> Option<Decimal> {
        let (value, base, scale) = self.aligned(base)?;
        Decimal { units: value.checked_div_euclid(base)?.checked_mul(base)?, scale }.reduced()
    }

    /// The sum of two numbers.
    pub fn plus(self, other: Decimal) -> Option<Decimal> {
        let (one, other, scale) = self.aligned(other)?;
        Decimal { units: one.checked_add(other)?, scale }.reduced()
    }

    /// The number a whole number of times.
    pub fn times(self, count: u64) -> Option<Decimal> {
        Decimal { units: self.units.checked_mul(count.into())?, scale: self.scale }.reduced()
    }

    /// The nearest multiple of a base above 0 to the quotient by a whole number above 0, as by [`Decimal::rounded`].
    pub fn quotient(self, divisor: u64, base: Decimal) -> Option<Decimal> {
        let (value, base, scale) = self.aligned(base)?;
        let step = base.checked_mul(divisor.into())?;
        let half = value.checked_abs()?.checked_mul(2)?.checked_add(step)?;
        let units = half.checked_div(step.checked_mul(2)?)?.checked_mul(base)?;
        Decimal { units: units * value.signum(), scale }.reduced()
    }

    /// Whether it is smaller than another number.
    pub fn is_below(self, other: Decimal) -> bool {
        match self.aligned(other) {
            Some((one, other, _)) => one < other,
            // Too far apart to be written in the same units: the larger one has the sign of the answer.
            None => self.approximate() < other.approximate(),
        }
    }

    /// The nearest floating-point number, or almost.
    pub fn approximate(self) -> f64 {
        self.units as f64 / 10f64.powi(self.scale.cast_signed())
    }

    /// Whether it is above 0.
    pub fn is_positive(self) -> bool {
        self.units > 0
    }
}

fn power(exponent: u32) -> Option<i128> {
    10i128.checked_pow(exponent)
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.units < 0 { "-" } else { "" };
        let (digits, scale) = (self.units.unsigned_abs().to_string(), self.scale as usize);
        if scale == 0 {
            return write!(f, "{sign}{digits}");
        }
        let digits = format!("{digits:0>width$}", width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        write!(f, "{sign}{whole}.{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).expect(text)
    }

    #[test]
    fn a_number_has_one_text() {
        for (text, shown) in [
            ("12.50", "12.5"),
            ("-0.0", "0"),
            ("+007", "7"),
            ("1e3", "1000"),
            ("1.5E-3", "0.0015"),
            ("100000.0", "100000"),
            ("-0.25", "-0.25"),
        ] {
            assert_eq!(decimal(text).to_string(), shown);
        }
        for text in ["", "-", ".5", "5.", "1,5", "NaN", "inf", "1e", "0x1", "1 000", "1e99"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
        assert_eq!(Decimal::parse(&"9".repeat(31)), None);
    }

    #[test]
    fn a_rounded_number_is_the_nearest_multiple() {
        for (value, base, rounded) in [
            ("52499", "1000", "52000"),
            ("52500", "1000", "53000"),
            ("-52500", "1000", "-53000"),
            ("0.3", "0.1", "0.3"),
            ("0.25", "0.1", "0.3"),
            ("2.4", "2.5", "2.5"),
            ("1.2", "2.5", "0"),
            ("499.999", "1000", "0"),
        ] {
            assert_eq!(decimal(value).rounded(decimal(base)).expect("few digits").to_string(), rounded, "{value}");
        }
    }

    #[test]
    fn a_quotient_is_rounded_once() {
        for (sum, rows, base, mean) in
            [("10", 4, "1", "3"), ("-10", 4, "1", "-3"), ("10", 3, "0.01", "3.33"), ("0.3", 2, "0.1", "0.2")]
        {
            assert_eq!(decimal(sum).quotient(rows, decimal(base)).expect("few digits").to_string(), mean, "{sum}");
        }
        assert_eq!(decimal("0.25").times(8).expect("few digits").to_string(), "2");
    }

    #[test]
    fn a_floored_number_begins_the_interval_that_holds_it() {
        for (value, base, floored) in
            [("29.9", "10", "20"), ("30", "10", "30"), ("-0.1", "10", "-10"), ("-10", "10", "-10")]
        {
            assert_eq!(decimal(value).floored(decimal(base)).expect("few digits").to_string(), floored, "{value}");
        }
    }
}
