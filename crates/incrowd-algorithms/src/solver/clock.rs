//! Checks of the deadline: how often a solver checks, and how much it does in between.
//!
//! A deadline in seconds cannot be tested: it depends on the machine and its load. So checks (looks) are counted, and a
//! clock can say that the time is over at a given one. In the unit tests of this crate the work between two looks is
//! counted, too ([`did`]).
//!
//! Every loop of a solver that can be long checks the deadline (`Budget::is_over`) at least every 50 ms of work. What
//! was found until then becomes an answer in a little more time (`Budget::finishing`, `quick_merge.rs`), and the
//! solution says that it was cut short. `algorithms/deadline_tests.rs` holds every solver to this.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counts the looks at the deadline. Clones share it.
///
/// ```
/// use incrowd_algorithms::{Budget, DeadlineClock};
/// let budget = Budget { clock: DeadlineClock::over_at(2), ..Budget::default() };
/// assert!(!budget.is_over());
/// assert!(budget.is_over());
/// ```
#[derive(Clone, Debug, Default)]
pub struct DeadlineClock(Arc<Looks>);

#[derive(Debug, Default)]
struct Looks {
    count: AtomicU64,
    late: AtomicBool,
    /// The look at which the time is over, whatever the deadline.
    over_at: Option<u64>,
    /// The most work between two looks of one thread; counted in unit tests.
    longest: Arc<AtomicU64>,
}

/// Number of checks that finishing may need after a check found the time over.
const FINISHING: u64 = 64;

impl DeadlineClock {
    /// A clock by which the time is over at this look, counted from 1.
    pub fn over_at(look: u64) -> DeadlineClock {
        DeadlineClock(Arc::new(Looks { over_at: Some(look), ..Looks::default() }))
    }

    /// How often was looked.
    pub fn looks(&self) -> u64 {
        self.0.count.load(Ordering::Relaxed)
    }

    /// A clock for what has to be done after this one said that the time is over.
    pub(crate) fn finishing(&self) -> DeadlineClock {
        DeadlineClock(Arc::new(Looks {
            count: AtomicU64::new(0),
            late: AtomicBool::new(self.was_late()),
            over_at: self.0.over_at.map(|_| FINISHING),
            longest: Arc::clone(&self.0.longest),
        }))
    }

    /// Looks; whether the time is over by the count of looks.
    #[inline]
    pub(crate) fn look(&self) -> bool {
        #[cfg(test)]
        self.0.longest.fetch_max(meter::since_last_look(), Ordering::Relaxed);
        let look = self.0.count.fetch_add(1, Ordering::Relaxed) + 1;
        self.0.over_at.is_some_and(|last| look >= last)
    }

    pub(crate) fn note_late(&self) {
        self.0.late.store(true, Ordering::Relaxed);
    }

    pub(crate) fn was_late(&self) -> bool {
        self.0.late.load(Ordering::Relaxed)
    }

    /// The most work between two looks.
    #[cfg(test)]
    pub(crate) fn longest(&self) -> u64 {
        self.0.longest.load(Ordering::Relaxed)
    }
}

/// Counts work: tuples or cells that are visited. Only in unit tests of this crate.
#[inline]
pub(crate) fn did(_work: usize) {
    #[cfg(test)]
    meter::add(_work);
}

#[cfg(test)]
mod meter {
    use std::cell::Cell;

    thread_local! {
        static DONE: Cell<u64> = const { Cell::new(0) };
    }

    pub(super) fn add(work: usize) {
        DONE.with(|done| done.set(done.get() + work as u64));
    }

    pub(super) fn since_last_look() -> u64 {
        DONE.with(Cell::take)
    }
}
