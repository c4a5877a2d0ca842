//! Rounded numbers and intervals, exactly: a number is an integer of units of a power of ten.

use std::fmt;

use super::draws::WordStream;

/// `units` / 10^`places`, with as few places as possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DecimalNumber {
    units: i128,
    places: u32,
}

impl DecimalNumber {
    /// Reads digits with an optional sign, point and exponent; nothing for other texts and for more than 30 digits.
    pub(super) fn read(text: &str) -> Option<DecimalNumber> {
        let lower = text.to_ascii_lowercase();
        let (number, exponent) = lower.split_once('e').unwrap_or((&lower, "0"));
        let exponent: i32 = exponent.parse().ok()?;
        let (negative, number) = match number.as_bytes().first()? {
            b'-' => (true, &number[1..]),
            b'+' => (false, &number[1..]),
            _ => (false, number),
        };
        let mut parts = number.split('.');
        let (whole, fraction) = (parts.next()?, parts.next());
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if parts.next().is_some() || !is_digits(whole) || fraction.is_some_and(|fraction| !is_digits(fraction)) {
            return None;
        }
        let fraction = fraction.unwrap_or_default();
        let digits = format!("{whole}{fraction}");
        let digits = digits.trim_start_matches('0');
        if digits.len() > 30 {
            return None;
        }
        let units: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        let mut number = DecimalNumber { units: if negative { -units } else { units }, places: 0 };
        let places = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
        if number.units != 0 && places < 0 {
            number.units = number.units.checked_mul(10i128.checked_pow(places.unsigned_abs())?)?;
        } else if number.units != 0 {
            number.places = places.unsigned_abs();
        }
        number.shortest()
    }

    fn shortest(self) -> Option<DecimalNumber> {
        let DecimalNumber { mut units, mut places } = self;
        while places > 0 && units % 10 == 0 {
            (units, places) = (units / 10, places - 1);
        }
        (places <= 30 && units.unsigned_abs() < 10u128.pow(30)).then_some(DecimalNumber { units, places })
    }

    /// The units of two numbers in the places of the finer one.
    fn together(self, other: DecimalNumber) -> Option<(i128, i128, u32)> {
        let places = self.places.max(other.places);
        let units = |one: DecimalNumber| one.units.checked_mul(10i128.checked_pow(places - one.places)?);
        Some((units(self)?, units(other)?, places))
    }

    pub(super) fn is_above_zero(self) -> bool {
        self.units > 0
    }

    /// Whether it is larger; nothing when the two are too far apart to be compared exactly.
    pub(super) fn exceeds(self, other: DecimalNumber) -> Option<bool> {
        self.together(other).map(|(one, other, _)| one > other)
    }

    pub(super) const ZERO: DecimalNumber = DecimalNumber { units: 0, places: 0 };

    /// The sum of it and another number, taken a number of times.
    pub(super) fn plus_times(self, other: DecimalNumber, times: u64) -> Option<DecimalNumber> {
        self.plus_multiple(other, times.into())
    }

    /// The sum of it and a multiple of another number.
    pub(super) fn plus_multiple(self, other: DecimalNumber, multiple: i128) -> Option<DecimalNumber> {
        let (one, other, places) = self.together(other)?;
        DecimalNumber { units: one.checked_add(other.checked_mul(multiple)?)?, places }.shortest()
    }

    /// How often a base goes into it, if it is a multiple of the base.
    pub(super) fn in_multiples_of(self, base: DecimalNumber) -> Option<i128> {
        self.together(base).filter(|(units, base, _)| units % base == 0).map(|(units, base, _)| units / base)
    }

    /// Whether it is a multiple of a base.
    pub(super) fn is_multiple_of(self, base: DecimalNumber) -> bool {
        self.in_multiples_of(base).is_some()
    }
}

impl fmt::Display for DecimalNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = 10u128.pow(self.places);
        let (whole, fraction) = (self.units.unsigned_abs() / scale, self.units.unsigned_abs() % scale);
        let sign = if self.units < 0 { "-" } else { "" };
        match self.places {
            0 => write!(f, "{sign}{whole}"),
            places => write!(f, "{sign}{whole}.{fraction:0places$}", places = places as usize),
        }
    }
}

