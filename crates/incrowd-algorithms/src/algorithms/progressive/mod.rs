//! Progressive local recoding: rows are generalized step by step, and classes that keep the policy leave early.
//!
//! Wong, Li, Fu and Wang, "(α, k)-anonymity", KDD 2006, section 4.1 (Algorithm 1), for any policy. All remaining rows
//! stand on the same level of each quasi-identifier. In each round classes that keep the policy are removed, as far as
//! the rest can still keep it without them ([`removal`]); then the quasi-identifier with the highest entropy over the
//! remaining rows goes one level up.
//!
//! Where the paper errs or is silent: what remains is at every moment nothing, or rows that keep the policy as one
//! class, so no rows are stranded (the paper bounds only the share of the protected value and may leave fewer than k
//! rows for ever); when all remaining classes keep the policy they leave together; a quasi-identifier at its root is
//! not chosen; ties go to the first.
//!
//! **The rest is also finished from above.** Rows that leave take unprotected rows with them until the rest has no
//! more than it needs; from then on hardly a class keeps the policy, and the paper's rounds drag the rest to the roots:
//! on Adult (α = 1/2, k = 10) a fifth of all rows. But the rest is a class that keeps the policy, so Top-Down can
//! specialize it. This is looked at whenever an eighth of the rest has left, until it got worse twice; the release that
//! loses least is taken, the paper's own when none loses less.
//!
//! **It ends.** Each round raises a level or is the last one, and at the roots the rest is one class that keeps the
//! policy.

mod entropy;
mod remaining;
mod removal;

use incrowd_core::Stopped;

use super::top_down::Specializer;
use super::{AlgorithmEntry, InShards, SolverTraits};
use crate::solver::local::solve_local;
use crate::solver::price::loss;
use crate::{Algorithm, Budget, Problem, Solution, Statistics, Unsolved};
use remaining::Remaining;
use removal::Removal;

pub(super) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "progressive",
    summary: "Generalizes the attribute with the most values step by step; classes that meet the policy are set aside.",
    reference: "R. Wong, J. Li, A. Fu and K. Wang, (α, k)-anonymity, KDD 2006, section 4.1",
    loss: "distortion",
    counts_work: false,
    effort: None,
    traits: SolverTraits { in_shards: InShards::Never, ..SolverTraits::LOCAL },
    new: || Box::new(Progressive),
};

struct Progressive;

impl Algorithm for Progressive {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        solve_local(problem, budget, |problem, budget, rows| {
            let walk = Specializer::new(problem, budget);
            let found = generalize(&walk, rows)?;
            Ok((found.classes, Statistics::of_rounds(found.rounds)))
        })
    }
}

/// Classes that keep the policy.
struct ProgressiveClasses {
    classes: Vec<Vec<(usize, u64)>>,
    rounds: u64,
}

/// The release that was found by finishing the rest from above.
struct FinishedRest {
    loss: f64,
    /// How many classes had left before.
    left: usize,
    finished: Vec<Vec<(usize, u64)>>,
}

/// Puts rows into classes.
fn generalize(walk: &Specializer<'_, '_>, rows: Vec<(usize, u64)>) -> Result<ProgressiveClasses, Stopped> {
    let Specializer { problem, budget, levels, kinds, .. } = walk;
    let removal = Removal { problem, budget, kinds };
    let mut remaining = Remaining::new(problem, levels, kinds, rows);
    // The classes that left, and the loss of the first of them.
    let mut out: Vec<Vec<(usize, u64)>> = Vec::new();
    let (mut priced, mut lost) = (0, 0.0);
    let (mut best, mut worse) = (None::<FinishedRest>, 0);
    // With a policy that survives growth, a class that leaves takes nothing that the rest needs.
    let mut look_at = if problem.policy.survives_growth() { 0 } else { u64::MAX };
    let mut rounds = 0;
    loop {
        budget.check()?;
        removal.trunks(&mut remaining, &mut out);
        removal.further(&mut remaining, &mut out);
        lost += loss(problem, &out[priced..]);
        priced = out.len();
        let rest = remaining.rows();
        budget.tell(problem.table.rows() - rest, Some(problem.table.rows()));
        if rest > 0 && rest < look_at {
            look_at = rest - rest / 8;
            let finished = walk.run(remaining.members())?.classes;
            let look = FinishedRest { loss: lost + loss(problem, &finished), left: out.len(), finished };
            match &best {
                Some(before) if before.loss <= look.loss => worse += 1,
                _ => (best, worse) = (Some(look), 0),
            }
            if worse == 2 {
                look_at = 0;
            }
        }
        if rest == 0 || budget.is_over() || !remaining.generalize(problem, levels, kinds) {
            out.extend((rest > 0).then(|| remaining.members()));
            break;
        }
        rounds += 1;
    }
    lost += loss(problem, &out[priced..]);
    if let Some(look) = best.filter(|look| look.loss < lost) {
        out.truncate(look.left);
        out.extend(look.finished);
    }
    Ok(ProgressiveClasses { classes: out, rounds })
}
