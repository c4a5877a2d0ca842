//! Numbers as a person reads them, the same in every message.

/// A number with its thousands set apart.
///
/// ```
/// assert_eq!([0, 999, 1000, 1234567].map(incrowd_core::thousands), ["0", "999", "1,000", "1,234,567"]);
/// ```
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with the word for what is counted, in the form that fits.
///
/// ```
/// use incrowd_core::counted;
/// assert_eq!(counted(1, "class", "classes"), "1 class");
/// assert_eq!(counted(2000, "row", "rows"), "2,000 rows");
/// ```
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// A share in per cent, with at most four decimals, rounded up: it is what something has at most, and a promise of
/// 33.3333 % would be broken by a third.
///
/// ```
/// assert_eq!([0.33, 1.0, 1.0 / 3.0].map(incrowd_core::percent), ["33 %", "100 %", "33.3334 %"]);
/// ```
pub fn percent(share: f64) -> String {
    // 0.33 is not an integer number of millionths in floating point.
    let digits = format!("{:.4}", (1e6 * share - 1e-6).ceil() / 1e4 + 0.0);
    format!("{} %", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// A number of bytes in the unit that fits it.
///
/// ```
/// assert_eq!([800, 1 << 20, 19_158_556_800].map(incrowd_core::size), ["800 bytes", "1.0 MiB", "17.8 GiB"]);
/// ```
pub fn size(bytes: u64) -> String {
    const UNITS: [(&str, u32); 3] = [("TiB", 40), ("GiB", 30), ("MiB", 20)];
    match UNITS.into_iter().find(|&(_, shift)| bytes >> shift > 0) {
        Some((unit, shift)) => format!("{:.1} {unit}", bytes as f64 / (1u64 << shift) as f64),
        None => counted(bytes, "byte", "bytes"),
    }
}
