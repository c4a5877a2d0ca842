//! Distortion: how many levels of its hierarchy a cell was raised.
//!
//! The recoding cost of Wong, Li, Fu and Wang, "(α, k)-anonymity", KDD 2006, section 2. A cell costs the lowest level on
//! which it stands; divided by what full generalization costs, the sum over all cells is the *distortion ratio*. Intervals
//! without nesting and sets have one level above their leaves.
//!
//! A full-domain recoding is priced by its levels, as the paper does: raising `White` to the node `White-race` that holds
//! nothing else costs a level there although it hides nothing.

use super::LossEntry;
use crate::numbers::to_u32;
use crate::{Cell, Loss, Price, Weighted};

pub(super) const ENTRY: LossEntry = LossEntry {
    id: "distortion",
    summary: "Number of hierarchy levels by which a published cell was raised.",
    reference: "Wong, Li, Fu and Wang, (α, k)-anonymity, KDD 2006",
    new: || Box::new(Distortion),
};

/// The number of levels a cell was raised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Distortion;

impl Loss for Distortion {
    fn compile(&self, attribute: &Weighted<'_>) -> Box<dyn Price> {
        let domain = attribute.domain();
        if !domain.has_levels() {
            let counting = domain.counting();
            return Box::new(move |cell: Cell| f64::from(u8::from(counting.leaves(cell) > 1)));
        }
        let mut levels: Vec<(u64, u32)> = Vec::new();
        for level in 1..=domain.height() {
            for leaf in 0..domain.leaf_count() {
                levels.push((domain.at_level(leaf, level).bits(), to_u32(level)));
            }
        }
        // The lowest level of each cell comes first and stays; leaves are cells of level 0 and are not asked for here.
        levels.sort_unstable();
        levels.dedup_by_key(|&mut (cell, _)| cell);
        Box::new(Heights { levels })
    }
}

/// The lowest level of each inner node, sorted by cell.
struct Heights {
    levels: Vec<(u64, u32)>,
}

impl Price for Heights {
    fn price(&self, cell: Cell) -> f64 {
        let (lo, hi) = cell.ends();
        if lo == hi {
            return 0.0;
        }
        let found = self.levels.binary_search_by_key(&cell.bits(), |&(cell, _)| cell);
        found.map_or(0.0, |at| f64::from(self.levels[at].1))
    }

    fn at_level(&self, level: usize) -> Option<f64> {
        Some(level as f64)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Domain, Hierarchy, Prices};

    #[test]
    fn a_cell_costs_the_lowest_level_on_which_it_stands() {
        let races = Hierarchy::read("White;White-race;*\nBlack;Other;*\nAsian;Other;*\n").unwrap();
        let domain = Domain::tree(&races);
        let prices = Prices::compile(&Distortion, &[Weighted::new(&domain, vec![3, 1, 1])]);
        let [white, black, asian] = [0, 1, 2].map(|leaf| domain.leaf(leaf));
        assert_eq!(prices.price(0, domain.at_level(0, 1)), 0.0, "White-race holds only White");
        assert_eq!(prices.price(0, domain.join(black, asian)), 1.0);
        assert_eq!(prices.price(0, domain.join(white, asian)), 2.0);
        assert_eq!(prices.at_level(0, 1), Some(1.0));
    }
}
