//! Larger neighbourhoods, round by round: every class that loses something is once the centre of a pool.
//!
//! The classes that lose most come first. Pools that share no class are rebuilt in parallel, a batch at a time, and what
//! gained is put in place in order: so the outcome does not depend on the number of threads. Small pools are quick and
//! large ones see more, so their size changes from round to round.

use rayon::prelude::*;

use super::classes::{Class, Classes, World};
use super::moves::descend;
use super::rebuild::{Rebuilt, rebuild};
use crate::solver::clock::did;
use crate::solver::effort::Work;
use crate::solver::random::Draw;

/// How many pools are rebuilt at once.
const BATCH: usize = 64;

/// How many classes of the usual number of points a pool takes, round by round.
const SIZES: [usize; 3] = [8, 12, 4];

/// A usual class counts as one of at least and at most so many points, so that no pool is too small or too large.
const USUAL: (usize, usize) = (5, 100);

/// When so many rounds together gain less than this part of the loss, nothing more is expected.
const CALM: (usize, f64) = (9, 1e-4);

/// The rounds of one refinement.
pub(super) struct Rounds<'w, 'a, 't> {
    world: &'w World<'a, 't>,
    seed: u64,
    /// How many points the usual class that loses something has.
    usual: usize,
    /// What was lost before each round.
    losses: Vec<f64>,
}

impl<'w, 'a, 't> Rounds<'w, 'a, 't> {
    pub(super) fn new(world: &'w World<'a, 't>, classes: &Classes, seed: u64) -> Self {
        let losing = classes.taken().map(|place| classes.get(place)).filter(|class| class.loss() > 0.0);
        let mut points: Vec<usize> = losing.map(|class| class.members.len()).collect();
        points.sort_unstable();
        let usual = points.get(points.len() / 2).copied().unwrap_or(1);
        Rounds { world, seed, usual: usual.clamp(USUAL.0, USUAL.1), losses: Vec::new() }
    }

    /// How many rounds there were.
    pub(super) fn count(&self) -> usize {
        self.losses.len()
    }

    /// Whether the last rounds gained nothing worth mentioning.
    pub(super) fn are_calm(&self, classes: &Classes) -> bool {
        let before = self.losses.len().checked_sub(CALM.0).map(|round| self.losses[round]);
        let loss = classes.loss();
        loss == 0.0 || before.is_some_and(|before| loss > before * (1.0 - CALM.1))
    }

    /// Rebuilds a pool around every class that loses something. Whether the time was over or the effort spent before.
    pub(super) fn next(&mut self, classes: &mut Classes, work: &mut Work<'_>) -> bool {
        let size = SIZES[self.losses.len() % SIZES.len()];
        self.losses.push(classes.loss());
        self.rebuild_all(classes, size * self.usual, work) || descend(self.world, classes, work)
    }

    fn rebuild_all(&self, classes: &mut Classes, most: usize, work: &mut Work<'_>) -> bool {
        let (world, budget) = (self.world, work.budget());
        let mut centres: Vec<usize> = classes.taken().filter(|&place| classes.get(place).loss() > 0.0).collect();
        centres.sort_by(|&a, &b| classes.get(b).loss().total_cmp(&classes.get(a).loss()).then(a.cmp(&b)));
        let mut next = centres.into_iter().peekable();
        while next.peek().is_some() {
            if work.is_over() {
                return true;
            }
            let mut closed = vec![false; classes.places()];
            let mut pools: Vec<(Vec<usize>, Draw)> = Vec::new();
            for centre in next.by_ref() {
                // What was part of another pool has had its turn; what was undone is no class any more.
                if closed[centre] || classes.get(centre).loss() == 0.0 {
                    continue;
                }
                did(classes.places());
                if work.is_late() {
                    return true;
                }
                let mut chance = Draw::for_use(self.seed, [self.losses.len() as u64, centre as u64]);
                let pool = around(world, classes, centre, &closed, most, &mut chance);
                pool.iter().for_each(|&place| closed[place] = true);
                pools.push((pool, chance));
                if pools.len() == BATCH {
                    break;
                }
            }
            let one = |(places, mut chance): (Vec<usize>, Draw)| {
                let (rebuilt, units) = rebuild(world, classes, &places, &closed, (&mut chance, budget));
                (rebuilt.map(|rebuilt| (places, rebuilt)), units)
            };
            let rebuilt: Vec<_> = pools.into_par_iter().map(one).collect();
            // All of a batch are counted, whichever was ready first.
            work.spend(rebuilt.iter().map(|rebuilt| rebuilt.1).sum());
            for (places, rebuilt) in rebuilt.into_iter().filter_map(|rebuilt| rebuilt.0) {
                put(world, classes, &places, rebuilt);
            }
        }
        false
    }
}

/// Replaces classes by what came of them.
fn put(world: &World<'_, '_>, classes: &mut Classes, places: &[usize], rebuilt: Rebuilt) {
    places.iter().for_each(|&place| classes.set(world, place, Class::default()));
    for class in rebuilt.classes {
        classes.add(world, class);
    }
    for ((point, rows), to) in rebuilt.moved {
        let grown = classes.get(to).changed(world, point, rows as i64);
        classes.set(world, to, grown);
    }
}

/// A class and its nearest neighbours that are not closed, as long as their points are not too many. Near is what loses
/// little when it is widened to hold one point of the class, which is drawn; chance has a say in the order, too.
fn around(
    world: &World<'_, '_>,
    classes: &Classes,
    centre: usize,
    closed: &[bool],
    most: usize,
    chance: &mut Draw,
) -> Vec<usize> {
    let class = classes.get(centre);
    let point = class.members[chance.below(class.members.len())].0;
    let mut near: Vec<(f64, usize)> = Vec::new();
    classes.near(point, 2, |place, other| {
        if place != centre && !closed[place] {
            let price = world.space.widened_price(&other.nodes, world.points.leaves(point), f64::INFINITY);
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
