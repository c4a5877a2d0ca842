//! GreedyPKClustering: one class after the other takes the rows it lacks values of, then the nearest ones.
//!
//! Campan, Truta, Miller and Sinca, "A clustering approach for achieving data privacy", DMIN 2007, as Truta, Campan and
//! Meyer tell of it (SDM 2007), who compare their [EnhancedPKClustering](super::enhanced_pk) with it. A class begins
//! with the row that is furthest from the last one taken, as in [k-member clustering](crate::algorithms::k_member),
//! from which it comes. Then it takes the row that brings most diversity, and of those the one for which it loses least
//! more, until it has p values of each sensitive attribute; then the nearest rows until it has k. What is left when no
//! further class can be made joins the class where the loss grows least.
//!
//! The class that cannot be completed is the last one: what it lacks, no row outside of classes has.
//!
//! **Any policy.** k and the models that ask for distinct values are built into the classes. What else a policy asks
//! is repaired by merging ([`settle`]). Without such models p is 1, and the classes are those of k-member clustering.
//!
//! **It ends** because each class takes rows out of the pool. Each row asks all tuples at worst. When the time is
//! over, the rows that are left are cut by Mondrian.

use super::{GroupWork, RowGroup, RowPool, VarietyValues};
use crate::algorithms::{AlgorithmEntry, SolverTraits};
use crate::solver::clusters::NumberedCells;
use crate::solver::kinds::Kinds;
use crate::solver::levels::LevelNodes;
use crate::solver::local::solve_local;
use crate::solver::median_cuts::cut_after_deadline;
use crate::solver::random::SplitMix64;
use crate::solver::start::add_up;
use crate::{Algorithm, Budget, Problem, Solution, Statistics, Unsolved};

pub(in crate::algorithms) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "greedy-pk",
    summary: "Builds classes one by one, first from rows with sensitive values that they lack, then from the rows \
              that cost least.",
    reference: "A. Campan, T. Truta, J. Miller and R. Sinca, A clustering approach for achieving data privacy, DMIN \
                2007",
    loss: "il",
    counts_work: false,
    effort: None,
    traits: SolverTraits { weighs_diversity: true, ..SolverTraits::LOCAL },
    new: || Box::new(GreedyPk),
};

struct GreedyPk;

impl Algorithm for GreedyPk {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        solve_local(problem, budget, |problem, budget, rows| {
            let (levels, kinds) = (LevelNodes::new(problem), Kinds::new(problem));
            let (cells, things) = (NumberedCells::new(problem, &levels), VarietyValues::new(problem, &kinds));
            let mut work = GroupWork { problem, budget, kinds: &kinds, things, cells };
            let mut last = rows[SplitMix64::new(problem.seed).below(rows.len())].0;
            let mut pool = RowPool::new(&work.cells, &work.things, rows);
            let (mut groups, mut left, mut done) = (Vec::new(), Vec::new(), 0);
            while !budget.is_over() {
                budget.check()?;
                pool.tidy();
                let Some(seed) = pool.furthest(&work.cells, last) else { break };
                let mut group = RowGroup::new(problem);
                work.take(&mut pool, seed, &mut group);
                if !(work.vary(&mut pool, &mut group)? && work.fill(&mut pool, &mut group)?) {
                    left = group.cluster.members;
                    break;
                }
                last = group.cluster.members[group.cluster.members.len() - 1].0;
                done += group.cluster.rows;
                budget.tell(done, Some(problem.table.rows()));
                groups.push(group);
            }
            let cut_short = pool.rows() > 0 && budget.was_late();
            let mut classes = Vec::new();
            if cut_short {
                let mut rest = pool.members().chain(std::mem::take(&mut left)).collect();
                add_up(&mut rest);
                classes = cut_after_deadline(problem, budget, (&levels, &kinds), rest)?;
            } else {
                left.extend(pool.members());
            }
            let statistics = Statistics::of_rounds(groups.len() as u64);
            classes.extend(work.finish(groups, left)?.into_iter().map(|cluster| cluster.members));
            Ok((classes, statistics))
        })
    }
}
