//! The full-domain lattice of some attributes: a node is one level for each of them.
//!
//! Nodes are numbered with the first attribute most significant, so that all nodes below a node (at most its level
//! everywhere) have smaller numbers, and all nodes that begin with the same levels stand together.

/// The lattice of attributes of these heights.
pub(super) struct Lattice {
    heights: Vec<usize>,
    strides: Vec<usize>,
}

impl Lattice {
    pub(super) fn new(heights: Vec<usize>) -> Self {
        let mut strides = vec![1; heights.len()];
        for at in (1..heights.len()).rev() {
            strides[at - 1] = strides[at] * (heights[at] + 1);
        }
        Lattice { heights, strides }
    }

    /// How many attributes there are.
    pub(super) fn width(&self) -> usize {
        self.heights.len()
    }

    /// The highest level of an attribute.
    pub(super) fn height(&self, at: usize) -> usize {
        self.heights[at]
    }

    /// How many nodes there are.
    pub(super) fn nodes(&self) -> usize {
        self.stretch(0)
    }

    /// How many nodes agree on the levels of the first `depth` attributes.
    pub(super) fn stretch(&self, depth: usize) -> usize {
        if depth == 0 {
            self.heights.first().map_or(1, |height| self.strides[0] * (height + 1))
        } else {
            self.strides[depth - 1]
        }
    }

    /// The level of an attribute in a node.
    pub(super) fn level(&self, node: usize, at: usize) -> usize {
        node / self.strides[at] % (self.heights[at] + 1)
    }

    /// The levels of a node.
    pub(super) fn levels(&self, node: usize) -> impl Iterator<Item = usize> {
        (0..self.width()).map(move |at| self.level(node, at))
    }

    /// The nodes that are one step finer.
    pub(super) fn below(&self, node: usize) -> impl Iterator<Item = usize> {
        (0..self.width()).filter(move |&at| self.level(node, at) > 0).map(move |at| node - self.strides[at])
    }

    /// The number of a node in the lattice without one attribute.
    pub(super) fn without(&self, node: usize, at: usize) -> usize {
        let stride = self.strides[at];
        node / (stride * (self.heights[at] + 1)) * stride + node % stride
    }

    /// How many of some nodes have none of the others strictly below them.
    pub(super) fn minimal(&self, nodes: &[bool]) -> u64 {
        // Ascending, so the nodes one step below know already whether one of them or one further down is among them.
        let mut reached = nodes.to_vec();
        let mut minimal = 0;
        for node in 0..nodes.len() {
            let above = self.below(node).any(|below| reached[below]);
            minimal += u64::from(nodes[node] && !above);
            reached[node] |= above;
        }
        minimal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_numbered_by_their_levels_the_first_attribute_most_significant() {
        let lattice = Lattice::new(vec![1, 0, 2]);
        let levels = |node| lattice.levels(node).collect::<Vec<_>>();
        assert_eq!((lattice.nodes(), lattice.stretch(1), lattice.stretch(3)), (6, 3, 1));
        assert_eq!((levels(0), levels(4)), (vec![0, 0, 0], vec![1, 0, 1]));
        assert_eq!(lattice.below(4).collect::<Vec<_>>(), [1, 3]);
        assert_eq!([0, 1, 2].map(|at| lattice.without(4, at)), [1, 4, 1]);
    }

    #[test]
    fn a_lattice_of_no_attribute_has_one_node() {
        let lattice = Lattice::new(vec![]);
        assert_eq!((lattice.nodes(), lattice.below(0).count(), lattice.minimal(&[true])), (1, 0, 1));
    }

    #[test]
    fn a_node_is_minimal_when_no_node_below_it_is_among_them_however_far_down() {
        let lattice = Lattice::new(vec![1, 2]);
        let among = |nodes: &[usize]| (0..6).map(|node| nodes.contains(&node)).collect::<Vec<bool>>();
        assert_eq!(lattice.minimal(&among(&[0, 5])), 1);
        assert_eq!(lattice.minimal(&among(&[2, 3, 5])), 2);
        assert_eq!(lattice.minimal(&among(&[])), 0);
    }
}
