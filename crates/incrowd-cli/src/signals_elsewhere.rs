//! Signals where there is little more than Ctrl-C: it asks the work to stop at its next step.

use std::sync::OnceLock;

use incrowd::core::Cancel;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::printer::Failure;

static CANCEL: OnceLock<Cancel> = OnceLock::new();

/// The flag that Ctrl-C raises.
pub(crate) fn cancel() -> Cancel {
    let install = || {
        let cancel = Cancel::default();
        for signal in [SIGINT, SIGTERM] {
            // Without a handler the process just ends: the next start sweeps.
            let _ = signal_hook::flag::register(signal, cancel.flag());
        }
        cancel
    };
    CANCEL.get_or_init(install).clone()
}

/// Writes what a command makes, unless a signal has come.
pub(crate) fn commit<T>(write: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    cancel().commit(write)
}

/// The exit status of work that was stopped.
pub(crate) fn exit_status() -> Option<u8> {
    CANCEL.get().filter(|cancel| cancel.is_cancelled()).map(|_| 130)
}

pub(crate) fn is_unread() -> bool {
    false
}

pub(crate) fn came_in_time() -> bool {
    CANCEL.get().is_some_and(|cancel| cancel.is_cancelled() && !cancel.is_committed())
}

pub(crate) fn begin_answer() {}

pub(crate) fn tell_if_late() {}
