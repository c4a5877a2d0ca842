//! What a search has spent of its effort and time, and the parts that are given to its steps.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::part_progress::WholeProgress;
use crate::Budget;
use crate::solver::numbers::whole_part;

/// What is spent of a budget.
pub(super) struct Shares<'b> {
    pub(super) budget: &'b Budget,
    began: Instant,
    time: Option<Duration>,
    pub(super) spent: u64,
    progress: Arc<WholeProgress>,
}

impl<'b> Shares<'b> {
    pub(super) fn new(budget: &'b Budget, spent: u64) -> Self {
        let began = Instant::now();
        let time = budget.deadline.map(|deadline| deadline.saturating_duration_since(began));
        let progress = Arc::new(WholeProgress::new(budget, budget.effort));
        progress.add(spent);
        Shares { budget, began, time, spent, progress }
    }

    pub(super) fn spend(&mut self, work: u64) {
        self.spent += work;
        self.progress.add(work);
    }

    /// The units that are left.
    pub(super) fn left(&self) -> Option<u64> {
        self.budget.effort.map(|effort| effort.saturating_sub(self.spent))
    }

    /// A budget of a part of effort and time, at most of what is left.
    pub(super) fn part(&self, part: f64) -> Budget {
        self.part_beside(part, true, 1)
    }

    /// The same for one of several turns that share what is left; its progress is reported if it is in front.
    pub(super) fn part_beside(&self, part: f64, is_in_front: bool, turns: u64) -> Budget {
        let all = self.budget.effort.map(|effort| whole_part(effort as f64 * part));
        let effort = all.zip(self.left()).map(|(all, left)| all.min(left / turns));
        let ends = self.time.map(|time| Instant::now() + time.mul_f64(part));
        let deadline = ends.zip(self.budget.deadline).map(|(ends, last)| ends.min(last));
        // Work beside other work is done by the threads that there are.
        let watch = self.progress.watch(is_in_front);
        Budget { effort, deadline, threads: None, watch, ..self.budget.clone() }
    }

    /// Which part of effort or time is spent.
    pub(super) fn spent_part(&self) -> f64 {
        let effort = self.budget.effort.map_or(0.0, |effort| self.spent as f64 / effort.max(1) as f64);
        let time = self.time.map_or(0.0, |time| self.began.elapsed().as_secs_f64() / time.as_secs_f64().max(1e-9));
        effort.max(time)
    }
}
