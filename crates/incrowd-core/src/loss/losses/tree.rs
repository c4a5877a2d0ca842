//! The tree measure: the level of a cell in its hierarchy, as a share of the number of levels.
//!
//! > price(B) = level(B) / height
//!
//! Aggarwal, Feder, Kenthapadi, Motwani, Panigrahy, Thomas and Zhu, "Anonymizing tables", ICDT 2005, section 2: a cell
//! raised to level r of a hierarchy of l levels costs r / l. Leaves are level 0, `*` is level l. It is the distortion of
//! each attribute separately, so that a high hierarchy weighs no more than a flat one.
//!
//! The paper's trees are balanced. An unbalanced tree is one that is balanced by repeating labels, as every hierarchy
//! file does it: a cell costs the lowest level on which it stands there, so a node that holds a single leaf costs
//! nothing, and a leaf directly below `*` is raised by all levels at once. A full-domain recoding is priced by its levels.
//! Intervals without nesting and sets are no trees: one level above their leaves, anything but a leaf costs 1.

use super::LossEntry;
use super::distortion::Distortion;
use crate::{Cell, Loss, Price, Weighted};

pub(super) const ENTRY: LossEntry = LossEntry {
    id: "tree",
    summary: "Level of a published cell, divided by the number of levels of its hierarchy.",
    reference: "Aggarwal, Feder, Kenthapadi, Motwani, Panigrahy, Thomas and Zhu, Anonymizing tables, ICDT 2005",
    new: || Box::new(TreeLevel),
};

/// The share of levels that a cell was raised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeLevel;

impl Loss for TreeLevel {
    fn compile(&self, attribute: &Weighted<'_>) -> Box<dyn Price> {
        let height = attribute.domain().height().max(1) as f64;
        Box::new(LevelPrice { levels: Distortion.compile(attribute), height })
    }
}

/// Levels, as shares of the height.
struct LevelPrice {
    levels: Box<dyn Price>,
    height: f64,
}

impl Price for LevelPrice {
    fn price(&self, cell: Cell) -> f64 {
        self.levels.price(cell) / self.height
    }

    fn at_level(&self, level: usize) -> Option<f64> {
        self.levels.at_level(level).map(|levels| levels / self.height)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Dictionary, Domain, Hierarchy, Prices, Values};

    /// Vienna stands directly below the root: its line repeats its label, and joined with anything it costs 3 of 3.
    #[test]
    fn a_cell_costs_its_share_of_the_levels_also_in_an_unbalanced_tree() {
        let lines = "Ulm;Swabia;Germany;*\nBiberach;Swabia;Germany;*\nBonn;Bonn;Germany;*\nVienna;Vienna;Vienna;*\n";
        let towns = Domain::tree(&Hierarchy::read(lines).unwrap());
        let prices = Prices::compile(&TreeLevel, &[Weighted::new(&towns, vec![1; 4])]);
        let price = |a, b| prices.price(0, towns.join(towns.leaf(a), towns.leaf(b)));
        assert_eq!([price(0, 0), price(0, 1), price(0, 2), price(0, 3)], [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]);
        assert_eq!(prices.price(0, towns.at_level(3, 2)), 0.0, "a node of one leaf");
        assert_eq!(prices.at_level(0, 2), Some(2.0 / 3.0), "unless a whole column is raised");
    }

    #[test]
    fn without_a_hierarchy_anything_but_a_value_costs_all() {
        let ages = Dictionary::new(Values::Integers(vec![25, 36, 39]), false);
        for domain in [Domain::ordered(&ages), Domain::sets_of(&ages).unwrap()] {
            let prices = Prices::compile(&TreeLevel, &[Weighted::new(&domain, vec![1; 3])]);
            assert_eq!([prices.price(0, domain.leaf(1)), prices.price(0, domain.span(0, 1))], [0.0, 1.0]);
            assert_eq!(prices.at_level(0, 1), None);
        }
    }
}
