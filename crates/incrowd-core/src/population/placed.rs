//! The smallest cell that holds each value of a population's column.
//!
//! A value that the sample has is its leaf. A label of the hierarchy is its node: the population is coarser there. A
//! value that the sample lacks lies under the smallest label that holds it, if the labels describe themselves, as those
//! of built hierarchies do (`[20, 30)`, `435*`, `1980-Q1`), or between two values of the sample in a column of free
//! intervals; everything lies under `*`. Under which labels a value lies follows from its cell alone: a label holds the
//! value exactly when it holds that cell.

use ahash::AHashMap;

use crate::numbers::to_u32;
use crate::query::{Leaf, SelfDescribingNodes};
use crate::{Cell, Dictionary, Domain, Hierarchy, QuasiIdentifier, ROOT_LABEL};

/// Where a value of a population stands among the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlacedValue {
    /// The smallest published cell that holds it; nothing when no label does.
    pub(super) under: Option<Cell>,
    /// The values of the sample that it may stand for; nothing when it is known to be another one.
    pub(super) may_be: Option<Cell>,
    /// Whether it stands for several values.
    pub(super) is_coarse: bool,
}

impl PlacedValue {
    /// A value of the sample, or one that it might have.
    fn leaf(cell: Cell) -> Self {
        PlacedValue { under: Some(cell), may_be: Some(cell), is_coarse: false }
    }

    /// Another value, under this cell.
    fn within(under: Option<Cell>) -> Self {
        PlacedValue { under, may_be: None, is_coarse: false }
    }

    /// Something that stands for all values of a cell.
    fn coarse(under: Option<Cell>, values: Cell) -> Self {
        PlacedValue { under, may_be: Some(values), is_coarse: true }
    }
}

/// The place of each code of a population's column. `sample` is the dictionary that the quasi-identifier was made for.
pub(super) fn place(
    quasi: &QuasiIdentifier,
    hierarchy: Option<&Hierarchy>,
    sample: &Dictionary,
    population: &Dictionary,
) -> Vec<PlacedValue> {
    let domain = &quasi.domain;
    let kind = sample.kind();
    let leaves = KnownLeaves::new(quasi, hierarchy, sample);
    let everything = everything(domain);
    let by_label = hierarchy.map(NodesByLabel::new);
    let nodes = hierarchy.and_then(|hierarchy| SelfDescribingNodes::new(quasi, hierarchy, sample));
    let order = if hierarchy.is_none() { ValueOrder::new(domain, sample) } else { None };
    let of_text = |text: &str| {
        if let Some(leaf) = leaves.find(text) {
            return PlacedValue::leaf(domain.leaf(leaf));
        }
        if let Some(coarse) = by_label.as_ref().and_then(|nodes| nodes.placed(domain, text)) {
            return coarse;
        }
        let value = Leaf::of_kind(kind, text);
        if let Some(cell) = nodes.as_ref().and_then(|nodes| nodes.smallest(value.value())) {
            return PlacedValue::within(Some(cell));
        }
        if let Some((lo, hi)) = order.as_ref().and_then(|order| order.between(&value)) {
            return PlacedValue::within(Some(domain.span(lo, hi)));
        }
        // A text that is written like a label may stand for any value.
        match is_written_like_a_label(text) {
            true => PlacedValue::coarse(everything, domain.top()),
            false => PlacedValue::within(everything),
        }
    };
    let of_code = |code: u32| match population.text(code) {
        Some(text) => of_text(&text),
        None => match domain.missing() {
            Some(leaf) => PlacedValue::leaf(domain.leaf(leaf)),
            None => PlacedValue::within(everything),
        },
    };
    (0..to_u32(population.len())).map(of_code).collect()
}

/// The cell that is published as `*`, which holds every value there is, if there is one.
fn everything(domain: &Domain) -> Option<Cell> {
    Some(domain.top()).filter(|&top| domain.render(top) == ROOT_LABEL)
}

/// The nodes of a hierarchy by their labels; nothing for a label that several nodes have.
struct NodesByLabel<'h> {
    hierarchy: &'h Hierarchy,
    nodes: AHashMap<&'h str, Option<usize>>,
}

