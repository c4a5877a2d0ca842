//! Every solver and every model: how much is done between two looks at the deadline, and what a deadline leaves.
//!
//! Nothing here depends on the clock of the machine. The time is over at a certain look, and work is counted in tuples
//! and cells that are visited.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use incrowd_core::{
    Attribute, Cancel, Dictionary, FrequencyTable, Hierarchy, Lm, Parameters, Policy, Progress, QuasiIdentifier, Ratio,
    Role, Stage, Watch,
};

use crate::{
    ALGORITHMS, Algorithm, AlgorithmEntry, Budget, DeadlineClock, Effort, Problem, Solution, Unsolved, lower_bound,
    refined,
};

/// The values of each quasi-identifier: one with many and no levels between them, one with a hierarchy, one with few.
const VALUES: [u32; 3] = [300, 64, 5];
const ILLNESSES: u32 = 6;

fn texts(count: u32, text: impl Fn(u32) -> String) -> Dictionary {
    let texts: Vec<String> = (0..count).map(text).collect();
    Dictionary::of_texts(texts.iter().map(String::as_str))
}

/// A table in which almost every tuple is unique.
pub(super) fn table(tuples: u32) -> (FrequencyTable, Vec<QuasiIdentifier>) {
    let many = texts(VALUES[0], |value| format!("{value:03}"));
    let some = texts(VALUES[1], |value| format!("{value:06b}"));
    let few = texts(VALUES[2], |value| value.to_string());
    let quasi = vec![
        QuasiIdentifier::new(0, &Hierarchy::flat(&many).unwrap(), &many).unwrap(),
        QuasiIdentifier::new(1, &Hierarchy::prefix(&some, None).unwrap(), &some).unwrap(),
        QuasiIdentifier::new(2, &Hierarchy::flat(&few).unwrap(), &few).unwrap(),
    ];
    let attributes = vec![
        Attribute::new("many", Role::QuasiIdentifier, many),
        Attribute::new("some", Role::QuasiIdentifier, some),
        Attribute::new("few", Role::QuasiIdentifier, few),
        Attribute::new("illness", Role::Sensitive, texts(ILLNESSES, |value| value.to_string())),
    ];
    // A multiplicative sequence: spread over all values, the same in every run.
    let draw = |at: u32, values: u32| (at.wrapping_mul(2_654_435_761) >> 8) % values;
    let rows = (0..tuples).map(|at| {
        // Half of the people have the most frequent illness.
        let illness = draw(at + 3, 2 * ILLNESSES).saturating_sub(ILLNESSES);
        ([draw(at, VALUES[0]), draw(at + 1, VALUES[1]), draw(at + 2, VALUES[2]), illness], 1)
    });
    (FrequencyTable::from_tuples(attributes, rows), quasi)
}

/// A policy of each kind of model.
fn policies() -> Vec<(&'static str, Policy)> {
    let number = |name: &str, text: &str| Parameters::default().with(name, text);
    let ask = |model: &'static str, parameters: Parameters| {
        (model, Policy::k_anonymity(4).asking(model, parameters, &["illness"]))
    };
    let alpha =
        |refined: bool| Policy::k_anonymity(4).deassociating("illness", Ratio::new(7, 10).unwrap(), &[], refined);
    vec![
        ("k", Policy::k_anonymity(4)),
        ("alpha", alpha(false)),
        ("refined alpha", alpha(true)),
        ask("distinct-l-diversity", Parameters::from_iter([("l", 3)])),
        ask("entropy-l-diversity", number("l", "2")),
        ask("t-closeness", number("t", "1/5").with("distance", "equal")),
        ask("beta-likeness", number("beta", "2").with("rule", "basic")),
        ask("p-sensitive", Parameters::from_iter([("p", 2)])),
    ]
}

/// Everything that takes a budget: the listed solvers, and refinement of a single class.
fn solvers() -> Vec<(&'static str, Box<dyn Algorithm>)> {
    struct Refinement;
    impl Algorithm for Refinement {
        fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
            refined(problem, &incrowd_core::Partition::single(problem.table), budget)
        }
    }
    let listed = ALGORITHMS.iter().map(|entry| (entry.id, (entry.new)()));
    listed.chain([("refined", Box::new(Refinement) as Box<dyn Algorithm>)]).collect()
}

fn budget(clock: DeadlineClock, tuples: u32) -> Budget {
    Budget { clock, threads: Some(1), effort: Some(Effort::LOW.units(tuples.into()) / 256), ..Budget::default() }
}

/// What a solver found is a release: every row is in it, and every class keeps the policy.
fn assert_valid(problem: &Problem<'_>, solution: &Solution, context: &str) {
    assert!(solution.partition.accounts_for(problem.table), "{context}");
    let published = problem.publishing(solution.partition.classes());
    assert!(solution.partition.classes().all(|class| published.holds(class)), "{context}");
}

