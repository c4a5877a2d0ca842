//! Whether the labels of a column are self-describing: they show which values they stand for.
//!
//! A hierarchy may call a node anything: `Ulm` may be a region, `[20, 30)` may hold 35, a number may be the name of
//! other numbers. The publisher of a release has the values and can check each label; a reader cannot, and needs
//! the statement.

use super::cells::{Beyond, CellColumn, Extent};
use super::label::CellLabel;
use super::range::Ranges;
use super::{Leaf, Value};
use crate::{Cell, Dictionary, Hierarchy, LeafCount, QuasiIdentifier, ROOT_LABEL};

/// Whether every one of these published cells, read by its label alone, holds all values of the column that it stands
/// for.
///
/// ```
/// use incrowd_core::query::describe_themselves;
/// use incrowd_core::{Dictionary, Hierarchy, QuasiIdentifier, Values};
/// let ages = Dictionary::new(Values::Integers(vec![21, 25, 34]), false);
/// let published = |file: &str| -> Result<bool, incrowd_core::HierarchyError> {
///     let ages_of = QuasiIdentifier::new(0, &Hierarchy::read(file)?, &ages)?;
///     Ok(describe_themselves(&ages_of, &ages, [ages_of.cell(0, 1), ages_of.cell(2, 0)]))
/// };
/// assert!(published("21;[20, 30);*\n25;[20, 30);*\n34;[30, 40);*\n")?);
/// assert!(!published("21;20-29;*\n25;20-29;*\n34;30-39;*\n")?);
/// assert!(!published("21;young;*\n25;young;*\n34;old;*\n")?);
/// assert!(!published("21;[20, 25);*\n25;[20, 25);*\n34;[30, 40);*\n")?);
/// # Ok::<(), incrowd_core::HierarchyError>(())
/// ```
pub fn describe_themselves(
    quasi: &QuasiIdentifier,
    dictionary: &Dictionary,
    cells: impl IntoIterator<Item = Cell>,
) -> bool {
    let domain = &quasi.domain;
    let mut cells: Vec<Cell> = cells.into_iter().collect();
    cells.sort_unstable();
    cells.dedup();
    let missing = dictionary.missing().map(|code| domain.leaf(quasi.leaves[code as usize]));
    let label = |cell: &Cell| (Some(*cell) != missing).then(|| domain.render(*cell).into_owned());
    let labels: Vec<Option<String>> = cells.iter().map(label).collect();
    let read = CellColumn::self_describing(&labels, dictionary.kind());
    let values = Leaf::of_column(dictionary);
    let mut by_leaf: Vec<(u32, u32)> = quasi.leaves.iter().copied().zip(0..).collect();
    by_leaf.sort_unstable();
    let is_ordered = domain.positions().is_some();
    (0..).zip(&cells).zip(&labels).all(|((at, &cell), label)| {
        let label = label.as_deref().unwrap_or_default();
        // What cannot be read could stand for anything, and so describes nothing; `*` does stand for anything.
        if read.may_be_anything(at) {
            return label == ROOT_LABEL;
        }
        let fits =
            |value: Value<'_>| rest_of_prefix(label).is_none_or(|length| value.label().chars().count() == length);
        let held = |code: u32| {
            let value = values[code as usize].value();
            read.holds(at, value) && fits(value)
        };
        if domain.counting() == LeafCount::Bits {
            return by_leaf.iter().all(|&(leaf, code)| cell.bits() >> leaf & 1 == 0 || held(code));
        }
        let (lo, hi) = cell.ends();
        let from = by_leaf.partition_point(|&(leaf, _)| leaf < lo);
        let to = by_leaf.partition_point(|&(leaf, _)| leaf <= hi);
        let covered = &by_leaf[from..to];
        // What is read of a label has no gaps, so of sorted values the ends decide; a missing value stands last.
        match (is_ordered, covered) {
            (true, [first, .., before, last]) => [first, before, last].iter().all(|&&(_, code)| held(code)),
            (_, covered) => covered.iter().all(|&(_, code)| held(code)),
        }
    })
}

/// The labels of a hierarchy that describe themselves, to find those that hold a value that the column lacks.
pub(crate) struct SelfDescribingNodes {
    /// Larger cells first.
    cells: Vec<Cell>,
    labels: Vec<String>,
    read: CellColumn,
}

