//! `verify`: is this folder a release that keeps what it promises?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use incrowd_core::{Stage, Watch};
use incrowd_verify::{Against, Format, Verdict};

use crate::error::{Error, Result};
use crate::release::Record;

/// What a release is held against.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// The table it was made from.
    pub against: Option<PathBuf>,
    /// The delimiter of that table, when the record does not tell.
    pub delimiter: Option<u8>,
    /// Texts that stand for a missing value in it, besides those of the record.
    pub nulls: Vec<String>,
    /// Hierarchy files by column, besides those of the record.
    pub hierarchies: BTreeMap<String, PathBuf>,
    /// Who watches.
    pub watch: Watch,
    /// Bytes of memory to use at most, as far as classes are held; as many as it takes when left out.
    pub memory: Option<u64>,
}

/// Reads a release with the verifier's own code. What the custodian's record knows about the original is used when it
/// is beside the release.
pub fn verify(release: &Path, options: &VerifyOptions) -> Result<Verdict> {
    if !release.is_dir() {
        return Err(Error::NotARelease(release.into()));
    }
    let against = options.against.as_ref().map(|path| against(release, path, options)).transpose()?;
    let cancelled = options.watch.cancel.flag();
    let progress = |done: u64, total: u64| options.watch.progress.update(Stage::Verify, done, Some(total));
    let (cancel, memory) = (Some(&*cancelled), options.memory);
    let asked = incrowd_verify::Options { against, cancel, progress: Some(&progress), memory };
    Ok(incrowd_verify::verify(release, &asked)?)
}

fn against(release: &Path, path: &Path, options: &VerifyOptions) -> Result<Against> {
    let record = Record::of(release)?;
    let reading = record.as_ref().map(|record| record.reading.clone()).unwrap_or_default();
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    let format = match ending.as_str() {
        "parquet" => Format::Parquet,
        "arrow" | "ipc" | "feather" => Format::Arrow,
        _ => Format::Csv,
    };
    let mut hierarchies = options.hierarchies.clone();
    for column in record.iter().flat_map(|record| &record.quasi_identifiers) {
        let file = record.as_ref().and_then(|record| record.hierarchy_file(release, column));
        if let Some(file) = file.filter(|file| file.is_file()) {
            hierarchies.entry(column.clone()).or_insert(file);
        }
    }
    let told = reading.delimiter.and_then(|delimiter| u8::try_from(delimiter).ok());
    let tabs = if ending == "tsv" { b'\t' } else { b',' };
    Ok(Against {
        path: path.into(),
        format,
        delimiter: options.delimiter.or(told).unwrap_or(tabs),
        nulls: reading.nulls.into_iter().chain(options.nulls.iter().cloned()).collect(),
        hierarchies,
    })
}
