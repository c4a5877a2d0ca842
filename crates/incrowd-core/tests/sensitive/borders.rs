//! The figures of a table are the borders of the models: each model holds at its figure, and with nothing stricter.

use incrowd_core::{
    Akin, Attribute, ColumnSet, Dictionary, FrequencyTable, Kept, Members, ModelEntry, Parameters, Role, Watch,
};
use proptest::prelude::*;

use crate::case::{rows, table};

fn lists(lists: &[&[&str]]) -> Vec<Vec<String>> {
    lists.iter().map(|list| list.iter().map(|&text| text.into()).collect()).collect()
}

/// The values in two nodes of two.
fn tree() -> Vec<Vec<String>> {
    lists(&[&["10", "low", "*"], &["20", "low", "*"], &["30", "high", "*"], &["40", "high", "*"]])
}

/// Only the first node is protected.
fn groups() -> Vec<Vec<String>> {
    lists(&[&["10", "20"]])
}

fn kept(table: &FrequencyTable) -> Vec<Kept> {
    let akin = Akin { tree: Some(tree()), groups: Some(groups()) };
    let sensitive = [(1, akin.clone()), (2, akin)];
    Kept::knowing(table, ColumnSet::single(0), &sensitive, &Watch::default()).unwrap().unwrap()
}

/// Whether every class of the first column keeps a model about one attribute, by the model itself.
fn holds(table: &FrequencyTable, at: usize, model: &str, parameters: &Parameters) -> bool {
    let model = (ModelEntry::find(model).unwrap().new)(parameters).unwrap();
    let bound = model.bind(table, &[at]).unwrap();
    let grouping = table.grouping();
    grouping.runs(ColumnSet::single(0)).all(|(start, end)| bound.holds(&Members::of_run(grouping, start, end)))
}

/// By how much a stricter parameter is stricter.
const STEP: f64 = 2e-12;

fn number(number: f64) -> String {
    format!("{number:.12}")
}

proptest! {
    #[test]
    fn every_model_holds_at_its_figure_and_with_nothing_stricter(rows in rows()) {
        let table = table(&rows);
        for (found, at) in kept(&table).into_iter().zip([1, 2]) {
            let keeps = |model: &str, parameters: Parameters| holds(&table, at, model, &parameters);
            let one = |model: &str, name: &str, value: f64| keeps(model, Parameters::from_iter([(name, &number(value)[..])]));

            for (model, name, figure) in [("p-sensitive", "p", found.p), ("distinct-l-diversity", "l", found.distinct_l)] {
                let figure = figure.expect("rows are counted");
                prop_assert!(keeps(model, Parameters::from_iter([(name, figure)])));
                prop_assert!(!keeps(model, Parameters::from_iter([(name, figure + 1)])));
            }
            let entropy = found.entropy_l.expect("rows are counted");
            for (model, figure) in [("frequency-l-diversity", found.frequency_l), ("entropy-l-diversity", entropy)] {
                prop_assert!(one(model, "l", figure), "{model} {figure}");
                // The entropy may be short by 5·10⁻¹³.
                prop_assert!(!one(model, "l", figure + 10.0 * STEP), "{model} {figure}");
            }
            prop_assert!(one("alpha-deassociation", "alpha", found.alpha));
            prop_assert!(!one("alpha-deassociation", "alpha", found.alpha - STEP));

            for (l, figure) in [(2u64, found.recursive_c_l2), (3, found.recursive_c_l3)] {
                let with = |c: &str| keeps("recursive-c-l-diversity", Parameters::from_iter([("l", l)]).with("c", c));
                match figure {
                    Some(c) => prop_assert!(with(&number(c + STEP)) && !with(&number(c - STEP)), "{c}"),
                    None => prop_assert!(!with("1000000000")),
                }
            }
            for (c, largest) in [(1u64, found.recursive_l_c1), (2, found.recursive_l_c2), (3, found.recursive_l_c3)] {
                let with = |l: u64| keeps("recursive-c-l-diversity", Parameters::from_iter([("l", l), ("c", c)]));
                prop_assert!(largest.is_none_or(&with) && !with(largest.unwrap_or(0) + 1), "c = {c}: {largest:?}");
            }
            let p = found.p_extended.expect("there are groups");
            let extended = |p: u64| keeps("extended-p-sensitive", Parameters::from_iter([("p", p)]).with("groups", groups()));
            prop_assert!(extended(p) && !extended(p + 1), "{p}");
            let t = found.t_hierarchical.expect("there is a tree");
            let close = |t: f64| {
                let parameters = Parameters::from_iter([("t", &number(t)[..])]).with("distance", "hierarchical");
                keeps("t-closeness", parameters.with("tree", tree()))
            };
            prop_assert!(close(t.max(1e-12)) && (t == 0.0 || !close(t - STEP)), "{t}");
            for (distance, figure) in [("equal", found.t_equal), ("ordered", found.t_ordered)] {
                let close = |t: f64| {
                    keeps("t-closeness", Parameters::from_iter([("t", &number(t)[..])]).with("distance", distance))
                };
                let t = figure.expect("numbers have an order");
                prop_assert!(close(t.max(1e-12)), "{distance} {t}");
                prop_assert!(t == 0.0 || !close(t - STEP), "{distance} {t}");
            }
            let like = |beta: f64, rule: &str| {
                keeps("beta-likeness", Parameters::from_iter([("beta", &number(beta)[..])]).with("rule", rule))
            };
            let beta = found.beta.expect("rows are counted");
            prop_assert!(like(beta.max(1e-12), "basic"));
            prop_assert!(beta == 0.0 || !like(beta - STEP, "basic"));
            match found.beta_enhanced {
                Some(beta) => {
                    prop_assert!(like(beta.max(1e-12), "enhanced"));
                    prop_assert!(beta == 0.0 || !like(beta - STEP, "enhanced"));
                }
                None => prop_assert!(!like(1e5, "enhanced")),
            }
            match found.delta {
                Some(delta) => {
                    prop_assert!(one("delta-disclosure", "delta", (delta + 5.0 * STEP).max(1e-6)), "{delta}");
                    prop_assert!(delta < 1e-6 || !one("delta-disclosure", "delta", delta - STEP), "{delta}");
                }
                None => prop_assert!(!one("delta-disclosure", "delta", 30.0)),
            }
        }
    }
}

