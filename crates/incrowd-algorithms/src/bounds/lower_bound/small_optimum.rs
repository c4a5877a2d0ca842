//! The least loss of all releases of a table that is small enough to try every one.

#![allow(clippy::unwrap_used)]

use incrowd_core::{Attribute, Dictionary, FrequencyTable, Hierarchy, QuasiIdentifier, Role, Values};

use super::cells_of;
use crate::Problem;

/// A table of rows with three quasi-identifiers, of six, six and four leaves.
pub(super) fn small_table(rows: &[[u32; 3]]) -> (FrequencyTable, Vec<QuasiIdentifier>) {
    let lines = ["0;a;x;*\n1;a;x;*\n2;b;x;*\n3;c;y;*\n4;c;y;*\n5;c;y;*\n", "0;a;*\n1;b;*\n2;b;*\n3;b;*\n"];
    let attribute = |(at, leaves): (usize, i64)| {
        let values = Dictionary::new(Values::Integers((0..leaves).collect()), false);
        Attribute::new(format!("q{at}"), Role::QuasiIdentifier, values)
    };
    let attributes: Vec<Attribute> = [6, 6, 4].into_iter().enumerate().map(attribute).collect();
    let quasi = |at: usize| {
        let hierarchy = Hierarchy::read(lines[at / 2]).unwrap();
        QuasiIdentifier::new(at, &hierarchy, &attributes[at].dictionary).unwrap()
    };
    let quasi = (0..3).map(quasi).collect();
    (FrequencyTable::from_tuples(attributes, rows.iter().map(|codes| (codes.to_vec(), 1))), quasi)
}

/// The least loss of all releases: of every set of rows the best way to divide it into classes.
pub(super) fn optimum(problem: &Problem<'_>, k: usize) -> Option<f64> {
    let rows: Vec<usize> =
        problem.all_rows().into_iter().flat_map(|(tuple, rows)| (0..rows).map(move |_| tuple)).collect();
    let price = |class: &[usize]| -> f64 {
        let cell = |(at, quasi): (usize, &QuasiIdentifier)| {
            let leaves = class.iter().map(|&tuple| quasi.domain.at_level(problem.leaf(tuple, at), 0));
            problem.prices.price(at, leaves.reduce(|a, b| quasi.domain.join(a, b)).unwrap())
        };
        problem.quasi_identifiers.iter().enumerate().map(cell).sum()
    };
    let mut best: Vec<Option<f64>> = vec![Some(0.0)];
    for set in 1usize..1 << rows.len() {
        let first = set & set.wrapping_neg();
        let parts = (1..=set).filter(|part| part & !set == 0 && part & first != 0);
        let losses = parts.filter_map(|part| {
            let class: Vec<usize> = (0..rows.len()).filter(|at| part >> at & 1 == 1).map(|at| rows[at]).collect();
            (class.len() >= k).then_some(())?;
            Some(best[set ^ part]? + class.len() as f64 * price(&class))
        });
        let least = losses.reduce(f64::min);
        best.push(least);
    }
    best[best.len() - 1].map(|lost| lost / cells_of(problem))
}
