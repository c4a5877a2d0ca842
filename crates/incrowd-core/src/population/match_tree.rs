//! How many tuples lie under given cells: a kd-tree over the tuples of a population.
//!
//! J. L. Bentley, "Multidimensional binary search trees used for associative searching", CACM 1975. A node knows the
//! hull of its tuples in every column and how many people they are: where the asked cells hold the hull, all of them
//! are counted at once; where a column of the hull does not meet its cell, none is. Cells are ranges of leaves or sets
//! of bits, and so are hulls.

use super::PlacedTuple;
use crate::{Cell, LeafCount};

/// Maximum number of tuples that are looked at one by one.
const FEW: usize = 12;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct MatchTree {
    kinds: Vec<LeafCount>,
    tuples: Vec<PlacedTuple>,
    /// The root is the last.
    nodes: Vec<TreePart>,
}

/// Some neighbouring tuples.
#[derive(Clone, Debug, PartialEq)]
struct TreePart {
    start: usize,
    end: usize,
    people: u64,
    hull: Vec<Cell>,
    halves: Option<(usize, usize)>,
}

impl MatchTree {
    pub(super) fn new(kinds: Vec<LeafCount>, tuples: Vec<PlacedTuple>) -> Self {
        let count = tuples.len();
        let mut tree = MatchTree { kinds, tuples, nodes: Vec::new() };
        if count > 0 {
            tree.build(0, count);
        }
        tree
    }

    /// Makes the node of the tuples `start..end`; its number.
    fn build(&mut self, start: usize, end: usize) -> usize {
        let hull: Vec<Cell> = (0..self.kinds.len())
            .map(|at| {
                let cells = self.tuples[start..end].iter().map(|tuple| tuple.cells[at]);
                cells.reduce(|one, other| hull(self.kinds[at], one, other)).unwrap_or(Cell::from_bits(0))
            })
            .collect();
        let people = self.tuples[start..end].iter().map(|tuple| tuple.people).sum();
        let mut halves = None;
        if end - start > FEW
            && let Some(at) = self.widest(start, end)
        {
            let middle = start + (end - start) / 2;
            self.tuples[start..end].select_nth_unstable_by_key(middle - start, |tuple| tuple.cells[at]);
            halves = Some((self.build(start, middle), self.build(middle, end)));
        }
        self.nodes.push(TreePart { start, end, people, hull, halves });
        self.nodes.len() - 1
    }

    /// The column in which these tuples have the most values, if they have several in any.
    fn widest(&self, start: usize, end: usize) -> Option<usize> {
        let values = |at: usize| {
            let mut cells: Vec<Cell> = self.tuples[start..end].iter().map(|tuple| tuple.cells[at]).collect();
            cells.sort_unstable();
            cells.dedup();
            cells.len()
        };
        let most = (0..self.kinds.len()).map(|at| (values(at), at)).max_by_key(|&(count, at)| (count, usize::MAX - at));
        most.filter(|most| most.0 > 1).map(|most| most.1)
    }

    /// How many people lie under these cells; counting ends when there are `enough`.
    pub(super) fn matching(&self, cells: &[Cell], enough: u64) -> u64 {
        let (mut found, mut open) = (0u64, Vec::new());
        open.extend(self.nodes.len().checked_sub(1));
        while let Some(node) = open.pop() {
            let node = &self.nodes[node];
            if found >= enough {
                break;
            }
            let pairs = || self.kinds.iter().zip(cells).zip(&node.hull);
            if pairs().any(|((&kind, &cell), &hull)| !meets(kind, cell, hull)) {
                continue;
            }
            if pairs().all(|((&kind, &cell), &hull)| holds(kind, cell, hull)) {
                found = found.saturating_add(node.people);
                continue;
            }
            match node.halves {
                Some((left, right)) => open.extend([right, left]),
                None => {
                    let lies_under = |tuple: &&PlacedTuple| self.all_hold(cells, &tuple.cells);
                    let people = self.tuples[node.start..node.end].iter().filter(lies_under).map(|tuple| tuple.people);
                    found = found.saturating_add(people.sum());
                }
            }
        }
        found
    }

