//! Long and wide tables are cut into shards that are solved independently.
//!
//! Mining takes more than twice the time and memory for twice the rows, so a table is first cut into parts that are
//! small enough. A part is a union of neighbouring children of a hierarchy node, and it keeps the policy by itself: so
//! every part has a solution, and the solutions together are one of the table.
//!
//! **Where to cut.** A cut costs something where it parts rows that would have been one class. So some rows are drawn,
//! for each its nearest others (those with which it would lose least), and the cheapest cut is the one that parts the
//! fewest of them, for each bit by which it tells rows apart. What the cuts cost all the same is mended by refining
//! groups of classes across them (`refine/groups.rs`).

mod sharded_solver;
mod tree;

pub(crate) use sharded_solver::{MinedShard, ShardClasses, ShardSolver, solve};
pub use tree::shard_tree;

use crate::solver::ClassMembers;
use crate::solver::clock::did;
use crate::solver::kinds::Kinds;
use crate::solver::levels::LevelNodes;
use crate::solver::numbers::{to_u32, to_usize, whole_part};
use crate::solver::random::SplitMix64;
use crate::{Budget, Problem};

/// Number of rows whose nearest rows are looked for.
const ASKED: usize = 48;
/// Number of tuples among which the nearest are looked for.
const LOOKED_AT: usize = 1 << 15;
/// Minimum number of nearest tuples.
const NEAREST: usize = 3;
/// A part has at least this share of the tuples a shard may have.
const LEAST_PART: f64 = 0.25;

/// Cuts rows into shards.
pub(crate) struct ShardCutter<'a, 't> {
    pub(crate) problem: &'a Problem<'t>,
    pub(crate) levels: &'a LevelNodes,
    pub(crate) kinds: &'a Kinds,
    pub(crate) budget: &'a Budget,
}

/// One way to cut rows: the quasi-identifier and the part of each child of the node that holds all rows.
struct ShardCut {
    quasi: usize,
    level: usize,
    first: u32,
    parts: Vec<u32>,
    cost: f64,
}

impl ShardCutter<'_, '_> {
    /// Parts of at most `most` tuples, as far as rows can be cut before the deadline. They keep the policy if the rows
    /// do.
    pub(crate) fn cut(&self, rows: ClassMembers, most: usize) -> Vec<ClassMembers> {
        let mut shards = Vec::new();
        let mut todo = vec![rows];
        while let Some(part) = todo.pop() {
            match if part.len() > most && !self.budget.is_over() { self.parts(&part, most) } else { None } {
                Some(parts) => todo.extend(parts.into_iter().rev()),
                None => shards.push(part),
            }
        }
        shards
    }

    /// The parts of the cheapest cut that leaves parts that keep the policy.
    fn parts(&self, rows: &ClassMembers, most: usize) -> Option<Vec<ClassMembers>> {
        self.cuts(rows, most).iter().find_map(|cut| self.parted(cut, rows))
    }

