//! Pools of people with rows in several tables: people with the same number of rows in each table, or nearly the same.
//!
//! The numbers of rows of a person are a vector, with a number for each table; it is 0 where the person has no row. In a pool
//! everybody publishes, in each table, as many rows as the person with the fewest rows there. Which pools suppress the
//! fewest rows is not a question about runs of neighbouring numbers any more, so pools are found greedily. Those with
//! fewer than k people are visited, the largest vectors first, and each takes the cheapest of three ways:
//!
//! - it becomes one with another pool, where everybody then publishes the smaller number of rows in each table;
//! - it takes as many people as it lacks out of a pool that has enough, those with the most similar rows;
//! - its people are left out, and all their rows are suppressed.
//!
//! **It ends** because every step leaves one pool fewer with less than k people, or one pool fewer. For v different vectors
//! it takes at most v² comparisons.

use std::collections::BTreeMap;

use incrowd_core::{KnownRows, Stopped};

use super::people::PersonHistories;
use super::pools::{PoolSums, SUPPRESSED_PRICE, price};
use crate::Budget;
use crate::solver::clock::did;
use crate::solver::numbers::{to_u32, to_usize};

/// How pools are judged.
#[derive(Clone, Copy)]
pub(super) struct PoolRules {
    pub(super) k: u64,
    pub(super) known: KnownRows,
    pub(super) rest_price: u64,
}

/// People who publish the same number of rows in each table.
#[derive(Clone)]
struct LinkedPool {
    /// The sums of each table.
    tables: Vec<PoolSums>,
    people: Vec<u32>,
    /// Whether the people are in the order of their leaves.
    is_sorted: bool,
}

/// What becomes of a pool with too few people.
enum PoolStep {
    /// It becomes one with the pool at this place.
    Join(usize),
    /// It takes the people it lacks from the pool at this place.
    Borrow(usize),
    /// Its people are left out.
    Drop,
}

/// The leaves of all rows of a person, table by table: similar people are near each other in the order of these.
pub(super) type PersonLeaves<'a> = dyn Fn(u32) -> Vec<u32> + 'a;

/// The pools, those with the largest numbers of rows first.
pub(super) fn linked_pools(
    people: &PersonHistories,
    leaves: &PersonLeaves<'_>,
    rules: PoolRules,
    budget: &Budget,
) -> Result<Vec<Vec<u32>>, Stopped> {
    let mut by_numbers: BTreeMap<Vec<u64>, Vec<u32>> = BTreeMap::new();
    for person in 0..to_u32(people.len()) {
        let numbers = (0..people.tables()).map(|table| people.rows(person, table).len() as u64).collect();
        by_numbers.entry(numbers).or_default().push(person);
    }
    let pools = by_numbers.into_iter().rev().map(|(numbers, people)| Some(LinkedPool::of(&numbers, people)));
    let mut pools: Vec<Option<LinkedPool>> = pools.collect();
    for at in 0..pools.len() {
        while let Some(pool) = pools[at].take_if(|pool| pool.is_small(rules.k)) {
            budget.check()?;
            did(pools.len());
            match cheapest(&pools, &pool, rules) {
                PoolStep::Join(other) => {
                    if let Some(into) = &mut pools[other] {
                        into.join(pool);
                    }
                }
                PoolStep::Borrow(other) => {
                    let lacking = to_usize(rules.k) - pool.people.len();
                    let near = pool.people.first().map(|&person| leaves(person)).unwrap_or_default();
                    let borrowed = pools[other].as_mut().map(|from| from.take_near(&near, lacking, leaves));
                    let mut grown = pool;
                    borrowed.into_iter().for_each(|borrowed| grown.join(borrowed));
                    pools[at] = Some(grown);
                }
                PoolStep::Drop => {}
            }
        }
    }
    Ok(pools.into_iter().flatten().map(|pool| pool.people).collect())
}

/// The cheapest way for a pool that was taken out of the others.
fn cheapest(pools: &[Option<LinkedPool>], pool: &LinkedPool, rules: PoolRules) -> PoolStep {
    let own = pool.price(rules);
    // Of equal prices, one at which people stay in the release.
    let dropped = pool.all_rows().saturating_mul(SUPPRESSED_PRICE).saturating_sub(own).saturating_add(1);
    let (mut best, mut step) = (dropped, PoolStep::Drop);
    for (at, other) in pools.iter().enumerate() {
        let Some(other) = other else { continue };
        let joined = pool.price_with(other, other.people.len() as u64, rules);
        let cost = joined.saturating_sub(own + other.price(rules));
        if cost < best {
            (best, step) = (cost, PoolStep::Join(at));
        }
        let lacking = rules.k - pool.people.len() as u64;
        if other.is_even() && other.people.len() as u64 >= rules.k + lacking {
            let cost = pool.price_with(other, lacking, rules).saturating_sub(own);
            if cost < best {
                (best, step) = (cost, PoolStep::Borrow(at));
            }
        }
    }
    step
}

