//! Groups of near numbers, each published as the mean of its rows.

use super::decimal::Decimal;
use crate::table::FrequencyTable;

/// Groups of the numbers of a column. A group has all rows of the table with a number in an interval, and is published as their
/// mean, rounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeanGroups {
    /// In ascending order, with different means.
    groups: Vec<MeanGroup>,
    base: Decimal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MeanGroup {
    /// Its largest number.
    largest: Decimal,
    sum: Decimal,
    rows: u64,
    mean: Decimal,
}

impl MeanGroups {
    /// Groups of distinct numbers in ascending order, each with its rows, where `starts` says with which number each group
    /// begins. Means are rounded to multiples of `base`; neighbours with the same mean are one group. Nothing when the
    /// digits of a sum do not suffice.
    pub fn new(numbers: &[(Decimal, u64)], starts: &[usize], base: Decimal) -> Option<MeanGroups> {
        let mut groups = MeanGroups { groups: Vec::new(), base };
        for (at, &start) in starts.iter().enumerate() {
            let run = &numbers[start..starts.get(at + 1).copied().unwrap_or(numbers.len())];
            let mut sum = Decimal::default();
            for (number, rows) in run {
                sum = sum.plus(number.times(*rows)?)?;
            }
            let rows = run.iter().map(|(_, rows)| rows).sum();
            let (largest, mean) = (run.last()?.0, sum.quotient(rows, base)?);
            groups.groups.push(MeanGroup { largest, sum, rows, mean });
        }
        groups.with_different_means()
    }

    /// The groups whose largest numbers are these, in ascending order, as [`MeanGroups::bounds`] wrote them. Nothing when
    /// they are no bounds of these numbers.
    pub fn of_bounds(numbers: &[(Decimal, u64)], bounds: &[String], base: Decimal) -> Option<MeanGroups> {
        let mut starts = Vec::with_capacity(bounds.len());
        let mut start = 0;
        for bound in bounds {
            let bound = Decimal::parse(bound)?;
            let end = numbers.partition_point(|(number, _)| !bound.is_below(*number));
            if end <= start {
                return None;
            }
            starts.push(start);
            start = end;
        }
        if start == numbers.len() { MeanGroups::new(numbers, &starts, base) } else { None }
    }

    /// The mean of the group that a number is in; nothing for a number above all groups.
    pub fn mean_of(&self, number: Decimal) -> Option<Decimal> {
        let at = self.groups.partition_point(|group| group.largest.is_below(number));
        self.groups.get(at).map(|group| group.mean)
    }

    /// The largest number of each group, in ascending order. With the table, they say which numbers form a group.
    pub fn bounds(&self) -> Vec<String> {
        self.groups.iter().map(|group| group.largest.to_string()).collect()
    }

    /// The groups after those with some and fewer than k published rows were merged with the neighbour of the nearer mean.
    /// `published` says how many rows were published with a mean. Nothing when all of them together have fewer than k, or
    /// when the digits do not suffice.
    pub fn merged(&self, k: u64, published: impl Fn(Decimal) -> u64) -> Option<MeanGroups> {
        let mut groups: Vec<(MeanGroup, u64)> =
            self.groups.iter().map(|group| (*group, published(group.mean))).collect();
        while let Some(at) = groups.iter().position(|(_, rows)| (1..k).contains(rows)) {
            let distance = |other: usize| {
                let [one, other] = [at, other].map(|at| groups[at].0.mean.approximate());
                (one - other).abs()
            };
            let below = at.checked_sub(1);
            let above = Some(at + 1).filter(|&above| above < groups.len());
            let first = match (below, above) {
                (Some(below), Some(above)) if distance(above) < distance(below) => at,
                (Some(below), _) => below,
                (None, Some(_)) => at,
                (None, None) => return None,
            };
            let (other, rows) = groups.remove(first + 1);
            groups[first].0 = groups[first].0.joined(other, self.base)?;
            groups[first].1 += rows;
        }
        MeanGroups { groups: groups.into_iter().map(|(group, _)| group).collect(), base: self.base }
            .with_different_means()
    }

    fn with_different_means(mut self) -> Option<MeanGroups> {
        let mut kept: Vec<MeanGroup> = Vec::with_capacity(self.groups.len());
        for group in self.groups {
            match kept.last_mut().filter(|last| last.mean == group.mean) {
                Some(last) => *last = last.joined(group, self.base)?,
                None => kept.push(group),
            }
        }
        self.groups = kept;
        Some(self)
    }
}

impl MeanGroup {
    /// This group and the one above it.
    fn joined(self, above: MeanGroup, base: Decimal) -> Option<MeanGroup> {
        let (sum, rows) = (self.sum.plus(above.sum)?, self.rows + above.rows);
        Some(MeanGroup { largest: above.largest, sum, rows, mean: sum.quotient(rows, base)? })
    }
}

