//! Long work, without the interpreter's lock: on a thread of its own, while the caller's thread listens for Ctrl-C and
//! tells how far the work is.
//!
//! The caller's thread checks for signals and passes progress on twenty times a second; a signal cancels the work. The
//! text of a panic is withheld, because it may quote a cell.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use incrowd::core::{Cancel, Progress, Stage, Watch};
use pyo3::prelude::*;

use crate::errors;

/// How often signals are checked and progress is reported.
const BEAT: Duration = Duration::from_millis(50);

/// The last that was heard from the work.
#[derive(Default)]
struct Heard {
    latest: Mutex<Option<(Stage, u64, Option<u64>)>>,
    warnings: Mutex<Vec<String>>,
}

impl Progress for Heard {
    fn update(&self, stage: Stage, done: u64, total: Option<u64>) {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some((stage, done, total));
    }

    fn warn(&self, words: &str) {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(words.into());
    }
}

impl Heard {
    /// Tells the listener, and passes warnings on.
    fn tell(&self, py: Python<'_>, listener: Option<&Py<PyAny>>) -> PyResult<()> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(listener), Some((stage, done, total))) = (listener, latest) {
            listener.call1(py, (stage.name(), done, total))?;
        }
        let warnings = std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner));
        for words in warnings {
            py.import("incrowd.errors")?.getattr("_warn")?.call1((words,))?;
        }
        Ok(())
    }
}

/// Rings when the work is over, however it ends.
#[derive(Default)]
struct Bell {
    rung: Mutex<bool>,
    wake: Condvar,
}

impl Bell {
    fn wait(&self) -> bool {
        let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.wake.wait_timeout_while(rung, BEAT, |rung| !*rung);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

struct Ring<'a>(&'a Bell);

impl Drop for Ring<'_> {
    fn drop(&mut self) {
        *self.0.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.wake.notify_all();
    }
}

/// Does the work and listens. Ctrl-C, or a listener that raises, stops it at its next step; the exception is raised when
/// it has cleaned up.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    listener: Option<&Py<PyAny>>,
    job: impl FnOnce(&Watch) -> incrowd::Result<T> + Send,
) -> PyResult<T> {
    let heard = Arc::new(Heard::default());
    let watch = Watch { cancel: Cancel::default(), progress: heard.clone() };
    let (bell, mut stopped) = (Bell::default(), None);
    let ended = std::thread::scope(|scope| {
        let work = || {
            let _ring = Ring(&bell);
            job(&watch)
        };
        // The engine's own threads have as much room for deep plans.
        let worker = std::thread::Builder::new().stack_size(8 << 20).spawn_scoped(scope, work).ok()?;
        while !py.detach(|| bell.wait()) {
            let heard_out = py.check_signals().and_then(|()| heard.tell(py, listener));
            if let Err(error) = heard_out {
                watch.cancel.cancel();
                stopped.get_or_insert(error);
            }
        }
        Some(py.detach(|| worker.join()))
    });
    if let Some(error) = stopped {
        return Err(error);
    }
    match ended {
        Some(Ok(Ok(answer))) => heard.tell(py, listener).map(|()| answer),
        Some(Ok(Err(error))) => Err(errors::refused(py, &error)),
        Some(Err(_)) => {
            let hint =
                "its message is not shown because it could quote the table. Please report the location on stderr";
            Err(errors::raised(py, "IC413", "incrowd failed. This is a bug", hint, None))
        }
        None => Err(errors::raised(py, "IC413", "the system could not start a thread", "try again", None)),
    }
}
