//! A simple classifier, to see what can still be learnt: naive Bayes from how often values go together.
//!
//! It needs nothing but the rows with each value of the target and of each feature together with it, so it can be trained
//! on a release of any form as well as on the original: the release's estimates stand for counts. It is tested on
//! the original's tuples. With Laplace's rule nothing is impossible for not having been seen.

use super::joint::Joint;

/// What is added to each count that is learnt from.
const LAPLACE: f64 = 1.0;

/// A trained classifier.
#[derive(Clone, Debug)]
pub struct NaiveBayes {
    /// The logarithm of the share of each value of the target.
    prior: Vec<f64>,
    /// For each feature, for each of its values, what each value of the target gets for it.
    features: Vec<Vec<Vec<f64>>>,
}

impl NaiveBayes {
    /// Learns from the rows with each value of the target, and for each feature the rows with each pair of its values
    /// (first) and the target's (second).
    pub fn train(target: &[f64], features: &[Joint], values: &[usize]) -> Self {
        let total: f64 = target.iter().sum::<f64>() + LAPLACE * target.len() as f64;
        let prior = target.iter().map(|rows| ((rows + LAPLACE) / total).ln()).collect();
        let learn = |(joint, &values): (&Joint, &usize)| {
            let of_target = joint.of_columns();
            let likelihood = |value: usize, at: usize| {
                let all = of_target[at] + LAPLACE * values as f64;
                ((joint.get(value, at) + LAPLACE) / all).ln()
            };
            (0..values).map(|value| (0..target.len()).map(|at| likelihood(value, at)).collect()).collect()
        };
        NaiveBayes { prior, features: features.iter().zip(values).map(learn).collect() }
    }

    /// The likeliest value of the target for these values of the features; of equals the first.
    pub fn guess(&self, features: &[u32]) -> usize {
        let score = |at: usize| {
            let learnt = self.features.iter().zip(features).map(|(feature, &value)| feature[value as usize][at]);
            self.prior[at] + learnt.sum::<f64>()
        };
        let scores = (0..self.prior.len()).map(score);
        let best =
            scores.enumerate().fold((0, f64::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best });
        best.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_feature_says_is_learnt() {
        let mut joint = Joint::new(2, 2);
        for (value, target, rows) in [(0, 0, 40.0), (0, 1, 5.0), (1, 0, 5.0), (1, 1, 30.0)] {
            joint.add(value, target, rows);
        }
        let learnt = NaiveBayes::train(&[45.0, 35.0], &[joint], &[2]);
        assert_eq!([learnt.guess(&[0]), learnt.guess(&[1])], [0, 1]);
    }

    #[test]
    fn without_a_feature_the_most_frequent_value_is_guessed() {
        let learnt = NaiveBayes::train(&[1.0, 7.0, 3.0], &[], &[]);
        assert_eq!(learnt.guess(&[]), 1);
    }
}
