//! What one step down the hierarchy of one quasi-identifier makes of a node: its children, each counted up by kind.

use super::Specializer;
use crate::solver::numbers::{pair, unpair};

/// A node as it is tried: the leaves and the kind of each of its members side by side, so that the table's memory is
/// visited once for all quasi-identifiers.
#[derive(Default)]
pub(super) struct NodeRows {
    /// Member by member, its leaf of each quasi-identifier, then its kind.
    rows: Vec<u32>,
    /// The first and the last leaf of each quasi-identifier.
    pub(super) spans: Vec<(u32, u32)>,
}

impl NodeRows {
    /// Looks at the members of another node.
    pub(super) fn fill(&mut self, walk: &Specializer<'_, '_>, members: &[(usize, u64)]) {
        self.rows.clear();
        self.rows.reserve(members.len() * (walk.levels.width() + 1));
        self.spans.clear();
        self.spans.resize(walk.levels.width(), (u32::MAX, 0));
        for &(tuple, _) in members {
            let leaves = walk.levels.leaves(tuple);
            for (span, &leaf) in self.spans.iter_mut().zip(leaves) {
                *span = (span.0.min(leaf), span.1.max(leaf));
            }
            self.rows.extend_from_slice(leaves);
            self.rows.push(walk.kinds.number(tuple));
        }
    }

    /// The leaf of a quasi-identifier and the kind, member by member.
    fn leaf_and_kind(&self, quasi: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.rows.chunks_exact(self.spans.len() + 1).map(move |row| (row[quasi], row[row.len() - 1]))
    }

    /// The sum of the lowest levels on which the members agree.
    pub(super) fn height(&self, walk: &Specializer<'_, '_>) -> usize {
        (0..).zip(&self.spans).map(|(quasi, &(first, last))| walk.levels.common(quasi, first, last)).sum()
    }
}

/// The children of a node along one quasi-identifier.
#[derive(Default)]
pub(super) struct Trial {
    pub(super) quasi: usize,
    /// The level of the children.
    level: usize,
    /// The children that have rows, by the number of their node.
    pub(super) children: Vec<TrialChild>,
    /// The rows of each child by kind, one child after the other.
    counts: Vec<(usize, u64)>,
}

/// A child of a node.
pub(super) struct TrialChild {
    /// The number of its node on its level.
    number: u32,
    pub(super) rows: u64,
    /// Where its rows by kind end.
    end: usize,
}

/// Memory that is used for one trial after the other.
#[derive(Default)]
pub(super) struct Sums {
    dense: Vec<u64>,
    sparse: Vec<(u64, u64)>,
}

impl Trial {
    /// The children of these members on the highest level where they part.
    pub(super) fn fill(
        &mut self,
        walk: &Specializer<'_, '_>,
        members: &[(usize, u64)],
        local: &NodeRows,
        quasi: usize,
        sums: &mut Sums,
    ) {
        let (first, last) = local.spans[quasi];
        (self.quasi, self.level) = (quasi, walk.levels.common(quasi, first, last) - 1);
        self.children.clear();
        self.counts.clear();
        let nodes = walk.levels.nodes(quasi, self.level);
        let (first, last) = (nodes[first as usize], nodes[last as usize]);
        let kinds = walk.kinds.count();
        let width = (last - first) as usize + 1;
        let rows = members.iter().zip(local.leaf_and_kind(quasi));
        let rows = rows.map(|(&(_, rows), (leaf, kind))| (nodes[leaf as usize], kind, rows));
        if width.saturating_mul(kinds) <= 4 * members.len() + 64 {
            sums.dense.clear();
            sums.dense.resize(width * kinds, 0);
            rows.for_each(|(node, kind, rows)| sums.dense[(node - first) as usize * kinds + kind as usize] += rows);
            for (number, child) in (first..).zip(sums.dense.chunks_exact(kinds)) {
                for (kind, &rows) in child.iter().enumerate().filter(|&(_, &rows)| rows > 0) {
                    self.count(number, walk.kinds.sample(kind), rows);
                }
            }
        } else {
            // Too few members for an array of all children and kinds: they are sorted instead.
            sums.sparse.clear();
            sums.sparse.extend(rows.map(|(node, kind, rows)| (pair(node, kind), rows)));
            sums.sparse.sort_unstable();
            for alike in sums.sparse.chunk_by(|a, b| a.0 == b.0) {
                let rows = alike.iter().map(|entry| entry.1).sum();
                let (number, kind) = unpair(alike[0].0);
                self.count(number, walk.kinds.sample(kind as usize), rows);
            }
        }
    }

    /// Adds rows of a kind to the last child, or to a new one.
    fn count(&mut self, number: u32, sample: usize, rows: u64) {
        self.counts.push((sample, rows));
        let end = self.counts.len();
        match self.children.last_mut().filter(|child| child.number == number) {
            Some(child) => (child.rows, child.end) = (child.rows + rows, end),
            None => self.children.push(TrialChild { number, rows, end }),
        }
    }

    /// The rows of a child by kind.
    pub(super) fn counts(&self, child: usize) -> &[(usize, u64)] {
        let start = if child == 0 { 0 } else { self.children[child - 1].end };
        &self.counts[start..self.children[child].end]
    }

    /// The child of each member.
    pub(super) fn child_of<'a>(
        &'a self,
        walk: &'a Specializer<'_, '_>,
        local: &'a NodeRows,
    ) -> impl Iterator<Item = usize> + 'a {
        let nodes = walk.levels.nodes(self.quasi, self.level);
        local.leaf_and_kind(self.quasi).map(|(leaf, _)| {
            // Every member was counted, so its child is among them.
            self.children.partition_point(|child| child.number < nodes[leaf as usize])
        })
    }
}
