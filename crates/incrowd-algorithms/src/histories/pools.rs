//! Pools: people with the same number of rows, or nearly the same where fewer than k people have it.
//!
//! The numbers of rows that occur are sorted, and runs of neighbouring numbers become pools of at least k people. In a pool
//! everybody publishes as many rows as the person with the fewest rows has. People with very few rows may be in no pool;
//! all their rows are suppressed. Among all ways to do this, one that suppresses the fewest rows is found by dynamic
//! programming over the numbers. There are at most √(2n) different numbers for n rows, so that it takes at most about 2n
//! steps. This is for one table; `linked_pools.rs` does the same for several.

use std::collections::BTreeMap;

use incrowd_core::KnownRows;

use super::people::PersonHistories;
use crate::solver::numbers::{to_u32, to_usize};

/// What a row of a rest class counts where a suppressed row counts [`SUPPRESSED_PRICE`]: first generalized rows are avoided
/// too, and if that suppresses too much, only suppressed rows are.
pub(super) const REST_PRICES: [u64; 2] = [1, 0];

/// What a suppressed row counts. One that is in a rest class is generalized, often not completely.
pub(super) const SUPPRESSED_PRICE: u64 = 4;

/// The people with one number of rows, and sums over this and all larger numbers.
struct SameNumber {
    rows: u64,
    people: Vec<u32>,
    all_people: u64,
    all_rows: u64,
}

/// The pools, those with the most rows first.
pub(super) fn pools(people: &PersonHistories, k: u64, known: KnownRows, rest_price: u64) -> Vec<Vec<u32>> {
    let mut by_number: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for person in 0..to_u32(people.len()) {
        by_number.entry(people.rows(person, 0).len()).or_default().push(person);
    }
    let (mut all_people, mut all_rows) = (0, 0);
    let numbers: Vec<SameNumber> = by_number
        .into_iter()
        .rev()
        .map(|(rows, people)| {
            let (rows, count) = (rows as u64, people.len() as u64);
            (all_people, all_rows) = (all_people + count, all_rows + rows * count);
            SameNumber { rows, people, all_people, all_rows }
        })
        .collect();
    let starts = starts(&numbers, k.max(1), |pool| price(pool, known, rest_price));
    let mut pools: Vec<Vec<u32>> = Vec::new();
    for (at, number) in numbers.into_iter().enumerate().take_while(|(at, _)| starts[*at] != NO_POOL) {
        if starts[at] == at {
            pools.push(Vec::new());
        }
        if let Some(pool) = pools.last_mut() {
            pool.extend(number.people);
        }
    }
    pools
}

/// A pool that is considered: the fewest and the most rows of a person, all people, all rows.
#[derive(Clone, Copy)]
pub(super) struct PoolSums {
    pub(super) fewest: u64,
    pub(super) most: u64,
    pub(super) people: u64,
    pub(super) rows: u64,
}

/// What is lost in a pool because its people have different numbers of rows.
pub(super) fn price(pool: &PoolSums, known: KnownRows, rest_price: u64) -> u64 {
    let PoolSums { fewest, most, people, rows } = *pool;
    match known {
        _ if fewest == most => 0,
        KnownRows::AtMost(known) if fewest >= known => rest_price * (rows - people * (fewest - known)),
        _ => SUPPRESSED_PRICE * (rows - people * fewest),
    }
}

/// Marks a number of rows that is in no pool.
const NO_POOL: usize = usize::MAX;

/// For each number, the first number of its pool. The numbers in no pool are the last ones.
fn starts(numbers: &[SameNumber], k: u64, price: impl Fn(&PoolSums) -> u64) -> Vec<usize> {
    let before = |at: usize, of: fn(&SameNumber) -> u64| if at == 0 { 0 } else { of(&numbers[at - 1]) };
    // The least price of the numbers before each place, and where their last pool begins.
    let mut best: Vec<Option<(u64, usize)>> = vec![Some((0, 0))];
    for end in 0..numbers.len() {
        let pool = |start: usize| PoolSums {
            fewest: numbers[end].rows,
            most: numbers[start].rows,
            people: numbers[end].all_people - before(start, |number| number.all_people),
            rows: numbers[end].all_rows - before(start, |number| number.all_rows),
        };
        // Of equal prices the latest start: the smallest pool.
        let found = (0..=end).rev().filter_map(|start| {
            let (paid, _) = best[start]?;
            let pool = pool(start);
            (pool.people >= k).then(|| (paid.saturating_add(price(&pool)), start))
        });
        best.push(found.min_by_key(|found| found.0));
    }
    let all_rows = numbers.last().map_or(0, |number| number.all_rows);
    let left = |end: usize| SUPPRESSED_PRICE * (all_rows - before(end, |number| number.all_rows));
    let ends = (0..best.len()).rev().filter_map(|end| best[end].map(|(paid, _)| (paid.saturating_add(left(end)), end)));
    let mut end = ends.min_by_key(|found| found.0).map_or(0, |found| found.1);
    let mut starts = vec![NO_POOL; numbers.len()];
    while end > 0 {
        let start = best[end].map_or(0, |found| found.1);
        starts[start..end].fill(start);
        end = start;
    }
    starts
}

