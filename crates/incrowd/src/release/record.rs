//! The custodian's record of a release: what the public manifest must not say. Stands next to the release, closed to
//! others.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use incrowd_algorithms::Statistics;
use incrowd_core::{Hierarchy, Policy, Treatment};
use incrowd_engine::{ReadOptions, Source, Spellings, platform};
use incrowd_report::dossier::{Repeatability, WithheldFor};
use incrowd_risk::attack::Outcome;
use incrowd_verify::Manifest;
use serde::{Deserialize, Serialize};

use super::contents::{CONTENTS, Contents};
use super::keys::{self, RunKeys};
use super::opened::sealed_manifest;
use super::small_counts::ExactCounts;
use super::{ColumnWhy, StagedRelease, record_of};
use crate::error::{Error, Result};
use crate::texts::{MOST_RECORD_BYTES, json_of, text_of};

const FILE: &str = "record.json";
const HIERARCHIES: &str = "hierarchies";

/// How the table of a release was read, so that it can be read again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordedReading {
    /// The files, as they were found.
    pub files: Vec<String>,
    /// `csv`, `parquet`, `arrow`, `workbook`, `stata`, `spss` or `sas transport`; `memory` for what was no file.
    pub format: String,
    /// The delimiter of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// The encoding of a text, unless it is UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// The sheet of a workbook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// The cells of the sheet that are the table, if that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// Whether the first line of a text names the columns, if that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
    /// Texts that stand for a missing value.
    #[serde(default)]
    pub nulls: Vec<String>,
    /// How columns write their dates.
    #[serde(default)]
    pub date_formats: Vec<(String, String)>,
    /// Columns whose numbers have a decimal comma.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decimal_commas: Vec<String>,
    /// Spellings that were read as another one, by column.
    #[serde(default, skip_serializing_if = "Spellings::is_empty")]
    pub spellings: Spellings,
}

impl RecordedReading {
    pub(crate) fn of(source: &Source, options: &ReadOptions) -> Self {
        RecordedReading {
            files: source.files().iter().map(|path| path.display().to_string()).collect(),
            format: source.stored().to_lowercase(),
            delimiter: source.delimiter().map(char::from),
            encoding: source.encoding().map(|encoding| encoding.name().into()),
            sheet: source.workbook().map(|workbook| workbook.sheet.clone()),
            range: options.sheet.range.map(|range| range.to_string()),
            header: options.header,
            nulls: options.nulls.clone(),
            date_formats: options.date_formats.clone(),
            decimal_commas: options.decimal_commas.clone(),
            spellings: source.spellings().clone(),
        }
    }
}

/// How a run can be repeated. Internal.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomnessRecord {
    /// The seed of the solver, if one was given; otherwise it follows from the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The key of the run, in hexadecimal digits.
    pub key: String,
    /// The key that several tables share, in hexadecimal digits; nothing for a release of one table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linked_key: Option<String>,
    /// Whether a second run with this key gives the same bytes; nothing in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeatability: Option<Repeatability>,
}

impl fmt::Debug for RandomnessRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the key: anyone who has it can undo the order of the rows.
        let mut shown = f.debug_struct("RandomnessRecord");
        shown.field("seed", &self.seed).field("repeatability", &self.repeatability).finish_non_exhaustive()
    }
}

/// A file of a release, as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedFile {
    /// Its name in the release.
    pub name: String,
    /// Its SHA-256.
    pub sha256: String,
}

/// What is known about a release besides what is published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The release's id.
    pub release: String,
    /// What was read.
    pub source: String,
    /// How it was read.
    pub reading: RecordedReading,
    /// How the population was read that the policy is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population: Option<RecordedReading>,
    /// What is promised.
    pub policy: Policy,
    /// How the run can be repeated.
    pub randomness: RandomnessRecord,
    /// The files with their checksums, so that a repeated release can be compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<RecordedFile>,
    /// The quasi-identifiers, in the order of the solver.
    pub quasi_identifiers: Vec<String>,
    /// Sensitive columns.
    pub sensitive: Vec<String>,
    /// Columns that were removed.
    pub identifiers: Vec<String>,
    /// Columns that were published as pseudonyms or as something drawn, each with its treatment. Their keys follow from
    /// the key of the run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub keyed: BTreeMap<String, Treatment>,
    /// For each column that was microaggregated, the largest number of each group, in ascending order.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub group_bounds: BTreeMap<String, Vec<String>>,
    /// For each column that was published as sets of items, the label of each item.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub item_labels: BTreeMap<String, BTreeMap<String, String>>,
    /// Columns that were published unchanged although they single out people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keep_identifying: Vec<String>,
    /// The column that says which rows belong to one person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What the search met.
    pub statistics: Statistics,
    /// What each quasi-identifier became and which rule forced it.
    pub why: Vec<ColumnWhy>,
    /// The figures that the manifest gives coarsely; older records have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<ExactCounts>,
    /// For which rules rows are suppressed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld_for: Vec<WithheldFor>,
    /// What attacks on the release achieved before it was written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attacks: Vec<Outcome>,
    /// The folder that it was read from.
    #[serde(skip)]
    pub(crate) folder: PathBuf,
    /// The files that were written into it with the release.
    #[serde(skip)]
    pub(crate) listed: Vec<PathBuf>,
}

