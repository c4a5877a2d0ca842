//! The manifest of a release of several tables, whose people have the same pseudonyms in all of them.
//!
//! Each table is a release in a folder of its own, with its own manifest. The manifest over them lists the tables by the
//! seals of their manifests, so that no table can be exchanged or left out, and states what is promised about people by their
//! rows in all tables.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{FORM, ManifestError, NO_SEAL, Policy, Verified, seal_of, sealed, text_in};

/// What a release of several tables is and promises.
///
/// ```
/// use incrowd_verify::{Manifest, ManifestError, TablesManifest};
/// # let text = r#"{ "incrowd_tables": 1, "policy": { "models": [], "known_rows": "all" }, "tables": [] }"#;
/// let manifest: TablesManifest = serde_json::from_str(text)?;
/// let sealed = manifest.to_sealed_json();
/// assert!(TablesManifest::from_sealed_json(&sealed).is_ok());
/// assert!(TablesManifest::from_sealed_json(&sealed.replace("all", "two")).is_err());
/// assert!(matches!(Manifest::from_sealed_json(&sealed), Err(ManifestError::SeveralTables(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TablesManifest {
    /// The form of the manifest: 1.
    pub incrowd_tables: u64,
    /// The version of the program that made the release.
    #[serde(default)]
    pub version: String,
    /// A random name of the release, 32 hexadecimal digits.
    #[serde(default)]
    pub release: String,
    /// When it was made, in UTC.
    #[serde(default)]
    pub created: String,
    /// What holds for people by their rows in all tables: k, and how many rows of each table an attacker may know.
    pub policy: Policy,
    /// The tables.
    pub tables: Vec<TableEntry>,
    /// Who verified the release before it was published.
    #[serde(default)]
    pub verified: Verified,
    /// SHA-256 of the text with these digits as zeros. Filled in by [`TablesManifest::to_sealed_json`].
    #[serde(default)]
    pub seal: String,
}

/// One of several tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableEntry {
    /// Its name, which is that of its folder.
    pub name: String,
    /// The seal of its manifest.
    pub seal: String,
}

impl TablesManifest {
    /// Reads the manifest of a release of several tables and checks its seal.
    ///
    /// # Errors
    /// There is no such manifest, it is not readable, or its seal is broken.
    pub fn read(dir: &Path) -> Result<TablesManifest, ManifestError> {
        TablesManifest::from_sealed_json(&text_in(dir)?)
    }

    /// Reads a sealed text.
    ///
    /// # Errors
    /// It is not such a manifest, or its seal is broken.
    pub fn from_sealed_json(text: &str) -> Result<TablesManifest, ManifestError> {
        let manifest: TablesManifest = serde_json::from_str(text)
            .map_err(|error| ManifestError::Form { line: error.line(), column: error.column() })?;
        if manifest.incrowd_tables != FORM {
            return Err(ManifestError::Version(manifest.incrowd_tables));
        }
        if seal_of(text, &manifest.seal).as_deref() != Some(manifest.seal.as_str()) {
            return Err(ManifestError::Seal);
        }
        Ok(manifest)
    }

    /// The text of the manifest, sealed: pretty JSON with a newline at the end.
    pub fn to_sealed_json(&self) -> String {
        let open = TablesManifest { seal: NO_SEAL.to_string(), ..self.clone() };
        // Plain data with text keys always has a JSON form.
        sealed(serde_json::to_string_pretty(&open).unwrap_or_default())
    }
}

/// The names of the tables, when a text is the manifest of several; its seal is not checked.
pub(super) fn table_names(text: &str) -> Option<Vec<String>> {
    let manifest: TablesManifest = serde_json::from_str(text).ok()?;
    Some(manifest.tables.into_iter().map(|table| table.name).collect())
}
