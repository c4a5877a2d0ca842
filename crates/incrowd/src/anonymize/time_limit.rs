//! The time limit of a run, and what it stopped.

use std::time::Instant;

/// The time limit of a run, over everything that can be stopped: the solver, the lower bound and the loss–k curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeLimit {
    /// When it ends; nothing without a limit.
    pub(super) deadline: Option<Instant>,
}

impl TimeLimit {
    pub(super) fn is_over(self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// What the time limit stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoppedByClock {
    Solver,
    Bound,
    Curve,
}