/// Bounds and a base, as the manifest writes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NumberRule {
    bottom: Option<DecimalNumber>,
    top: Option<DecimalNumber>,
    base: Option<DecimalNumber>,
    /// Whether the multiple below or above was drawn.
    pub(super) at_random: bool,
}

impl NumberRule {
    /// `bottom:N,top:N,round:BASE`, of which some may be left out; `random-round` may stand in place of `round`.
    pub(super) fn read(text: &str) -> Option<NumberRule> {
        let mut rule = NumberRule::default();
        for part in text.split(',') {
            let (word, number) = part.split_once(':')?;
            let number = Some(DecimalNumber::read(number)?);
            match word {
                "bottom" if rule.bottom.is_none() => rule.bottom = number,
                "top" if rule.top.is_none() => rule.top = number,
                "round" | "random-round" if rule.base.is_none() => {
                    rule.base = Some(number.filter(|base| base.is_above_zero())?);
                    rule.at_random = word == "random-round";
                }
                _ => return None,
            }
        }
        Some(rule)
    }

    /// Whether a published number is within the bounds and a multiple of the base.
    pub(super) fn allows(&self, number: DecimalNumber) -> bool {
        self.bottom.is_none_or(|bottom| bottom.exceeds(number) == Some(false))
            && self.top.is_none_or(|top| number.exceeds(top) == Some(false))
            && self.base.is_none_or(|base| number.is_multiple_of(base))
    }

    /// What is to be published of a number: it is moved into the bounds, then to the nearest multiple of the base, and away
    /// from 0 when two are equally near.
    pub(super) fn applied(&self, number: DecimalNumber) -> Option<DecimalNumber> {
        let number = self.bounded(number)?;
        let Some(base) = self.base else { return Some(number) };
        mean(number, 1, base)
    }

    /// What is to be published of a number when it is rounded at random: it is moved into the bounds, and the multiple above it is
    /// published with the probability that makes the number the mean.
    pub(super) fn drawn(&self, number: DecimalNumber, words: &mut WordStream<'_>) -> Option<DecimalNumber> {
        let number = self.bounded(number)?;
        let (units, base, places) = number.together(self.base?)?;
        let rest = units.rem_euclid(base);
        if rest == 0 {
            return Some(number);
        }
        let drawn = i128::try_from(words.below(u128::try_from(base).ok()?)).ok()?;
        let below = units.checked_sub(rest)?;
        let multiple = if drawn < rest { below.checked_add(base)? } else { below };
        DecimalNumber { units: multiple, places }.shortest()
    }

    fn bounded(&self, number: DecimalNumber) -> Option<DecimalNumber> {
        let number = match self.bottom {
            Some(bottom) if bottom.exceeds(number)? => bottom,
            _ => number,
        };
        match self.top {
            Some(top) if number.exceeds(top)? => Some(top),
            _ => Some(number),
        }
    }
}

/// The multiple of a base that is nearest to a sum divided by a number of rows; of two that are equally near, the one farther
/// from 0.
pub(super) fn mean(sum: DecimalNumber, rows: u64, base: DecimalNumber) -> Option<DecimalNumber> {
    let (units, base, places) = sum.together(base)?;
    let step = base.checked_mul(rows.into()).filter(|step| *step > 0)?;
    let (below, above_it) = (units.div_euclid(step), units.rem_euclid(step));
    let up = match above_it.checked_mul(2)?.cmp(&step) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => units > 0,
    };
    DecimalNumber { units: (below + i128::from(up)).checked_mul(base)?, places }.shortest()
}

/// The interval of this width that holds a number.
pub(super) fn interval(number: DecimalNumber, width: DecimalNumber) -> Option<String> {
    let (units, width, places) = number.together(width)?;
    let low = units.checked_sub(units.rem_euclid(width))?;
    let [low, high] = [low, low.checked_add(width)?].map(|units| DecimalNumber { units, places }.shortest());
    Some(format!("[{}, {})", low?, high?))
}

#[cfg(test)]
mod tests;