impl LinkedPool {
    fn of(numbers: &[u64], people: Vec<u32>) -> LinkedPool {
        let count = people.len() as u64;
        let sums = |&rows: &u64| PoolSums { fewest: rows, most: rows, people: count, rows: rows * count };
        LinkedPool { tables: numbers.iter().map(sums).collect(), people, is_sorted: false }
    }

    fn is_small(&self, k: u64) -> bool {
        (self.people.len() as u64) < k
    }

    /// Whether everybody has the same number of rows in each table.
    fn is_even(&self) -> bool {
        self.tables.iter().all(|sums| sums.fewest == sums.most)
    }

    fn all_rows(&self) -> u64 {
        self.tables.iter().map(|sums| sums.rows).sum()
    }

    /// What is lost because the people have different numbers of rows.
    fn price(&self, rules: PoolRules) -> u64 {
        self.tables.iter().map(|sums| price(sums, rules.known, rules.rest_price)).sum()
    }

    /// The same with so many people of another pool, who are all of it or have equal numbers of rows.
    fn price_with(&self, other: &LinkedPool, people: u64, rules: PoolRules) -> u64 {
        let both = self.tables.iter().zip(&other.tables);
        both.map(|(one, other)| price(&add(one, other, people), rules.known, rules.rest_price)).sum()
    }

    fn join(&mut self, other: LinkedPool) {
        for (one, other) in self.tables.iter_mut().zip(&other.tables) {
            *one = add(one, other, other.people);
        }
        self.people.extend(other.people);
        self.is_sorted = false;
    }

    /// Takes people near these leaves out of a pool in which everybody has the same numbers of rows.
    fn take_near(&mut self, near: &[u32], count: usize, leaves: &PersonLeaves<'_>) -> LinkedPool {
        if !self.is_sorted {
            self.people.sort_by_cached_key(|&person| leaves(person));
        }
        let place = self.people.partition_point(|&person| leaves(person).as_slice() < near);
        let start = place.saturating_sub(count / 2).min(self.people.len() - count);
        let taken: Vec<u32> = self.people.drain(start..start + count).collect();
        let numbers: Vec<u64> = self.tables.iter().map(|sums| sums.fewest).collect();
        *self = LinkedPool { is_sorted: true, ..LinkedPool::of(&numbers, std::mem::take(&mut self.people)) };
        LinkedPool::of(&numbers, taken)
    }
}

/// The sums of a pool together with so many people of another one.
fn add(one: &PoolSums, other: &PoolSums, people: u64) -> PoolSums {
    let rows = if people == other.people { other.rows } else { other.fewest * people };
    PoolSums {
        fewest: one.fewest.min(other.fewest),
        most: one.most.max(other.most),
        people: one.people + people,
        rows: one.rows + rows,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Attribute, Dictionary, FrequencyTable, Role, Values};

    use super::*;

    /// The sizes of the pools of people with these numbers of rows in two tables, each with how many of it are given.
    fn pooled(vectors: &[([u64; 2], u64)], k: u64, known: KnownRows) -> Vec<usize> {
        let mut rows = [Vec::new(), Vec::new()];
        let mut person = 0u64;
        for &(numbers, people) in vectors {
            for _ in 0..people {
                person += 1;
                for (rows, number) in rows.iter_mut().zip(numbers) {
                    rows.extend((number > 0).then_some(([0u32], Some(person), number)));
                }
            }
        }
        let tables = rows.map(|rows| {
            let ages = Dictionary::new(Values::Integers(vec![1]), false);
            FrequencyTable::from_people(vec![Attribute::new("age", Role::QuasiIdentifier, ages)], rows)
        });
        let people = PersonHistories::of(&[&tables[0], &tables[1]]);
        let rules = PoolRules { k, known, rest_price: 1 };
        linked_pools(&people, &|_| Vec::new(), rules, &Budget::default()).unwrap().iter().map(Vec::len).collect()
    }

    #[test]
    fn people_with_rare_numbers_of_rows_join_the_nearest() {
        // The one with 3 prescriptions publishes 2 like the others.
        assert_eq!(pooled(&[([1, 3], 1), ([1, 2], 4), ([1, 0], 4)], 2, KnownRows::All), [5, 4]);
        // The one without a row in the first table is left out where the others would lose theirs.
        assert_eq!(pooled(&[([1, 2], 4), ([0, 1], 1)], 2, KnownRows::All), [4]);
    }

    #[test]
    fn a_pool_with_enough_people_lends_some() {
        // Of 20 people with two rows, 2 publish one row with the single person who has one.
        assert_eq!(pooled(&[([1, 2], 20), ([1, 1], 1)], 3, KnownRows::All), [18, 3]);
    }

    #[test]
    fn people_who_have_more_rows_than_an_attacker_knows_are_in_one_pool() {
        let rare = [([1, 9], 1), ([1, 8], 1), ([1, 7], 1)];
        assert_eq!(pooled(&rare, 3, KnownRows::AtMost(2)), [3]);
        assert_eq!(pooled(&[([0, 1], 1)], 2, KnownRows::All), [0; 0]);
    }
}
