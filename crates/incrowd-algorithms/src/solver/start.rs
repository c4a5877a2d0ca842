//! The first step of every local solver: which rows have to be suppressed, and which are left to be put into classes.
//!
//! A model that compares a class with the whole is taken against the rows that are left: these are all rows that a
//! reader of the release and the verifier see.

use crate::{Problem, Unsolved};

/// The rows of a problem: those that keep the policy as one class, and those that are suppressed so that they do.
pub(crate) struct Start<'t> {
    /// The rows to put into classes, by tuple. As a single class they keep the policy.
    pub(crate) rest: Vec<(usize, u64)>,
    /// The rows that are suppressed, by tuple.
    pub(crate) withheld: Vec<(usize, u64)>,
    /// The problem, with the rows that are left as the whole that classes are compared with.
    pub(crate) problem: Problem<'t>,
}

impl<'t> Start<'t> {
    /// Withholds as many rows as it takes, if the budget allows it.
    pub(crate) fn new(problem: &Problem<'t>) -> Result<Self, Unsolved> {
        let withheld = problem.policy.withhold(problem.table, problem.budget).map_err(Unsolved::Infeasible)?;
        let mut withheld: Vec<(usize, u64)> = withheld.iter().map(|gone| (gone.tuple, gone.rows)).collect();
        add_up(&mut withheld);
        let mut gone = withheld.iter().copied().peekable();
        let mut left = |tuple: usize| {
            let rows = problem.table.count(tuple);
            rows - gone.next_if(|next| next.0 == tuple).map_or(0, |next| next.1)
        };
        let rest: Vec<(usize, u64)> =
            (0..problem.table.tuples()).map(|tuple| (tuple, left(tuple))).filter(|member| member.1 > 0).collect();
        let problem = problem.publishing([&rest[..]]);
        Ok(Start { rest, withheld, problem })
    }
}

/// Sorts rows by what they are of, such as tuples, and makes one entry of those of the same.
pub(crate) fn add_up<T: Copy + Ord>(members: &mut Vec<(T, u64)>) {
    members.sort_unstable();
    members.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
}
