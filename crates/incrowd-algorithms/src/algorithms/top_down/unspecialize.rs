//! Lines 8 to 11 of Algorithm 2 of Wong, Li, Fu and Wang, "(α, k)-anonymity", KDD 2006: which rows of a node stay in
//! the parent when it is specialized.
//!
//! Children that break the policy stay whole. When the rows that stay break it too, others have to stay with them so
//! that both they and the children they come from keep it. When no rows help, whole children stay, those with the
//! fewest rows first: at worst all of them, and then nothing is specialized.

use super::Specializer;
use super::trial::Trial;
use crate::solver::donors::{Donors, GivenRows, KindRows};

/// Which rows of a trial are specialized.
pub(super) struct SpecializationPlan {
    /// For each child whether it is a branch.
    pub(super) kept: Vec<bool>,
    /// The rows of branches that stay in the parent, child by child.
    pub(super) taken: Vec<GivenRows>,
    /// How many rows are specialized.
    pub(super) specialized: u64,
    /// How many branches there are.
    pub(super) branches: usize,
}

impl SpecializationPlan {
    /// Whether all rows are specialized.
    pub(super) fn is_complete(&self) -> bool {
        self.branches == self.kept.len() && self.taken.is_empty()
    }
}

/// Decides which rows stay in the parent.
pub(super) fn judge(walk: &Specializer<'_, '_>, trial: &Trial) -> SpecializationPlan {
    let children = 0..trial.children.len();
    let mut kept: Vec<bool> = children.clone().map(|child| walk.problem.holds(trial.counts(child))).collect();
    let failing = children.clone().filter(|&child| !kept[child]);
    let stay: Vec<(usize, u64)> = failing.flat_map(|child| trial.counts(child)).copied().collect();
    let mut rest = KindRows::default();
    rest.extend(stay.into_iter());
    // Rows of a small branch have the fewest steps before them, so small branches give first.
    let mut order: Vec<usize> = children.clone().filter(|&child| kept[child]).collect();
    order.sort_by_key(|&child| (trial.children[child].rows, child));
    let mut taken = Vec::new();
    for branch in 0..order.len() {
        if rest.rows().is_empty() || walk.problem.holds(rest.rows()) {
            break;
        }
        if walk.budget.is_over() {
            // Nothing is specialized then.
            kept.fill(false);
            break;
        }
        let donors = order[branch..].iter().map(|&child| (child, trial.counts(child)));
        let (enough, found) = Donors::new((walk.problem, walk.budget), &walk.kinds, donors).take(rest.clone());
        if enough {
            taken = found;
            break;
        }
        kept[order[branch]] = false;
        rest.extend(trial.counts(order[branch]).iter().copied());
    }
    taken.sort_by_key(|given| given.donor);
    let branches = children.filter(|&child| kept[child]);
    let rows: u64 = branches.clone().map(|child| trial.children[child].rows).sum();
    let stay: u64 = taken.iter().map(|given| given.rows).sum();
    SpecializationPlan { specialized: rows - stay, branches: branches.count(), kept, taken }
}
