//! Dives, each refined, and then dives among the records of what was found; the bound is searched in between.
//!
//! Each turn makes a partition and anneals it ([`anneal`](super::anneal)), then refines it. Most of a turn is work for one
//! thread, so two turns are made side by side. What a turn may spend is fixed before it begins, and both have ended before
//! the next two begin: so the outcome depends neither on the number of threads nor on which of them was quicker.

use std::collections::HashSet;
use std::time::Instant;

use incrowd_core::Partition;

use super::anneal::Annealing;
use super::assign::RowAssignment;
use super::released::released_records;
use super::shares::Shares;
use super::small_classes::SmallClasses;
use crate::bounds::{CandidateRecord, Dive, DiveStyle, PriceSearch, ROUNDING, Relaxation, stored_records};
use crate::mining::{self, ClosedRecords};
use crate::solver::ClassMembers;
use crate::solver::kinds::Kinds;
use crate::solver::leftovers::place_in_classes;
use crate::solver::price::loss;
use crate::solver::random::SplitMix64;
use crate::solver::settle::settle;
use crate::solver::start::{Start, add_up};
use crate::{Budget, LowerBound, Problem, Unsolved, refined};

/// The parts of effort and time for the linear programme before the first dive, for the annealing and the refinement
/// of a dive, and for those of a merge.
const FIRST: f64 = 0.16;
/// A dive needs the programme solved for this number of rounds. If the first part is too little for them, further parts of
/// this size are added, until this much is spent in all.
const READY: usize = 3;
const FURTHER: (f64, f64) = (0.05, 0.4);
/// Until this part is spent, cuts are waited for where classes need two rows. Then a search for classes of two and three rows
/// replaces the dives; its part, and that of its refinement.
const CUTS: f64 = 0.6;
const SMALL: (f64, f64) = (0.3, 0.05);
const DIVED: (f64, f64) = (0.06, 0.08);
const MERGED: (f64, f64) = (0.05, 0.05);
/// At most this number of pairs of dives, and none but the first when this part of effort or time is spent.
const DIVES: (usize, f64) = (2, 0.45);
/// Number of turns side by side, and the bytes for each tuple below which they are made one after the other instead: the outcome
/// is the same. Measured on Adult: 25 KB.
const BESIDE: u64 = 2;
const ROOM_BESIDE: u64 = 40 << 10;
/// Number of releases that take part in a merge.
const KEPT: usize = 4;
/// The search ends when this number of pairs of merges together gains less than this share.
const CALM: (usize, f64) = (2, 2e-4);
/// Records whose k dearest rows are this near to their price are candidates of annealing.
const NEAR: f64 = 0.03;
/// Work units of an annealing without a limit of effort or time.
const DEFAULT_UNITS: f64 = 1e9;
/// How the first dive is made, the others, and a dive among the records of releases.
const STYLES: [DiveStyle; 3] = [
    DiveStyle { before: 0, steps: 15, at_once: 0.1, noise: 0.0 },
    DiveStyle { before: 0, steps: 15, at_once: 0.1, noise: 0.5 },
    DiveStyle { before: 400, steps: 30, at_once: 0.05, noise: 0.2 },
];

/// The best release that was found.
#[derive(Debug, PartialEq)]
pub(crate) struct Recombined {
    /// What its rows lose.
    pub(crate) lost: f64,
    pub(crate) partition: Partition,
    /// What any release loses at least, if that is known.
    pub(crate) bound: Option<LowerBound>,
    pub(crate) work: u64,
    pub(crate) cut_short: bool,
}

