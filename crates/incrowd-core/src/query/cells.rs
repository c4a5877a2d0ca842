//! What each published cell of a column may have been.
//!
//! A cell is a value, a node of a hierarchy, an interval, a set, a prefix or `*`. The values it stands for are taken as
//! equally likely: that is the share. Whether all or any of them satisfy a condition is certain, as far as the values are
//! known: where a cell may stand for a value that is listed nowhere, nothing is claimed. Labels whose meaning nobody
//! declared are read for the share only: a label `Ulm` may be the town, or the name of a node that holds other towns.

use super::range::Ranges;
use super::tally::{CellShare, CellSpread, ConditionTally};
use super::{Condition, Leaf, Value};
use crate::numbers::to_u32;
use crate::{Dictionary, Hierarchy, Kind, ROOT_LABEL};

/// The cells of one column, by the code of the published label.
///
/// ```
/// use incrowd_core::Hierarchy;
/// use incrowd_core::query::{CellColumn, Condition};
/// let towns = Hierarchy::read("Ulm;Germany;*\nBonn;Germany;*\nWien;Austria;*\n")?;
/// let labels = [Some("Germany".into()), Some("Wien".into())];
/// let cells = CellColumn::of_hierarchy(&towns, &labels, None).expect("labels of it");
/// let ulm = cells.shares(Some(&Condition::one_of(["Ulm"])));
/// assert_eq!((ulm[0].share, ulm[0].all, ulm[0].any), (0.5, false, true));
/// assert_eq!((ulm[1].share, ulm[1].all, ulm[1].any), (0.0, false, false));
/// # Ok::<(), incrowd_core::HierarchyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CellColumn {
    pub(super) kind: Kind,
    pub(super) leaves: Vec<Leaf>,
    pub(super) extents: Vec<Extent>,
    /// No row of the original, published or not, has a value that is no leaf.
    pub(super) complete: bool,
    /// CellColumn hold every value that they stand for. Otherwise they are a guess, and nothing is certain.
    pub(super) known: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Extent {
    /// Exactly this one.
    Leaf(u32),
    /// Any of these, and perhaps something else.
    Leaves { ranges: Vec<(u32, u32)>, beyond: Beyond },
    /// Anything in these, or the missing value, and perhaps something else.
    Ranges { ranges: Ranges, missing: bool, beyond: Beyond },
    /// A text that begins like one of these, or one of these values, and perhaps something else.
    Texts { prefixes: Vec<Prefix>, leaves: Vec<u32>, beyond: Beyond },
}

/// A text of which only the beginning is known.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Prefix {
    pub(super) kept: Box<str>,
    /// The number of digits that follow, if it is known.
    pub(super) digits: usize,
    /// Otherwise it is one of these values; when there are none, the value is unknown.
    pub(super) known: Vec<u32>,
}

/// What else a cell may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beyond {
    Nothing,
    /// The missing value, of which a hierarchy does not say whether the column has it.
    Missing,
    Anything,
}

impl CellColumn {
    /// Cells that are values: a column that is published unchanged, or the original.
    pub fn exact(dictionary: &Dictionary) -> Self {
        let extents = (0..to_u32(dictionary.len())).map(Extent::Leaf).collect();
        CellColumn {
            kind: dictionary.kind(),
            leaves: Leaf::of_column(dictionary),
            extents,
            complete: false,
            known: true,
        }
    }

    /// CellColumn that are values, as texts; nothing is the missing value. The kind is that of the original's values;
    /// without one, the kind of all of these.
    pub fn values(labels: &[Option<String>], kind: Option<Kind>) -> Self {
        let texts: Vec<&str> = labels.iter().map(|label| label.as_deref().unwrap_or_default()).collect();
        let (kind, leaves) = match kind {
            Some(kind) => (kind, texts.iter().map(|text| Leaf::of_kind(kind, text)).collect()),
            None => Leaf::typed(&texts),
        };
        let extents = (0..to_u32(labels.len())).map(Extent::Leaf).collect();
        CellColumn { kind, leaves, extents, complete: false, known: true }
    }

