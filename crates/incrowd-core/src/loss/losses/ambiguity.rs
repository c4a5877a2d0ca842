//! Ambiguity: how many combinations of values a published row could be.
//!
//! The ambiguity metric AM of Nergiz and Clifton, "Thoughts on k-anonymization", DKE 2007: the mean over rows of the
//! product of its cells' sizes, Π_j |B_j|. A product is no sum of prices, so what is minimized is its logarithm:
//!
//! > price(B) = log₂ |B|
//!
//! with |B| the leaves of the cell. The prices of a row then add up to log₂ of its product, the bits that one would have
//! to be told to know the row. They are not divided by log₂ of the domain's size: divided attribute by attribute they
//! would add up to something else. The release with the least mean logarithm (the geometric mean of the products) need
//! not be the one with the least mean product; [`ambiguity_of`] reports the latter.

use super::LossEntry;
use crate::{Cell, Loss, Partition, Price, QuasiIdentifier, Recoding, Weighted};

pub(super) const ENTRY: LossEntry = LossEntry {
    id: "ambiguity",
    summary: "Bits needed to identify the value of a published cell; the sum over a row is the logarithm of its \
              ambiguity.",
    reference: "Nergiz and Clifton, Thoughts on k-anonymization, DKE 2007",
    new: || Box::new(Ambiguity),
};

/// The logarithm of the number of values that a cell could be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ambiguity;

impl Loss for Ambiguity {
    fn compile(&self, attribute: &Weighted<'_>) -> Box<dyn Price> {
        let counting = attribute.domain().counting();
        Box::new(move |cell: Cell| f64::from(counting.leaves(cell)).log2())
    }
}

/// The ambiguity metric of a release: the mean over rows of the number of combinations of values that each could be. A
/// suppressed row could be any.
///
/// ```
/// use incrowd_core::{ambiguity_of, Attribute, Dictionary, FrequencyTable, Partition, QuasiIdentifier, Recoding, Role};
/// let towns = Dictionary::of_texts(["Bonn", "Ulm", "Wien"]);
/// let quasi = [QuasiIdentifier::sets(0, &towns)?];
/// let town = Attribute::new("town", Role::QuasiIdentifier, towns);
/// let table = FrequencyTable::from_tuples(vec![town], [([0], 1), ([1], 1), ([2], 2)]);
/// let mut partition = Partition::default();
/// partition.push([(0, 1), (1, 1)]);
/// partition.push([(2, 2)]);
/// let recoding = Recoding::tightened(&table, &quasi, &partition);
/// assert_eq!(ambiguity_of(&quasi, &partition, &recoding), 1.5);
/// # Ok::<(), incrowd_core::HierarchyError>(())
/// ```
pub fn ambiguity_of(quasi_identifiers: &[QuasiIdentifier], partition: &Partition, recoding: &Recoding) -> f64 {
    let withheld = partition.withheld_rows() as f64;
    let any: f64 = quasi_identifiers.iter().map(|quasi| f64::from(quasi.domain.leaf_count())).product();
    let (mut rows, mut combinations) = (withheld, withheld * any);
    for (class, members) in (0..).zip(partition.classes()) {
        let cells = recoding.cells(class).iter().zip(quasi_identifiers);
        let product: f64 = cells.map(|(&cell, quasi)| f64::from(quasi.domain.leaves(cell))).product();
        let more = members.iter().map(|member| member.1).sum::<u64>() as f64;
        (rows, combinations) = (rows + more, combinations + more * product);
    }
    if rows > 0.0 { combinations / rows } else { 1.0 }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Attribute, Dictionary, Domain, FrequencyTable, Hierarchy, Prices, Role, Values};

    #[test]
    fn a_cell_costs_the_bits_that_tell_which_of_its_values_it_is() {
        let towns = Domain::tree(&Hierarchy::read("Ulm;D;*\nBonn;D;*\nWien;A;*\nGraz;A;*\n").unwrap());
        let prices = Prices::compile(&Ambiguity, &[Weighted::new(&towns, vec![1; 4])]);
        assert_eq!([towns.leaf(0), towns.span(0, 1), towns.top()].map(|cell| prices.price(0, cell)), [0.0, 1.0, 2.0]);
    }

    /// 2 rows could be 2 · 3 combinations, 2 rows 1 · 1, and a suppressed one any of 3 · 4.
    #[test]
    fn the_metric_is_the_mean_product_and_a_row_pays_its_logarithm() {
        let towns = Dictionary::of_texts(["Bonn", "Ulm", "Wien"]);
        let ages = Dictionary::new(Values::Integers(vec![25, 36, 39, 60]), false);
        let quasi = [QuasiIdentifier::sets(0, &towns).unwrap(), QuasiIdentifier::intervals(1, &ages).unwrap()];
        let attributes = vec![
            Attribute::new("town", Role::QuasiIdentifier, towns),
            Attribute::new("age", Role::QuasiIdentifier, ages),
        ];
        let table = FrequencyTable::from_tuples(attributes, [([0, 0], 1), ([2, 2], 1), ([1, 1], 2), ([1, 3], 1)]);
        let mut partition = Partition::default();
        partition.push([(0, 1), (3, 1)]);
        partition.push([(1, 2)]);
        partition.withhold([(2, 1)]);
        let recoding = Recoding::tightened(&table, &quasi, &partition);
        assert_eq!(ambiguity_of(&quasi, &partition, &recoding), f64::from(2 * 6 + 2 + 12) / 5.0);
        let weighted = [0, 1].map(|at| Weighted::of(&table, at, &quasi[at].domain, &quasi[at].leaves));
        let prices = Prices::compile(&Ambiguity, &weighted);
        assert!((prices.row(recoding.cells(0)) - 6f64.log2()).abs() < 1e-12);
    }
}
