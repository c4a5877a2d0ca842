//! Nested intervals over numbers: `[20, 25)`, `[20, 30)`, `[20, 40)`, `*`.
//!
//! Interval ends are decimal numbers, so everything is counted in whole units of their last decimal: 0.3 lies in
//! `[0.3, 0.4)` although 0.3 / 0.1 is 2.999… in binary.

use super::{Hierarchy, HierarchyError};
use crate::numbers::to_u32;
use crate::{Dictionary, Values};

/// Decimals that a width or an origin may have.
const DECIMALS: usize = 12;
/// The power of ten of the finest width, which has just these decimals.
const FINEST_POWER: i32 = -12;
/// Digits that a number may have before the point.
const DIGITS: usize = 25;
/// The most intervals that the coarsest chosen width cuts the column into, or one more.
const COARSEST: f64 = 5.0;

impl Hierarchy {
    /// Numbers below half-open intervals of the given widths, finest first, each a multiple of the one before; some
    /// interval of each width begins at `origin`.
    ///
    /// ```
    /// use incrowd_core::{Dictionary, Hierarchy, Values};
    /// let ages = Dictionary::new(Values::Integers(vec![23, 25, 31]), false);
    /// assert_eq!(
    ///     Hierarchy::numeric(&ages, &[5.0, 20.0], 0.0)?.write(),
    ///     "23;[20, 25);[20, 40);*\n25;[25, 30);[20, 40);*\n31;[30, 35);[20, 40);*\n"
    /// );
    /// # Ok::<(), incrowd_core::HierarchyError>(())
    /// ```
    pub fn numeric(dictionary: &Dictionary, widths: &[f64], origin: f64) -> Result<Self, HierarchyError> {
        let units = Units::new(widths, origin)?;
        let floors = units.floors(dictionary)?;
        Self::from_values(dictionary, widths.len() + 1, |index, line| {
            line.extend(units.widths.iter().map(|width| units.label(floors[index], *width)));
        })
    }

    /// Widths for [`Hierarchy::numeric`] chosen from the column: steps of 1, 2 or 5 times a power of ten, the coarsest
    /// cutting the column into about three to five intervals. Empty when no step would bring values together.
    pub fn choose_widths(dictionary: &Dictionary) -> Result<Vec<f64>, HierarchyError> {
        let (low, high) = match dictionary.values() {
            Values::Integers(values) => (values.first().map(|&v| v as f64), values.last().map(|&v| v as f64)),
            Values::Numbers { values, .. } => (values.first().copied(), values.last().copied()),
            _ => return Err(wrong_kind(dictionary)),
        };
        let span = high.unwrap_or(0.0) - low.unwrap_or(0.0);
        if span <= 0.0 {
            return Ok(Vec::new());
        }
        let mut coarsest = IntervalWidth { digit: 1, power: power_of_ten(span / COARSEST) };
        while span / coarsest.width() > COARSEST {
            coarsest = coarsest.up();
        }
        let intervals = |step: IntervalWidth| Units::new(&[step.width()], 0.0)?.intervals(dictionary);
        let helps = |step: IntervalWidth| Ok::<_, HierarchyError>(intervals(step)? < dictionary.values().len());
        let mut steps = Vec::new();
        let mut next = coarsest;
        while steps.len() < 3 && next.power >= FINEST_POWER && helps(next)? {
            steps.insert(0, next);
            next = next.down();
        }
        // A short column of integers leaves no room below: go one up instead, as long as values still differ.
        let mut next = coarsest.up();
        while steps.len() < 2 && helps(next)? && intervals(next)? > 1 {
            if steps.last().is_none_or(|last: &IntervalWidth| last.divides(next)) {
                steps.push(next);
            }
            next = next.up();
        }
        Ok(steps.into_iter().map(IntervalWidth::width).collect())
    }
}

/// The largest power of ten that is not above a number. The exponents of floating-point numbers are far inside 32 bits.
#[allow(clippy::cast_possible_truncation)]
fn power_of_ten(number: f64) -> i32 {
    number.log10().floor() as i32
}

fn wrong_kind(dictionary: &Dictionary) -> HierarchyError {
    HierarchyError::WrongKind { wanted: "numeric intervals", kind: dictionary.kind().name() }
}

/// One of 1, 2, 5 times a power of ten.
#[derive(Clone, Copy)]
struct IntervalWidth {
    digit: u32,
    power: i32,
}

