//! How the rows of generalized classes are spread over the children of their nodes: what an attacker would like to
//! know.

use std::collections::BTreeMap;

use incrowd_core::{Cell, Domain, FrequencyTable, LeafCount, QuasiIdentifier, Recoding};

/// The children of a node, and which of them holds each leaf of the domain.
struct Children {
    cells: Vec<Cell>,
    of_leaf: Vec<usize>,
}

impl Children {
    fn new(domain: &Domain, node: Cell) -> Self {
        let mut children = Children { cells: Vec::new(), of_leaf: vec![usize::MAX; domain.leaf_count() as usize] };
        for leaf in (0..domain.leaf_count()).filter(|&leaf| domain.contains(node, domain.leaf(leaf))) {
            let ancestors = (0..=domain.height()).rev().map(|level| domain.at_level(leaf, level));
            let below = |cell: &Cell| *cell != node && domain.contains(node, *cell);
            let child = ancestors.into_iter().find(below).unwrap_or_else(|| domain.leaf(leaf));
            // The leaves below a child stand together.
            if children.cells.last() != Some(&child) {
                children.cells.push(child);
            }
            children.of_leaf[leaf as usize] = children.cells.len() - 1;
        }
        children
    }
}

/// For each class of a release, the children of its cell in the quasi-identifier at this place, each with the rows of
/// the class that belong to it. Nothing for a class that is not generalized there along a hierarchy.
pub(in crate::attack) fn spread(
    table: &FrequencyTable,
    quasi_identifiers: &[QuasiIdentifier],
    recoding: &Recoding,
    at: usize,
) -> Vec<Option<Vec<(Cell, u64)>>> {
    let quasi = &quasi_identifiers[at];
    let domain = &quasi.domain;
    if !domain.has_levels() {
        return vec![None; recoding.classes()];
    }
    let node = |class: u32| Some(recoding.cells(class)[at]).filter(|&cell| domain.leaves(cell) > 1);
    let mut known: BTreeMap<Cell, Children> = BTreeMap::new();
    let mut classes = Vec::with_capacity(recoding.classes());
    for class in (0..).take(recoding.classes()) {
        classes.push(node(class).map(|cell| {
            let children = known.entry(cell).or_insert_with(|| Children::new(domain, cell));
            children.cells.iter().map(|&child| (child, 0)).collect::<Vec<(Cell, u64)>>()
        }));
    }
    for tuple in 0..table.tuples() {
        let leaf = quasi.leaves[table.code(tuple, quasi.column) as usize] as usize;
        let published = recoding.targets(tuple).iter().filter(|&&(class, _)| class != Recoding::WITHHELD);
        for &(class, rows) in published {
            if let (Some(cell), Some(spread)) = (node(class), &mut classes[class as usize]) {
                spread[known[&cell].of_leaf[leaf]].1 += rows;
            }
        }
    }
    classes
}

/// For each class that is published as a set or an interval of several values in the quasi-identifier at this place,
/// without a hierarchy: the rows of each value that its label names, all of a set or both ends of an interval. Nothing
/// is named by `*`, nor by a recoding that is not tightened.
pub(in crate::attack) fn named(
    table: &FrequencyTable,
    quasi_identifiers: &[QuasiIdentifier],
    recoding: &Recoding,
    at: usize,
) -> Vec<(u32, Vec<u64>)> {
    let quasi = &quasi_identifiers[at];
    let domain = &quasi.domain;
    if domain.has_levels() || recoding.levels().is_some() {
        return Vec::new();
    }
    let leaves = |cell: Cell| -> Vec<u32> {
        let held = |leaf: &u32| domain.contains(cell, domain.leaf(*leaf));
        let (mut all, mut back) = ((0..domain.leaf_count()).filter(held), (0..domain.leaf_count()).rev());
        match domain.counting() {
            LeafCount::Range => all.next().into_iter().chain(back.find(held)).collect(),
            LeafCount::Bits => all.collect(),
        }
    };
    let told = |class: &u32| {
        let cell = recoding.cells(*class)[at];
        domain.leaves(cell) > 1 && cell != domain.top()
    };
    let mut rows: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for tuple in 0..table.tuples() {
        let leaf = quasi.leaves[table.code(tuple, quasi.column) as usize];
        let published = recoding.targets(tuple).iter().filter(|&&(class, _)| class != Recoding::WITHHELD);
        published.for_each(|&(class, count)| *rows.entry((class, leaf)).or_default() += count);
    }
    let counted = |class: u32, leaf: u32| rows.get(&(class, leaf)).copied().unwrap_or(0);
    (0..)
        .take(recoding.classes())
        .filter(told)
        .map(|class| (class, leaves(recoding.cells(class)[at]).into_iter().map(|leaf| counted(class, leaf)).collect()))
        .collect()
}
