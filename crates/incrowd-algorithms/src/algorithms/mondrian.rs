//! Mondrian: a class is cut in two, again and again, as long as both parts keep the policy.
//!
//! LeFevre, DeWitt and Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006, strict partitioning, for any
//! policy. The cuts are described where they are made: [`median_cuts`](crate::solver::median_cuts).

use super::{AlgorithmEntry, SolverTraits};
use crate::solver::kinds::Kinds;
use crate::solver::levels::LevelNodes;
use crate::solver::local::solve_local;
use crate::solver::median_cuts::MedianCuts;
use crate::{Algorithm, Budget, Problem, Solution, Statistics, Unsolved};

pub(super) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "mondrian",
    summary: "Splits a class along its widest attribute, at the median or along the hierarchy, while all parts meet \
              the policy.",
    reference: "K. LeFevre, D. DeWitt and R. Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006",
    loss: "lm",
    counts_work: false,
    effort: None,
    traits: SolverTraits::LOCAL,
    new: || Box::new(Mondrian),
};

struct Mondrian;

impl Algorithm for Mondrian {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        solve_local(problem, budget, |problem, budget, rows| {
            let (levels, kinds) = (LevelNodes::new(problem), Kinds::new(problem));
            let (classes, rounds) = MedianCuts::new(problem, budget, &levels, &kinds).cut(rows)?;
            Ok((classes, Statistics::of_rounds(rounds)))
        })
    }
}
