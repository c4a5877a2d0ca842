//! The interface of every solver: a problem and a budget give a solution, or the reason why there is none.

use std::time::{Duration, Instant};

use incrowd_core::{Infeasible, Partition, Stage, Stopped, Watch};
use serde::{Deserialize, Serialize};

use crate::Problem;
use crate::solver::clock::DeadlineClock;
use crate::solver::numbers::{share, to_u32};

/// A solver.
pub trait Algorithm: Send + Sync {
    /// A partition whose published classes keep the policy.
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved>;
}

/// What a solver may use.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// When the best partition so far is asked for. What it cuts off depends on the machine and its load.
    pub deadline: Option<Instant>,
    /// Work units that may be spent, for solvers that could go on ([`Effort`](crate::Effort)); without it, until
    /// nothing more is gained. Work is counted the same way whatever the number of threads, so the result can be
    /// repeated.
    pub effort: Option<u64>,
    /// A search that proves how good its result is ends when the result loses at most this many times what any must.
    pub until: Option<f64>,
    /// Who watches, and who may stop it.
    pub watch: Watch,
    /// Threads; without it, all cores.
    pub threads: Option<usize>,
    /// Maximum number of tuples that are mined or refined at once, by solvers that work in shards; without it, their
    /// own.
    pub shard: Option<usize>,
    /// Memory limit in bytes; without it, the solver's own. Solvers that mine use smaller shards to stay within it.
    pub memory: Option<u64>,
    /// Counts the looks at the deadline, and can set the deadline at one of them.
    pub clock: DeadlineClock,
    /// Whether the search is over and an answer is being made: what ended it does not end that, too.
    pub is_finishing: bool,
}

/// Time after the deadline for what has to be done so that there is an answer.
const FINISHING: Duration = Duration::from_millis(150);

/// For each tuple, what it takes to make classes an answer: at worst each is a class of its own, which is merged again.
/// Measured on a million distinct values: up to 1.7 s.
const ANSWERING: Duration = Duration::from_nanos(1_700);

impl Budget {
    /// Called by every solver first: fails when the work was cancelled. A solver that begins when the time is over gets
    /// a little, so that it finds something better than a single class.
    pub(crate) fn begin(&self) -> Result<Budget, Stopped> {
        self.check()?;
        Ok(if self.is_over() { self.finishing() } else { self.clone() })
    }

    /// The same with a little time after the deadline, for what has to be done all the same: rows that are in no class
    /// yet, classes that do not keep the policy.
    pub(crate) fn finishing(&self) -> Budget {
        let ended_early = self.watch.cancel.finishes_early().then(Instant::now);
        let ended = self.deadline.map(|deadline| deadline.max(Instant::now())).or(ended_early);
        let deadline = ended.map(|ended| ended + FINISHING);
        Budget { deadline, clock: self.clock.finishing(), is_finishing: true, ..self.clone() }
    }

    /// The same with an earlier deadline, so that classes of this number of tuples can be made an answer in time. At
    /// most half of what is left is kept for it.
    pub(crate) fn leaving_time_for(&self, tuples: usize) -> Budget {
        let now = Instant::now();
        let earlier = |deadline: Instant| {
            let left = deadline.saturating_duration_since(now);
            now + left.saturating_sub((ANSWERING * to_u32(tuples)).min(left / 2))
        };
        Budget { deadline: self.deadline.map(earlier), ..self.clone() }
    }

    /// Whether less time than this is left before the deadline.
    pub(crate) fn has_less_than(&self, time: Duration) -> bool {
        self.ends_early()
            || self.deadline.is_some_and(|deadline| deadline.saturating_duration_since(Instant::now()) < time)
    }

    /// Whether somebody asked for the best result so far.
    fn ends_early(&self) -> bool {
        !self.is_finishing && self.watch.cancel.finishes_early()
    }

    /// Notes that the deadline changed the answer.
    pub(crate) fn note_late(&self) {
        self.clock.note_late();
    }

    /// Whether work with this budget found the deadline passed.
    pub(crate) fn was_late(&self) -> bool {
        self.clock.was_late()
    }

