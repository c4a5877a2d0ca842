//! Folders in memory, and the check of messages.

use std::path::Path;

use tempfile::TempDir;

/// A text that stands in cells of the corpora. No message may have it.
pub(crate) const CELL: &str = "Qzxjv";

/// A folder in memory where the system has one.
pub(super) fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.unwrap()
}

/// A message may name columns, which stand in `names`; it may not have a cell's value.
pub(super) fn assert_silent(message: &str, names: &[u8]) {
    let has_cell = |bytes: &[u8]| bytes.windows(CELL.len()).any(|part| part == CELL.as_bytes());
    if message.contains(CELL) && !has_cell(names) {
        panic!("a message has a cell's value: {message}");
    }
}
