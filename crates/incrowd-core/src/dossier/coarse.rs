//! Numbers that may be published: counts in steps, and measures of three decimals.
//!
//! Both are made from the exact number once and then no longer know it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::thousands;

/// Counts below this are small whatever the caller says: 1 and 2 tell about a person and about their neighbour.
pub const LEAST_THRESHOLD: u64 = 3;

const FEWER_THAN: &str = "fewer than ";

/// A count that cannot be exact: "fewer than N", or the ends of a step.
///
/// A count of zero is "fewer than N" too: were it told, "fewer than N" would mean somebody. Steps have two digits of
/// the count at most and are never shorter than the threshold, except for the first, which begins at it.
///
/// ```
/// use incrowd_core::dossier::Coarse;
/// let told = [0, 9, 10, 47, 30_162].map(|count| Coarse::of(count, 10).to_string());
/// assert_eq!(told, ["fewer than 10", "fewer than 10", "10 to 19", "40 to 49", "30,000 to 30,999"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coarse(Step);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    FewerThan(u64),
    Between { from: u64, to: u64 },
}

impl Coarse {
    /// What may be told of a count when counts below the threshold are small.
    pub fn of(count: u64, threshold: u64) -> Self {
        let threshold = threshold.max(LEAST_THRESHOLD);
        if count < threshold {
            return Coarse(Step::FewerThan(threshold));
        }
        let mut step = 10u64.pow(count.ilog10().saturating_sub(1));
        while step < threshold {
            step = step.saturating_mul(10);
        }
        let from = count / step * step;
        Coarse(Step::Between { from: from.max(threshold), to: from.saturating_add(step - 1) })
    }

    /// The ends of what the count may be, both included.
    pub fn range(self) -> (u64, u64) {
        match self.0 {
            Step::FewerThan(threshold) => (0, threshold - 1),
            Step::Between { from, to } => (from, to),
        }
    }

    /// Whether only "fewer than N" is told.
    pub fn is_small(self) -> bool {
        matches!(self.0, Step::FewerThan(_))
    }
}

impl fmt::Display for Coarse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Step::FewerThan(threshold) => write!(f, "{FEWER_THAN}{}", thousands(threshold)),
            Step::Between { from, to } => write!(f, "{} to {}", thousands(from), thousands(to)),
        }
    }
}

/// The form in JSON: a text, or both ends.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Ends(Ends),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ends {
    from: u64,
    to: u64,
}

impl Serialize for Coarse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = match self.0 {
            Step::FewerThan(threshold) => Written::Text(format!("{FEWER_THAN}{threshold}")),
            Step::Between { from, to } => Written::Ends(Ends { from, to }),
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Coarse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // What is read is held to the same rule, so that an exact count cannot come in by a file.
        let step = match Written::deserialize(deserializer)? {
            Written::Text(text) => {
                let threshold = text.strip_prefix(FEWER_THAN).and_then(|digits| digits.parse().ok());
                threshold.filter(|&threshold| threshold >= LEAST_THRESHOLD).map(Step::FewerThan)
            }
            Written::Ends(Ends { from, to }) => {
                Some(Step::Between { from, to }).filter(|_| LEAST_THRESHOLD <= from && from < to)
            }
        };
        step.map(Coarse).ok_or_else(|| de::Error::custom("a count is “fewer than N” or a step from … to …"))
    }
}

/// A measure of three decimals (three digits when it is 1,000 or more): a loss, a distance, an error.
///
/// A mean over rows with all its digits gives back the sum, and with it a count.
///
/// ```
/// use incrowd_core::dossier::Rounded;
/// let told = [0.0004, 0.047_83, 1.649_9, 20.0, 123_456.0].map(|value| Rounded::of(value).to_string());
/// assert_eq!(told, ["0", "0.048", "1.65", "20", "123000"]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Rounded(f64);

impl Rounded {
    /// Rounds a measure. What is no number becomes 0.
    pub fn of(value: f64) -> Self {
        if !value.is_finite() {
            return Rounded(0.0);
        }
        let digits = if value.abs() < 1000.0 { 3 } else { 2 - value.abs().log10().floor() as i32 };
        let scale = 10f64.powi(digits.abs());
        let rounded = if digits < 0 { (value / scale).round() * scale } else { (value * scale).round() / scale };
        // Not −0.
        Rounded(rounded + 0.0)
    }

    /// The rounded number.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Serialize for Rounded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Rounded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Rounded::of)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_count_is_in_its_step_and_every_step_hides_it(count in 0u64..3_000_000, threshold in 0u64..60) {
            let told = Coarse::of(count, threshold);
            let (from, to) = told.range();
            prop_assert!(from <= count && count <= to);
            prop_assert!(to > from, "{told}");
            // Whatever is in the step is told alike: the step is all there is to learn.
            prop_assert_eq!(Coarse::of(from, threshold), told);
            prop_assert_eq!(Coarse::of(to, threshold), told);
            prop_assert_eq!(told.is_small(), count < threshold.max(LEAST_THRESHOLD));
        }

        #[test]
        fn a_coarse_count_is_read_back_as_it_was_written(count: u64, threshold in 0u64..1_000) {
            let told = Coarse::of(count, threshold);
            let text = serde_json::to_string(&told).unwrap();
            prop_assert_eq!(serde_json::from_str::<Coarse>(&text).unwrap(), told);
        }
    }

    #[test]
    fn an_exact_count_is_not_read() {
        for text in
            [r#"{"from":7,"to":7}"#, r#"{"from":0,"to":4}"#, "7", r#""7""#, r#""fewer than 1""#, r#"{"from":7}"#]
        {
            assert!(serde_json::from_str::<Coarse>(text).is_err(), "{text}");
        }
        assert_eq!(serde_json::to_string(&Coarse::of(2, 5)).unwrap(), r#""fewer than 5""#);
    }
}
