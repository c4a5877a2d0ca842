//! Orders of enough rows are found, and shuffles give no more alarms than the bounds allow.

use super::*;
use crate::two_tables::shuffled;

fn reversed(list: &[u32]) -> impl Iterator<Item = u32> + Clone + '_ {
    list.iter().rev().copied()
}

/// Classes of 1 to 6 rows, one after the other.
fn grouped(rows: usize) -> Vec<u32> {
    (0u32..).flat_map(|class| std::iter::repeat_n(class, class as usize % 6 + 1)).take(rows).collect()
}

/// How often each kind of question has an alarm among some shuffles, at a level where a few should.
fn alarms(rows: usize, chance: Chance, seeds: u64) -> [usize; 4] {
    let (ids, mut alarms) = (grouped(rows), [0; 4]);
    let places: Vec<u32> = (0..rows as u32).collect();
    let values: Vec<u32> = ids.iter().map(|id| id % 2).collect();
    for seed in 0..seeds {
        let list = shuffled(&ids, seed);
        let found = [
            chance.agree(&ids, list.iter().copied()),
            chance.neighbours(&list)[seed as usize % 2],
            chance.follows(&places, &list),
            chance.remains(&shuffled(&values, seed), values.iter().copied()),
        ];
        alarms.iter_mut().zip(found).for_each(|(alarms, found)| *alarms += usize::from(found == ChanceAnswer::Yes));
    }
    alarms
}

#[test]
fn shuffles_give_no_more_alarms_than_the_bounds_allow() {
    for rows in [2, 3, 5, 8, 13, 40, 200] {
        for probability in [0.3, 0.1, 0.01] {
            let seeds = 4_000;
            // Three standard deviations more than the bound.
            let most = seeds as f64 * probability + 3.0 * (seeds as f64 * probability).sqrt();
            let found = alarms(rows, Chance::with(probability), seeds);
            assert!(found.iter().all(|alarms| *alarms as f64 <= most), "{rows} rows, {probability}: {found:?}");
        }
        assert_eq!(alarms(rows, Chance::of(20), 4_000), [0; 4], "{rows} rows");
    }
}

#[test]
fn an_order_is_told_from_some_rows_on_and_below_it_is_too_small_to_tell() {
    let chance = Chance::of(27);
    let fours = |rows: usize| -> Vec<u32> { (0..rows as u32).map(|row| row / 4).collect() };
    assert_eq!(chance.agree(&fours(61), fours(61).into_iter()), ChanceAnswer::Yes);
    assert_eq!(chance.agree(&fours(61), shuffled(&fours(61), 1).into_iter()), ChanceAnswer::No);
    assert_eq!(chance.agree(&fours(60), fours(60).into_iter()), ChanceAnswer::TooSmall);
    assert_eq!(chance.agree(&fours(56), fours(56).into_iter()), ChanceAnswer::TooSmall);
    let places: Vec<u32> = (0..26).collect();
    assert_eq!(chance.follows(&places, &places), ChanceAnswer::Yes);
    assert_eq!(chance.follows(&reversed(&places).collect::<Vec<_>>(), &places), ChanceAnswer::Yes);
    assert_eq!(chance.follows(&shuffled(&places, 1), &places), ChanceAnswer::No);
    assert_eq!(chance.follows(&places[..20], &places[..20]), ChanceAnswer::TooSmall);
    assert_eq!([chance.follows(&[], &[]), chance.follows(&[0, 0], &[0, 1])], [ChanceAnswer::TooSmall; 2]);
    assert_eq!(chance.neighbours(&fours(400)), [ChanceAnswer::Yes; 2]);
    assert_eq!(chance.neighbours(&[]), [ChanceAnswer::TooSmall; 2]);
}

#[test]
fn an_unshuffled_list_is_found_though_rows_were_suppressed() {
    let chance = Chance::of(27);
    let original = shuffled(&(0..300).map(|row| row % 5).collect::<Vec<u32>>(), 7);
    let kept: Vec<u32> = original.iter().enumerate().filter(|(at, _)| at % 10 > 0).map(|(_, value)| *value).collect();
    assert_eq!(chance.remains(&kept, original.iter().copied()), ChanceAnswer::Yes);
    assert_eq!(chance.remains(&kept, original.iter().rev().copied()), ChanceAnswer::No);
    assert_eq!(chance.remains(&shuffled(&kept, 8), original.iter().copied()), ChanceAnswer::No);
    // Most of the rows crossed out may leave almost anything.
    assert_eq!(chance.remains(&original[..20], original.iter().copied()), ChanceAnswer::TooSmall);
}

#[test]
fn thirty_rows_left_of_sixty_show_the_order_of_the_original_and_thirty_left_of_ninety_do_not() {
    let chance = Chance::of(27);
    let original: Vec<u32> = (0..90).collect();
    let kept = |rows: usize, step: usize| -> Vec<u32> { original[..rows].iter().step_by(step).copied().collect() };
    // In both cases 30 different rows remain. There are 10^17 ways to choose them from 60 rows, 10^23 from 90 rows.
    assert_eq!(chance.remains(&kept(60, 2), original[..60].iter().copied()), ChanceAnswer::Yes);
    assert_eq!(chance.remains(&kept(90, 3), original.iter().copied()), ChanceAnswer::TooSmall);
}

#[test]
fn lists_of_one_value_say_nothing() {
    let chance = Chance::of(27);
    let (same, places) = (vec![0; 300], (0..300).collect::<Vec<u32>>());
    let agreed = [&same, &places].map(|other| chance.agree(&same, other.iter().copied()));
    let followed = [&same, &places].map(|other| chance.follows(&same, other));
    let remained = chance.remains(&same[..290], same.iter().copied());
    assert_eq!([agreed[0], agreed[1], followed[0], followed[1], remained], [ChanceAnswer::TooSmall; 5]);
}

#[test]
fn kendall_counts_pairs_and_ties_count_nothing() {
    for seed in 0..200 {
        let one = shuffled(&grouped(12), seed);
        let other = shuffled(&(0..12).map(|at| at / (seed as u32 % 3 + 1)).collect::<Vec<_>>(), seed + 999);
        let mut pairs = 0;
        for (a, b) in (0..12).flat_map(|a| (0..a).map(move |b| (a, b))) {
            pairs += (one[a].cmp(&one[b]) as i64) * (other[a].cmp(&other[b]) as i64);
        }
        assert_eq!(kendall(&one, &other), pairs);
        let untied = (0..12).flat_map(|a| (0..a).map(move |b| (a, b))).filter(|(a, b)| one[*a] != one[*b]).count();
        assert_eq!(untied_pairs(&one), untied as u64);
    }
    assert_eq!(ranks(&[2.5, -1.0, 2.5, 7.0]), [1, 0, 1, 2]);
}

#[test]
fn the_logarithm_of_a_factorial_is_the_sum_of_logarithms() {
    for n in [0usize, 1, 5, 63, 64, 65, 1000] {
        let sum: f64 = (1..=n).map(|factor| (factor as f64).ln()).sum();
        assert!((log_factorial(n) - sum).abs() < 1e-8, "{n}");
    }
}
