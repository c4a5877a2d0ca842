//! Ratios of integers, compared exactly, and as decimals that are rounded to a chosen side.

use crate::numbers::at_most;

/// Figures are integer multiples of this part of 1.
pub(crate) const PARTS: u128 = 1_000_000_000_000;

/// A number of parts as a decimal; where that is not exact, the next floating-point number `beyond` it.
pub(crate) fn decimal(parts: u128, beyond: fn(f64) -> f64) -> f64 {
    let nearest = parts as f64 / PARTS as f64;
    if parts >> 52 == 0 { nearest } else { beyond(nearest) }
}

/// A ratio of integers that is compared exactly; with nothing below the line it is larger than any other.
#[derive(Clone, Copy)]
pub(crate) struct Fraction {
    pub(crate) above: u128,
    pub(crate) below: u128,
}

impl Fraction {
    pub(crate) const ZERO: Fraction = Fraction { above: 0, below: 1 };

    pub(crate) fn new(above: u64, below: u64) -> Self {
        Fraction { above: u128::from(above), below: u128::from(below) }
    }

    pub(crate) fn larger(self, other: Self) -> Self {
        if at_most(other.above, self.below, self.above, other.below) { self } else { other }
    }

    /// The smallest number of parts that is not below it; nothing when it is infinite.
    pub(crate) fn rounded_up(self) -> Option<f64> {
        let Fraction { above, below } = self;
        let parts = |above: u128| decimal(above.div_ceil(below), f64::next_up);
        let rounded = || above.checked_mul(PARTS).map_or((above as f64 / below as f64).next_up(), parts);
        (below > 0).then(rounded)
    }

    /// The largest number of parts that is not above it.
    pub(crate) fn rounded_down(self) -> f64 {
        let Fraction { above, below } = self;
        let parts = |above: u128| decimal(above / below.max(1), f64::next_down);
        above.checked_mul(PARTS).map_or((above as f64 / below as f64).next_down(), parts)
    }
}
