//! The minimality attack on the toy of its paper, and against the listing of all possible worlds.

use incrowd_core::Ratio;
use incrowd_risk::attack::minimality::{AlphaPromise, Generalized, attack};
use proptest::prelude::*;

fn promise(alpha: (u64, u64), k: u64) -> AlphaPromise {
    AlphaPromise { alpha: Ratio::new(alpha.0, alpha.1).unwrap(), k }
}

/// Two people q1, five people q2, two of the seven ill, at most half of a class may be: the class says 2/7 of
/// everybody, but had not both of q1 been ill, nothing would have been generalized.
#[test]
fn the_toy_claims_two_in_seven_and_the_truth_is_one() {
    let class = Generalized { groups: vec![2, 5], sensitive: 2 };
    let found = attack("illness", &[class], promise((1, 2), 2));
    assert_eq!((found.figure("worst_claim"), found.figure("worst")), (Some(2.0 / 7.0), Some(1.0)));
    assert_eq!((found.success, found.baseline, found.evidence.name()), (2.0 / 7.0, 0.0, "found"));
    let meaning = "An attacker who knows that the solver does not generalize without need exceeds the promised \
                   probability of 50 % for a protected value of illness, for 28.6 % of the rows; at worst 100 %, \
                   where a class suggests at most 28.6 %.";
    assert_eq!(found.meaning, meaning);
}

#[test]
fn a_group_too_small_for_k_explains_the_class_and_gives_nothing_away() {
    let class = Generalized { groups: vec![2, 5], sensitive: 2 };
    let found = attack("illness", &[class], promise((1, 2), 3));
    assert!((found.figure("worst").unwrap() - 2.0 / 7.0).abs() < 1e-12);
    assert_eq!((found.success, found.figure("unexplained"), found.evidence.name()), (0.0, Some(0.0), "not-found"));
}

#[test]
fn what_was_generalized_without_need_gives_nothing_away() {
    let needless = Generalized { groups: vec![4, 4], sensitive: 1 };
    let whole = Generalized { groups: vec![8], sensitive: 4 };
    let found = attack("illness", &[needless, whole], promise((1, 2), 2));
    assert_eq!((found.success, found.figure("unexplained"), found.figure("generalized")), (0.0, Some(0.5), Some(0.5)));
}

#[test]
fn a_large_class_is_counted_without_losing_a_small_probability() {
    // Of 6,000 rows 3 % are ill; that a group of 40 has more than half of them ill is all but impossible, and yet it
    // was so.
    let class = Generalized { groups: vec![40, 5_960], sensitive: 180 };
    let posteriors = class.posteriors(promise((1, 2), 10)).unwrap();
    assert!(posteriors[0] > 0.52 && posteriors[0] < 0.54, "{posteriors:?}");
    let mean = (40.0 * posteriors[0] + 5_960.0 * posteriors[1]) / 6_000.0;
    assert!((mean - 0.03).abs() < 1e-9, "{mean}");
}

/// Every way to deal the sensitive rows to the people, one after the other.
fn by_worlds(groups: &[u64], sensitive: u64, promise: AlphaPromise) -> Option<Vec<f64>> {
    let people: Vec<usize> = (0..groups.len()).flat_map(|group| vec![group; groups[group] as usize]).collect();
    let (mut worlds, mut ill) = (0u64, vec![0u64; groups.len()]);
    for world in (0u32..1 << people.len()).filter(|world| u64::from(world.count_ones()) == sensitive) {
        let mut own = vec![0u64; groups.len()];
        people.iter().enumerate().filter(|(at, _)| world >> at & 1 == 1).for_each(|(_, &group)| own[group] += 1);
        let broken = own.iter().zip(groups).any(|(&own, &rows)| {
            rows > 0 && (rows < promise.k || own * promise.alpha.denominator() > rows * promise.alpha.numerator())
        });
        if broken {
            worlds += 1;
            ill.iter_mut().zip(own).for_each(|(ill, own)| *ill += own);
        }
    }
    let share = |(&ill, &rows): (&u64, &u64)| ill as f64 / (worlds * rows.max(1)) as f64;
    (worlds > 0).then(|| ill.iter().zip(groups).map(share).collect())
}

proptest! {
    #[test]
    fn posteriors_are_those_of_the_worlds_that_are_left(
        groups in prop::collection::vec(0u64..6, 1..4),
        sensitive in 0u64..16,
        alpha in prop::sample::select(vec![(0, 1), (1, 10), (1, 3), (1, 2), (3, 4), (1, 1)]),
        k in 1u64..5,
    ) {
        let class = Generalized { sensitive: sensitive.min(groups.iter().sum()), groups };
        let promise = promise(alpha, k);
        match (class.posteriors(promise), by_worlds(&class.groups, class.sensitive, promise)) {
            (None, None) => {}
            (Some(found), Some(expected)) => {
                for ((found, expected), &rows) in found.iter().zip(&expected).zip(&class.groups) {
                    prop_assert!(rows == 0 || (found - expected).abs() < 1e-9, "{class:?} {found} {expected}");
                }
            }
            other => prop_assert!(false, "{class:?} {other:?}"),
        }
    }
}
