//! Removed values are not found. The reader holds the public folder and searches every byte of every file in it.

use incrowd::Format;

use super::case::Wanted;
use super::run::refute;

#[test]
fn removed_values_are_not_found() {
    refute("removed values are absent", Wanted::default(), |desk, release| {
        let case = release.case;
        for (format, name) in [(Format::Csv, "csv"), (Format::Parquet, "parquet"), (Format::Arrow, "arrow")] {
            let options = incrowd::AnonymizeOptions { format, report: true, ..case.options.clone() };
            if let Err(error) = desk.release(&options, name) {
                return Err(format!("the same table is refused as {name}: {error}"));
            }
            for entry in std::fs::read_dir(desk.path(name)).unwrap() {
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
