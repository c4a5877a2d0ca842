//! Models about a population, kept by every solver that takes them, as an oracle says that shares no code with them.
//!
//! The oracle writes every published cell as its label and compares labels and values as texts, along the lines of the
//! hierarchies.
#![allow(clippy::unwrap_used)]

#[path = "population/case.rs"]
mod case;

use std::sync::Arc;

use case::{Case, cases};
use incrowd_algorithms::{ALGORITHMS, AlgorithmEntry, Budget, Problem, Solution, Unsolved};
use incrowd_core::{FrequencyTable, GivenPopulation, Lm, Parameters, Partition, Policy, QuasiIdentifier, Recoding};
use proptest::prelude::*;

/// A class as it is published: its labels, and its rows.
type ShownClass = (Vec<String>, u64);

fn shown(table: &FrequencyTable, quasi: &[QuasiIdentifier], solution: &Solution) -> Vec<ShownClass> {
    let recoding = match &solution.levels {
        Some(levels) => Recoding::full_domain(table, quasi, &solution.partition, levels),
        None => Recoding::tightened(table, quasi, &solution.partition),
    };
    let mut classes = std::collections::BTreeMap::new();
    for (class, members) in (0..).zip(solution.partition.classes()) {
        let cells = recoding.cells(class).iter().zip(quasi);
        let labels: Vec<String> = cells.map(|(&cell, quasi)| quasi.domain.render(cell).into_owned()).collect();
        *classes.entry(labels).or_insert(0) += members.iter().map(|member| member.1).sum::<u64>();
    }
    classes.into_iter().collect()
}

fn solved(case: &Case, entry: &AlgorithmEntry, policy: &Policy) -> Result<(Vec<ShownClass>, Partition), Unsolved> {
    let table = case.table();
    let (quasi, _) = case.quasi_identifiers(&table);
    let problem = Problem::new(&table, &quasi, policy, &Lm, 7).unwrap();
    let solution = entry.solve(&problem, &Budget { threads: Some(1), ..Budget::default() })?;
    assert!(solution.partition.accounts_for(&table), "somebody was lost or invented");
    Ok((shown(&table, &quasi, &solution), solution.partition))
}

fn given(case: &Case) -> Arc<GivenPopulation> {
    let table = case.table();
    let (quasi, hierarchies) = case.quasi_identifiers(&table);
    let people = case.population_table();
    Arc::new(GivenPopulation::new(&table, &quasi, &hierarchies, &people, |_| 1))
}

/// The widest label of each column.
fn widest(case: &Case) -> Vec<String> {
    let (quasi, _) = case.quasi_identifiers(&case.table());
    quasi.iter().map(|quasi| quasi.domain.render(quasi.domain.top()).into_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn a_label_matches_whom_the_oracle_says(case in cases()) {
        let (table, population) = (case.table(), given(&case));
        let (quasi, _) = case.quasi_identifiers(&table);
        prop_assert_eq!(population.people(), case.people());
        for tuple in 0..table.tuples() {
            for level in 0..4 {
                let cells: Vec<_> = quasi
                    .iter()
                    .map(|quasi| quasi.cell(table.code(tuple, quasi.column), level.min(quasi.height())))
                    .collect();
                let labels: Vec<String> =
                    quasi.iter().zip(&cells).map(|(quasi, &cell)| quasi.domain.render(cell).into_owned()).collect();
                prop_assert_eq!(population.matching(&cells), case.matching(&labels), "{:?}", labels);
            }
        }
        // What a label that no hierarchy has stands for is not looked at.
        let lacking = population.rows_without_person(&table);
        prop_assert!(lacking <= case.rows_without_person());
        prop_assert!(!case.is_exact() || lacking == case.rows_without_person());
    }

    #[test]
    fn every_solver_keeps_k_map(case in cases(), k in 1u64..4, k_map in 1u64..12, suppress in any::<bool>()) {
        let policy = Policy::k_anonymity(k).asking("k-map", Parameters::from_iter([("k", k_map)]), &[]);
        let policy = policy.suppressing(if suppress { 0.3 } else { 0.0 }).about(given(&case));
        for entry in ALGORITHMS {
            match solved(&case, entry, &policy) {
                Ok((classes, _)) => {
                    for (labels, rows) in classes {
                        let matching = case.matching(&labels);
                        prop_assert!(matching >= k_map && rows >= k, "{}: {:?} {}", entry.id, labels, matching);
                    }
                }
                Err(Unsolved::Infeasible(_)) => {
                    let whole: u64 = case.rows();
                    let widest = case.matching(&widest(&case)) < k_map;
                    prop_assert!(widest || whole < k, "{}: infeasible, but the widest labels are not", entry.id);
                }
                // Wider labels than those of the whole table may be kept by a full-domain recoding only.
                Err(Unsolved::NotFound(_)) => prop_assert!(!entry.traits.full_domain, "{}", entry.id),
                Err(other) => return Err(TestCaseError::fail(other.to_string())),
            }
        }
    }

    #[test]
    fn full_domain_recoding_keeps_presence_and_is_refused_only_if_everything_breaks_it(
        case in cases(), above in 0u64..3, most in 1u64..5,
    ) {
        let parameters = Parameters::default().with("max", format!("{most}/4").as_str());
        let parameters = if above == 0 { parameters } else { parameters.with("min", format!("{above}/16").as_str()) };
        let policy = Policy::k_anonymity(1).asking("delta-presence", parameters, &[]).about(given(&case));
        let entry = AlgorithmEntry::find("incognito").unwrap();
        let keeps = |rows: u64, people: u64| rows * 4 <= people * most && rows * 16 >= people * above;
        match solved(&case, entry, &policy) {
            Ok((classes, _)) => {
                for (labels, rows) in &classes {
                    prop_assert!(keeps(*rows, case.matching(labels)), "{:?}", labels);
                }
                let classes: Vec<Vec<String>> = classes.into_iter().map(|class| class.0).collect();
                let most = case.most_classes_of_a_person(&classes);
                prop_assert!(most <= 1, "somebody is in {} classes", most);
                prop_assert!(above == 0 || case.people_without_class(&classes) == 0);
            }
            Err(Unsolved::Infeasible(_)) => {
                let people = case.matching(&widest(&case));
                prop_assert!(!keeps(case.rows(), people) || above > 0 && people < case.people());
            }
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        }
    }
}
