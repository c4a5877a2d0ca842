//! Shards of a table that does not fit in memory: found on a sample of its rows, given as a tree for all rows.
//!
//! The rows that were drawn are cut as a whole table would be ([`ShardCutter`]): along the quasi-identifier whose cut
//! parts the fewest that would rather stay together, between neighbouring children of a hierarchy node, and only where
//! every part keeps the policy. What is drawn stands for the rest, so a part may have more rows than it seems to, or
//! keep the policy less well. The caller finds out when it solves the shards, and asks for smaller ones or repairs the
//! cut.

use incrowd_core::ShardTree;

use super::ShardCutter;
use crate::solver::kinds::Kinds;
use crate::solver::levels::LevelNodes;
use crate::{Budget, Problem};

/// Cuts the rows of a problem, which were drawn from a larger table, until each part has at most `most` of them, as far
/// as they can be cut.
pub fn shard_tree(drawn: &Problem<'_>, most: u64) -> ShardTree {
    let (levels, kinds) = (LevelNodes::new(drawn), Kinds::new(drawn));
    let budget = Budget::default();
    let shards = ShardCutter { problem: drawn, levels: &levels, kinds: &kinds, budget: &budget };
    let mut tree = ShardTree::whole();
    let mut todo: Vec<(usize, Vec<(usize, u64)>)> = vec![(0, drawn.all_rows())];
    while let Some((node, part)) = todo.pop() {
        let size: u64 = part.iter().map(|member| member.1).sum();
        if size <= most || part.len() < 2 {
            continue;
        }
        // Cuts are counted in tuples; as many of them as are the rows that a part may have.
        let wanted = (part.len() as u128 * u128::from(most) / u128::from(size)).max(1);
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        if let Some((quasi, starts, parts)) = shards.cheapest(&part, wanted) {
            todo.extend(tree.cut(node, quasi, starts).into_iter().zip(parts));
        }
    }
    tree
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Attribute, Dictionary, FrequencyTable, Hierarchy, Lm, Policy, QuasiIdentifier, Role, Values};

    use super::*;

    #[test]
    fn every_part_is_small_enough_and_meets_the_policy_and_everyone_is_in_one() {
        let ages = Dictionary::new(Values::Integers((0..60).collect()), false);
        let towns = Dictionary::of_texts(["a", "b", "c", "d", "e"]);
        let flat = Hierarchy::flat(&towns).unwrap();
        let quasi = [QuasiIdentifier::intervals(0, &ages).unwrap(), QuasiIdentifier::new(1, &flat, &towns).unwrap()];
        let attributes = vec![
            Attribute::new("age", Role::QuasiIdentifier, ages),
            Attribute::new("town", Role::QuasiIdentifier, towns),
        ];
        let tuples: Vec<([u32; 2], u64)> =
            (0..300).map(|at| ([at * 7 % 60, at * at % 5], u64::from(at % 3) + 1)).collect();
        let table = FrequencyTable::from_tuples(attributes, tuples);
        let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(10), &Lm, 1).unwrap();
        let tree = shard_tree(&problem, 100);
        let mut rows = vec![0; tree.shards()];
        for tuple in 0..table.tuples() {
            rows[tree.shard(|at| quasi[at].leaves[table.code(tuple, at) as usize]) as usize] += table.count(tuple);
        }
        assert!(tree.shards() >= 6, "{} shards", tree.shards());
        assert!(rows.iter().all(|rows| (10..=100).contains(rows)), "{rows:?}");
        assert_eq!(rows.iter().sum::<u64>(), table.rows());
    }
}
