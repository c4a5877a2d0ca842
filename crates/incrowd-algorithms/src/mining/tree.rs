//! The cells of a quasi-identifier as numbers.
//!
//! Cells are distinguished by their leaves: a node with a single child is the same cell as its child. Numbered by depth
//! and then by leaf, the children of a cell are a run of numbers. Trees may be unbalanced: a leaf is as deep as there
//! are different cells above it.

use incrowd_core::{Cell, QuasiIdentifier};

use crate::solver::numbers::to_u32;

/// The number of the cell of all leaves.
pub(super) const ROOT: u32 = 0;

/// The cells that a domain has on its levels, and what they lose.
pub(super) struct CellTree {
    leaves: usize,
    /// Depth by depth the cell above each leaf; for a leaf that ends higher up, the leaf.
    above: Vec<u32>,
    cells: Vec<Cell>,
    depths: Vec<u32>,
    /// The children of each cell.
    children: Vec<(u32, u32)>,
    prices: Vec<f64>,
}

impl CellTree {
    pub(super) fn new(quasi: &QuasiIdentifier, price: impl Fn(Cell) -> f64) -> Self {
        let domain = &quasi.domain;
        let leaves = domain.leaf_count() as usize;
        let way_down = |leaf: u32| {
            let levels = (0..=domain.height()).rev();
            let mut cells: Vec<Cell> = levels.map(|level| domain.at_level(leaf, level)).collect();
            cells.dedup();
            cells
        };
        let ways: Vec<Vec<Cell>> = (0..domain.leaf_count()).map(way_down).collect();
        let depth = ways.iter().map(Vec::len).max().unwrap_or(0);
        let mut tree =
            CellTree { leaves, above: vec![], cells: vec![], depths: vec![], children: vec![], prices: vec![] };
        for depth in 0..depth {
            for (leaf, way) in ways.iter().enumerate() {
                let parent = depth.checked_sub(1).map(|up| tree.above[up * leaves + leaf]);
                let Some(&cell) = way.get(depth) else {
                    // A leaf that ends higher up has no depth of its own here, so there is a depth above.
                    tree.above.push(parent.unwrap_or(ROOT));
                    continue;
                };
                let last = to_u32(tree.cells.len());
                let begins = tree.cells.last() != Some(&cell);
                if begins {
                    tree.cells.push(cell);
                    tree.depths.push(to_u32(depth));
                    tree.children.push((0, 0));
                    tree.prices.push(price(cell));
                    if let Some(parent) = parent {
                        let children = &mut tree.children[parent as usize];
                        *children = (if children.1 == 0 { last } else { children.0 }, last + 1);
                    }
                }
                tree.above.push(last - u32::from(!begins));
            }
        }
        tree
    }

    /// The children of a cell, none for a leaf.
    #[inline]
    pub(super) fn children(&self, cell: u32) -> std::ops::Range<u32> {
        let (first, end) = self.children[cell as usize];
        first..end
    }

    /// For each leaf below a cell that has children, the child that holds it.
    #[inline]
    pub(super) fn below(&self, cell: u32) -> &[u32] {
        &self.above[(self.depths[cell as usize] as usize + 1) * self.leaves..][..self.leaves]
    }

    /// Whether a cell holds a leaf.
    #[inline]
    pub(super) fn holds(&self, cell: u32, leaf: u32) -> bool {
        self.above[self.depths[cell as usize] as usize * self.leaves + leaf as usize] == cell
    }

    /// The smallest cell that holds some leaves; of none, the cell of all leaves.
    pub(super) fn join(&self, mut leaves: impl Iterator<Item = u32>) -> u32 {
        let Some(first) = leaves.next() else { return ROOT };
        let above = |depth: usize, leaf: u32| self.above[depth * self.leaves + leaf as usize];
        let mut depth = self.above.len() / self.leaves.max(1) - 1;
        for leaf in leaves {
            while above(depth, leaf) != above(depth, first) {
                depth -= 1;
            }
        }
        above(depth, first)
    }

    pub(super) fn cell(&self, number: u32) -> Cell {
        self.cells[number as usize]
    }

    #[inline]
    pub(super) fn price(&self, number: u32) -> f64 {
        self.prices[number as usize]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Dictionary, Hierarchy};

    use super::*;

    #[test]
    fn nodes_with_the_same_leaves_are_one_cell_and_leaves_may_end_early() {
        let lines = "a;ab;abc;*\nb;ab;abc;*\nc;c1;abc;*\nd;d1;d2;*\n";
        let dictionary = Dictionary::of_texts(["a", "b", "c", "d"]);
        let quasi = QuasiIdentifier::new(0, &Hierarchy::read(lines).unwrap(), &dictionary).unwrap();
        let tree = CellTree::new(&quasi, |cell| f64::from(quasi.domain.leaves(cell)));
        assert_eq!(tree.prices, [4.0, 3.0, 1.0, 2.0, 1.0, 1.0, 1.0], "*, abc, d, ab, c, a, b");
        assert_eq!([0, 1, 2, 3].map(|cell| tree.children(cell)), [1..3, 3..5, 0..0, 5..7]);
        assert_eq!((tree.below(ROOT), tree.below(1)), (&[1, 1, 1, 2][..], &[3, 3, 4, 2][..]));
        assert!(tree.holds(3, 1) && !tree.holds(3, 2) && tree.holds(2, 3) && !tree.holds(2, 0));
    }
}