impl Record {
    /// The key of each column whose treatment has one; none when the record is damaged.
    pub(crate) fn treatment_keys(&self) -> BTreeMap<String, [u8; 32]> {
        let Some(own) = keys::unhex(&self.randomness.key) else { return BTreeMap::new() };
        let keys = RunKeys { own, linked: self.randomness.linked_key.as_deref().and_then(keys::unhex) };
        let of = |(column, treatment): (&String, &Treatment)| {
            (column.clone(), keys.treatment(column, self.subject.as_ref() == Some(column), treatment))
        };
        self.keyed.iter().map(of).collect()
    }

    /// Writes the record and the hierarchies of the columns that have one.
    pub(crate) fn write(&self, folder: &Path, columns: &[String], hierarchies: &[Option<Hierarchy>]) -> Result<()> {
        let path = folder.join(FILE);
        StagedRelease::write(&path, &json_of(self, &path)?)?;
        let inner = folder.join(HIERARCHIES);
        std::fs::create_dir(&inner).map_err(|error| Error::file(&inner, &error))?;
        for (at, (column, hierarchy)) in columns.iter().zip(hierarchies).enumerate() {
            if let Some(hierarchy) = hierarchy {
                StagedRelease::write(&inner.join(file_name(at, column)), &hierarchy.write())?;
            }
        }
        // A synced file may still lose its name: that is in its folder.
        platform::sync_folder(&inner).map_err(|error| Error::file(&inner, &error))
    }

    /// Reads the record of a release; nothing if it is not next to it. A record that was changed or belongs to
    /// another release is refused.
    pub fn of(release: &Path) -> Result<Option<Record>> {
        Record::find(release, None)
    }

    /// As [`Record::of`], next to the release or in the given folder.
    pub fn find(release: &Path, named: Option<&Path>) -> Result<Option<Record>> {
        Record::of_manifest(release, &sealed_manifest(release)?, named)
    }

    /// As [`Record::find`], for the release that this is the manifest of. It may be elsewhere.
    pub(crate) fn of_manifest(release: &Path, manifest: &Manifest, named: Option<&Path>) -> Result<Option<Record>> {
        let folder = record_of(release, named);
        let Some((record, contents)) = Record::read_with_contents(&folder)? else {
            return named.map_or(Ok(None), |_| Err(Error::NoRecord(folder)));
        };
        if record.release != manifest.release {
            return Err(Error::RecordOfAnother(folder));
        }
        if contents.manifest_seal.as_ref() != Some(&manifest.seal) {
            let fact = format!("its manifest is not the one that the record {} was written with", folder.display());
            return Err(Error::ReleaseChanged { release: release.into(), fact });
        }
        Ok(Some(record))
    }

    /// Reads the record in a folder, whatever its release is; nothing when there is none. One that was changed is refused.
    pub(crate) fn read(folder: &Path) -> Result<Option<Record>> {
        Ok(Record::read_with_contents(folder)?.map(|(record, _)| record))
    }

    fn read_with_contents(folder: &Path) -> Result<Option<(Record, Contents)>> {
        let path = folder.join(FILE);
        let changed = |fact: String| Error::RecordChanged { folder: folder.into(), fact };
        let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
        if !has(FILE) && !has(CONTENTS) {
            return Ok(None);
        }
        let contents = Contents::read(folder);
        let contents = contents.ok_or_else(|| changed(format!("it has no {CONTENTS} that lists its files")))?;
        if !contents.lists(Path::new(FILE)) {
            return Err(changed(format!("{CONTENTS} does not list {FILE}")));
        }
        if let Some(fact) = contents.first_fault(folder)? {
            return Err(changed(fact));
        }
        let text = text_of(&path, MOST_RECORD_BYTES)?;
        let record: Record = serde_json::from_str(&text).map_err(|_| Error::DamagedRecord(path))?;
        Ok(Some((Record { folder: folder.into(), listed: contents.names(), ..record }, contents)))
    }

    /// The hierarchy of a column of a release; nothing when it has none, as sets and free intervals.
    pub fn hierarchy(&self, column: &str) -> Result<Option<Hierarchy>> {
        let Some(path) = self.hierarchy_file(column) else { return Ok(None) };
        let text = text_of(&path, MOST_RECORD_BYTES)?;
        Ok(Some(Hierarchy::read(&text)?))
    }

    /// The file of a column's hierarchy in the folder of the record; nothing when none was written with the release.
    pub(crate) fn hierarchy_file(&self, column: &str) -> Option<PathBuf> {
        let at = self.quasi_identifiers.iter().position(|name| name == column)?;
        self.file(&Path::new(HIERARCHIES).join(file_name(at, column)))
    }

    /// A file of the folder of the record, when it was written with the release.
    pub(crate) fn file(&self, name: &Path) -> Option<PathBuf> {
        self.listed.iter().any(|listed| listed == name).then(|| self.folder.join(name))
    }
}

/// A file name for a column whatever it is called.
fn file_name(at: usize, column: &str) -> String {
    // A file name holds at most 255 bytes on most systems; the number in front tells columns apart.
    let letters = column.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter));
    let plain: String = letters.take(40).collect();
    format!("{}-{plain}.csv", at + 1)
}
