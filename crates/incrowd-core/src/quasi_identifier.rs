//! A quasi-identifier of a table, bound to the values it may be published as.

use crate::{Cell, Dictionary, Domain, Hierarchy, HierarchyError};

/// A column of a frequency table with its domain.
///
/// ```
/// use incrowd_core::{Dictionary, Hierarchy, QuasiIdentifier};
/// let towns = Hierarchy::read("Ulm;Germany;*\nBonn;Germany;*\nWien;Austria;*\n")?;
/// let town = QuasiIdentifier::new(0, &towns, &Dictionary::of_texts(["Bonn", "Wien"]))?;
/// assert_eq!(town.domain.render(town.cell(0, 1)), "Germany");
/// # Ok::<(), incrowd_core::HierarchyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct QuasiIdentifier {
    /// The position of the column in the table.
    pub column: usize,
    /// The values it may be published as.
    pub domain: Domain,
    /// The leaf of each of the column's codes.
    pub leaves: Vec<u32>,
}

impl QuasiIdentifier {
    /// A column that is generalized along a hierarchy, with a leaf for its missing value.
    pub fn new(column: usize, hierarchy: &Hierarchy, dictionary: &Dictionary) -> Result<Self, HierarchyError> {
        let (domain, leaves) = Domain::for_column(hierarchy, dictionary)?;
        Ok(QuasiIdentifier { column, domain, leaves })
    }

    /// The cell of a code on a level of full-domain generalization; level 0 is the value itself.
    pub fn cell(&self, code: u32, level: usize) -> Cell {
        self.domain.at_level(self.leaves[code as usize], level)
    }

    /// How many steps of generalization there are.
    pub fn height(&self) -> usize {
        self.domain.height()
    }

    /// For each code, the smallest code that a level publishes alike: the codes of the column recoded to a level.
    pub fn codes_at(&self, level: usize) -> Vec<u32> {
        let mut cells: Vec<(u64, u32)> =
            (0..self.leaves.len() as u32).map(|code| (self.cell(code, level).bits(), code)).collect();
        cells.sort_unstable();
        let mut codes = vec![0; self.leaves.len()];
        for alike in cells.chunk_by(|a, b| a.0 == b.0) {
            alike.iter().for_each(|&(_, code)| codes[code as usize] = alike[0].1);
        }
        codes
    }
}
