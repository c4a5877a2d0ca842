//! A partition that keeps the policy, where the table as one class does not.
//!
//! Solvers merge classes until all keep the policy, in the worst case into one. With a model that does not survive
//! merging (the refined α-deassociation), small classes may keep the policy although the whole does not; and when
//! several models ask for rows to be suppressed, fewer rows may do than each of them takes by itself. So before a
//! policy is called infeasible:
//!
//! 1. [`BoundPolicy::is_proven_infeasible`](incrowd_core::BoundPolicy::is_proven_infeasible) may prove it;
//! 2. of a table of at most [`MOST_TUPLES`] tuples all partitions are searched, with as few rows suppressed as
//!    possible: either there is one, or it is proven that there is none;
//! 3. a larger table is cut into short runs of neighbouring tuples, which are partitioned exactly, or whose classes are
//!    merged until they keep the policy. What is found is refined. If nothing is found, nothing is claimed
//!    ([`Unsolved::NotFound`]).

use incrowd_core::{Infeasible, Partition};
use rayon::prelude::*;

use crate::exact::{self, MOST_TUPLES, SearchLimits};
use crate::solver::ClassMembers;
use crate::solver::price::loss;
use crate::solver::repair::WEIGHT;
use crate::solver::settle::settle;
use crate::{Budget, Problem, Solution, Statistics, Unsolved, refined};

/// Maximum number of ways to suppress rows of a small table that are tried.
const MOST_WITHHELD: usize = 1 << 8;
/// Maximum number of tuples of a run of a large table, and of its rows unless it is one tuple.
const RUN: (usize, u64) = (6, 16);
/// Maximum number of tuples of runs without a partition that are tried together.
const MOST_WAITING: usize = 1 << 6;
/// Maximum number of classes that are merged until they keep the policy; each merge compares all of them.
const MOST_MERGED: usize = 1 << 11;
/// Longer tables are not searched.
const MOST_SEARCHED: usize = 1 << 17;

/// Searches for a partition that keeps the policy after a solver found none. Full-domain recodings were all looked at,
/// so for them only the proof is searched for.
pub(crate) fn search(
    problem: &Problem<'_>,
    budget: &Budget,
    reasons: Vec<Infeasible>,
    full_domain: bool,
) -> Result<Solution, Unsolved> {
    if problem.policy.is_proven_infeasible(problem.table, problem.budget) {
        return Err(Unsolved::Infeasible(reasons));
    }
    if problem.policy.looks_at_cells() {
        // A model about a population survives growth, so no partition does what the single class does not; wider labels
        // could, and only a full-domain recoding publishes them.
        return Err(Unsolved::NotFound(with_fact(reasons, "; no partition that meets the policy was found")));
    }
    let small = if problem.table.tuples() <= MOST_TUPLES { of_small_table(problem, budget)? } else { None };
    if matches!(small, Some(None)) {
        let proven = "; all partitions of the table were searched, and none meets the policy";
        return Err(Unsolved::Infeasible(with_fact(reasons, proven)));
    }
    let found = match small.flatten() {
        Some(small) => Some(small),
        None if full_domain => None,
        None => of_large_table(problem, budget)?.map(|partition| (partition, false)),
    };
    match found.filter(|_| !full_domain) {
        Some((partition, true)) => {
            let statistics = Statistics { exact: Some(true), ..Statistics::default() };
            Ok(Solution { partition, levels: None, cut_short: false, bound: None, statistics })
        }
        Some((partition, false)) => refine(problem, partition, budget),
        None if full_domain => {
            Err(Unsolved::NotFound(with_fact(reasons, "; no full-domain recoding meets the policy")))
        }
        None => Err(Unsolved::NotFound(with_fact(reasons, "; no partition that meets the policy was found"))),
    }
}

fn with_fact(mut reasons: Vec<Infeasible>, more: &str) -> Vec<Infeasible> {
    reasons.iter_mut().for_each(|reason| reason.fact += more);
    reasons
}

