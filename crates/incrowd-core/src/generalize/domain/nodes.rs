//! The inner nodes of a tree as ranges of leaf codes, and the levels of its hierarchy as cells.

use serde::{Deserialize, Serialize};

use crate::numbers::to_u32;
use crate::{Cell, Hierarchy};

/// The nodes that hold two leaves or more, parents first. A node over the same leaves as its parent takes its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct NestedCells {
    cells: Vec<Cell>,
    parents: Vec<u32>,
    labels: Vec<Box<str>>,
    /// For each leaf the smallest of the nodes that holds it.
    above: Vec<u32>,
    /// Whether a node below the root holds all leaves.
    named_top: bool,
}

impl NestedCells {
    pub(super) fn new(hierarchy: &Hierarchy) -> Self {
        let leaves = hierarchy.leaf_count() as usize;
        let mut nodes =
            NestedCells { cells: vec![], parents: vec![], labels: vec![], above: vec![0; leaves], named_top: false };
        for node in hierarchy.nodes() {
            let (lo, hi) = node.leaves().into_inner();
            if lo == hi {
                continue;
            }
            let parent = nodes.above[lo as usize];
            if nodes.cells.get(parent as usize) == Some(&Cell::range(lo, hi)) {
                nodes.labels[parent as usize] = node.label().into();
                nodes.named_top |= parent == 0;
                continue;
            }
            let number = to_u32(nodes.cells.len());
            nodes.above[lo as usize..=hi as usize].fill(number);
            nodes.cells.push(Cell::range(lo, hi));
            nodes.parents.push(parent);
            nodes.labels.push(node.label().into());
        }
        nodes
    }

    pub(super) fn leaf_count(&self) -> u32 {
        to_u32(self.above.len())
    }

    pub(super) fn top_has_a_name(&self) -> bool {
        self.named_top
    }

    /// The smallest node that holds the leaves `lo..=hi`; a single leaf is itself.
    #[inline]
    pub(super) fn close(&self, lo: u32, hi: u32) -> Cell {
        if lo == hi { Cell::range(lo, hi) } else { self.cells[self.node(lo, hi)] }
    }

    /// The label of a cell of two leaves or more.
    pub(super) fn label(&self, cell: Cell) -> &str {
        let (lo, hi) = cell.ends();
        &self.labels[self.node(lo, hi)]
    }

    #[inline]
    fn node(&self, lo: u32, hi: u32) -> usize {
        // Each node on the way up from `lo` holds `lo`, so only the upper end is left to ask.
        let mut node = self.above[lo as usize] as usize;
        while self.cells[node].ends().1 < hi {
            node = self.parents[node] as usize;
        }
        node
    }
}

/// What each level of a hierarchy makes of each leaf.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Levels {
    height: usize,
    /// Level by level, each with one cell per leaf.
    cells: Vec<Cell>,
}

impl Levels {
    pub(super) fn new(hierarchy: &Hierarchy) -> Self {
        let cell = |leaf, level| {
            let (lo, hi) = hierarchy.at_level(leaf, level).leaves().into_inner();
            Cell::range(lo, hi)
        };
        let leaves = 0..hierarchy.leaf_count();
        let cells = (0..=hierarchy.height()).flat_map(|level| leaves.clone().map(move |leaf| cell(leaf, level)));
        Levels { height: hierarchy.height(), cells: cells.collect() }
    }

    pub(super) fn height(&self) -> usize {
        self.height
    }

    pub(super) fn at(&self, leaf: u32, level: usize) -> Cell {
        let leaves = self.cells.len() / (self.height + 1);
        assert!((leaf as usize) < leaves && level <= self.height, "a leaf and a level of the domain");
        self.cells[level * leaves + leaf as usize]
    }
}
