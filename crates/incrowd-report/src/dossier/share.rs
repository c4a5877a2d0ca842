//! Shares that may be published, so that no small part of a public whole can be had by subtraction.
//!
//! The rows of a release are public. Anyone who knows all parts of them but one knows that one too; and when parts are
//! told in steps, the ends of the steps can still meet: if every large part is as large as its step allows, a small one
//! is as small as it can be. So the length of the step is chosen, from the public numbers alone, so that they cannot.
//!
//! Let `w` be the whole, `N` the threshold, `m` large parts and `s` small ones, and let steps begin at `N` and have `d`
//! counts each. The small parts together have between `u − m(d − 1)` and `u` rows, with `u ≡ w − mN (mod d)`. A small
//! part is given away only if all of them must be 0 (`u = 0`) or all must be `N − 1` (`u − m(d − 1) = s(N − 1)`). Both
//! are excluded when neither congruence holds modulo `d`, for any `m` from 1 to the number of parts. Test: every table,
//! by enumeration.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, de};

use super::{Coarse, LEAST_THRESHOLD};

/// A share of rows in per cent, coarse enough to hide small parts.
///
/// ```
/// use incrowd_report::dossier::Share;
/// let told = |part| Share::of(part, 30_162, 10).to_string();
/// assert_eq!([told(0), told(3), told(11_000)], ["under 1 %", "under 1 %", "about 37 %"]);
/// assert_eq!(told(30_160), "at least 99 %");
/// assert_eq!(Share::of(30, 100, 10).to_string(), "21 to 31 %");
/// assert_eq!(Share::of(3, 12, 10).to_string(), "not shown");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Share(Percent);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Percent {
    /// The part is below the threshold, which is at most so much.
    Under(u8),
    /// The part is a large one, between these.
    Between { from: u8, to: u8 },
    /// The whole is so small that every share would tell about few people.
    NotTold,
}

impl Share {
    /// The share that a part is of a public whole.
    pub fn of(part: u64, whole: u64, threshold: u64) -> Share {
        Share::parts(&[part.min(whole), whole - part.min(whole)], threshold)[0]
    }

    /// The shares of all parts of a public whole, such as the rows on each level of a hierarchy. They are rounded one
    /// by one and need not add up to 100.
    pub fn parts(counts: &[u64], threshold: u64) -> Vec<Share> {
        let threshold = threshold.max(LEAST_THRESHOLD);
        let whole = counts.iter().fold(0u64, |sum, &count| sum.saturating_add(count));
        let Some(step) = step(whole, counts.len() as u64, threshold) else {
            return vec![Share(Percent::NotTold); counts.len()];
        };
        let percent = |count: u64| 100.0 * count as f64 / whole as f64;
        let one = |&count: &u64| {
            if count < threshold {
                return Percent::Under(whole_percent(percent(threshold).ceil().max(1.0)));
            }
            let from = threshold + (count - threshold) / step * step;
            let to = from.saturating_add(step - 1).min(whole);
            Percent::Between {
                from: whole_percent(percent(from).floor().min(99.0)),
                to: whole_percent(percent(to).ceil()),
            }
        };
        counts.iter().map(|count| Share(one(count))).collect()
    }

    /// The share of the original that was suppressed, from the count as it is stated and the published rest. The
    /// original's rows are not public, so nothing here may hang on more than these two: the share adds nothing to the
    /// count.
    ///
    /// ```
    /// use incrowd_report::dossier::{Coarse, Share};
    /// let told = |withheld, published| Share::withheld(Coarse::of(withheld, 10), published).to_string();
    /// assert_eq!([told(9, 995), told(0, 995)], ["under 1 %", "under 1 %"]);
    /// assert_eq!([told(12, 30), told(700, 9_300)], ["25 to 39 %", "about 7 %"]);
    /// ```
    pub fn withheld(withheld: Coarse, published: u64) -> Share {
        let percent = |count: u64| 100.0 * count as f64 / (published.saturating_add(count)).max(1) as f64;
        let (from, to) = withheld.range();
        let end = whole_percent(percent(to).ceil().max(1.0));
        match withheld.is_small() {
            true => Share(Percent::Under(end)),
            false => {
                let from = whole_percent(percent(from).floor().min(99.0));
                Share(Percent::Between { from, to: end.max(from + 1) })
            }
        }
    }

    /// [`Share::parts`] of shares that are given as numbers between 0 and 1 of a number of rows.
    pub fn parts_of(shares: &[f64], whole: u64, threshold: u64) -> Vec<Share> {
        let counts: Vec<u64> = shares.iter().map(|share| nearest(share * whole as f64)).collect();
        Share::parts(&counts, threshold)
    }

    /// The ends of what the share may be, in per cent; nothing when it is not told.
    pub fn range(self) -> Option<(u8, u8)> {
        match self.0 {
            Percent::Under(end) => Some((0, end)),
            Percent::Between { from, to } => Some((from, to)),
            Percent::NotTold => None,
        }
    }

    /// Whether only "under …" is stated.
    pub fn is_small(self) -> bool {
        matches!(self.0, Percent::Under(_))
    }

