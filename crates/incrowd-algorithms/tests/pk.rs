//! p-sensitive k-anonymity: how many classes there can be, and the two solvers that look for so many.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "pk/adult.rs"]
mod adult;
#[path = "pk/small.rs"]
mod small;

use std::time::Instant;

use incrowd_algorithms::{AlgorithmEntry, Budget, ClassBound, Problem, Solution, Unsolved, max_clusters};
use incrowd_core::{FrequencyTable, Il, Measures, Parameters, Policy, QuasiIdentifier, Recoding};
use proptest::prelude::*;

const SOLVERS: [&str; 2] = ["enhanced-pk", "greedy-pk"];

fn solve(id: &str, table: &FrequencyTable, quasi: &[QuasiIdentifier], policy: &Policy, budget: &Budget) -> Solution {
    let problem = Problem::new(table, quasi, policy, &Il, 1).unwrap();
    let solution = (AlgorithmEntry::find(id).unwrap().new)().solve(&problem, budget).unwrap();
    assert!(solution.partition.accounts_for(table) && solution.partition.withheld_rows() == 0);
    assert!(solution.partition.classes().all(|class| problem.holds(class)));
    solution
}

fn measured(table: &FrequencyTable, quasi: &[QuasiIdentifier], solution: &Solution, k: u64) -> Measures {
    let recoding = Recoding::tightened(table, quasi, &solution.partition);
    Measures::of(table, quasi, &solution.partition, &recoding, k)
}

/// Figure 1 of the paper: the bound says 2 classes, and only one can be made.
#[test]
fn the_bound_of_several_attributes_is_not_always_reached() {
    let (table, quasi, policy, expected) = small::golden("figure1_max_clusters");
    let bound = ClassBound::new(&table, &policy).unwrap();
    assert_eq!(bound.max_clusters(), expected["maxClusters"].as_u64());
    assert_eq!(max_clusters(&[2, 2], 2).map(|found| found.1), expected["iValue"].as_u64());
    for id in SOLVERS {
        let found = solve(id, &table, &quasi, &policy, &Budget::default()).partition.len() as u64;
        assert_eq!(Some(found), expected["largest_number_of_clusters"].as_u64(), "{id}");
    }
}

/// With the printed i the second step wants three rows of a value that has two.
#[test]
fn the_second_step_does_not_run_dry() {
    let (table, quasi, policy, expected) = small::golden("fill_step_shortage");
    let bound = ClassBound::new(&table, &policy).unwrap();
    assert_eq!(bound.max_clusters(), expected["maxClusters"].as_u64());
    assert_eq!(max_clusters(&[2, 2, 2, 2, 1], 3).map(|found| found.1), expected["iValue"].as_u64());
    assert_eq!(solve("enhanced-pk", &table, &quasi, &policy, &Budget::default()).partition.len(), 3);
}

#[test]
fn what_adult_allows_is_what_the_oracle_found() {
    let (table, _) = adult::adult("adult_10k_seed42.csv", usize::MAX);
    let figures = [
        (2, 5_000, "1.0000", 200_000),
        (4, 2_254, "1.0000", 200_000),
        (6, 970, "1.0000", 200_000),
        (8, 582, "1.0000", 200_000),
        (10, 394, "1.2690", 253_900),
    ];
    for (p, classes, avg, dm) in figures {
        let bound = ClassBound::new(&table, &adult::policy(p, 20)).unwrap();
        assert_eq!(bound.max_clusters(), Some(classes));
        assert_eq!((format!("{:.4}", bound.avg().unwrap()).as_str(), bound.dm()), (avg, Some(dm)));
    }
}

