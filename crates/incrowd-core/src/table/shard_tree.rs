//! Which shard a tuple belongs to: a tree of cuts along the leaves of quasi-identifiers.
//!
//! A table whose tuples outgrow memory is cut into shards that are solved one by one. The cuts are found on some of its
//! rows and apply to all of them, so a tree says for any tuple to which side of each cut it belongs: a cut is the first
//! leaves of its parts, and what lies before the first belongs to the first. A tree holds leaf numbers, no values.

use serde::{Deserialize, Serialize};

use crate::numbers::to_u32;

/// Cuts a table into shards, numbered from 0.
///
/// ```
/// use incrowd_core::ShardTree;
/// // The leaves 0–9 of quasi-identifier 0 apart from the rest, which is cut at leaf 5 of quasi-identifier 1.
/// let mut tree = ShardTree::whole();
/// let parts = tree.cut(0, 0, vec![0, 10]);
/// tree.cut(parts[1], 1, vec![0, 5]);
/// let shard = |leaves: [u32; 2]| tree.shard(|quasi| leaves[quasi]);
/// assert_eq!([shard([3, 9]), shard([12, 4]), shard([12, 5])], [0, 1, 2]);
/// assert_eq!(tree.shards(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardTree {
    nodes: Vec<ShardNode>,
    /// The node of each shard.
    shards: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum ShardNode {
    Shard(u32),
    Cut { quasi: usize, starts: Vec<u32>, parts: Vec<usize> },
}

impl ShardTree {
    /// Everything in one shard.
    pub fn whole() -> Self {
        ShardTree { nodes: vec![ShardNode::Shard(0)], shards: vec![0] }
    }

    /// How many shards there are.
    pub fn shards(&self) -> usize {
        self.shards.len()
    }

    /// Cuts a node that is a shard (the root is node 0) along a quasi-identifier: the first leaf of each part, ascending.
    /// Returns the nodes of the parts.
    ///
    /// # Panics
    /// If the node is no shard, or there is no part.
    pub fn cut(&mut self, node: usize, quasi: usize, starts: Vec<u32>) -> Vec<usize> {
        assert!(matches!(self.nodes[node], ShardNode::Shard(_)) && !starts.is_empty(), "a shard is cut into parts");
        let parts: Vec<usize> = (self.nodes.len()..).take(starts.len()).collect();
        self.nodes.extend(parts.iter().map(|_| ShardNode::Shard(0)));
        self.nodes[node] = ShardNode::Cut { quasi, starts, parts: parts.clone() };
        self.number();
        parts
    }

    /// The shard of a tuple with these leaves.
    #[inline]
    pub fn shard(&self, leaf: impl Fn(usize) -> u32) -> u32 {
        let mut node = &self.nodes[0];
        loop {
            match node {
                ShardNode::Shard(shard) => return *shard,
                ShardNode::Cut { quasi, starts, parts } => {
                    let leaf = leaf(*quasi);
                    let part = starts.partition_point(|&start| start <= leaf).saturating_sub(1);
                    node = &self.nodes[parts[part]];
                }
            }
        }
    }

    /// The cuts that divide a shard from others: the quasi-identifier of each, and the first leaf of each of its parts.
    pub fn cuts_around(&self, shard: u32) -> Vec<(usize, &[u32])> {
        let mut part = self.shards[shard as usize];
        let mut cuts = Vec::new();
        while part != 0 {
            let cut = self.nodes.iter().enumerate().find_map(|(at, node)| match node {
                ShardNode::Cut { quasi, starts, parts } if parts.contains(&part) => Some((at, *quasi, &starts[..])),
                _ => None,
            });
            let Some((above, quasi, starts)) = cut else { break };
            cuts.push((quasi, starts));
            part = above;
        }
        cuts
    }

    /// The same cuts with this shard and the part beside it as one shard, the smaller of two. Nothing when there is only one
    /// shard.
    pub fn mended(&self, shard: u32, size: impl Fn(u32) -> u64) -> Option<ShardTree> {
        let leaf = self.shards[shard as usize];
        let place = |(at, node): (usize, &ShardNode)| match node {
            ShardNode::Cut { parts, .. } => Some((at, parts.iter().position(|&part| part == leaf)?)),
            ShardNode::Shard(_) => None,
        };
        let (cut, part) = self.nodes.iter().enumerate().find_map(place)?;
        let mut mended = self.clone();
        if let ShardNode::Cut { starts, parts, .. } = &mut mended.nodes[cut] {
            let beside = [part.wrapping_sub(1), part + 1].into_iter().filter(|&at| at < parts.len());
            let sized = beside.map(|at| (self.below(parts[at]).map(&size).sum::<u64>(), at));
            match sized.min() {
                Some((_, other)) if parts.len() > 2 => {
                    let (kept, gone) = (parts[part.min(other)], part.max(other));
                    starts.remove(gone);
                    parts.remove(gone);
                    mended.nodes[kept] = ShardNode::Shard(0);
                }
                _ => mended.nodes[cut] = ShardNode::Shard(0),
            }
        }
        mended.number();
        Some(mended)
    }

    /// The shards of a node.
    fn below(&self, node: usize) -> impl Iterator<Item = u32> + '_ {
        let mut todo = vec![node];
        std::iter::from_fn(move || {
            loop {
                match &self.nodes[todo.pop()?] {
                    ShardNode::Shard(shard) => return Some(*shard),
                    ShardNode::Cut { parts, .. } => todo.extend(parts),
                }
            }
        })
    }

    /// Numbers the shards that can be reached, first parts first.
    fn number(&mut self) {
        self.shards.clear();
        let mut todo = vec![0];
        while let Some(at) = todo.pop() {
            match &mut self.nodes[at] {
                ShardNode::Shard(shard) => {
                    *shard = to_u32(self.shards.len());
                    self.shards.push(at);
                }
                ShardNode::Cut { parts, .. } => todo.extend(parts.iter().rev()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_shard_that_is_mended_is_one_with_the_smaller_part_beside_it() {
        let mut tree = ShardTree::whole();
        let parts = tree.cut(0, 0, vec![4, 8, 12]);
        tree.cut(parts[1], 1, vec![0, 2]);
        let shards = |tree: &ShardTree| [0, 5, 9, 11, 12].map(|leaf| tree.shard(|quasi| [leaf, leaf % 4][quasi]));
        assert_eq!(shards(&tree), [0, 0, 1, 2, 3]);
        assert_eq!(tree.cuts_around(2), [(1, &[0, 2][..]), (0, &[4, 8, 12][..])]);
        assert_eq!(tree.cuts_around(3), [(0, &[4, 8, 12][..])]);
        let same = |_| 1;
        let once = tree.mended(2, same).unwrap();
        assert_eq!((once.shards(), shards(&once)), (3, [0, 0, 1, 1, 2]), "two parts become one");
        let small_last = |shard: u32| u64::from(9 - shard);
        let last = once.mended(1, small_last).unwrap();
        assert_eq!((last.shards(), shards(&last)), (2, [0, 0, 1, 1, 1]), "the smaller of two neighbours");
        let first = once.mended(1, u64::from).unwrap();
        assert_eq!((first.shards(), shards(&first)), (2, [0, 0, 0, 0, 1]));
        let whole = tree.mended(0, same).unwrap();
        assert_eq!((whole.shards(), shards(&whole)), (2, [0, 0, 0, 0, 1]), "a part that was cut itself");
        let one = last.mended(0, same).unwrap();
        assert_eq!((one.shards(), one.mended(0, same)), (1, None));
    }
}
