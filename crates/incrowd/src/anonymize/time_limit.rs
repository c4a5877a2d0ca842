//! The time limit of a run or an early end by hand, and what they stopped.

use std::time::Instant;

use incrowd_core::Cancel;

/// The time limit of a run, over everything that can be stopped: the solver, the lower bound and the loss–k curve.
#[derive(Clone, Debug)]
pub(super) struct TimeLimit {
    /// When it ends; nothing without a limit.
    pub(super) deadline: Option<Instant>,
    /// Says whether somebody asked for the best result so far.
    pub(super) cancel: Cancel,
}

impl TimeLimit {
    pub(super) fn is_over(&self) -> bool {
        self.is_ended_by_hand() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether somebody asked for the best result so far, so that it is not the clock alone that stopped something.
    pub(super) fn is_ended_by_hand(&self) -> bool {
        self.cancel.finishes_early()
    }
}

/// What was stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoppedByClock {
    Solver,
    Bound,
    Curve,
}