#[test]
fn how_large_p_can_be_is_said_in_words() {
    let (table, quasi) = adult::adult("adult_10k_seed42.csv", usize::MAX);
    let said = |p: u64, name: &str| {
        let policy = small::policy(p, 20, &[name]);
        ClassBound::new(&table, &policy).unwrap().to_string()
    };
    assert_eq!(
        said(10, "education"),
        "“education” has 16 values, so p can be at most 16; with k = 20 and p = 10, at most 394 classes"
    );
    assert_eq!(
        said(2, "occupation"),
        "“occupation” has 14 values, so p can be at most 14; with k = 20 and p = 2, at most 500 classes"
    );
    assert_eq!(said(15, "occupation"), "“occupation” has 14 values, so p can be at most 14, less than p = 15");
    let bound = ClassBound::new(&table, &adult::policy(15, 20)).unwrap();
    assert_eq!((bound.classes(), bound.avg(), bound.dm()), (0, None, None));
    assert_eq!(
        ClassBound::new(&table, &Policy::k_anonymity(20)).unwrap().to_string(),
        "with k = 20, at most 500 classes"
    );
    let problem = Problem::new(&table, &quasi, &adult::policy(15, 20), &Il, 1).unwrap();
    for id in SOLVERS {
        let refused = (AlgorithmEntry::find(id).unwrap().new)().solve(&problem, &Budget::default()).unwrap_err();
        assert!(matches!(&refused, Unsolved::Infeasible(why) if why[0].columns == ["occupation"]), "{id}: {refused}");
    }
}

/// Eight rows of one number would be two classes that publish it; an exchange of rows with their neighbours makes them
/// differ. The last class is far away, so that a step to the neighbours is a small one.
#[test]
fn classes_that_would_publish_alike_are_told_apart() {
    let rows: Vec<(i64, Vec<String>)> = (-7..9)
        .map(|at: i64| (if at > 4 { at + 95 } else { at.max(0) }, vec![if at % 2 == 0 { "a" } else { "b" }.into()]))
        .collect();
    let (table, quasi) = small::table(&["s"], &rows);
    for id in SOLVERS {
        let found = solve(id, &table, &quasi, &small::policy(2, 4, &["s"]), &Budget::default());
        assert_eq!(found.partition.len(), 4, "{id}");
    }
}

