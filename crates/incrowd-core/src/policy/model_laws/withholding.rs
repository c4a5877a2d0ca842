//! Which rows a policy has suppressed so that a table conforms, and when it is proven that no release can.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use super::case::{AskedModel, SampleClass, attributes, whole};
use super::policies::{asked_model, policy_of, random_table};
use super::small_tables::{Numbers, entries, samples};
use crate::{BoundPolicy, FrequencyTable, Members, Parameters, Policy, Withheld};

/// A table without the rows that are suppressed.
fn rest(table: &FrequencyTable, withheld: &[Withheld]) -> SampleClass {
    let mut rest: BTreeMap<usize, u64> = table.tuple_rows().collect();
    withheld.iter().for_each(|gone| *rest.get_mut(&gone.tuple).unwrap() -= gone.rows);
    rest.into_iter().filter(|member| member.1 > 0).collect()
}

fn keeps(asked: &[AskedModel], table: &FrequencyTable, class: &SampleClass) -> bool {
    let holds = |asked: &AskedModel| asked.model().compares() || asked.bind(table).holds(&Members::new(table, class));
    asked.iter().all(holds)
}

/// The answer stays the same with a budget of the reported rows, and is empty with one row less.
fn needs_its_budget(policy: &BoundPolicy<'_>, table: &FrequencyTable, withheld: &[Withheld]) {
    let gone: u64 = withheld.iter().map(|gone| gone.rows).sum();
    assert_eq!(policy.withhold(table, gone).as_deref(), Ok(withheld));
    assert!(gone == 0 || policy.withhold(table, gone - 1).is_err());
}

/// The reasons are those of the models that the whole breaks.
fn reasons_are_of_broken_models(asked: &[AskedModel], table: &FrequencyTable, reasons: &[String], budget: u64) {
    let whole = Members::whole(table);
    let bound: Vec<_> = asked.iter().filter(|asked| !asked.model().compares()).map(|asked| asked.bind(table)).collect();
    let broken = bound.iter().filter(|bound| !bound.holds(&whole)).map(|bound| bound.infeasible(&whole));
    let expected: Vec<String> = broken
        .map(|reason| match table.counts_people() && budget > 0 {
            true => {
                let rows = crate::counted(budget, "row", "rows");
                let tried =
                    format!("no way was found to suppress at most {rows} so that the other rows meet the policy");
                format!("{}; {tried}; {}", reason.fact, reason.remedy)
            }
            false => reason.to_string(),
        })
        .collect();
    assert_eq!(reasons, expected);
}

#[test]
fn the_rows_to_suppress_leave_a_whole_that_keeps_every_model_within_the_budget() {
    let (mut numbers, mut counts, mut rows) = (Numbers(17), [0, 0, 0], 0);
    for turn in 0..1200 {
        let table = random_table(&mut numbers, turn % 2 == 0);
        let asked: Vec<AskedModel> = (0..1 + numbers.below(2)).map(|_| asked_model(&mut numbers)).collect();
        let policy = policy_of(&asked);
        let (bound, budget) = (policy.bind(&table).unwrap(), numbers.below(table.rows() + 1));
        match bound.withhold(&table, budget) {
            Ok(withheld) => {
                let gone: u64 = withheld.iter().map(|gone| gone.rows).sum();
                let left = rest(&table, &withheld);
                assert!(gone <= budget && !left.is_empty() && keeps(&asked, &table, &left));
                assert_eq!(withheld.is_empty(), keeps(&asked, &table, &whole(&table)));
                let of_rule = |gone: &Withheld| asked[gone.rule].sensitive.contains(&gone.column) && gone.rows > 0;
                assert!(withheld.iter().all(of_rule));
                needs_its_budget(&bound, &table, &withheld);
                counts[usize::from(gone > 0)] += 1;
                rows += gone;
            }
            Err(reasons) => {
                let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
                reasons_are_of_broken_models(&asked, &table, &reasons, budget);
                counts[2] += 1;
            }
        }
    }
    assert!(counts.iter().all(|&cases| cases > 50), "{counts:?}");
    // Not all ways to suppress rows are tried, but these are few, and they are found where there is one.
    assert!(counts[2] <= 64 && rows <= 375, "{counts:?} {rows}");
}

