//! A hierarchy: the tree over a column's values that says what a value may be generalized to.
//!
//! The field writes it as one line per leaf, `leaf;level 1;…;*`. A label that repeats on the next level of a line, over
//! the same leaves, is one node; a label used again over other leaves is refused, because a reader of a release could
//! not distinguish the two. The root's label repeated at the end of a line is the root itself. Nodes with one child and
//! leaves at different depths are fine.
//!
//! Leaves are numbered so that the leaves below any node are contiguous; children are in the order of the file.
//!
//! Every hierarchy is made by `build.rs` from such lines, whether the lines come from a file (`read.rs`) or from a
//! builder: `flat.rs`, `numeric.rs`, `dates.rs` and `prefix.rs`. `suggest.rs` chooses a builder by the kind of the
//! column. docs/hierarchies.md describes the file format for users.

use crate::numbers::to_u32;

mod build;
mod coverage;
mod dates;
mod error;
mod flat;
mod numeric;
mod prefix;
mod read;
mod suggest;
#[cfg(test)]
mod tests;
mod write;

use serde::{Deserialize, Serialize};

pub(crate) use build::HierarchyBuilder;
pub use coverage::Coverage;
pub(crate) use coverage::leaves_of;
pub use error::HierarchyError;
pub use read::HierarchyReadOptions;
pub use suggest::{Built, Suggestion};

/// The label of the root: every value. A suppressed cell is shown like this.
pub const ROOT_LABEL: &str = "*";

/// A node of a [`Hierarchy`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    label: Box<str>,
    parent: Option<u32>,
    lo: u32,
    hi: u32,
    level: u32,
}

impl Node {
    /// The label; empty for the leaf of the missing value.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The number of the parent node; none for the root.
    pub fn parent(&self) -> Option<u32> {
        self.parent
    }

    /// The leaf codes below the node.
    pub fn leaves(&self) -> std::ops::RangeInclusive<u32> {
        self.lo..=self.hi
    }

    /// The lowest level on which the node stands; leaves have level 0.
    pub fn level(&self) -> usize {
        self.level as usize
    }
}

/// A tree of labelled nodes over the values of a column.
///
/// ```
/// use incrowd_core::Hierarchy;
/// let towns = Hierarchy::read("Ulm;Germany;*\nWien;Austria;*\nBonn;Germany;*\n")?;
/// assert_eq!((towns.height(), towns.leaf_count()), (2, 3));
/// assert_eq!(towns.level_sizes(), [3, 2, 1]);
/// let bonn = towns.leaf("Bonn").expect("a leaf");
/// assert_eq!(towns.at_level(bonn, 1).label(), "Germany");
/// # Ok::<(), incrowd_core::HierarchyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hierarchy {
    /// In pre-order; the root is the first.
    nodes: Vec<Node>,
    /// The levels above a leaf, the root's included.
    height: u32,
    /// For each leaf, its node on each of the levels 0..=height.
    paths: Vec<u32>,
}

impl Hierarchy {
    /// How many steps lead from a leaf to the root: the cells of a line less one.
    pub fn height(&self) -> usize {
        self.height as usize
    }

    /// How many leaves there are.
    pub fn leaf_count(&self) -> u32 {
        to_u32(self.paths.len() / self.levels())
    }

    /// How many levels there are, leaves and root included.
    pub fn levels(&self) -> usize {
        self.height() + 1
    }

    /// The nodes, parents before children; the root is the first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The nodes of one leaf on each level, leaf first, root last.
    ///
    /// # Panics
    /// If there is no such leaf.
    pub fn path(&self, leaf: u32) -> impl DoubleEndedIterator<Item = &Node> + ExactSizeIterator {
        let start = leaf as usize * self.levels();
        self.paths[start..start + self.levels()].iter().map(|&node| &self.nodes[node as usize])
    }

    /// What a leaf is generalized to on a level; level 0 is the leaf itself.
    ///
    /// # Panics
    /// If there is no such leaf or level.
    pub fn at_level(&self, leaf: u32, level: usize) -> &Node {
        assert!(level < self.levels(), "level {level} of a hierarchy of {} levels", self.levels());
        &self.nodes[self.paths[leaf as usize * self.levels() + level] as usize]
    }

    /// The leaf labels by leaf code; the leaf of the missing value has the empty label.
    pub fn leaf_labels(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.leaf_count()).map(|leaf| self.at_level(leaf, 0).label())
    }

    /// The code of the leaf with this label.
    pub fn leaf(&self, label: &str) -> Option<u32> {
        self.leaf_labels().position(|other| other == label).map(to_u32)
    }

    /// The code of the leaf of the missing value, if it has one.
    pub fn missing(&self) -> Option<u32> {
        self.leaf("")
    }

    /// Every node with this label, leaves included.
    pub fn find<'a>(&'a self, label: &'a str) -> impl Iterator<Item = &'a Node> {
        self.nodes.iter().filter(move |node| node.label() == label)
    }

    /// How many different nodes each level has, leaves first.
    pub fn level_sizes(&self) -> Vec<usize> {
        let sizes = (0..self.levels()).map(|level| {
            let mut nodes: Vec<u32> = self.paths.iter().skip(level).step_by(self.levels()).copied().collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes.len()
        });
        sizes.collect()
    }

    /// The same hierarchy with a leaf for the missing value, directly below the root, unless it already has one.
    pub fn with_missing(mut self) -> Self {
        if self.missing().is_none() {
            let (leaf, node) = (self.leaf_count(), to_u32(self.nodes.len()));
            self.nodes.push(Node { label: "".into(), parent: Some(0), lo: leaf, hi: leaf, level: 0 });
            self.nodes[0].hi = leaf;
            self.paths.extend(std::iter::repeat_n(node, self.height()).chain([0]));
        }
        self
    }
}
