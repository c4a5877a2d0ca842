//! Anatomy where its source says what it finds, and where a policy asks for more.
#![allow(clippy::unwrap_used)]

#[path = "anatomy/adult.rs"]
mod adult;

use std::collections::BTreeMap;

use adult::{SENSITIVE, adult};
use incrowd_algorithms::{AlgorithmEntry, Budget, Problem};
use incrowd_core::{
    Attribute, Dictionary, FrequencyTable, Lm, Parameters, Partition, Policy, QuasiIdentifier, Role, Values,
};
use proptest::prelude::*;

/// What Anatomy makes of a problem whose classes are told apart by an id. All classes keep the policy.
fn solved(table: &FrequencyTable, quasi: &[QuasiIdentifier], policy: &Policy, seed: u64) -> Partition {
    let problem = Problem::new(table, quasi, policy, &Lm, seed).unwrap().with_class_ids();
    let solution = (AlgorithmEntry::find("anatomy").unwrap().new)().solve(&problem, &Budget::default()).unwrap();
    assert!(solution.partition.accounts_for(table));
    let published = problem.publishing(solution.partition.classes());
    assert!(solution.partition.classes().all(|class| published.holds(class)));
    solution.partition
}

fn rows(class: &[(usize, u64)]) -> u64 {
    class.iter().map(|member| member.1).sum()
}

fn l(l: u64) -> Parameters {
    Parameters::from_iter([("l", l)])
}

#[test]
fn classes_told_apart_by_an_id_are_as_many_as_l_rows_each_allow() {
    let (table, quasi) = adult();
    let models = ["distinct-l-diversity", "frequency-l-diversity", "entropy-l-diversity"].map(|model| (model, l(3)));
    for (model, parameters) in models.into_iter().chain([("p-sensitive", Parameters::from_iter([("p", 3)]))]) {
        let policy = Policy::k_anonymity(2).asking(model, parameters, &["occupation"]);
        let partition = solved(&table, &quasi, &policy, 3);
        assert_eq!(partition.len(), 45_222 / 3);
        assert!(partition.classes().all(|class| rows(class) == 3 && values(&table, class, 6).len() == 3));
    }
    // A third and a bit: four rows, and the two rows that are left join a class each or together.
    let share = Policy::k_anonymity(2).deassociating("occupation", "0.33".parse().unwrap(), &[], false);
    assert_eq!(solved(&table, &quasi, &share, 3).len(), 45_222 / 4);
}

#[test]
fn classes_that_publish_alike_are_merged_when_nothing_tells_them_apart() {
    let (table, quasi) = adult();
    let policy = Policy::k_anonymity(2).asking("distinct-l-diversity", l(3), &["occupation"]);
    let problem = Problem::new(&table, &quasi, &policy, &Lm, 3).unwrap();
    let solution = (AlgorithmEntry::find("anatomy").unwrap().new)().solve(&problem, &Budget::default()).unwrap();
    assert!(solution.partition.len() < 45_222 / 3);
}

#[test]
fn a_larger_k_makes_classes_of_k_rows() {
    let (table, quasi) = adult();
    let policy = Policy::k_anonymity(10).asking("frequency-l-diversity", l(3), &["occupation"]);
    assert_eq!(solved(&table, &quasi, &policy, 3).len(), 45_222 / 10);
    assert_eq!(solved(&table, &quasi, &Policy::k_anonymity(5), 3).len(), 45_222 / 5);
}

/// 11,208 rows have the protected value, and each needs another one; the others are classes by themselves.
#[test]
fn values_protected_together_are_one_value() {
    let (table, quasi) = adult();
    let policy = Policy::k_anonymity(2).deassociating("salary-class", "0.5".parse().unwrap(), &[">50K"], false);
    assert_eq!(solved(&table, &quasi, &policy, 3).len(), 45_222 / 2);
    // At a quarter each needs three others.
    let policy = Policy::k_anonymity(2).deassociating("salary-class", "0.25".parse().unwrap(), &[">50K"], false);
    assert_eq!(solved(&table, &quasi, &policy, 3).len(), 11_208 + (45_222 - 4 * 11_208) / 2);
}

