//! Refinement: any partition that keeps the policy becomes one that loses less and keeps it, too.
//!
//! First small steps: rows move, classes are dissolved ([`moves`]), until no step gains. Then larger neighbourhoods:
//! the rows of a class and of its neighbours are pooled and parted anew, from the cheapest generalized records they
//! share ([`pool`], [`rebuild`]), for all classes in rounds ([`rounds`]), each followed by small steps. A pool of one
//! class splits it, a pool of two swaps their rows; so there are no steps of their own for that. Of a large table some
//! classes at a time are refined ([`groups`]).
//!
//! Every step lowers the loss and leaves classes that keep the policy, so the classes at any moment are an answer: at a
//! deadline they are the best so far. **It ends** when a number of rounds together gain next to nothing, or when the
//! effort is spent.

mod classes;
mod groups;
mod index;
mod judge;
mod moves;
mod parting;
mod points;
mod pool;
mod rebuild;
mod rounds;
mod space;

use std::time::Instant;

use incrowd_core::{Partition, Stage};
use rayon::prelude::*;

use crate::solver::ClassMembers;
use crate::solver::effort::WorkCounter;
use crate::solver::settle::settle;
use crate::{Budget, Problem, Solution, Statistics, Unsolved};
use classes::{PointClasses, RefineContext};
use judge::ClassJudge;
use points::ClassPoints;
use rounds::Rounds;
use space::CellSpace;

/// What refinement needs to know of a problem, whichever classes it is about.
pub(crate) struct Refiner<'a, 't> {
    problem: &'a Problem<'t>,
    space: CellSpace<'a, 't>,
    judge: ClassJudge<'a, 't>,
    began: Instant,
    /// The rows of the classes when they are all that there are, so that their loss says something to who watches.
    all_rows: Option<u64>,
}

impl<'a, 't> Refiner<'a, 't> {
    pub(crate) fn new(problem: &'a Problem<'t>) -> Self {
        let (space, judge) = (CellSpace::new(problem), ClassJudge::new(problem));
        Refiner { problem, space, judge, began: Instant::now(), all_rows: None }
    }

    /// Tells what all classes lose.
    fn tell_loss(&self, lost: f64, budget: &Budget) {
        if let Some(rows) = self.all_rows {
            budget.tell_loss(self.problem, lost, rows);
        }
    }

    /// The same rows in classes that lose no more. Every class has to keep the policy, and then every class of the
    /// answer does. Many classes are refined in groups.
    pub(crate) fn refine_all(&self, classes: Vec<ClassMembers>, budget: &Budget) -> RefinedClasses {
        let members: usize = classes.iter().map(Vec::len).sum();
        if members > budget.shard.unwrap_or(groups::WHOLE) {
            groups::refine(self, classes, budget)
        } else {
            self.refine(classes, None, budget)
        }
    }

    /// Refines some classes, in at most `most` rounds.
    fn refine(&self, classes: Vec<ClassMembers>, most: Option<usize>, budget: &Budget) -> RefinedClasses {
        let (points, members) = ClassPoints::new(&self.space, &self.judge, &classes);
        let context = RefineContext { space: &self.space, judge: &self.judge, points };
        let mut refined = PointClasses::new(&context, members);
        let tell = |spent: u64| {
            // Groups are refined side by side, and each knows its own share alone.
            if most.is_none() {
                budget.tell_spent(Stage::Refine, spent, self.began);
            }
        };
        tell(0);
        let mut work = WorkCounter::new(budget);
        let mut is_over = moves::descend(&context, &mut refined, &mut work);
        let mut rounds = Rounds::new(&context, &refined, self.problem.seed);
        while !is_over && most.is_none_or(|most| rounds.count() < most) && !rounds.are_calm(&refined) {
            tell(work.spent());
            is_over = rounds.next(&mut refined, &mut work);
            if most.is_none() {
                self.tell_loss(refined.loss(), budget);
            }
        }
        let refined = context.points.deal(refined.into_members(), &classes);
        let (cut_short, work) = (work.was_late(), work.spent());
        // Nothing that almost holds is ever returned, even if a model counts rows and something else in a way
        // unforeseen.
        if refined.par_iter().all(|class| self.problem.holds(class)) {
            RefinedClasses { classes: refined, cut_short, work }
        } else {
            RefinedClasses { classes, cut_short, work }
        }
    }
}

/// Classes after refinement.
pub(crate) struct RefinedClasses {
    pub(crate) classes: Vec<ClassMembers>,
    /// Whether a deadline or a cancellation cut the search.
    pub(crate) cut_short: bool,
    /// The work units that were spent.
    pub(crate) work: u64,
}

/// Refines a partition whose classes all keep the policy of the problem: the same rows in classes that lose no more.
///
/// What is suppressed stays suppressed, and models that compare classes with the whole compare them with the other
/// rows. At the deadline the best partition so far is returned and said to be cut short. Fails only when the work is
/// cancelled.
///
/// ```
/// use incrowd_algorithms::{Budget, Problem, refined};
/// use incrowd_core::{Attribute, Dictionary, FrequencyTable, Hierarchy, Lm, Partition, Policy, QuasiIdentifier, Role};
/// let towns = Dictionary::of_texts(["Bonn", "Graz", "Ulm", "Wien"]);
/// let hierarchy = Hierarchy::read("Bonn;Germany;*\nUlm;Germany;*\nGraz;Austria;*\nWien;Austria;*\n")?;
/// let quasi = [QuasiIdentifier::new(0, &hierarchy, &towns)?];
/// let town = Attribute::new("town", Role::QuasiIdentifier, towns);
/// let table = FrequencyTable::from_tuples(vec![town], [([0], 1), ([1], 1), ([2], 1), ([3], 1)]);
/// let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(2), &Lm, 1)?;
/// let solution = refined(&problem, &Partition::single(&table), &Budget::default())?;
/// let classes: Vec<&[(usize, u64)]> = solution.partition.classes().collect();
/// assert_eq!(classes, [[(0, 1), (2, 1)], [(1, 1), (3, 1)]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn refined(problem: &Problem<'_>, partition: &Partition, budget: &Budget) -> Result<Solution, Unsolved> {
    budget.check()?;
    let problem = &problem.publishing(partition.classes());
    budget.run(|| {
        let classes = |partition: &Partition| partition.classes().map(<[_]>::to_vec).collect::<Vec<_>>();
        let settle = |classes| settle(problem, budget, classes, partition.withheld().to_vec());
        if budget.is_over() {
            let partition = settle(classes(partition))?;
            let statistics = Statistics { work: Some(0), ..Statistics::default() };
            return Ok(Solution { partition, levels: None, cut_short: true, bound: None, statistics });
        }
        let all_rows = Some(partition.classes().flatten().map(|member| member.1).sum());
        let refiner = Refiner { all_rows, ..Refiner::new(problem) };
        let refined = refiner.refine_all(classes(partition), budget);
        let (cut_short, work) = (refined.cut_short || budget.was_late(), Some(refined.work));
        budget.check()?;
        let (before, after) = (settle(classes(partition))?, settle(refined.classes)?);
        let loss = |partition: &Partition| crate::solver::price::loss(problem, &classes(partition));
        // Classes that publish alike are one to a reader, and what is then repaired may lose more than was gained.
        let partition = if loss(&after) <= loss(&before) { after } else { before };
        Ok(Solution {
            partition,
            levels: None,
            cut_short,
            bound: None,
            statistics: Statistics { work, ..Statistics::default() },
        })
    })
}
