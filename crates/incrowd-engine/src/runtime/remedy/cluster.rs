//! Clusters: executors, their disks and memory, and doing without.

use super::{Sentence, Setting};

/// What to do about a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClusterRemedy {
    /// A disk is full.
    MakeRoom,
    /// An executor may not read or write.
    OpenFolders,
    /// No executor is left.
    StartExecutors,
    /// An executor does not see a file.
    ShareDisk,
    /// An executor has too little memory.
    GiveMemory,
    /// The versions differ.
    UseVersion,
    /// The scheduler does not answer.
    CheckScheduler,
    /// No task ends.
    CheckExecutors,
    /// A task fails again and again.
    ReadLogs,
    /// It is not done on a cluster.
    RunHere,
}

impl ClusterRemedy {
    pub(super) fn sentence(self) -> Sentence {
        match self {
            ClusterRemedy::MakeRoom => Sentence::plain(
                "free disk space in the work directories of the executors and next to the release; see docs/cluster.md \
                 for how much",
            ),
            ClusterRemedy::OpenFolders => Sentence::plain(
                "run the executors as the user who runs incrowd, or give their user access to both folders",
            ),
            ClusterRemedy::StartExecutors => {
                Sentence::plain("restart the executors and run again; nothing was published")
            }
            ClusterRemedy::ShareDisk => Sentence::plain(
                "put the table and the release on a disk that all machines can access at the same path, and run again",
            ),
            ClusterRemedy::GiveMemory => Sentence::about(
                "give the executors more memory with {}, or start more of them",
                [Setting::named("memory")],
            ),
            ClusterRemedy::UseVersion => Sentence::plain(
                "run scheduler and executors of Ballista 55, for example with `incrowd cluster scheduler` and `executor`",
            ),
            ClusterRemedy::CheckScheduler => {
                Sentence::plain("check that the scheduler runs, and run again; nothing was published")
            }
            ClusterRemedy::CheckExecutors => Sentence::plain(
                "check that the executors run and that their disks have no errors, or raise INCROWD_CLUSTER_PATIENCE \
                 (seconds)",
            ),
            ClusterRemedy::ReadLogs => Sentence::about(
                "check the logs of the executors, or run without {} to test the table",
                [Setting::named("cluster")],
            ),
            ClusterRemedy::RunHere => Sentence::about("run without {}", [Setting::named("cluster")]),
        }
    }
}