#[test]
fn every_solver_looks_at_the_deadline_after_little_work() {
    const TUPLES: u32 = 200;
    // A pass over the table for each of a few columns, values or partners; not a pass for each tuple or class.
    const MOST: u64 = 60;
    let (table, quasi) = table(TUPLES);
    let mut over = Vec::new();
    for (model, policy) in policies() {
        let problem = Problem::new(&table, &quasi, &policy, &Lm, 1).unwrap();
        for (id, solver) in solvers() {
            let clock = DeadlineClock::default();
            let solution = solver.solve(&problem, &budget(clock.clone(), TUPLES)).unwrap();
            assert_valid(&problem, &solution, &format!("{id}, {model}"));
            let is_full_domain = AlgorithmEntry::find(id).is_some_and(|entry| entry.traits.full_domain);
            assert!(!solution.cut_short || is_full_domain, "{id}, {model}");
            let work = clock.longest() / u64::from(TUPLES);
            if work > MOST || clock.looks() < 2 {
                over.push(format!("{id}, {model}: {work} for each tuple, {} looks", clock.looks()));
            }
        }
    }
    assert!(over.is_empty(), "too much work between two looks:\n{}", over.join("\n"));
}

#[test]
fn a_deadline_at_any_look_leaves_a_release_that_is_said_to_be_cut_short() {
    const TUPLES: u32 = 80;
    let (table, quasi) = table(TUPLES);
    for (model, policy) in policies() {
        let problem = Problem::new(&table, &quasi, &policy, &Lm, 1).unwrap();
        for (id, solver) in solvers() {
            for look in [1, 2, 4, 12, 60, 300] {
                let context = format!("{id}, {model}, over at look {look}");
                let clock = DeadlineClock::over_at(look);
                let solution = match solver.solve(&problem, &budget(clock.clone(), TUPLES)) {
                    Ok(solution) => solution,
                    Err(unsolved) => panic!("{context}: {unsolved}"),
                };
                assert_valid(&problem, &solution, &context);
                if clock.looks() < look {
                    // It was done before.
                    break;
                }
                assert!(solution.cut_short, "{context}");
            }
        }
    }
}

/// Cancels the work at the given report of progress.
struct CancelAt {
    cancel: Cancel,
    left: AtomicU64,
}

impl Progress for CancelAt {
    fn update(&self, _: Stage, _: u64, _: Option<u64>) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.cancel.cancel();
        }
    }
}

#[test]
fn cancelled_work_ends_without_an_answer() {
    const TUPLES: u32 = 80;
    let (table, quasi) = table(TUPLES);
    for (model, policy) in policies() {
        let problem = Problem::new(&table, &quasi, &policy, &Lm, 1).unwrap();
        for (id, solver) in solvers() {
            let cancel = Cancel::default();
            cancel.cancel();
            let watch = Watch { cancel, ..Watch::default() };
            let clock = DeadlineClock::default();
            let stopped = solver.solve(&problem, &Budget { watch, ..budget(clock.clone(), TUPLES) });
            assert!(matches!(stopped, Err(Unsolved::Stopped(_))), "{id}, {model}");
            assert!(clock.looks() <= 1, "{id}, {model}: ended at once");
            for update in [1, 3] {
                let cancel = Cancel::default();
                let progress = Arc::new(CancelAt { cancel: cancel.clone(), left: AtomicU64::new(update) });
                let budget = Budget {
                    watch: Watch { cancel: cancel.clone(), progress },
                    ..budget(DeadlineClock::default(), TUPLES)
                };
                let solved = solver.solve(&problem, &budget);
                // The last report may have been that it was done.
                let is_stopped = matches!(solved, Err(Unsolved::Stopped(_)));
                assert!(is_stopped || !cancel.is_cancelled(), "{id}, {model}, cancelled at update {update}");
            }
        }
    }
}

#[test]
fn the_lower_bound_looks_at_the_deadline_and_keeps_what_it_found() {
    let (table, quasi) = table(300);
    let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(4), &Lm, 1).unwrap();
    // With little effort by the ascent, with more by the linear programme.
    for effort in [1, 256] {
        let budget = |clock| Budget { effort: Some(Effort::LOW.units(300) / 256 * effort), ..budget(clock, 300) };
        let clock = DeadlineClock::default();
        let best = lower_bound(&problem, 4, None, &budget(clock.clone())).unwrap().unwrap().best;
        assert!(clock.longest() < 60 * 300 && clock.looks() > 10, "{} {}", clock.longest(), clock.looks());
        for look in [1, 4, 16, 64, clock.looks() - 1] {
            let cut = lower_bound(&problem, 4, None, &budget(DeadlineClock::over_at(look))).unwrap();
            assert!(cut.is_none_or(|cut| cut.best <= best + 1e-9), "over at look {look}");
        }
    }
}
