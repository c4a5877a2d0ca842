//! Hilbert: rows are put in the order of a space-filling curve, and the order is cut into classes.
//!
//! Ghinita, Karras, Kalnis and Mamoulis, "Fast data anonymization with low information loss", VLDB 2007, for any
//! policy. A tuple is a point whose coordinates are its leaf codes, each stretched to the same range, as in the
//! experiments of Kenig and Tassa ("A practical approximation algorithm for optimal k-anonymity", DMKD 2012): otherwise
//! an attribute of few values counts only where those of many agree. The curve visits points near each other one after
//! the other ([`curve`]).
//!
//! **k-anonymity**: the cheapest cut into runs of k to 2k − 1 rows, by dynamic programming ([`runs`]); no classes that
//! are runs of this order lose less. **Any other policy**: a class starts with the first row that is left and takes the
//! next ones for which the policy's gap falls, until it is 0; the rows it passed over are the next classes' to take.
//! This is the source's heuristic for ℓ-diversity, with the gap in place of the counts. Where a mixture of values is
//! asked for, as by t-closeness, no single row may help any more though several together would: then rows are taken for
//! which the gap does not grow. A class that finds no further row within reach is left over, and its rows join the
//! class where the loss grows least.
//!
//! **It ends**: each class begins with a row that no other class has. n log n to sort, n·k to cut.

mod curve;
mod runs;

use incrowd_core::Stopped;
use rayon::prelude::*;

use super::{AlgorithmEntry, SolverTraits};
use crate::solver::clusters::{NumberedCells, RowCluster};
use crate::solver::donors::KindRows;
use crate::solver::kinds::Kinds;
use crate::solver::leftovers::place_in_clusters;
use crate::solver::levels::LevelNodes;
use crate::solver::local::solve_local;
use crate::solver::median_cuts::cut_after_deadline;
use crate::solver::start::add_up;
use crate::{Algorithm, Budget, Problem, Solution, Statistics, Unsolved};

pub(super) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "hilbert",
    summary: "Sorts rows along a Hilbert curve and splits the order into the cheapest classes.",
    reference: "G. Ghinita, P. Karras, P. Kalnis and N. Mamoulis, Fast data anonymization with low information loss, \
                VLDB 2007",
    loss: "lm",
    counts_work: false,
    effort: None,
    traits: SolverTraits::LOCAL,
    new: || Box::new(Hilbert),
};

/// Maximum number of tuples that a class looks ahead for rows that help.
const REACH: usize = 1 << 14;

/// The deadline is checked once for this many of them.
const LOOK: usize = 256;

/// Number of classes left over in a row after which the rest is left over.
const GIVEN_UP: usize = 8;

struct Hilbert;

impl Algorithm for Hilbert {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        solve_local(problem, budget, |problem, budget, rows| {
            let (levels, kinds) = (LevelNodes::new(problem), Kinds::new(problem));
            let order = ordered(problem, &levels, &rows);
            let classes = match only_k(problem, &kinds) {
                Some(k) => runs::best(problem, budget, &levels, &order, k)?,
                None => greedy(problem, budget, &levels, &kinds, order)?,
            };
            Ok((classes, Statistics::default()))
        })
    }
}

/// The members in the order of the curve.
fn ordered(problem: &Problem<'_>, levels: &LevelNodes, members: &[(usize, u64)]) -> Vec<(usize, u64)> {
    let leaves = || problem.quasi_identifiers.iter().map(|quasi| quasi.domain.leaf_count());
    let bits = leaves().map(|leaves| u32::BITS - (leaves - 1).leading_zeros()).max().unwrap_or(0).max(1);
    let most: Vec<u64> = leaves().map(|leaves| u64::from(leaves.max(2) - 1)).collect();
    let stretch =
        |(&leaf, &most): (&u32, &u64)| u32::try_from(u64::from(leaf) * ((1 << bits) - 1) / most).unwrap_or(u32::MAX);
    let place = |&(tuple, rows): &(usize, u64)| {
        let mut point: Vec<u32> = levels.leaves(tuple).iter().zip(&most).map(stretch).collect();
        let mut index = vec![0; curve::words(point.len(), bits)];
        curve::index(&mut point, bits, &mut index);
        (index, tuple, rows)
    };
    let mut places: Vec<(Vec<u64>, usize, u64)> = members.par_iter().map(place).collect();
    places.par_sort_unstable();
    places.into_iter().map(|(_, tuple, rows)| (tuple, rows)).collect()
}