/// What Anatomy does not look at is mended. How many classes there are is no figure of anybody's; it keeps them from
/// becoming a few large ones.
#[test]
fn a_policy_that_asks_for_more_is_kept_by_many_classes() {
    let (table, quasi) = adult();
    let close = |t: &str, columns: &[&str]| {
        Policy::k_anonymity(2).asking("t-closeness", Parameters::from_iter([("t", t)]), columns)
    };
    assert!(solved(&table, &quasi, &close("0.2", &["occupation"]), 3).len() > 3_000);
    assert!(solved(&table, &quasi, &close("0.1", &SENSITIVE), 3).len() > 500);
    let both = Policy::k_anonymity(2).asking("frequency-l-diversity", l(4), &["occupation"]).deassociating(
        "salary-class",
        "0.4".parse().unwrap(),
        &[">50K"],
        false,
    );
    assert!(solved(&table, &quasi, &both, 3).len() > 8_000);
}

/// How many rows of a class have each value of a column.
fn values(table: &FrequencyTable, class: &[(usize, u64)], column: usize) -> BTreeMap<u32, u64> {
    let mut values = BTreeMap::new();
    class.iter().for_each(|&(tuple, rows)| *values.entry(table.code(tuple, column)).or_insert(0) += rows);
    values
}

/// Rows of (number, illness), so many with each illness; those of one illness have a few numbers in turn.
fn table(illnesses: &[u64]) -> (FrequencyTable, [QuasiIdentifier; 1]) {
    let numbers = Dictionary::new(Values::Integers((0..4).collect()), false);
    let quasi = [QuasiIdentifier::intervals(0, &numbers).unwrap()];
    let codes = Dictionary::new(Values::Integers((0..illnesses.len() as i64).collect()), false);
    let attributes = vec![
        Attribute::new("number", Role::QuasiIdentifier, numbers),
        Attribute::new("illness", Role::Sensitive, codes),
    ];
    let of = |(illness, &rows): (u32, &u64)| (0..rows).map(move |row| ([(row % 4) as u32, illness], 1));
    let tuples: Vec<([u32; 2], u64)> = (0..).zip(illnesses).flat_map(of).collect();
    (FrequencyTable::from_tuples(attributes, tuples), quasi)
}

proptest! {
    /// Properties 1 to 3 of the paper.
    #[test]
    fn when_no_value_is_too_frequent_every_class_has_l_different_ones_and_the_rest_finds_a_place(
        illnesses in prop::collection::vec(1u64..30, 2..9),
        least in 2u64..6,
        seed in any::<u64>(),
    ) {
        let (all, most) = (illnesses.iter().sum::<u64>(), illnesses.iter().copied().max().unwrap());
        prop_assume!(most * least <= all);
        let (table, quasi) = table(&illnesses);
        let policy = Policy::k_anonymity(1).asking("frequency-l-diversity", l(least), &["illness"]);
        let partition = solved(&table, &quasi, &policy, seed);
        prop_assert_eq!(partition.len() as u64, all / least);
        for class in partition.classes() {
            let values = values(&table, class, 1);
            prop_assert!(values.len() as u64 >= least && values.values().all(|&rows| rows == 1));
        }
    }
}

#[test]
fn a_value_of_three_tuples_has_as_many_rows_as_the_others_when_a_class_is_tried() {
    let (table, quasi) = table(&[1, 2, 2, 1, 3]);
    let policy = Policy::k_anonymity(1).asking("frequency-l-diversity", l(2), &["illness"]);
    assert_eq!(solved(&table, &quasi, &policy, 0).len(), 4);
}

#[test]
fn another_seed_draws_other_rows() {
    let (table, quasi) = table(&[9, 8, 7, 6]);
    let policy = Policy::k_anonymity(2).asking("distinct-l-diversity", l(2), &["illness"]);
    let drawn = [1, 1, 2].map(|seed| solved(&table, &quasi, &policy, seed));
    assert!(drawn[0] == drawn[1] && drawn[0] != drawn[2]);
}
