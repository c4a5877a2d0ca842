//! `verify`: is this a release that keeps what it promises?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use incrowd_core::{Stage, Watch};
use incrowd_engine::{Engine, Settings};
use incrowd_verify::{Against, Format, Manifest, ManifestError, PopulationTable, Verdict};

use crate::error::{Error, Result};
use crate::release::{Record, remote};

/// What a release is held against.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// The table it was made from.
    pub against: Option<PathBuf>,
    /// The table of the population that the policy is about. Without it, promises about the population are not checked.
    pub population: Option<PathBuf>,
    /// The delimiter of that table, when the record does not say.
    pub delimiter: Option<u8>,
    /// The encoding of that table, when the record does not say.
    pub encoding: Option<String>,
    /// Whether the first line of that table names its columns, when the record does not say.
    pub header: Option<bool>,
    /// Texts that stand for a missing value in it, besides those of the record.
    pub nulls: Vec<String>,
    /// Columns of that table that hold dates, each with its format in `strftime` letters, before those of the record.
    pub date_formats: Vec<(String, String)>,
    /// Columns of that table whose numbers have a decimal comma, besides those of the record.
    pub decimal_commas: Vec<String>,
    /// Hierarchy files by column, besides those of the record.
    pub hierarchies: BTreeMap<String, PathBuf>,
    /// A file that says how to connect to the database of the release.
    pub connection: Option<PathBuf>,
    /// The folder of the custodian's record, if it is not in its usual place.
    pub record: Option<PathBuf>,
    /// Who watches.
    pub watch: Watch,
    /// Bytes of memory to use at most, as far as classes are held; as many as it takes when left out.
    pub memory: Option<u64>,
}

/// Reads a release with the verifier's own code. What the custodian's record knows about the original is used when it
/// is next to the release; a record that was changed, or is that of another release, is refused.
///
/// A release of several tables is verified without the original; each of its tables can be verified with it.
pub fn verify(release: &Path, options: &VerifyOptions) -> Result<Verdict> {
    let cancelled = options.watch.cancel.flag();
    let progress = |done: u64, total: u64| options.watch.progress.update(Stage::Verify, done, Some(total));
    let (cancel, memory) = (Some(&*cancelled), options.memory);
    at_hand(release, options.connection.as_deref(), &options.watch, |folder| {
        if let Err(ManifestError::SeveralTables(tables)) = Manifest::read(folder)
            && (options.against.is_some() || options.population.is_some() || options.record.is_some())
        {
            return Err(Error::SeveralTables { release: release.into(), tables });
        }
        // Of a release elsewhere, a record is at hand only when it is requested.
        let at_hand = remote(release).is_none() || options.against.is_some() || options.record.is_some();
        let mut record = match Manifest::read(folder) {
            Ok(manifest) if at_hand => Record::of_manifest(release, &manifest, options.record.as_deref()),
            // Of a release that is not sealed, the verifier says what is wrong.
            _ => Ok(None),
        };
        let (mut original, mut population) = (None, None);
        if options.against.is_some() || options.population.is_some() {
            let record = std::mem::replace(&mut record, Ok(None))?;
            original = options.against.as_ref().map(|path| against(record.as_ref(), path, options));
            let counted = Manifest::read(folder).ok().and_then(|manifest| manifest.population?.count_column);
            let table = |path: &PathBuf| PopulationTable {
                table: population_as_recorded(record.as_ref(), path, options),
                count_column: counted,
            };
            population = options.population.as_ref().map(table);
        }
        let asked =
            incrowd_verify::Options { against: original, population, cancel, progress: Some(&progress), memory };
        let verdict = incrowd_verify::verify(folder, &asked)?;
        if verdict.verified {
            record?;
        }
        Ok(verdict)
    })
}

/// The manifest of a release, wherever it is; nothing when it has none that can be read.
pub fn manifest(release: &Path, connection: Option<&Path>) -> Result<Option<Manifest>> {
    at_hand(release, connection, &Watch::default(), |folder| Ok(Manifest::read(folder).ok()))
}

/// Does something with the folder of a release. One that is elsewhere is written into a private folder first, which holds
/// nothing but what is released, and is removed afterwards.
fn at_hand<T>(
    release: &Path,
    connection: Option<&Path>,
    watch: &Watch,
    work: impl FnOnce(&Path) -> Result<T>,
) -> Result<T> {
    let Some(remote) = remote(release) else {
        return if release.is_dir() { work(release) } else { Err(Error::NotARelease(release.into())) };
    };
    let engine = Engine::watched(&Settings::default(), watch.cancel.clone(), watch.progress.clone())?;
    let folder = engine.private_folder("release")?;
    remote.fetch(&engine, connection, &folder)?;
    work(&folder)
}

/// How the verifier is to read the population: as it was read when the release was made.
fn population_as_recorded(record: Option<&Record>, path: &Path, options: &VerifyOptions) -> Against {
    let reading = record.and_then(|record| record.population.clone()).unwrap_or_default();
    let recorded = record.map(|record| Record { reading, ..record.clone() });
    let asked = VerifyOptions { delimiter: None, header: None, ..options.clone() };
    against(recorded.as_ref(), path, &asked)
}

/// How the verifier is to read the original: as the record says that it was read when the release was made.
fn against(record: Option<&Record>, path: &Path, options: &VerifyOptions) -> Against {
    let reading = record.map(|record| record.reading.clone()).unwrap_or_default();
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    let format = match ending.as_str() {
        "parquet" => Format::Parquet,
        "arrow" | "ipc" | "feather" => Format::Arrow,
        "csv" | "tsv" | "txt" => Format::Csv,
        _ => match reading.format.as_str() {
            "parquet" => Format::Parquet,
            "arrow" => Format::Arrow,
            _ => Format::Csv,
        },
    };
    let mut hierarchies = options.hierarchies.clone();
    for column in record.iter().flat_map(|record| &record.quasi_identifiers) {
        if let Some(file) = record.and_then(|record| record.hierarchy_file(column)) {
            hierarchies.entry(column.clone()).or_insert(file);
        }
    }
    let told = reading.delimiter.and_then(|delimiter| u8::try_from(delimiter).ok());
    let tabs = if ending == "tsv" { b'\t' } else { b',' };
    Against {
        path: path.into(),
        format,
        delimiter: options.delimiter.or(told).unwrap_or(tabs),
        encoding: options.encoding.clone().or(reading.encoding),
        sheet: reading.sheet,
        range: reading.range,
        header: options.header.or(reading.header).unwrap_or(true),
        spellings: reading.spellings,
        nulls: reading.nulls.into_iter().chain(options.nulls.iter().cloned()).collect(),
        // A format that is named here stands for that of the record.
        date_formats: reading.date_formats.into_iter().chain(options.date_formats.iter().cloned()).collect(),
        decimal_commas: reading.decimal_commas.into_iter().chain(options.decimal_commas.iter().cloned()).collect(),
        hierarchies,
        treatment_keys: record.map(Record::treatment_keys).unwrap_or_default(),
        group_bounds: record.map(|record| record.group_bounds.clone()).unwrap_or_default(),
        item_labels: record.map(|record| record.item_labels.clone()).unwrap_or_default(),
    }
}
