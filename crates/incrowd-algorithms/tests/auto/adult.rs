//! Adult under six policies: `auto` and each of its starts with the same time.
//!
//! `INCROWD_SECONDS=10` sets the time; `benchmarks/auto_and_its_parts.py` runs it with optimized solvers.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use incrowd_algorithms::{AlgorithmEntry, Budget, Effort, Problem, auto_starts};
use incrowd_core::{
    Attribute, Dictionary, FrequencyTable, Hierarchy, Lm, Parameters, Policy, QuasiIdentifier, Ratio, Role,
};

use crate::loss;

const QUASI: [&str; 8] =
    ["age", "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex"];
const SENSITIVE: &str = "salary-class";

fn adult() -> (FrequencyTable, Vec<QuasiIdentifier>) {
    let data =
        PathBuf::from(std::env::var_os("INCROWD_DATA").expect("INCROWD_DATA names the folder of the test tables"));
    let mut reader = csv::Reader::from_path(data.join("adult.csv")).unwrap();
    let headers = reader.headers().unwrap().clone();
    let names: Vec<&str> = QUASI.into_iter().chain([SENSITIVE]).collect();
    let columns: Vec<usize> =
        names.iter().map(|name| headers.iter().position(|header| header == *name).unwrap()).collect();
    let cells = |record: csv::StringRecord| columns.iter().map(|&at| record[at].to_owned()).collect();
    let rows: Vec<Vec<String>> = reader.records().map(|record| cells(record.unwrap())).collect();
    let attribute = |(at, name): (usize, &&str)| {
        let values: BTreeSet<&str> = rows.iter().map(|row| row[at].as_str()).collect();
        let role = if *name == SENSITIVE { Role::Sensitive } else { Role::QuasiIdentifier };
        Attribute::new(*name, role, Dictionary::of_texts(values))
    };
    let attributes: Vec<Attribute> = names.iter().enumerate().map(attribute).collect();
    let codes = |row: &Vec<String>| -> Vec<u32> {
        row.iter().zip(&attributes).map(|(value, attribute)| attribute.dictionary.code(value).unwrap()).collect()
    };
    let tuples: Vec<(Vec<u32>, u64)> = rows.iter().map(|row| (codes(row), 1)).collect();
    let folder = data.join("hierarchies/adult_kenig");
    let quasi = |(at, name): (usize, &&str)| {
        let file = Path::new(&folder).join(name).with_extension("csv");
        let hierarchy = Hierarchy::read(&fs::read_to_string(file).unwrap()).unwrap();
        QuasiIdentifier::new(at, &hierarchy, &attributes[at].dictionary).unwrap()
    };
    let quasi = QUASI.iter().enumerate().map(quasi).collect();
    (FrequencyTable::from_tuples(attributes, tuples), quasi)
}

fn policies() -> Vec<(&'static str, Policy)> {
    let k = Policy::k_anonymity;
    let share = |above: u64, below: u64| Ratio::new(above, below).unwrap();
    let whole = |name: &str, number: u64| Parameters::from_iter([(name, number)]);
    vec![
        ("k = 5", k(5)),
        ("k = 50", k(50)),
        ("k = 10, α = 0.8", k(10).deassociating(SENSITIVE, share(4, 5), &[], false)),
        ("k = 10, α = 0.5 of >50K, refined", k(10).deassociating(SENSITIVE, share(1, 2), &[">50K"], true)),
        ("k = 10, distinct ℓ = 2", k(10).asking("distinct-l-diversity", whole("l", 2), &[SENSITIVE])),
        (
            "k = 10, t = 0.3",
            k(10).asking("t-closeness", Parameters::from_iter([("t", "0.3"), ("distance", "equal")]), &[SENSITIVE]),
        ),
    ]
}

#[test]
#[ignore = "measures for minutes, with optimized solvers"]
fn auto_is_never_worse_than_a_start_in_the_same_time_on_adult() {
    let seconds: f64 = std::env::var("INCROWD_SECONDS").map_or(10.0, |text| text.parse().unwrap());
    let (table, quasi) = adult();
    let width = quasi.len() as f64 * table.rows() as f64;
    let mut worse = Vec::new();
    for (name, policy) in policies() {
        let problem = Problem::new(&table, &quasi, &policy, &Lm, 1).unwrap();
        let run = |entry: &AlgorithmEntry| {
            let begun = Instant::now();
            let deadline = Some(begun + Duration::from_secs_f64(seconds));
            let effort = Some(Effort::NORMAL.units(table.tuples() as u64));
            let solution = entry.solve(&problem, &Budget { deadline, effort, ..Budget::default() }).unwrap();
            (loss(&problem, &solution.partition) / width, begun.elapsed().as_secs_f64())
        };
        let (lost, spent) = run(AlgorithmEntry::find("auto").unwrap());
        println!("| {name} | auto | {lost:.4} | {spent:.1} |");
        let budget = Budget { effort: Some(Effort::NORMAL.units(table.tuples() as u64)), ..Budget::default() };
        for entry in auto_starts(&problem, &budget) {
            let (alone, spent) = run(entry);
            println!("| {name} | {} | {alone:.4} | {spent:.1} |", entry.id);
            if lost > alone + 1e-9 {
                worse.push(format!("{name}: auto {lost}, {} {alone}", entry.id));
            }
        }
    }
    assert!(worse.is_empty(), "{worse:?}");
}
