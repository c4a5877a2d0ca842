//! Numbers as the report writes them.

/// A share as per cent with the digits that matter: two below ten, one above.
pub(crate) fn per_cent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        0.0 => "0 %".into(),
        p if p < 0.01 => "under 0.01 %".into(),
        p if p < 10.0 => format!("{} %", trimmed(p, 2)),
        p => format!("{} %", trimmed(p, 1)),
    }
}

/// A number with at most this many decimals.
pub(crate) fn trimmed(value: f64, decimals: usize) -> String {
    let digits = format!("{value:.decimals$}");
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.').to_owned() } else { digits }
}

/// A figure of unknown kind: whole numbers with their thousands set apart, others with four decimals.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // It is checked to be a whole number below 10¹⁵.
pub(crate) fn figure(value: f64) -> String {
    if (1000.0..1e15).contains(&value) && value.fract() == 0.0 {
        return incrowd_core::thousands(value as u64);
    }
    trimmed(value, 4)
}

/// A chance as per cent, and as one in N where N is a whole number.
pub(crate) fn chance(risk: f64) -> String {
    let crowd = 1.0 / risk;
    let whole = crowd.is_finite() && crowd < 1e6 && (crowd - crowd.round()).abs() < 1e-9 * crowd;
    if whole && crowd > 1.5 { format!("{} (1 in {crowd:.0})", per_cent(risk)) } else { per_cent(risk) }
}

/// A name of the code, such as `top_decile`, as words.
pub(crate) fn spoken(name: &str) -> String {
    name.replace(['_', '-'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_chances_are_written_with_the_digits_that_matter() {
        assert_eq!(
            [0.0, 0.00001, 0.0478, 0.375, 1.0].map(per_cent),
            ["0 %", "under 0.01 %", "4.78 %", "37.5 %", "100 %"]
        );
        assert_eq!([16_108.0, 5.0, 0.30125, -2.5].map(figure), ["16,108", "5", "0.3013", "-2.5"]);
        assert_eq!([0.2, 0.1093, 1.0].map(chance), ["20 % (1 in 5)", "10.9 %", "100 %"]);
    }
}
