//! Which published labels contain a value of the original.

use std::collections::HashMap;

use ahash::RandomState;
use chrono::{Datelike, NaiveDate};

use super::hierarchy::Hierarchy;
use super::interval::{Interval, Point, decimal};
use super::sets::PublishedSets;
use crate::read::ColumnTexts;

/// Any value.
const ANY: &str = "*";

/// For each value of one column, the published labels that contain it.
pub(crate) struct Containment {
    /// By the code of the value, sorted codes of labels.
    labels: Vec<Vec<u32>>,
}

impl Containment {
    /// Finds the labels of each value. `values` and `labels` are the codes that occur in the original and in the
    /// release.
    pub(crate) fn new(
        texts: &ColumnTexts,
        values: &[u32],
        labels: &[u32],
        hierarchy: Option<&Hierarchy>,
    ) -> Containment {
        let label_text = |label: &u32| Some((*label, texts.text(*label)?));
        let intervals: Vec<(u32, Interval)> = match hierarchy {
            Some(_) => Vec::new(),
            None => labels
                .iter()
                .filter_map(label_text)
                .filter_map(|(code, text)| Some((code, Interval::read(text)?)))
                .collect(),
        };
        let sets = match hierarchy {
            Some(_) => PublishedSets::default(),
            // A value that is written like a set is itself.
            None => PublishedSets::new(
                labels
                    .iter()
                    .filter(|label| values.binary_search(label).is_err())
                    .filter_map(label_text)
                    .map(|(code, text)| (code, &**text)),
            ),
        };
        // The value `0.50` is published as `0.5` when its hierarchy says so.
        let numbers: HashMap<String, u32, RandomState> = match hierarchy {
            Some(_) => HashMap::default(),
            None => {
                labels.iter().filter_map(label_text).filter_map(|(code, text)| Some((decimal(text)?, code))).collect()
            }
        };
        let known = |text: &str| texts.code(text).filter(|code| labels.binary_search(code).is_ok());
        let any = known(ANY);
        let mut containing = vec![Vec::new(); texts.codes()];
        for &value in values {
            let text = texts.text(value).map(|text| &**text);
            let mut found: Vec<u32> = any.into_iter().collect();
            // The value itself, missing or not.
            found.extend(labels.binary_search(&value).ok().map(|_| value));
            match hierarchy {
                Some(hierarchy) => found.extend(hierarchy.labels(text).filter_map(known)),
                None => {
                    let point = text.and_then(Point::read);
                    let holds = |interval: &Interval| point.as_ref().is_some_and(|point| interval.contains(point));
                    found.extend(intervals.iter().filter(|(_, interval)| holds(interval)).map(|(code, _)| *code));
                    found.extend(sets.labels(text));
                    let other = text.filter(|_| labels.binary_search(&value).is_err()).and_then(decimal);
                    found.extend(other.and_then(|number| numbers.get(&number)));
                    found.extend(text.into_iter().flat_map(prefixes).filter_map(|prefix| known(&prefix)));
                    found.extend(text.into_iter().flat_map(stretches).filter_map(|stretch| known(&stretch)));
                }
            }
            found.sort_unstable();
            found.dedup();
            containing[value as usize] = found;
        }
        Containment { labels: containing }
    }

    /// Only what both say.
    pub(super) fn and(mut self, other: &Containment) -> Containment {
        for (value, labels) in self.labels.iter_mut().enumerate() {
            labels.retain(|label| other.labels[value].binary_search(label).is_ok());
        }
        self
    }

    /// The labels that contain a value, sorted.
    pub(crate) fn labels(&self, value: u32) -> &[u32] {
        &self.labels[value as usize]
    }

    pub(super) fn contains(&self, label: u32, value: u32) -> bool {
        self.labels(value).binary_search(&label).is_ok()
    }
}

/// The month, quarter, year and decade of a day; nothing of what is no day.
fn stretches(text: &str) -> Vec<String> {
    let Some(day) = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().filter(|_| text.len() == 10) else {
        return Vec::new();
    };
    let (year, month) = (&text[..4], &text[..7]);
    vec![month.into(), format!("{year}-Q{}", day.quarter()), year.into(), format!("{}0s", &year[..3])]
}

