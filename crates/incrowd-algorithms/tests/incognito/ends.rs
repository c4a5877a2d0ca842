//! How a search ends when it does not run to its end, or has nowhere to go.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use incrowd_algorithms::{Budget, DeadlineClock, Unsolved};
use incrowd_core::{
    Attribute, Cancel, Dictionary, FrequencyTable, Hierarchy, Policy, Progress, QuasiIdentifier, Role, Stage, Watch,
};

use super::tables::{solve, table_of};

const HOUR: Duration = Duration::from_secs(3600);

/// Eight rows of a postcode and an illness, so many of them with the first illness.
fn towns(ill: usize) -> (FrequencyTable, Vec<QuasiIdentifier>) {
    let hierarchy = Hierarchy::read("11;1;*\n12;1;*\n21;2;*\n22;2;*\n").unwrap();
    let row =
        |at: usize| vec![["11", "12", "21", "22"][at % 4].to_owned(), if at < ill { "c" } else { "n" }.to_owned()];
    table_of(&["postcode", "illness"], &[hierarchy], &(0..8).map(row).collect::<Vec<_>>())
}

/// The time is over at the second look: a solver that begins too late gets a little time.
fn at_once() -> Budget {
    Budget { deadline: Some(Instant::now() + HOUR), clock: DeadlineClock::over_at(2), ..Budget::default() }
}

#[test]
fn when_the_time_is_over_the_best_node_so_far_is_returned_and_said_to_be_no_optimum() {
    let (table, quasi) = towns(0);
    let solution = solve(&table, &quasi, &Policy::k_anonymity(2), &at_once()).unwrap();
    assert!(solution.cut_short);
    assert_eq!((solution.levels, solution.partition.len()), (Some(vec![2]), 1));
    assert_eq!(solution.statistics.holding_nodes, None);
    let later = Budget { deadline: Some(Instant::now() + HOUR), ..Budget::default() };
    let solution = solve(&table, &quasi, &Policy::k_anonymity(2), &later).unwrap();
    assert!(!solution.cut_short);
    assert_eq!((solution.levels, solution.statistics.holding_nodes), (Some(vec![0]), Some(3)));
}

#[test]
fn when_the_time_is_over_and_nothing_was_found_the_work_was_stopped() {
    let (table, quasi) = towns(0);
    let unsolved = solve(&table, &quasi, &Policy::k_anonymity(9), &at_once()).unwrap_err();
    assert!(matches!(unsolved, Unsolved::Stopped(_)));
}

#[test]
fn a_cancelled_search_is_stopped() {
    let (table, quasi) = towns(0);
    let cancel = Cancel::default();
    cancel.cancel();
    let budget = Budget { watch: Watch { cancel, ..Watch::default() }, ..Budget::default() };
    assert!(matches!(solve(&table, &quasi, &Policy::k_anonymity(2), &budget), Err(Unsolved::Stopped(_))));
}

#[derive(Default)]
struct Updates(Mutex<Vec<(u64, Option<u64>)>>);

impl Progress for Updates {
    fn update(&self, stage: Stage, done: u64, total: Option<u64>) {
        assert_eq!(stage, Stage::Solve);
        self.0.lock().unwrap().push((done, total));
    }
}

#[test]
fn a_search_tells_how_far_it_is() {
    let (table, quasi) = towns(0);
    let updates = Arc::new(Updates::default());
    let watch = Watch { progress: updates.clone(), ..Watch::default() };
    solve(&table, &quasi, &Policy::k_anonymity(2), &Budget { watch, ..Budget::default() }).unwrap();
    let updates = updates.0.lock().unwrap();
    assert!(!updates.is_empty() && updates.iter().all(|&(done, total)| Some(done) <= total));
}

#[test]
fn rows_are_suppressed_from_the_single_class_when_no_node_holds_without() {
    let (table, quasi) = towns(5);
    let half = "1/2".parse().unwrap();
    let policy = Policy::k_anonymity(6).deassociating("illness", half, &["c"], false);
    assert!(matches!(solve(&table, &quasi, &policy, &Budget::default()), Err(Unsolved::Infeasible(_))));
    let solution = solve(&table, &quasi, &policy.suppressing(0.25), &Budget::default()).unwrap();
    assert_eq!((solution.levels, solution.statistics.holding_nodes), (Some(vec![2]), Some(0)));
    assert_eq!((solution.partition.len(), solution.partition.withheld_rows()), (1, 2));
    assert!(solution.partition.accounts_for(&table));
}

#[test]
fn a_lattice_too_large_to_search_gives_a_node_that_holds_and_is_said_to_be_no_optimum() {
    let hierarchy = Hierarchy::read("0;*\n1;*\n").unwrap();
    let names: Vec<String> = (0..24).map(|at| format!("q{at}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).chain(["illness"]).collect();
    let row = |at: usize| (0..25).map(|column| (at >> (column % 3) & 1).to_string()).collect();
    let (table, quasi) = table_of(&names, &vec![hierarchy; 24], &(0..8).map(row).collect::<Vec<_>>());
    let solution = solve(&table, &quasi, &Policy::k_anonymity(2), &Budget::default()).unwrap();
    assert!(solution.cut_short && solution.partition.accounts_for(&table));
    assert!(solution.partition.classes().all(|class| class.len() == 2));
    assert_eq!(solution.levels.unwrap().iter().sum::<usize>(), 8, "only every third attribute is left out");
}

#[test]
fn a_table_without_quasi_identifiers_or_rows_has_one_node() {
    let illness = || Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["c", "n"]));
    let table = FrequencyTable::from_tuples(vec![illness()], [([0], 1), ([1], 1)]);
    let solution = solve(&table, &[], &Policy::k_anonymity(2), &Budget::default()).unwrap();
    assert_eq!((solution.levels, solution.partition.len()), (Some(vec![]), 1));
    assert!(matches!(solve(&table, &[], &Policy::k_anonymity(3), &Budget::default()), Err(Unsolved::Infeasible(_))));
    let none = FrequencyTable::from_tuples(vec![illness()], std::iter::empty::<([u32; 1], u64)>());
    assert!(solve(&none, &[], &Policy::k_anonymity(2), &Budget::default()).unwrap().partition.is_empty());
}
