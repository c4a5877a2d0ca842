//! The worked examples of Wong, Li, Fu and Wang, "(α, k)-anonymity", KDD 2006.

use incrowd_algorithms::{Budget, Solution, Unsolved};
use incrowd_core::{Hierarchy, Measures, Policy, Recoding};
use serde_json::Value;

use super::tables::{json, solve, table_of};

/// A case, solved; with the distortion ratio of the solution.
fn solved(case: &str, refined: bool) -> (Value, Result<(Solution, f64), Unsolved>) {
    let case = json(&format!("golden/{case}.json"));
    let parameters = &case["parameters"];
    let mut names: Vec<&str> =
        parameters["quasi_identifier"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let hierarchy = |name: &&str| {
        let paths = case["hierarchies"][name].as_object().unwrap().values();
        let cells = |path: &Value| serde_json::from_value::<Vec<String>>(path.clone()).unwrap().join(";");
        Hierarchy::read(&paths.map(cells).collect::<Vec<_>>().join("\n")).unwrap()
    };
    let hierarchies: Vec<Hierarchy> = names.iter().map(hierarchy).collect();
    let sensitive = parameters["sensitive"].as_str().unwrap();
    names.push(sensitive);
    let row = |row: &Value| names.iter().map(|name| row[name].as_str().unwrap().to_owned()).collect();
    let rows: Vec<Vec<String>> = case["input"].as_array().unwrap().iter().map(row).collect();
    let (table, quasi_identifiers) = table_of(&names, &hierarchies, &rows);
    let (k, alpha) = (parameters["k"].as_u64().unwrap(), parameters["alpha"].to_string().parse().unwrap());
    let value = parameters["sensitive_value"].as_str().unwrap();
    let policy = Policy::k_anonymity(k).deassociating(sensitive, alpha, &[value], refined);
    let solution = solve(&table, &quasi_identifiers, &policy, &Budget::default()).map(|solution| {
        let (partition, levels) = (&solution.partition, solution.levels.as_ref().unwrap());
        let recoding = Recoding::full_domain(&table, &quasi_identifiers, partition, levels);
        let ratio = Measures::of(&table, &quasi_identifiers, partition, &recoding, k).distortion_ratio;
        (solution, ratio)
    });
    (case, solution)
}

fn is_optimum(solution: &Solution, optimal: &Value) {
    let optimal: Vec<Vec<usize>> = serde_json::from_value(optimal.clone()).unwrap();
    assert!(optimal.contains(solution.levels.as_ref().unwrap()));
}

#[test]
fn table_4_is_the_optimum_of_table_1() {
    let (case, solution) = solved("alpha_k_tables1_4", false);
    let (solution, ratio) = solution.unwrap();
    let expected = &case["expected"];
    let nodes = expected["full_domain_nodes_that_hold (Job,Birth,Postcode)"].as_array().unwrap();
    assert_eq!(solution.statistics.holding_nodes, Some(nodes.len() as u64));
    is_optimum(&solution, &expected["optimal_nodes"]);
    assert_eq!(expected["table4_distortion_ratio"], ratio);
    assert_eq!(solution.partition.len(), 2, "one class for each postcode");
}

#[test]
fn the_lattice_of_table_5_holds_where_the_paper_says() {
    let (case, solution) = solved("alpha_k_tables5_7_lattice", false);
    let (solution, ratio) = solution.unwrap();
    let expected = &case["expected"];
    let nodes = expected["nodes_that_hold (G,B,P)"].as_array().unwrap();
    assert_eq!(
        (solution.statistics.holding_nodes, solution.statistics.minimal_nodes),
        (Some(nodes.len() as u64), Some(1))
    );
    is_optimum(&solution, &expected["optimal_nodes"]);
    assert_eq!(expected["distortion_ratio_of_optimum"], ratio);
}

#[test]
fn table_8b_is_the_full_domain_optimum_of_table_8a() {
    let (case, solution) = solved("alpha_k_table8_9_progressive", false);
    let (solution, ratio) = solution.unwrap();
    is_optimum(&solution, &case["expected"]["full_domain_optimal_nodes"]);
    assert_eq!(case["expected"]["distortion_ratio"]["table8b"], ratio);
}

#[test]
fn a_node_that_holds_the_refined_rule_is_found_although_the_node_above_it_fails() {
    for case in ["alpha_k_refined_rule_is_not_monotone", "alpha_k_refined_rule_is_not_monotone_alpha_half"] {
        let (case, solution) = solved(case, true);
        let (solution, _) = solution.unwrap();
        assert_eq!((solution.levels, solution.statistics.holding_nodes), (Some(vec![0]), Some(1)));
        assert_eq!(case["expected"]["node_0_refined"], true);
        assert_eq!(case["expected"]["node_1_refined"], false);
    }
    let (case, solution) = solved("alpha_k_refined_rule_is_not_monotone", false);
    assert_eq!((&case["expected"]["node_0_plain"], &case["expected"]["node_1_plain"]), (&false.into(), &false.into()));
    let Err(Unsolved::Infeasible(reasons)) = solution else { panic!("no node holds the exact rule") };
    assert_eq!(reasons.len(), 1);
}

#[test]
fn the_clique_of_theorem_1_is_suppressed_altogether() {
    let (case, solution) = solved("alpha_k_theorem1_one_clique", false);
    let (solution, ratio) = solution.unwrap();
    assert_eq!((solution.levels, ratio), (Some(vec![1; 4]), 1.0));
    assert_eq!(case["expected"]["minimum_suppressed_cells"], 4 * solution.partition.rows());
}