    /// Ends the work when it was cancelled.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.watch.cancel.is_cancelled() { Err(Stopped) } else { Ok(()) }
    }

    /// Whether the time is over or the work was cancelled. Every loop that can be long asks, at least each 50 ms of
    /// work; what was found so far is then made an answer, or [`Budget::check`] ends the work.
    pub fn is_over(&self) -> bool {
        let over =
            self.clock.look() || self.ends_early() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if over {
            self.clock.note_late();
        }
        over || self.watch.cancel.is_cancelled()
    }

    /// The same with a share of the effort; the share is fixed in advance, so that parts can be worked on side by side.
    pub(crate) fn share_of_effort(&self, part: u64, whole: u64) -> Budget {
        Budget { effort: self.effort.map(|effort| share(effort, part, whole)), ..self.clone() }
    }

    /// Tells how far the solver is.
    pub fn tell(&self, done: u64, total: Option<u64>) {
        self.watch.progress.update(Stage::Solve, done, total);
    }

    /// Tells what the best classes so far lose together. Rows that are in none of them count as `*`.
    pub(crate) fn tell_loss(&self, problem: &Problem<'_>, lost: f64, rows_in_classes: u64) {
        let rows = problem.table.rows();
        let suppressed = rows.saturating_sub(rows_in_classes) as f64 * problem.star_price();
        let cells = rows as f64 * problem.quasi_identifiers.len() as f64;
        if cells > 0.0 {
            self.watch.progress.found_loss((lost + suppressed) / cells);
        }
    }

    /// Tells how much of the time since a moment is over, when there is a deadline.
    fn tell_time(&self, stage: Stage, since: Instant) {
        let milliseconds =
            |until: Instant| u64::try_from(until.saturating_duration_since(since).as_millis()).unwrap_or(u64::MAX);
        let total = self.deadline.map(milliseconds);
        let done = milliseconds(Instant::now());
        self.watch.progress.update(stage, total.map_or(0, |total| done.min(total)), total);
    }

    /// Tells how much is done of a stage that has a limit: by the clock when there is a deadline, else by the effort.
    pub(crate) fn tell_spent(&self, stage: Stage, spent: u64, since: Instant) {
        match self.effort.filter(|_| self.deadline.is_none()) {
            Some(effort) => self.watch.progress.update(stage, spent.min(effort), Some(effort)),
            None => self.tell_time(stage, since),
        }
    }

    /// Runs parallel work on as many threads as may be used.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let pool = self.threads.and_then(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok());
        match pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

/// What a solver found.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The classes. Each publishes the join of its members, unless `levels` are given; no two publish alike, unless
    /// they have an id ([`Problem::with_class_ids()`]).
    pub partition: Partition,
    /// The levels to publish, for full-domain solutions.
    pub levels: Option<Vec<usize>>,
    /// Whether a deadline cut the search: another run may then end elsewhere. Effort that is spent cuts nothing short
    /// in this sense, because every run spends it alike.
    pub cut_short: bool,
    /// What any partition whose classes keep the policy loses at least, when the search has found that out on its way.
    pub bound: Option<LowerBound>,
    /// What the search met.
    pub statistics: Statistics,
}

/// What any release whose classes have at least k rows loses at least: the mean price of a row's cells, by the measure
/// of the problem. For LM both are comparable with [`Measures::lm`](incrowd_core::Measures).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LowerBound {
    /// The mean of what each row by itself has to lose.
    pub row_by_row: f64,
    /// The better bound, which knows that rows stand in each other's way.
    pub best: f64,
}

/// Figures of a search, those that make sense for the solver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Statistics {
    /// Full-domain nodes there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Full-domain nodes that keep the policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holding_nodes: Option<u64>,
    /// Those of them with no node below that keeps it too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimal_nodes: Option<u64>,
    /// Nodes whose classes were computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<u64>,
    /// Rounds of generalization or specialization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u64>,
    /// Closed frequent records that were mined, in all shards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
    /// Parts that were solved by themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shards: Option<u64>,
    /// Whether all partitions of the rows that are published were searched, so that none of them keeps the policy and
    /// loses less by the measure of the problem; left out when they were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
    /// Work units that were spent, by solvers that count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<u64>,
}

impl Statistics {
    /// Those of a search that counts nothing but its rounds.
    pub(crate) fn of_rounds(rounds: u64) -> Statistics {
        Statistics { rounds: Some(rounds), ..Statistics::default() }
    }
}

/// Why there is no solution.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsolved {
    /// The policy cannot be kept, and why: one reason for each model that stands in the way.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Infeasible(Vec<Infeasible>),
    /// No partition that keeps the policy was found, but it is not proven that there is none. For each model that the
    /// table does not keep as one class, what would help.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    NotFound(Vec<Infeasible>),
    /// The work was stopped, or the deadline passed before anything was found.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}
