//! Why work on a cluster failed, and what to do about it.

use crate::runtime::remedy::ClusterRemedy;

/// Why a job failed, without anything that its own text may quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterFault {
    /// A disk is full.
    #[error("the disk of an executor or of the output folder is full")]
    DiskFull,
    /// An executor may not read or write.
    #[error("an executor has no permission to read the table or to write next to the release")]
    PermissionDenied,
    /// All executors are gone.
    #[error("no executor is left")]
    NoExecutor,
    /// A file is not seen, or was lost.
    #[error("an executor cannot read a file that this machine can read, or lost the output of another")]
    FileNotSeen,
    /// An executor has too little memory.
    #[error("an executor exceeded its memory limit")]
    OutOfMemory,
    /// The cluster runs another version.
    #[error("the cluster runs another version of Ballista")]
    OtherVersion,
    /// The scheduler, or an executor that held results, does not answer.
    #[error("the scheduler, or an executor with results, no longer responds")]
    NoAnswer,
    /// No task ends.
    #[error("no task ended within the time limit")]
    Stuck,
    /// A task fails on every attempt.
    #[error("a task failed on every attempt")]
    TaskFailed,
}

impl ClusterFault {
    /// What to do about it.
    pub fn remedy(self) -> ClusterRemedy {
        match self {
            ClusterFault::DiskFull => ClusterRemedy::MakeRoom,
            ClusterFault::PermissionDenied => ClusterRemedy::OpenFolders,
            ClusterFault::NoExecutor => ClusterRemedy::StartExecutors,
            ClusterFault::FileNotSeen => ClusterRemedy::ShareDisk,
            ClusterFault::OutOfMemory => ClusterRemedy::GiveMemory,
            ClusterFault::OtherVersion => ClusterRemedy::UseVersion,
            ClusterFault::NoAnswer => ClusterRemedy::CheckScheduler,
            ClusterFault::Stuck => ClusterRemedy::CheckExecutors,
            ClusterFault::TaskFailed => ClusterRemedy::ReadLogs,
        }
    }
}
