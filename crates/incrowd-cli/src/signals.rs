//! Signals: SIGINT (Ctrl-C), SIGTERM, SIGHUP and SIGPIPE end the work, within a second and with nothing left behind.
//!
//! The first signal asks the work to stop at its next step. Work that has not stopped after [`GRACE`], or at a second
//! signal, is ended by the thread that waits for signals: it removes the files that must not outlive the process and ends
//! the process. A release is given its name under [`Cancel::commit`], so that it is complete or not there in either case.
//!
//! The exit status is 128 and the number of the signal, as shells have it. A signal that comes after the release was
//! published changes neither the answer nor the exit status; it is said on stderr.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use incrowd::core::Cancel;
use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

use crate::printer::Failure;

/// How long the work may take to stop.
const GRACE: Duration = Duration::from_millis(400);

/// How often it is looked whether a second signal has come.
const LOOK: Duration = Duration::from_millis(20);

/// The signals that end the work, with their names.
const SIGNALS: [(i32, &str); 4] = [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM"), (SIGHUP, "SIGHUP"), (SIGPIPE, "SIGPIPE")];

/// The flag that signals raise, one for the process.
static CANCEL: OnceLock<Cancel> = OnceLock::new();

/// The first signal; 0 when there was none.
static FIRST: AtomicI32 = AtomicI32::new(0);

/// Whether the end of the run is already being reported.
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// The flag that signals raise. The first call installs the handlers.
pub(crate) fn cancel() -> Cancel {
    let install = || {
        let cancel = Cancel::default();
        // A file that grows beyond the limit of the shell ends the process, unless the signal has a handler: then the write
        // fails, which is reported as any other.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
        // Without handlers or a thread the process ends at a signal, which is good enough: the next start sweeps.
        if let Ok(signals) = Signals::new(heeded()) {
            let cancel = cancel.clone();
            let _ = std::thread::Builder::new().name("signals".into()).spawn(move || wait(signals, &cancel));
        }
        cancel
    };
    CANCEL.get_or_init(install).clone()
}

/// Writes what a command makes, unless a signal has come.
pub(crate) fn commit<T>(write: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    cancel().commit(write)
}

/// The exit status of work that a signal stopped: 128 and its number.
pub(crate) fn exit_status() -> Option<u8> {
    let first = FIRST.load(Ordering::SeqCst);
    (first > 0).then(|| status_of(first))
}

/// Whether the reader of the output is gone, so that nothing can be reported to it.
pub(crate) fn is_unread() -> bool {
    FIRST.load(Ordering::SeqCst) == SIGPIPE
}

/// Whether a signal came before anything was printed or published, so that nothing is.
pub(crate) fn came_in_time() -> bool {
    let first = FIRST.load(Ordering::SeqCst);
    first > 0 && first != SIGPIPE && !CANCEL.get().is_some_and(Cancel::is_committed)
}

/// Called before the outcome is printed: from now on the thread that waits for signals prints nothing.
pub(crate) fn begin_answer() {
    if ANSWERED.swap(true, Ordering::SeqCst) {
        // The process is being ended, and that was said.
        std::thread::sleep(Duration::MAX);
    }
}

/// Says that a signal came too late to stop what was published.
pub(crate) fn tell_if_late() {
    let first = FIRST.load(Ordering::SeqCst);
    if first > 0 && first != SIGPIPE && CANCEL.get().is_some_and(Cancel::is_committed) {
        say(&late(first));
    }
}

fn late(signal: i32) -> String {
    format!("note: {} arrived after the output was published. The output is complete.", name_of(signal))
}

/// The signals to wait for: not those that are ignored by request, as `nohup` does it with SIGHUP.
fn heeded() -> impl Iterator<Item = i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = ignored_in(&status);
    // Every Rust program starts with SIGPIPE ignored, so that says nothing about what was asked for.
    SIGNALS
        .map(|signal| signal.0)
        .into_iter()
        .filter(move |&signal| signal == SIGPIPE || ignored >> (signal - 1) & 1 == 0)
}

/// The ignored signals as bits, by what the system says of this process.
fn ignored_in(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0)
}

/// Waits for a signal, asks the work to stop, and ends the process when it does not.
fn wait(mut signals: Signals, cancel: &Cancel) {
    let Some(first) = signals.forever().next() else { return };
    FIRST.store(first, Ordering::SeqCst);
    cancel.cancel();
    let until = Instant::now() + GRACE;
    // A closed pipe raises a signal for every write, so another SIGPIPE shows no impatience.
    while Instant::now() < until && !signals.pending().any(|signal| signal != SIGPIPE) {
        std::thread::sleep(LOOK);
    }
    end(first, cancel);
}

/// Ends the process, with nothing left behind.
fn end(signal: i32, cancel: &Cancel) -> ! {
    let committed = cancel.forbid_commit();
    if *committed {
        // What is left to do is to print the answer, which takes no time unless nobody reads it.
        std::thread::sleep(GRACE);
    }
    incrowd::remove_leftovers();
    if !ANSWERED.swap(true, Ordering::SeqCst) && signal != SIGPIPE {
        say(&if *committed { late(signal) } else { stopped() });
    }
    signal_hook::low_level::exit(status_of(signal).into())
}

/// The message for work that was stopped, in the form of every other failure.
fn stopped() -> String {
    format!("error{}", Failure::stopped().words())
}

fn say(words: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{words}");
}

fn name_of(signal: i32) -> &'static str {
    SIGNALS.iter().find(|known| known.0 == signal).map_or("a signal", |known| known.1)
}

fn status_of(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_status_is_that_of_a_shell() {
        assert_eq!(SIGNALS.map(|signal| status_of(signal.0)), [130, 143, 129, 141]);
    }

    #[test]
    fn what_the_process_was_told_to_ignore_stays_ignored() {
        let ignored = ignored_in("Name:\tincrowd\nSigIgn:\t0000000000001001\nSigCgt:\t0\n");
        assert_eq!((ignored >> (SIGHUP - 1) & 1, ignored >> (SIGTERM - 1) & 1), (1, 0));
        assert_eq!(ignored_in(""), 0);
    }
}
