//! The search: raise what is rare, then lower what was raised for nothing.

use std::collections::BTreeMap;

use incrowd_core::{Cancel, Hierarchy, Stopped};

use super::combinations::{combination_count, rare_combinations};

/// The combinations that are counted in all while labels are lowered again.
const LOWERING_EFFORT: u64 = 1 << 28;

/// The root, which is the first node: the label of items that are not shown.
const ROOT: u32 = 0;

/// What each item is published as: itself, a node above it, or the root. No label but the root is above another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemCut<'h> {
    hierarchy: &'h Hierarchy,
    /// The node of each leaf.
    leaves: Vec<u32>,
    /// What each node is published as.
    labels: Vec<u32>,
}

impl<'h> ItemCut<'h> {
    /// Every item is published as itself.
    pub fn leaves(hierarchy: &'h Hierarchy) -> ItemCut<'h> {
        let mut leaves = vec![ROOT; hierarchy.leaf_count() as usize];
        let mut labels = Vec::with_capacity(hierarchy.nodes().len());
        for (number, node) in (0u32..).zip(hierarchy.nodes()) {
            labels.push(number);
            if node.level() == 0 {
                leaves[*node.leaves().start() as usize] = number;
            }
        }
        ItemCut { hierarchy, leaves, labels }
    }

    /// The cut in which leaves have these nodes above them as labels.
    pub fn of_labels(hierarchy: &'h Hierarchy, given: &[(u32, u32)]) -> ItemCut<'h> {
        let mut cut = ItemCut::leaves(hierarchy);
        given.iter().filter(|(_, label)| *label != ROOT).for_each(|&(_, label)| cut.raise_to(label));
        for &(leaf, _) in given.iter().filter(|(_, label)| *label == ROOT) {
            cut.hide(cut.leaves[leaf as usize]);
        }
        cut
    }

    /// The node of a leaf.
    pub fn leaf(&self, leaf: u32) -> u32 {
        self.leaves[leaf as usize]
    }

    /// The label of a leaf.
    pub fn label(&self, leaf: u32) -> &'h str {
        self.hierarchy.nodes()[self.labels[self.leaf(leaf) as usize] as usize].label()
    }

    /// Raises items until any `known` or fewer labels that a row has together, at least k rows have together. `sets` are
    /// nodes with their rows. Says whether that can be had: not when some and fewer than k rows have items.
    pub fn raise(&mut self, sets: &[(Vec<u32>, u64)], k: u64, known: usize, cancel: &Cancel) -> Result<bool, Stopped> {
        let weights = self.weights(sets);
        for size in 1..=known {
            loop {
                go_on(cancel)?;
                let rare = rare_combinations(&self.seen(sets), size, k);
                if rare.is_empty() {
                    break;
                }
                let before = self.labels.clone();
                for (nodes, _) in &rare {
                    // One that was raised for another combination makes this one another, which is counted again.
                    if nodes.iter().all(|&node| self.labels[node as usize] == node) {
                        self.make_coarser(nodes, &weights);
                    }
                }
                if self.labels == before {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Raises one of the labels to its parent, or hides it, whatever costs least. If only the root is among them, the label
    /// that costs least is hidden.
    fn make_coarser(&mut self, nodes: &[u32], weights: &[u64]) {
        let all: Vec<u32>;
        let shown = match nodes {
            [ROOT] => {
                all = self.labels_in_use();
                &all
            }
            _ => nodes,
        };
        let mut best: Option<(f64, u32, bool)> = None;
        for &node in shown.iter().filter(|&&node| node != ROOT) {
            let parent =
                self.hierarchy.nodes()[node as usize].parent().filter(|&parent| parent != ROOT && nodes != [ROOT]);
            let raised = parent.map(|parent| (self.cost_of_raising(parent, weights), parent, true));
            for step in raised.into_iter().chain([(self.cost_of_hiding(node, weights), node, false)]) {
                if best.is_none_or(|best| step.0 < best.0) {
                    best = Some(step);
                }
            }
        }
        match best {
            Some((_, parent, true)) => self.raise_to(parent),
            Some((_, node, false)) => self.hide(node),
            None => {}
        }
    }

    /// Lowers labels to their children and shows hidden items again, the dearest first, where the rule of
    /// [`ItemCut::raise`] still holds.
    pub fn lower(&mut self, sets: &[(Vec<u32>, u64)], k: u64, known: usize, cancel: &Cancel) -> Result<(), Stopped> {
        let weights = self.weights(sets);
        let is_hidden = |leaf: &u32| self.labels[*leaf as usize] == ROOT;
        let mut steps: Vec<u32> = self.leaves.iter().copied().filter(is_hidden).chain(self.labels_in_use()).collect();
        let mut effort = 0u64;
        loop {
            go_on(cancel)?;
            steps.retain(|&node| {
                self.labels[node as usize] != node || self.hierarchy.nodes()[node as usize].level() > 0
            });
            let saved = |node: u32| {
                let leaves = self.hierarchy.nodes()[node as usize].leaves();
                leaves
                    .map(|leaf| self.share(self.labels[self.leaf(leaf) as usize]) * weights[leaf as usize] as f64)
                    .sum()
            };
            let dearest = (0..steps.len()).max_by(|&one, &other| {
                let [one, other]: [f64; 2] = [saved(steps[one]), saved(steps[other])];
                one.total_cmp(&other)
            });
            let Some(at) = dearest else { return Ok(()) };
            let node = steps.swap_remove(at);
            let mut lowered = self.clone();
            let more = if self.labels[node as usize] == node { lowered.lower_from(node) } else { lowered.show(node) };
            let seen = lowered.seen(sets);
            effort = (1..=known).map(|size| combination_count(&seen, size)).fold(effort, u64::saturating_add);
            if effort > LOWERING_EFFORT {
                return Ok(());
            }
            if (1..=known).all(|size| rare_combinations(&seen, size, k).is_empty()) {
                *self = lowered;
                steps.extend(more);
            }
        }
    }

    /// The loss: for each item of a row the share of the other leaves that its label covers. One that is hidden costs 1.
    pub fn loss(&self, sets: &[(Vec<u32>, u64)]) -> f64 {
        let label = |leaf: &u32| self.share(self.labels[*leaf as usize]);
        self.leaves.iter().zip(self.weights(sets)).map(|(leaf, rows)| label(leaf) * rows as f64).sum()
    }

    /// Sets as they are published: equal ones together, each label once.
    fn seen(&self, sets: &[(Vec<u32>, u64)]) -> Vec<(Vec<u32>, u64)> {
        let mut seen: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        for (nodes, rows) in sets {
            let mut labels: Vec<u32> = nodes.iter().map(|&node| self.labels[node as usize]).collect();
            labels.sort_unstable();
            labels.dedup();
            *seen.entry(labels).or_default() += rows;
        }
        seen.into_iter().collect()
    }

    /// The rows that have each leaf. Those that have a node above leaves count for the first of them.
    fn weights(&self, sets: &[(Vec<u32>, u64)]) -> Vec<u64> {
        let mut weights = vec![0; self.leaves.len()];
        for (nodes, rows) in sets {
            for &node in nodes {
                weights[*self.hierarchy.nodes()[node as usize].leaves().start() as usize] += rows;
            }
        }
        weights
    }

    /// The labels that leaves have, but for the root.
    fn labels_in_use(&self) -> Vec<u32> {
        let mut labels: Vec<u32> = self.leaves.iter().map(|&leaf| self.labels[leaf as usize]).collect();
        labels.sort_unstable();
        labels.dedup();
        labels.retain(|&label| label != ROOT);
        labels
    }

    /// What raising everything below a node to it adds to the loss. What is hidden stays so.
    fn cost_of_raising(&self, to: u32, weights: &[u64]) -> f64 {
        let leaves = self.hierarchy.nodes()[to as usize].leaves();
        let shown =
            leaves.map(|leaf| (leaf, self.labels[self.leaf(leaf) as usize])).filter(|(_, label)| *label != ROOT);
        shown.map(|(leaf, label)| (self.share(to) - self.share(label)) * weights[leaf as usize] as f64).sum()
    }

    /// What hiding a label adds to the loss.
    fn cost_of_hiding(&self, label: u32, weights: &[u64]) -> f64 {
        let leaves = self.hierarchy.nodes()[label as usize].leaves();
        let with_label = leaves.filter(|&leaf| self.labels[self.leaf(leaf) as usize] == label);
        with_label.map(|leaf| (1.0 - self.share(label)) * weights[leaf as usize] as f64).sum()
    }

    fn share(&self, node: u32) -> f64 {
        let leaves = self.hierarchy.nodes()[node as usize].leaves();
        match node {
            ROOT => 1.0,
            _ => f64::from(leaves.end() - leaves.start()) / f64::from(self.hierarchy.leaf_count().max(2) - 1),
        }
    }

    /// Publishes everything at and below a node as it, but what is hidden.
    fn raise_to(&mut self, to: u32) {
        for node in self.below(to) {
            if self.labels[node as usize] != ROOT {
                self.labels[node as usize] = to;
            }
        }
    }

    /// Publishes everything at and below a node as the root.
    fn hide(&mut self, node: u32) {
        self.below(node).into_iter().for_each(|node| self.labels[node as usize] = ROOT);
    }

    /// Shows a hidden leaf as the label that others below it have, or as itself, and gives what can be lowered then.
    fn show(&mut self, leaf: u32) -> Vec<u32> {
        let in_use = self.labels_in_use();
        let mut above = self.hierarchy.nodes()[leaf as usize].parent();
        while let Some(node) = above.filter(|node| !in_use.contains(node)) {
            above = self.hierarchy.nodes()[node as usize].parent();
        }
        self.labels[leaf as usize] = above.unwrap_or(leaf);
        Vec::new()
    }

    /// Replaces a label by the children of its node, and gives these.
    fn lower_from(&mut self, label: u32) -> Vec<u32> {
        let is_child = |child: &u32| self.hierarchy.nodes()[*child as usize].parent() == Some(label);
        let children: Vec<u32> = self.below(label).into_iter().filter(is_child).collect();
        children.iter().for_each(|&child| self.raise_to(child));
        children
    }

    /// The nodes at and below a node. Nodes are in pre-order, so these are contiguous.
    fn below(&self, node: u32) -> Vec<u32> {
        let leaves = self.hierarchy.nodes()[node as usize].leaves();
        let nodes = (node..).zip(&self.hierarchy.nodes()[node as usize..]);
        nodes.take_while(|(_, below)| below.leaves().end() <= leaves.end()).map(|(number, _)| number).collect()
    }
}

fn go_on(cancel: &Cancel) -> Result<(), Stopped> {
    if cancel.is_cancelled() { Err(Stopped) } else { Ok(()) }
}