impl IntervalWidth {
    /// Through text, so that the width is the double nearest to the decimal number.
    fn width(self) -> f64 {
        format!("{}e{}", self.digit, self.power).parse().unwrap_or(f64::INFINITY)
    }

    fn up(self) -> Self {
        match self.digit {
            1 => IntervalWidth { digit: 2, ..self },
            2 => IntervalWidth { digit: 5, ..self },
            _ => IntervalWidth { digit: 1, power: self.power + 1 },
        }
    }

    /// The largest smaller step of which this one is a multiple.
    fn down(self) -> Self {
        match self.digit {
            1 => IntervalWidth { digit: 5, power: self.power - 1 },
            _ => IntervalWidth { digit: 1, ..self },
        }
    }

    fn divides(self, larger: IntervalWidth) -> bool {
        larger.power > self.power || larger.digit.is_multiple_of(self.digit)
    }
}

/// Widths and origin in whole units of their last decimal.
struct Units {
    widths: Vec<i128>,
    origin: i128,
    decimals: usize,
}

impl Units {
    fn new(widths: &[f64], origin: f64) -> Result<Self, HierarchyError> {
        let decimals_of = |number: f64| number.to_string().split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let decimals =
            widths.iter().chain([&origin]).map(|&number| decimals_of(number)).max().unwrap_or(0).min(DECIMALS);
        let exact = |number: f64| {
            let fits = decimals_of(number) <= DECIMALS;
            fits.then(|| floor(&number.to_string(), decimals)).flatten()
        };
        let unit = |&width: &f64| exact(width).ok_or(HierarchyError::BadWidth { width });
        let units = widths.iter().map(unit).collect::<Result<Vec<_>, _>>()?;
        for (index, &unit) in units.iter().enumerate() {
            if unit <= 0 {
                return Err(HierarchyError::BadWidth { width: widths[index] });
            }
            if index > 0 && (unit % units[index - 1] != 0 || unit == units[index - 1]) {
                return Err(HierarchyError::NotMultiple { width: widths[index], below: widths[index - 1] });
            }
        }
        let origin = exact(origin).ok_or(HierarchyError::BadOrigin { origin })?;
        Ok(Units { widths: units, origin, decimals })
    }

    /// The numbers of a column in whole units, rounded down: enough to find their interval.
    fn floors(&self, dictionary: &Dictionary) -> Result<Vec<i128>, HierarchyError> {
        let floors: Option<Vec<i128>> = match dictionary.values() {
            Values::Integers(values) => {
                // At most 19 digits and 12 decimals: far inside i128.
                let scale = 10i128.pow(to_u32(self.decimals));
                Some(values.iter().map(|&value| i128::from(value) * scale).collect())
            }
            Values::Numbers { values, .. } => {
                values.iter().map(|value| floor(&value.to_string(), self.decimals)).collect()
            }
            _ => return Err(wrong_kind(dictionary)),
        };
        floors.ok_or(HierarchyError::TooLarge)
    }

    fn start(&self, floor: i128, width: i128) -> i128 {
        (floor - self.origin).div_euclid(width) * width + self.origin
    }

    /// How many intervals of the first width hold a number of the column.
    fn intervals(&self, dictionary: &Dictionary) -> Result<usize, HierarchyError> {
        let mut starts: Vec<i128> =
            self.floors(dictionary)?.into_iter().map(|floor| self.start(floor, self.widths[0])).collect();
        starts.dedup();
        Ok(starts.len())
    }

    fn label(&self, floor: i128, width: i128) -> String {
        let start = self.start(floor, width);
        format!("[{}, {})", self.text(start), self.text(start + width))
    }

    fn text(&self, units: i128) -> String {
        let sign = if units < 0 { "-" } else { "" };
        let digits = format!("{:0width$}", units.unsigned_abs(), width = self.decimals + 1);
        let (whole, fraction) = digits.split_at(digits.len() - self.decimals);
        if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
    }
}