#[test]
fn texts_have_no_order_and_a_table_without_rows_has_no_figures() {
    let column = |name: &str, role| Attribute::new(name, role, Dictionary::of_texts(["a", "b", "c"]));
    let columns = || vec![column("town", Role::QuasiIdentifier), column("illness", Role::Sensitive)];
    let of = |rows: &[([u32; 2], u64)]| {
        let table = FrequencyTable::from_tuples(columns(), rows.iter().copied());
        Kept::of(&table, ColumnSet::single(0), &[1], &Watch::default()).unwrap()
    };
    assert_eq!(of(&[]), []);
    let found = of(&[([0, 0], 5), ([0, 1], 2), ([1, 2], 1)]);
    assert_eq!((found[0].t_ordered, found[0].values, found[0].p), (None, 3, Some(1)));
    assert_eq!((found[0].p_extended, found[0].t_hierarchical), (None, None), "nobody told which values are akin");
    assert_eq!((found[0].recursive_l_c1, found[0].recursive_l_c2, found[0].recursive_l_c3), (None, Some(1), Some(1)));
    assert_eq!((found[0].alpha, found[0].frequency_l, found[0].recursive_c_l2), (1.0, 1.0, None));
}

#[test]
fn a_tree_or_groups_that_do_not_fit_the_values_are_refused() {
    let table = table(&vec![([0, 0, 0], 1)]);
    let refused =
        |akin: Akin| Kept::knowing(&table, ColumnSet::single(0), &[(1, akin)], &Watch::default()).unwrap_err();
    refused(Akin { tree: Some(tree()[..3].to_vec()), groups: None });
    refused(Akin { tree: None, groups: Some(lists(&[&["10"], &["10", "20"]])) });
    refused(Akin { tree: None, groups: Some(lists(&[&["50"]])) });
}

#[test]
fn whoever_stops_it_gets_no_figures() {
    let watch = Watch::default();
    watch.cancel.cancel();
    let table = table(&vec![([0, 0, 0], 1)]);
    assert!(Kept::of(&table, ColumnSet::single(0), &[1], &watch).is_err());
}