/// The k of a policy that asks for nothing else and counts rows.
fn only_k(problem: &Problem<'_>, kinds: &Kinds) -> Option<u64> {
    if problem.table.counts_people() || !problem.policy.survives_growth() {
        return None;
    }
    let needed = |sample: usize| {
        let rows = problem.gap(&[(sample, 1)]).checked_add(1)?;
        problem.holds(&[(sample, rows)]).then_some(rows)
    };
    let mut needed = kinds.one_of_each_combination().map(needed);
    let first = needed.next()??;
    needed.all(|rows| rows == Some(first)).then_some(first)
}

/// Classes that take the next rows that help.
fn greedy(
    problem: &Problem<'_>,
    budget: &Budget,
    levels: &LevelNodes,
    kinds: &Kinds,
    mut order: Vec<(usize, u64)>,
) -> Result<Vec<Vec<(usize, u64)>>, Stopped> {
    let mut next: Vec<usize> = (1..=order.len()).collect();
    let (mut classes, mut left) = (Vec::new(), Vec::new());
    let (mut head, mut done, mut given_up) = (0, 0, 0);
    while head < order.len() && given_up < GIVEN_UP {
        budget.check()?;
        if order[head].1 == 0 {
            head = next[head];
            continue;
        }
        if budget.is_over() {
            break;
        }
        let (class, complete) = take_next((problem, budget), kinds, &mut order, &mut next, head);
        if complete {
            (done, given_up) = (done + class.iter().map(|member| member.1).sum::<u64>(), 0);
            budget.tell(done, Some(problem.table.rows()));
            classes.push(class);
        } else {
            given_up += 1;
            left.extend(class);
        }
    }
    left.extend(order.into_iter().filter(|member| member.1 > 0));
    if left.is_empty() {
        return Ok(classes);
    }
    if budget.was_late() {
        add_up(&mut left);
        classes.extend(cut_after_deadline(problem, budget, (levels, kinds), left)?);
        return Ok(classes);
    }
    let mut cells = NumberedCells::new(problem, levels);
    let clusters = classes.into_iter().map(|class| RowCluster::new(&mut cells, kinds, class));
    let mut clusters: Vec<RowCluster> = clusters.collect();
    place_in_clusters(problem, budget, kinds, &mut cells, &mut clusters, left)?;
    Ok(clusters.into_iter().map(|cluster| cluster.members).collect())
}

/// Takes rows from the head of the order on, as far as they help; the rows, and whether they keep the policy. `next`
/// leads from each tuple to the next one that may have rows left.
fn take_next(
    (problem, budget): (&Problem<'_>, &Budget),
    kinds: &Kinds,
    order: &mut [(usize, u64)],
    next: &mut [usize],
    head: usize,
) -> (Vec<(usize, u64)>, bool) {
    let people = problem.table.counts_people();
    let (mut class, mut pile, mut passed): (Vec<(usize, u64)>, KindRows, Vec<u32>) = Default::default();
    let mut gap = u64::MAX;
    // First rows that help by themselves. When there are none any more, once more from the head, rows that do no harm:
    // of a model that takes rows as they come, those alone never help.
    let rounds = if problem.policy.survives_growth() { 1 } else { 2 };
    for patient in [false, true].into_iter().take(rounds) {
        let (mut before, mut at) = (head, head);
        passed.clear();
        for step in 0..REACH {
            if gap == 0 || at >= order.len() || (step % LOOK == LOOK - 1 && budget.is_over()) {
                break;
            }
            let (tuple, left) = order[at];
            let (kind, mut rows) = (kinds.of(tuple), left.min(gap));
            // Rows of a combination that did not help do not help either, unless it matters whose they are.
            if !people && passed.contains(&kinds.combination(kind)) {
                rows = 0;
            }
            while rows > 0 {
                let mut grown = pile.clone();
                grown.extend(std::iter::once((kinds.sample(kind), rows)));
                let nearer = problem.gap(grown.rows());
                if nearer.saturating_add(if patient { 0 } else { rows.div_ceil(2) }) <= gap {
                    (pile, gap) = (grown, nearer);
                    break;
                }
                rows /= 2;
            }
            if rows == 0 && left > 0 {
                passed.push(kinds.combination(kind));
            } else if rows > 0 {
                passed.clear();
                class.push((tuple, rows));
                order[at].1 -= rows;
            }
            if order[at].1 == 0 && at != before {
                next[before] = next[at];
            } else {
                before = at;
            }
            at = next[at];
        }
    }
    (class, gap == 0)
}
