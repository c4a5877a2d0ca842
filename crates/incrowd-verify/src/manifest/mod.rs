//! `manifest.json`: what a release says of itself.
//!
//! These are the verifier's own types. The writer of a release fills them in and asks for the sealed text; whoever
//! checks a release reads them back. Fields that are not known here are passed over, the seal is taken of the text as
//! it stands.

mod count_range;
mod policy;
mod sha256;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use count_range::Count;
pub(crate) use policy::is_within;
pub use policy::{Policy, Rule};
use sha256::sha256_hex;
pub(crate) use sha256::sha256_of_file;

/// The name of the manifest in the folder of a release.
pub const MANIFEST: &str = "manifest.json";

/// The form of the manifest that this verifier knows.
pub const FORM: u64 = 1;

/// A manifest is a page of text. What is larger is not one.
const MOST_BYTES: u64 = 16 << 20;

const NO_SEAL: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// What a release is, what it promises, its counts and checksums.
///
/// ```
/// use incrowd_verify::Manifest;
/// # let text = r#"{ "incrowd": 1, "policy": { "models": [], "suppression": 0.0 }, "counts": "rows", "source_rows": 2,
/// #   "rows": 2, "suppressed_rows": 0, "classes": 1, "smallest_class": 2, "columns": [], "files": [] }"#;
/// let manifest: Manifest = serde_json::from_str(text)?;
/// let sealed = manifest.to_sealed_json();
/// assert_eq!(Manifest::from_sealed_json(&sealed)?.rows, 2);
/// assert!(Manifest::from_sealed_json(&sealed.replace("\"rows\": 2", "\"rows\": 3")).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The form of the manifest: 1.
    pub incrowd: u64,
    /// The version of the program that made the release.
    #[serde(default)]
    pub version: String,
    /// A random name of the release, 32 hexadecimal digits.
    #[serde(default)]
    pub release: String,
    /// When it was made, in UTC.
    #[serde(default)]
    pub created: String,
    /// The algorithm that formed the classes.
    #[serde(default)]
    pub algorithm: String,
    /// The measure of loss that it made small.
    #[serde(default)]
    pub loss_minimized: String,
    /// The models that hold, and the share of rows that may be withheld.
    pub policy: Policy,
    /// What k counts.
    pub counts: Counts,
    /// Rows of the original table: published and withheld ones.
    pub source_rows: Count,
    /// Published rows. Of two tables each has so many.
    pub rows: u64,
    /// Rows that were withheld; coarse when the policy lets rows be withheld.
    pub suppressed_rows: Count,
    /// Published classes.
    pub classes: u64,
    /// Rows (or people) in the smallest class.
    pub smallest_class: u64,
    /// Every column of the original, in the order in which the published ones stand in the files.
    pub columns: Vec<ColumnEntry>,
    /// The files of data.
    pub files: Vec<FileEntry>,
    /// Which file is which, when the release is two tables that share a class id and nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub two_tables: Option<TwoTables>,
    /// The page about the release that stands among its files, when one was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<ReportEntry>,
    /// What the generalization costs the reader: of the published rows alone when the policy lets rows be withheld.
    #[serde(default)]
    pub loss: serde_json::Value,
    /// What a search for removed values found.
    #[serde(default)]
    pub canaries: Canaries,
    /// Who verified the release before it was published.
    #[serde(default)]
    pub verified: Verified,
    /// SHA-256 of the text with these digits as zeros. Filled in by [`Manifest::to_sealed_json`].
    #[serde(default)]
    pub seal: String,
}

/// What k counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// Rows.
    Rows,
    /// People, told apart by a subject column that is not published.
    People,
}

/// One column of the original table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnEntry {
    /// Its name.
    pub name: String,
    /// What it is to an adversary.
    pub role: Role,
    /// What was done to it.
    pub technique: Technique,
    /// Whether the labels of a generalized column can be read by everybody; nothing in manifests that do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<Labels>,
    /// The type of a quasi-identifier's values in the original: `integer`, `number`, `date` or `text`.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub value_type: Option<ValueType>,
}

impl ColumnEntry {
    /// Whether the column stands in the published files.
    pub fn is_published(&self) -> bool {
        self.technique != Technique::Removed
    }
}

/// How the labels of a generalized column are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Labels {
    /// Each label holds every value that it stands for: a value itself, `[20, 30)`, `{a, b}`, `435*`, `1980-Q1`. Only
    /// an empty cell, `*` and a set with `(missing)` stand for a missing value.
    SelfDescribing,
    /// A label is a name from a hierarchy, and may stand for any value.
    Names,
}

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueType {
    /// Whole numbers.
    Integer,
    /// Numbers with a fraction.
    Number,
    /// Calendar days.
    Date,
    /// Texts.
    Text,
}

/// What a column is to an adversary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Says who somebody is.
    Identifier,
    /// Says which rows belong to one person.
    Subject,
    /// Known to the adversary from elsewhere.
    QuasiIdentifier,
    /// What the adversary wants to learn.
    Sensitive,
    /// Neither.
    Insensitive,
}

/// What was done to a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Technique {
    /// It is not published.
    Removed,
    /// Its cells may stand for several values.
    Generalized,
    /// Its cells are the value or `*`.
    Suppressed,
    /// Its cells are the values.
    Retained,
    /// Its cells are the values, and stand in the second of two tables.
    MovedToSecondTable,
}

