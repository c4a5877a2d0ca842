use incrowd_core::{Attribute, Dictionary, Role};

use super::*;

fn attributes(levels: &[usize]) -> Vec<Attribute> {
    let column = |(at, &levels): (usize, &usize)| {
        let texts: Vec<String> = (0..levels).map(|value| value.to_string()).collect();
        Attribute::new(format!("C{at}"), Role::QuasiIdentifier, Dictionary::of_texts(texts.iter().map(String::as_str)))
    };
    levels.iter().enumerate().map(column).collect()
}

fn fitted(table: &FrequencyTable, columns: usize, fraction: f64) -> LogLinearRisk {
    LogLinearRisk::of(table, ColumnSet::first(columns), fraction, MOST_CELLS, &Watch::default()).expect("not stopped")
}

#[test]
fn without_pairs_the_fit_is_the_product_of_the_margins() {
    let table = FrequencyTable::from_tuples(attributes(&[2, 3]), [([0, 0], 6), ([0, 1], 3), ([1, 0], 2), ([1, 2], 1)]);
    let cells = filled(&table, ColumnSet::first(2), &[0, 1], 99).expect("few cells");
    let mut expected = vec![1.0; 6];
    let fit = cells.fit(&terms(2, &[]), &mut expected, &Watch::default()).expect("not stopped");
    assert!(matches!(fit, Fit::Converged));
    let products = [9.0 * 8.0, 9.0 * 3.0, 9.0, 3.0 * 8.0, 3.0 * 3.0, 3.0].map(|product| product / 12.0);
    assert!(expected.iter().zip(products).all(|(a, b)| (a - b).abs() < 1e-9), "{expected:?}");
}

#[test]
fn every_margin_of_a_pair_is_met() {
    let counts = |at: usize| (at as u64 * 7 + 3) % 11;
    let tuples = (0..24).map(|at| ([at as u32 / 12, at as u32 / 4 % 3, at as u32 % 4], counts(at)));
    let table = FrequencyTable::from_tuples(attributes(&[2, 3, 4]), tuples.filter(|(_, count)| *count > 0));
    let cells = filled(&table, ColumnSet::first(3), &[0, 1, 2], 99).expect("few cells");
    let pairs = [(0, 1), (0, 2), (1, 2)];
    let mut expected = vec![1.0; 24];
    cells.fit(&terms(3, &pairs), &mut expected, &Watch::default()).expect("not stopped");
    for (a, b) in pairs {
        let (wanted, found) =
            (cells.margin(Term::Pair(a, b), &cells.counts), cells.margin(Term::Pair(a, b), &expected));
        assert!(wanted.iter().zip(&found).all(|(a, b)| (a - b).abs() < 0.02), "{wanted:?} {found:?}");
    }
}

#[test]
fn the_summands_have_the_derivatives_they_say() {
    for of in [Summand::of_tau1, Summand::of_tau2] {
        for x in [0.0099, 0.0101, 0.3, 2.0, 30.0] {
            let step = 1e-5 * x;
            let (below, at, above) = (of(x - step), of(x), of(x + step));
            assert!(((above.value - below.value) / (2.0 * step) - at.first).abs() < 1e-6, "{x}");
            assert!(((above.first - below.first) / (2.0 * step) - at.second).abs() < 1e-4, "{x}");
        }
    }
}

/// Numbers that look random and are the same in every run.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[test]
fn the_estimates_are_close_to_the_truth_of_a_population_with_dependent_pairs() {
    const PEOPLE: usize = 200_000;
    const LEVELS: [usize; 4] = [12, 15, 9, 14];
    let fraction = 0.05;
    let mut draw = Draw(7);
    let mut population: std::collections::HashMap<[u32; 4], (u64, u64)> = std::collections::HashMap::new();
    for _ in 0..PEOPLE {
        let skewed =
            |draw: &mut Draw, levels: usize| ((draw.next().powi(2) * levels as f64) as u32).min(levels as u32 - 1);
        let a = skewed(&mut draw, LEVELS[0]);
        // The second column depends on the first.
        let b = (skewed(&mut draw, LEVELS[1]) + a) % LEVELS[1] as u32;
        let person = [a, b, skewed(&mut draw, LEVELS[2]), skewed(&mut draw, LEVELS[3])];
        let counts = population.entry(person).or_default();
        counts.0 += 1;
        counts.1 += u64::from(draw.next() < fraction);
    }
    let sample = population.iter().filter(|(_, counts)| counts.1 > 0).map(|(&codes, counts)| (codes, counts.1));
    let table = FrequencyTable::from_tuples(attributes(&LEVELS), sample);
    let unique = population.values().filter(|counts| counts.1 == 1);
    let tau1 = unique.clone().filter(|counts| counts.0 == 1).count() as f64;
    let tau2: f64 = unique.map(|counts| 1.0 / counts.0 as f64).sum();
    let found = fitted(&table, 4, fraction);
    let chosen = found.chosen_model().expect("a model");
    assert!((chosen.tau2 / tau2 - 1.0).abs() < 0.1, "{} {tau2}", chosen.tau2);
    assert!((chosen.tau1 - tau1).abs() < 3.0 * tau1.sqrt() + 5.0, "{} {tau1}", chosen.tau1);
    // Independence misses it, and says so.
    let plain = &found.models[0];
    assert!(plain.pairs.is_empty() && plain.tau2_error.abs() > chosen.tau2_error.abs());
    assert!(chosen.pairs.contains(&["C0".into(), "C1".into()]));
}

#[test]
fn too_many_combinations_are_refused() {
    let table = FrequencyTable::from_tuples(attributes(&[400, 400, 400]), (0..400u32).map(|at| ([at, at, at], 1)));
    let found = fitted(&table, 3, 0.1);
    assert_eq!((found.chosen, found.no_estimate), (None, Some(NoLogLinear::TooManyCells)));
    assert_eq!((found.unique_rows, found.chosen_model()), (400, None));
}
