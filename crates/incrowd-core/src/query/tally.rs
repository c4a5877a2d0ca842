//! Adding up how much of a cell satisfies a condition.

use super::cells::Beyond;
use super::{Condition, Value};

/// How much of a cell satisfies a condition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellShare {
    /// The share of its values that do.
    pub share: f64,
    /// Whether every value that it may have been does.
    pub all: bool,
    /// Whether any value that it may have been does.
    pub any: bool,
}

/// A [`CellShare`], and what the values that satisfy the condition add up to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellSpread {
    /// How much of the cell satisfies the condition.
    pub share: CellShare,
    /// The mean over all values of the cell, those that do not satisfy the condition taken as 0.
    pub moment: f64,
    /// The least of the values that satisfy it.
    pub low: f64,
    /// The greatest of them.
    pub high: f64,
}

/// Adds up what satisfies a condition.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConditionTally {
    measure: f64,
    held: f64,
    moment: f64,
    low: f64,
    high: f64,
    all: bool,
    any: bool,
}

impl Default for ConditionTally {
    fn default() -> Self {
        let (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
        ConditionTally { measure: 0.0, held: 0.0, moment: 0.0, low, high, all: true, any: false }
    }
}

impl ConditionTally {
    /// Values from `low` to `high` that are equally likely and answer alike.
    pub(super) fn add(&mut self, measure: f64, holds: bool, (low, high): (f64, f64)) {
        self.measure += measure;
        self.all &= holds;
        if holds {
            self.any = true;
            self.held += measure;
            self.moment += measure * (low + (high - low) / 2.0);
            (self.low, self.high) = (self.low.min(low), self.high.max(high));
        }
    }

    pub(super) fn beyond(&mut self, beyond: Beyond, condition: &Condition) {
        let missing = condition.holds(Value::Missing);
        match beyond {
            Beyond::Nothing => {}
            Beyond::Missing => (self.all, self.any) = (self.all && missing, self.any || missing),
            Beyond::Anything => self.unbound(),
        }
    }

    /// Unknown values may satisfy it or not, and be any number.
    fn unbound(&mut self) {
        (self.all, self.any) = (false, true);
        (self.low, self.high) = (f64::NEG_INFINITY, f64::INFINITY);
    }

    pub(super) fn spread(&self) -> CellSpread {
        let measure = if self.measure > 0.0 { self.measure } else { 1.0 };
        let share = CellShare { share: self.held / measure, all: self.all, any: self.any };
        CellSpread { share, moment: self.moment / measure, low: self.low, high: self.high }
    }
}
