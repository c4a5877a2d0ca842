use super::*;

fn estimate(found: &PopulationUniqueness, model: UniquenessModel) -> UniquenessEstimate {
    *found.estimates.iter().find(|estimate| estimate.model == model).expect("every model answers")
}

fn sizes(classes: &[(u64, usize)]) -> ClassSizes {
    ClassSizes::from_sizes(classes.iter().flat_map(|&(size, classes)| vec![size; classes]))
}

#[test]
fn zayatz_is_the_quotient_of_hypergeometric_probabilities() {
    // Ten rows of twenty people. A pair leaves one row with 2·10·10/(20·19), a single person with 10/20.
    let found = population_uniqueness(&sizes(&[(1, 4), (2, 3)]), 20);
    let share = 4.0 * 0.5 / (4.0 * 0.5 + 3.0 * (2.0 * 10.0 * 10.0 / (20.0 * 19.0)));
    let zayatz = estimate(&found, UniquenessModel::Zayatz);
    assert!((zayatz.unique_rows_also_unique.expect("a share") - share).abs() < 1e-15);
    assert!((zayatz.uniqueness.expect("a share") - 0.4 * share).abs() < 1e-15);
}

#[test]
fn snb_solves_its_two_equations() {
    // Expected counts of a population of 10,000 classes with α = 0.4 and β = 0.2, sampled with π = 0.3.
    let (classes, alpha, beta, fraction) = (10_000.0, 0.4f64, 0.2f64, 0.3);
    let d = (1.0 - fraction) * (1.0 - beta);
    let power = (beta / (1.0 - d)).powf(alpha);
    let unique = classes * fraction * power * (1.0 + alpha * d / (1.0 - d));
    let pairs = classes * fraction * fraction / 2.0 * power * alpha * (1.0 - beta) * (2.0 - (1.0 - alpha) * d)
        / ((1.0 - d) * (1.0 - d));
    let found = snb::log_uniques(fraction, unique, pairs, classes).expect("a solution");
    assert!((found - (classes * beta.powf(alpha)).ln()).abs() < 1e-10, "{found}");
}

#[test]
fn a_sample_that_is_the_population_has_its_own_uniqueness() {
    let found = population_uniqueness(&sizes(&[(1, 40), (2, 15), (5, 3)]), 85);
    for estimate in &found.estimates {
        assert_eq!((estimate.uniqueness, estimate.unique_rows_also_unique), (Some(40.0 / 85.0), Some(1.0)));
        assert_eq!((estimate.low, estimate.high), (Some(40.0 / 85.0), Some(40.0 / 85.0)));
    }
    assert_eq!(
        (found.sampling_fraction, found.sensitivity.last().map(|point| point.sampling_fraction)),
        (1.0, Some(1.0))
    );
}

#[test]
fn a_table_of_unique_rows_has_no_fit_of_the_models_with_parameters() {
    let found = population_uniqueness(&sizes(&[(1, 50)]), 5_000);
    for model in [UniquenessModel::Pitman, UniquenessModel::Snb] {
        let estimate = estimate(&found, model);
        assert_eq!((estimate.uniqueness, estimate.no_estimate), (None, Some(NoEstimate::AllUnique)));
    }
    assert_eq!(found.chosen, Some(UniquenessModel::Zayatz));
}

#[test]
fn without_pairs_snb_has_no_estimate() {
    let found = population_uniqueness(&sizes(&[(1, 50), (3, 2)]), 500);
    assert_eq!(estimate(&found, UniquenessModel::Snb).no_estimate, Some(NoEstimate::NoPairs));
}

#[test]
fn classes_that_are_all_alike_have_no_fit_of_pitmans_model() {
    // As many pairs as pairs of a population with few, equally frequent classes.
    let found = population_uniqueness(&sizes(&[(9, 10), (10, 30), (11, 10), (1, 1)]), 10_000);
    assert_eq!(estimate(&found, UniquenessModel::Pitman).no_estimate, Some(NoEstimate::NoFit));
    assert_eq!(found.chosen, Some(UniquenessModel::Zayatz));
}

#[test]
fn without_unique_rows_the_estimate_is_zero_and_its_interval_is_not() {
    let found = population_uniqueness(&sizes(&[(2, 100), (3, 10)]), 10_000);
    for estimate in &found.estimates {
        assert_eq!((estimate.uniqueness, estimate.unique_rows_also_unique), (Some(0.0), None));
        assert!((estimate.high.expect("an end") - 2.995_732 / 230.0).abs() < 1e-6);
    }
}

#[test]
fn people_in_several_classes_have_no_estimate_even_without_unique_rows() {
    let found = PopulationUniqueness::of_several_classes(&sizes(&[(2, 10)]), 15, 18);
    assert!(found.estimates.iter().all(|one| one.no_estimate == Some(NoEstimate::SeveralClasses)));
    assert_eq!((found.chosen, found.sample_size, found.population_size), (None, 15, 18));
}

#[test]
fn a_population_of_more_than_two_to_the_31_is_not_cut() {
    let sizes = sizes(&[(1, 600), (2, 150), (3, 60), (10, 12)]);
    let at = |population: u64| {
        let found = population_uniqueness(&sizes, population);
        (found.population_size, estimate(&found, UniquenessModel::Pitman).uniqueness.expect("a fit"))
    };
    let ((_, two_to_31), (size, eight_billion)) = (at(1 << 31), at(8_000_000_000));
    assert_eq!(size, 8_000_000_000);
    assert!(eight_billion < 0.9 * two_to_31, "{eight_billion} {two_to_31}");
}

#[test]
fn above_a_tenth_the_smaller_of_snb_and_zayatz_is_taken() {
    let of = |model, uniqueness| UniquenessEstimate {
        model,
        uniqueness,
        low: None,
        high: None,
        unique_rows_also_unique: None,
        no_estimate: None,
    };
    use UniquenessModel::{Pitman, Snb, Zayatz};
    let taken = |fraction, zayatz, pitman, snb| {
        let estimates = [of(Zayatz, Some(zayatz)), of(Pitman, pitman), of(Snb, snb)];
        dankar(fraction, &estimates).map(|estimate| estimate.model)
    };
    assert_eq!(taken(0.1, 0.3, Some(0.2), Some(0.1)), Some(Pitman));
    assert_eq!(taken(0.1, 0.3, None, Some(0.1)), Some(Zayatz));
    assert_eq!(taken(0.11, 0.3, Some(0.2), Some(0.4)), Some(Zayatz));
    assert_eq!(taken(0.11, 0.3, Some(0.2), Some(0.1)), Some(Snb));
    assert_eq!(taken(0.11, 0.3, Some(0.2), None), Some(Zayatz));
}
