//! The laws when people are counted, who may have several rows, several values and several classes.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::ValueCounts;
use super::case::{SampleClass, asked_models, attributes, holds, some, values, whole};
use crate::{
    AlphaDeassociation, BoundModel, ColumnSet, FrequencyLDiversity, FrequencyTable, MODELS, Members, Model, ModelEntry,
    ModelError, ParameterKind, Parameters, Policy, Positive, Ratio, Rule, Survives, TightestParameters, Watch,
};

/// Rows of (town, value of the first attribute, value of the second), their person, and how often they occur.
type RowsOfPeople = Vec<([u32; 3], u64, u64)>;

fn table(rows: &RowsOfPeople) -> FrequencyTable {
    let tuples = rows.iter().map(|&(codes, person, rows)| (codes, Some(person), rows));
    FrequencyTable::from_people(attributes(), tuples)
}

/// People with any values, and some rows of one person.
fn several() -> impl Strategy<Value = RowsOfPeople> {
    prop::collection::vec(([0u32..4, 0..5, 0..5], 0u64..6, 1u64..3), 1..14)
}

/// People with one value of each attribute. Everyone after the fifth has a value of their own, so that all values
/// occur.
fn single() -> impl Strategy<Value = RowsOfPeople> {
    (several(), prop::collection::vec((0u32..5, 0u32..5), 6)).prop_map(|(mut rows, values)| {
        for ([_, illness, salary], person, _) in &mut rows {
            (*illness, *salary) = values[*person as usize];
        }
        rows.extend((0..5).map(|code| ([code % 4, code, (code + 2) % 5], 10 + u64::from(code), 1)));
        rows
    })
}

fn parts() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(0u64..3, 11)
}

fn alphas() -> impl Strategy<Value = AlphaDeassociation> {
    let values = prop_oneof![Just(None), Just(Some(vec!["10".into()])), Just(Some(vec!["10".into(), "30".into()]))];
    (1u64..5, 0u64..5, values, any::<bool>()).prop_map(|(above, more, values, refined)| AlphaDeassociation {
        alpha: Ratio::new(above, above + more).unwrap(),
        values,
        refined,
    })
}

/// The definition of α on people, literally: of each person the set of values in the class.
fn alpha_by_the_book(model: &AlphaDeassociation, table: &FrequencyTable, class: &SampleClass) -> bool {
    let mut values: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
    for &(tuple, _) in class {
        values.entry(table.grouping().person(tuple).unwrap()).or_default().insert(table.code(tuple, 1));
    }
    let sets: Vec<Vec<u32>> = match &model.values {
        None => (0..5).map(|code| vec![code]).collect(),
        Some(values) => vec![values.iter().map(|value| if value == "10" { 0 } else { 2 }).collect()],
    };
    let (above, below) = (model.alpha.numerator(), model.alpha.denominator());
    sets.iter().all(|set| {
        let having = values.values().filter(|own| set.iter().any(|code| own.contains(code))).count() as u64;
        let size = values.len() as u64;
        if model.refined { having <= (above * size).div_ceil(below) } else { having * below <= above * size }
    })
}

/// All protected values occur.
fn protected(mut rows: RowsOfPeople) -> RowsOfPeople {
    rows.extend([([0, 0, 0], 8, 1), ([1, 2, 1], 9, 1)]);
    rows
}

