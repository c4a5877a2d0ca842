//! Cheapest record first: classes are cut from the closed frequent records by rising price.
//!
//! The closed frequent records (`mining/`) are gone through once, the cheapest first; among equals the one with more
//! rows, then the one that was mined first. The rows of a record that are in no class yet become a class, all of them,
//! when they keep the policy. For k-anonymity one pass is enough: a record that has too few such rows never gets more.
//! The record of all rows is the last, so fewer than k rows are left over, and each joins the class where it costs
//! least. The end is as for every local solver: `settle`.
//!
//! Why it does well: a row is put into one of the cheapest records that can still hold a class, so it loses little more
//! than the bound (`bounds/lower_bound/`) that this price is; and classes may be larger than 2k − 1, where a cover by
//! small sets pays for each. On ARX's copy of Adult it starts below what ARX's local recoding ends with. No guarantee
//! is claimed.
//!
//! Any policy: a record whose free rows do not keep it is passed by, and what is left over goes where it is taken.
//!
//! Cost: one pass over the supports of all records, which is less than mining them. Long and wide tables are solved in
//! shards ([`shard`]).

use incrowd_core::Stopped;
use rayon::prelude::*;

use super::{AlgorithmEntry, SolverTraits};
use crate::mining::ClosedRecords;
use crate::shard::{self, MinedShard, ShardClasses, ShardSolver};
use crate::solver::clock::did;
use crate::solver::numbers::to_u32;
use crate::{Algorithm, Budget, Problem, Solution, Unsolved};

pub(super) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "cheapest-first",
    summary: "Forms classes from closed frequent generalized records, cheapest first.",
    reference: "incrowd; the records are those of Kenig and Tassa, A practical approximation algorithm for optimal \
                k-anonymity, DMKD 2012",
    loss: "lm",
    counts_work: true,
    effort: None,
    traits: SolverTraits { uses_shards: true, ..SolverTraits::LOCAL },
    new: || Box::new(CheapestFirst),
};

/// Number of points of records between two reports of progress and checks of the deadline.
const STRIDE: u64 = 1 << 15;

struct CheapestFirst;

impl Algorithm for CheapestFirst {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        shard::solve(problem, budget, self)
    }
}

impl ShardSolver for CheapestFirst {
    fn solve_shard(&self, shard: &MinedShard<'_, '_>) -> Result<ShardClasses, Stopped> {
        let &MinedShard { problem, budget, records, rows: rest, kinds, least } = shard;
        let points = records.points();
        // Rows are judged by kind: for most policies there are few, and many records are judged that are then passed
        // by.
        let kind_of: Vec<u32> = rest.iter().map(|member| kinds.number(member.0)).collect();
        let mut by_kind = vec![0u64; kinds.count()];
        let mut judged: Vec<(usize, u64)> = Vec::new();
        let mut seen: Vec<u32> = Vec::new();
        let mut free: Vec<u64> = points.numbers().map(|point| points.rows(point)).collect();
        let members_of = |point: u32| points.members(point).iter().map(|&member| rest[member as usize]);
        let total: u64 = free.iter().sum();
        let (mut left, mut classes, mut cut_short) = (total, Vec::new(), false);
        let mut looked = STRIDE;
        for record in by_price(records) {
            if looked >= STRIDE {
                budget.check()?;
                budget.tell(total - left, Some(total));
                (cut_short, looked) = (budget.is_over(), 0);
            }
            if left < least || cut_short {
                break;
            }
            let mut rows = 0;
            records.for_each_point(record as usize, |point| {
                (rows, looked) = (rows + free[point as usize], looked + 1);
            });
            did(1);
            if rows < least {
                continue;
            }
            seen.clear();
            records.for_each_point(record as usize, |point| {
                if free[point as usize] > 0 {
                    for &member in points.members(point) {
                        let rows = &mut by_kind[kind_of[member as usize] as usize];
                        seen.extend((*rows == 0).then_some(kind_of[member as usize]));
                        *rows += rest[member as usize].1;
                    }
                }
            });
            seen.sort_unstable();
            judged.clear();
            judged.extend(seen.iter().map(|&kind| {
                let rows = std::mem::take(&mut by_kind[kind as usize]);
                (kinds.sample(kind as usize), rows)
            }));
            if problem.holds(&judged) {
                let mut class = Vec::new();
                records.for_each_point(record as usize, |point| {
                    if std::mem::take(&mut free[point as usize]) > 0 {
                        class.extend(members_of(point));
                    }
                });
                left -= rows;
                classes.push(class);
            }
        }
        let mut rows: Vec<(usize, u64)> =
            points.numbers().filter(|&point| free[point as usize] > 0).flat_map(members_of).collect();
        if !rows.is_empty() && problem.holds(&rows) {
            // Only a deadline leaves that many.
            classes.push(std::mem::take(&mut rows));
        }
        // Going through the supports once is counted with finding them.
        Ok(ShardClasses { classes, left: rows, rounds: None, cut_short, work: 0 })
    }
}

/// The records by rising price, then by falling rows, then as they were mined.
pub(super) fn by_price(records: &ClosedRecords) -> Vec<u32> {
    let mut order: Vec<u32> = (0..to_u32(records.len())).collect();
    let cheaper = |&a: &u32, &b: &u32| {
        let (a, b) = (a as usize, b as usize);
        let price = records.price(a).total_cmp(&records.price(b));
        price.then(records.rows(b).cmp(&records.rows(a))).then(a.cmp(&b))
    };
    order.par_sort_unstable_by(cheaper);
    order
}
