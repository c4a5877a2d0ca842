//! A hierarchy as the page shows it: nodes with their rows, and labels only where the values are revealed.

use incrowd::core::{ColumnProfile, Coverage, Hierarchy};
use incrowd::{HierarchyEditor, NodeId};
use schemars::JsonSchema;
use serde::Serialize;

/// The most children of a node that are sent at once.
const MOST_CHILDREN: usize = 200;
/// The levels that are sent at once.
const DEPTH: usize = 3;

/// A node and some of what is below it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct NodeView {
    id: String,
    /// Nothing while the values of the column are hidden.
    label: Option<String>,
    level: usize,
    rows: u64,
    values: u64,
    is_value: bool,
    /// Nothing when they were not sent.
    children: Option<Vec<NodeView>>,
    /// How many children are not shown.
    more: usize,
}

/// How many values of the column the hierarchy has.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CoverageView {
    values: usize,
    covered: usize,
    rows: u64,
    covered_rows: u64,
}

impl CoverageView {
    pub(super) fn of(hierarchy: &Hierarchy, profile: &ColumnProfile) -> CoverageView {
        let coverage = Coverage::of(hierarchy, &profile.dictionary);
        let uncovered = coverage.uncovered_rows(&profile.counts);
        CoverageView {
            values: profile.dictionary.len(),
            covered: coverage.covered(),
            rows: profile.rows,
            covered_rows: profile.rows.saturating_sub(uncovered),
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.values == self.covered
    }
}

/// A tree with the rows of each node.
pub(super) struct TreeView<'a> {
    editor: &'a HierarchyEditor,
    rows: Vec<u64>,
    values: Vec<u64>,
    levels: Vec<usize>,
    with_labels: bool,
}

impl<'a> TreeView<'a> {
    pub(super) fn new(editor: &'a HierarchyEditor, profile: &ColumnProfile, with_labels: bool) -> TreeView<'a> {
        let mut view = TreeView { editor, rows: vec![], values: vec![], levels: vec![], with_labels };
        view.sum(editor.root(), profile);
        view
    }

    /// The rows, values and level of a node, from those below it.
    fn sum(&mut self, id: NodeId, profile: &ColumnProfile) -> (u64, u64, usize) {
        let Some(node) = self.editor.node(id) else { return (0, 0, 0) };
        let (mut rows, mut values, mut level) = (0, 0, 0);
        if node.is_value {
            let code =
                if node.label.is_empty() { profile.dictionary.missing() } else { profile.dictionary.code(&node.label) };
            rows = code.and_then(|code| profile.counts.get(code as usize)).copied().unwrap_or(0);
            values = 1;
        }
        for &child in &node.children {
            let below = self.sum(child, profile);
            (rows, values, level) = (rows + below.0, values + below.1, level.max(below.2 + 1));
        }
        if self.rows.len() <= id {
            self.rows.resize(id + 1, 0);
            self.values.resize(id + 1, 0);
            self.levels.resize(id + 1, 0);
        }
        (self.rows[id], self.values[id], self.levels[id]) = (rows, values, level);
        (rows, values, level)
    }

    /// The root with a few levels below it.
    pub(super) fn root(&self) -> Option<NodeView> {
        self.node(self.editor.root(), DEPTH, 0)
    }

    /// A node with its children from this place on.
    pub(super) fn part(&self, id: NodeId, from: usize) -> Option<NodeView> {
        self.node(id, 1, from)
    }

    fn node(&self, id: NodeId, depth: usize, from: usize) -> Option<NodeView> {
        let node = self.editor.node(id)?;
        let shown = node.children.iter().skip(from).take(MOST_CHILDREN);
        let children =
            (depth > 0).then(|| shown.filter_map(|&child| self.node(child, depth - 1, 0)).collect::<Vec<_>>());
        let more = children
            .as_ref()
            .map_or(node.children.len(), |children| node.children.len().saturating_sub(from + children.len()));
        Some(NodeView {
            id: format!("n{id}"),
            label: self.with_labels.then(|| node.label.clone()),
            level: self.levels.get(id).copied().unwrap_or(0),
            rows: self.rows.get(id).copied().unwrap_or(0),
            values: self.values.get(id).copied().unwrap_or(0),
            is_value: node.is_value,
            children,
            more,
        })
    }
}

/// The number in the name of a node.
pub(super) fn node_id(name: &str) -> Option<NodeId> {
    name.strip_prefix('n').and_then(|number| number.parse().ok())
}
