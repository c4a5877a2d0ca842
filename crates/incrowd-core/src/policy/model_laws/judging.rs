//! A class is judged as the definition says, and what a model answers about it holds.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::case::{SampleClass, SampleRows, asked_models, holds, rows, some, table, whole};
use crate::Members;

/// A class and single rows of tuples that join it.
fn with(class: &SampleClass, more: impl IntoIterator<Item = usize>) -> SampleClass {
    let mut class = class.clone();
    for tuple in more {
        match class.iter_mut().find(|member| member.0 == tuple) {
            Some(member) => member.1 += 1,
            None => class.push((tuple, 1)),
        }
    }
    class
}

fn parts() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(0u64..4, 9)
}

/// All values occur, so that groups are known and rows of every value can join.
fn full(mut rows: SampleRows) -> SampleRows {
    rows.extend((0..5).map(|code| ([code % 4, code, (code + 2) % 5], 1)));
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn a_class_is_judged_as_the_definition_says(rows in rows(), parts in parts(), asked in asked_models()) {
        let table = table(&full(rows));
        let (bound, class) = (asked.bind(&table), some(&table, &parts));
        prop_assume!(!class.is_empty());
        let Some(expected) = asked.is_kept(&table, &class, &whole(&table)) else { return Ok(()) };
        prop_assert_eq!(holds(&*bound, &table, &class), expected);
        let members = Members::new(&table, &class);
        prop_assert_eq!(bound.gap(&members) == 0, expected);
        prop_assert!(!expected || members.rows() >= asked.model().least_rows().max(bound.fewest_rows()));
    }

    #[test]
    fn fewer_rows_than_the_gap_are_not_enough(
        rows in rows(), parts in parts(), asked in asked_models(), joins in prop::collection::vec(any::<usize>(), 30),
    ) {
        let table = table(&full(rows));
        let (bound, class) = (asked.bind(&table), some(&table, &parts));
        let gap = bound.gap(&Members::new(&table, &class));
        let few = (gap as usize).saturating_sub(1).min(joins.len());
        for count in 0..few + 1 {
            let joined = with(&class, joins[..count].iter().map(|tuple| tuple % table.tuples()));
            prop_assert!(gap == 0 || !holds(&*bound, &table, &joined), "{} rows are enough, not {}", count, gap);
        }
        // Up to three rows in all ways.
        if (2..=3).contains(&gap) {
            let tuples = table.tuples();
            for pair in 0..tuples * tuples {
                let joined = with(&class, [pair / tuples, pair % tuples].into_iter().take(gap as usize - 1));
                prop_assert!(!holds(&*bound, &table, &joined), "fewer than {} rows are enough", gap);
            }
        }
    }

    #[test]
    fn the_union_of_two_conforming_classes_conforms(rows in rows(), a in parts(), b in parts(), asked in asked_models()) {
        let table = table(&full(rows));
        let (bound, model) = (asked.bind(&table), asked.model());
        let (a, b) = (some(&table, &a), some(&table, &b));
        let union = with(&a, b.iter().flat_map(|&(tuple, rows)| (0..rows).map(move |_| tuple)));
        let holds = |class| holds(&*bound, &table, class);
        prop_assert!(!(model.survives_merging() && holds(&a) && holds(&b)) || holds(&union));
        prop_assert!(!(model.survives_growth() && holds(&a)) || holds(&union));
    }

    #[test]
    fn any_rows_that_may_be_spared_may_leave(
        rows in rows(), parts in parts(), asked in asked_models(), leave in prop::collection::vec(any::<usize>(), 20), few in any::<bool>(),
    ) {
        let table = table(&full(rows));
        let bound = asked.bind(&table);
        let mut class = if few { some(&table, &parts) } else { whole(&table) };
        prop_assume!(!class.is_empty() && holds(&*bound, &table, &class));
        let spare = bound.spare(&Members::new(&table, &class));
        let rows: u64 = class.iter().map(|member| member.1).sum();
        prop_assert!(spare <= rows);
        // A class without rows is none.
        for place in leave.into_iter().take(spare.min(rows - 1) as usize) {
            let place = place % class.len();
            class[place].1 -= 1;
            class.retain(|member| member.1 > 0);
        }
        prop_assert!(holds(&*bound, &table, &class), "{} rows cannot all be spared", spare);
    }

    #[test]
    fn what_is_suppressed_for_the_whole_to_conform_is_enough_and_the_fewest(rows in rows(), mut asked in asked_models()) {
        asked.sensitive.truncate(1);
        let table = table(&full(rows));
        let (bound, class) = (asked.bind(&table), whole(&table));
        let excess = bound.excess(&Members::new(&table, &class));
        if holds(&*bound, &table, &class) {
            prop_assert!(excess.is_empty());
            return Ok(());
        }
        let counts = Members::new(&table, &class).counts(1);
        prop_assume!(counts.iter().map(|count| count.1 + 1).product::<u64>() < 5_000);
        // For each code a tuple that has it, and then classes as rows of each code.
        let tuple = |code: u32| (0..table.tuples()).find(|&tuple| table.code(tuple, 1) == code).unwrap();
        let of = |left: &[u64]| -> SampleClass {
            let members = counts.iter().zip(left).map(|(&(code, _), &left)| (tuple(code), left));
            members.filter(|member| member.1 > 0).collect()
        };
        let mut fewest: Option<u64> = None;
        let mut left: Vec<u64> = vec![0; counts.len()];
        'ways: loop {
            let gone: u64 = counts.iter().zip(&left).map(|(count, left)| count.1 - left).sum();
            if fewest.is_none_or(|fewest| gone < fewest) && left.iter().any(|&left| left > 0) && holds(&*bound, &table, &of(&left)) {
                fewest = Some(gone);
            }
            for at in 0..left.len() {
                left[at] += 1;
                if left[at] <= counts[at].1 {
                    continue 'ways;
                }
                left[at] = 0;
            }
            break;
        }
        let excess_rows: u64 = excess.iter().map(|excess| excess.rows).sum();
        // Where fewer rows of each value can help, the model says how few; where no row can stay, none or all of them.
        match (asked.model().survives_growth(), fewest) {
            (true, _) => prop_assert!(excess.is_empty() && fewest.is_none()),
            (false, Some(fewest)) => prop_assert_eq!(excess_rows, fewest),
            (false, None) => prop_assert!(excess_rows == 0 || excess_rows == table.rows()),
        }
        let left: Vec<u64> = counts.iter().map(|&(code, rows)| {
            rows - excess.iter().filter(|excess| excess.code == code).map(|excess| excess.rows).sum::<u64>()
        }).collect();
        prop_assert!(excess_rows == 0 || fewest.is_none() || holds(&*bound, &table, &of(&left)));
    }

    #[test]
    fn against_some_rows_a_class_is_judged_as_in_a_table_of_only_those(
        rows in rows(), parts in parts(), smaller in parts(), asked in asked_models(),
    ) {
        let table = table(&full(rows));
        let bound = asked.bind(&table);
        let rest = some(&table, &parts);
        let class: SampleClass = rest.iter().map(|&(tuple, rows)| (tuple, smaller[tuple % 9].min(rows))).filter(|member| member.1 > 0).collect();
        prop_assume!(!class.is_empty());
        let halves = rest.split_at(rest.len() / 2);
        let against = bound.against(&[Members::new(&table, halves.0), Members::new(&table, halves.1)]);
        prop_assert_eq!(against.is_some(), asked.model().compares());
        let Some(against) = against else { return Ok(()) };
        prop_assert!(holds(&*against, &table, &rest), "the whole is not like itself");
        if let Some(expected) = asked.is_kept(&table, &class, &rest) {
            prop_assert_eq!(holds(&*against, &table, &class), expected);
        }
    }
}
