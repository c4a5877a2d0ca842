//! How far reading has got, whether to stop, and why a file was not read.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Why a file was not read. No text of the readers is passed on, because it may quote cells.
#[derive(Debug)]
pub(crate) enum ReadError {
    Cancelled,
    Unreadable(String),
}

impl ReadError {
    pub(crate) fn unreadable(why: impl Into<String>) -> ReadError {
        ReadError::Unreadable(why.into())
    }
}

/// Counts the rows read so far for the caller, and says when the caller has cancelled.
pub(crate) struct ReadProgress<'a> {
    cancel: Option<&'a AtomicBool>,
    report: Option<&'a (dyn Fn(u64, u64) + Sync)>,
    done: AtomicU64,
    total: u64,
}

impl<'a> ReadProgress<'a> {
    pub(crate) fn new(
        cancel: Option<&'a AtomicBool>,
        report: Option<&'a (dyn Fn(u64, u64) + Sync)>,
        total: u64,
    ) -> ReadProgress<'a> {
        ReadProgress { cancel, report, done: AtomicU64::new(0), total }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }

    /// Some rows were read; says whether to go on.
    pub(crate) fn step(&self, rows: usize) -> Result<(), ReadError> {
        let done = self.done.fetch_add(rows as u64, Ordering::Relaxed) + rows as u64;
        if let Some(report) = self.report {
            report(done, self.total);
        }
        if self.is_cancelled() { Err(ReadError::Cancelled) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