/// How the rows of the people of a group are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GroupShape {
    /// How many places have one row of each person.
    pub(super) places: usize,
    /// Whether all further rows are in one more class; otherwise they are suppressed.
    pub(super) has_rest: bool,
}

impl GroupShape {
    /// The shape of people who have from `fewest` to `most` rows.
    pub(super) fn new(fewest: usize, most: usize, known: KnownRows) -> GroupShape {
        match known {
            KnownRows::AtMost(known) if fewest < most && fewest as u64 >= known => {
                GroupShape { places: fewest - to_usize(known), has_rest: true }
            }
            _ => GroupShape { places: fewest, has_rest: false },
        }
    }

    /// Which of the rows of a person is at a place. Without a rest class, rows that are suppressed are spread evenly.
    pub(super) fn row(&self, place: usize, rows: usize) -> usize {
        if self.has_rest { place } else { place * rows / self.places }
    }

    /// How many rows the people of a group publish in a table.
    pub(super) fn published(&self, people: &PersonHistories, group: &[u32], table: usize) -> u64 {
        match self.has_rest {
            true => group.iter().map(|&person| people.rows(person, table).len() as u64).sum(),
            false => (group.len() * self.places) as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pooled(numbers: &[(u64, u64)], k: u64, known: KnownRows) -> Vec<usize> {
        let (mut all_people, mut all_rows, mut sums) = (0, 0, Vec::new());
        for &(rows, people) in numbers {
            (all_people, all_rows) = (all_people + people, all_rows + rows * people);
            sums.push(SameNumber { rows, people: Vec::new(), all_people, all_rows });
        }
        starts(&sums, k, |pool| price(pool, known, 1))
    }

    #[test]
    fn rare_numbers_of_rows_join_others_so_that_the_fewest_rows_are_suppressed() {
        // One person with 9 rows and one with 8: both publish 8 rows for k = 2.
        assert_eq!(pooled(&[(9, 1), (8, 1), (3, 5)], 2, KnownRows::All), [0, 0, 2]);
        // For k = 3 they publish 3 rows like the others.
        assert_eq!(pooled(&[(9, 1), (8, 1), (3, 5)], 3, KnownRows::All), [0, 0, 0]);
        // Whoever has fewer rows than all others is left out where that suppresses less.
        assert_eq!(pooled(&[(9, 4), (1, 1)], 2, KnownRows::All), [0, NO_POOL]);
        assert_eq!(pooled(&[(2, 1)], 2, KnownRows::All), [NO_POOL]);
    }

    #[test]
    fn people_with_more_rows_than_an_attacker_knows_keep_all_of_them() {
        let numbers = [(9, 1), (8, 1), (7, 1), (1, 6)];
        assert_eq!(pooled(&numbers, 3, KnownRows::All), [0, 0, 0, 3]);
        assert_eq!(pooled(&numbers, 3, KnownRows::AtMost(2)), [0, 0, 0, 3]);
        assert_eq!(GroupShape::new(7, 9, KnownRows::All), GroupShape { places: 7, has_rest: false });
        assert_eq!(GroupShape::new(7, 9, KnownRows::AtMost(2)), GroupShape { places: 5, has_rest: true });
        assert_eq!(GroupShape::new(1, 9, KnownRows::AtMost(2)), GroupShape { places: 1, has_rest: false });
        assert_eq!(GroupShape::new(4, 4, KnownRows::AtMost(2)), GroupShape { places: 4, has_rest: false });
    }

    #[test]
    fn suppressed_rows_are_spread_over_a_history() {
        let shape = GroupShape { places: 3, has_rest: false };
        assert_eq!([0, 1, 2].map(|place| shape.row(place, 7)), [0, 2, 4]);
        assert_eq!([0, 1, 2].map(|place| shape.row(place, 3)), [0, 1, 2]);
    }
}
