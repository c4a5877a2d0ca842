//! How far solvers overrun a deadline: every solver with every kind of model on Adult, and `auto` on a million values.
//!
//! Usage: `deadlines SECONDS...` with `INCROWD_DATA` set to the folder of the test tables. Prints one line for each run, the
//! columns separated by tabs; `benchmarks/deadlines.py` makes a page of them.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use incrowd_algorithms::{ALGORITHMS, AlgorithmEntry, Budget, Problem};
use incrowd_core::{
    Attribute, Dictionary, FrequencyTable, Hierarchy, Lm, Parameters, Policy, QuasiIdentifier, Ratio, Role,
};

const QUASI: [&str; 7] = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"];
const SENSITIVE: &str = "occupation";
/// A run that is still going on so long after its deadline is given up.
const GIVEN_UP: Duration = Duration::from_secs(60);

fn main() {
    let asked: Vec<f64> = std::env::args().skip(1).map(|word| word.parse().unwrap()).collect();
    let (table, quasi) = adult();
    for (model, policy) in policies() {
        for entry in ALGORITHMS {
            asked.iter().for_each(|&asked| run("Adult", (&table, &quasi), (model, &policy), entry, asked));
        }
    }
    let (table, quasi) = million();
    let entry = AlgorithmEntry::find("auto").unwrap();
    let policy = Policy::k_anonymity(5);
    asked.iter().for_each(|&asked| run("a million values", (&table, &quasi), ("k", &policy), entry, asked));
}

/// A policy of each kind of model.
fn policies() -> Vec<(&'static str, Policy)> {
    let number = |name: &str, text: &str| Parameters::default().with(name, text);
    let ask = |shown: &'static str, model: &str, parameters: Parameters| {
        (shown, Policy::k_anonymity(5).asking(model, parameters, &[SENSITIVE]))
    };
    let alpha =
        |refined: bool| Policy::k_anonymity(5).deassociating(SENSITIVE, Ratio::new(1, 2).unwrap(), &[], refined);
    vec![
        ("k", Policy::k_anonymity(5)),
        ("α", alpha(false)),
        ("refined α", alpha(true)),
        ask("ℓ", "distinct-l-diversity", Parameters::from_iter([("l", 3)])),
        ask("t", "t-closeness", number("t", "1/5").with("distance", "equal")),
        ask("β", "beta-likeness", number("beta", "2").with("rule", "basic")),
        ask("p", "p-sensitive", Parameters::from_iter([("p", 3)])),
    ]
}

/// Solves once and prints how long it took: seconds, seconds of processor time after the deadline, whether the deadline cut
/// it, and the loss.
fn run(
    shown: &str,
    (table, quasi): (&FrequencyTable, &[QuasiIdentifier]),
    (model, policy): (&str, &Policy),
    entry: &AlgorithmEntry,
    asked: f64,
) {
    let started = Instant::now();
    let deadline = started + Duration::from_secs_f64(asked);
    let problem = Problem::new(table, quasi, policy, &Lm, 1).unwrap();
    let effort = entry.effort.map(|effort| effort.units(table.tuples() as u64));
    let budget = Budget { deadline: Some(deadline), effort, ..Budget::default() };
    let (done, is_done) = mpsc::channel::<()>();
    let cancel = budget.watch.cancel.clone();
    let sampler = std::thread::spawn(move || {
        let _ = is_done.recv_timeout(deadline.saturating_duration_since(Instant::now()));
        let processor = processor_seconds();
        if is_done.recv_timeout(GIVEN_UP) == Err(mpsc::RecvTimeoutError::Timeout) {
            cancel.cancel();
        }
        processor
    });
    let solved = (entry.new)().solve(&problem, &budget);
    let (taken, processor) = (started.elapsed().as_secs_f64(), processor_seconds());
    drop(done);
    let after = if taken > asked { processor - sampler.join().unwrap() } else { 0.0 };
    let (cut, lost) = match &solved {
        Ok(solution) => {
            assert!(solution.partition.accounts_for(table));
            let published = problem.publishing(solution.partition.classes());
            assert!(solution.partition.classes().all(|class| published.holds(class)), "{} {model}", entry.id);
            (solution.cut_short.to_string(), solution.partition.classes().count().to_string())
        }
        Err(unsolved) => (unsolved.to_string(), String::new()),
    };
    println!("{shown}\t{model}\t{}\t{asked}\t{taken:.3}\t{after:.3}\t{cut}\t{lost}", entry.id);
}

/// The processor time of this process so far, of all threads.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(0.0);
    // A tick is a hundredth of a second on every Linux.
    (ticks(11) + ticks(12)) / 100.0
}

fn texts<'a>(values: impl Iterator<Item = &'a str>) -> Dictionary {
    Dictionary::of_texts(values.collect::<BTreeSet<&str>>())
}

fn adult() -> (FrequencyTable, Vec<QuasiIdentifier>) {
    let data = PathBuf::from(std::env::var_os("INCROWD_DATA").expect("INCROWD_DATA names the test tables"));
    let mut reader = csv::Reader::from_path(data.join("adult.csv")).unwrap();
    let headers = reader.headers().unwrap().clone();
    let names: Vec<&str> = QUASI.iter().chain([&SENSITIVE]).copied().collect();
    let columns: Vec<usize> =
        names.iter().map(|name| headers.iter().position(|header| header == *name).unwrap()).collect();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let attribute = |(at, name): (usize, &&str)| {
        let role = if *name == SENSITIVE { Role::Sensitive } else { Role::QuasiIdentifier };
        Attribute::new(*name, role, texts(rows.iter().map(|row| &row[columns[at]])))
    };
    let attributes: Vec<Attribute> = names.iter().enumerate().map(attribute).collect();
    let codes = |row: &csv::StringRecord| -> Vec<u32> {
        let cells = columns.iter().zip(&attributes);
        cells.map(|(&column, attribute)| attribute.dictionary.code(&row[column]).unwrap()).collect()
    };
    let tuples: Vec<(Vec<u32>, u64)> = rows.iter().map(|row| (codes(row), 1)).collect();
    let quasi = (0..QUASI.len()).map(|at| {
        let file = data.join("hierarchies/adult_wong").join(QUASI[at]).with_extension("csv");
        let hierarchy = Hierarchy::read(&std::fs::read_to_string(file).unwrap()).unwrap();
        QuasiIdentifier::new(at, &hierarchy, &attributes[at].dictionary).unwrap()
    });
    let quasi = quasi.collect();
    (FrequencyTable::from_tuples(attributes, tuples), quasi)
}

/// A million rows, each with a value of its own in a flat quasi-identifier.
fn million() -> (FrequencyTable, Vec<QuasiIdentifier>) {
    let names: Vec<String> = (0..1_000_000).map(|at| format!("{at:06}")).collect();
    let values = Dictionary::of_texts(names.iter().map(String::as_str));
    let quasi = vec![QuasiIdentifier::new(0, &Hierarchy::flat(&values).unwrap(), &values).unwrap()];
    let attributes = vec![Attribute::new("value", Role::QuasiIdentifier, values)];
    (FrequencyTable::from_tuples(attributes, (0..1_000_000u32).map(|at| ([at], 1))), quasi)
}