/// Every prefix form that contains a text: one `*` for any rest, more for as many characters.
fn prefixes(text: &str) -> impl Iterator<Item = String> {
    let length = text.chars().count();
    let cuts = text.char_indices().map(|(at, _)| at).chain([text.len()]).enumerate();
    cuts.flat_map(move |(kept, at)| {
        let stars = length - kept;
        let prefix = &text[..at];
        let same_length = (stars > 1).then(|| format!("{prefix}{}", ANY.repeat(stars)));
        std::iter::once(format!("{prefix}{ANY}")).chain(same_length)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_contains_itself_intervals_prefixes_and_everything() {
        let mut texts = ColumnTexts::default();
        let value = texts.intern("43527");
        let yes = ["43527", "435*", "435**", "*****", "*", "[40000, 50000)", "[43527, 43527]"];
        let no = ["435***", "436*", "4*****", "[0, 43527)", "43528", "(40000, 50000)"];
        let labels: Vec<u32> = yes.iter().chain(&no).map(|label| texts.intern(label)).collect();
        let mut sorted = labels.clone();
        sorted.sort_unstable();
        let containment = Containment::new(&texts, &[value], &sorted, None);
        for (label, text) in labels.iter().zip(yes.iter().chain(&no)) {
            assert_eq!(containment.contains(*label, value), yes.contains(text), "{text}");
        }
    }

    #[test]
    fn a_day_is_in_its_month_quarter_year_and_decade() {
        let mut texts = ColumnTexts::default();
        let day = texts.intern("1984-05-31");
        let yes = ["1984-05", "1984-Q2", "1984", "1980s", "1984-05-31"];
        let no = ["1984-06", "1984-Q1", "1985", "1990s"];
        let labels: Vec<u32> = yes.iter().chain(&no).map(|label| texts.intern(label)).collect();
        let mut sorted = labels.clone();
        sorted.sort_unstable();
        let containment = Containment::new(&texts, &[day], &sorted, None);
        for (label, text) in labels.iter().zip(yes.iter().chain(&no)) {
            assert_eq!(containment.contains(*label, day), yes.contains(text), "{text}");
        }
    }

    #[test]
    fn a_set_contains_its_values_and_the_missing_one_if_it_says_so() {
        let mut texts = ColumnTexts::default();
        let [ulm, bonn, odd] = ["Ulm", "Bonn", "{Ulm, Graz}"].map(|text| texts.intern(text));
        let [with, without, any] = ["{Ulm, (missing)}", "{Bonn, Wien}", "*"].map(|label| texts.intern(label));
        let containment = Containment::new(&texts, &[0, ulm, bonn, odd], &[odd, with, without, any], None);
        assert_eq!(containment.labels(0), [with, any]);
        assert_eq!([containment.labels(ulm), containment.labels(bonn)], [[with, any], [without, any]]);
        assert_eq!(containment.labels(odd), [odd, any], "a value that is written like a set is no set");
    }

    #[test]
    fn a_number_is_in_the_label_that_writes_it_otherwise_unless_it_is_published_itself() {
        let mut texts = ColumnTexts::default();
        let [half, one, shorter_half, shorter_one] = ["0.50", "1.0", "0.5", "1"].map(|text| texts.intern(text));
        let containment = Containment::new(&texts, &[half, one], &[one, shorter_half, shorter_one], None);
        assert_eq!([containment.labels(half), containment.labels(one)], [[shorter_half], [one]]);
    }

    #[test]
    fn a_missing_value_is_in_itself_and_in_everything_only() {
        let mut texts = ColumnTexts::default();
        let any = texts.intern("*");
        let interval = texts.intern("[0, 9)");
        let containment = Containment::new(&texts, &[0], &[0, any, interval], None);
        assert_eq!(containment.labels(0), [0, any]);
    }
}
