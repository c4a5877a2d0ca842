//! How near the lower bound is to the optimum, for k-anonymity alone and beside each model that the bound knows.
//!
//! Usage: `bound_tightness [TABLES [MODEL…]]`. Draws that many tables of seven rows (10,000 without a number) for each of these
//! models, or for all, finds the least loss of all releases, and prints a table: in how many cases the bound was above it
//! (which would be a fault), how often it is reached, and quantiles of bound / optimum, with the model and for the rows alone.
//! Tables that have no release, or one without loss, are drawn again.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::cast_possible_truncation)]

#[path = "../tests/laws/asks.rs"]
#[allow(dead_code)]
mod asks;
#[path = "../tests/laws/case.rs"]
#[allow(dead_code)]
mod case;
use case::{Case, Cells, Shape, Tuple};
use incrowd_algorithms::{Budget, Problem, lower_bound};
use incrowd_core::{Lm, Measures, Parameters, Partition, Policy, Recoding};

const ROWS: usize = 7;
/// Sums of prices are not exact.
const ROUNDING: f64 = 1e-9;

/// Numbers without a pattern: SplitMix64.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// What is asked for besides k-anonymity: what to call it, the model and its parameters. A name ends at a comma.
fn models() -> Vec<(&'static str, Option<Parameters>)> {
    let number = |name: &str, value: &str| Some(Parameters::default().with(name, value));
    let whole = |name: &str, value: u64| Some(Parameters::from_iter([(name, value)]));
    let path = |path: [&str; 3]| path.map(str::to_owned).to_vec();
    let paths = vec![path(["a", "x", "*"]), path(["b", "x", "*"]), path(["c", "y", "*"])];
    let order = ["a", "b", "c"].map(str::to_owned).to_vec();
    vec![
        ("k-anonymity alone", None),
        ("distinct-l-diversity", whole("l", 2)),
        ("p-sensitive", whole("p", 3)),
        ("frequency-l-diversity", number("l", "2")),
        ("entropy-l-diversity", number("l", "1.8")),
        ("recursive-c-l-diversity", number("c", "1.5").map(|given| given.with("l", 2u64))),
        ("t-closeness", number("t", "0.25").map(|given| given.with("distance", "equal"))),
        (
            "t-closeness, ordered",
            number("t", "0.25").map(|given| given.with("distance", "ordered").with("order", order)),
        ),
        (
            "t-closeness, hierarchical",
            number("t", "0.25").map(|given| given.with("distance", "hierarchical").with("tree", paths)),
        ),
        ("beta-likeness", number("beta", "1").map(|given| given.with("rule", "basic"))),
        ("delta-disclosure", number("delta", "1.2")),
    ]
}

/// A table of two or three columns with four values in two groups, and a sensitive column of three values.
fn drawn(chance: &mut Chance) -> Case {
    let tree = || Cells::Tree((0..4).map(|leaf| vec![leaf, leaf / 2 * 2, 0]).collect());
    let columns = 2 + chance.below(2) as usize;
    let shapes = (0..columns).map(|_| Shape { leaves: 4, cells: tree() }).collect();
    let mut tuple = || {
        let quasi: Vec<u32> = (0..columns).map(|_| chance.below(4) as u32).collect();
        // The first value is the most frequent one.
        let sensitive = [0, 0, 0, 1, 1, 2][chance.below(6) as usize];
        Tuple { codes: quasi.into_iter().chain([sensitive]).collect(), person: None, rows: 1 }
    };
    let tuples = (0..ROWS).map(|_| tuple()).collect();
    let k = 2 + chance.below(2);
    Case { shapes, sensitive: 1, tuples, k, shares: vec![], asks: vec![], suppression: 0.0, loss: 0 }
}

