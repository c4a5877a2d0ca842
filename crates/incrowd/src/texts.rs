//! Files that are read whole: plans, hierarchies, records. None is read that is larger than it may be, so that memory
//! is bounded by what is allowed and not by what a file holds.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use serde::Serialize;

use crate::error::{Error, Result};

/// The most bytes of a plan.
pub const MOST_PLAN_BYTES: u64 = 4 << 20;

/// The most bytes of a manifest.
pub const MOST_MANIFEST_BYTES: u64 = 16 << 20;

/// The most bytes of what incrowd writes for the custodian: a record, a ledger, a dossier, a report.
pub(crate) const MOST_RECORD_BYTES: u64 = 1 << 30;

/// The most bytes of a hierarchy file when a run may use so much memory. In memory it is some thirty times as large.
pub fn most_hierarchy_bytes(memory: Option<u64>) -> u64 {
    memory.map_or(1 << 30, |memory| (memory / 64).max(1 << 20))
}

/// The text of a file of at most `most` bytes.
pub fn text_of(path: &Path, most: u64) -> Result<String> {
    let failed = |error: &std::io::Error| Error::file(path, error);
    let file = File::open(path).map_err(|error| failed(&error))?;
    let mut text = String::new();
    file.take(most.saturating_add(1)).read_to_string(&mut text).map_err(|error| failed(&error))?;
    if text.len() as u64 > most { Err(Error::TooLarge { path: path.into(), most }) } else { Ok(text) }
}

/// The JSON of something that is kept in a file. A value that cannot be written is refused: an empty file would be
/// taken for a damaged one only when it is too late.
pub(crate) fn json_of(value: &impl Serialize, path: &Path) -> Result<String> {
    let text = serde_json::to_string_pretty(value).map_err(|_| Error::file(path, &ErrorKind::Other.into()))?;
    Ok(text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_written_is_refused_and_not_left_empty() {
        let odd = std::collections::HashMap::from([((1, 2), 3)]);
        assert_eq!(json_of(&odd, Path::new("kept.json")).expect_err("no key").code(), "IC401");
    }

    #[test]
    fn a_file_is_read_up_to_its_limit_and_refused_beyond() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("plan.toml");
        std::fs::write(&path, "12345").expect("written");
        assert_eq!(text_of(&path, 5).ok().as_deref(), Some("12345"));
        assert_eq!(text_of(&path, 4).expect_err("too large").code(), "IC423");
    }
}
