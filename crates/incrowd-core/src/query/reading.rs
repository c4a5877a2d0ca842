//! Reading the cells of a column from their labels alone: what a reader has who knows no hierarchy.
//!
//! `*` is everything else that is published in the column, and perhaps more. A prefix of digits stands for every way to
//! go on with digits. A label is certain only where the release declares that labels hold the values that they stand
//! for ([`CellColumn::self_describing`]): in a hierarchy file any label may name any values. Without that declaration
//! interval ends that are integers are taken to hold integers only, for the estimate.

use super::Leaf;
use super::cells::{Beyond, CellColumn, Extent, Prefix, united};
use super::label::{CellLabel, calendar};
use super::range::Ranges;
use crate::numbers::to_u32;
use crate::{Kind, MISSING_LABEL, ROOT_LABEL};

/// More digits than these are not written out: half of such a cell is assumed to satisfy an undecided condition.
const MOST_DIGITS: usize = 5;

impl CellColumn {
    /// Cells as their labels look; nothing is the missing value. A guess: the author of the labels may have meant
    /// anything, so nothing is certain about these cells but that an empty one is the missing value.
    pub fn of_labels(labels: &[Option<String>]) -> Self {
        let days = calendar_labels(labels);
        let read: Vec<Option<CellLabel<'_>>> =
            labels.iter().map(|label| label.as_deref().map(CellLabel::read)).collect();
        let kind = days.as_ref().map_or_else(|| guessed_kind(&read), |_| Kind::Date);
        CellColumn { known: false, ..read_as(&read, kind) }
    }

    /// Cells of which the release declares that each label holds every value that it stands for, values being of this
    /// kind; nothing is the missing value, which only it, `*` and a set that names it stand for.
    pub fn self_describing(labels: &[Option<String>], kind: Kind) -> Self {
        let read: Vec<Option<CellLabel<'_>>> =
            labels.iter().map(|label| label.as_deref().map(CellLabel::read)).collect();
        read_as(&read, kind)
    }
}

/// The kind of all values and ends of intervals: `20` and `[20.5, 21)` are numbers. Text where prefixes are published.
fn guessed_kind(read: &[Option<CellLabel<'_>>]) -> Kind {
    let mut texts: Vec<&str> = Vec::new();
    for label in read {
        match label {
            None => texts.push(""),
            Some(CellLabel::Value(value)) => texts.push(value),
            Some(CellLabel::Set(set)) => texts.extend(set.iter().filter(|value| **value != MISSING_LABEL)),
            Some(CellLabel::Interval { from, to, .. }) => texts.extend([from, to]),
            Some(CellLabel::Prefix { .. }) => return Kind::Text,
            Some(CellLabel::Any) => {}
        }
    }
    Leaf::typed(&texts).0
}

fn read_as(read: &[Option<CellLabel<'_>>], kind: Kind) -> CellColumn {
    let mut values: Vec<&str> = Vec::new();
    for label in read {
        match label {
            None => values.push(""),
            Some(CellLabel::Value(value)) => values.push(value),
            Some(CellLabel::Set(set)) => {
                values.extend(set.iter().map(|value| if *value == MISSING_LABEL { "" } else { value }));
            }
            Some(CellLabel::Interval { .. } | CellLabel::Prefix { .. } | CellLabel::Any) => {}
        }
    }
    // What is no value of the kind is none of the column: a month among days, a name among numbers.
    let of_kind = |value: &&str| kind == Kind::Text || !matches!(Leaf::of_kind(kind, value), Leaf::Text(_));
    values.retain(of_kind);
    values.sort_unstable();
    values.dedup();
    let leaves: Vec<Leaf> = values.iter().map(|value| Leaf::of_kind(kind, value)).collect();
    let reading = LabelReading { kind, values: &values };
    let mut extents: Vec<Extent> = read.iter().map(|label| reading.extent(label.as_ref())).collect();
    let any = anything(&extents, &leaves);
    for (extent, label) in extents.iter_mut().zip(read) {
        if matches!(label, Some(CellLabel::Any)) {
            extent.clone_from(&any);
        }
    }
    CellColumn { kind, leaves, extents, complete: false, known: true }
}

/// What is known of all labels before each is read.
struct LabelReading<'a> {
    kind: Kind,
    /// The values of the kind, sorted.
    values: &'a [&'a str],
}

