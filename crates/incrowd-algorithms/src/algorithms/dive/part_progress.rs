//! The progress of a part of a search, told as progress of the whole.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use incrowd_core::{Progress, Stage, Watch};

use crate::Budget;
use crate::solver::numbers::whole_part;

/// What is told of a whole search.
pub(super) struct WholeProgress {
    watch: Watch,
    began: Instant,
    deadline: Option<Instant>,
    effort: Option<u64>,
    /// The work units of the parts that are done.
    done: AtomicU64,
    /// The bits of the least loss; losses are not negative, so these are in their order.
    least: AtomicU64,
}

impl WholeProgress {
    pub(super) fn new(budget: &Budget, effort: Option<u64>) -> Self {
        WholeProgress {
            watch: budget.watch.clone(),
            began: Instant::now(),
            deadline: budget.deadline,
            effort,
            done: AtomicU64::new(0),
            least: AtomicU64::new(f64::INFINITY.to_bits()),
        }
    }

    /// Counts work that is done.
    pub(super) fn add(&self, work: u64) {
        self.done.fetch_add(work, Ordering::Relaxed);
    }

    /// Somebody who watches a part, and tells it only if it is in front.
    pub(super) fn watch(self: &Arc<Self>, is_in_front: bool) -> Watch {
        let progress = Arc::new(PartProgress { whole: Arc::clone(self), is_in_front });
        Watch { progress, ..self.watch.clone() }
    }
}

/// Tells the progress of a part.
struct PartProgress {
    whole: Arc<WholeProgress>,
    is_in_front: bool,
}

impl Progress for PartProgress {
    fn update(&self, _: Stage, done: u64, _: Option<u64>) {
        if !self.is_in_front {
            return;
        }
        let whole = &self.whole;
        let (done, total) = match (whole.deadline, whole.effort) {
            (Some(deadline), _) => {
                let milliseconds = |time: Instant| whole_part((time - whole.began).as_secs_f64() * 1e3);
                let total = milliseconds(deadline.max(whole.began));
                (milliseconds(Instant::now()).min(total), Some(total))
            }
            (None, Some(effort)) => ((whole.done.load(Ordering::Relaxed) + done).min(effort), Some(effort)),
            (None, None) => (0, None),
        };
        whole.watch.progress.update(Stage::Refine, done, total);
    }

    fn found_loss(&self, loss: f64) {
        let bits = loss.max(0.0).to_bits();
        if self.whole.least.fetch_min(bits, Ordering::Relaxed) > bits {
            self.whole.watch.progress.found_loss(loss);
        }
    }

    fn found_bound(&self, bound: f64) {
        self.whole.watch.progress.found_bound(bound);
    }

    fn warn(&self, words: &str) {
        self.whole.watch.progress.warn(words);
    }
}
