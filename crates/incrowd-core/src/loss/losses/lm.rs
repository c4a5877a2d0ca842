//! LM, the loss metric: the share of the domain's other leaves that a cell could also be.
//!
//! (leaves of the cell − 1) / (leaves of the domain − 1); a domain of one leaf loses nothing. Iyengar, "Transforming
//! data to satisfy privacy constraints", KDD 2002.

use super::LossEntry;
use crate::{Cell, Loss, Price, Weighted};

pub(super) const ENTRY: LossEntry = LossEntry {
    id: "lm",
    summary: "Share of the other values of the column that a published cell could stand for.",
    reference: "Iyengar, Transforming data to satisfy privacy constraints, KDD 2002",
    new: || Box::new(Lm),
};

/// The loss metric LM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lm;

impl Loss for Lm {
    fn compile(&self, attribute: &Weighted<'_>) -> Box<dyn Price> {
        let counting = attribute.domain().counting();
        // Dividing keeps the price of `*` exactly 1; of a single leaf only 0 / 1 is asked.
        let others = f64::from(attribute.domain().leaf_count().saturating_sub(1).max(1));
        Box::new(move |cell: Cell| f64::from(counting.leaves(cell) - 1) / others)
    }
}