    /// A cut along each quasi-identifier that has one, the cheapest first.
    fn cuts(&self, rows: &ClassMembers, most: usize) -> Vec<ShardCut> {
        let nearest = self.nearest(rows);
        let open = (0..self.levels.width()).take_while(|_| !self.budget.is_over());
        let cuts = open.filter_map(|quasi| self.cut_along(quasi, rows, most, &nearest));
        let mut cuts: Vec<ShardCut> = cuts.collect();
        cuts.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.quasi.cmp(&b.quasi)));
        cuts
    }

    /// The cheapest cut that leaves parts that keep the policy: the quasi-identifier, the first leaf of each part, and
    /// the parts.
    fn cheapest(&self, rows: &ClassMembers, most: usize) -> Option<(usize, Vec<u32>, Vec<ClassMembers>)> {
        self.cuts(rows, most).iter().find_map(|cut| {
            let parts = self.parted(cut, rows)?;
            let nodes = self.levels.nodes(cut.quasi, cut.level);
            // Parts without rows are left out, so the parts are identified by the rows they have.
            let part = |leaf: usize| cut.parts[(nodes[leaf] - cut.first) as usize];
            let least = |part: &ClassMembers| part.iter().map(|member| self.levels.leaves(member.0)[cut.quasi]).min();
            let of_part = |least: u32| {
                let same = |&leaf: &usize| nodes[leaf] >= cut.first && part(leaf) == part(least as usize);
                (0..=least as usize).rev().take_while(same).last().map_or(least, to_u32)
            };
            let starts = parts.iter().filter_map(least).map(of_part).collect();
            Some((cut.quasi, starts, parts))
        })
    }

    /// Pairs of tuples that are near each other.
    fn nearest(&self, rows: &ClassMembers) -> Vec<(usize, usize)> {
        let mut draw = SplitMix64::for_use(self.problem.seed, [rows.len() as u64, rows[0].0 as u64]);
        let stride = rows.len().div_ceil(LOOKED_AT);
        let others: Vec<usize> = rows.iter().step_by(stride).map(|member| member.0).collect();
        let wanted = (to_usize(self.kinds.least(self.problem)) / stride).max(NEAREST).min(others.len());
        let mut pairs = Vec::with_capacity(ASKED * wanted);
        for _ in 0..ASKED {
            if self.budget.is_over() {
                break;
            }
            did(others.len());
            let one = rows[draw.below(rows.len())].0;
            let mut near: Vec<(f64, usize)> = others.iter().map(|&other| (self.apart(one, other), other)).collect();
            near.select_nth_unstable_by(wanted - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            pairs.extend(near[..wanted].iter().map(|&(_, other)| (one, other)));
        }
        pairs
    }

    /// What a row loses that is published together with another.
    fn apart(&self, one: usize, other: usize) -> f64 {
        let leaves = self.levels.leaves(one).iter().zip(self.levels.leaves(other));
        let price = |(at, (&a, &b)): (usize, (&u32, &u32))| {
            let domain = &self.problem.quasi_identifiers[at].domain;
            if a == b { 0.0 } else { self.problem.prices.price(at, domain.span(a.min(b), a.max(b))) }
        };
        leaves.enumerate().map(price).sum()
    }

    /// How to cut along a quasi-identifier: its children, in order, are put together until a part is large enough.
    fn cut_along(
        &self,
        quasi: usize,
        rows: &ClassMembers,
        most: usize,
        nearest: &[(usize, usize)],
    ) -> Option<ShardCut> {
        did(rows.len());
        let leaf = |tuple: usize| self.levels.leaves(tuple)[quasi];
        let leaves = || rows.iter().map(|member| leaf(member.0));
        let (low, high) = (leaves().min()?, leaves().max()?);
        let level = self.levels.common(quasi, low, high).checked_sub(1)?;
        let nodes = self.levels.nodes(quasi, level);
        let first = nodes[low as usize];
        let mut tuples = vec![0usize; (nodes[high as usize] - first) as usize + 1];
        leaves().for_each(|leaf| tuples[(nodes[leaf as usize] - first) as usize] += 1);
        let least = to_usize(whole_part(most as f64 * LEAST_PART)).max(1);
        let (mut parts, mut sizes) = (Vec::with_capacity(tuples.len()), vec![0usize]);
        let mut left = rows.len();
        for &child in &tuples {
            // A part ends where it is large enough and what is left is, too.
            if sizes[sizes.len() - 1] >= least && left >= least {
                sizes.push(0);
            }
            parts.push(to_u32(sizes.len() - 1));
            sizes[parts[parts.len() - 1] as usize] += child;
            left -= child;
        }
        if sizes.len() < 2 {
            return None;
        }
        let part = |tuple: usize| parts[(nodes[leaf(tuple) as usize] - first) as usize];
        let torn = nearest.iter().filter(|(one, other)| part(*one) != part(*other)).count();
        let share = |&size: &usize| size as f64 / rows.len() as f64;
        let bits: f64 = sizes.iter().map(share).filter(|share| *share > 0.0).map(|share| -share * share.log2()).sum();
        // One pair more than were seen, so that among cuts that tear none the one that tells most is the cheapest.
        let cost = (torn + 1) as f64 / bits;
        Some(ShardCut { quasi, level, first, parts, cost })
    }

    /// The rows by part, if each part keeps the policy.
    fn parted(&self, cut: &ShardCut, rows: &ClassMembers) -> Option<Vec<ClassMembers>> {
        let nodes = self.levels.nodes(cut.quasi, cut.level);
        let count = cut.parts.last().map_or(0, |&last| last as usize + 1);
        let mut parts = vec![Vec::new(); count];
        for &member in rows {
            let child = nodes[self.levels.leaves(member.0)[cut.quasi] as usize] - cut.first;
            parts[cut.parts[child as usize] as usize].push(member);
        }
        parts.retain(|part| !part.is_empty());
        let keeps = |part: &ClassMembers| self.problem.holds(&self.kinds.count_up(part));
        (parts.len() > 1 && parts.iter().all(keeps)).then_some(parts)
    }
}
