//! Resources of a run.

use incrowd_engine::{MOST_MEMORY, MOST_THREADS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{OptionEntry, OptionPlace, OptionValue};

/// Resources of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunPlan {
    /// Memory limit in MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 16, max = 1_073_741_824))]
    pub memory_mib: Option<u64>,
    /// Number of threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_024))]
    pub threads: Option<usize>,
    /// URL of a cluster scheduler, such as df://host:50050; the cluster then counts and recodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

const RUNNING: OptionEntry = OptionEntry { heading: "Running", ..OptionEntry::EMPTY };

/// The options about a run.
pub(super) const OPTIONS: &[OptionEntry] = &[
    OptionEntry {
        name: "memory",
        flag: Some("memory"),
        place: OptionPlace::Call("memory"),
        value: OptionValue::Memory,
        value_name: "SIZE",
        help: "Memory limit, such as 4GiB; beyond it, integer codes (never values) are written to temporary files",
        example: "64MiB",
        ..RUNNING
    },
    OptionEntry {
        name: "threads",
        flag: Some("threads"),
        place: OptionPlace::Plan("run.threads"),
        value: OptionValue::Threads,
        value_name: "N",
        help: "Number of threads, at most 1,024",
        default: Some("all cores"),
        example: "2",
        ..RUNNING
    },
    OptionEntry {
        name: "temp",
        flag: Some("temp"),
        place: OptionPlace::Call("temp"),
        value: OptionValue::Path,
        value_name: "DIR",
        help: "Folder in which a private subfolder for temporary files is created",
        default: Some("that of the system"),
        example: "temporary",
        ..RUNNING
    },
    OptionEntry {
        name: "cluster",
        flag: Some("cluster"),
        python: false,
        place: OptionPlace::Plan("run.cluster"),
        value_name: "URL",
        help: "URL of a cluster scheduler, such as df://host:50050; the cluster then counts and recodes",
        example: "df://127.0.0.1:50050",
        ..RUNNING
    },
];

impl RunPlan {
    pub(super) fn is_empty(&self) -> bool {
        *self == RunPlan::default()
    }

    pub(super) fn overlay(self, said: RunPlan) -> RunPlan {
        RunPlan {
            memory_mib: said.memory_mib.or(self.memory_mib),
            threads: said.threads.or(self.threads),
            cluster: said.cluster.or(self.cluster),
        }
    }

    /// What is invalid.
    pub(super) fn fault(&self) -> Option<String> {
        let memory = self.memory_mib.is_some_and(|mib| !(16..=MOST_MEMORY >> 20).contains(&mib));
        let threads = self.threads.is_some_and(|threads| !(1..=MOST_THREADS).contains(&threads));
        match (memory, threads) {
            (true, _) => Some(format!("memory_mib is from 16 to {}", MOST_MEMORY >> 20)),
            (_, true) => Some(format!("threads is from 1 to {MOST_THREADS}")),
            _ => None,
        }
    }
}