/// Dives and recombines; none when records are too many or the time was over before anything was found.
pub(crate) fn recombined(problem: &Problem<'_>, budget: &Budget) -> Result<Option<Recombined>, Unsolved> {
    let rest = Start::new(problem)?;
    let least = Kinds::new(&rest.problem).least(&rest.problem);
    let limits = budget.share_of_effort(1, 2);
    let Some(records) = budget.run(|| stored_records(&rest.problem, &rest.rest, least, &limits))? else {
        return Ok(None);
    };
    let relaxation = budget.run(|| Relaxation::new(&records, least, problem.star_price()));
    let Some(search) = budget.run(|| PriceSearch::new(&relaxation, budget)) else { return Ok(None) };
    // Rows that have to be suppressed are not in the programme.
    let proves = rest.withheld.is_empty() && mining::is_complete(problem);
    let mut run = Recombination {
        problem,
        rest: &rest,
        least,
        records: &records,
        search,
        shares: Shares::new(budget, records.work()),
        proves,
        turns: 0,
        releases: Vec::new(),
    };
    run.all()?;
    Ok(run.best())
}

struct Recombination<'a, 't> {
    problem: &'a Problem<'t>,
    /// The rows that are put into classes.
    rest: &'a Start<'t>,
    least: u64,
    records: &'a ClosedRecords,
    search: PriceSearch<'a, 'a>,
    shares: Shares<'a>,
    /// Whether the prices of the search are a bound for the whole table.
    proves: bool,
    turns: u64,
    /// The best releases so far, the best first.
    releases: Vec<(f64, Partition)>,
}

