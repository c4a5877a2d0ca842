//! Whether a class keeps the policy, as cheaply as the policy allows.
//!
//! A policy that only counts rows is asked once, for the fewest rows it is content with. Every other policy is asked
//! about every class; where rows are of few [kinds](Kinds), the class is first added up by kind, so that a model looks
//! at a handful of entries instead of at all rows.

use super::points::ClassPoints;
use crate::Problem;
use crate::solver::PointRows;
use crate::solver::kinds::Kinds;

/// Up to this number of kinds a class is added up by kind before it is judged. Beyond, most classes have about as many
/// kinds as tuples.
const FEW_KINDS: usize = 64;

/// Judges classes.
pub(super) struct ClassJudge<'a, 't> {
    problem: &'a Problem<'t>,
    kinds: Kinds,
    /// A class of fewer rows cannot keep the policy.
    least: u64,
    only_counts_rows: bool,
}

impl<'a, 't> ClassJudge<'a, 't> {
    pub(super) fn new(problem: &'a Problem<'t>) -> Self {
        let kinds = Kinds::new(problem);
        // A model might still think otherwise of a mixture, so the classes are judged once more in the end.
        let (least, only_counts_rows) = (kinds.least(problem), kinds.only_rows_count(problem));
        ClassJudge { problem, kinds, least, only_counts_rows }
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
        let members = members.into_iter().map(|(point, rows)| (points.tuple(point), rows));
        if self.kinds.count() > FEW_KINDS {
            let class: Vec<(usize, u64)> = members.filter(|member| member.1 > 0).collect();
            return self.problem.holds(&class);
        }
        let mut rows_of = [0; FEW_KINDS];
        members.for_each(|(tuple, rows)| rows_of[self.kinds.of(tuple)] += rows);
        let class = (0..self.kinds.count()).filter(|&kind| rows_of[kind] > 0);
        let class: Vec<(usize, u64)> = class.map(|kind| (self.kinds.sample(kind), rows_of[kind])).collect();
        self.problem.holds(&class)
    }
}
