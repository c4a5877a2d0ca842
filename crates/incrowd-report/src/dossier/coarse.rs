//! Numbers that may be published: counts in steps, and measures of three decimals.
//!
//! Both are made from the exact number once and then no longer know it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use incrowd_core::thousands;

/// Counts below this are small whatever the caller says: 1 and 2 tell about a person and about their neighbour.
pub const LEAST_THRESHOLD: u64 = 3;

const FEWER_THAN: &str = "fewer than ";

/// A count that cannot be exact: "fewer than N", or the ends of a step.
///
/// A count of zero is "fewer than N" too: if it were shown, "fewer than N" would mean at least one person. Steps have at
/// most two digits of the count and are never shorter than the threshold; the first begins at it.
///
/// ```
/// use incrowd_report::dossier::Coarse;
/// let told = [0, 9, 10, 47, 30_162].map(|count| Coarse::of(count, 10).to_string());
/// assert_eq!(told, ["fewer than 10", "fewer than 10", "10 to 19", "40 to 49", "30,000 to 30,999"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coarse(CoarseStep);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CoarseStep {
    FewerThan(u64),
    Between { from: u64, to: u64 },
}

impl Coarse {
    /// What may be told of a count when counts below the threshold are small.
    pub fn of(count: u64, threshold: u64) -> Self {
        let threshold = threshold.max(LEAST_THRESHOLD);
        if count < threshold {
            return Coarse(CoarseStep::FewerThan(threshold));
        }
        let mut step = 10u64.pow(count.ilog10().saturating_sub(1));
        while step < threshold {
            step = step.saturating_mul(10);
        }
        // What is left of the first step beyond the threshold may be short, and is then told with the next one.
        if threshold < step && step - threshold < threshold && count < step.saturating_mul(2) {
            return Coarse(CoarseStep::Between { from: threshold, to: step.saturating_mul(2) - 1 });
        }
        let from = count / step * step;
        Coarse(CoarseStep::Between { from: from.max(threshold), to: from.saturating_add(step - 1) })
    }

    /// What may be told of suppressed rows when a public policy lets `most` be suppressed at most.
    ///
    /// The policy cuts off the last step. What is left of it must not be shorter than any other step: it is told
    /// together with the step before it, so that the policy does not say which count it was.
    ///
    /// ```
    /// use incrowd_report::dossier::Coarse;
    /// let told = |count, most| Coarse::withheld(count, 10, most).to_string();
    /// assert_eq!([told(3, 7), told(3, 100), told(12, 100)], ["fewer than 10", "fewer than 10", "10 to 19"]);
    /// assert_eq!([told(3, 12), told(12, 12)], ["fewer than 13", "fewer than 13"]);
    /// assert_eq!([told(25, 33), told(33, 33), told(12, 33)], ["20 to 33", "20 to 33", "10 to 19"]);
    /// ```
    pub fn withheld(count: u64, threshold: u64, most: u64) -> Self {
        let threshold = threshold.max(LEAST_THRESHOLD);
        let (told, (last, end)) = (Coarse::of(count, threshold), Coarse::of(most, threshold).range());
        if count > most || end == most || most < threshold {
            return told;
        }
        let first = if most - last + 1 < threshold { Coarse::of(last - 1, threshold).range().0 } else { last };
        match first {
            _ if count < first => told,
            0 => Coarse(CoarseStep::FewerThan(most + 1)),
            from => Coarse(CoarseStep::Between { from, to: most }),
        }
    }

    /// A count between two ends that were told before; an exact one is made coarse.
    pub fn between(from: u64, to: u64, threshold: u64) -> Self {
        let threshold = threshold.max(LEAST_THRESHOLD);
        match from {
            _ if from >= to => Coarse::of(from, threshold),
            ..LEAST_THRESHOLD => Coarse(CoarseStep::FewerThan(to.saturating_add(1).max(threshold))),
            _ => Coarse(CoarseStep::Between { from, to }),
        }
    }

    /// The ends of what the count may be, both included.
    pub fn range(self) -> (u64, u64) {
        match self.0 {
            CoarseStep::FewerThan(threshold) => (0, threshold - 1),
            CoarseStep::Between { from, to } => (from, to),
        }
    }

    /// Whether only "fewer than N" is stated.
    pub fn is_small(self) -> bool {
        matches!(self.0, CoarseStep::FewerThan(_))
    }
}

impl fmt::Display for Coarse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            CoarseStep::FewerThan(threshold) => write!(f, "{FEWER_THAN}{}", thousands(threshold)),
            CoarseStep::Between { from, to } => write!(f, "{} to {}", thousands(from), thousands(to)),
        }
    }
}

/// The form in JSON: a text, or both ends.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenCoarse {
    Text(String),
    Ends(CoarseEnds),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CoarseEnds {
    from: u64,
    to: u64,
}

impl Serialize for Coarse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = match self.0 {
            CoarseStep::FewerThan(threshold) => WrittenCoarse::Text(format!("{FEWER_THAN}{threshold}")),
            CoarseStep::Between { from, to } => WrittenCoarse::Ends(CoarseEnds { from, to }),
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Coarse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // What is read is held to the same rule, so that an exact count cannot come in by a file.
        let step = match WrittenCoarse::deserialize(deserializer)? {
            WrittenCoarse::Text(text) => {
                let threshold = text.strip_prefix(FEWER_THAN).and_then(|digits| digits.parse().ok());
                threshold.filter(|&threshold| threshold >= LEAST_THRESHOLD).map(CoarseStep::FewerThan)
            }
            WrittenCoarse::Ends(CoarseEnds { from, to }) => {
                Some(CoarseStep::Between { from, to }).filter(|_| LEAST_THRESHOLD <= from && from < to)
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
/// use incrowd_report::dossier::Rounded;
/// let told = [0.0004, 0.047_83, 1.649_9, 20.0, 123_456.0].map(|value| Rounded::of(value).to_string());
/// assert_eq!(told, ["0", "0.048", "1.65", "20", "123000"]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Rounded(f64);

impl Rounded {
    /// Rounds a measure. What is no number becomes 0.
    #[allow(clippy::cast_possible_truncation)] // The logarithm of a number is below 400.
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
        fn a_count_is_in_its_step_and_every_step_hides_it(
            count in prop_oneof![0u64..250, 0u64..3_000_000],
            threshold in 0u64..120,
        ) {
            let told = Coarse::of(count, threshold);
            let (from, to) = told.range();
            prop_assert!(from <= count && count <= to);
            prop_assert!(to > from, "{told}");
            prop_assert!(to - from + 1 >= threshold.max(LEAST_THRESHOLD), "{told}");
            // Every count of the step is stated alike: the step is all there is to learn.
            prop_assert_eq!(Coarse::of(from, threshold), told);
            prop_assert_eq!(Coarse::of(to, threshold), told);
            prop_assert_eq!(told.is_small(), count < threshold.max(LEAST_THRESHOLD));
        }

        /// The reader knows the step, the rule, and what the policy lets be suppressed at most.
        #[test]
        fn a_public_limit_leaves_as_many_counts_as_a_step_has(count in 0u64..4_000, more in 0u64..300, least in 3u64..30) {
            let most = count + more;
            let told = Coarse::withheld(count, least, most);
            let (from, to) = told.range();
            prop_assert!(from <= count && count <= to, "{told}");
            let possible = to.min(most) - from + 1;
            prop_assert!(possible >= least.min(most + 1), "{told} of at most {most}");
            for other in [from, to.min(most)] {
                prop_assert_eq!(Coarse::withheld(other, least, most), told);
            }
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
