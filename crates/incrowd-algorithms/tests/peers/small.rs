//! Small tables of whole numbers, each column with intervals of ten below `*`, and what solvers make of them.

use incrowd_algorithms::{AlgorithmEntry, Budget, Problem, Solution};
use incrowd_core::{Attribute, Dictionary, FrequencyTable, Hierarchy, Lm, Policy, QuasiIdentifier, Role};

/// A class of a small table: the rows of each tuple.
pub(crate) type Class = Vec<(usize, u64)>;

/// The values 0 to 39 with an interval for each ten of them.
fn hierarchy() -> Hierarchy {
    let line = |value: usize| format!("{value:02};tens {};*\n", value / 10);
    Hierarchy::read(&(0..40).map(line).collect::<String>()).unwrap()
}

/// A table of points with a sensitive value each, `a` or `b`; every row as often as it says.
pub(crate) fn table(rows: &[([usize; 2], char, u64)]) -> (FrequencyTable, Vec<QuasiIdentifier>) {
    let labels: Vec<String> = (0..40).map(|value| format!("{value:02}")).collect();
    let values = Dictionary::of_texts(labels.iter().map(String::as_str));
    let quasi = [0, 1].map(|at| QuasiIdentifier::new(at, &hierarchy(), &values).unwrap()).to_vec();
    let attributes = vec![
        Attribute::new("x", Role::QuasiIdentifier, values.clone()),
        Attribute::new("y", Role::QuasiIdentifier, values),
        Attribute::new("z", Role::Sensitive, Dictionary::of_texts(["a", "b"])),
    ];
    let tuple = |row: &([usize; 2], char, u64)| ([row.0[0] as u32, row.0[1] as u32, u32::from(row.1 == 'b')], row.2);
    (FrequencyTable::from_tuples(attributes, rows.iter().map(tuple)), quasi)
}

/// The classes that a solver makes of a table.
pub(crate) fn classes(id: &str, policy: &Policy, rows: &[([usize; 2], char, u64)]) -> Vec<Class> {
    let (table, quasi) = table(rows);
    let problem = Problem::new(&table, &quasi, policy, &Lm, 1).unwrap();
    let solution = solve(id, &problem, &Budget::default());
    solution.partition.classes().map(<[_]>::to_vec).collect()
}

pub(crate) fn solve(id: &str, problem: &Problem<'_>, budget: &Budget) -> Solution {
    let entry = AlgorithmEntry::find(id).unwrap();
    (entry.new)().solve(problem, budget).unwrap()
}
