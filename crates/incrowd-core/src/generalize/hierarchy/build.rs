//! From lines of labels to numbered nodes: the one way in which every hierarchy is made.

use std::cmp::Reverse;

use ahash::AHashMap;

use super::{Hierarchy, HierarchyError, Node, ROOT_LABEL};
use crate::numbers::to_u32;

/// The number of the root among the drafts.
const ROOT: u32 = 0;

/// A node that does not know its leaves yet.
struct NodeDraft {
    label: Box<str>,
    parent: u32,
    line: usize,
}

/// Collects lines, leaf by leaf. A node is known by its level and label.
pub(crate) struct HierarchyBuilder {
    height: usize,
    drafts: Vec<NodeDraft>,
    by_label: Vec<AHashMap<Box<str>, u32>>,
    /// For each leaf its drafts on the levels 0..=height.
    paths: Vec<u32>,
}

/// The leaves below a node, both ends included, and the lowest level on which it occurs.
#[derive(Clone, Copy)]
struct NodeRange {
    lo: u32,
    hi: u32,
    level: u32,
}

impl NodeRange {
    fn has_leaves_of(&self, other: &NodeRange) -> bool {
        (self.lo, self.hi) == (other.lo, other.hi)
    }
}

impl HierarchyBuilder {
    /// For lines of `height` labels below a root of this name.
    pub(crate) fn new(height: usize, root: &str) -> Self {
        let root = NodeDraft { label: root.into(), parent: ROOT, line: 0 };
        HierarchyBuilder { height, drafts: vec![root], by_label: vec![AHashMap::new(); height], paths: Vec::new() }
    }

    /// Adds a leaf with the labels above it, the root left out.
    pub(crate) fn add<S: AsRef<str>>(&mut self, line: usize, labels: &[S]) -> Result<(), HierarchyError> {
        debug_assert_eq!(labels.len(), self.height, "one label per level");
        let start = self.paths.len();
        self.paths.resize(start + self.height + 1, ROOT);
        let missing = labels.iter().take_while(|label| label.as_ref().is_empty()).count();
        let mut parent = ROOT;
        for level in (0..self.height).rev() {
            let label = labels[level].as_ref();
            if level > 0 {
                if parent == ROOT && *label == *self.drafts[ROOT as usize].label {
                    continue;
                }
                if label == ROOT_LABEL {
                    return Err(HierarchyError::StarBelowRoot { line, level });
                }
                if label.is_empty() && level >= missing {
                    return Err(HierarchyError::EmptyLabel { line, level });
                }
            }
            parent = self.node(line, level, label, parent)?;
            self.paths[start + level] = parent;
        }
        Ok(())
    }

    fn node(&mut self, line: usize, level: usize, label: &str, parent: u32) -> Result<u32, HierarchyError> {
        if let Some(&known) = self.by_label[level].get(label) {
            let draft = &self.drafts[known as usize];
            let first = draft.line;
            return if level == 0 {
                Err(HierarchyError::DuplicateLeaf { line, first })
            } else if draft.parent != parent {
                Err(HierarchyError::TwoParents { line, first, level })
            } else {
                Ok(known)
            };
        }
        let new = to_u32(self.drafts.len());
        self.drafts.push(NodeDraft { label: label.into(), parent, line });
        self.by_label[level].insert(label.into(), new);
        Ok(new)
    }

    /// Refuses a label that stands for different leaves in different places: published, the two could not be told
    /// apart, and classes that differ would look like one.
    fn refuse_same_labels(&self, ranges: &[NodeRange]) -> Result<(), HierarchyError> {
        let mut first: AHashMap<&str, u32> = AHashMap::new();
        // Drafts are numbered as they first appear, so the first two places of the file are named.
        for (draft, range) in (0..).zip(ranges) {
            let NodeDraft { label, line, .. } = &self.drafts[draft as usize];
            let known = *first.entry(label).or_insert(draft);
            let known_range = &ranges[known as usize];
            if range.has_leaves_of(known_range) {
                continue;
            }
            let (line, level) = (*line, range.level as usize);
            return Err(match known {
                ROOT => HierarchyError::SameAsRoot { line, level },
                _ => {
                    let (first, first_level) = (self.drafts[known as usize].line, known_range.level as usize);
                    HierarchyError::SameLabel { line, level, first, first_level }
                }
            });
        }
        Ok(())
    }

    /// Numbers leaves and nodes.
    pub(crate) fn finish(self) -> Result<Hierarchy, HierarchyError> {
        let levels = self.height + 1;
        if self.paths.is_empty() {
            return Err(HierarchyError::Empty);
        }
        // Drafts are numbered as they first appear, so this keeps the file's order wherever the tree allows it.
        let mut lines: Vec<&[u32]> = self.paths.chunks_exact(levels).collect();
        lines.sort_by(|a, b| a.iter().rev().cmp(b.iter().rev()));

        let mut ranges: Vec<Option<NodeRange>> = vec![None; self.drafts.len()];
        for (leaf, line) in (0..).zip(&lines) {
            for (level, &draft) in (0..).zip(*line) {
                let range = ranges[draft as usize].get_or_insert(NodeRange { lo: leaf, hi: leaf, level });
                (range.hi, range.level) = (leaf, range.level.min(level));
            }
        }
        let ranges: Vec<NodeRange> = ranges.into_iter().flatten().collect();
        self.refuse_same_labels(&ranges)?;

        // A label repeated over the same leaves is the node below it. The root stays a node of its own.
        let mut same: Vec<u32> = (0..to_u32(self.drafts.len())).collect();
        for pair in lines.iter().flat_map(|line| line.windows(2)) {
            let (below, above) = (pair[0] as usize, pair[1] as usize);
            let repeats = ranges[below].has_leaves_of(&ranges[above]);
            if pair[1] != ROOT && repeats && self.drafts[below].label == self.drafts[above].label {
                same[above] = same[below];
            }
        }

        let mut order: Vec<u32> = (0..to_u32(same.len())).filter(|&draft| same[draft as usize] == draft).collect();
        order.sort_by_key(|&draft| {
            let NodeRange { lo, hi, level } = ranges[draft as usize];
            (draft != ROOT, lo, Reverse(hi), Reverse(level))
        });
        let mut number = vec![0; same.len()];
        order.iter().enumerate().for_each(|(index, &draft)| number[draft as usize] = to_u32(index));
        let paths: Vec<u32> =
            lines.iter().flat_map(|line| line.iter().map(|&d| number[same[d as usize] as usize])).collect();

        let mut parents = vec![None; order.len()];
        for pair in paths.chunks_exact(levels).flat_map(|line| line.windows(2)).filter(|pair| pair[0] != pair[1]) {
            parents[pair[0] as usize] = Some(pair[1]);
        }
        let mut drafts: Vec<Option<NodeDraft>> = self.drafts.into_iter().map(Some).collect();
        let nodes = order.iter().zip(parents).map(|(&draft, parent)| {
            let NodeRange { lo, hi, level } = ranges[draft as usize];
            let label = drafts[draft as usize].take().map(|draft| draft.label).unwrap_or_default();
            Node { label, parent, lo, hi, level }
        });
        Ok(Hierarchy { nodes: nodes.collect(), height: to_u32(self.height), paths })
    }
}