fn refine(problem: &Problem<'_>, partition: Partition, budget: &Budget) -> Result<Solution, Unsolved> {
    let statistics = Statistics { work: Some(0), ..Statistics::default() };
    let found = Solution { partition, levels: None, cut_short: budget.is_over(), bound: None, statistics };
    if found.cut_short {
        return Ok(found);
    }
    let solution = refined(problem, &found.partition, budget)?;
    // Refinement may leave a single class where classes publish alike; here it need not keep the policy.
    Ok(if keeps(problem, &solution.partition) { solution } else { found })
}

/// Whether all classes keep the policy, as they are published.
fn keeps(problem: &Problem<'_>, partition: &Partition) -> bool {
    let problem = problem.publishing(partition.classes());
    let classes: Vec<ClassMembers> = partition.classes().map(<[_]>::to_vec).collect();
    let published = crate::solver::published::merge_alike(&problem, classes);
    published.len() == partition.len() && published.iter().all(|class| problem.holds(&class.members))
}

/// The best partition of a small table with the fewest rows suppressed, and whether it is proven to be; `Some(None)`
/// when it is proven that there is none.
fn of_small_table(problem: &Problem<'_>, budget: &Budget) -> Result<Option<Option<(Partition, bool)>>, Unsolved> {
    let all = problem.all_rows();
    let Some(ways) = ways_to_withhold(&all, problem.budget) else { return Ok(None) };
    for same in ways.chunk_by(|a, b| a.0 == b.0) {
        let (mut best, mut is_proven): (Option<(f64, Partition)>, bool) = (None, true);
        for (_, withheld) in same {
            let left = |&(tuple, rows): &(usize, u64)| {
                let gone = withheld.iter().find(|gone| gone.0 == tuple).map_or(0, |gone| gone.1);
                (rows > gone).then(|| (tuple, rows - gone))
            };
            let rest: ClassMembers = all.iter().filter_map(left).collect();
            if rest.is_empty() {
                continue;
            }
            let problem = &problem.publishing([&rest[..]]);
            let exact =
                exact::best_classes(problem, &rest, best.as_ref().map(|best| best.0), SearchLimits::NEAR, budget)?;
            is_proven &= exact.complete;
            if let Some(classes) = exact.classes {
                let lost = loss(problem, &classes);
                best = Some((lost, settle(problem, budget, classes, withheld.clone())?));
            }
        }
        match best {
            Some((_, partition)) => return Ok(Some(Some((partition, is_proven)))),
            None if !is_proven => return Ok(None),
            None => {}
        }
    }
    Ok(Some(None))
}

/// The ways to suppress at most `most` rows, those of the fewest rows first; none when there are too many ways.
fn ways_to_withhold(all: &ClassMembers, most: u64) -> Option<Vec<(u64, ClassMembers)>> {
    let mut ways: Vec<(u64, ClassMembers)> = vec![(0, Vec::new())];
    for &(tuple, rows) in all {
        let mut more = Vec::new();
        for (gone, withheld) in &ways {
            for rows in 1..=rows.min(most - gone) {
                more.push((gone + rows, [&withheld[..], &[(tuple, rows)]].concat()));
                if ways.len() + more.len() > MOST_WITHHELD {
                    return None;
                }
            }
        }
        ways.extend(more);
    }
    ways.sort_by_key(|way| way.0);
    Some(ways)
}