impl SelfDescribingNodes {
    /// The cells of two leaves or more, but for the one that holds everything; nothing when some label is a name. A cell
    /// is read by the label that it is published under.
    pub(crate) fn new(quasi: &QuasiIdentifier, hierarchy: &Hierarchy, dictionary: &Dictionary) -> Option<Self> {
        let nodes = hierarchy.nodes().iter().map(|node| node.leaves().into_inner()).filter(|(lo, hi)| lo < hi);
        let mut cells: Vec<Cell> = nodes.map(|(lo, hi)| quasi.domain.span(lo, hi)).collect();
        cells.sort_by_key(|cell| (std::cmp::Reverse(quasi.domain.leaves(*cell)), *cell));
        cells.dedup();
        cells.retain(|cell| quasi.domain.render(*cell) != ROOT_LABEL);
        let labels: Vec<String> = cells.iter().map(|cell| quasi.domain.render(*cell).into_owned()).collect();
        let listed: Vec<Option<String>> = labels.iter().cloned().map(Some).collect();
        let read = CellColumn::self_describing(&listed, dictionary.kind());
        describe_themselves(quasi, dictionary, cells.iter().copied()).then_some(SelfDescribingNodes {
            cells,
            labels,
            read,
        })
    }

    /// The smallest cell whose label holds a value.
    pub(crate) fn smallest(&self, value: Value<'_>) -> Option<Cell> {
        let length = value.label().chars().count();
        let holds = |at: usize| {
            let fits = rest_of_prefix(&self.labels[at]).is_none_or(|other| other == length);
            u32::try_from(at).is_ok_and(|at| self.read.holds(at, value)) && fits
        };
        (0..self.cells.len()).rev().find(|&at| holds(at)).map(|at| self.cells[at])
    }
}

/// How many characters a value has that a prefix with several stars holds: as many as the label.
fn rest_of_prefix(label: &str) -> Option<usize> {
    match CellLabel::read(label) {
        CellLabel::Prefix { stars, .. } if stars > 1 => Some(label.chars().count()),
        _ => None,
    }
}

impl CellColumn {
    /// Whether nothing is known of what a cell stands for.
    fn may_be_anything(&self, code: u32) -> bool {
        match &self.extents[code as usize] {
            Extent::Leaf(_) => false,
            Extent::Leaves { beyond, .. } | Extent::Ranges { beyond, .. } | Extent::Texts { beyond, .. } => {
                *beyond == Beyond::Anything
            }
        }
    }

    /// Whether a cell, as it is read, may stand for a value.
    pub(super) fn holds(&self, code: u32, value: Value<'_>) -> bool {
        let leaf = |leaf: u32| self.leaves[leaf as usize].value() == value;
        let past = |beyond: Beyond| match beyond {
            Beyond::Nothing => false,
            Beyond::Missing => value == Value::Missing,
            Beyond::Anything => true,
        };
        match &self.extents[code as usize] {
            Extent::Leaf(one) => leaf(*one),
            Extent::Leaves { ranges, beyond } => past(*beyond) || ranges.iter().any(|&(lo, hi)| (lo..=hi).any(leaf)),
            Extent::Ranges { ranges, missing, beyond } => {
                past(*beyond) || *missing && value == Value::Missing || ranges.hold(value)
            }
            Extent::Texts { prefixes, leaves, beyond } => {
                let begins =
                    |text: &str| !text.is_empty() && prefixes.iter().any(|prefix| text.starts_with(&*prefix.kept));
                past(*beyond)
                    || leaves.iter().any(|&one| leaf(one))
                    || matches!(value, Value::Text(text) if begins(text))
            }
        }
    }
}

impl Ranges {
    /// Whether a value lies in one of the stretches.
    fn hold(&self, value: Value<'_>) -> bool {
        let within = |stretches: &[(i64, i64)], at: i64| stretches.iter().any(|&(lo, hi)| lo <= at && at <= hi);
        match (self, value) {
            (Ranges::Whole(stretches), Value::Integer(whole)) => within(stretches, whole),
            (Ranges::Days(stretches), Value::Day(day)) => within(stretches, day.into()),
            (Ranges::Real(stretches), Value::Number(number)) => {
                stretches.iter().any(|&(lo, hi, closed)| lo <= number && (number < hi || closed && number == hi))
            }
            _ => false,
        }
    }
}
