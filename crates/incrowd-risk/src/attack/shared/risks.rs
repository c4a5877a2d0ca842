//! Chances of naming the right person, and which of them are too high.

use incrowd_core::Outcome;

/// The threshold of the European Medicines Agency and Health Canada: one in eleven.
pub const USUAL_THRESHOLD: f64 = 0.09;

/// For each class, how many people are in it, and among how many each of them stands.
///
/// A risk is *above* a threshold when it is greater; one that is equal is not. 1/11 = 0.0909… is above 0.09, and 1/10
/// is not above 0.1: both are the nearest number to one tenth.
pub(in crate::attack) struct Risks(pub(in crate::attack) Vec<(u64, u64)>);

impl Risks {
    /// How many people are counted.
    pub(in crate::attack) fn people(&self) -> u64 {
        self.0.iter().map(|&(people, _)| people).sum()
    }

    /// The chance for the person in the smallest class.
    pub(in crate::attack) fn max(&self) -> f64 {
        self.0.iter().map(|&(_, crowd)| 1.0 / crowd as f64).fold(0.0, f64::max)
    }

    /// The mean chance over people.
    pub(in crate::attack) fn mean(&self) -> f64 {
        let sum: f64 = self.0.iter().map(|&(people, crowd)| people as f64 / crowd as f64).sum();
        sum / self.people().max(1) as f64
    }

    /// The share of people whose chance is greater than the threshold.
    pub(in crate::attack) fn above(&self, threshold: f64) -> f64 {
        let above = self.0.iter().filter(|&&(_, crowd)| 1.0 / crowd as f64 > threshold);
        above.map(|&(people, _)| people).sum::<u64>() as f64 / self.people().max(1) as f64
    }

    /// The outcome with the figures that every attack of this kind has.
    pub(in crate::attack) fn tell(&self, outcome: Outcome, threshold: f64) -> Outcome {
        outcome
            .with("max", self.max())
            .with("mean", self.mean())
            .with("above_usual_threshold", self.above(USUAL_THRESHOLD))
            .with("above_threshold", self.above(threshold))
            .with("threshold", threshold)
    }
}
