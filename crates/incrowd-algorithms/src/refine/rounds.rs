//! Larger neighbourhoods, round by round: every class that loses something is once the centre of a pool.
//!
//! The classes that lose most come first. Pools that share no class are rebuilt in parallel, a batch at a time, and
//! what gained is put in place in order: so the outcome does not depend on the number of threads. Small pools are quick
//! and large ones see more, so their size changes from round to round.

use rayon::prelude::*;

use super::classes::{PointClass, PointClasses, RefineContext};
use super::moves::descend;
use super::rebuild::{Rebuilt, rebuild};
use crate::solver::clock::did;
use crate::solver::effort::WorkCounter;
use crate::solver::random::SplitMix64;

/// How many pools are rebuilt at once.
const BATCH: usize = 64;

/// How many classes of the usual number of points a pool takes, round by round.
const SIZES: [usize; 3] = [8, 12, 4];

/// Minimum and maximum number of points that the usual class counts as, so that no pool is too small or too large.
const USUAL: (usize, usize) = (5, 100);

/// Refinement ends when this number of rounds together gains less than this share of the loss.
const CALM: (usize, f64) = (9, 1e-4);

/// The rounds of one refinement.
pub(super) struct Rounds<'w, 'a, 't> {
    context: &'w RefineContext<'a, 't>,
    seed: u64,
    /// How many points the usual class that loses something has.
    usual: usize,
    /// What was lost before each round.
    losses: Vec<f64>,
}

impl<'w, 'a, 't> Rounds<'w, 'a, 't> {
    pub(super) fn new(context: &'w RefineContext<'a, 't>, classes: &PointClasses, seed: u64) -> Self {
        let losing = classes.taken().map(|place| classes.get(place)).filter(|class| class.loss() > 0.0);
        let mut points: Vec<usize> = losing.map(|class| class.members.len()).collect();
        points.sort_unstable();
        let usual = points.get(points.len() / 2).copied().unwrap_or(1);
        Rounds { context, seed, usual: usual.clamp(USUAL.0, USUAL.1), losses: Vec::new() }
    }

    /// How many rounds there were.
    pub(super) fn count(&self) -> usize {
        self.losses.len()
    }

    /// Whether the last rounds gained nothing worth mentioning.
    pub(super) fn are_calm(&self, classes: &PointClasses) -> bool {
        let before = self.losses.len().checked_sub(CALM.0).map(|round| self.losses[round]);
        let loss = classes.loss();
        loss == 0.0 || before.is_some_and(|before| loss > before * (1.0 - CALM.1))
    }

    /// Rebuilds a pool around every class that loses something. Whether the time was over or the effort spent before.
    pub(super) fn next(&mut self, classes: &mut PointClasses, work: &mut WorkCounter<'_>) -> bool {
        let size = SIZES[self.losses.len() % SIZES.len()];
        self.losses.push(classes.loss());
        self.rebuild_all(classes, size * self.usual, work) || descend(self.context, classes, work)
    }

    fn rebuild_all(&self, classes: &mut PointClasses, most: usize, work: &mut WorkCounter<'_>) -> bool {
        let (context, budget) = (self.context, work.budget());
        let mut centres: Vec<usize> = classes.taken().filter(|&place| classes.get(place).loss() > 0.0).collect();
        centres.sort_by(|&a, &b| classes.get(b).loss().total_cmp(&classes.get(a).loss()).then(a.cmp(&b)));
        let mut next = centres.into_iter().peekable();
        while next.peek().is_some() {
            if work.is_over() {
                return true;
            }
            let mut closed = vec![false; classes.places()];
            let mut pools: Vec<(Vec<usize>, SplitMix64)> = Vec::new();
            for centre in next.by_ref() {
                // What was part of another pool has had its turn; what was undone is no class any more.
                if closed[centre] || classes.get(centre).loss() == 0.0 {
                    continue;
                }
                did(classes.places());
                if work.is_late() {
                    return true;
                }
                let mut chance = SplitMix64::for_use(self.seed, [self.losses.len() as u64, centre as u64]);
                let pool = around(context, classes, centre, &closed, most, &mut chance);
                pool.iter().for_each(|&place| closed[place] = true);
                pools.push((pool, chance));
                if pools.len() == BATCH {
                    break;
                }
            }
            let one = |(places, mut chance): (Vec<usize>, SplitMix64)| {
                let (rebuilt, units) = rebuild(context, classes, &places, &closed, (&mut chance, budget));
                (rebuilt.map(|rebuilt| (places, rebuilt)), units)
            };
            let rebuilt: Vec<_> = pools.into_par_iter().map(one).collect();
            // All of a batch are counted, whichever was ready first.
            work.spend(rebuilt.iter().map(|rebuilt| rebuilt.1).sum());
            for (places, rebuilt) in rebuilt.into_iter().filter_map(|rebuilt| rebuilt.0) {
                put(context, classes, &places, rebuilt);
            }
        }
        false
    }
}

/// Replaces classes by what came of them.
fn put(context: &RefineContext<'_, '_>, classes: &mut PointClasses, places: &[usize], rebuilt: Rebuilt) {
    places.iter().for_each(|&place| classes.set(context, place, PointClass::default()));
    for class in rebuilt.classes {
        classes.add(context, class);
    }
    for (moved, to) in rebuilt.moved {
        let grown = classes.get(to).with(context, moved);
        classes.set(context, to, grown);
    }
}

/// A class and its nearest neighbours that are not closed, as long as their points are not too many. Near is what loses
/// little when it is widened to hold one point of the class, which is drawn; chance has a say in the order, too.
fn around(
    context: &RefineContext<'_, '_>,
    classes: &PointClasses,
    centre: usize,
    closed: &[bool],
    most: usize,
    chance: &mut SplitMix64,
) -> Vec<usize> {
    let class = classes.get(centre);
    let point = class.members[chance.below(class.members.len())].0;
    let mut near: Vec<(f64, usize)> = Vec::new();
    classes.near(point, 2, |place, other| {
        if place != centre && !closed[place] {
            let price = context.space.widened_price(&other.nodes, context.points.leaves(point), f64::INFINITY);
            near.push((price * (0.5 + chance.share()), place));
        }
    });
    near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut points = class.members.len();
    let mut pool = vec![centre];
    for (_, place) in near {
        points += classes.get(place).members.len();
        if points > most {
            break;
        }
        pool.push(place);
    }
    pool
}