#[test]
fn of_each_value_that_is_too_frequent_the_rarest_tuples_are_suppressed_first() {
    let mut numbers = Numbers(19);
    let mut suppressed = 0;
    for _ in 0..600 {
        let table = random_table(&mut numbers, false);
        let mut asked = asked_model(&mut numbers);
        asked.sensitive.truncate(1);
        let (bound, apart) = (policy_of(std::slice::from_ref(&asked)), asked.bind(&table));
        let bound = bound.bind(&table).unwrap();
        let Ok(withheld) = bound.withhold(&table, table.rows()) else { continue };
        let mut rarest: SampleClass = whole(&table);
        rarest.sort_by_key(|&(tuple, rows)| (rows, tuple));
        let mut expected = Vec::new();
        for excess in apart.excess(&Members::whole(&table)) {
            let mut more = excess.rows;
            for &(tuple, rows) in rarest.iter().filter(|member| table.code(member.0, excess.attribute) == excess.code) {
                let rows = rows.min(more);
                more -= rows;
                expected.extend((rows > 0).then_some(Withheld { tuple, rows, rule: 0, column: excess.attribute }));
            }
        }
        assert_eq!(withheld, expected);
        suppressed += usize::from(!expected.is_empty());
    }
    assert!(suppressed > 60, "{suppressed}");
}

/// People with several values: (town, value, person, rows).
fn people(numbers: &mut Numbers) -> FrequencyTable {
    let row = |numbers: &mut Numbers| {
        let codes = [numbers.below(4) as u32, numbers.below(5) as u32, 0];
        (codes, Some(numbers.below(6)), 1 + numbers.below(3))
    };
    let mut rows: Vec<_> = (0..3 + numbers.below(9)).map(|_| row(numbers)).collect();
    rows.extend([([0, 0, 0], Some(7), 1), ([1, 2, 0], Some(8), 1), ([2, 4, 0], Some(8), 2)]);
    FrequencyTable::from_people(attributes(), rows)
}

/// One person after another loses all rows with a protected value until the share is kept: first those who have other
/// rows, then those with the fewest to lose.
fn one_by_one(table: &FrequencyTable, asked: &AskedModel, protected: &[u32]) -> Option<Vec<usize>> {
    let bound = asked.bind(table);
    let mut of: BTreeMap<u64, (bool, u64, Vec<usize>)> = BTreeMap::new();
    for (tuple, rows) in table.tuple_rows() {
        let person = of.entry(table.grouping().person(tuple).unwrap()).or_insert((true, 0, Vec::new()));
        if protected.contains(&table.code(tuple, 1)) {
            person.1 += rows;
            person.2.push(tuple);
        } else {
            person.0 = false;
        }
    }
    let mut order: Vec<_> = of.into_values().filter(|person| person.1 > 0).collect();
    order.sort();
    let (mut left, mut gone) = (whole(table), Vec::new());
    for (_, _, tuples) in order {
        if bound.holds(&Members::new(table, &left)) {
            break;
        }
        left.retain(|member| !tuples.contains(&member.0));
        gone.extend(tuples);
    }
    gone.sort_unstable();
    (!left.is_empty() && bound.holds(&Members::new(table, &left))).then_some(gone)
}

