//! Removed values are not found. The reader holds the public folder and searches every byte of every file in it.

use incrowd::{AnonymizeOptions, Format};

use super::case::Wanted;
use super::run::refute;

#[test]
fn removed_values_are_not_found() {
    refute("removed values are absent", Wanted::default(), |desk, release| {
        let format = [Format::Csv, Format::Parquet, Format::Arrow][release.case.table.rows.len() % 3];
        let options = AnonymizeOptions { format, report: true, ..release.case.options.clone() };
        desk.release(&options, "again").map_err(|error| format!("refused in another format: {error}"))?;
        for folder in [&release.folder, &desk.path("again")] {
            for entry in std::fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                let bytes = std::fs::read(entry.path()).unwrap();
                let found = |needle: &str| bytes.windows(needle.len()).any(|window| window == needle.as_bytes());
                if found("ZQX-IDENTITY") || found("PZQ-PATIENT") {
                    return Err(format!("{:?} holds a removed value", entry.file_name()));
                }
            }
        }
        Ok(true)
    });
}
