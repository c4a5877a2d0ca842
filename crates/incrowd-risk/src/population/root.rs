//! Roots of functions of one variable.

/// A point between `low` and `high` at which a continuous function changes its sign, to the last bit; none if it has
/// the same sign at both ends or is not a number at one of them.
pub(super) fn root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> Option<f64> {
    /// Halvings after which an interval of any size has no number inside.
    const HALVINGS: usize = 2_100;
    let (at_low, at_high) = (f(low), f(high));
    if at_low == 0.0 {
        return Some(low);
    }
    let opposite = (at_low < 0.0 && at_high >= 0.0) || (at_low > 0.0 && at_high <= 0.0);
    if !opposite {
        return None;
    }
    for _ in 0..HALVINGS {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        match f(middle) {
            value if value.is_nan() => return None,
            value if (value < 0.0) == (at_low < 0.0) && value != 0.0 => low = middle,
            _ => high = middle,
        }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_found_to_the_last_bit() {
        let found = root(0.0, 2.0, |x| x * x - 2.0).expect("between 0 and 2");
        assert!((found - std::f64::consts::SQRT_2).abs() < 1e-15);
        assert_eq!(root(0.0, 1.0, |x| x), Some(0.0));
    }

    #[test]
    fn without_a_change_of_sign_there_is_none() {
        assert_eq!(root(-1.0, 1.0, |x| x * x + 1.0), None);
        assert_eq!(root(-1.0, 1.0, |_| f64::NAN), None);
    }
}
