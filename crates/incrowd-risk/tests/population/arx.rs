//! ARX's table (30,162 rows, all nine columns) and the figures of ARX's own tests for it.

use std::collections::HashMap;

use incrowd_core::ClassSizes;
use incrowd_risk::population::{PopulationUniqueness, UniquenessModel, population_uniqueness};

fn arx() -> ClassSizes {
    let mut reader =
        csv::ReaderBuilder::new().delimiter(b';').from_path(incrowd_testdata::file("arx/adult.csv")).unwrap();
    let mut classes: HashMap<Vec<String>, u64> = HashMap::new();
    for row in reader.records() {
        *classes.entry(row.unwrap().iter().map(str::to_owned).collect()).or_default() += 1;
    }
    ClassSizes::from_sizes(classes.into_values())
}

fn of(found: &PopulationUniqueness, model: UniquenessModel) -> f64 {
    found.estimates.iter().find(|estimate| estimate.model == model).unwrap().uniqueness.unwrap()
}

fn close(found: f64, printed: f64) {
    assert!((found - printed).abs() < 1e-10, "{found} is not {printed}");
}

#[test]
fn the_figures_of_the_sample_are_those_of_arx() {
    let sizes = arx();
    close(sizes.mean_risk(), 0.646_575_160_8);
    close(population_uniqueness(&sizes, 301_620).sample_uniqueness, 0.514_289_503_3);
}

#[test]
fn the_estimates_are_those_of_arx() {
    let sizes = arx();
    let tenth = population_uniqueness(&sizes, 301_620);
    close(of(&tenth, UniquenessModel::Zayatz), 0.320_740_239_4);
    close(of(&tenth, UniquenessModel::Pitman), 0.276_849_938_8);
    assert_eq!(tenth.chosen, Some(UniquenessModel::Pitman));
    let fifth = population_uniqueness(&sizes, 150_810);
    close(of(&fifth, UniquenessModel::Zayatz), 0.357_709_923_5);
    let hundredth = population_uniqueness(&sizes, 3_016_200);
    close(hundredth.chosen_estimate().and_then(|estimate| estimate.uniqueness).unwrap(), 0.144_608_353_1);
}

#[test]
fn every_model_has_an_estimate_with_its_interval_around_it() {
    let sizes = arx();
    for population in [30_162, 60_324, 150_810, 301_620, 3_016_200, 300_000_000, 8_000_000_000] {
        let found = population_uniqueness(&sizes, population);
        for estimate in &found.estimates {
            let (low, high) = (estimate.low.unwrap(), estimate.high.unwrap());
            let uniqueness = estimate.uniqueness.unwrap();
            assert!(0.0 < low && low <= uniqueness && uniqueness <= high && high <= 1.0, "{population} {estimate:?}");
            assert!(uniqueness <= found.sample_uniqueness, "{population} {estimate:?}");
        }
    }
}