impl LabelReading<'_> {
    fn leaf(&self, value: &str) -> Option<u32> {
        self.values.binary_search(&value).ok().map(to_u32)
    }

    fn extent(&self, label: Option<&CellLabel<'_>>) -> Extent {
        match label {
            None => self.leaf("").map_or_else(unknown, Extent::Leaf),
            Some(CellLabel::Value(value)) => {
                match (self.leaf(value), calendar(value).filter(|_| self.kind == Kind::Date)) {
                    (Some(leaf), _) => Extent::Leaf(leaf),
                    (None, Some((first, last))) => stretch(Ranges::Days(vec![(i64::from(first), i64::from(last))])),
                    (None, None) => unknown(),
                }
            }
            Some(CellLabel::Set(set)) => {
                let leaf = |value: &&str| self.leaf(if *value == MISSING_LABEL { "" } else { value });
                match set.iter().map(leaf).collect::<Option<Vec<u32>>>() {
                    Some(leaves) => {
                        let ranges: Vec<(u32, u32)> = leaves.into_iter().map(|leaf| (leaf, leaf)).collect();
                        Extent::Leaves { ranges: united(&ranges), beyond: Beyond::Nothing }
                    }
                    None => unknown(),
                }
            }
            Some(CellLabel::Interval { from, to, closed }) => self.interval(from, to, *closed),
            Some(CellLabel::Prefix { kept, stars }) => self.prefix(kept, *stars),
            Some(CellLabel::Any) => unknown(),
        }
    }

    fn prefix(&self, kept: &str, stars: usize) -> Extent {
        let is_digits = !kept.is_empty() && kept.bytes().all(|byte| byte.is_ascii_digit());
        match self.kind {
            Kind::Text => {
                let digits = if is_digits && stars <= MOST_DIGITS { stars } else { 0 };
                let begins = |leaf: &u32| {
                    self.values[*leaf as usize].starts_with(kept) && !self.values[*leaf as usize].is_empty()
                };
                let known = (0..to_u32(self.values.len())).filter(|leaf| digits == 0 && begins(leaf)).collect();
                let prefix = Prefix { kept: kept.into(), digits, known };
                Extent::Texts { prefixes: vec![prefix], leaves: Vec::new(), beyond: Beyond::Nothing }
            }
            Kind::Integer if is_digits => {
                let power = u32::try_from(stars).ok().and_then(|stars| 10i64.checked_pow(stars));
                let ends = power.and_then(|power| {
                    let low = kept.parse::<i64>().ok()?.checked_mul(power)?;
                    Some((low, low.checked_add(power - 1)?))
                });
                ends.map_or_else(unknown, |ends| stretch(Ranges::Whole(vec![ends])))
            }
            _ => unknown(),
        }
    }

    fn interval(&self, from: &str, to: &str, closed: bool) -> Extent {
        match (Leaf::of_kind(self.kind, from), Leaf::of_kind(self.kind, to)) {
            (Leaf::Integer(lo), Leaf::Integer(hi)) => {
                stretch(Ranges::Whole(vec![(lo, if closed { hi } else { hi.saturating_sub(1) }.max(lo))]))
            }
            (Leaf::Day(lo), Leaf::Day(hi)) => {
                let (lo, hi) = (i64::from(lo), i64::from(hi));
                stretch(Ranges::Days(vec![(lo, if closed { hi } else { hi - 1 }.max(lo))]))
            }
            (Leaf::Number(lo, _), Leaf::Number(hi, _)) => stretch(Ranges::Real(vec![(lo, hi, closed)])),
            _ => unknown(),
        }
    }
}

fn stretch(ranges: Ranges) -> Extent {
    Extent::Ranges { ranges, missing: false, beyond: Beyond::Nothing }
}

/// The days of each label, when all labels are days, months, quarters, years or decades, and not all of them years, which
/// could be numbers. `*` and the missing value have none.
fn calendar_labels(labels: &[Option<String>]) -> Option<Vec<Option<(i32, i32)>>> {
    let mut written = labels.iter().flatten().filter(|label| *label != ROOT_LABEL).peekable();
    written.peek()?;
    let generalized = |label: &&String| calendar(label).is_none_or(|(first, last)| first != last);
    if written.clone().all(|label| label.len() == 4) || !written.clone().any(|label| generalized(&label)) {
        return None;
    }
    let days: Option<Vec<(i32, i32)>> = written.map(|label| calendar(label)).collect();
    let mut days = days?.into_iter();
    let day = |label: &Option<String>| label.as_ref().filter(|label| *label != ROOT_LABEL).and_then(|_| days.next());
    Some(labels.iter().map(day).collect())
}

/// A cell of which nothing is known: any value, also the missing one.
fn unknown() -> Extent {
    let prefix = Prefix { kept: "".into(), digits: 0, known: Vec::new() };
    Extent::Texts { prefixes: vec![prefix], leaves: Vec::new(), beyond: Beyond::Anything }
}

