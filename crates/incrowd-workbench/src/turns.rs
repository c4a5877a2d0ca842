//! Searches take turns, in the order in which they were asked for.
//!
//! A search for a candidate uses all threads and the memory that the session may take. Several at once end no sooner
//! than one after the other, take several times the memory, and show nothing until all of them are nearly done.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use incrowd::core::Cancel;

/// How often a search that waits looks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(50);

/// The searches that work or wait, by job.
#[derive(Default)]
pub(crate) struct SearchTurns {
    row: Mutex<VecDeque<u64>>,
    moved: Condvar,
}

impl SearchTurns {
    /// Takes the last place in the row.
    pub(crate) fn join(self: &Arc<Self>, job: u64) -> SearchPlace {
        self.row().push_back(job);
        SearchPlace { turns: self.clone(), job }
    }

    fn row(&self) -> MutexGuard<'_, VecDeque<u64>> {
        self.row.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the row, given up when it is dropped.
pub(crate) struct SearchPlace {
    turns: Arc<SearchTurns>,
    job: u64,
}

impl SearchPlace {
    /// Waits until this search is the first, or until it is cancelled.
    pub(crate) fn wait(&self, cancel: &Cancel) {
        let mut row = self.turns.row();
        while row.front() != Some(&self.job) && !cancel.is_cancelled() {
            row = self.turns.moved.wait_timeout(row, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for SearchPlace {
    fn drop(&mut self) {
        self.turns.row().retain(|job| *job != self.job);
        self.turns.moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_work_one_at_a_time_in_the_order_of_asking() {
        let (turns, seen) = (Arc::new(SearchTurns::default()), Arc::new(Mutex::new(Vec::new())));
        let places: Vec<SearchPlace> = (0..8).map(|job| turns.join(job)).collect();
        let work = |place: SearchPlace| {
            let seen = seen.clone();
            std::thread::spawn(move || {
                place.wait(&Cancel::default());
                seen.lock().expect("a list").push(place.job);
                std::thread::yield_now();
                seen.lock().expect("a list").push(place.job);
            })
        };
        // Started in the wrong order: the order of asking counts.
        let workers: Vec<_> = places.into_iter().rev().map(work).collect();
        workers.into_iter().for_each(|worker| worker.join().expect("a worker"));
        let expected: Vec<u64> = (0..8).flat_map(|job| [job, job]).collect();
        assert_eq!(*seen.lock().expect("a list"), expected);
    }

    #[test]
    fn a_search_that_is_cancelled_while_it_waits_does_not_wait_for_its_turn() {
        let turns = Arc::new(SearchTurns::default());
        let (first, second) = (turns.join(1), turns.join(2));
        let cancel = Cancel::default();
        cancel.cancel();
        second.wait(&cancel);
        drop(second);
        let third = turns.join(3);
        drop(first);
        third.wait(&Cancel::default());
    }
}