    /// CellColumn that are nodes of a hierarchy; nothing is the missing value. The kind is that of the original's values;
    /// without one, the kind of all leaves. Refused with the number of labels that the hierarchy does not have.
    pub fn of_hierarchy(hierarchy: &Hierarchy, labels: &[Option<String>], kind: Option<Kind>) -> Result<Self, usize> {
        let told = hierarchy.missing().is_some() || labels.contains(&None);
        let with_missing = (!labels.iter().all(Option::is_some)).then(|| hierarchy.clone().with_missing());
        let hierarchy = with_missing.as_ref().unwrap_or(hierarchy);
        let mut named: Vec<(&str, u32, u32)> = hierarchy.nodes()[1..]
            .iter()
            .map(|node| (node.label(), *node.leaves().start(), *node.leaves().end()))
            .collect();
        named.sort_unstable();
        let extent = |label: &Option<String>| {
            let label = label.as_deref().unwrap_or_default();
            if label == ROOT_LABEL {
                let beyond = if told { Beyond::Nothing } else { Beyond::Missing };
                return Some(Extent::Leaves { ranges: vec![(0, hierarchy.leaf_count() - 1)], beyond });
            }
            let from = named.partition_point(|(name, ..)| *name < label);
            let mut ranges: Vec<(u32, u32)> =
                named[from..].iter().take_while(|(name, ..)| *name == label).map(|&(_, lo, hi)| (lo, hi)).collect();
            ranges.dedup();
            match ranges[..] {
                [] => None,
                [(lo, hi)] if lo == hi => Some(Extent::Leaf(lo)),
                _ => Some(Extent::Leaves { ranges: united(&ranges), beyond: Beyond::Nothing }),
            }
        };
        let extents: Vec<Option<Extent>> = labels.iter().map(extent).collect();
        let unknown = extents.iter().filter(|extent| extent.is_none()).count();
        // A hierarchy may list values that the column does not have, and that are of another kind.
        let (kind, leaves) = match kind {
            Some(kind) => (kind, hierarchy.leaf_labels().map(|label| Leaf::of_kind(kind, label)).collect()),
            None => Leaf::typed(&hierarchy.leaf_labels().collect::<Vec<_>>()),
        };
        match extents.into_iter().collect::<Option<Vec<Extent>>>() {
            Some(extents) => Ok(CellColumn { kind, leaves, extents, complete: true, known: true }),
            None => Err(unknown),
        }
    }

