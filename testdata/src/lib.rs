//! The tables, hierarchies, worked examples and reference figures that tests and benchmarks read. The README beside this
//! crate names the origin and the licence of each file.
//!
//! The large tables are compressed in the repository; the build script unpacks them, so that a clone needs nothing else.

use std::path::PathBuf;

/// The folder of the unpacked files: the one that `INCROWD_DATA` names, else the build's own.
pub fn folder() -> PathBuf {
    std::env::var_os("INCROWD_DATA").map_or_else(|| env!("INCROWD_TESTDATA").into(), PathBuf::from)
}

/// A file of that folder, such as `adult.csv` or `hierarchies/adult_wong/age.csv`.
///
/// # Panics
///
/// When there is no such file: a test without its table must not pass.
pub fn file(name: &str) -> PathBuf {
    let path = folder().join(name);
    assert!(path.is_file(), "{}: the test data has no such file", path.display());
    path
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn compressed_tables_are_unpacked_whole() {
        let rows = |name: &str| std::fs::read_to_string(file(name)).unwrap().lines().count() - 1;
        assert_eq!(rows("adult.csv"), 45_222);
        assert_eq!(rows("adult_raw_with_missing.csv"), 48_842);
        assert_eq!(rows("nursery.csv"), 12_960);
        assert_eq!(rows("coil2000.csv"), 5_822);
        assert_eq!(rows("arx/adult.csv"), 30_162);
    }
}
