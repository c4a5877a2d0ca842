//! Means of groups of near numbers, from the numbers of the original.

use super::numbers::{self, DecimalNumber};

/// The mean of each group, and the largest number of the group, in ascending order.
#[derive(Clone, Debug)]
pub(crate) struct GroupMeans {
    bounds: Vec<DecimalNumber>,
    means: Vec<Option<DecimalNumber>>,
}

impl GroupMeans {
    /// The means of the numbers of a column, given as texts with their rows, when groups end at these largest numbers. A group
    /// takes the numbers that are above the group before it. Nothing when a bound is no number or they are not ascending.
    pub(crate) fn new<'t>(
        bounds: &[String],
        base: DecimalNumber,
        column: impl Iterator<Item = (&'t str, u64)>,
    ) -> Option<GroupMeans> {
        let bounds: Vec<DecimalNumber> = bounds.iter().map(|text| DecimalNumber::read(text)).collect::<Option<_>>()?;
        let ascends = |pair: &[DecimalNumber]| pair[1].exceeds(pair[0]) == Some(true);
        if !bounds.windows(2).all(ascends) {
            return None;
        }
        let mut sums = vec![(Some(DecimalNumber::ZERO), 0u64); bounds.len()];
        for (text, rows) in column {
            let number = DecimalNumber::read(text);
            // A text that is no number is in no group, and is found when its cell is compared.
            let Some((at, number)) = number.and_then(|number| Some((place(&bounds, number)?, number))) else {
                continue;
            };
            sums[at] = (sums[at].0.and_then(|sum| sum.plus_times(number, rows)), sums[at].1 + rows);
        }
        let mean = |(sum, rows): (Option<DecimalNumber>, u64)| numbers::mean(sum?, rows, base);
        Some(GroupMeans { bounds, means: sums.into_iter().map(mean).collect() })
    }

    /// The text of the mean of the group that a number is in.
    pub(crate) fn of(&self, text: &str) -> Option<String> {
        let at = place(&self.bounds, DecimalNumber::read(text)?)?;
        self.means[at].map(|mean| mean.to_string())
    }
}

/// The group of a number.
fn place(bounds: &[DecimalNumber], number: DecimalNumber) -> Option<usize> {
    let at = bounds.partition_point(|bound| number.exceeds(*bound) == Some(true));
    (at < bounds.len()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stands_for_the_mean_of_its_group() {
        let base = DecimalNumber::read("0.5").expect("a number");
        let column = [("1", 2), ("2.00", 2), ("5", 2), ("6.5", 2), ("many", 9)];
        let bounds = ["2", "6.5"].map(String::from);
        let means = GroupMeans::new(&bounds, base, column.into_iter()).expect("ascending bounds");
        for (text, mean) in [("1", Some("1.5")), ("2", Some("1.5")), ("5.0", Some("6")), ("7", None), ("many", None)] {
            assert_eq!(means.of(text).as_deref(), mean, "{text}");
        }
        let falling = ["6.5", "2"].map(String::from);
        assert!(GroupMeans::new(&falling, base, column.into_iter()).is_none());
    }

    #[test]
    fn groups_end_at_ascending_numbers_that_belong_to_them() {
        let base = DecimalNumber::read("1").expect("a number");
        let new = |bounds: &[&str], column: &[(&'static str, u64)]| {
            let bounds: Vec<String> = bounds.iter().map(ToString::to_string).collect();
            GroupMeans::new(&bounds, base, column.iter().copied())
        };
        for bounds in [
            &["2", "2"][..],
            &["2", "2.0", "3"],
            &["2", "6.5", "3"],
            &["6.5", "2", "7"],
            &["2", "many"],
            &["1e29", "1e-30"],
        ] {
            assert!(new(bounds, &[]).is_none(), "{bounds:?}");
        }
        let column = [("0", 1), ("2", 3), ("2.1", 1), ("5", 2), ("6", 1), ("9", 7)];
        let means = new(&["2", "5", "6"], &column).expect("ascending bounds");
        for (text, mean) in [
            ("-7", Some("2")),
            ("2", Some("2")),
            ("2.0001", Some("4")),
            ("5", Some("4")),
            ("5.5", Some("6")),
            ("6", Some("6")),
            ("6.1", None),
            ("", None),
        ] {
            assert_eq!(means.of(text).as_deref(), mean, "{text}");
        }
        let unmet = new(&["2", "5"], &[("1", 1)]).expect("ascending bounds");
        assert_eq!((unmet.of("1").as_deref(), unmet.of("4")), (Some("1"), None), "a group of no rows has no mean");
        let none = new(&[], &[("1", 1)]).expect("no bounds");
        assert_eq!(none.of("1"), None);
        let large = new(&["2e29"], &[("1e29", 5), ("2e29", 5)]).expect("a bound");
        assert_eq!(large.of("1e29"), None, "a sum of 31 digits");
    }
}