    /// The kind of the values.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.extents.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.extents.is_empty()
    }

    /// The values, by their number.
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// Whether the values of every cell are listed.
    pub fn are_listed(&self) -> bool {
        self.extents.iter().all(|extent| matches!(extent, Extent::Leaf(_) | Extent::Leaves { .. }))
    }

    /// Whether cells hold every value that they stand for. Otherwise nothing is certain about them.
    pub fn are_known(&self) -> bool {
        self.known
    }

    /// Whether some cell stands for values that can only be guessed.
    pub fn are_guessed(&self) -> bool {
        let guessed = |prefix: &Prefix| prefix.digits == 0 && prefix.known.is_empty();
        let any = |extent: &Extent| matches!(extent, Extent::Texts { prefixes, .. } if prefixes.iter().any(guessed));
        self.extents.iter().any(any)
    }

    /// The numbers of the values of a cell, and whether these are all that it may have been. Nothing when they are not
    /// listed.
    pub fn listed(&self, code: u32) -> Option<(Vec<u32>, bool)> {
        match &self.extents[code as usize] {
            Extent::Leaf(leaf) => Some((vec![*leaf], true)),
            Extent::Leaves { ranges, beyond } => {
                Some((ranges.iter().flat_map(|&(lo, hi)| lo..=hi).collect(), *beyond == Beyond::Nothing))
            }
            Extent::Ranges { .. } | Extent::Texts { .. } => None,
        }
    }

    /// Whether any listed value satisfies a condition; nothing when values are not listed.
    pub fn any_leaf(&self, condition: &Condition) -> Option<bool> {
        self.are_listed().then(|| self.leaves.iter().any(|leaf| condition.holds(leaf.value())))
    }

    /// The least and the greatest number that satisfies a condition in any row of the original, published or not.
    /// Nothing when rows may have values that are not known.
    pub fn bounds(&self, condition: &Condition) -> Option<Option<(f64, f64)>> {
        let held = self.leaves.iter().map(Leaf::value).filter(|value| condition.holds(*value));
        let fold = |bounds: Option<(f64, f64)>, number: f64| {
            let (low, high) = bounds.unwrap_or((number, number));
            Some((low.min(number), high.max(number)))
        };
        self.complete.then(|| held.filter_map(Value::number).fold(None, fold))
    }

    /// How much of each cell satisfies a condition; without one, all of it.
    pub fn shares(&self, condition: Option<&Condition>) -> Vec<CellShare> {
        self.spreads(condition).into_iter().map(|spread| spread.share).collect()
    }

    /// As [`CellColumn::shares`], with what the values add up to.
    pub fn spreads(&self, condition: Option<&Condition>) -> Vec<CellSpread> {
        let always = Condition::All(Vec::new());
        let condition = condition.unwrap_or(&always);
        let held: Vec<bool> = self.leaves.iter().map(|leaf| condition.holds(leaf.value())).collect();
        self.extents.iter().map(|extent| self.spread(extent, condition, &held)).collect()
    }

    /// Whether a condition may be satisfied by each cell as it is read, also where that is a guess: what somebody who
    /// has to guess goes by.
    pub fn plausible(&self, condition: &Condition) -> Vec<bool> {
        let held: Vec<bool> = self.leaves.iter().map(|leaf| condition.holds(leaf.value())).collect();
        self.extents.iter().map(|extent| self.tally(extent, condition, &held).spread().share.any).collect()
    }

    fn spread(&self, extent: &Extent, condition: &Condition, held: &[bool]) -> CellSpread {
        let mut tally = self.tally(extent, condition, held);
        // An empty cell is the missing value, whatever other labels are called.
        let missing = matches!(extent, Extent::Leaf(leaf) if self.leaves[*leaf as usize] == Leaf::Missing);
        if !self.known && !missing {
            tally.beyond(Beyond::Anything, condition);
        }
        tally.spread()
    }

    fn tally(&self, extent: &Extent, condition: &Condition, held: &[bool]) -> ConditionTally {
        let mut tally = ConditionTally::default();
        let leaf = |tally: &mut ConditionTally, leaf: u32| {
            let number = self.leaves[leaf as usize].value().number().unwrap_or(0.0);
            tally.add(1.0, held[leaf as usize], (number, number));
        };
        match extent {
            Extent::Leaf(one) => leaf(&mut tally, *one),
            Extent::Leaves { ranges, beyond } => {
                ranges.iter().flat_map(|&(lo, hi)| lo..=hi).for_each(|one| leaf(&mut tally, one));
                tally.beyond(*beyond, condition);
            }
            Extent::Ranges { ranges, missing, beyond } => {
                ranges.tally(condition, &mut tally);
                if *missing {
                    tally.add(1.0, condition.holds(Value::Missing), (0.0, 0.0));
                }
                tally.beyond(*beyond, condition);
            }
            Extent::Texts { prefixes, leaves, beyond } => {
                leaves.iter().for_each(|&one| leaf(&mut tally, one));
                for prefix in prefixes {
                    match condition.on_prefix(&prefix.kept) {
                        Some(sure) => tally.add(prefix.measure(), sure, (0.0, 0.0)),
                        None => {
                            prefix.known.iter().for_each(|&one| leaf(&mut tally, one));
                            prefix.go_on(|share, text| {
                                let holds = text.map(|text| condition.holds(Value::Text(text)));
                                tally.add(share, holds.unwrap_or(true), (0.0, 0.0));
                                if holds.is_none() {
                                    tally.add(share, false, (0.0, 0.0));
                                }
                            });
                            tally.beyond(Beyond::Anything, condition);
                        }
                    }
                }
                tally.beyond(*beyond, condition);
            }
        }
        tally
    }
}