/// `*` without a hierarchy: everything else that is published in the column, and perhaps more.
fn anything(extents: &[Extent], leaves: &[Leaf]) -> Extent {
    let missing = leaves.contains(&Leaf::Missing);
    let (mut whole, mut days, mut reals) = (Vec::new(), Vec::new(), Vec::new());
    for extent in extents {
        match extent {
            Extent::Ranges { ranges: Ranges::Whole(stretches), .. } => whole.extend(stretches),
            Extent::Ranges { ranges: Ranges::Days(stretches), .. } => days.extend(stretches),
            Extent::Ranges { ranges: Ranges::Real(stretches), .. } => reals.extend(stretches),
            _ => {}
        }
    }
    let ranges = if !whole.is_empty() {
        whole.extend(leaves.iter().filter_map(|leaf| if let Leaf::Integer(n) = leaf { Some((*n, *n)) } else { None }));
        Ranges::Whole(Ranges::united(whole))
    } else if !days.is_empty() {
        days.extend(
            leaves
                .iter()
                .filter_map(|leaf| if let Leaf::Day(n) = leaf { Some((i64::from(*n), i64::from(*n))) } else { None }),
        );
        Ranges::Days(Ranges::united(days))
    } else if !reals.is_empty() {
        reals.extend(
            leaves.iter().filter_map(|leaf| if let Leaf::Number(n, _) = leaf { Some((*n, *n, true)) } else { None }),
        );
        Ranges::Real(Ranges::united_reals(reals))
    } else if let Some(texts) = any_text(extents, leaves) {
        return texts;
    } else if leaves.is_empty() {
        return unknown();
    } else {
        return Extent::Leaves { ranges: vec![(0, to_u32(leaves.len()) - 1)], beyond: Beyond::Anything };
    };
    Extent::Ranges { ranges, missing, beyond: Beyond::Anything }
}

