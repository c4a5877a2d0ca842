//! PostgreSQL's numeric: digits to the base 10,000, how many stand before the point, a sign.

/// Groups of four decimal digits.
const BASE: u128 = 10_000;
const POSITIVE: u16 = 0x0000;
const NEGATIVE: u16 = 0x4000;
const NOT_A_NUMBER: u16 = 0xc000;

/// The number times ten to the scale; `Some(None)` for NaN, nothing when it does not fit or is infinite.
pub(crate) fn decode(bytes: &[u8], scale: i8) -> Option<Option<i128>> {
    let word = |at: usize| bytes.get(2 * at..2 * at + 2).and_then(|word| word.try_into().ok()).map(u16::from_be_bytes);
    let (count, weight, sign) = (word(0)?, word(1)? as i16, word(2)?);
    word(3)?;
    if sign == NOT_A_NUMBER {
        return Some(None);
    }
    let mut number: u128 = 0;
    for at in 0..usize::from(count) {
        let digits = u128::from(word(4 + at)?);
        if digits == 0 {
            continue;
        }
        let exponent = 4 * (i32::from(weight) - at as i32) + i32::from(scale);
        let power = 10u128.checked_pow(exponent.unsigned_abs())?;
        let part = if exponent >= 0 {
            digits.checked_mul(power)?
        } else if digits % power == 0 {
            digits / power
        } else {
            return None;
        };
        number = number.checked_add(part)?;
    }
    let number = i128::try_from(number).ok()?;
    match sign {
        POSITIVE => Some(Some(number)),
        NEGATIVE => Some(Some(-number)),
        _ => None,
    }
}

/// The bytes of a number that was multiplied by ten to the scale.
pub(crate) fn encode(number: i128, scale: u8, into: &mut Vec<u8>) {
    let mut rest = number.unsigned_abs();
    // Digits after the point are filled up to whole groups of four.
    let fraction = usize::from(scale).div_ceil(4);
    let filled = 4 * fraction - usize::from(scale);
    let mut groups = Vec::new();
    if filled > 0 {
        let (keep, fill) = (10u128.pow(4 - filled as u32), 10u128.pow(filled as u32));
        groups.push((rest % keep * fill) as u16);
        rest /= keep;
    }
    while rest > 0 {
        groups.push((rest % BASE) as u16);
        rest /= BASE;
    }
    // From the lowest group: the first of them after the point has the weight −1.
    let highest = groups.len() as i32 - fraction as i32 - 1;
    groups.reverse();
    while groups.last() == Some(&0) {
        groups.pop();
    }
    let weight = if groups.is_empty() { 0 } else { highest as i16 };
    into.extend((groups.len() as u16).to_be_bytes());
    into.extend(weight.to_be_bytes());
    into.extend(if number < 0 { NEGATIVE } else { POSITIVE }.to_be_bytes());
    into.extend(u16::from(scale).to_be_bytes());
    groups.iter().for_each(|group| into.extend(group.to_be_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_back() {
        let largest = 10i128.pow(38) - 1;
        let numbers = [0, 1, -1, 5, 10, 99, 100, 9_999, 10_000, 10_001, 123_456_789, largest, -largest, 10i128.pow(37)];
        for number in numbers {
            for scale in 0..=38 {
                let mut bytes = Vec::new();
                encode(number, scale, &mut bytes);
                assert_eq!(decode(&bytes, scale as i8), Some(Some(number)), "{number} with scale {scale}");
            }
        }
    }

    #[test]
    fn digits_are_written_as_the_server_writes_them() {
        let written = |number: i128, scale: u8| {
            let mut bytes = Vec::new();
            encode(number, scale, &mut bytes);
            bytes.chunks(2).map(|word| i16::from_be_bytes([word[0], word[1]])).collect::<Vec<_>>()
        };
        // 12345.67 is 1 | 2345 . 6700
        assert_eq!(written(1_234_567, 2), [3, 1, 0, 2, 1, 2345, 6700]);
        assert_eq!(written(-5, 1), [1, -1, 0x4000, 1, 5000]);
        assert_eq!(written(20_000, 0), [1, 1, 0, 0, 2]);
        assert_eq!(written(0, 2), [0, 0, 0, 2]);
        // 0.00005 is . 0000 5000
        assert_eq!(written(5, 5), [1, -2, 0, 5, 5000]);
    }

    #[test]
    fn values_that_are_not_numbers_or_do_not_fit_are_reported() {
        assert_eq!(decode(&[0, 0, 0, 0, 0xc0, 0, 0, 0], 2), Some(None), "NaN");
        assert_eq!(decode(&[0, 0, 0, 0, 0xd0, 0, 0, 32], 2), None, "infinity");
        assert_eq!(decode(&[0, 1, 0xff, 0xff, 0, 0, 0, 4, 0, 1], 2), None, "0.0001 has no two digits after the point");
        assert_eq!(decode(&[0, 1, 0, 0], 2), None, "cut off");
    }
}