impl<'a> Recombination<'a, '_> {
    /// Dives, then merges.
    fn all(&mut self) -> Result<(), Unsolved> {
        let budget = self.shares.budget;
        self.solve_for(FIRST);
        while self.search.rounds() < READY && self.shares.spent_part() < FURTHER.1 && !budget.is_over() {
            self.solve_for(FURTHER.0);
        }
        while self.proves && self.search.awaits_cuts() && self.shares.spent_part() < CUTS && !budget.is_over() {
            self.solve_for(FURTHER.0);
        }
        if self.add_small_classes()? {
            return Ok(budget.check()?);
        }
        let mut losses: Vec<f64> = Vec::new();
        let mut dives = 0;
        while !budget.is_over() && self.shares.left() != Some(0) && !self.is_enough() {
            let is_dive = dives == 0 || (dives < DIVES.0 && self.shares.spent_part() < DIVES.1);
            let [first, others, merge] = STYLES;
            let styles = match (is_dive, dives) {
                (true, 0) => [first, others],
                (true, _) => [others, others],
                (false, _) => [merge, merge],
            };
            let dive = if is_dive { self.search.dive() } else { self.merge() };
            let Some(dive) = dive else { break };
            let parts = if is_dive { DIVED } else { MERGED };
            self.pair(dive, styles, parts)?;
            self.solve_for(2.0 * parts.1);
            if self.add_small_classes()? {
                break;
            }
            dives += usize::from(is_dive);
            if !is_dive {
                losses.extend(self.releases.first().map(|best| best.0));
                let before = losses.len().checked_sub(CALM.0 + 1).map(|at| losses[at]);
                if before.is_some_and(|before| losses[losses.len() - 1] > before * (1.0 - CALM.1)) {
                    break;
                }
            }
        }
        Ok(budget.check()?)
    }

    /// A release of classes of two and three rows, once the cuts of the bound are found; whether there is one.
    fn add_small_classes(&mut self) -> Result<bool, Unsolved> {
        let Some(proof) = self.search.proof_by_cuts() else { return Ok(false) };
        let Some(mut small) = SmallClasses::new(self.records, &proof) else { return Ok(false) };
        let (problem, rest, whole) = (self.problem, self.rest, self.shares.budget);
        let mut chance = SplitMix64::for_use(problem.seed, [u64::MAX, 0]);
        let part = self.shares.part(SMALL.0);
        let spent = whole.run(|| small.run(&mut chance, &part));
        self.shares.spend(spent);
        let classes = dealt(self.records, &rest.rest, small.classes());
        let partition = settle(&rest.problem, &whole.finishing(), classes, rest.withheld.clone())?;
        let part = self.shares.part(SMALL.1).leaving_time_for(problem.table.tuples());
        let solution = refined(problem, &partition, &part)?;
        self.shares.spend(solution.statistics.work.unwrap_or(0));
        let classes: Vec<ClassMembers> = solution.partition.classes().map(<[_]>::to_vec).collect();
        self.releases.push((loss(problem, &classes), solution.partition));
        self.releases.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(true)
    }

    /// Solves the linear programme on with a part of effort and time.
    fn solve_for(&mut self, part: f64) {
        let (budget, part) = (self.shares.budget, self.shares.part(part));
        let spent = budget.run(|| solve_on(&mut self.search, self.problem, self.proves, &part));
        self.shares.spend(spent);
    }

    /// Whether the best release is proven to be as good as was asked for.
    fn is_enough(&self) -> bool {
        let until = self.shares.budget.until.filter(|_| self.proves);
        let best = self.releases.first().map(|best| best.0);
        until.zip(best).is_some_and(|(until, best)| best <= until * self.search.sum() * (1.0 - ROUNDING))
    }

    /// A dive among the records of the releases; none when the time was over.
    fn merge(&self) -> Option<Dive<'a, 'a>> {
        let (budget, releases) = (self.shares.budget, self.releases.iter().map(|release| &release.1));
        let records = budget.run(|| released_records(&self.rest.problem, self.records.points(), releases, budget))?;
        Some(Dive::among(&self.search, &records.records))
    }

    /// Two turns side by side.
    fn pair(&mut self, dive: Dive<'_, '_>, styles: [DiveStyle; 2], parts: (f64, f64)) -> Result<(), Unsolved> {
        let (this, turns) = (&*self, self.turns);
        let (budget, other) = (this.shares.budget, dive.clone());
        let one = || this.turn(dive, styles[0], parts, turns + 1);
        let other = || this.turn(other, styles[1], parts, turns + 2);
        let is_room = budget.memory.is_none_or(|memory| memory / ROOM_BESIDE >= this.problem.table.tuples() as u64);
        let (one, other) = budget.run(|| if is_room { rayon::join(one, other) } else { (one(), other()) });
        self.turns += BESIDE;
        for (release, spent) in [one?, other?] {
            self.shares.spend(spent);
            self.releases.push(release);
        }
        self.releases.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.releases.truncate(KEPT);
        Ok(())
    }

    /// A partition by a dive, annealed and refined: what it loses, and the work units.
    fn turn(
        &self,
        dive: Dive<'_, '_>,
        style: DiveStyle,
        (annealing, refining): (f64, f64),
        number: u64,
    ) -> Result<((f64, Partition), u64), Unsolved> {
        let (shares, problem, rest) = (&self.shares, self.problem, self.rest);
        let part = |part| shares.part_beside(part, number % BESIDE == 1, BESIDE);
        let mut chance = SplitMix64::for_use(problem.seed, [u64::MAX, number]);
        let whole = part(1.0);
        let (open, mut spent) = dive.run(style, &mut chance, &whole);
        whole.check()?;
        let members = |class: Vec<u32>| members_of(self.records, &rest.rest, class);
        let (classes, left) = RowAssignment::new(self.records, &open, self.least).classes(self.search.prices());
        let classes = classes.into_iter().map(members).collect();
        let classes = place_in_classes(&rest.problem, &whole, classes, members(left))?;
        let settled = |classes| settle(&rest.problem, &whole.finishing(), classes, rest.withheld.clone());
        let mut partition = settled(classes)?;
        if let Some((classes, work)) = self.annealed(&partition, &mut chance, &part(annealing)) {
            partition = settled(classes.into_iter().map(members).collect())?;
            spent += work;
        }
        let solution = refined(problem, &partition, &part(refining).leaving_time_for(problem.table.tuples()))?;
        spent += solution.statistics.work.unwrap_or(0);
        let classes: Vec<ClassMembers> = solution.partition.classes().map(<[_]>::to_vec).collect();
        Ok(((loss(problem, &classes), solution.partition), spent))
    }

    /// The points of classes that lose less than those of a partition, and the work units; none when there was no time
    /// or nothing gained.
    fn annealed(&self, from: &Partition, chance: &mut SplitMix64, budget: &Budget) -> Option<(Vec<Vec<u32>>, u64)> {
        let (problem, points) = (&self.rest.problem, self.records.points());
        let releases = [from].into_iter().chain(self.releases.iter().map(|release| &release.1));
        let released = released_records(problem, points, releases, budget)?;
        let owner = released.owners(problem, points, &self.rest.rest, from)?;
        let mut candidates = released.records;
        let near = self.search.near(NEAR, budget)?;
        let known: HashSet<&[u32]> = candidates.iter().map(|record| &record.points[..]).collect();
        let new: Vec<CandidateRecord> = near.into_iter().filter(|record| !known.contains(&record.points[..])).collect();
        drop(known);
        candidates.extend(new);
        candidates.push(CandidateRecord { price: problem.star_price(), points: points.numbers().collect() });
        let mut annealing = Annealing::new(points, &candidates, owner, self.least);
        let before = annealing.loss();
        let (began, effort) = (Instant::now(), budget.effort);
        let time = budget.deadline.map(|deadline| deadline.saturating_duration_since(began));
        let cooled = |spent: u64| {
            let by_effort = effort.map_or(0.0, |effort| spent as f64 / effort.max(1) as f64);
            let by_time = time.map_or(0.0, |time| began.elapsed().as_secs_f64() / time.as_secs_f64().max(1e-9));
            let by_default = if effort.is_none() && time.is_none() { spent as f64 / DEFAULT_UNITS } else { 0.0 };
            by_effort.max(by_time).max(by_default)
        };
        let spent = annealing.run(cooled, chance, budget);
        (annealing.loss() < before).then(|| (annealing.classes(), spent))
    }

    fn best(self) -> Option<Recombined> {
        let problem = self.problem;
        let cells = problem.table.rows() as f64 * problem.quasi_identifiers.len() as f64;
        let bound = self.proves.then(|| LowerBound::of_search(&self.search, cells));
        let (work, cut_short) = (self.shares.spent, self.shares.budget.was_late());
        let (lost, partition) = self.releases.into_iter().next()?;
        Some(Recombined { lost, partition, bound, work, cut_short })
    }
}

