//! The literal definition on small tables: every cut of a hierarchy, and every combination of every row.

use incrowd_core::{Cancel, Hierarchy};

use super::ItemCut;

/// A sequence of numbers that look random.
struct Stream(u64);

impl Stream {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// Every cut at or below a node, as the node of each leaf below it.
fn cuts(hierarchy: &Hierarchy, node: u32) -> Vec<Vec<u32>> {
    let whole = vec![node; hierarchy.nodes()[node as usize].leaves().count()];
    let is_child = |number: &u32| hierarchy.nodes()[*number as usize].parent() == Some(node);
    let children: Vec<u32> = (0..u32::try_from(hierarchy.nodes().len()).expect("few nodes")).filter(is_child).collect();
    if children.is_empty() {
        return vec![whole];
    }
    let mut below = vec![Vec::new()];
    for child in children {
        let of_child = cuts(hierarchy, child);
        below = below
            .iter()
            .flat_map(|before: &Vec<u32>| of_child.iter().map(move |after| [&before[..], &after[..]].concat()))
            .collect();
    }
    below.push(whole);
    below
}

/// Whether at least k rows have any `known` or fewer labels that a row has together: each subset of each row is looked up in
/// all rows.
fn keeps(rows: &[Vec<u32>], cut: &[u32], k: usize, known: u32) -> bool {
    let labels = |row: &Vec<u32>| -> u64 { row.iter().fold(0, |set, &leaf| set | 1 << cut[leaf as usize]) };
    let rows: Vec<u64> = rows.iter().map(labels).collect();
    rows.iter().all(|&row| {
        let mut part = row;
        while part > 0 {
            if part.count_ones() <= known && rows.iter().filter(|&&other| other & part == part).count() < k {
                return false;
            }
            part = (part - 1) & row;
        }
        true
    })
}

const HIERARCHIES: [&str; 3] = [
    "a;*\nb;*\nc;*\nd;*\ne;*\n",
    "a;x;*\nb;x;*\nc;y;*\nd;y;*\ne;y;*\nf;z;*\n",
    "a;m;x;*\nb;m;x;*\nc;n;x;*\nd;n;x;*\ne;y;y;*\nf;y;y;*\n",
];

/// The rows of a table, each some leaves.
fn rows(stream: &mut Stream, leaves: u64) -> Vec<Vec<u32>> {
    let row = |stream: &mut Stream| -> Vec<u32> {
        let mut row: Vec<u32> = (0..stream.next(5)).filter_map(|_| u32::try_from(stream.next(leaves)).ok()).collect();
        row.sort_unstable();
        row.dedup();
        row
    };
    (0..1 + stream.next(12)).map(|_| row(stream)).collect()
}

#[test]
fn what_is_found_keeps_the_rule_and_is_refused_only_if_nothing_does() {
    let (mut stream, mut losses, mut tables) = (Stream(11), [0.0; 2], 0);
    for case in 0..600 {
        let hierarchy = Hierarchy::read(HIERARCHIES[case % 3]).expect("a hierarchy");
        let (k, known) = (2 + stream.next(3), 1 + stream.next(3));
        let rows = rows(&mut stream, u64::from(hierarchy.leaf_count()));
        let start = ItemCut::leaves(&hierarchy);
        let sets: Vec<(Vec<u32>, u64)> =
            rows.iter().map(|row| (row.iter().map(|&leaf| start.leaf(leaf)).collect(), 1)).collect();
        let (mut found, size) = (start.clone(), usize::try_from(known).expect("few"));
        let kept = found.raise(&sets, k, size, &Cancel::default()).expect("not stopped");
        let raised = found.loss(&sets);
        if kept {
            found.lower(&sets, k, size, &Cancel::default()).expect("not stopped");
        }
        let (k, known) = (usize::try_from(k).expect("few"), u32::try_from(known).expect("few"));
        let with_items = rows.iter().filter(|row| !row.is_empty()).count();
        assert_eq!(kept, with_items == 0 || with_items >= k, "{rows:?}");
        if !kept {
            continue;
        }
        let of = |cut: &ItemCut<'_>| -> Vec<u32> {
            (0..hierarchy.leaf_count()).map(|leaf| number(&hierarchy, cut.label(leaf))).collect()
        };
        assert!(keeps(&rows, &of(&found), k, known), "{rows:?}, k = {k}, {known} known: {found:?}");
        let mut least = found.loss(&sets);
        assert!(least <= raised + 1e-9);
        losses[1] += least;
        for cut in cuts(&hierarchy, 0) {
            for hidden in 0u32..1 << hierarchy.leaf_count() {
                let given: Vec<(u32, u32)> = (0..)
                    .zip(&cut)
                    .map(|(leaf, &node)| (leaf, if hidden >> leaf & 1 == 1 { 0 } else { node }))
                    .collect();
                let other = ItemCut::of_labels(&hierarchy, &given);
                if other.loss(&sets) < least - 1e-9 && keeps(&rows, &of(&other), k, known) {
                    least = other.loss(&sets);
                }
            }
        }
        losses[0] += least;
        tables += 1;
    }
    assert!(tables > 300 && losses[1] < 1.15 * losses[0], "{losses:?}");
}

/// The node with a label.
fn number(hierarchy: &Hierarchy, label: &str) -> u32 {
    let at = hierarchy.nodes().iter().position(|node| node.label() == label);
    u32::try_from(at.expect("a label")).expect("few nodes")
}