    /// The middle of what it may be, between 0 and 1, to draw; 0 for a small part.
    pub fn middle(self) -> f64 {
        match self.0 {
            Percent::Between { from, to } => f64::from(from + to) / 200.0,
            Percent::Under(_) | Percent::NotTold => 0.0,
        }
    }
}

/// A percentage from 0 to 100 without its decimals.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // It is clamped to the range.
fn whole_percent(percent: f64) -> u8 {
    percent.clamp(0.0, 100.0) as u8
}

/// The nearest whole number.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // What is beyond the numbers is the nearest of them.
fn nearest(number: f64) -> u64 {
    number.round() as u64
}

/// How many counts a step has; nothing when no step hides what is small.
fn step(whole: u64, parts: u64, threshold: u64) -> Option<u64> {
    // With more rows than that, some part is large.
    if whole <= parts * (threshold - 1) || parts == 0 {
        return None;
    }
    let hides = |step: u64| {
        (1..parts).all(|large| {
            let (above, small) = (whole + large * (step - threshold % step), parts - large);
            above % step != 0 && (above + large) % step != small * (threshold - 1) % step
        })
    };
    // One per cent is fine enough for any reader.
    let least = threshold.max(whole.div_ceil(100));
    (least..=whole / 2)
        .take(usize::try_from(parts.saturating_mul(4)).map_or(usize::MAX, |more| more.saturating_add(64)))
        .find(|&step| hides(step))
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Percent::Under(end) => write!(f, "under {end} %"),
            Percent::Between { from, to: 100 } => write!(f, "at least {from} %"),
            Percent::Between { from, to } if to - from <= 2 => write!(f, "about {} %", (from + to) / 2),
            Percent::Between { from, to } => write!(f, "{from} to {to} %"),
            Percent::NotTold => f.write_str("not shown"),
        }
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let percent = Percent::deserialize(deserializer)?;
        let fits = match percent {
            Percent::Under(end) => (1..=100).contains(&end),
            Percent::Between { from, to } => from < to && to <= 100,
            Percent::NotTold => true,
        };
        if fits {
            Ok(Share(percent))
        } else {
            Err(de::Error::custom("a share has two ends between 0 and 100 per cent"))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    /// Every way to write `whole` as a sum of this many parts.
    fn tables(whole: u64, parts: usize) -> Vec<Vec<u64>> {
        if parts == 1 {
            return vec![vec![whole]];
        }
        let with = |first: u64| {
            let rest = tables(whole - first, parts - 1).into_iter();
            rest.map(move |rest| [vec![first], rest].concat())
        };
        (0..=whole).flat_map(with).collect()
    }

    /// The attacker knows the whole, the rule and every share that is stated, and keeps the tables that fit.
    #[test]
    fn no_small_part_is_known_from_all_shares_and_the_whole() {
        let mut told_at_all = 0;
        for (parts, most) in [(2, 90), (3, 44), (4, 24)] {
            for (whole, threshold) in (1..=most).flat_map(|whole| [(whole, 3), (whole, 4), (whole, 7)]) {
                let mut fitting: BTreeMap<String, Vec<BTreeSet<u64>>> = BTreeMap::new();
                for table in tables(whole, parts) {
                    let shares = Share::parts(&table, threshold);
                    told_at_all += usize::from(shares[0].range().is_some());
                    let key = serde_json::to_string(&shares).unwrap();
                    let sets = fitting.entry(key).or_insert_with(|| vec![BTreeSet::new(); parts]);
                    sets.iter_mut().zip(&table).for_each(|(set, &count)| set.extend([count]));
                }
                for (key, sets) in fitting {
                    for set in sets.iter().filter(|set| set.iter().any(|&count| count < threshold)) {
                        assert!(
                            parts == 1 || set.len() > 1,
                            "{whole} rows, below {threshold}: {key} gives away {set:?}"
                        );
                    }
                }
            }
        }
        assert!(told_at_all > 1000, "the law is about shares that are told, and {told_at_all} were");
    }

    proptest! {
        #[test]
        fn a_share_holds_its_part_and_is_read_back(part in 0u64..90_000, rest in 0u64..90_000, threshold in 0u64..40) {
            let share = Share::of(part, part + rest, threshold);
            if let Some((from, to)) = share.range() {
                let percent = 100.0 * part as f64 / (part + rest) as f64;
                prop_assert!(f64::from(from) <= percent && percent <= f64::from(to), "{share} of {percent}");
                prop_assert_eq!(share.is_small(), part < threshold.max(LEAST_THRESHOLD));
            }
            let text = serde_json::to_string(&share).unwrap();
            prop_assert_eq!(serde_json::from_str::<Share>(&text).unwrap(), share);
        }

        #[test]
        fn shares_of_a_large_table_are_told_to_the_per_cent(whole in 5_000u64..2_000_000, parts in 2usize..9) {
            let counts = vec![whole / parts as u64; parts];
            for share in Share::parts(&counts, 10) {
                let (from, to) = share.range().unwrap();
                prop_assert!(to - from <= 4, "{share}");
            }
        }
    }

    #[test]
    fn an_exact_share_is_not_read() {
        for text in [r#"{"between":{"from":7,"to":7}}"#, r#"{"between":{"from":7,"to":101}}"#, r#"{"under":0}"#, "0.07"]
        {
            assert!(serde_json::from_str::<Share>(text).is_err(), "{text}");
        }
    }
}