impl<'h> NodesByLabel<'h> {
    fn new(hierarchy: &'h Hierarchy) -> Self {
        let mut nodes = AHashMap::new();
        for (at, node) in hierarchy.nodes().iter().enumerate() {
            nodes.entry(node.label()).and_modify(|known| *known = None).or_insert(Some(at));
        }
        NodesByLabel { hierarchy, nodes }
    }

    /// The place of a label. A node with a single child is published under the child's label, which says more than is
    /// known of a person with the node's label: such a person is under the next label above.
    fn placed(&self, domain: &Domain, label: &str) -> Option<PlacedValue> {
        let cell = |at: usize| {
            let node = &self.hierarchy.nodes()[at];
            let (lo, hi) = node.leaves().into_inner();
            if node.parent().is_none() { domain.top() } else { domain.span(lo, hi) }
        };
        let mut at = self.nodes.get(label).copied().flatten()?;
        let values = cell(at);
        loop {
            let node = &self.hierarchy.nodes()[at];
            let Some(above) = node.parent() else { return Some(PlacedValue::coarse(everything(domain), values)) };
            if domain.render(cell(at)) == node.label() {
                return Some(PlacedValue::coarse(Some(cell(at)), values));
            }
            at = above as usize;
        }
    }
}

/// Whether a text may stand for several values: an interval, a set or a text of which only the beginning is known.
fn is_written_like_a_label(text: &str) -> bool {
    let enclosed = |open: char, ends: [char; 2]| text.starts_with(open) && text.ends_with(ends);
    text.ends_with('*') || enclosed('[', [')', ']']) || enclosed('{', ['}', '}'])
}

/// The leaves of a column by what they are called and by what they mean.
struct KnownLeaves {
    kind: crate::Kind,
    by_label: AHashMap<String, u32>,
    by_value: AHashMap<String, u32>,
}

impl KnownLeaves {
    fn new(quasi: &QuasiIdentifier, hierarchy: Option<&Hierarchy>, sample: &Dictionary) -> Self {
        let kind = sample.kind();
        let mut known = KnownLeaves { kind, by_label: AHashMap::new(), by_value: AHashMap::new() };
        let mut add = |label: &str, leaf: u32| {
            if !label.is_empty() {
                known.by_value.entry(meaning(kind, label)).or_insert(leaf);
                known.by_label.insert(label.to_owned(), leaf);
            }
        };
        // The values of the sample are written as in the sample, also where the hierarchy writes them otherwise.
        for (code, &leaf) in (0..).zip(&quasi.leaves) {
            sample.text(code).into_iter().for_each(|text| add(&text, leaf));
        }
        let labels = hierarchy.into_iter().flat_map(Hierarchy::leaf_labels);
        (0..).zip(labels).for_each(|(leaf, label)| add(label, leaf));
        known
    }

    fn find(&self, text: &str) -> Option<u32> {
        self.by_label.get(text).or_else(|| self.by_value.get(&meaning(self.kind, text))).copied()
    }
}

/// A text that is the same for all ways to write a number or a day.
fn meaning(kind: crate::Kind, text: &str) -> String {
    match Leaf::of_kind(kind, text) {
        // Adding 0 makes −0 the 0 that dictionaries hold.
        Leaf::Number(number, _) => format!("#{}", number + 0.0),
        Leaf::Integer(whole) => format!("#{whole}"),
        Leaf::Day(day) => format!("@{day}"),
        Leaf::Missing | Leaf::Text(_) => format!("={text}"),
    }
}

/// The values of a column of free intervals, in order.
struct ValueOrder {
    leaves: Vec<Leaf>,
}

impl ValueOrder {
    fn new(domain: &Domain, sample: &Dictionary) -> Option<Self> {
        domain.positions()?;
        let leaves = Leaf::of_column(sample).into_iter().filter(|leaf| *leaf != Leaf::Missing).collect();
        Some(ValueOrder { leaves })
    }

    /// The codes of the values before and after another one; nothing for one that is outside or of another kind.
    fn between(&self, value: &Leaf) -> Option<(u32, u32)> {
        let is_same_kind = |leaf: &Leaf| std::mem::discriminant(leaf) == std::mem::discriminant(value);
        if !self.leaves.first().is_some_and(is_same_kind) {
            return None;
        }
        let after = self.leaves.partition_point(|leaf| leaf.order(value).is_lt());
        (after > 0 && after < self.leaves.len()).then(|| (to_u32(after - 1), to_u32(after)))
    }
}
