//! The one place where a panic of a third-party reader becomes a refusal.
//!
//! Files are checked before a reader gets them; this is for what the checks do not know. The text of such a panic may
//! quote a cell, so nothing of it is kept.

use std::any::Any;
use std::cell::Cell;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic on this thread is caught and becomes a refusal, so that nobody needs to report it.
pub fn panic_is_caught() -> bool {
    GUARDED.get()
}

/// A reader panicked.
#[derive(Debug)]
pub(crate) struct Panicked;

/// Does some reading whose panics are caught.
pub(crate) fn guarded<T>(read: impl FnOnce() -> T) -> Result<T, Panicked> {
    let before = GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(before);
    done.map_err(|_: Box<dyn Any + Send>| Panicked)
}

/// A future whose panics are caught.
pub(crate) struct Guarded<F>(pub(crate) F);

impl<F: Future + Unpin> Future for Guarded<F> {
    type Output = Result<F::Output, Panicked>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match guarded(|| Pin::new(&mut self.0).poll(context)) {
            Ok(Poll::Ready(done)) => Poll::Ready(Ok(done)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(panicked) => Poll::Ready(Err(panicked)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_inside_is_a_failure_and_one_outside_is_none_of_ours() {
        assert!(!panic_is_caught());
        assert_eq!(guarded(panic_is_caught).ok(), Some(true));
        assert!(guarded(|| [1][std::hint::black_box(1)]).is_err());
        assert!(!panic_is_caught());
    }
}
