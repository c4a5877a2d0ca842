//! α-deassociation is what its definition says, and its claims cannot be broken.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use incrowd_core::{
    AlphaDeassociation, Attribute, Dictionary, ExcessRows, FrequencyTable, Members, Model, Ratio, Role, TupleRows,
};

/// A table of so many rows of each of three values of one sensitive attribute, each row a tuple of its own class.
fn table(counts: &[(u32, u64)]) -> FrequencyTable {
    let town = Attribute::new("town", Role::QuasiIdentifier, Dictionary::of_texts(["0", "1", "2", "3"]));
    let illness = Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["a", "b", "c"]));
    let tuples = counts.iter().enumerate().map(|(at, &(code, rows))| ([at as u32 % 4, code], rows));
    FrequencyTable::from_tuples(vec![town, illness], tuples)
}

fn models() -> impl Strategy<Value = AlphaDeassociation> {
    let values = prop_oneof![Just(None), Just(Some(vec!["a".into()])), Just(Some(vec!["a".into(), "c".into()]))];
    (1u64..6, 0u64..6, values, any::<bool>()).prop_map(|(above, more, values, refined)| AlphaDeassociation {
        alpha: Ratio::new(above, above + more).unwrap(),
        values,
        refined,
    })
}

/// The definition, literally.
fn by_the_book(model: &AlphaDeassociation, table: &FrequencyTable, members: &[TupleRows]) -> bool {
    let rows: u64 = members.iter().map(|member| member.1).sum();
    let of = |codes: &[u32]| -> u64 {
        members.iter().filter(|member| codes.contains(&table.code(member.0, 1))).map(|member| member.1).sum()
    };
    let sets: Vec<Vec<u32>> = match &model.values {
        None => vec![vec![0], vec![1], vec![2]],
        Some(values) => {
            vec![values.iter().map(|value| u32::from(value == "b") + 2 * u32::from(value == "c")).collect()]
        }
    };
    let alpha = (model.alpha.numerator(), model.alpha.denominator());
    sets.iter().all(|set| match model.refined {
        false => of(set) * alpha.1 <= alpha.0 * rows,
        true => of(set) <= (alpha.0 * rows).div_ceil(alpha.1),
    })
}