impl Prefix {
    /// For how many values it stands.
    fn measure(&self) -> f64 {
        match self.digits {
            0 => self.known.len().max(1) as f64,
            digits => 10f64.powi(i32::try_from(digits).unwrap_or(i32::MAX)),
        }
    }

    /// Every way to continue with digits, each as one value; two halves of one value when the continuation is unknown.
    fn go_on(&self, mut take: impl FnMut(f64, Option<&str>)) {
        let digits = self.digits;
        match (digits, self.known.is_empty()) {
            (0, true) => take(0.5, None),
            (0, false) => {}
            _ => (0..10usize.pow(to_u32(digits)))
                .for_each(|rest| take(1.0, Some(&format!("{}{rest:0digits$}", self.kept)))),
        }
    }
}

/// Sorted ranges of leaves, those that meet made one.
pub(super) fn united(ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let wide = ranges.iter().map(|&(lo, hi)| (i64::from(lo), i64::from(hi))).collect();
    // The ends are among those of the ranges, which are 32-bit numbers.
    let narrow = |end: i64| u32::try_from(end).unwrap_or(u32::MAX);
    Ranges::united(wide).into_iter().map(|(lo, hi)| (narrow(lo), narrow(hi))).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Values;

    fn labels(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| (!text.is_empty()).then(|| (*text).to_owned())).collect()
    }

    fn judged(cells: &CellColumn, condition: &Condition) -> Vec<(f64, bool, bool)> {
        cells.shares(Some(condition)).iter().map(|share| (share.share, share.all, share.any)).collect()
    }

    #[test]
    fn values_are_exact() {
        let ages = CellColumn::exact(&Dictionary::new(Values::Integers(vec![20, 30]), true));
        let young = Condition::between(crate::query::Literal::new("0"), crate::query::Literal::new("25"));
        assert_eq!(judged(&ages, &young), [(1.0, true, true), (0.0, false, false), (0.0, false, false)]);
        assert_eq!(judged(&ages, &Condition::IsMissing)[2], (1.0, true, true));
    }

    #[test]
    fn a_root_that_may_hold_a_missing_value_promises_nothing_about_it() {
        let ages = Hierarchy::read("20;*\n30;*\n").unwrap();
        let all = Condition::one_of(["20", "30"]);
        let told = |texts: &[&str]| judged(&CellColumn::of_hierarchy(&ages, &labels(texts), None).unwrap(), &all)[0];
        assert_eq!(told(&["*"]), (1.0, false, true), "nobody says whether values are missing");
        assert_eq!(told(&["*", ""]), (2.0 / 3.0, false, true), "they are");
        let listed = Hierarchy::read("20;A;*\n30;A;*\n;B;*\n").unwrap();
        let listed = CellColumn::of_hierarchy(&listed, &labels(&["*", "A"]), None).unwrap();
        assert_eq!(judged(&listed, &Condition::present()), [(2.0 / 3.0, false, true), (1.0, true, true)]);
        assert_eq!(listed.bounds(&all), Some(Some((20.0, 30.0))));
    }

    #[test]
    fn labels_that_a_hierarchy_does_not_have_are_counted() {
        let towns = Hierarchy::read("Ulm;Germany;*\nWien;Austria;*\n").unwrap();
        assert_eq!(CellColumn::of_hierarchy(&towns, &labels(&["Ulm", "Italy", "Rome", "*"]), None), Err(2));
    }
}
