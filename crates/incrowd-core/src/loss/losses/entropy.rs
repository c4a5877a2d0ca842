//! Entropy: the bits that a cell leaves open, given how often the table has each value.
//!
//! Plain, a cell B costs H(A | A ∈ B) = −Σ_{b ∈ B} p(b | B) · log₂ p(b | B), with p the share of the table's rows. That
//! is the entropy measure of Gionis and Tassa, "k-Anonymization with minimal loss of information", TKDE 2009, which the
//! experiments of k-ANON-CF are repeated with. It is not monotone: two values of one row each leave open 1 bit, and
//! together with a third value of a thousand rows only 0.02. A solver would widen a cell to make it cheaper, and neither
//! the cover's guarantee nor any pruning would hold.
//!
//! So the price is the *monotone entropy* of the same authors, p(B) · H(A | A ∈ B), divided by H(A) so that `*` costs 1:
//!
//! > price(B) = (n(B)·log₂ n(B) − Σ_{b ∈ B} n(b)·log₂ n(b)) / (n·log₂ n − Σ_a n(a)·log₂ n(a))
//!
//! with n(·) the rows. Any rows that join a cell add to the numerator: m rows of one value that join r others add
//! r·log₂((r + m) / r) + m·log₂((r + m) / m), at least 2 bits unless r or m is 0. Taking instead the largest plain
//! entropy of any cell inside would be monotone too, but a set has 2⁶⁴ of them. A value that never occurs leaves nothing
//! open, and an attribute with a single value that occurs costs nothing anywhere.

use super::LossEntry;
use crate::{Cell, LeafCount, Loss, Price, Weighted};

pub(super) const ENTRY: LossEntry = LossEntry {
    id: "entropy",
    summary: "Entropy of the values that a published cell stands for, weighted by their share of the table.",
    reference: "Gionis and Tassa, k-Anonymization with minimal loss of information, TKDE 2009",
    new: || Box::new(Entropy),
};

/// The monotone entropy of a cell as a share of that of `*`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entropy;

impl Loss for Entropy {
    fn compile(&self, attribute: &Weighted<'_>) -> Box<dyn Price> {
        let mut sums = vec![Sum::default()];
        for &rows in attribute.rows() {
            sums.push(sums[sums.len() - 1].plus(Sum::of(rows)));
        }
        let whole = sums[sums.len() - 1].bits();
        let leaves = attribute.rows().iter().map(|&rows| Sum::of(rows)).collect();
        let counting = attribute.domain().counting();
        // Without anything open in the whole there is nothing to divide, and every numerator is 0.
        Box::new(OpenEntropy { counting, leaves, sums, whole: if whole > 0.0 { whole } else { 1.0 } })
    }
}

/// What is summed over the values of a cell.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    /// Values that occur.
    values: u32,
    rows: u64,
    /// Σ n·log₂ n.
    known: f64,
}

impl Sum {
    fn of(rows: u64) -> Sum {
        Sum { values: u32::from(rows > 0), rows, known: weight(rows) }
    }

    fn plus(self, other: Sum) -> Sum {
        let (values, rows) = (self.values + other.values, self.rows + other.rows);
        Sum { values, rows, known: self.known + other.known }
    }

    fn minus(self, other: Sum) -> Sum {
        let (values, rows) = (self.values - other.values, self.rows - other.rows);
        Sum { values, rows, known: self.known - other.known }
    }

    /// The bits that are left open for all rows together.
    fn bits(self) -> f64 {
        // A single value is asked for by itself: rounding must not make it cost anything.
        if self.values < 2 { 0.0 } else { weight(self.rows) - self.known }
    }
}

/// n·log₂ n.
fn weight(rows: u64) -> f64 {
    if rows < 2 { 0.0 } else { rows as f64 * (rows as f64).log2() }
}

/// The bits that cells leave open.
struct OpenEntropy {
    counting: LeafCount,
    leaves: Vec<Sum>,
    /// The sums over all leaves before each place.
    sums: Vec<Sum>,
    whole: f64,
}

impl Price for OpenEntropy {
    fn price(&self, cell: Cell) -> f64 {
        let sum = match self.counting {
            LeafCount::Range => {
                let (lo, hi) = cell.ends();
                self.sums[hi as usize + 1].minus(self.sums[lo as usize])
            }
            LeafCount::Bits => {
                let held = (0..).zip(&self.leaves).filter(|(leaf, _)| cell.bits() >> leaf & 1 == 1);
                held.fold(Sum::default(), |sum, (_, leaf)| sum.plus(*leaf))
            }
        };
        sum.bits() / self.whole
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Domain, Hierarchy, Prices};

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    /// 8 rows: 2 + 2 in Germany, 4 in Austria. H(A) = 2·¼·2 + ½·1 = 1.5 bits; Germany holds ½ of the rows and leaves
    /// open 1 bit.
    #[test]
    fn a_cell_costs_the_bits_it_leaves_open_times_the_share_it_holds() {
        let towns = Domain::tree(&Hierarchy::read("Ulm;Germany;*\nBonn;Germany;*\nWien;Austria;*\n").unwrap());
        let prices = Prices::compile(&Entropy, &[Weighted::new(&towns, vec![2, 2, 4])]);
        assert!(close(prices.price(0, towns.join(towns.leaf(0), towns.leaf(1))), 0.5 * 1.0 / 1.5));
        assert_eq!((prices.price(0, towns.leaf(2)), prices.price(0, towns.top())), (0.0, 1.0));
    }

    /// The plain entropy falls from 1 bit to 0.02 when a thousand rows join two; its monotone form rises.
    #[test]
    fn a_frequent_value_that_joins_makes_a_cell_dearer() {
        let set = Domain::set(["rare", "other", "common", "unheard of"]).unwrap();
        let prices = Prices::compile(&Entropy, &[Weighted::new(&set, vec![1, 1, 1000, 0])]);
        let bits = 1002.0 * 1002f64.log2() - 1000.0 * 1000f64.log2();
        let two = prices.price(0, set.span(0, 1));
        assert!(close(two, 2.0 / bits) && two < prices.price(0, set.span(0, 2)));
        assert_eq!(prices.price(0, set.join(set.leaf(2), set.leaf(3))), 0.0, "the other value never occurs");
    }

    #[test]
    fn intervals_and_sets_of_the_same_values_cost_the_same() {
        let rows = vec![3, 0, 5, 1, 7];
        let dictionary = crate::Dictionary::new(crate::Values::Integers((0..5).collect()), false);
        let (ordered, set) = (Domain::ordered(&dictionary), Domain::sets_of(&dictionary).unwrap());
        let intervals = Prices::compile(&Entropy, &[Weighted::new(&ordered, rows.clone())]);
        let sets = Prices::compile(&Entropy, &[Weighted::new(&set, rows)]);
        for (lo, hi) in (0..5).flat_map(|lo| (lo..5).map(move |hi| (lo, hi))) {
            assert!(close(intervals.price(0, ordered.span(lo, hi)), sets.price(0, set.span(lo, hi))));
        }
    }

    #[test]
    fn an_attribute_of_one_value_costs_nothing() {
        let set = Domain::set(["only", "unheard of"]).unwrap();
        let prices = Prices::compile(&Entropy, &[Weighted::new(&set, vec![9, 0])]);
        assert_eq!(prices.price(0, set.top()), 0.0);
    }
}
