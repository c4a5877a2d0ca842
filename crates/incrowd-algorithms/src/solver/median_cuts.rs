//! Median cuts: a class is cut in parts, again and again, as long as all parts keep the policy.
//!
//! This is the partitioning of Mondrian (LeFevre, DeWitt and Ramakrishnan, "Mondrian multidimensional k-anonymity",
//! ICDE 2006), for any policy. It takes n log n, so other solvers use it for the rows that are left when the time is
//! over.
//!
//! **Which quasi-identifier.** The one whose cell is the most expensive in the class, as a share of the price of `*`,
//! is cut first; when it has no allowed cut, the next one. No cut is made that leaves a part that breaks the policy.
//!
//! **Where it is cut.** Intervals and sets of values: in two, as near to the median of the leaf order as is allowed.
//! Hierarchies: a cut inside a child of the node that holds the class saves nothing, because both parts publish that
//! node still. So the class is cut into all its children if each keeps the policy, which no other cut can beat on this
//! quasi-identifier, and otherwise in two between children, as near to the median as is allowed.
//!
//! **It ends** because every part has fewer tuples. Each round of cuts visits each tuple once for each quasi-identifier
//! that is tried: n log n when cuts are even.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use incrowd_core::Stopped;
use rayon::prelude::*;

use super::ClassMembers;
use super::clock::did;
use super::kinds::Kinds;
use super::levels::LevelNodes;
use super::numbers::to_u32;
use super::start::add_up;
use crate::{Budget, Problem};

/// Parts of at most this many tuples are cut by one thread.
const SMALL: usize = 1 << 10;

/// Number of cuts in two along one quasi-identifier that are judged, the most even first.
const TRIED: usize = 4;

/// The classes of rows that are left when the time is over, cut in a little time more.
pub(crate) fn cut_after_deadline(
    problem: &Problem<'_>,
    budget: &Budget,
    (levels, kinds): (&LevelNodes, &Kinds),
    rows: ClassMembers,
) -> Result<Vec<ClassMembers>, Stopped> {
    let finishing = budget.finishing();
    Ok(MedianCuts::new(problem, &finishing, levels, kinds).cut(rows)?.0)
}

/// What every cut needs to know.
pub(crate) struct MedianCuts<'a, 't> {
    problem: &'a Problem<'t>,
    budget: &'a Budget,
    levels: &'a LevelNodes,
    kinds: &'a Kinds,
    /// A class of fewer rows than this cannot keep the policy.
    least: u64,
    /// The rows in classes that are cut no more.
    done: AtomicU64,
    /// Whether the deadline left something uncut.
    over: AtomicBool,
}

/// A child of a class along one quasi-identifier: its number, its rows, and these by kind.
struct CutChild {
    number: u32,
    rows: u64,
    counts: ClassMembers,
}

impl<'a, 't> MedianCuts<'a, 't> {
    pub(crate) fn new(problem: &'a Problem<'t>, budget: &'a Budget, levels: &'a LevelNodes, kinds: &'a Kinds) -> Self {
        let (done, over) = Default::default();
        MedianCuts { problem, budget, levels, kinds, least: kinds.least(problem), done, over }
    }

    /// MedianCuts a class as far as it goes; the classes, in the same order whatever the threads, and how many rounds
    /// it took.
    pub(crate) fn cut(&self, class: ClassMembers) -> Result<(Vec<ClassMembers>, u64), Stopped> {
        let (mut classes, mut rounds) = (Vec::new(), 0);
        let mut front = vec![class];
        while !front.is_empty() {
            let parts: Vec<(Vec<ClassMembers>, Vec<ClassMembers>)> =
                front.into_par_iter().map(|class| self.step(class)).collect::<Result<_, Stopped>>()?;
            front = Vec::new();
            for (done, large) in parts {
                classes.extend(done);
                front.extend(large);
            }
            rounds += 1;
        }
        Ok((classes, rounds))
    }

    /// One cut of a large class, all cuts of a small one: the classes that are done, and those that are not.
    fn step(&self, class: ClassMembers) -> Result<(Vec<ClassMembers>, Vec<ClassMembers>), Stopped> {
        let (mut done, mut large) = (Vec::new(), Vec::new());
        let mut todo = vec![class];
        while let Some(class) = todo.pop() {
            self.budget.check()?;
            let is_large = class.len() > SMALL;
            match self.parts(&class) {
                Some(parts) if is_large => large = parts,
                Some(parts) => todo.extend(parts),
                None => {
                    let rows: u64 = class.iter().map(|member| member.1).sum();
                    let rows = self.done.fetch_add(rows, Ordering::Relaxed) + rows;
                    self.budget.tell(rows, Some(self.problem.table.rows()));
                    done.push(class);
                }
            }
        }
        Ok((done, large))
    }

    /// Whether the time is over, so that nothing more is cut.
    fn is_over(&self) -> bool {
        let over = self.budget.is_over();
        if over {
            self.over.store(true, Ordering::Relaxed);
        }
        over
    }

