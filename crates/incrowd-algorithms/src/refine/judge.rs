//! Whether a class keeps the policy, as cheaply as the policy allows.
//!
//! A policy that only counts rows is asked once, for the fewest rows it is content with. Every other policy is asked
//! about every class.

use super::points::ClassPoints;
use crate::Problem;
use crate::solver::PointRows;
use crate::solver::kinds::Kinds;

/// Judges classes.
pub(super) struct ClassJudge<'a, 't> {
    problem: &'a Problem<'t>,
    /// A class of fewer rows cannot keep the policy.
    least: u64,
    only_counts_rows: bool,
}

impl<'a, 't> ClassJudge<'a, 't> {
    pub(super) fn new(problem: &'a Problem<'t>) -> Self {
        let kinds = Kinds::new(problem);
        // A model might still think otherwise of a mixture, so the classes are judged once more in the end.
        ClassJudge { problem, least: kinds.least(problem), only_counts_rows: kinds.only_rows_count(problem) }
    }

    /// Whether the number of rows is all that counts.
    pub(super) fn only_counts_rows(&self) -> bool {
        self.only_counts_rows
    }

    /// A class of fewer rows cannot keep the policy.
    pub(super) fn least(&self) -> u64 {
        self.least
    }

    /// Whether these rows, `rows` in number, keep the policy. No rows do: then there is no class.
    pub(super) fn holds(&self, points: &ClassPoints, members: impl IntoIterator<Item = PointRows>, rows: u64) -> bool {
        if rows == 0 || self.only_counts_rows {
            return rows == 0 || rows >= self.least;
        }
        if rows < self.least {
            return false;
        }
        let class: Vec<(usize, u64)> = members
            .into_iter()
            .filter(|member| member.1 > 0)
            .map(|(point, rows)| (points.tuple(point), rows))
            .collect();
        self.problem.holds(&class)
    }
}
