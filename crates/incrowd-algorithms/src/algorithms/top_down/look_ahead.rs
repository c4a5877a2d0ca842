//! Carrying a plan out: which tuples stay in the parent, and the nodes of the next round.
//!
//! Rows that would be specialized least often later stay first (advice of Wong, Li, Fu and Wang for line 10 of their
//! Algorithm 2). For a small branch it is found out by specializing it to its end; in a large one the rarest tuples
//! stay, since few others are like them.

use incrowd_core::ColumnSet;

use super::trial::{NodeRows, Trial};
use super::unspecialize::SpecializationPlan;
use super::{SpecializationNode, Specializer, TrialScratch};
use crate::solver::donors::GivenRows;

/// Maximum number of tuples of a branch that is specialized to the end before rows are taken from it.
const SMALL: usize = 64;

/// The nodes that a plan makes of a node: its branches, then what stays in the parent.
pub(super) fn split(
    walk: &Specializer<'_, '_>,
    node: &SpecializationNode,
    local: &NodeRows,
    (trial, plan): (&Trial, &SpecializationPlan),
    look_ahead: bool,
) -> Vec<SpecializationNode> {
    let mut sizes = vec![0; trial.children.len()];
    trial.child_of(walk, local).for_each(|child| sizes[child] += 1);
    let mut branches: Vec<Vec<(usize, u64)>> =
        sizes.iter().zip(&plan.kept).map(|(&size, &kept)| Vec::with_capacity(if kept { size } else { 0 })).collect();
    let mut rest: Vec<(usize, u64)> = Vec::new();
    for (&member, child) in node.members.iter().zip(trial.child_of(walk, local)) {
        if plan.kept[child] { branches[child].push(member) } else { rest.push(member) }
    }
    for taken in plan.taken.chunk_by(|a, b| a.donor == b.donor) {
        give_back(walk, &mut branches[taken[0].donor], taken, &mut rest, look_ahead);
    }
    let depth = node.depth + 1;
    let branches = branches.into_iter().filter(|members| !members.is_empty());
    let mut nodes: Vec<SpecializationNode> =
        branches.map(|members| SpecializationNode { members, blocked: ColumnSet::EMPTY, depth }).collect();
    if !rest.is_empty() {
        crate::solver::start::add_up(&mut rest);
        nodes.push(SpecializationNode { members: rest, blocked: node.blocked.with(trial.quasi), depth });
    }
    nodes
}

/// Moves rows of a branch back to the parent.
fn give_back(
    walk: &Specializer<'_, '_>,
    branch: &mut Vec<(usize, u64)>,
    taken: &[GivenRows],
    rest: &mut Vec<(usize, u64)>,
    look_ahead: bool,
) {
    if look_ahead && branch.len() <= SMALL {
        let levels = later_levels(walk, branch);
        let levels = |tuple: usize| levels.iter().find(|entry| entry.0 == tuple).map(|entry| entry.1);
        branch.sort_by_cached_key(|&(tuple, rows)| (levels(tuple), rows, tuple));
    } else {
        branch.sort_unstable_by_key(|&(tuple, rows)| (rows, tuple));
    }
    for taken in taken {
        let (kind, mut left) = (walk.kinds.of(taken.sample), taken.rows);
        for member in branch.iter_mut().filter(|member| walk.kinds.of(member.0) == kind) {
            let rows = member.1.min(left);
            rest.extend((rows > 0).then_some((member.0, rows)));
            (member.1, left) = (member.1 - rows, left - rows);
        }
    }
    branch.retain(|member| member.1 > 0);
    branch.sort_unstable();
}

/// How many levels the rows of a branch could still be specialized, by tuple. Looks no further ahead itself.
fn later_levels(walk: &Specializer<'_, '_>, branch: &[(usize, u64)]) -> Vec<(usize, usize)> {
    let mut scratch = TrialScratch::default();
    scratch.local.fill(walk, branch);
    let top = scratch.local.height(walk);
    let mut levels: Vec<(usize, usize)> = Vec::new();
    let mut todo = vec![SpecializationNode { members: branch.to_vec(), blocked: ColumnSet::EMPTY, depth: 0 }];
    while let Some(node) = todo.pop() {
        match walk.best(&node, &mut scratch) {
            Some((trial, plan)) => {
                todo.extend(split(walk, &node, &scratch.local, (&scratch.trials[trial], &plan), false));
            }
            None => {
                scratch.local.fill(walk, &node.members);
                let down = top - scratch.local.height(walk);
                levels.extend(node.members.iter().map(|&(tuple, _)| (tuple, down)));
            }
        }
    }
    // Rows of a tuple may part: the fewest levels count, for those that stay behind.
    levels.sort_unstable();
    levels.dedup_by_key(|entry| entry.0);
    levels
}