/// A partition of a larger table, with nothing suppressed; nothing when none was found.
fn of_large_table(problem: &Problem<'_>, budget: &Budget) -> Result<Option<Partition>, Unsolved> {
    let table = problem.table;
    let all = problem.all_rows();
    let whole = [incrowd_core::Members::new(table, &all)];
    let whole_fails = problem.policy.whole_counts(table) && !problem.policy.holds_as_whole(&whole);
    if whole_fails || table.tuples() > MOST_SEARCHED {
        return Ok(None);
    }
    let width = problem.quasi_identifiers.len();
    for first in 0..width.max(1) {
        budget.check()?;
        if budget.is_over() {
            break;
        }
        let mut order = all.clone();
        let key = |tuple: usize| (0..width).map(|at| problem.leaf(tuple, (first + at) % width)).collect::<Vec<u32>>();
        order.sort_by_cached_key(|member| (key(member.0), member.0));
        let runs = runs(&order);
        let parted: Vec<Option<Vec<ClassMembers>>> =
            budget.run(|| runs.par_iter().map(|run| of_run(problem, run, budget)).collect::<Result<_, Unsolved>>())?;
        // The rows of runs without a partition join those of the next run that has one.
        let (mut classes, mut waiting): (Vec<ClassMembers>, ClassMembers) = (Vec::new(), Vec::new());
        for (run, parted) in runs.iter().zip(parted) {
            match parted {
                Some(parted) => classes.extend(parted),
                None => {
                    waiting.extend(run.iter().copied());
                    let parted = if waiting.len() <= MOST_WAITING { merged(problem, &waiting, budget)? } else { None };
                    if let Some(parted) = parted {
                        classes.extend(parted);
                        waiting.clear();
                    }
                }
            }
        }
        if !waiting.is_empty() {
            classes.push(waiting);
        }
        if classes.len() > MOST_MERGED && classes.par_iter().any(|class| !problem.holds(class)) {
            continue;
        }
        let partition = settle(problem, budget, classes, Vec::new())?;
        if keeps(problem, &partition) {
            return Ok(Some(partition));
        }
    }
    let single: Vec<ClassMembers> = all.iter().map(|&member| vec![member]).collect();
    for weight in if single.len() <= MOST_MERGED { &[WEIGHT, 0.5, 0.0][..] } else { &[] } {
        budget.check()?;
        if budget.is_over() {
            break;
        }
        let classes = merge_failing(problem, budget, single.clone(), *weight)?;
        let partition = settle(problem, budget, classes, Vec::new())?;
        if keeps(problem, &partition) {
            return Ok(Some(partition));
        }
    }
    Ok(None)
}

/// Short runs of rows, in order.
fn runs(order: &ClassMembers) -> Vec<ClassMembers> {
    let mut runs: Vec<ClassMembers> = Vec::new();
    let mut rows = 0;
    for &member in order {
        match runs.last_mut().filter(|run| run.len() < RUN.0 && rows + member.1 <= RUN.1) {
            Some(run) => run.push(member),
            None => {
                runs.push(vec![member]);
                rows = 0;
            }
        }
        rows += member.1;
    }
    runs
}

/// The best classes of a run, if there are any.
fn of_run(problem: &Problem<'_>, run: &ClassMembers, budget: &Budget) -> Result<Option<Vec<ClassMembers>>, Unsolved> {
    if budget.is_over() {
        return Ok(None);
    }
    // The whole is judged once for all runs.
    Ok(exact::classes_of_part(problem, run, budget)?.classes)
}

/// Classes of these rows, merged until each keeps the policy.
fn merged(problem: &Problem<'_>, rows: &ClassMembers, budget: &Budget) -> Result<Option<Vec<ClassMembers>>, Unsolved> {
    let single = rows.iter().map(|&member| vec![member]).collect();
    let classes = merge_failing(problem, budget, single, WEIGHT)?;
    Ok(classes.iter().all(|class| problem.holds(class)).then_some(classes))
}

/// The same rows in fewer classes: those that fail are merged with others.
fn merge_failing(
    problem: &Problem<'_>,
    budget: &Budget,
    classes: Vec<ClassMembers>,
    weight: f64,
) -> Result<Vec<ClassMembers>, Unsolved> {
    let alike = crate::solver::published::merge_alike(problem, classes);
    let classes = crate::solver::repair::merge_until_kept(problem, budget, alike, weight)?;
    Ok(classes.into_iter().map(|class| class.members).collect())
}
