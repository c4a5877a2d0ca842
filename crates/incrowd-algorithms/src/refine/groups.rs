//! Many classes are refined group by group.
//!
//! What refinement remembers of all classes grows with their number times the values, and each step looks at all of
//! them. So the classes are sorted by what they hold, along the quasi-identifiers in an order that is drawn, and
//! neighbours in that order are a group, refined by itself, groups side by side. Then they are sorted in another order:
//! classes that were kept apart by one grouping meet in the next.

use incrowd_core::Stage;
use rayon::prelude::*;

use super::{RefinedClasses, Refiner};
use crate::Budget;
use crate::solver::ClassMembers;
use crate::solver::price::loss;
use crate::solver::random::SplitMix64;

/// Maximum number of members of all classes that are refined without groups.
pub(super) const WHOLE: usize = 1 << 16;

/// Number of members that the classes of a group have together.
const GROUP: usize = 1 << 14;

/// Number of rounds after which classes are regrouped.
const ROUNDS: usize = 2;

/// The search ends when a grouping gains less than this part of the loss.
const CALM: f64 = 5e-4;

/// When less than this part of the effort is left, no further grouping is begun.
const LEAST_LEFT: u64 = 16;

/// Refines classes group by group until a grouping gains next to nothing, or the time is over or the effort spent. What
/// is left of the effort is shared out by the members of each group.
pub(super) fn refine(refiner: &Refiner<'_, '_>, mut classes: Vec<ClassMembers>, budget: &Budget) -> RefinedClasses {
    let mut work = 0u64;
    let mut before = loss(refiner.problem, &classes);
    for grouping in 0.. {
        budget.tell_spent(Stage::Refine, work, refiner.began);
        let groups = grouped(refiner, classes, grouping, budget.shard.unwrap_or(GROUP).min(GROUP));
        let members = |group: &Vec<ClassMembers>| group.iter().map(|class| class.len() as u64).sum::<u64>();
        let all = groups.iter().map(members).sum();
        let left = Budget { effort: budget.effort.map(|effort| effort - work.min(effort)), ..budget.clone() };
        let refine = |group: Vec<ClassMembers>| {
            let share = left.share_of_effort(members(&group), all);
            refiner.refine(group, Some(ROUNDS), &share)
        };
        let refined: Vec<RefinedClasses> = groups.into_par_iter().map(refine).collect();
        work += refined.iter().map(|refined| refined.work).sum::<u64>();
        let cut_short = refined.iter().any(|refined| refined.cut_short);
        classes = refined.into_iter().flat_map(|refined| refined.classes).collect();
        if cut_short || budget.is_over() || budget.check().is_err() {
            return RefinedClasses { classes, cut_short: true, work };
        }
        if budget.effort.is_some_and(|effort| work >= effort - effort / LEAST_LEFT) {
            break;
        }
        let after = loss(refiner.problem, &classes);
        refiner.tell_loss(after, budget);
        if after >= before * (1.0 - CALM) {
            break;
        }
        before = after;
    }
    RefinedClasses { classes, cut_short: false, work }
}

/// Neighbouring classes together, in one of many orders, at most `most` members in a group of several.
fn grouped(
    refiner: &Refiner<'_, '_>,
    classes: Vec<ClassMembers>,
    grouping: u64,
    most: usize,
) -> Vec<Vec<ClassMembers>> {
    let space = &refiner.space;
    let mut order: Vec<usize> = (0..space.width()).collect();
    SplitMix64::for_use(refiner.problem.seed, [grouping, classes.len() as u64]).shuffle(&mut order);
    let key = |class: ClassMembers| {
        let leaves: Vec<u64> = class.first().map(|member| space.leaves_of(member.0).collect()).unwrap_or_default();
        let code = |&at: &usize| leaves.get(at).map_or(0, |&leaf| space.leaf_code(at, leaf));
        (order.iter().map(code).collect::<Vec<usize>>(), class)
    };
    let mut keyed: Vec<(Vec<usize>, ClassMembers)> = classes.into_par_iter().map(key).collect();
    keyed.par_sort_by(|a, b| a.0.cmp(&b.0));
    let (mut groups, mut members) = (vec![Vec::new()], 0);
    for (_, class) in keyed {
        members += class.len();
        if members > most {
            groups.push(Vec::new());
            members = class.len();
        }
        let last = groups.len() - 1;
        groups[last].push(class);
    }
    groups
}