/// Groups of values count as one: with `a` and `b` as one thing, only the rows of `c` can complete a class.
#[test]
fn a_protected_group_is_one_value() {
    let rows: Vec<(i64, Vec<String>)> =
        (0..12).map(|at: i64| (at, vec![["a", "b", "a", "c"][at as usize % 4].into()])).collect();
    let (table, quasi) = small::table(&["s"], &rows);
    let groups = vec![vec!["a".to_owned(), "b".to_owned()]];
    let parameters = Parameters::from_iter([("p", 2)]).with("groups", groups);
    let policy = Policy::k_anonymity(2).asking("extended-p-sensitive", parameters, &["s"]);
    assert_eq!(ClassBound::new(&table, &policy).unwrap().classes(), 3);
    for id in SOLVERS {
        assert_eq!(solve(id, &table, &quasi, &policy, &Budget::default()).partition.len(), 3, "{id}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Every row has a number of its own, so no two classes publish alike.
    #[test]
    fn for_one_attribute_the_bound_is_reached(
        values in prop::collection::vec(prop::sample::select(vec!["a", "a", "a", "b", "b", "c", "d", "e"]), 1..60),
        (p, k) in (1u64..5, 1u64..8),
    ) {
        let rows: Vec<(i64, Vec<String>)> = (0..).zip(&values).map(|(at, &value)| (at, vec![value.into()])).collect();
        let (table, quasi) = small::table(&["s"], &rows);
        let policy = small::policy(p, k, &["s"]);
        let bound = ClassBound::new(&table, &policy).unwrap().classes();
        prop_assume!(bound > 0);
        let found = |id: &str| solve(id, &table, &quasi, &policy, &Budget::default()).partition.len() as u64;
        prop_assert_eq!(found("enhanced-pk"), bound);
        prop_assert!((1..=bound).contains(&found("greedy-pk")));
    }

    #[test]
    fn no_solver_finds_more_classes_than_there_can_be(
        values in prop::collection::vec(prop::collection::vec(0..4, 3), 1..40),
        (p, k) in (1u64..4, 1u64..6),
    ) {
        let texts = |values: &Vec<i32>| values.iter().map(ToString::to_string).collect();
        let rows: Vec<(i64, Vec<String>)> = (0..).zip(&values).map(|(at, values)| (at / 2, texts(values))).collect();
        let (table, quasi) = small::table(&["s", "t", "u"], &rows);
        let policy = small::policy(p, k, &["s", "t", "u"]);
        let bound = ClassBound::new(&table, &policy).unwrap();
        prop_assume!(bound.classes() > 0);
        for id in ["enhanced-pk", "greedy-pk", "cheapest-first", "k-member"] {
            let solution = solve(id, &table, &quasi, &policy, &Budget::default());
            let found = measured(&table, &quasi, &solution, k);
            prop_assert!(solution.partition.len() as u64 <= bound.classes(), "{}", id);
            prop_assert!(found.avg >= bound.avg().unwrap() - 1e-9 && found.dm >= bound.dm().unwrap() as f64, "{}", id);
        }
    }
}

#[test]
fn threads_change_nothing() {
    let (table, quasi) = adult::adult("adult_10k_seed42.csv", 500);
    for id in SOLVERS {
        let [one, two, four] = [1, 2, 4].map(|threads| {
            solve(id, &table, &quasi, &adult::policy(4, 7), &Budget { threads: Some(threads), ..Budget::default() })
        });
        assert!(one == two && two == four, "{id}");
    }
}

#[test]
fn a_deadline_that_passed_gives_classes_that_keep_the_policy() {
    let (table, quasi) = adult::adult("adult_10k_seed42.csv", 1_000);
    for id in SOLVERS {
        let hurried = Budget { deadline: Some(Instant::now()), ..Budget::default() };
        assert!(solve(id, &table, &quasi, &adult::policy(3, 5), &hurried).cut_short, "{id}");
    }
}

/// AVG at k = 20 as measured: for enhanced-pk it is the bound itself, for greedy-pk from p = 6 on it is above, as in
/// the paper's figure 4.
#[test]
#[cfg_attr(debug_assertions, ignore = "wants optimized code")]
fn figures_on_adult() {
    let figures = [(2, 1.0), (4, 1.0), (6, 1.005), (8, 1.15), (10, 1.54)];
    let (table, quasi) = adult::adult("adult_10k_seed42.csv", usize::MAX);
    for (p, greedy) in figures {
        let policy = adult::policy(p, 20);
        let bound = ClassBound::new(&table, &policy).unwrap().avg().unwrap();
        for (id, most) in [("enhanced-pk", bound + 1e-9), ("greedy-pk", greedy)] {
            let begun = Instant::now();
            let solution = solve(id, &table, &quasi, &policy, &Budget::default());
            let seconds = begun.elapsed().as_secs_f64();
            let Measures { avg, dm, lm, .. } = measured(&table, &quasi, &solution, 20);
            println!("{id}, p = {p}: AVG {avg:.4} (bound {bound:.4}), DM {dm}, LM {lm:.4}, {seconds:.2} s");
            assert!(avg <= most, "{id}, p = {p}: AVG {avg}");
            assert!(seconds < 20.0, "{id}, p = {p}: {seconds} s");
        }
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "wants optimized code")]
fn all_of_adult_takes_no_ten_minutes() {
    let (table, quasi) = adult::adult("adult.csv", usize::MAX);
    for p in [2, 6, 10] {
        let policy = adult::policy(p, 20);
        let bound = ClassBound::new(&table, &policy).unwrap().avg().unwrap();
        for id in SOLVERS {
            let begun = Instant::now();
            let solution = solve(id, &table, &quasi, &policy, &Budget::default());
            let seconds = begun.elapsed().as_secs_f64();
            let Measures { avg, dm, lm, .. } = measured(&table, &quasi, &solution, 20);
            println!("{id}, p = {p}: AVG {avg:.4} (bound {bound:.4}), DM {dm}, LM {lm:.4}, {seconds:.2} s");
            assert!(seconds < 600.0 && (id == "greedy-pk" || avg <= 1.05 * bound), "{id}, p = {p}: {avg}, {seconds} s");
        }
    }
}