#[test]
fn people_lose_all_rows_with_a_protected_value_or_none_and_those_with_other_rows_first() {
    let alpha = samples(entries().find(|entry| entry.id == "alpha-deassociation").unwrap());
    let alpha: Vec<_> = alpha.into_iter().filter(|asked| asked.parameters.values("values").is_some()).collect();
    let (mut numbers, mut suppressed) = (Numbers(23), 0);
    for turn in 0..800 {
        let (table, asked) = (people(&mut numbers), &alpha[turn % alpha.len()]);
        let code = |value: &String| table.attributes()[1].dictionary.code(value).unwrap();
        let protected: Vec<u32> = asked.parameters.values("values").unwrap().iter().map(code).collect();
        let policy = policy_of(std::slice::from_ref(asked));
        let answer = policy.bind(&table).unwrap().withhold(&table, table.rows()).ok();
        let tuples = answer.as_ref().map(|withheld| {
            let tuples: BTreeSet<usize> = withheld.iter().map(|gone| gone.tuple).collect();
            assert!(withheld.iter().all(|gone| gone.rows == table.count(gone.tuple)), "all rows of a tuple");
            assert_eq!(tuples.len(), withheld.len(), "each tuple once");
            tuples.into_iter().collect::<Vec<usize>>()
        });
        assert_eq!(tuples, one_by_one(&table, asked, &protected), "{asked:?}");
        suppressed += usize::from(answer.is_some_and(|withheld| !withheld.is_empty()));
    }
    assert!(suppressed > 100, "{suppressed}");
}

#[test]
fn people_with_too_frequent_values_lose_few_rows() {
    let bounds =
        ["alpha-deassociation", "frequency-l-diversity"].map(|id| samples(entries().find(|one| one.id == id).unwrap()));
    let bounds: Vec<AskedModel> =
        bounds.into_iter().flatten().filter(|asked| asked.parameters.values("values").is_none()).collect();
    let (mut numbers, mut cases, mut rows) = (Numbers(29), 0, 0);
    for turn in 0..800 {
        let (table, asked) = (people(&mut numbers), &bounds[turn % bounds.len()]);
        let policy = policy_of(std::slice::from_ref(asked));
        let bound = policy.bind(&table).unwrap();
        if let Ok(withheld) = bound.withhold(&table, table.rows()) {
            let tuples: BTreeSet<usize> = withheld.iter().map(|gone| gone.tuple).collect();
            assert_eq!(tuples.len(), withheld.len(), "each tuple once");
            assert!(keeps(std::slice::from_ref(asked), &table, &rest(&table, &withheld)));
            // A person keeps no row with a value whose other rows are suppressed.
            let of = |tuple: usize| (table.grouping().person(tuple), table.code(tuple, 1));
            let gone: BTreeSet<_> = tuples.iter().map(|&tuple| of(tuple)).collect();
            assert!((0..table.tuples()).all(|tuple| tuples.contains(&tuple) == gone.contains(&of(tuple))));
            needs_its_budget(&bound, &table, &withheld);
            cases += usize::from(!withheld.is_empty());
            rows += withheld.iter().map(|gone| gone.rows).sum::<u64>();
        }
    }
    // Where one row has two values that are too frequent, it is not known which is suppressed best.
    assert!(cases >= 337 && rows <= 1514, "{cases} {rows}");
}

/// Whether these rows can be dealt into classes each of which keeps the policy.
fn can_be_dealt(rows: &[usize], keeps: &dyn Fn(&[usize]) -> bool) -> bool {
    let Some((first, others)) = rows.split_first() else { return true };
    (0..1u32 << others.len()).any(|with| {
        let (own, left): (Vec<(usize, &usize)>, Vec<_>) =
            others.iter().enumerate().partition(|(at, _)| with >> at & 1 == 1);
        let class: Vec<usize> = std::iter::once(*first).chain(own.into_iter().map(|one| *one.1)).collect();
        let left: Vec<usize> = left.into_iter().map(|one| *one.1).collect();
        keeps(&class) && can_be_dealt(&left, keeps)
    })
}

