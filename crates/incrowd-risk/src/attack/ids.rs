//! Ids: numbers that were given in the order of the input tell it, however the rows are shuffled.
//!
//! A row or class id that grows with the place in the original puts the original's order back (`row_order` says what
//! follows). Ids drawn at random correlate with nothing. The success is the size of the rank correlation of the ids
//! with the places in the original, with Fisher's interval (R. A. Fisher, Metron 1921); the baseline is its mean size
//! for ids drawn at random. What is not found is not proved absent: an id may be a code of the place that keeps no
//! order.

use incrowd_core::Outcome;

use super::shared::{Truth, spearman};
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "ids",
    summary: "An attacker sorts a release by row or class numbers to restore the order of the original.",
    needs: AttackNeed::Original,
    bounded_by: None,
    reference: "no paper; measured in this project: an order that is kept aligns every row",
    run,
};

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    let (truth, class_column) = material.truth_of_two_tables()?;
    Ok(vec![attack(class_column, &mean_places(truth))])
}

/// Each class id with the mean place of its people in the original. Of people who cannot be told apart no one knows
/// which is in which class, so their mean place counts for all of them.
fn mean_places(truth: &Truth) -> Vec<(f64, f64)> {
    let placement = &truth.placement;
    let mut of_tuple = vec![(0.0, 0.0); placement.table.tuples()];
    for (place, tuple) in truth.orders.tuples.iter().enumerate() {
        if let Some(tuple) = tuple {
            of_tuple[*tuple] = (of_tuple[*tuple].0 + place as f64, of_tuple[*tuple].1 + 1.0);
        }
    }
    let mut of_class = vec![(0.0, 0.0); placement.published.classes().len()];
    for ((sum, count), classes) in of_tuple.into_iter().zip(&placement.of_tuple).filter(|(place, _)| place.1 > 0.0) {
        for &(class, rows) in classes {
            let (places, all) = &mut of_class[class as usize];
            (*places, *all) = (*places + rows as f64 * sum / count, *all + rows as f64);
        }
    }
    let classes = placement.published.classes().iter().zip(of_class).filter(|(_, place)| place.1 > 0.0);
    classes.map(|(class, place)| (f64::from(class.cells[0]), place.0 / place.1)).collect()
}

/// A correlation by chance deviates by 1/√(n − 1); beyond three times that it is none.
const DEVIATIONS: f64 = 3.0;
/// Of a normal variable, 95 % are within this many deviations of the mean.
const Z: f64 = 1.959_963_984_540_054;

/// Runs the attack on a column of ids: each id with the place of its row in the original, or with the mean place of the
/// rows of its class.
///
/// ```
/// use incrowd_risk::attack::ids;
/// let counted: Vec<(f64, f64)> = (0..50).map(|row| (1000.0 + row as f64, row as f64)).collect();
/// let found = ids::attack("class id", &counted);
/// assert_eq!((found.success, found.evidence.name()), (1.0, "found"));
/// ```
pub fn attack(column: &str, ids: &[(f64, f64)]) -> Outcome {
    let (own, places): (Vec<f64>, Vec<f64>) = ids.iter().copied().unzip();
    let correlation = spearman(&own, &places);
    let success = correlation.abs();
    let number = ids.len() as f64;
    let deviation = if number > 1.0 { 1.0 / (number - 1.0).sqrt() } else { 1.0 };
    // The mean size of a normal variable is √(2/π) of its deviation.
    let baseline = deviation * (2.0 / std::f64::consts::PI).sqrt();
    let (low, high) = interval(success, number);
    let outcome = Outcome { low, high, ..Outcome::proved(ENTRY.id, column, success, baseline, ids.len() as u64) };
    let found = ids.len() > 1 && success >= DEVIATIONS * deviation;
    let tells = if found { "follows" } else { "does not noticeably follow" };
    outcome.found(found).with("rank_correlation", correlation).saying(format!(
        "The order of {column} {tells} the order of the original: rank correlation {correlation:.3} (1 = same order, \
         −1 = reversed, 0 = none)."
    ))
}

/// The 95 % interval of the size of a correlation.
fn interval(size: f64, number: f64) -> (f64, f64) {
    if number <= 3.0 {
        return (0.0, 1.0);
    }
    let (turned, around) = (size.min(1.0 - 1e-15).atanh(), Z / (number - 3.0).sqrt());
    ((turned - around).tanh().max(0.0), (turned + around).tanh())
}

#[cfg(test)]
mod tests {
    use super::super::shared::shuffled;
    use super::*;

    #[test]
    fn ids_drawn_at_random_tell_nothing() {
        let places: Vec<f64> = (0..2_000).map(f64::from).collect();
        for seed in 1..=20 {
            let ids: Vec<(f64, f64)> = shuffled(&places, seed).into_iter().zip(places.iter().copied()).collect();
            let found = attack("id", &ids);
            assert!(found.success < 0.07 && found.evidence.name() == "not-found", "{found:?}");
        }
    }

    #[test]
    fn a_reverse_or_a_stuttering_count_is_found_and_one_id_is_not_a_count() {
        let reverse: Vec<(f64, f64)> = (0..40).map(|row| (f64::from(-row), f64::from(row))).collect();
        let found = attack("id", &reverse);
        assert_eq!(
            (found.success, found.figure("rank_correlation"), found.evidence.name()),
            (1.0, Some(-1.0), "found")
        );
        let stutter: Vec<(f64, f64)> = (0..90).map(|row| (f64::from(row / 10 + row % 3), f64::from(row))).collect();
        let found = attack("id", &stutter);
        assert!(found.success > 0.9 && found.low > 0.8 && found.high <= 1.0, "{found:?}");
        assert_eq!(attack("id", &[(1.0, 0.0)]).evidence.name(), "not-found");
    }
}
