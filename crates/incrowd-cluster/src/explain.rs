//! What an error of Ballista means: its text may quote cells, and is never passed on.
//!
//! Ballista passes errors on as text, so text is all there is to distinguish them by. This is the only place that reads
//! it.

use incrowd_engine::ClusterFault;

/// What to look for in a text, and what it means; the first that fits counts.
const PHRASES: &[(ClusterFault, &[&str])] = &[
    (ClusterFault::DiskFull, &["no space left", "storagefull", "storage full", "disk quota", "file too large"]),
    (ClusterFault::PermissionDenied, &["permission denied", "permissiondenied"]),
    (
        ClusterFault::NoExecutor,
        &["no executors", "no alive executor", "no available executor", "executor lost", "executors lost"],
    ),
    (ClusterFault::FileNotSeen, &["no such file", "not found", "notfound", "no files found"]),
    (ClusterFault::OutOfMemory, &["resources exhausted", "resourcesexhausted", "failed to allocate", "outofmemory"]),
    (ClusterFault::OtherVersion, &["version"]),
    (
        ClusterFault::NoAnswer,
        &[
            "transport error",
            "connection refused",
            "connection reset",
            "broken pipe",
            "stream closed",
            "connect error",
            "h2 protocol error",
            "unavailable",
            "timed out",
            "connection error",
            "grpcconnectionerror",
            "fetchfailed",
            "error trying to connect",
            "grpc status",
            "dns error",
            "status: unknown",
            "cancelled",
        ],
    ),
];

/// The fault behind an error's text.
pub(crate) fn explain(text: &str) -> ClusterFault {
    let text = text.to_lowercase();
    let says = |(_, phrases): &&(ClusterFault, &[&str])| phrases.iter().any(|phrase| text.contains(phrase));
    PHRASES.iter().find(says).map_or(ClusterFault::TaskFailed, |(fault, _)| *fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_failures_are_distinguished_and_an_unknown_one_is_a_failed_task() {
        let full = "Job x failed: IoError(Os { code: 28, kind: StorageFull, message: \"No space left on device\" })";
        assert_eq!(explain(full), ClusterFault::DiskFull);
        assert_eq!(explain("Job x failed: no executors alive"), ClusterFault::NoExecutor);
        let gone = explain("GrpcError(Status { code: Unavailable, message: \"transport error\" })");
        assert_eq!(gone, ClusterFault::NoAnswer);
        let quoted = explain("Cannot cast string 'Erika Mustermann' to value of Int64");
        assert_eq!(quoted, ClusterFault::TaskFailed);
    }
}
