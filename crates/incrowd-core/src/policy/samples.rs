//! Sample parameters, from which each model makes those that it is tested with.

use std::ops::Range;

use super::Parameters;

/// One parameter that is each of these whole numbers.
pub(crate) fn whole_numbers(name: &str, numbers: Range<u64>) -> Vec<Parameters> {
    numbers.map(|number| Parameters::default().with(name, number)).collect()
}

/// One parameter that is each of these numbers divided by `below`.
pub(crate) fn ratios(name: &str, above: Range<u64>, below: u64) -> Vec<Parameters> {
    above.map(|above| Parameters::default().with(name, format!("{above}/{below}").as_str())).collect()
}

/// Each of the samples with each of the choices.
pub(crate) fn each_with<C>(
    samples: &[Parameters],
    choices: &[C],
    with: impl Fn(Parameters, &C) -> Parameters,
) -> Vec<Parameters> {
    let of_choice = |choice: &C| samples.iter().map(|sample| with(sample.clone(), choice)).collect::<Vec<_>>();
    choices.iter().flat_map(of_choice).collect()
}