/// A release that joins lossily: quasi-identifiers and sensitive attributes stand in two files, undistorted, and only
/// the class of a row is in both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwoTables {
    /// The name of the column that holds the class ids: the last of the first file, the first of the second.
    pub class_column: String,
    /// The name of the file with the quasi-identifiers and every other published column that is not sensitive.
    pub quasi_identifiers: String,
    /// The name of the file with the sensitive columns.
    pub sensitive: String,
    /// What this form of release does not hide, in words for whoever reads it.
    #[serde(default)]
    pub does_not_hide: String,
}

/// One file of data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its plain name in the folder.
    pub name: String,
    /// How it is written.
    pub format: Format,
    /// Its rows.
    pub rows: u64,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of its bytes, 64 hexadecimal digits.
    pub sha256: String,
    /// In a CSV file: texts that a spreadsheet would run have one apostrophe more than the value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub escaped: bool,
}

/// The page about a release: a file of its folder that holds no data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportEntry {
    /// Its plain name in the folder.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of its bytes, 64 hexadecimal digits.
    pub sha256: String,
}

impl ReportEntry {
    /// The entry of a page that is going to be written under this name.
    pub fn of(name: &str, page: &str) -> ReportEntry {
        ReportEntry { name: name.to_owned(), bytes: page.len() as u64, sha256: sha256_hex(page.as_bytes()) }
    }
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Text with a header line.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// Apache Arrow IPC.
    Arrow,
}

/// What a search for removed values found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Canaries {
    /// Values searched for; at least so many when the policy lets rows be withheld.
    pub values: u64,
    /// Bytes searched.
    pub bytes: u64,
    /// Values that stood in the bytes though no published cell holds them.
    pub found: u64,
}

/// Who verified the release before it was published.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// Program and version.
    pub by: String,
    /// What it said.
    pub holds: bool,
}

/// A text that is no manifest, or not the one that was sealed.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// There is none.
    #[error("there is no {MANIFEST}: the folder is not a release")]
    Missing,
    /// The file cannot be read.
    #[error("{MANIFEST} cannot be read: {0}")]
    Io(std::io::Error),
    /// It is too large to be one.
    #[error("{MANIFEST} is larger than 16 MiB")]
    TooLarge,
    /// The text is not what docs/release.md says.
    #[error("{MANIFEST} is not a manifest: see line {line}, column {column}")]
    Form {
        /// Line of the text.
        line: usize,
        /// Column of the text.
        column: usize,
    },
    /// Another form than [`FORM`].
    #[error("{MANIFEST} has form {0}, and this verifier knows form {FORM} only")]
    Version(u64),
    /// It was changed after it was sealed.
    #[error("{MANIFEST} was changed after it was sealed")]
    Seal,
}

impl Manifest {
    /// The names of the published columns of a role, in order.
    pub fn published(&self, role: Role) -> Vec<String> {
        let columns = self.columns.iter().filter(|column| column.role == role && column.is_published());
        columns.map(|column| column.name.clone()).collect()
    }

    /// Reads the manifest of a release and checks its seal.
    ///
    /// # Errors
    /// There is no manifest, it is not readable, or its seal is broken.
    pub fn read(dir: &Path) -> Result<Manifest, ManifestError> {
        let path = dir.join(MANIFEST);
        match path.symlink_metadata() {
            Ok(about) if !about.is_file() => return Err(ManifestError::Missing),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(ManifestError::Missing),
            Err(error) => return Err(ManifestError::Io(error)),
        }
        let mut text = String::new();
        let file = File::open(path).map_err(ManifestError::Io)?;
        file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(ManifestError::Io)?;
        if text.len() as u64 > MOST_BYTES {
            return Err(ManifestError::TooLarge);
        }
        Manifest::from_sealed_json(&text)
    }

    /// Reads a sealed text.
    ///
    /// # Errors
    /// It is not a manifest, or its seal is broken.
    pub fn from_sealed_json(text: &str) -> Result<Manifest, ManifestError> {
        // The words of the parser may quote what stands in the text; its place is enough.
        let manifest: Manifest = serde_json::from_str(text)
            .map_err(|error| ManifestError::Form { line: error.line(), column: error.column() })?;
        if manifest.incrowd != FORM {
            return Err(ManifestError::Version(manifest.incrowd));
        }
        if seal_of(text, &manifest.seal).as_deref() != Some(manifest.seal.as_str()) {
            return Err(ManifestError::Seal);
        }
        Ok(manifest)
    }

    /// The text of the manifest, sealed: pretty JSON with a newline at the end.
    pub fn to_sealed_json(&self) -> String {
        let open = Manifest { seal: NO_SEAL.to_string(), ..self.clone() };
        // Plain data with text keys always has a JSON form.
        let mut text = serde_json::to_string_pretty(&open).unwrap_or_default();
        text.push('\n');
        let seal = sha256_hex(text.as_bytes());
        // The seal is the last field, so the last zeros are its place.
        match text.rfind(NO_SEAL) {
            Some(at) => format!("{}{seal}{}", &text[..at], &text[at + seal.len()..]),
            None => text,
        }
    }
}

/// The seal that `text` should bear, when it bears `claimed`.
fn seal_of(text: &str, claimed: &str) -> Option<String> {
    if claimed.len() != NO_SEAL.len() || !claimed.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let at = text.rfind(claimed)?;
    Some(sha256_hex(format!("{}{NO_SEAL}{}", &text[..at], &text[at + claimed.len()..]).as_bytes()))
}
