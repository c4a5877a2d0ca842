//! The largest share of a value in a class, which is the figure of α-deassociation and, inverted, of frequency
//! ℓ-diversity. Both count a person once for each value, so people may have several values.

use super::tightest::{ExaminedClass, TightestValue, WorstClass};
use crate::numbers::Fraction;

/// The class with the largest share of a value.
pub(crate) struct LargestShare {
    share: Fraction,
    figure: fn(Fraction) -> f64,
}

impl LargestShare {
    /// The parameter that the largest share makes.
    pub(crate) fn as_figure(figure: fn(Fraction) -> f64) -> Box<dyn WorstClass> {
        Box::new(LargestShare { share: Fraction::ZERO, figure })
    }
}

impl WorstClass for LargestShare {
    fn examine(&mut self, class: &ExaminedClass<'_>) {
        self.share = self.share.larger(Fraction::new(class.descending[0], class.rows));
    }

    fn figures(&self) -> Vec<Option<TightestValue>> {
        vec![Some(TightestValue::Decimal((self.figure)(self.share)))]
    }
}