    /// Whether the deadline left something uncut.
    pub(crate) fn was_late(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// The parts of a class along the widest quasi-identifier that has an allowed cut.
    fn parts(&self, class: &ClassMembers) -> Option<Vec<ClassMembers>> {
        let rows: u64 = class.iter().map(|member| member.1).sum();
        if rows < self.least.saturating_mul(2) {
            return None;
        }
        if self.is_over() {
            return None;
        }
        did(class.len());
        let mut spans = vec![(u32::MAX, 0); self.levels.width()];
        for &(tuple, _) in class {
            for (span, &leaf) in spans.iter_mut().zip(self.levels.leaves(tuple)) {
                *span = (span.0.min(leaf), span.1.max(leaf));
            }
        }
        let share = |quasi: usize| {
            let (domain, prices) = (&self.problem.quasi_identifiers[quasi].domain, &self.problem.prices);
            let all = prices.price(quasi, domain.top());
            if all > 0.0 { prices.price(quasi, domain.span(spans[quasi].0, spans[quasi].1)) / all } else { 0.0 }
        };
        let open = (0..spans.len()).filter(|&quasi| spans[quasi].0 < spans[quasi].1);
        let mut order: Vec<(f64, usize)> = open.map(|quasi| (share(quasi), quasi)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let along = |quasi: usize| if self.is_over() { None } else { self.parts_along(class, quasi, spans[quasi]) };
        order.into_iter().find_map(|(_, quasi)| along(quasi))
    }

    /// The parts of a class along a quasi-identifier, when they keep the policy.
    fn parts_along(&self, class: &ClassMembers, quasi: usize, (first, last): (u32, u32)) -> Option<Vec<ClassMembers>> {
        let nodes = self.levels.nodes(quasi, self.levels.common(quasi, first, last) - 1);
        let children = self.children(class, quasi, nodes, (nodes[first as usize], nodes[last as usize]));
        let has_levels = self.problem.quasi_identifiers[quasi].domain.has_levels();
        let holds = |child: &CutChild| child.rows >= self.least && self.problem.holds(&child.counts);
        // The first number of each part.
        let starts: Vec<u32> = if has_levels && children.iter().all(holds) {
            children.iter().map(|child| child.number).collect()
        } else {
            vec![0, self.median(&children)?]
        };
        let mut parts = vec![Vec::new(); starts.len()];
        for &member in class {
            let number = nodes[self.levels.leaves(member.0)[quasi] as usize];
            parts[starts.partition_point(|&start| start <= number) - 1].push(member);
        }
        Some(parts)
    }

    /// The rows of each child that has some, by kind.
    fn children(&self, class: &ClassMembers, quasi: usize, nodes: &[u32], (first, last): (u32, u32)) -> Vec<CutChild> {
        did(class.len());
        let kinds = self.kinds.count();
        let rows = class.iter().map(|&(tuple, rows)| {
            let child = nodes[self.levels.leaves(tuple)[quasi] as usize] - first;
            (child as usize * kinds + self.kinds.of(tuple), rows)
        });
        let width = (last - first) as usize + 1;
        let counts: ClassMembers = if width.saturating_mul(kinds) <= 4 * class.len() + 64 {
            let mut dense = vec![0; width * kinds];
            rows.for_each(|(at, rows)| dense[at] += rows);
            dense.into_iter().enumerate().filter(|entry| entry.1 > 0).collect()
        } else {
            let mut sparse: ClassMembers = rows.collect();
            add_up(&mut sparse);
            sparse
        };
        let child = |counts: &[(usize, u64)]| CutChild {
            number: first + to_u32(counts[0].0 / kinds),
            rows: counts.iter().map(|entry| entry.1).sum(),
            counts: counts.iter().map(|&(at, rows)| (self.kinds.sample(at % kinds), rows)).collect(),
        };
        counts.chunk_by(|a, b| a.0 / kinds == b.0 / kinds).map(child).collect()
    }

    /// The first number above the most even cut in two that keeps the policy.
    fn median(&self, children: &[CutChild]) -> Option<u32> {
        let rows: u64 = children.iter().map(|child| child.rows).sum();
        let below = children.iter().scan(0, |below, child| Some(std::mem::replace(below, *below + child.rows)));
        let enough = |&(_, below): &(usize, u64)| below >= self.least && rows - below >= self.least;
        let mut cuts: Vec<(usize, u64)> = below.enumerate().filter(enough).collect();
        cuts.sort_by_key(|&(at, below)| (below.abs_diff(rows - below), at));
        let holds = |children: &[CutChild]| {
            let mut counts: ClassMembers = children.iter().flat_map(|child| &child.counts).copied().collect();
            add_up(&mut counts);
            self.problem.holds(&counts)
        };
        let allowed = |&&(at, _): &&(usize, u64)| holds(&children[..at]) && holds(&children[at..]);
        cuts.iter().take(TRIED).find(allowed).map(|&(at, _)| children[at].number)
    }
}
