//! Background knowledge: an attacker who can rule out values of a person is more certain of the rest.
//!
//! D. J. Martin, D. Kifer, A. Machanavajjhala, J. Gehrke and J. Y. Halpern, "Worst-case background knowledge for
//! privacy-preserving data publishing", ICDE 2007; ℓ-diversity is meant against it (ICDE 2006). When b values are ruled
//! out, those rows of the class that have them cannot be the person's. The most helpful ones leave one of the b + 1
//! most frequent values and the r rows of all values behind these; of n/(n + r) the greatest has the largest n, so that
//! it is the most frequent value that is left:
//!
//! posterior = most / (rows − the next b).
//!
//! It is 1 when the class has at most b + 1 values; ℓ ≥ b + 2 values keep it below. It is proved for anyone who can
//! rule out b values, whichever they are; a release does not say how much an attacker really knows.

use std::cmp::Reverse;

use incrowd_core::Outcome;

use super::shared::{Published, PublishedClass, part};
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "background",
    summary: "An attacker who can rule out one or two values of a person learns more about the others.",
    needs: AttackNeed::SensitiveColumn,
    bounded_by: None,
    reference: "D. J. Martin et al., Worst-case background knowledge for privacy-preserving data publishing, ICDE 2007",
    run,
};

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    Ok(material.sensitive().map(|column| attack(material.published, column)).collect())
}

/// Runs the attack on a sensitive column: the share of the rows whose value is certain when two are ruled out. The
/// baseline is the share of those whose value is certain at once. For b = 1 and 2 the figures are `worst_b`, the most
/// probable value of any class, `mean_b`, the mean over the rows of the most probable value of their class, and
/// `certain_b`.
pub fn attack(published: &Published, column: usize) -> Outcome {
    let certain = |b: usize| published.share_where(|class| class.bags[column].len() <= b + 1);
    let name = &published.sensitive()[column];
    let mut outcome = Outcome::proved(ENTRY.id, name, certain(2), certain(0), published.rows());
    for b in [1, 2] {
        let worst = published.classes().iter().map(|class| posterior(class, column, b)).fold(0.0, f64::max);
        let mean = published.share(|class| class.rows as f64 * posterior(class, column, b));
        outcome = outcome.with(&format!("worst_{b}"), worst).with(&format!("mean_{b}"), mean);
        outcome = outcome.with(&format!("certain_{b}"), certain(b));
    }
    outcome.saying(format!(
        "An attacker who can rule out two values of {name} for a person knows the true value for {} of the {}; with \
         one value ruled out, for {}; with none, for {}.",
        part(certain(2)),
        published.who(),
        part(certain(1)),
        part(certain(0)),
    ))
}

/// The probability of the most frequent value of a class when the most helpful `b` others are ruled out.
fn posterior(class: &PublishedClass, column: usize, b: usize) -> f64 {
    let mut rows: Vec<u64> = class.bags[column].iter().map(|&(_, rows)| rows).collect();
    rows.sort_unstable_by_key(|&rows| Reverse(rows));
    let ruled_out: u64 = rows.iter().skip(1).take(b).sum();
    rows.first().map_or(0.0, |&most| most as f64 / (class.rows - ruled_out) as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn class(values: &[u32]) -> PublishedClass {
        PublishedClass::of_rows(&[values.len() as u32], values.len() as u64, &[values])
    }

    #[test]
    fn each_value_that_is_ruled_out_makes_the_rest_more_probable() {
        let classes = vec![class(&[1, 1, 1, 2, 2, 3, 4, 5]), class(&[1, 2])];
        let found = attack(&Published::new(vec!["illness".to_owned()], classes), 0);
        assert_eq!((found.figure("worst_1"), found.figure("certain_1")), (Some(1.0), Some(0.2)));
        let mean = |posterior: f64| Some((8.0 * posterior + 2.0) / 10.0);
        assert_eq!((found.figure("mean_1"), found.figure("mean_2")), (mean(0.5), mean(0.6)));
        assert_eq!((found.success, found.baseline), (0.2, 0.0));
    }

    proptest! {
        /// Every choice of at most b values, and every value that is left.
        #[test]
        fn no_choice_of_values_helps_more(values in prop::collection::vec(0u32..5, 1..12), b in 0usize..3) {
            let class = class(&values);
            let mut most: f64 = 0.0;
            for out in (0u32..32).filter(|out| out.count_ones() as usize <= b) {
                let left = class.bags[0].iter().filter(|bag| out >> bag.0 & 1 == 0);
                let left: Vec<u64> = left.map(|bag| bag.1).collect();
                let all = left.iter().sum::<u64>() as f64;
                most = left.iter().map(|&rows| rows as f64 / all).fold(most, f64::max);
            }
            prop_assert!((posterior(&class, 0, b) - most).abs() < 1e-12);
        }
    }
}
