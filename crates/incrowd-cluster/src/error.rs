//! Why there is no cluster, and what to do about it.

use std::path::PathBuf;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, ClusterError>;

/// Why a cluster cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// The address cannot be read.
    #[error("“{0}” is not the address of a scheduler")]
    Address(String),
    /// No scheduler listens at the address.
    #[error("no scheduler responds at {0}")]
    Unreachable(String),
    /// A certificate or key of the environment cannot be used.
    #[error("{variable} names {}, which cannot be used", path.display())]
    Certificate {
        /// The variable.
        variable: &'static str,
        /// The file that it names.
        path: PathBuf,
    },
    /// The folder for the files of tasks is none of an object store.
    #[error("INCROWD_CLUSTER_FOLDER is “{0}”, which is not in an object store")]
    Folder(String),
    /// A work directory that was not made by an executor.
    #[error("{} is not empty and was not made by an executor", .0.display())]
    NotOurs(PathBuf),
    /// A work directory in use.
    #[error("{} is the work directory of a running executor", .0.display())]
    InUse(PathBuf),
    /// A work directory that cannot be used.
    #[error("work directory {}: {}", path.display(), source.kind())]
    WorkDir {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A process could not be started.
    #[error("{what} could not be started: {}", source.kind())]
    Process {
        /// Which one.
        what: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// A process of the cluster ended unexpectedly.
    #[error("{0} ended unexpectedly")]
    Ended(&'static str),
}

impl ClusterError {
    /// What to do about it, in one sentence.
    pub fn hint(&self) -> &'static str {
        match self {
            ClusterError::Address(_) => "write it as df://host:port, as `incrowd cluster up` prints it",
            ClusterError::Unreachable(_) => {
                "start one with `incrowd cluster up`, or check the host, the port and the firewall"
            }
            ClusterError::Folder(_) => {
                "write it as s3://bucket/folder; without it, tasks exchange files next to the release"
            }
            ClusterError::Certificate { .. } => "name a readable PEM file",
            ClusterError::NotOurs(_) => {
                "name an empty or a new directory: an executor empties its directory at every start"
            }
            ClusterError::InUse(_) => "give each executor a separate directory",
            ClusterError::WorkDir { .. } => "name a writable directory with free space",
            ClusterError::Process { .. } => "check the limits on processes and ports",
            ClusterError::Ended(_) => "check that its port is free and that its work directory has free space",
        }
    }
}
