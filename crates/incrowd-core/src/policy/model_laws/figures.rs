//! The tightest parameters of a table are the borders of the models: each model holds at its figure, and with nothing
//! stricter.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::case::{attributes, rows, table};
use super::small_tables::Numbers;
use crate::{
    Attribute, ColumnSet, Dictionary, FrequencyTable, HoldsFor, MODELS, Members, ModelEntry, Parameter, Parameters,
    Role, TightestEntry, TightestParameters, TightestValue, ValueRelations, Values, Watch,
};

fn lists(lists: &[&[&str]]) -> Vec<Vec<String>> {
    lists.iter().map(|list| list.iter().map(|&text| text.into()).collect()).collect()
}

/// The values in two nodes of two, of which only the first is protected.
fn relations() -> ValueRelations {
    let tree = lists(&[&["10", "low", "*"], &["20", "low", "*"], &["30", "high", "*"], &["40", "high", "*"]]);
    ValueRelations { tree: Some(tree), groups: Some(lists(&[&["10", "20"]])) }
}

fn found(table: &FrequencyTable) -> Vec<TightestParameters> {
    let sensitive = [(1, relations()), (2, relations())];
    TightestParameters::knowing(table, ColumnSet::single(0), &sensitive, &Watch::default()).unwrap().unwrap()
}

/// Whether every class of the first column keeps a model about one attribute, by the model itself.
fn holds(table: &FrequencyTable, at: usize, entry: &ModelEntry, parameters: &Parameters) -> bool {
    let model = entry.model(parameters).unwrap();
    let bound = model.bind(table, &[at]).unwrap();
    let grouping = table.grouping();
    grouping.runs(ColumnSet::single(0)).all(|(start, end)| bound.holds(&Members::of_run(grouping, start, end)))
}

/// The figure of a key, as an answer shows it.
fn figure(found: &TightestParameters, key: &str) -> Option<TightestValue> {
    match &serde_json::to_value(found).unwrap()[key] {
        serde_json::Value::Null => None,
        number => {
            let whole = number.as_u64().filter(|_| number.is_u64()).map(TightestValue::Whole);
            Some(whole.unwrap_or_else(|| TightestValue::Decimal(number.as_f64().unwrap())))
        }
    }
}

/// A number of the twelfth decimal, and by how much a stricter parameter is stricter.
const STEP: f64 = 2e-12;

/// A parameter with which the model holds, and a stricter one with which it does not, where there is one in its range.
fn border(tightest: &TightestEntry, value: TightestValue) -> (Parameter, Option<Parameter>) {
    // The smallest parameters that a model takes.
    let least = if tightest.parameter == "delta" { 1e-6 } else { 1e-12 };
    let text = |number: f64| Parameter::from(format!("{:.12}", number.max(least)).as_str());
    match (value, tightest.holds) {
        (TightestValue::Whole(number), _) => (number.into(), Some((number + 1).into())),
        // An entropy is rounded, and may be short by 5·10⁻¹³.
        (TightestValue::Decimal(number), HoldsFor::UpTo) => (text(number), Some(text(number + 10.0 * STEP))),
        (TightestValue::Decimal(number), HoldsFor::From) => (text(number), (number > 0.0).then(|| text(number - STEP))),
        (TightestValue::Decimal(number), HoldsFor::Above) => {
            (text(number + 5.0 * STEP), (number - STEP >= least).then(|| text(number - STEP)))
        }
    }
}

/// The least strict parameter: with it a model does not hold that holds with none.
fn loosest(tightest: &TightestEntry) -> Parameter {
    match tightest.holds {
        HoldsFor::UpTo => 1u64.into(),
        HoldsFor::From | HoldsFor::Above => "100".into(),
    }
}

/// Checks each figure of both attributes: the model holds at it, and with nothing stricter. Says which figures there are.
fn figures_are_borders(table: &FrequencyTable) -> Vec<&'static str> {
    let mut keys = Vec::new();
    for (found, at) in found(table).into_iter().zip([1, 2]) {
        for (entry, tightest) in MODELS.iter().flat_map(|entry| entry.tightest.iter().map(move |one| (entry, one))) {
            let others = (tightest.others)(&relations()).unwrap();
            let keeps = |value| holds(table, at, entry, &others.clone().with(tightest.parameter, value));
            let Some(value) = figure(&found, tightest.key) else {
                assert!(!keeps(loosest(tightest)), "{}", tightest.key);
                continue;
            };
            let (kept, stricter) = border(tightest, value);
            assert!(keeps(kept), "{} {:?}", tightest.key, value);
            assert!(!stricter.is_some_and(keeps), "{} {:?}", tightest.key, value);
            keys.push(tightest.key);
        }
    }
    keys
}

proptest! {
    #[test]
    fn every_model_holds_at_its_figure_and_with_nothing_stricter(rows in rows()) {
        figures_are_borders(&table(&rows));
    }
}

