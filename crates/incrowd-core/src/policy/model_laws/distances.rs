//! Trees and wholes that the samples of t-closeness do not have.

#![allow(clippy::unwrap_used)]

use super::case::{AskedModel, values};
use super::small_tables::{CODES, CodeRows, CodeTable, Numbers, entries};
use crate::{Members, Parameters};

fn t_closeness(parameters: Parameters) -> AskedModel {
    let entry = entries().find(|entry| entry.id == "t-closeness").unwrap();
    AskedModel { entry, parameters, sensitive: vec![1] }
}

#[test]
fn nodes_of_a_tree_may_be_scattered_over_the_values() {
    let nodes = [["even", "all"], ["odd", "all"], ["even", "other"], ["odd", "all"]];
    let path = |(value, nodes): (String, [&str; 2])| -> Vec<String> {
        let above = if nodes[1] == "other" { ["single", "other", "*"] } else { [nodes[0], nodes[1], "*"] };
        std::iter::once(value).chain(above.map(String::from)).collect()
    };
    let tree: Vec<Vec<String>> = values().into_iter().zip(nodes).map(path).collect();
    let (mut numbers, mut judged) = (Numbers(59), [0, 0]);
    for turn in 0..600 {
        let t = format!("{}/20", 1 + turn % 12);
        let parameters = Parameters::from_iter([("t", t.as_str()), ("distance", "hierarchical")]);
        let asked = t_closeness(parameters.with("tree", tree.clone()));
        let rows: CodeRows = std::array::from_fn(|_| 1 + numbers.below(4));
        let class: CodeRows = std::array::from_fn(|_| numbers.below(4));
        if class == [0; CODES] {
            continue;
        }
        let given = CodeTable::new(rows);
        let (bound, class) = (asked.bind(&given.table), given.class(&class));
        let holds = bound.holds(&Members::new(&given.table, &class));
        assert_eq!(Some(holds), asked.is_kept(&given.table, &class, &given.whole()));
        judged[usize::from(holds)] += 1;
    }
    assert!(judged.iter().all(|&classes| classes > 100), "{judged:?}");
}

#[test]
fn a_class_with_values_that_the_whole_lacks_is_no_part_of_it() {
    let asked = t_closeness(Parameters::from_iter([("t", "1"), ("distance", "ordered")]));
    let given = CodeTable::new([2; CODES]);
    let holds = |whole: CodeRows, class: CodeRows| {
        let (whole, class) = (given.class(&whole), given.class(&class));
        let bound = asked.bind(&given.table).against(&[Members::new(&given.table, &whole)]).unwrap();
        bound.holds(&Members::new(&given.table, &class))
    };
    assert!(holds([1, 0, 2, 0, 1], [0, 0, 0, 0, 1]) && holds([1, 0, 2, 0, 1], [1, 0, 0, 0, 0]));
    assert!(!holds([1, 0, 2, 0, 1], [1, 1, 1, 0, 1]) && !holds([1, 0, 2, 0, 1], [0, 0, 0, 1, 0]));
    assert!(!holds([0, 0, 2, 0, 0], [1, 0, 5, 0, 0]) && holds([0, 0, 2, 0, 0], [0, 0, 1, 0, 0]));
}

/// One of 2⁴⁰ + 1 rows has a value of its own. With a very small t only all rows are near to themselves, and the search for the
/// fewest rows ends after 2¹⁶ comparisons of shares.
#[test]
fn the_fewest_rows_are_searched_for_with_limited_work() {
    let given = CodeTable::new([1, 1 << 40, 0, 0, 0]);
    let t = || Parameters::from_iter([("t", "1/10000000000000")]);
    let single = given.class(&[0, 1, 0, 0, 0]);
    for (asked, sets) in [(t(), 5), (t().with("distance", "ordered"), 2)] {
        let asked = t_closeness(asked);
        let (bound, rows) = (asked.bind(&given.table), (1 << 16) / (sets + 1));
        assert_eq!(bound.fewest_rows(), rows, "{asked:?}");
        assert_eq!(bound.gap(&Members::new(&given.table, &single)), rows - 1, "{asked:?}");
    }
}
