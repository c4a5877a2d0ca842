//! What the operating system provides, and what a run may use of it.

use super::{Sentence, Setting};
use crate::runtime::error::EngineError;

/// What to change about the system or the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SystemRemedy {
    /// The clock is wrong.
    SetClock,
    /// The address space is too small.
    RaiseAddressSpace,
    /// Too few files can be open.
    RaiseOpenFiles,
    /// Too few threads can be started.
    UseFewerThreads {
        /// As many as were started.
        threads: usize,
    },
    /// Some limit of the process was met.
    CheckProcessLimits,
    /// The temporary folder cannot be used.
    NameTemporaryFolder,
    /// The work was stopped, and there is nothing to do.
    Nothing,
}

impl SystemRemedy {
    pub(super) fn of(error: &EngineError) -> Self {
        match error {
            EngineError::Clock => SystemRemedy::SetClock,
            EngineError::AddressSpace { .. } => SystemRemedy::RaiseAddressSpace,
            EngineError::Files { .. } => SystemRemedy::RaiseOpenFiles,
            EngineError::Threads { started, .. } => SystemRemedy::UseFewerThreads { threads: (*started).max(1) },
            EngineError::Temp { .. } => SystemRemedy::NameTemporaryFolder,
            EngineError::Cancelled => SystemRemedy::Nothing,
            _ => SystemRemedy::CheckProcessLimits,
        }
    }

    pub(super) fn sentence(self) -> Sentence {
        match self {
            SystemRemedy::SetClock => Sentence::plain("set the clock"),
            SystemRemedy::RaiseAddressSpace => Sentence::about(
                "raise the limit (`ulimit -v unlimited`); {} limits the memory of a run",
                [Setting::named("memory")],
            ),
            SystemRemedy::RaiseOpenFiles => Sentence::plain("raise the limit (`ulimit -n 1024`)"),
            SystemRemedy::UseFewerThreads { threads } => Sentence::about(
                "use {}, or raise the limit (`ulimit -u`)",
                [Setting::with("threads", threads.to_string())],
            ),
            SystemRemedy::CheckProcessLimits => Sentence::plain("check the limits of the process (`ulimit -a`)"),
            SystemRemedy::NameTemporaryFolder => {
                Sentence::about("use {} to name a folder with free space", [Setting::with("temp", "DIR")])
            }
            SystemRemedy::Nothing => Sentence::plain("no files were left behind"),
        }
    }
}
