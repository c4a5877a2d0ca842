//! The hierarchies as numbers: which node of each level holds a leaf.
//!
//! A domain numbers its leaves so that those below a node are contiguous. Hence the nodes of a level, numbered in the
//! order of their leaves, are ascending too, and the children of a node are a run of numbers: rows are sorted into them
//! by counting, and the lowest node that holds some leaves is found from the first and the last of them.

use rayon::prelude::*;

use crate::Problem;

/// The leaves of every tuple and the nodes above every leaf.
pub(crate) struct LevelNodes {
    /// How many quasi-identifiers there are.
    width: usize,
    /// Tuple by tuple, its leaf of each quasi-identifier.
    leaves: Vec<u32>,
    /// For each quasi-identifier and level the number of the node that holds each leaf; a number for each node.
    nodes: Vec<Vec<Vec<u32>>>,
}

impl LevelNodes {
    pub(crate) fn new(problem: &Problem<'_>) -> Self {
        let (table, quasis) = (problem.table, problem.quasi_identifiers);
        let leaf = |tuple: usize| (0..quasis.len()).map(move |at| problem.leaf(tuple, at));
        let nodes = quasis.iter().map(|quasi| {
            let level = |level: usize| {
                let mut cells = (0..quasi.domain.leaf_count()).map(|leaf| quasi.domain.at_level(leaf, level));
                let mut last = cells.next();
                let numbers = cells.scan(0, |number, cell| {
                    *number += u32::from(last.replace(cell) != Some(cell));
                    Some(*number)
                });
                std::iter::once(0).chain(numbers).collect::<Vec<u32>>()
            };
            (0..=quasi.height()).map(level).collect()
        });
        let nodes = nodes.collect();
        let leaves = (0..table.tuples()).into_par_iter().flat_map_iter(leaf).collect();
        LevelNodes { width: quasis.len(), leaves, nodes }
    }

    /// How many quasi-identifiers there are.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// How many levels are above the leaves of a quasi-identifier.
    pub(crate) fn height(&self, quasi: usize) -> usize {
        self.nodes[quasi].len() - 1
    }

    /// The leaves of a tuple, one for each quasi-identifier.
    #[inline]
    pub(crate) fn leaves(&self, tuple: usize) -> &[u32] {
        &self.leaves[tuple * self.width..][..self.width]
    }

    /// The nodes of a level of a quasi-identifier, leaf by leaf.
    #[inline]
    pub(crate) fn nodes(&self, quasi: usize, level: usize) -> &[u32] {
        &self.nodes[quasi][level]
    }

    /// The lowest level on which one node holds both leaves.
    pub(crate) fn common(&self, quasi: usize, first: u32, last: u32) -> usize {
        let same = |nodes: &Vec<u32>| nodes[first as usize] == nodes[last as usize];
        // Everything is one node on the highest level.
        self.nodes[quasi].iter().position(same).unwrap_or(self.height(quasi))
    }
}
