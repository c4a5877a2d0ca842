//! Skewness: a class in which a value is far more frequent than in the release says something about everyone in it,
//! though they may have many values.
//!
//! N. Li, T. Li and S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and ℓ-diversity", ICDE 2007,
//! section 3.1. Before the release is looked into class by class, the chance that a person has a value is its share in
//! the whole: the prior. Afterwards it is its share in the class: the posterior. The success is the posterior of the
//! value that gains most by its factor, the baseline its prior, and `max_factor` their ratio (β-likeness and
//! δ-disclosure bound it). `max_distance` is the total variation: by so much more probable can any statement about the
//! value become.
//!
//! It is proved: both shares are counted on what is published.

use incrowd_core::Outcome;

use super::shared::{Published, PublishedClass, at_most_times};
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "skewness",
    summary: "An attacker finds values that are far more frequent in a person's class than in the whole release.",
    needs: AttackNeed::SensitiveColumn,
    bounded_by: None,
    reference: "N. Li, T. Li and S. Venkatasubramanian, t-closeness, ICDE 2007",
    run,
};

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    Ok(material.sensitive().map(|column| attack(material.published, column)).collect())
}

/// Runs the attack on a sensitive column.
pub fn attack(published: &Published, column: usize) -> Outcome {
    let totals = published.totals(column);
    let whole = published.rows().max(1) as f64;
    let prior = |code: u32| {
        let at = totals.partition_point(|&(value, _)| value < code);
        totals.get(at).map_or(0.0, |&(_, rows)| rows as f64 / whole)
    };
    let shares = |class: &PublishedClass| {
        let rows = class.rows as f64;
        class.bags[column].iter().map(|&(code, own)| (own as f64 / rows, prior(code))).collect::<Vec<_>>()
    };
    let all = published.classes().iter().flat_map(shares);
    let gains = |(after, before): (f64, f64)| after / before;
    let most = all.reduce(|most, next| if gains(next) > gains(most) { next } else { most });
    let (after, before) = most.unwrap_or((0.0, 0.0));
    let factor = if before > 0.0 { after / before } else { 1.0 };
    // Values that the class has not only take away: what is too much sums to what is too little.
    let distance =
        |class: &PublishedClass| shares(class).iter().map(|(after, before)| (after - before).max(0.0)).sum::<f64>();
    let name = &published.sensitive()[column];
    Outcome::proved(ENTRY.id, name, after, before, published.rows())
        .with("max_factor", factor)
        .with("max_distance", published.classes().iter().map(distance).fold(0.0, f64::max))
        .with("mean_distance", published.share(|class| class.rows as f64 * distance(class)))
        .saying(format!("In a class, a value of {name} is at most {} as in the whole release.", at_most_times(factor)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_value_that_gathers_in_a_class_is_found() {
        let class = |cell: u32, values: &[u32]| PublishedClass::of_rows(&[cell], values.len() as u64, &[values]);
        let classes = vec![class(0, &[1, 9]), class(1, &[1; 8])];
        let found = attack(&Published::new(vec!["illness".to_owned()], classes), 0);
        assert_eq!((found.success, found.baseline, found.figure("max_factor")), (0.5, 0.1, Some(5.0)));
        assert_eq!(found.figure("max_distance"), Some(0.4));
        assert!((found.figure("mean_distance").unwrap_or(0.0) - (0.2 * 0.4 + 0.8 * 0.1)).abs() < 1e-12);
        assert_eq!(
            found.meaning,
            "In a class, a value of illness is at most 5 times as frequent as in the whole release."
        );
    }

    #[test]
    fn a_class_like_the_whole_says_nothing() {
        let class = |cell: u32| PublishedClass::of_rows(&[cell], 3, &[&[1, 1, 2]]);
        let found = attack(&Published::new(vec!["illness".to_owned()], vec![class(0), class(1)]), 0);
        assert_eq!((found.figure("max_factor"), found.figure("max_distance")), (Some(1.0), Some(0.0)));
        assert_eq!(found.success, found.baseline);
        assert_eq!(attack(&Published::new(vec!["illness".to_owned()], vec![]), 0).success, 0.0);
    }
}
