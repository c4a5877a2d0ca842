//! The nearest published rows of a person, among those that may be the person's.

use std::collections::HashMap;

use super::{LinkageCell, LinkageTarget, LinkageWay, TreatedLook, TreatedRows};

/// Sums of distances are not exact.
const NEAR: f64 = 1e-9;
/// Two moments of a day that differ by less than this part of a day are the same.
const SAME_MOMENT: f64 = 1e-6;

/// The published rows, ready to be searched.
pub(super) struct RowSearch<'a> {
    pub(super) rows: &'a TreatedRows,
    /// For each column its distinct published means, ascending; empty for other columns.
    means: Vec<Vec<f64>>,
    /// The first column that has a distance or a reach.
    first: Option<usize>,
    /// Looks by the cells that are known, each group in the order of the first column; missing cells stand last.
    groups: HashMap<Vec<Option<u32>>, Vec<usize>>,
    /// One more than the largest number of a class.
    pub(super) classes: usize,
}

impl<'a> RowSearch<'a> {
    pub(super) fn new(rows: &'a TreatedRows) -> RowSearch<'a> {
        let first = rows.ways.iter().position(|way| *way != LinkageWay::Known);
        let mut groups: HashMap<Vec<Option<u32>>, Vec<usize>> = HashMap::new();
        for (at, look) in rows.looks.iter().enumerate() {
            groups.entry(codes(&look.cells)).or_default().push(at);
        }
        if let Some(first) = first {
            let place = |at: &usize| position(rows.looks[*at].cells[first]).unwrap_or(f64::INFINITY);
            groups.values_mut().for_each(|looks| looks.sort_by(|a, b| place(a).total_cmp(&place(b))));
        }
        let means = rows.ways.iter().enumerate().map(|(column, way)| match way {
            LinkageWay::GroupMean { .. } => {
                let cells = rows.looks.iter().filter_map(|look| position(look.cells[column]));
                let mut means: Vec<f64> = cells.collect();
                means.sort_by(f64::total_cmp);
                means.dedup();
                means
            }
            _ => Vec::new(),
        });
        let classes = rows.looks.iter().flat_map(|look| &look.classes).map(|(class, _)| *class as usize + 1).max();
        RowSearch { rows, means: means.collect(), first, groups, classes: classes.unwrap_or(0) }
    }

    /// The chance that the row which is picked for a person is the right one.
    pub(super) fn chance(&self, target: &LinkageTarget, fits: &[bool]) -> f64 {
        let mut nearest = Nearest { distance: f64::INFINITY, rows: 0, has_own: false };
        let mut consider = |at: usize| {
            let look = &self.rows.looks[at];
            let rows = look.classes.iter().filter(|(class, _)| fits[*class as usize]).map(|(_, rows)| rows).sum();
            if rows > 0
                && let Some(distance) = self.distance(target, look)
            {
                nearest.add(distance, rows, at == target.own);
            }
            nearest.distance
        };
        let empty = Vec::new();
        let looks = self.groups.get(&codes(&self.rows.looks[target.own].cells)).unwrap_or(&empty);
        let at = |look: usize| self.first.and_then(|first| position(self.rows.looks[look].cells[first]));
        match self.first.and_then(|first| Some((first, position(target.known[first])?))) {
            None => {
                looks.iter().for_each(|&look| {
                    consider(look);
                });
            }
            Some((first, known)) => {
                let reach = self.reach(first, known);
                // No row beyond is as near, by this column alone.
                let is_beyond = |look: usize, nearest: f64| match at(look) {
                    None => true,
                    Some(place) => {
                        let distance = (place - known).abs();
                        distance > reach || self.scaled(first, distance) > nearest + NEAR
                    }
                };
                let middle = looks.partition_point(|&look| at(look).is_some_and(|place| place < known));
                let mut best = f64::INFINITY;
                for &look in looks[..middle].iter().rev() {
                    if is_beyond(look, best) {
                        break;
                    }
                    best = consider(look);
                }
                for &look in &looks[middle..] {
                    if is_beyond(look, best) {
                        break;
                    }
                    best = consider(look);
                }
            }
        }
        if nearest.has_own { 1.0 / nearest.rows as f64 } else { 0.0 }
    }

    /// How far a row is from what is known of a person; nothing when it cannot be that person's.
    fn distance(&self, target: &LinkageTarget, look: &TreatedLook) -> Option<f64> {
        let mut sum = 0.0;
        let mut moved: Vec<(u32, f64)> = Vec::new();
        for (column, cells) in target.known.iter().zip(&look.cells).enumerate() {
            match cells {
                (LinkageCell::Missing, LinkageCell::Missing) => {}
                (LinkageCell::Code(known), LinkageCell::Code(published)) if known == published => {}
                (LinkageCell::At(known), LinkageCell::At(published)) => {
                    let apart = published - known;
                    if apart.abs() > self.reach(column, *known) || !self.is_possible(column, *known, *published) {
                        return None;
                    }
                    if let LinkageWay::Moved { days } = self.rows.ways[column] {
                        let before = moved.iter().find(|(other, _)| *other == days);
                        if before.is_some_and(|(_, before)| (before - apart).abs() > SAME_MOMENT) {
                            return None;
                        }
                        moved.push((days, apart));
                    }
                    sum += self.scaled(column, apart.abs());
                }
                _ => return None,
            }
        }
        Some(sum)
    }

    /// Whether a column may publish a number or date so, if it is within reach.
    fn is_possible(&self, column: usize, known: f64, published: f64) -> bool {
        match self.rows.ways[column] {
            LinkageWay::Known => false,
            LinkageWay::Noise { .. } => true,
            // The time of day stays.
            LinkageWay::Moved { .. } => {
                let apart = published - known;
                (apart - apart.round()).abs() <= SAME_MOMENT
            }
            LinkageWay::RandomlyRounded { .. } => true,
            // Groups are intervals in the order of their means. A mean lies in its group, at most half a base from its cell.
            LinkageWay::GroupMean { base } => {
                let (half, slack) = (base / 2.0, NEAR * base.max(known.abs()));
                let means = &self.means[column];
                let certainly_below = means.partition_point(|mean| mean + half <= known - slack);
                let certainly_above = means.partition_point(|mean| mean - half < known + slack);
                let from = certainly_below.checked_sub(1).map_or(f64::NEG_INFINITY, |at| means[at]);
                let to = means.get(certainly_above).copied().unwrap_or(f64::INFINITY);
                (from..=to).contains(&published)
            }
        }
    }

    /// The farthest that a published cell may be from a known value.
    fn reach(&self, column: usize, known: f64) -> f64 {
        match self.rows.ways[column] {
            LinkageWay::Moved { days } => f64::from(days) + SAME_MOMENT,
            // A multiple of the base is published unchanged, any other number as a multiple that is less than a base away.
            LinkageWay::RandomlyRounded { base } => base - NEAR * base.max(known.abs()),
            _ => f64::INFINITY,
        }
    }

    /// A distance in the unit of a column.
    fn scaled(&self, column: usize, distance: f64) -> f64 {
        match self.rows.ways[column] {
            LinkageWay::Known | LinkageWay::Moved { .. } => 0.0,
            LinkageWay::RandomlyRounded { base } => distance / base,
            LinkageWay::Noise { scale } => distance / scale,
            LinkageWay::GroupMean { .. } => match &self.means[column][..] {
                [least, .., largest] => distance * (self.means[column].len() - 1) as f64 / (largest - least),
                _ => 0.0,
            },
        }
    }
}

/// The nearest rows so far.
struct Nearest {
    distance: f64,
    rows: u64,
    has_own: bool,
}

impl Nearest {
    fn add(&mut self, distance: f64, rows: u64, is_own: bool) {
        if distance > self.distance + NEAR {
            return;
        }
        if distance < self.distance - NEAR {
            (self.rows, self.has_own) = (0, false);
        }
        self.distance = self.distance.min(distance);
        self.rows += rows;
        self.has_own |= is_own;
    }
}

fn position(cell: LinkageCell) -> Option<f64> {
    match cell {
        LinkageCell::At(place) => Some(place),
        LinkageCell::Missing | LinkageCell::Code(_) => None,
    }
}

/// The cells that are known, of all columns; nothing stands for any other.
fn codes(cells: &[LinkageCell]) -> Vec<Option<u32>> {
    let code = |cell: &LinkageCell| match cell {
        LinkageCell::Code(code) => Some(*code),
        LinkageCell::Missing | LinkageCell::At(_) => None,
    };
    cells.iter().map(code).collect()
}
