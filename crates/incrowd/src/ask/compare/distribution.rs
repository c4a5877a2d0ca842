//! The values of a column before and after, in a few bars, for a picture.

use incrowd_core::{Dictionary, Kind};
use serde::Serialize;

/// The most bars of a picture.
pub const MOST_BARS: usize = 24;

/// The values of a column, before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distribution {
    /// The column.
    pub column: String,
    /// Whether bars stand in the order of the values; otherwise the most frequent come first and the last may stand for
    /// all others.
    pub ordered: bool,
    /// Whether the last bar is all other values together.
    pub others: bool,
    /// The bars.
    pub bars: Vec<DistributionBar>,
}

/// The rows of one value or of several, before and after, as shares.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DistributionBar {
    /// The values, for readers who may see them.
    pub label: Option<String>,
    /// Share of the rows of the original.
    pub before: f64,
    /// Share of the rows of the release.
    pub after: f64,
}

impl Distribution {
    /// The distribution of a column of these values, with the rows of each before and after. Labels are values: they are
    /// given only to readers who may see the table.
    pub fn new(
        column: &str,
        dictionary: &Dictionary,
        before: &[f64],
        after: &[f64],
        with_labels: bool,
    ) -> Distribution {
        let ordered = dictionary.kind() != Kind::Text;
        let mut codes: Vec<usize> = (0..before.len()).collect();
        let others = !ordered && codes.len() > MOST_BARS;
        if !ordered {
            codes.sort_by(|&a, &b| before[b].total_cmp(&before[a]));
        }
        let groups: Vec<Vec<usize>> = match (ordered, codes.len() > MOST_BARS) {
            (_, false) => codes.into_iter().map(|code| vec![code]).collect(),
            (true, true) => {
                let share = codes.len().div_ceil(MOST_BARS);
                codes.chunks(share).map(<[usize]>::to_vec).collect()
            }
            (false, true) => {
                let rest = codes.split_off(MOST_BARS - 1);
                codes.into_iter().map(|code| vec![code]).chain([rest]).collect()
            }
        };
        let sum = |rows: &[f64]| rows.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let (all_before, all_after) = (sum(before), sum(after));
        let bar = |codes: Vec<usize>| DistributionBar {
            label: with_labels.then(|| label(dictionary, &codes, ordered)),
            before: codes.iter().map(|&code| before[code]).sum::<f64>() / all_before,
            after: codes.iter().map(|&code| after.get(code).copied().unwrap_or(0.0)).sum::<f64>() / all_after,
        };
        Distribution { column: column.into(), ordered, others, bars: groups.into_iter().map(bar).collect() }
    }
}

fn label(dictionary: &Dictionary, codes: &[usize], ordered: bool) -> String {
    let text =
        |code: usize| u32::try_from(code).map_or_else(|_| String::new(), |code| dictionary.label(code).into_owned());
    match codes {
        [] => String::new(),
        [one] => text(*one),
        [first, .., last] if ordered => format!("{} – {}", text(*first), text(*last)),
        others => format!("{} other values", others.len()),
    }
}

#[cfg(test)]
mod tests {
    use incrowd_core::Values;

    use super::*;

    #[test]
    fn many_numbers_share_bars_in_order_and_rare_texts_share_the_last_one() {
        let numbers = Dictionary::new(Values::Integers((0..100).collect()), false);
        let rows = vec![1.0; 100];
        let found = Distribution::new("age", &numbers, &rows, &rows, true);
        assert!(found.ordered && found.bars.len() <= MOST_BARS);
        assert_eq!(found.bars[0].label.as_deref(), Some("0 – 4"));
        assert!((found.bars.iter().map(|bar| bar.before).sum::<f64>() - 1.0).abs() < 1e-9);
        let names: Vec<String> = (0..30).map(|at| format!("t{at:02}")).collect();
        let texts = Dictionary::of_texts(names.iter().map(String::as_str));
        let counts: Vec<f64> = (0..30).map(f64::from).collect();
        let found = Distribution::new("town", &texts, &counts, &counts, true);
        assert_eq!(found.bars[0].label.as_deref(), Some("t29"));
        assert_eq!(found.bars[MOST_BARS - 1].label.as_deref(), Some("7 other values"));
        assert!(found.others);
    }

    #[test]
    fn readers_who_may_not_see_values_get_no_labels() {
        let texts = Dictionary::of_texts(["canary"]);
        let found = Distribution::new("town", &texts, &[2.0], &[1.0], false);
        assert!(found.bars.iter().all(|bar| bar.label.is_none()));
    }
}
