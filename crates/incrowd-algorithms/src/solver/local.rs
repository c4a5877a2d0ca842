//! The frame of every local solver: suppress what has to be suppressed, make classes, and settle them.

use super::ClassMembers;
use super::settle::settle;
use super::start::Start;
use crate::{Budget, Problem, Solution, Statistics, Unsolved};

/// A solution made by a solver that puts rows into classes, each of which publishes the join of its members.
///
/// `classes_of` gets the problem without the suppressed rows, the budget to use, and the rows that are
/// left: as one class they keep the policy. Classes it returns may break the policy or publish alike;
/// [`settle`] merges those.
pub(crate) fn solve_local<F>(problem: &Problem<'_>, budget: &Budget, classes_of: F) -> Result<Solution, Unsolved>
where
    F: FnOnce(&Problem<'_>, &Budget, ClassMembers) -> Result<(Vec<ClassMembers>, Statistics), Unsolved> + Send,
{
    let budget = &budget.begin()?;
    let Start { rest, withheld, problem } = Start::new(problem)?;
    budget.run(|| {
        let (classes, statistics) = classes_of(&problem, budget, rest)?;
        let partition = settle(&problem, budget, classes, withheld)?;
        Ok(Solution { partition, levels: None, cut_short: budget.was_late(), bound: None, statistics })
    })
}