/// The largest integer number of units of `10^-decimals` that is not above a number written in plain decimals; none for
/// numbers of 10^25 or more and for those that are not finite.
fn floor(number: &str, decimals: usize) -> Option<i128> {
    let (negative, magnitude) = number.strip_prefix('-').map_or((false, number), |rest| (true, rest));
    let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
    if whole.len() > DIGITS {
        return None;
    }
    let (kept, cut) = fraction.split_at(fraction.len().min(decimals));
    let units: i128 = format!("{whole}{kept:0<decimals$}").parse().ok()?;
    let below = i128::from(cut.bytes().any(|digit| digit != b'0'));
    Some(if negative { -units - below } else { units })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integers(values: impl IntoIterator<Item = i64>) -> Dictionary {
        Dictionary::new(Values::Integers(values.into_iter().collect()), false)
    }

    fn numbers(values: &[f64]) -> Dictionary {
        Dictionary::new(Values::Numbers { values: values.to_vec(), scale: None }, false)
    }

    #[test]
    fn decimal_numbers_fall_into_the_interval_that_begins_with_them() {
        let hierarchy = Hierarchy::numeric(&numbers(&[-0.05, 0.0, 0.3, 0.35, 0.7]), &[0.1, 0.5], 0.0);
        let written = hierarchy.expect("widths nest").write();
        assert_eq!(
            written,
            "-0.05;[-0.1, 0.0);[-0.5, 0.0);*\n0;[0.0, 0.1);[0.0, 0.5);*\n0.3;[0.3, 0.4);[0.0, 0.5);*\n\
             0.35;[0.3, 0.4);[0.0, 0.5);*\n0.7;[0.7, 0.8);[0.5, 1.0);*\n"
        );
    }

    #[test]
    fn intervals_begin_at_the_origin_and_run_below_zero() {
        let hierarchy = Hierarchy::numeric(&integers([-7, 1, 2, 3]), &[2.0, 4.0], 1.0).expect("widths nest");
        assert_eq!(
            hierarchy.write(),
            "-7;[-7, -5);[-7, -3);*\n1;[1, 3);[1, 5);*\n2;[1, 3);[1, 5);*\n3;[3, 5);[1, 5);*\n"
        );
    }

    #[test]
    fn widths_that_do_not_nest_are_refused() {
        let ages = integers([1, 2]);
        let refused = |widths: &[f64]| Hierarchy::numeric(&ages, widths, 0.0).expect_err("refused");
        assert_eq!(refused(&[5.0, 12.0]), HierarchyError::NotMultiple { width: 12.0, below: 5.0 });
        assert_eq!(refused(&[5.0, 5.0]), HierarchyError::NotMultiple { width: 5.0, below: 5.0 });
        assert_eq!(refused(&[0.0]), HierarchyError::BadWidth { width: 0.0 });
        assert_eq!(refused(&[f64::INFINITY]), HierarchyError::BadWidth { width: f64::INFINITY });
        assert_eq!(refused(&[5.0, 1e-13]), HierarchyError::BadWidth { width: 1e-13 });
        assert!(matches!(refused(&[f64::NAN]), HierarchyError::BadWidth { .. }));
    }

    #[test]
    fn widths_are_chosen_to_leave_a_few_intervals_at_the_top() {
        let chosen = |dictionary: &Dictionary| Hierarchy::choose_widths(dictionary).expect("numbers");
        assert_eq!(chosen(&integers(17..=90)), [5.0, 10.0, 20.0]);
        assert_eq!(chosen(&integers(1..=16)), [5.0, 10.0]);
        assert_eq!(chosen(&integers((13..1490).map(|n| n * 1000))), [50_000.0, 100_000.0, 500_000.0]);
        assert_eq!(chosen(&integers([7])), [0.0; 0]);
        assert_eq!(chosen(&numbers(&[0.001, 0.0011, 0.0012, 0.0019, 0.0031])), [0.0005, 0.001]);
    }

    #[test]
    fn chosen_widths_always_nest() {
        for values in [vec![0, 1], vec![0, 3, 9], vec![-40, 2, 7, 1000], (0..30).collect(), vec![i64::MIN, 0, i64::MAX]]
        {
            let column = integers(values);
            let widths = Hierarchy::choose_widths(&column).expect("numbers");
            Hierarchy::numeric(&column, &widths, 0.0).expect("chosen widths nest");
        }
    }

    #[test]
    fn numbers_beyond_exact_reach_are_refused_without_being_named() {
        let error = Hierarchy::numeric(&numbers(&[1.0, 3e30]), &[5.0], 0.0).expect_err("too large");
        assert_eq!(error, HierarchyError::TooLarge);
        assert!(!error.to_string().contains('3'));
    }
}
