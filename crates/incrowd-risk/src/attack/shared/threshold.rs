//! Thresholds: how much an attack may achieve before a release is held back.

use incrowd_core::Outcome;
use serde::{Deserialize, Serialize};

/// The most that an attack may achieve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Threshold {
    /// The id of the attack.
    pub attack: String,
    /// The name of the figure that is limited; the success when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<String>,
    /// The most it may be. Exactly this much is allowed.
    pub max: f64,
}

/// An outcome that is above a threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exceeded {
    /// The threshold.
    #[serde(flatten)]
    pub threshold: Threshold,
    /// The column that the outcome is about.
    pub column: String,
    /// What was measured.
    pub value: f64,
}

/// What thresholds say about outcomes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// What is above its threshold, in the order of thresholds and then of outcomes.
    pub exceeded: Vec<Exceeded>,
    /// Thresholds about which nothing was measured. They are not met: no one knows.
    pub unmeasured: Vec<Threshold>,
}

impl Threshold {
    /// A limit of an attack's success.
    pub fn success(attack: &str, max: f64) -> Self {
        Threshold { attack: attack.to_owned(), figure: None, max }
    }

    /// A limit of a figure of an attack.
    pub fn figure(attack: &str, figure: &str, max: f64) -> Self {
        Threshold { figure: Some(figure.to_owned()), ..Threshold::success(attack, max) }
    }

    /// The attack, and the figure if one is named, as they are written together.
    pub fn name(&self) -> String {
        self.figure.as_ref().map_or_else(|| self.attack.clone(), |figure| format!("{}.{figure}", self.attack))
    }

    /// What an outcome says about it, if it does.
    fn value(&self, outcome: &Outcome) -> Option<f64> {
        match &self.figure {
            _ if self.attack != outcome.attack => None,
            Some(figure) => outcome.figure(figure),
            None => Some(outcome.success),
        }
    }
}

impl Evaluation {
    /// Which outcomes are above their thresholds.
    ///
    /// ```
    /// use incrowd_core::Outcome;
    /// use incrowd_risk::attack::{Evaluation, Threshold};
    /// let outcomes = [Outcome::proved("prosecutor", "", 0.1, 0.001, 1000).with("mean", 0.06)];
    /// let limits = [Threshold::success("prosecutor", 0.1), Threshold::figure("prosecutor", "mean", 0.05)];
    /// let found = Evaluation::of(&limits, &outcomes);
    /// assert_eq!((found.exceeded.len(), found.exceeded[0].value, found.is_met()), (1, 0.06, false));
    /// ```
    pub fn of(thresholds: &[Threshold], outcomes: &[Outcome]) -> Self {
        let mut evaluation = Evaluation::default();
        for threshold in thresholds {
            let values = outcomes.iter().filter_map(|outcome| Some((outcome, threshold.value(outcome)?)));
            let values: Vec<(&Outcome, f64)> = values.collect();
            if values.is_empty() {
                evaluation.unmeasured.push(threshold.clone());
            }
            // What is not a number is not below anything.
            let above = values.into_iter().filter(|&(_, value)| value > threshold.max || value.is_nan());
            evaluation.exceeded.extend(above.map(|(outcome, value)| Exceeded {
                threshold: threshold.clone(),
                column: outcome.column.clone(),
                value,
            }));
        }
        evaluation
    }

    /// Whether everything was measured and nothing is above its threshold.
    pub fn is_met(&self) -> bool {
        self.exceeded.is_empty() && self.unmeasured.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_is_not_met() {
        let outcomes = [Outcome::proved("homogeneity", "illness", 0.0, 0.0, 9)];
        let found = Evaluation::of(&[Threshold::success("inference", 1.0)], &outcomes);
        assert_eq!((found.exceeded.len(), found.unmeasured.len(), found.is_met()), (0, 1, false));
        let found = Evaluation::of(&[Threshold::figure("homogeneity", "majorty", 1.0)], &outcomes);
        assert!(!found.is_met());
        assert!(Evaluation::of(&[Threshold::success("homogeneity", 0.0)], &outcomes).is_met());
    }

    #[test]
    fn each_column_is_held_against_the_threshold_by_itself() {
        let outcomes = ["illness", "income"]
            .map(|column| Outcome::proved("homogeneity", column, if column == "income" { 0.2 } else { 0.1 }, 0.0, 10));
        let found = Evaluation::of(&[Threshold::success("homogeneity", 0.1)], &outcomes);
        assert_eq!(found.exceeded.iter().map(|one| one.column.as_str()).collect::<Vec<_>>(), ["income"]);
        let text = serde_json::to_string(&found).expect("plain data");
        assert_eq!(serde_json::from_str::<Evaluation>(&text).expect("as it was written"), found);
    }
}
