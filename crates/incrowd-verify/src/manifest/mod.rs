//! `manifest.json`: what a release says of itself.
//!
//! These are the verifier's own types. The writer of a release fills them in and asks for the sealed text; the checker
//! of a release reads them back. Fields that are not known here are passed over, the seal is taken of the text as it
//! stands.

mod columns;
mod count_range;
mod files;
mod policy;
mod sha256;
mod tables;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use columns::{ColumnEntry, Labels, Role, Technique, ValueType};
pub use count_range::Count;
pub use files::{DELTA_LOG, DeltaEntry, FileDialect, FileEntry, Format, PopulationEntry, ReportEntry, TwoTables};
pub(crate) use policy::is_within;
pub use policy::{Policy, Rule};
use sha256::sha256_hex;
pub(crate) use sha256::sha256_of_file;
pub use tables::{TableEntry, TablesManifest};

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
    /// The models that hold, and the share of rows that may be suppressed.
    pub policy: Policy,
    /// What k counts.
    pub counts: Counts,
    /// Rows of the original table: published and suppressed ones.
    pub source_rows: Count,
    /// Published rows; the number in each of two tables.
    pub rows: u64,
    /// Rows that were suppressed; coarse when the policy lets rows be suppressed.
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
    /// The population that models of the policy are about, when there are such models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population: Option<PopulationEntry>,
    /// The log of the release as a Delta table, when it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<DeltaEntry>,
    /// The page about the release that stands among its files, when one was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<ReportEntry>,
    /// What the generalization costs the reader: of the published rows alone when the policy lets rows be suppressed.
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

/// What a search for removed values found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Canaries {
    /// Values searched for; a lower bound when the policy allows rows to be suppressed.
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
    #[error("{MANIFEST} has format {0}; this verifier supports only format {FORM}")]
    Version(u64),
    /// It is the manifest of a release of several tables.
    #[error("{MANIFEST} is that of a release of several tables: {}", .0.join(", "))]
    SeveralTables(Vec<String>),
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

    /// The files of the table that has the quasi-identifiers: the first of two tables, otherwise all files.
    pub fn first_table(&self) -> Vec<&FileEntry> {
        let is_of_it =
            |file: &&FileEntry| self.two_tables.as_ref().is_none_or(|two| file.name == two.quasi_identifiers);
        self.files.iter().filter(is_of_it).collect()
    }

    /// The column that says which rows belong to one person, if there is one.
    pub(crate) fn subject(&self) -> Option<&str> {
        self.columns.iter().find(|column| column.role == Role::Subject).map(|column| column.name.as_str())
    }

    /// The names of the published columns of a role whose cells no treatment changed, in order.
    pub fn untreated(&self, role: Role) -> Vec<String> {
        let is_treated = |name: &String| {
            self.columns.iter().any(|column| column.name == *name && column.technique == Technique::Treated)
        };
        self.published(role).into_iter().filter(|name| !is_treated(name)).collect()
    }

    /// Reads the manifest of a release and checks its seal.
    ///
    /// # Errors
    /// There is no manifest, it is not readable, or its seal is broken.
    pub fn read(dir: &Path) -> Result<Manifest, ManifestError> {
        Manifest::from_sealed_json(&text_in(dir)?)
    }

    /// Reads a sealed text.
    ///
    /// # Errors
    /// It is not a manifest, or its seal is broken.
    pub fn from_sealed_json(text: &str) -> Result<Manifest, ManifestError> {
        // The words of the parser may quote what stands in the text; its place is enough.
        let manifest: Manifest = serde_json::from_str(text).map_err(|error| match tables::table_names(text) {
            Some(names) => ManifestError::SeveralTables(names),
            None => ManifestError::Form { line: error.line(), column: error.column() },
        })?;
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
        sealed(serde_json::to_string_pretty(&open).unwrap_or_default())
    }
}

/// The text of the manifest in a folder.
fn text_in(dir: &Path) -> Result<String, ManifestError> {
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
    Ok(text)
}

/// A text whose seal is zeros, with a newline and its seal.
fn sealed(mut text: String) -> String {
    text.push('\n');
    let seal = sha256_hex(text.as_bytes());
    // The seal is the last field, so the last zeros are its place.
    match text.rfind(NO_SEAL) {
        Some(at) => format!("{}{seal}{}", &text[..at], &text[at + seal.len()..]),
        None => text,
    }
}

/// The seal that `text` should bear, when it bears `claimed`. Whatever else is claimed, this is 64 hexadecimal digits.
fn seal_of(text: &str, claimed: &str) -> Option<String> {
    let at = text.rfind(claimed)?;
    Some(sha256_hex(format!("{}{NO_SEAL}{}", &text[..at], &text[at + claimed.len()..]).as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_is_the_column_that_says_whose_a_row_is() {
        let column =
            |name: &str, role: &str| serde_json::json!({ "name": name, "role": role, "technique": "retained" });
        let with = |columns: &[serde_json::Value]| -> Manifest {
            serde_json::from_value(serde_json::json!({
                "incrowd": 1, "policy": { "models": [], "suppression": 0.0 }, "counts": "rows", "source_rows": 2, "rows": 2,
                "suppressed_rows": 0, "classes": 1, "smallest_class": 2, "columns": columns, "files": []
            }))
            .expect("made")
        };
        let quasi = column("age", "quasi-identifier");
        assert_eq!(with(&[quasi.clone(), column("patient", "subject")]).subject(), Some("patient"));
        assert_eq!(with(&[quasi]).subject(), None);
    }

    #[test]
    fn a_manifest_is_a_file_of_at_most_16_mebibytes() {
        let folder = tempfile::tempdir().expect("made");
        let read = |dir: &Path| text_in(dir).map(|text| text.len() as u64);
        assert!(matches!(read(folder.path()), Err(ManifestError::Missing)));
        let path = folder.path().join(MANIFEST);
        for (bytes, fits) in [(0, true), (MOST_BYTES, true), (MOST_BYTES + 1, false), (MOST_BYTES + 2, false)] {
            File::create(&path).expect("made").set_len(bytes).expect("made");
            match read(folder.path()) {
                Ok(read) => assert!(fits && read == bytes),
                Err(error) => assert!(!fits && matches!(error, ManifestError::TooLarge), "{error:?}"),
            }
        }
        // A file where the folder should be is no missing manifest: nothing can be looked up in it.
        assert!(matches!(read(&path), Err(ManifestError::Io(_))));
        std::fs::remove_file(&path).expect("made");
        std::fs::create_dir(&path).expect("made");
        assert!(matches!(read(folder.path()), Err(ManifestError::Missing)));
    }
}