/// Solves the linear programme on; returns the work units.
fn solve_on(search: &mut PriceSearch<'_, '_>, problem: &Problem<'_>, proves: bool, budget: &Budget) -> u64 {
    let cells = problem.table.rows() as f64 * problem.quasi_identifiers.len() as f64;
    let mut best = 0.0;
    let mut report = |sum: f64| {
        if proves && sum > best {
            best = sum;
            budget.watch.progress.found_bound(sum * (1.0 - ROUNDING) / cells);
        }
        false
    };
    let spent = search.run(budget, &mut report);
    let left = Budget { effort: budget.effort.map(|effort| effort.saturating_sub(spent)), ..budget.clone() };
    spent + if proves { search.run_cuts(&left, &mut report) } else { 0 }
}

/// The rows of some points, by tuple.
fn members_of(records: &ClosedRecords, rows: &[(usize, u64)], points: Vec<u32>) -> ClassMembers {
    let places = points.into_iter().flat_map(|point| records.points().members(point));
    places.map(|&place| rows[place as usize]).collect()
}

/// Classes by the points of their rows, with the rows of each point dealt to its classes in order.
fn dealt(records: &ClosedRecords, rows: &[(usize, u64)], classes: Vec<Vec<u32>>) -> Vec<ClassMembers> {
    let points = records.points();
    let row_list = |point: u32| {
        let members = points.members(point).iter().map(|&place| rows[place as usize]);
        members.flat_map(|(tuple, rows)| (0..rows).map(move |_| tuple)).rev().collect::<Vec<usize>>()
    };
    let mut left: Vec<Vec<usize>> = points.numbers().map(row_list).collect();
    let mut deal = |class: Vec<u32>| {
        let tuples = class.into_iter().filter_map(|point| left[point as usize].pop());
        let mut members: ClassMembers = tuples.map(|tuple| (tuple, 1)).collect();
        add_up(&mut members);
        members
    };
    classes.into_iter().map(&mut deal).collect()
}