/// The distinct numbers of a table of one column with their rows, in ascending order; nothing when a value is no number.
pub fn distinct_numbers(table: &FrequencyTable) -> Option<Vec<(Decimal, u64)>> {
    let dictionary = &table.attributes().first()?.dictionary;
    let missing = dictionary.missing();
    let mut numbers = Vec::with_capacity(table.tuples());
    for tuple in 0..table.tuples() {
        let code = table.code(tuple, 0);
        if Some(code) != missing {
            numbers.push((Decimal::parse(&dictionary.label(code))?, table.count(tuple)));
        }
    }
    numbers.sort_by(|(one, _), (other, _)| other.is_below(*one).cmp(&one.is_below(*other)));
    // Two texts may be one number.
    numbers.dedup_by(|(next, rows), (kept, sum)| {
        let same = next == kept;
        *sum += if same { *rows } else { 0 };
        same
    });
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Attribute, Dictionary, Role};

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).expect(text)
    }

    fn groups() -> MeanGroups {
        let numbers = ["1", "2", "5", "6.5", "20", "21"].map(|text| (decimal(text), 2));
        MeanGroups::new(&numbers, &[0, 2, 4], decimal("0.5")).expect("few digits")
    }

    fn mean(groups: &MeanGroups, text: &str) -> Option<String> {
        groups.mean_of(decimal(text)).map(|mean| mean.to_string())
    }

    #[test]
    fn a_number_is_published_as_the_rounded_mean_of_its_group() {
        let groups = groups();
        for (number, published) in
            [("1", "1.5"), ("2", "1.5"), ("5", "6"), ("6.5", "6"), ("20", "20.5"), ("21", "20.5")]
        {
            assert_eq!(mean(&groups, number).as_deref(), Some(published));
        }
        assert_eq!(mean(&groups, "21.1"), None);
        assert_eq!(groups.bounds(), ["2", "6.5", "21"]);
    }

    #[test]
    fn groups_are_found_again_by_their_bounds() {
        let numbers = ["1", "2", "5", "6.5", "20", "21"].map(|text| (decimal(text), 2));
        let again = |bounds: &[&str]| {
            let bounds: Vec<String> = bounds.iter().map(|&bound| bound.into()).collect();
            MeanGroups::of_bounds(&numbers, &bounds, decimal("0.5"))
        };
        assert_eq!(again(&["2", "6.5", "21"]), Some(groups()));
        assert_eq!(again(&["2", "6.5"]), None, "21 is in no group");
        assert_eq!(again(&["2", "2", "21"]), None, "a group has a number");
    }

    #[test]
    fn numbers_are_sorted_as_numbers_and_texts_of_one_number_are_joined() {
        let pay = Attribute::new("pay", Role::Sensitive, Dictionary::of_texts(["-3", "0.5", "0.50", "10", "9"]));
        let table = FrequencyTable::from_tuples(vec![pay], (0..5).map(|code| ([code], 2)));
        let numbers = distinct_numbers(&table).expect("numbers");
        let shown: Vec<(String, u64)> = numbers.iter().map(|(number, rows)| (number.to_string(), *rows)).collect();
        let expected = [("-3", 2), ("0.5", 4), ("9", 2), ("10", 2)].map(|(text, rows)| (text.to_string(), rows));
        assert_eq!(shown, expected);
    }

    #[test]
    fn neighbours_with_the_same_mean_are_one_group() {
        let numbers = ["1", "2", "3", "4"].map(|text| (decimal(text), 1));
        let groups = MeanGroups::new(&numbers, &[0, 2], decimal("100")).expect("few digits");
        assert_eq!(groups.bounds(), ["4"]);
        assert_eq!(mean(&groups, "1").as_deref(), Some("0"));
    }

    #[test]
    fn a_group_with_too_few_published_rows_joins_its_nearer_neighbour() {
        let of = |counts: [u64; 3]| {
            groups().merged(3, |mean| {
                let at = ["1.5", "6", "20.5"].iter().position(|text| decimal(text) == mean);
                counts[at.expect("a mean")]
            })
        };
        assert_eq!(of([4, 4, 4]).expect("enough").bounds(), ["2", "6.5", "21"]);
        assert_eq!(of([4, 2, 4]).expect("enough").bounds(), ["6.5", "21"]);
        assert_eq!(of([4, 4, 1]).expect("enough").bounds(), ["2", "21"]);
        assert_eq!(of([4, 4, 0]).expect("enough").bounds(), ["2", "6.5", "21"], "nothing of it was published");
        assert_eq!(of([1, 1, 1]).expect("enough").bounds(), ["21"]);
        assert_eq!(of([1, 1, 0]), None);
        assert_eq!(mean(&of([4, 2, 4]).expect("enough"), "1").as_deref(), Some("3.5"), "(1 + 2 + 5 + 6.5) / 4 = 3.625");
    }
}