/// Whether some release of the rows of a table keeps the policy, with at most `budget` rows suppressed, by trying all of
/// them. The whole has to keep what does not compare with it, when people are counted.
fn has_release(policy: &BoundPolicy<'_>, table: &FrequencyTable, budget: u64) -> bool {
    let rows: Vec<usize> = table.tuple_rows().flat_map(|(tuple, rows)| vec![tuple; rows as usize]).collect();
    (1..1u32 << rows.len()).filter(|published| u64::from(published.count_ones()) + budget >= rows.len() as u64).any(
        |published| {
            let published: Vec<usize> =
                (0..rows.len()).filter(|at| published >> at & 1 == 1).map(|at| rows[at]).collect();
            let entries = |tuples: &[usize]| tuples.iter().map(|&tuple| (tuple, 1)).collect::<SampleClass>();
            let whole = entries(&published);
            let whole = [Members::new(table, &whole)];
            let policy = policy.against(&whole);
            let keeps = |class: &[usize]| policy.holds(&Members::new(table, &entries(class)));
            (!policy.whole_counts(table) || policy.holds_as_whole(&whole)) && can_be_dealt(&published, &keeps)
        },
    )
}

#[test]
fn what_is_proven_infeasible_has_no_release() {
    let (mut numbers, mut proven) = (Numbers(31), [0, 0]);
    for turn in 0..700 {
        let of_people = turn % 3 == 0;
        let values: Vec<[u32; 2]> = (0..4).map(|_| [numbers.below(3) as u32, numbers.below(3) as u32]).collect();
        let rows: Vec<_> = (0..1 + numbers.below(5))
            .map(|_| {
                let person = numbers.below(4);
                let [illness, salary] = values[person as usize];
                ([numbers.below(4) as u32, illness, salary], of_people.then_some(person), 1)
            })
            .collect();
        let table = FrequencyTable::from_people(attributes(), rows);
        let asked: Vec<AskedModel> = (0..1 + numbers.below(2)).map(|_| asked_model(&mut numbers)).collect();
        let policy = policy_of(&asked);
        let Ok(bound) = policy.bind(&table) else { continue };
        let budget = numbers.below(3);
        let (is_proven, has) = (bound.is_proven_infeasible(&table, budget), has_release(&bound, &table, budget));
        assert!(!(is_proven && has), "{asked:?} {budget}");
        let one = asked.len() == 1 && asked[0].sensitive.len() < 2;
        let merges = policy.survives_merging().unwrap() && (!of_people || budget == 0);
        if one && merges && !asked[0].model().compares() && budget < table.rows() {
            assert_eq!(is_proven, !has, "{asked:?} {budget}");
        }
        proven[usize::from(is_proven)] += 1;
    }
    assert!(proven.iter().all(|&cases| cases > 100), "{proven:?}");
}

#[test]
fn a_table_without_rows_has_no_release_and_no_reason() {
    let table = FrequencyTable::from_tuples(attributes(), Vec::<([u32; 3], u64)>::new());
    let policy = Policy::k_anonymity(1);
    let bound = policy.bind(&table).unwrap();
    assert!(bound.is_proven_infeasible(&table, 0));
    assert!(bound.withhold(&table, 0).is_err());
    let alpha = Policy::default().deassociating("illness", "1/2".parse().unwrap(), &[], false);
    let bound = alpha.bind(&table).unwrap();
    assert!(bound.holds(&Members::whole(&table)) && bound.is_proven_infeasible(&table, 0));
}

/// Of twelve rows eight have the first illness and ten the first salary: with a half each, four and eight have to go.
#[test]
fn the_attribute_with_the_most_rows_to_suppress_decides_what_is_proven() {
    let rows = [([0, 0, 0], 7), ([0, 1, 0], 3), ([0, 0, 1], 1), ([0, 2, 2], 1)];
    let table = FrequencyTable::from_tuples(attributes(), rows);
    let half = Parameters::from_iter([("alpha", "1/2")]);
    let policy = Policy::default().asking("alpha-deassociation", half, &["illness", "salary"]);
    let bound = policy.bind(&table).unwrap();
    let proven = [0, 3, 4, 7, 8, 12].map(|budget| bound.is_proven_infeasible(&table, budget));
    assert_eq!(proven, [true, true, true, true, false, false]);
}
