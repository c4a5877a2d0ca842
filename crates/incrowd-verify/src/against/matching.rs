//! Original tuples to published tuples, among rows with equal retained cells.

use std::cmp::Ordering;
use std::collections::HashMap;

use ahash::RandomState;

use super::contain::Containment;
use super::flow;
use crate::count::{Counter, number};

/// So few published tuples are compared one by one.
const FEW: usize = 16;

/// The distinct tuples of one table, retained cells first, sorted.
pub(super) struct TupleSide {
    retained: usize,
    width: usize,
    codes: Vec<u32>,
    rows: Vec<u64>,
}

impl TupleSide {
    pub(super) fn new(table: &Counter, is_retained: &[bool]) -> TupleSide {
        let mut order: Vec<usize> = (0..is_retained.len()).collect();
        order.sort_by_key(|column| !is_retained[*column]);
        let mut tuples: Vec<(Box<[u32]>, u64)> = Vec::new();
        table.each(|codes, rows| tuples.push((order.iter().map(|column| codes[*column]).collect(), rows)));
        tuples.sort_unstable();
        TupleSide {
            retained: is_retained.iter().filter(|retained| **retained).count(),
            width: order.len(),
            codes: tuples.iter().flat_map(|(codes, _)| codes.iter().copied()).collect(),
            rows: tuples.iter().map(|(_, rows)| *rows).collect(),
        }
    }

    /// Where the generalized columns stand.
    pub(super) fn generalized(&self) -> std::ops::Range<usize> {
        self.retained..self.width
    }

    /// The codes that occur in a column, sorted.
    pub(super) fn codes_at(&self, column: usize) -> Vec<u32> {
        let mut codes: Vec<u32> = self.codes.iter().copied().skip(column).step_by(self.width).collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }

    fn tuple(&self, at: usize) -> &[u32] {
        &self.codes[at * self.width..(at + 1) * self.width]
    }

    fn retained_cells(&self, at: usize) -> &[u32] {
        &self.tuple(at)[..self.retained]
    }

    fn cells(&self, at: usize) -> &[u32] {
        &self.tuple(at)[self.retained..]
    }

    /// Where the tuples with the same retained cells as the one at `from` end.
    fn end_of_group(&self, from: usize) -> usize {
        (from..self.rows.len())
            .find(|at| self.retained_cells(*at) != self.retained_cells(from))
            .unwrap_or(self.rows.len())
    }
}

/// How many published rows no original row is left for, at the least. `None` when `stop` said so.
pub(super) fn unmatched(
    originals: &TupleSide,
    published: &TupleSide,
    containments: &[Containment],
    stop: &dyn Fn() -> bool,
) -> Option<u64> {
    let (mut from, mut group, mut unmatched) = (0, 0, 0);
    while group < published.rows.len() {
        if stop() {
            return None;
        }
        let end = published.end_of_group(group);
        while from < originals.rows.len() && originals.retained_cells(from) < published.retained_cells(group) {
            from += 1;
        }
        let here = from < originals.rows.len()
            && originals.retained_cells(from).cmp(published.retained_cells(group)) == Ordering::Equal;
        let to = if here { originals.end_of_group(from) } else { from };
        let candidates = candidates(originals, from..to, published, group..end, containments);
        unmatched += flow::unmet(&candidates, originals.rows[from..to].to_vec(), published.rows[group..end].to_vec());
        (from, group) = (to, end);
    }
    Some(unmatched)
}

/// For each original tuple, the published tuples of its group that contain it.
fn candidates(
    originals: &TupleSide,
    from: std::ops::Range<usize>,
    published: &TupleSide,
    group: std::ops::Range<usize>,
    containments: &[Containment],
) -> Vec<Vec<u32>> {
    let start = group.start;
    let contains = |to: usize, value: &[u32]| {
        let cells = published.cells(to).iter().zip(value).zip(containments);
        cells.into_iter().all(|((&label, &value), containment)| containment.contains(label, value))
    };
    // For each column, the published tuples by label. A value has few labels, so it has few tuples in some column.
    let mut by_label: Vec<HashMap<u32, Vec<u32>, RandomState>> = Vec::new();
    if group.len() > FEW {
        by_label.resize_with(containments.len(), HashMap::default);
        for to in group.clone() {
            for (index, label) in by_label.iter_mut().zip(published.cells(to)) {
                index.entry(*label).or_default().push(number(to - start));
            }
        }
    }
    let by_label = &by_label;
    from.map(|original| {
        let value = originals.cells(original);
        let lists = |column: usize| {
            let labels = containments[column].labels(value[column]);
            labels.iter().filter_map(move |label| by_label.get(column)?.get(label)).map(Vec::as_slice)
        };
        let narrowest = (0..by_label.len()).min_by_key(|column| lists(*column).map(<[u32]>::len).sum::<usize>());
        match narrowest {
            Some(column) => {
                let listed = lists(column).flatten().copied();
                listed.filter(|to| contains(start + *to as usize, value)).collect()
            }
            None => group.clone().filter(|to| contains(*to, value)).map(|to| number(to - start)).collect(),
        }
    })
    .collect()
}