/// Fewer rows than the gap do not make a class conform, whichever join it; any rows that can be spared may leave.
fn gap_and_spare_hold(
    bound: &dyn BoundModel,
    table: &FrequencyTable,
    mut class: SampleClass,
    places: &[usize],
) -> Result<(), TestCaseError> {
    prop_assume!(!class.is_empty());
    let gap = bound.gap(&Members::new(table, &class));
    if gap > 0 {
        let mut joined: BTreeMap<usize, u64> = class.iter().copied().collect();
        for place in places.iter().take(gap as usize - 1) {
            *joined.entry(place % table.tuples()).or_default() += 1;
            prop_assert!(!holds(bound, table, &joined.clone().into_iter().collect()), "not {} rows", gap);
        }
        return Ok(());
    }
    let spare = bound.spare(&Members::new(table, &class));
    for place in places.iter().take(spare as usize) {
        // A class without rows is none.
        if class.iter().map(|member| member.1).sum::<u64>() == 1 {
            break;
        }
        let place = place % class.len();
        class[place].1 -= 1;
        class.retain(|member| member.1 > 0);
        prop_assert!(holds(bound, table, &class), "{} rows cannot all be spared", spare);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn people_with_one_value_each_are_judged_as_the_definition_says(rows in single(), parts in parts(), asked in asked_models()) {
        let table = table(&rows);
        let (bound, class) = (asked.bind(&table), some(&table, &parts));
        prop_assume!(!class.is_empty());
        let Some(expected) = asked.is_kept(&table, &class, &whole(&table)) else { return Ok(()) };
        prop_assert_eq!(holds(&*bound, &table, &class), expected);
        prop_assert_eq!(bound.gap(&Members::new(&table, &class)) == 0, expected);
    }

    #[test]
    fn shares_of_people_with_several_values_are_judged_as_the_definition_says(
        rows in several(), parts in parts(), model in alphas(), l in 1u64..5,
    ) {
        let table = table(&protected(rows));
        let class = some(&table, &parts);
        prop_assume!(!class.is_empty());
        let members = Members::new(&table, &class);
        let bound = model.bind(&table, &[1]).unwrap();
        prop_assert_eq!(bound.holds(&members), alpha_by_the_book(&model, &table, &class));
        prop_assert_eq!(bound.gap(&members) == 0, bound.holds(&members));
        let alpha = AlphaDeassociation { alpha: Ratio::new(1, l).unwrap(), values: None, refined: false };
        let frequency = FrequencyLDiversity { l: Positive::new(l, 1).unwrap() };
        let frequency = frequency.bind(&table, &[1]).unwrap();
        prop_assert_eq!(frequency.holds(&members), alpha_by_the_book(&alpha, &table, &class));
    }

    #[test]
    fn fewer_rows_than_the_gap_are_not_enough_and_any_that_are_spared_may_leave(
        rows in single(), parts in parts(), asked in asked_models(), places in prop::collection::vec(any::<usize>(), 12),
    ) {
        let table = table(&rows);
        gap_and_spare_hold(&*asked.bind(&table), &table, some(&table, &parts), &places)?;
    }

    #[test]
    fn the_same_is_true_of_shares_of_people_with_several_values(
        rows in several(), parts in parts(), model in alphas(), places in prop::collection::vec(any::<usize>(), 12),
    ) {
        let table = table(&protected(rows));
        gap_and_spare_hold(&*model.bind(&table, &[1]).unwrap(), &table, some(&table, &parts), &places)?;
    }

    #[test]
    fn what_is_said_to_survive_merging_does_though_people_are_in_both_classes(
        rows in single(), a in parts(), b in parts(), asked in asked_models(),
    ) {
        let table = table(&rows);
        let sensitive = asked.sensitive.iter().map(|&at| ["town", "illness", "salary"][at].to_owned()).collect();
        let rule = Rule { model: asked.entry.id.into(), parameters: asked.parameters.clone(), sensitive };
        let policy = Policy { models: vec![rule], ..Policy::default() };
        let bound = policy.bind(&table).unwrap();
        let (a, b) = (some(&table, &a), some(&table, &b));
        let union = Members::united(&[Members::new(&table, &a), Members::new(&table, &b)]);
        let holds = |class: &SampleClass| bound.holds(&Members::new(&table, class));
        prop_assert!(!(bound.survives_merging() && holds(&a) && holds(&b)) || holds(&union));
        prop_assert!(!(bound.survives_growth() && holds(&a)) || holds(&union));
    }

    #[test]
    fn suppressed_rows_leave_a_whole_that_meets_the_policy(
        rows in several(), model in alphas(), k in 1u64..3, share in prop_oneof![Just(0.2), Just(0.5), Just(0.9)],
    ) {
        let table = table(&protected(rows));
        let values: Vec<&str> = model.values.iter().flatten().map(String::as_str).collect();
        let policy = Policy::k_anonymity(k).deassociating("illness", model.alpha, &values, model.refined).suppressing(share);
        let bound = policy.bind(&table).unwrap();
        let budget = policy.budget(table.rows());
        match bound.withhold(&table, budget) {
            Ok(withheld) => {
                prop_assert!(withheld.iter().map(|gone| gone.rows).sum::<u64>() <= budget);
                let mut rest: BTreeMap<usize, u64> = whole(&table).into_iter().collect();
                for gone in withheld {
                    *rest.get_mut(&gone.tuple).unwrap() -= gone.rows;
                }
                let rest: SampleClass = rest.into_iter().filter(|member| member.1 > 0).collect();
                prop_assert!(bound.holds(&Members::new(&table, &rest)));
            }
            Err(reasons) => {
                prop_assert!(!reasons.is_empty() && !bound.holds(&Members::whole(&table)));
                let words: Vec<String> = reasons.iter().map(ToString::to_string).collect();
                prop_assert!(words.iter().all(|words| !words.contains("some class")), "{words:?}");
            }
        }
    }

    #[test]
    fn against_several_classes_a_person_in_two_of_them_is_one_person(
        rows in single(), parts in parts(), smaller in parts(), asked in asked_models(),
    ) {
        let table = table(&rows);
        let rest = some(&table, &parts);
        let class: SampleClass = rest.iter().map(|&(tuple, rows)| (tuple, smaller[tuple % 11].min(rows))).filter(|member| member.1 > 0).collect();
        prop_assume!(!class.is_empty());
        let halves = rest.split_at(rest.len() / 2);
        let bound = asked.bind(&table);
        let one = bound.against(&[Members::new(&table, &rest)]);
        let two = bound.against(&[Members::new(&table, halves.0), Members::new(&table, halves.1)]);
        prop_assert_eq!(one.is_some(), asked.model().compares());
        if let (Some(one), Some(two)) = (one, two) {
            prop_assert_eq!(holds(&*one, &table, &class), holds(&*two, &table, &class));
            prop_assert!(holds(&*two, &table, &rest), "the whole is like itself");
        }
    }

    #[test]
    fn the_figures_of_a_diagnosis_are_those_of_people(rows in several()) {
        let table = table(&protected(rows));
        let found = &TightestParameters::of(&table, ColumnSet::single(0), &[1], &Watch::default()).unwrap()[0];
        let grouping = table.grouping();
        let mut classes: Vec<SampleClass> = grouping
            .runs(ColumnSet::single(0))
            .map(|(start, end)| (start..end).map(|entry| (entry, table.count(entry))).collect())
            .collect();
        classes.push(whole(&table));
        let worst = classes.iter().map(|class| {
            let size = Members::new(&table, class).size();
            ValueCounts::of_people(&table, class, 1).counts().max().unwrap() as f64 / size as f64
        });
        prop_assert!((worst.fold(0.0, f64::max) - found.alpha).abs() < 1e-9);
        let mut values: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
        (0..table.tuples()).for_each(|tuple| {
            values.entry(grouping.person(tuple).unwrap()).or_default().insert(table.code(tuple, 1));
        });
        let several = values.values().filter(|values| values.len() > 1).count() as u64;
        prop_assert_eq!(found.people_with_several_values, several);
        prop_assert_eq!(found.p.is_some() && found.t_equal.is_some() && found.beta.is_some(), several == 0);
    }
}

/// Six patients, each with a row of one value and a row of another.
fn six_patients() -> FrequencyTable {
    table(&(0..6).flat_map(|person| [([0, 0, 0], person, 1), ([0, 1, 0], person, 1)]).collect())
}

#[test]
fn of_six_people_who_all_have_both_values_no_class_keeps_one_half() {
    let table = six_patients();
    let half = AlphaDeassociation { alpha: Ratio::new(1, 2).unwrap(), values: None, refined: false };
    assert!(!half.bind(&table, &[1]).unwrap().holds(&Members::whole(&table)));
    let policy = Policy::k_anonymity(3).deassociating("illness", half.alpha, &[], false);
    let bound = policy.bind(&table).unwrap();
    // Dealt into two classes, each of which has half of the people of each value: the whole still has not.
    let dealt = |odd: bool| -> SampleClass {
        let here = |tuple: &usize| {
            (table.grouping().person(*tuple).unwrap() % 2 == 1) == ((table.code(*tuple, 1) == 1) == odd)
        };
        (0..table.tuples()).filter(here).map(|tuple| (tuple, 1)).collect()
    };
    let classes = [dealt(true), dealt(false)];
    assert!(classes.iter().all(|class| bound.holds(&Members::new(&table, class))));
    let parts: Vec<Members<'_>> = classes.iter().map(|class| Members::new(&table, class)).collect();
    assert!(bound.whole_counts(&table) && !bound.holds_as_whole(&parts));
    assert_eq!(
        bound.withhold(&table, 0).unwrap_err()[0].to_string(),
        "6 of 6 people have the most frequent value of “illness” (100.00 %), more than α = 1/2, and the model must \
         also hold for the release as a whole; use an α of at least 1, or protect single values with their own α, or \
         allow suppression"
    );
}

#[test]
fn models_about_one_value_for_each_person_refuse_several_and_say_how_many_have_them() {
    let table = six_patients();
    for entry in MODELS.iter().filter(|entry| entry.sensitive) {
        // Only groups that no two of the values share tell the values of these people apart.
        let groups = vec![vec!["10".to_owned(), "30".to_owned()]];
        let grouped = entry.parameters.iter().any(|parameter| parameter.name == "groups");
        let parameters = if grouped { (entry.example)().with("groups", groups) } else { (entry.example)() };
        let bound = entry.model(&parameters).unwrap().bind(&table, &[1]).map(|_| ());
        let refused = ModelError::SeveralValues { model: entry.id, column: "illness".into(), people: 6 };
        assert_eq!(bound, if entry.several_values { Ok(()) } else { Err(refused) });
    }
    let one_group = Parameters::from_iter([("p", 1)]).with("groups", vec![vec!["10".to_owned(), "20".to_owned()]]);
    let extended = Policy::default().asking("extended-p-sensitive", one_group, &["illness"]);
    assert!(extended.bind(&table).is_ok(), "both values are of one kind");
}

/// Everyone has one value: 1 and 3 have the first, 2 and 4 the second. {1, 2} and {2, 3} have each value once.
#[test]
fn no_model_of_shares_survives_merging_when_people_are_in_both_classes() {
    let people = [(1, 0), (2, 1), (3, 0), (4, 1)];
    let rows = people.into_iter().flat_map(|(person, code)| (0..2).map(move |town| ([town, code, 0], person, 1)));
    let table = table(&rows.collect());
    let of = |people: &[u64], town: u32| -> SampleClass {
        let here =
            |tuple: &usize| people.contains(&table.grouping().person(*tuple).unwrap()) && table.code(*tuple, 0) == town;
        (0..table.tuples()).filter(here).map(|tuple| (tuple, 1)).collect()
    };
    let (a, b) = (of(&[1, 2], 0), of(&[2, 3], 1));
    let union = Members::united(&[Members::new(&table, &a), Members::new(&table, &b)]);
    // A model that counts values, such as p-sensitivity, may well survive: a union has all values of its parts.
    let of_shares = |entry: &&ModelEntry| {
        let share = |kind| matches!(kind, ParameterKind::Share | ParameterKind::Number { .. });
        entry.parameters.iter().any(|parameter| share(parameter.kind))
    };
    for entry in MODELS.iter().filter(of_shares).filter(|entry| !entry.population) {
        let breaks = |parameters: &Parameters| {
            let policy = Policy::default().asking(entry.id, parameters.clone(), &["illness"]);
            let bound = policy.bind(&table).unwrap();
            assert_eq!(bound.survives_merging(), entry.model(parameters).unwrap().survives_growth(), "{}", entry.id);
            let holds = |class: &SampleClass| bound.holds(&Members::new(&table, class));
            holds(&a) && holds(&b) && !holds(&union)
        };
        let samples = (entry.samples)(&values());
        let merging = |parameters: &&Parameters| entry.model(parameters).unwrap().survives() == Survives::Merging;
        let mut merging = samples.iter().filter(merging).peekable();
        assert!(merging.peek().is_none() || merging.any(breaks), "{}", entry.id);
    }
}
