//! Tables on which `auto` was once worse than it has to be.

use incrowd_algorithms::Problem;
use incrowd_core::{Attribute, Dictionary, FrequencyTable, Hierarchy, Lm, Policy, QuasiIdentifier, Role};

use crate::{budget, loss, solve};

/// A table of quasi-identifiers with a tree of leaf, half, `*` each, from the codes of its rows.
fn table(width: usize, leaves: u32, rows: &[Vec<u32>]) -> (FrequencyTable, Vec<QuasiIdentifier>) {
    let texts: Vec<String> = (0..leaves).map(|leaf| format!("v{leaf:02}")).collect();
    let line = |leaf: u32| format!("v{leaf:02};h{};*\n", leaf * 2 / leaves);
    let hierarchy = Hierarchy::read(&(0..leaves).map(line).collect::<String>()).unwrap();
    let dictionary = || Dictionary::of_texts(texts.iter().map(String::as_str));
    let quasi = (0..width).map(|at| QuasiIdentifier::new(at, &hierarchy, &dictionary()).unwrap()).collect();
    let attribute = |at: usize| Attribute::new(format!("q{at}"), Role::QuasiIdentifier, dictionary());
    let rows = rows.iter().map(|row| (row.clone(), 1));
    (FrequencyTable::from_tuples((0..width).map(attribute).collect(), rows), quasi)
}

/// Rows scattered around a few centres, which no single column tells apart.
fn scattered(rows: usize, width: usize, leaves: u32) -> Vec<Vec<u32>> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut draw = |below: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % u64::from(below)) as u32
    };
    let centres: Vec<Vec<u32>> = (0..rows / 4).map(|_| (0..width).map(|_| draw(leaves)).collect()).collect();
    let row = |at: usize, draw: &mut dyn FnMut(u32) -> u32| -> Vec<u32> {
        let near = |&leaf: &u32| if draw(5) == 0 { draw(leaves) } else { leaf };
        centres[at % centres.len()].iter().map(near).collect()
    };
    (0..rows).map(|at| row(at, &mut draw)).collect()
}

/// Many columns and few rows: merging the closest two is better than records that few rows share.
#[test]
fn a_wide_table_loses_no_more_than_by_agglomerative_clustering() {
    let (table, quasi) = table(20, 6, &scattered(60, 20, 6));
    let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(3), &Lm, 1).unwrap();
    let effort = Some(incrowd_algorithms::Effort::LOW.units(table.tuples() as u64));
    let budget = incrowd_algorithms::Budget { effort, ..budget() };
    let lost = |id: &str| loss(&problem, &solve(id, &problem, &budget).unwrap().partition);
    assert!(lost("auto") <= lost("agglomerative"), "{} {}", lost("auto"), lost("agglomerative"));
}