#[test]
fn every_model_holds_at_its_figure_where_most_classes_have_most_values() {
    let (mut numbers, mut keys) = (Numbers(53), Vec::new());
    for turn in 0..120 {
        let values = 2 + turn % 3;
        let rows = (0..2 * values).map(|at| (at / values, at % values));
        let rows = rows.map(|(town, code)| ([town, code, (code + town) % values], numbers.below(9)));
        let rows: Vec<_> = rows.filter(|row| row.1 > 0).collect();
        if !rows.is_empty() {
            keys.extend(figures_are_borders(&table(&rows)));
        }
    }
    let all = MODELS.iter().flat_map(|entry| entry.tightest).map(|tightest| tightest.key);
    let few = all.filter(|key| keys.iter().filter(|other| other == &key).count() < 60).collect::<Vec<_>>();
    assert_eq!(few, Vec::<&str>::new());
}

#[test]
fn as_many_equally_frequent_values_are_the_effective_number_of_values() {
    for values in 1..=60u32 {
        for rows in [1, 2, 3, 7, 1000] {
            let dictionary = Dictionary::new(Values::Integers((0..i64::from(values)).collect()), false);
            let columns = vec![
                Attribute::new("town", Role::QuasiIdentifier, Dictionary::of_texts(["a"])),
                Attribute::new("illness", Role::Sensitive, dictionary),
            ];
            let table = FrequencyTable::from_tuples(columns, (0..values).map(|code| ([0, code], rows)));
            let found = TightestParameters::of(&table, ColumnSet::single(0), &[1], &Watch::default()).unwrap();
            assert_eq!(found[0].entropy_l, Some(f64::from(values)), "{rows} rows");
        }
    }
}

#[test]
fn every_figure_has_a_key_of_its_own_and_is_of_a_declared_parameter() {
    let figures: Vec<_> = MODELS.iter().flat_map(|entry| entry.tightest.iter().map(move |one| (entry, one))).collect();
    for (entry, tightest) in &figures {
        assert!(entry.parameters.iter().any(|parameter| parameter.name == tightest.parameter), "{}", tightest.key);
        assert_eq!(figures.iter().filter(|(_, other)| other.key == tightest.key).count(), 1, "{}", tightest.key);
    }
    assert!(MODELS.iter().all(|entry| entry.sensitive != entry.tightest.is_empty()));
}

#[test]
fn texts_have_no_order_and_a_table_without_rows_has_no_figures() {
    let column = |name: &str, role| Attribute::new(name, role, Dictionary::of_texts(["a", "b", "c"]));
    let columns = || vec![column("town", Role::QuasiIdentifier), column("illness", Role::Sensitive)];
    let of = |rows: &[([u32; 2], u64)]| {
        let table = FrequencyTable::from_tuples(columns(), rows.iter().copied());
        TightestParameters::of(&table, ColumnSet::single(0), &[1], &Watch::default()).unwrap()
    };
    assert_eq!(of(&[]), []);
    let found = of(&[([0, 0], 5), ([0, 1], 2), ([1, 2], 1)]);
    assert_eq!((found[0].t_ordered, found[0].values, found[0].p), (None, 3, Some(1)));
    assert_eq!((found[0].p_extended, found[0].t_hierarchical), (None, None), "no relations are known");
    assert_eq!((found[0].recursive_l_c1, found[0].recursive_l_c2, found[0].recursive_l_c3), (None, Some(1), Some(1)));
    assert_eq!((found[0].alpha, found[0].frequency_l, found[0].recursive_c_l2), (1.0, 1.0, None));
}

#[test]
fn a_tree_or_groups_that_do_not_fit_the_values_are_refused() {
    let table = table(&vec![([0, 0, 0], 1)]);
    let refused = |relations: ValueRelations| {
        TightestParameters::knowing(&table, ColumnSet::single(0), &[(1, relations)], &Watch::default()).unwrap_err()
    };
    refused(ValueRelations { tree: Some(relations().tree.unwrap()[..3].to_vec()), groups: None });
    refused(ValueRelations { tree: None, groups: Some(lists(&[&["10"], &["10", "20"]])) });
    refused(ValueRelations { tree: None, groups: Some(lists(&[&["50"]])) });
}

#[test]
fn work_that_is_cancelled_gives_no_figures() {
    let watch = Watch::default();
    watch.cancel.cancel();
    let table = table(&vec![([0, 0, 0], 1)]);
    assert!(TightestParameters::of(&table, ColumnSet::single(0), &[1], &watch).is_err());
}

#[test]
fn an_answer_names_the_people_with_several_values_only_where_there_are_some() {
    let named = |rows: &[([u32; 3], u64)]| {
        let rows = rows.iter().map(|&(codes, person)| (codes, Some(person), 1));
        let table = FrequencyTable::from_people(attributes(), rows);
        let found = TightestParameters::of(&table, ColumnSet::single(0), &[1], &Watch::default()).unwrap();
        serde_json::to_value(&found[0]).unwrap().get("people_with_several_values").cloned()
    };
    let (one_each, two) = ([([0, 0, 0], 1), ([1, 0, 0], 1), ([0, 1, 0], 2)], ([1, 2, 0], 2));
    assert_eq!(named(&one_each), None);
    assert_eq!(named(&[one_each[0], one_each[1], one_each[2], two]), Some(1.into()));
}
