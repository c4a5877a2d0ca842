//! What an error of Ballista says, in words of our own: its text may quote cells, and is never passed on.

use incrowd_engine::Fault;

/// What to look for in a text, and what it means; the first that fits counts.
const SAYINGS: &[(&[&str], Fault)] = &[
    (
        &["no space left", "storagefull", "storage full", "disk quota", "file too large"],
        Fault {
            kind: "a disk is full, of an executor or of the folder that is written to",
            way_out: "make room in the executors' work directories and beside the release; see docs/cluster.md for how much",
        },
    ),
    (
        &["permission denied", "permissiondenied"],
        Fault {
            kind: "an executor may not read the table or write beside the release",
            way_out: "let executors run as the user who runs incrowd, or open both folders to theirs",
        },
    ),
    (
        &["no executors", "no alive executor", "no available executor", "executor lost", "executors lost"],
        Fault { kind: "no executor is left", way_out: "start executors anew and run again; nothing was published" },
    ),
    (
        &["no such file", "not found", "notfound", "no files found"],
        Fault {
            kind: "an executor does not see a file that is there for us, or lost what another had written",
            way_out: "put the table and the release on a disk that all machines see under the same path, and run again",
        },
    ),
    (
        &["resources exhausted", "resourcesexhausted", "failed to allocate", "outofmemory"],
        Fault {
            kind: "an executor ran out of the memory it was given",
            way_out: "give executors more with --memory, or start more of them",
        },
    ),
    (
        &["version"],
        Fault {
            kind: "the cluster runs another version of Ballista",
            way_out: "run scheduler and executors of Ballista 55, for example with `incrowd cluster scheduler` and `executor`",
        },
    ),
    (
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
        Fault {
            kind: "the scheduler, or an executor that held results, no longer answers",
            way_out: "look whether the scheduler runs, and run again; nothing was published",
        },
    ),
];

/// What fits nothing else.
const UNKNOWN: Fault = Fault {
    kind: "a task failed on every attempt",
    way_out: "look at the logs of the executors, or run without --cluster to see whether the table is to blame",
};

/// The fault behind an error's text.
pub(crate) fn explain(text: &str) -> Fault {
    let text = text.to_lowercase();
    let says = |(words, _): &&(&[&str], Fault)| words.iter().any(|word| text.contains(word));
    SAYINGS.iter().find(says).map_or(UNKNOWN, |(_, fault)| *fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_told_apart_and_nothing_is_quoted() {
        let full =
            explain("Job x failed: IoError(Os { code: 28, kind: StorageFull, message: \"No space left on device\" })");
        assert!(full.kind.contains("disk is full"));
        assert!(explain("Job x failed: no executors alive").kind.contains("no executor is left"));
        let gone = explain("GrpcError(Status { code: Unavailable, message: \"transport error\" })");
        assert!(gone.kind.contains("no longer answers"));
        assert_eq!(explain("Cannot cast string 'Erika Mustermann' to value of Int64"), UNKNOWN);
    }
}