/// `*` next to prefixes: the widest of them, and the values that begin like none.
fn any_text(extents: &[Extent], leaves: &[Leaf]) -> Option<Extent> {
    let mut prefixes: Vec<Prefix> = Vec::new();
    for extent in extents {
        if let Extent::Texts { prefixes: read, .. } = extent {
            prefixes.extend(read.iter().filter(|prefix| !prefix.kept.is_empty()).cloned());
        }
    }
    prefixes.sort_by(|a, b| a.kept.cmp(&b.kept));
    // Sorted, a prefix stands before all that it begins.
    prefixes.dedup_by(|next, kept| next.kept.starts_with(&*kept.kept));
    let begun = |text: &str| prefixes.iter().any(|prefix| text.starts_with(&*prefix.kept));
    let other = |leaf: &Leaf| !matches!(leaf, Leaf::Text(text) if begun(text));
    let leaves = (0..).zip(leaves).filter(|(_, leaf)| other(leaf)).map(|(at, _)| at).collect();
    (!prefixes.is_empty()).then_some(Extent::Texts { prefixes, leaves, beyond: Beyond::Anything })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Comparison, Condition, Literal, Pattern};

    fn labels(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| (!text.is_empty()).then(|| (*text).into())).collect()
    }

    /// By the form of the labels.
    fn cells(texts: &[&str]) -> CellColumn {
        CellColumn { known: true, ..CellColumn::of_labels(&labels(texts)) }
    }

    fn judged(cells: &CellColumn, condition: &Condition) -> Vec<(f64, bool, bool)> {
        cells.shares(Some(condition)).iter().map(|share| (share.share, share.all, share.any)).collect()
    }

    fn at_least(text: &str) -> Condition {
        Condition::Compare(Comparison::AtLeast, Literal::new(text))
    }

    #[test]
    fn whole_numbers_are_counted_and_others_are_measured() {
        let ages = cells(&["[20, 30)", "[30, 39]", "27", "*", ""]);
        assert_eq!(ages.kind(), Kind::Integer);
        let share = 13.0 / 21.0;
        let expected =
            [(0.3, false, true), (1.0, true, true), (1.0, true, true), (share, false, true), (0.0, false, false)];
        assert_eq!(judged(&ages, &at_least("27")), expected);
        let weights = cells(&["[0.0, 0.5)", "1"]);
        assert_eq!(weights.kind(), Kind::Number);
        assert_eq!(judged(&weights, &at_least("0.25"))[0], (0.5, false, true));
    }

    #[test]
    fn sets_and_what_star_stands_for_next_to_them() {
        let sexes = cells(&["{f, x}", "m", "*", "{m, (missing)}"]);
        assert!(sexes.are_listed());
        let f = judged(&sexes, &Condition::one_of(["f"]));
        assert_eq!(f, [(0.5, false, true), (0.0, false, false), (0.25, false, true), (0.0, false, false)]);
        assert_eq!(judged(&sexes, &Condition::IsMissing)[3], (0.5, false, true));
        let nothing = judged(&sexes, &Condition::one_of(["zebra"]));
        assert_eq!(nothing[2], (0.0, false, true), "* may be what is published nowhere else");
    }

    #[test]
    fn days_months_and_decades_are_stretches_of_days() {
        let births = cells(&["1980-02", "1980-Q1", "1980", "1980-02-29", "*"]);
        assert_eq!(births.kind(), Kind::Date);
        let expected =
            [(0.0, false, false), (31.0 / 91.0, false, true), (306.0 / 366.0, false, true), (0.0, false, false)];
        assert_eq!(judged(&births, &at_least("1980-03-01"))[..4], expected);
        assert_eq!(cells(&["1980", "1990"]).kind(), Kind::Integer, "years alone are numbers");
        assert_eq!(cells(&["1980-02-29"]).kind(), Kind::Date);
        assert_eq!(cells(&["[1980-01-01, 1980-02-01)"]).kind(), Kind::Date);
    }

    #[test]
    fn a_prefix_of_digits_goes_on_with_digits() {
        let codes = cells(&["435**", "43527", "AB*", "ABC", "X*", "*"]);
        let one = Condition::one_of(["43527", "ABC"]);
        let expected =
            [(0.01, false, true), (1.0, true, true), (1.0, false, true), (1.0, true, true), (0.0, false, false)];
        assert_eq!(judged(&codes, &one)[..5], expected);
        let like = Condition::Like(Pattern::new("43%"));
        assert_eq!(judged(&codes, &like)[..3], [(1.0, true, true), (1.0, true, true), (0.0, false, false)]);
        assert_eq!(judged(&codes, &Condition::one_of(["Xaver"]))[4], (0.5, false, true), "nobody knows");
        assert!(codes.are_guessed() && !cells(&["435*"]).are_guessed());
        let digits = cells(&["4****", "43***", "5****", "60000", "*"]);
        assert_eq!(judged(&digits, &Condition::Like(Pattern::new("4%")))[4], (10_000.0 / 20_001.0, false, true));
    }

    #[test]
    fn labels_of_mixed_kinds_promise_nothing() {
        let odd = cells(&["[20, 30)", "unknown"]);
        assert_eq!(odd.kind(), Kind::Text);
        assert_eq!(judged(&odd, &Condition::one_of(["25"])), [(0.5, false, true), (0.0, false, false)]);
    }

    #[test]
    fn undeclared_labels_are_not_certain_whatever_they_look_like() {
        let towns = CellColumn::of_labels(&labels(&["Ulm", "{Bonn, Wien}", "*", ""]));
        let ulm = judged(&towns, &Condition::one_of(["Ulm"]));
        assert_eq!(ulm.iter().map(|one| (one.1, one.2)).collect::<Vec<_>>()[..3], [(false, true); 3]);
        assert_eq!((ulm[0].0, ulm[3]), (1.0, (0.0, false, false)), "the estimate is a guess, an empty cell is missing");
        assert_eq!(judged(&towns, &Condition::present())[0], (1.0, false, true));
        let ages = CellColumn::of_labels(&labels(&["[20, 30)"])).spreads(Some(&at_least("25")));
        assert_eq!((ages[0].low, ages[0].high), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn labels_are_read_for_the_type_that_is_declared() {
        let read = |texts: &[&str], kind| CellColumn::self_describing(&labels(texts), kind);
        let weights = read(&["[2, 4)", "3"], Kind::Number);
        assert_eq!(
            judged(&weights, &Condition::Compare(Comparison::Greater, Literal::new("3")))[0],
            (0.5, false, true)
        );
        let codes = read(&["43*", "431"], Kind::Integer);
        assert_eq!(judged(&codes, &at_least("435")), [(0.5, false, true), (0.0, false, false)]);
        assert_eq!(judged(&codes, &Condition::Like(Pattern::new("%7")))[0], (0.1, false, true));
        let years = read(&["1980", "1980-Q2", "*"], Kind::Date);
        assert_eq!(judged(&years, &at_least("1980-01-01"))[..2], [(1.0, true, true); 2]);
        let odd = read(&["young", "[a, b]", "{1, x}"], Kind::Integer);
        assert!(judged(&odd, &at_least("5")).iter().all(|one| (one.1, one.2) == (false, true)));
        assert!(judged(&read(&["*"], Kind::Text), &Condition::present()).iter().all(|one| !one.1), "* may be missing");
    }
}