    /// How many people have cells that hold these leaves.
    pub(super) fn holding(&self, leaves: &[Cell]) -> u64 {
        let (mut found, mut open) = (0u64, Vec::new());
        open.extend(self.nodes.len().checked_sub(1));
        while let Some(node) = open.pop() {
            let node = &self.nodes[node];
            if !self.all_hold(&node.hull, leaves) {
                continue;
            }
            match node.halves {
                Some((left, right)) => open.extend([right, left]),
                None => {
                    let holds = |tuple: &&PlacedTuple| self.all_hold(&tuple.cells, leaves);
                    let people = self.tuples[node.start..node.end].iter().filter(holds).map(|tuple| tuple.people);
                    found = found.saturating_add(people.sum());
                }
            }
        }
        found
    }

    fn all_hold(&self, outer: &[Cell], inner: &[Cell]) -> bool {
        self.kinds.iter().zip(outer).zip(inner).all(|((&kind, &outer), &inner)| holds(kind, outer, inner))
    }
}

/// What holds both and need not be a cell.
fn hull(kind: LeafCount, one: Cell, other: Cell) -> Cell {
    match kind {
        LeafCount::Bits => Cell::from_bits(one.bits() | other.bits()),
        LeafCount::Range => {
            let ((one_lo, one_hi), (other_lo, other_hi)) = (one.ends(), other.ends());
            Cell::range(one_lo.min(other_lo), one_hi.max(other_hi))
        }
    }
}

fn holds(kind: LeafCount, outer: Cell, inner: Cell) -> bool {
    hull(kind, outer, inner) == outer
}

fn meets(kind: LeafCount, one: Cell, other: Cell) -> bool {
    match kind {
        LeafCount::Bits => one.bits() & other.bits() != 0,
        LeafCount::Range => {
            let ((one_lo, one_hi), (other_lo, other_hi)) = (one.ends(), other.ends());
            one_lo <= other_hi && other_lo <= one_hi
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn range() -> impl Strategy<Value = Cell> {
        (0u32..9, 0u32..9).prop_map(|(one, other)| Cell::range(one.min(other), one.max(other)))
    }

    fn cells() -> impl Strategy<Value = Vec<Cell>> {
        (range(), range(), 1u64..32).prop_map(|(one, two, bits)| vec![one, two, Cell::from_bits(bits)])
    }

    fn tuples() -> impl Strategy<Value = Vec<PlacedTuple>> {
        let tuple = (cells(), 1u64..4).prop_map(|(cells, people)| PlacedTuple { cells, people });
        prop::collection::vec(tuple, 0..200)
    }

    proptest! {
        #[test]
        fn a_tree_counts_as_one_who_looks_at_every_tuple(tuples in tuples(), cells in cells(), enough in 1u64..100) {
            let kinds = vec![LeafCount::Range, LeafCount::Range, LeafCount::Bits];
            let tree = MatchTree::new(kinds.clone(), tuples.clone());
            let under = |outer: &[Cell], inner: &[Cell]| {
                let (bits, others) = (inner[2].bits() & !outer[2].bits() == 0, outer.iter().zip(inner).take(2));
                bits && others.into_iter().all(|(outer, inner)| {
                    outer.ends().0 <= inner.ends().0 && inner.ends().1 <= outer.ends().1
                })
            };
            let matching: u64 = tuples.iter().filter(|tuple| under(&cells, &tuple.cells)).map(|tuple| tuple.people).sum();
            prop_assert_eq!(tree.matching(&cells, u64::MAX), matching);
            prop_assert_eq!(tree.matching(&cells, enough) >= enough, matching >= enough);
            let holding: u64 = tuples.iter().filter(|tuple| under(&tuple.cells, &cells)).map(|tuple| tuple.people).sum();
            prop_assert_eq!(tree.holding(&cells), holding);
        }
    }
}