/// The least LM of any release: of every set of rows the best way to divide it into classes.
fn optimum(problem: &Problem<'_>) -> Option<f64> {
    let table = problem.table;
    let rows: Vec<usize> = (0..table.tuples()).flat_map(|tuple| (0..table.count(tuple)).map(move |_| tuple)).collect();
    let members = |set: usize| -> Vec<(usize, u64)> {
        (0..rows.len()).filter(|at| set >> at & 1 == 1).map(|at| (rows[at], 1)).collect()
    };
    let all = (1 << rows.len()) - 1;
    // What the rows of a set lose as one class, in shares of all cells; the other rows are withheld, and lose all.
    let cost = |set: usize| {
        let mut partition = Partition::default();
        partition.withhold(members(all ^ set));
        partition.push(members(set));
        let recoding = Recoding::tightened(table, problem.quasi_identifiers, &partition);
        let lm = Measures::of(table, problem.quasi_identifiers, &partition, &recoding, 1).lm;
        problem.holds(&members(set)).then(|| lm - members(all ^ set).len() as f64 / rows.len() as f64)
    };
    let costs: Vec<Option<f64>> = (0..=all).map(|set| if set == 0 { None } else { cost(set) }).collect();
    let mut best: Vec<Option<f64>> = vec![Some(0.0)];
    for set in 1..=all {
        // The class of the first row, and the best of the rest.
        let first = set & set.wrapping_neg();
        let parts = (1..=set).filter(|part| part & !set == 0 && part & first != 0);
        let losses = parts.filter_map(|part| Some(costs[part]? + best[set ^ part]?));
        best.push(losses.reduce(f64::min));
    }
    best[all]
}

/// Bound / optimum of a table, with the policy and for its rows alone; none when there is nothing to compare.
fn ratios(case: &Case, model: &str, given: Option<&Parameters>) -> Option<(f64, f64)> {
    let (table, rows_alone) = (case.table(), Policy::k_anonymity(case.k));
    let quasi = case.quasi_identifiers(&table);
    let model = model.split(',').next().unwrap();
    let policy = given.map_or(rows_alone.clone(), |given| rows_alone.clone().asking(model, given.clone(), &["s0"]));
    let problem = Problem::new(&table, &quasi, &policy, &Lm, 1).ok()?;
    let least = optimum(&problem).filter(|least| *least > 1e-9)?;
    let fewest = policy.least_rows().unwrap();
    let alone = Problem::new(&table, &quasi, &rows_alone, &Lm, 1).unwrap();
    let bound = |problem: &Problem<'_>| {
        lower_bound(problem, fewest, None, &Budget::default()).unwrap().map_or(0.0, |bound| bound.best)
    };
    Some((bound(&problem) / least, bound(&alone) / least))
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let tables: usize = words.first().map_or(10_000, |text| text.parse().unwrap());
    let wanted = words.get(1..).unwrap_or_default();
    println!(
        "| policy | tables | bound above the optimum | reached | least | 5 % | median | mean | rows alone: mean |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (model, given) in models() {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == model) {
            continue;
        }
        let mut chance = Chance(1);
        let mut found: Vec<(f64, f64)> = Vec::new();
        while found.len() < tables {
            found.extend(ratios(&drawn(&mut chance), model, given.as_ref()));
        }
        let above = found.iter().filter(|ratio| ratio.0 > 1.0 + ROUNDING).count();
        let reached = found.iter().filter(|ratio| ratio.0 > 1.0 - ROUNDING).count();
        let mean = |of: fn(&(f64, f64)) -> f64| found.iter().map(of).sum::<f64>() / found.len() as f64;
        let (own, alone) = (mean(|ratio| ratio.0), mean(|ratio| ratio.1));
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let quantile = |part: usize| found[(found.len() - 1) * part / 100].0;
        let share = 100.0 * reached as f64 / found.len() as f64;
        println!(
            "| {model} | {tables} | {above} | {share:.1} % | {:.3} | {:.3} | {:.3} | {own:.3} | {alone:.3} |",
            quantile(0),
            quantile(5),
            quantile(50)
        );
    }
}
