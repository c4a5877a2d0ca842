//! Long work: how it is watched and how it is stopped.
//!
//! Long work takes a [`Watch`]: a [`Cancel`] that stops it, and a [`Progress`] that receives each stage. Cancelled work
//! ends at its next step and leaves no files. The step that makes a result visible runs inside [`Cancel::commit`], so
//! that after a signal a release is complete or does not exist.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A flag that asks long work to stop. Clones share the flag.
///
/// ```
/// let cancel = incrowd_core::Cancel::default();
/// let held_by_the_worker = cancel.clone();
/// cancel.cancel();
/// assert!(held_by_the_worker.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    /// Raised to end a search early and keep its best result.
    early: Arc<AtomicBool>,
    /// Whether the step that cannot be undone was taken. Locked while it is being taken.
    committed: Arc<Mutex<bool>>,
}

impl Cancel {
    /// Asks the work to stop at its next step.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Asks searches that could go on to end now with the best that they have found. The work is not cancelled: what
    /// follows the search is done as usual.
    ///
    /// ```
    /// let cancel = incrowd_core::Cancel::default();
    /// cancel.finish_early();
    /// assert!(cancel.finishes_early() && !cancel.is_cancelled());
    /// ```
    pub fn finish_early(&self) {
        self.early.store(true, Ordering::Relaxed);
    }

    /// Whether searches were asked to end with the best that they have found.
    pub fn finishes_early(&self) -> bool {
        self.early.load(Ordering::Relaxed)
    }

    /// The flag itself, for a signal handler to raise.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.flag.clone()
    }

    /// Whether the work was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Takes the step after which the result is visible, such as renaming a finished folder. Not taken when the work was
    /// asked to stop before; once begun it is completed, whatever is asked then.
    ///
    /// ```
    /// use incrowd_core::{Cancel, Stopped};
    /// let cancel = Cancel::default();
    /// assert_eq!(cancel.commit(|| Ok::<_, Stopped>(1)), Ok(1));
    /// assert!(cancel.is_committed());
    /// let stopped = Cancel::default();
    /// stopped.cancel();
    /// assert_eq!(stopped.commit(|| Ok(1)), Err(Stopped));
    /// assert!(!stopped.is_committed());
    /// ```
    pub fn commit<T, E: From<Stopped>>(&self, step: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let mut committed = self.lock();
        if self.is_cancelled() {
            return Err(Stopped.into());
        }
        let done = step()?;
        *committed = true;
        Ok(done)
    }

    /// Whether [`Cancel::commit`] was completed. Waits for one that has begun.
    pub fn is_committed(&self) -> bool {
        *self.lock()
    }

    /// Whether [`Cancel::commit`] was completed; if not, none will be while the guard is held.
    pub fn forbid_commit(&self) -> MutexGuard<'_, bool> {
        self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.committed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody who watches long work. Called from any thread, often: an implementation returns at once.
pub trait Progress: Send + Sync {
    /// A stage is under way: `done` of `total` rows, when the total is known.
    fn update(&self, stage: Stage, done: u64, total: Option<u64>);

    /// Where a stage that runs elsewhere is, in words: which of its own stages, how many of its tasks.
    fn tell(&self, _words: &str) {}

    /// The search found classes that lose this much, on average per cell, by the measure that it minimizes.
    fn found_loss(&self, _loss: f64) {}

    /// Any release loses at least this much, on average per cell.
    fn found_bound(&self, _bound: f64) {}

    /// Something a person should read before the work goes on. Never a cell's value.
    fn warn(&self, _words: &str) {}
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Looking at the bytes of a text file before believing them.
    Probe,
    /// Reading every column separately.
    Profile,
    /// Reading and counting tuples.
    Count,
    /// Putting the counted parts together.
    Merge,
    /// Writing the codes of rows to disk, because their tuples outgrow memory.
    LayOut,
    /// Rolling up column sets.
    Diagnose,
    /// Looking for classes.
    Solve,
    /// Reducing the loss of the classes found so far, until the time limit.
    Refine,
    /// Looking for what any release must lose.
    Bound,
    /// Trying what an adversary would.
    Attack,
    /// Reading the rows again to recode them.
    Recode,
    /// Writing rows.
    Write,
    /// Reading what was written.
    Verify,
}

impl Stage {
    /// Its name for programs, which stays.
    pub fn id(self) -> &'static str {
        match self {
            Stage::Probe => "probe",
            Stage::Profile => "profile",
            Stage::Count => "count",
            Stage::Merge => "merge",
            Stage::LayOut => "lay-out",
            Stage::Diagnose => "diagnose",
            Stage::Solve => "solve",
            Stage::Refine => "refine",
            Stage::Bound => "bound",
            Stage::Attack => "attack",
            Stage::Recode => "recode",
            Stage::Write => "write",
            Stage::Verify => "verify",
        }
    }

    /// The text next to the progress bar.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Probe => "checking the file",
            Stage::Profile => "reading columns",
            Stage::Count => "counting tuples",
            Stage::Merge => "sorting tuples",
            Stage::LayOut => "writing codes",
            Stage::Diagnose => "measuring column sets",
            Stage::Solve => "solving",
            Stage::Refine => "refining",
            Stage::Bound => "computing the lower bound",
            Stage::Attack => "attacking the release",
            Stage::Recode => "recoding rows",
            Stage::Write => "writing rows",
            Stage::Verify => "verifying",
        }
    }
}

/// How long work reports its progress, and how it is cancelled. By default it does neither.
#[derive(Clone)]
pub struct Watch {
    /// Raised to stop the work.
    pub cancel: Cancel,
    /// Receives the progress of the work.
    pub progress: Arc<dyn Progress>,
}

impl Default for Watch {
    fn default() -> Self {
        Watch { cancel: Cancel::default(), progress: Arc::new(Silent) }
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("cancel", &self.cancel).finish_non_exhaustive()
    }
}

/// The work was stopped before it had an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped")]
pub struct Stopped;

/// Ignores the progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn update(&self, _: Stage, _: u64, _: Option<u64>) {}
}
