//! `--lineage FILE`: an OpenLineage event for each run, for catalogues that keep track of where tables come from.
//!
//! One JSON object for each line, a `RunEvent` of the OpenLineage specification, version 2: the tables that were read, the
//! release that was written, and its rows. It names no column and no value.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::events::now;
use crate::files::open_lines;
use crate::printer::Failure;

/// Who wrote the event, and by which definitions.
const PRODUCER: &str = concat!("https://docs.rs/incrowd/", env!("CARGO_PKG_VERSION"));
const EVENT: &str = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent";
const STATISTICS: &str = "https://openlineage.io/spec/facets/1-0-2/OutputStatisticsOutputDatasetFacet.json#/$defs/OutputStatisticsOutputDatasetFacet";
/// The keys of an event are written in the order of the alphabet.
const BEGINNING: &str = "{\"eventTime\":\"";

/// A run of which an event is going to be written: at its end, whatever that is.
pub(crate) struct LineageLog {
    file: std::fs::File,
    sources: Vec<Value>,
    release: Value,
    /// The rows of the release, if there is one.
    rows: Option<u64>,
}

impl LineageLog {
    /// Opens the file, before anything is done.
    pub(crate) fn begin(path: &Path, sources: &[&str], release: &Path) -> Result<Self, Failure> {
        let file = open_lines(path, BEGINNING)?;
        let sources = sources.iter().map(|source| dataset(source)).collect();
        Ok(LineageLog { file, sources, release: dataset(&release.to_string_lossy()), rows: None })
    }

    /// The release is there.
    pub(crate) fn complete(mut self, rows: u64) {
        self.rows = Some(rows);
    }
}

impl Drop for LineageLog {
    /// Appends the event: the release with its rows, or that the run failed.
    fn drop(&mut self) {
        if let (Some(release), Some(rows)) = (self.release.as_object_mut(), self.rows) {
            let statistics = json!({ "_producer": PRODUCER, "_schemaURL": STATISTICS, "rowCount": rows });
            release.insert("outputFacets".into(), json!({ "outputStatistics": statistics }));
        }
        let event = json!({
            "eventTime": now(),
            "eventType": if self.rows.is_some() { "COMPLETE" } else { "FAIL" },
            "inputs": self.sources,
            "job": { "namespace": "incrowd", "name": "anonymize" },
            "outputs": [self.release],
            "producer": PRODUCER,
            "run": { "runId": random_uuid() },
            "schemaURL": EVENT,
        });
        // The release is there whether or not the line can be written.
        let _ = self.file.write_all(format!("{event}\n").as_bytes());
    }
}

/// A table as OpenLineage names it: files by their whole path, tables elsewhere by their address.
fn dataset(name: &str) -> Value {
    match name.split_once("://") {
        Some((scheme, rest)) => {
            let (store, path) = rest.split_once('/').unwrap_or((rest, ""));
            json!({ "namespace": format!("{scheme}://{store}"), "name": path })
        }
        None if name.starts_with("postgres:") => json!({ "namespace": "postgres", "name": &name["postgres:".len()..] }),
        None => {
            let path = std::path::absolute(name).map_or_else(|_| name.to_owned(), |path| path.display().to_string());
            json!({ "namespace": "file", "name": path })
        }
    }
}

/// A random identifier (RFC 9562, version 4).
fn random_uuid() -> String {
    let mut bytes = [0u8; 16];
    // Without randomness it is the same for all runs, which no reader of a catalogue is harmed by.
    let _ = getrandom::fill(&mut bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datasets_are_named_by_their_store_and_their_path() {
        assert_eq!(dataset("s3://bucket/a/b.csv"), json!({ "namespace": "s3://bucket", "name": "a/b.csv" }));
        assert_eq!(dataset("postgres:people"), json!({ "namespace": "postgres", "name": "people" }));
        assert_eq!(dataset("/data/x.csv"), json!({ "namespace": "file", "name": "/data/x.csv" }));
    }

    #[test]
    fn a_run_has_an_identifier_of_its_own() {
        let (one, other) = (random_uuid(), random_uuid());
        assert_ne!(one, other);
        assert_eq!((one.len(), &one[14..15]), (36, "4"));
    }
}