proptest! {
    #[test]
    fn a_class_is_judged_as_the_definition_says(counts in prop::collection::vec((0u32..3, 1u64..5), 1..9), model in models()) {
        let table = table(&counts);
        let bound = model.bind(&table, &[1]).unwrap();
        let all: Vec<TupleRows> = table.tuple_rows().collect();
        let class = Members::new(&table, &all);
        prop_assert_eq!(bound.holds(&class), by_the_book(&model, &table, &all));
        // As many rows as the gap says, of values that are not protected, are what is missing.
        let (gap, worst) = (bound.gap(&class), class.rows());
        if let Some(protected) = bound.bounded_share().map(|share| class.size_with(1, |code| share.protected[code as usize])) {
            let holds = |rows: u64| match model.refined {
                false => model.alpha.allows(protected, rows),
                true => protected <= model.alpha.ceiling_of(rows),
            };
            prop_assert!(holds(worst + gap) && (gap == 0 || !holds(worst + gap - 1)));
        }
    }

    #[test]
    fn the_union_of_two_classes_that_keep_the_exact_rule_keeps_it(
        counts in prop::collection::vec((0u32..3, 1u64..5), 2..12), model in models(), side in any::<u32>(),
    ) {
        prop_assume!(!model.refined);
        prop_assert!(model.survives_merging());
        let table = table(&counts);
        let bound = model.bind(&table, &[1]).unwrap();
        let all: Vec<TupleRows> = table.tuple_rows().collect();
        let (a, b): (Vec<_>, Vec<_>) = all.iter().partition(|(tuple, _)| side >> tuple & 1 == 1);
        let holds = |members: &[TupleRows]| bound.holds(&Members::new(&table, members));
        prop_assert!(!(holds(&a) && holds(&b)) || holds(&all));
    }

    #[test]
    fn any_rows_that_may_be_spared_may_leave(
        counts in prop::collection::vec((0u32..3, 1u64..5), 1..9), model in models(), leave in prop::collection::vec(0u64..5, 9),
    ) {
        let table = table(&counts);
        let bound = model.bind(&table, &[1]).unwrap();
        let all: Vec<TupleRows> = table.tuple_rows().collect();
        let class = Members::new(&table, &all);
        prop_assume!(bound.holds(&class));
        let mut spare = bound.spare(&class);
        let rest: Vec<TupleRows> = all.iter().zip(leave).map(|(&(tuple, rows), leave)| {
            let gone = leave.min(rows).min(spare);
            spare -= gone;
            (tuple, rows - gone)
        }).filter(|member| member.1 > 0).collect();
        prop_assert!(bound.holds(&Members::new(&table, &rest)));
    }

    #[test]
    fn what_is_suppressed_for_the_whole_to_conform_is_enough_and_one_row_less_is_not(
        counts in prop::collection::vec((0u32..3, 1u64..5), 1..9), model in models(),
    ) {
        let table = table(&counts);
        let bound = model.bind(&table, &[1]).unwrap();
        let all: Vec<TupleRows> = table.tuple_rows().collect();
        let excess = bound.excess(&Members::new(&table, &all));
        prop_assert_eq!(excess.is_empty(), bound.holds(&Members::new(&table, &all)));
        let without = |excess: &[ExcessRows]| {
            let mut rest = all.clone();
            for &ExcessRows { code, mut rows, .. } in excess {
                for member in rest.iter_mut().filter(|member| table.code(member.0, 1) == code) {
                    let take = rows.min(member.1);
                    (member.1, rows) = (member.1 - take, rows - take);
                }
            }
            rest.retain(|member| member.1 > 0);
            bound.holds(&Members::new(&table, &rest))
        };
        prop_assert!(without(&excess));
        if let Some((first, rest)) = excess.split_first() {
            let less = ExcessRows { rows: first.rows - 1, ..*first };
            let less: Vec<ExcessRows> = std::iter::once(less).chain(rest.iter().copied()).collect();
            prop_assert!(!without(&less) || model.values.is_none());
        }
    }
}

#[test]
fn the_refined_rule_does_not_survive_merging() {
    let table = table(&[(0, 1), (1, 1), (0, 1), (1, 1)]);
    let refined =
        AlphaDeassociation { alpha: Ratio::new(1, 10).unwrap(), values: Some(vec!["a".into()]), refined: true };
    let bound = refined.bind(&table, &[1]).unwrap();
    let holds = |members: &[TupleRows]| bound.holds(&Members::new(&table, members));
    assert!(holds(&[(0, 1), (1, 1)]) && holds(&[(2, 1), (3, 1)]));
    assert!(!holds(&[(0, 1), (1, 1), (2, 1), (3, 1)]) && !refined.survives_merging());
}

#[test]
fn an_infeasible_share_is_told_with_the_one_that_would_do() {
    let table = table(&[(0, 3), (1, 1)]);
    let every = AlphaDeassociation { alpha: Ratio::new(1, 2).unwrap(), values: None, refined: false };
    let said = every.bind(&table, &[1]).unwrap().infeasible(&Members::whole(&table)).to_string();
    assert_eq!(
        said,
        "the most frequent value of “illness” has 3 of 4 rows (75.00 %); in every release, some class has at least this \
         share, which is above α = 1/2; use an α of at least 0.75, or protect single values with their own α, or allow suppression"
    );
}

#[test]
fn a_protected_value_that_does_not_occur_is_refused_without_being_told() {
    let model =
        AlphaDeassociation { alpha: Ratio::new(1, 2).unwrap(), values: Some(vec!["HIV".into()]), refined: false };
    let refused = model.bind(&table(&[(0, 3)]), &[1]).err().unwrap().to_string();
    assert_eq!(refused, "a value that the policy protects does not occur in `illness`: check its spelling");
}

#[test]
fn promises_are_sentences() {
    let model = AlphaDeassociation { alpha: "0.33".parse().unwrap(), values: None, refined: true };
    assert_eq!(
        model.promise(),
        "In every class, at most 33 % of the rows (rounded up to a whole row) have the same sensitive value."
    );
}
