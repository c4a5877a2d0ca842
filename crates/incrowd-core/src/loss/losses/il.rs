//! IL, the information loss of a cluster: the extent of an interval, or the height of a node.
//!
//! Truta, Campan and Meyer, "Generating microdata with p-sensitive k-anonymity property", SDM 2007, Definition 9, for
//! one cell B:
//!
//! > numbers: price(B) = (max B − min B) / (max − min of the column)
//! >
//! > categories: price(B) = height(subtree below B) / height(hierarchy)
//!
//! IL(class) is |class| times the sum over its cells, as the prices of any measure add up.
//!
//! A domain of intervals, free or nested, holds numbers; days are numbers, and texts in order count by rank. A missing
//! value is in no interval: with it a cell is `*` and costs 1. A constant column costs 0. A tree domain holds categories.
//! The height of a subtree is the longest way down to a leaf, counted in cells: a label that repeats on the next level
//! and a node with a single child add no height, so in an unbalanced tree a node costs by what is below it and not by
//! where its file puts it (that is the measure `tree`). Sets have no hierarchy: anything but a leaf costs 1.

use super::LossEntry;
use crate::{Cell, Domain, Loss, Price, Weighted};

pub(super) const ENTRY: LossEntry = LossEntry {
    id: "il",
    summary: "Share of the column's range that a published interval covers, or of the height of its hierarchy.",
    reference: "Truta, Campan and Meyer, Generating microdata with p-sensitive k-anonymity property, SDM 2007",
    new: || Box::new(Il),
};

/// The information loss IL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Il;

impl Loss for Il {
    fn compile(&self, attribute: &Weighted<'_>) -> Box<dyn Price> {
        let domain = attribute.domain();
        match domain.positions() {
            Some(positions) => Box::new(IntervalPositions { positions }),
            None if domain.has_levels() => Box::new(Subtrees::new(domain)),
            None => {
                let counting = domain.counting();
                Box::new(move |cell: Cell| f64::from(u8::from(counting.leaves(cell) > 1)))
            }
        }
    }
}

/// The places of the leaves on a line, beginning with 0; the missing value has none.
struct IntervalPositions {
    positions: Vec<f64>,
}

impl Price for IntervalPositions {
    fn price(&self, cell: Cell) -> f64 {
        let (lo, hi) = cell.ends();
        match (self.positions.get(hi as usize), self.positions.last()) {
            _ if lo == hi => 0.0,
            (Some(to), Some(&range)) if range > 0.0 => (to - self.positions[lo as usize]) / range,
            _ => 1.0,
        }
    }
}

/// The height of each inner node as a share of the hierarchy's, sorted by cell.
struct Subtrees {
    heights: Vec<(u64, f64)>,
}

impl Subtrees {
    fn new(domain: &Domain) -> Self {
        let mut heights: Vec<(u64, usize)> = Vec::new();
        for leaf in 0..domain.leaf_count() {
            let mut way: Vec<u64> = (0..=domain.height()).map(|level| domain.at_level(leaf, level).bits()).collect();
            way.dedup();
            heights.extend((0..).zip(way).skip(1).map(|(height, cell)| (cell, height)));
        }
        // The longest way to each cell comes first and stays.
        heights.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
        heights.dedup_by_key(|&mut (cell, _)| cell);
        let highest = heights.iter().map(|&(_, height)| height).max().unwrap_or(1) as f64;
        Subtrees { heights: heights.into_iter().map(|(cell, height)| (cell, height as f64 / highest)).collect() }
    }
}

impl Price for Subtrees {
    fn price(&self, cell: Cell) -> f64 {
        // A leaf is not among them.
        let found = self.heights.binary_search_by_key(&cell.bits(), |&(cell, _)| cell);
        found.map_or(0.0, |at| self.heights[at].1)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Dictionary, Hierarchy, Prices, Values};

    fn prices(domain: &Domain) -> Prices {
        Prices::compile(&Il, &[Weighted::new(domain, vec![1; domain.leaf_count() as usize])])
    }

    /// The paper's example generalizes 25, 39 and 36 to [25-39]; in a column from 20 to 60 that is 14 of 40.
    #[test]
    fn an_interval_costs_its_extent_and_not_its_number_of_values() {
        let ages = Domain::ordered(&Dictionary::new(Values::Integers(vec![20, 25, 36, 39, 60]), true));
        let prices = prices(&ages);
        let price = |lo, hi| prices.price(0, ages.span(lo, hi));
        assert_eq!([price(1, 3), price(1, 1), price(0, 4), price(4, 5)], [14.0 / 40.0, 0.0, 1.0, 1.0]);
        assert_eq!(prices.price(0, ages.leaf(5)), 0.0, "a missing value that is published as such");
    }

    #[test]
    fn days_and_fractions_cost_their_extent_and_texts_their_ranks() {
        let days = Domain::ordered(&Dictionary::new(Values::Dates(vec![0, 10, 40]), false));
        assert_eq!(prices(&days).price(0, days.span(0, 1)), 0.25);
        let values = Values::Numbers { values: vec![-f64::MAX, 0.0, f64::MAX], scale: None };
        let numbers = Domain::ordered(&Dictionary::new(values, false));
        assert_eq!(prices(&numbers).price(0, numbers.span(0, 1)), 0.5);
        let texts = Domain::ordered(&Dictionary::of_texts(["a", "b", "x"]));
        assert_eq!(prices(&texts).price(0, texts.span(1, 2)), 0.5);
    }

    /// Three levels between leaf and root, but the way down from Austria is one step: 1 of 3, whichever level it is on.
    #[test]
    fn a_node_costs_the_height_of_what_is_below_it() {
        let lines = "Ulm;Swabia;Germany;*\nBiberach;Swabia;Germany;*\nBonn;Bonn;Germany;*\nWien;Wien;Austria;*\nGraz;Graz;Austria;*\n";
        let towns = Domain::tree(&Hierarchy::read(lines).unwrap());
        let prices = prices(&towns);
        let price = |a, b| prices.price(0, towns.join(towns.leaf(a), towns.leaf(b)));
        assert_eq!([price(0, 1), price(0, 2), price(3, 4), price(0, 4)], [1.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0, 1.0]);
    }

    #[test]
    fn a_constant_column_costs_nothing_and_a_set_all() {
        let one = Domain::tree(&Hierarchy::read("only;*\n").unwrap());
        assert_eq!(prices(&one).price(0, one.top()), 0.0);
        let sexes = Domain::set(["f", "m", "x"]).unwrap();
        assert_eq!(prices(&sexes).price(0, sexes.span(0, 1)), 1.0);
    }
}
