//! The files of a release, with their checksums.

use encoding_rs::Encoding;
use serde::{Deserialize, Serialize};

use super::Manifest;
use super::sha256::sha256_hex;

/// The name of the log of a release that is a Delta table: its first and only version.
pub const DELTA_LOG: &str = "_delta_log/00000000000000000000.json";

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
    /// What this form of release does not hide, in words for the reader.
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
    /// The dialect of a CSV file, if it is not UTF-8 with commas and decimal points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<FileDialect>,
}

/// How a CSV file is written, if not as UTF-8 with commas and decimal points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileDialect {
    /// What separates cells.
    pub delimiter: char,
    /// The encoding, unless it is UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Columns whose numbers are written with a decimal comma. Other cells of these columns are labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decimal_comma: Vec<String>,
}

impl FileDialect {
    /// What separates cells, if it is a character that can.
    pub(crate) fn separator(&self) -> Option<u8> {
        let byte = u8::try_from(self.delimiter).ok().filter(u8::is_ascii)?;
        (!byte.is_ascii_alphanumeric() && !b"\r\n\"'.-".contains(&byte)).then_some(byte)
    }

    /// The encoding that it names, or that it names an unknown one.
    pub(crate) fn decoder(&self) -> Result<Option<&'static Encoding>, ()> {
        let named = |name: &String| Encoding::for_label_no_replacement(name.as_bytes()).ok_or(());
        self.encoding.as_ref().map(named).transpose()
    }
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

/// The log by which the Parquet files of a release are a Delta table with one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeltaEntry {
    /// The length of the log.
    pub bytes: u64,
    /// SHA-256 of its bytes, 64 hexadecimal digits.
    pub sha256: String,
}

impl DeltaEntry {
    /// The entry of a log.
    pub fn of(log: &str) -> DeltaEntry {
        DeltaEntry { bytes: log.len() as u64, sha256: sha256_hex(log.as_bytes()) }
    }
}

impl Manifest {
    /// The names and lengths of the files of the release, besides the manifest.
    pub fn listed_files(&self) -> impl Iterator<Item = (&str, u64)> {
        let files = self.files.iter().map(|file| (file.name.as_str(), file.bytes));
        let page = self.report.iter().map(|page| (page.name.as_str(), page.bytes));
        files.chain(page).chain(self.delta.iter().map(|log| (DELTA_LOG, log.bytes)))
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
    /// A workbook with one sheet.
    Xlsx,
    /// A file of Stata.
    Dta,
    /// A file of SPSS.
    Sav,
}

/// The population that the policy is about: which table it was, and no value of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PopulationEntry {
    /// How many rows the table has.
    pub rows: u64,
    /// How many people these rows stand for.
    pub people: u64,
    /// The column that says how many people a row stands for; one person each when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count_column: Option<String>,
    /// SHA-256 of the bytes of the table.
    pub sha256: String,
}

#[cfg(test)]
mod tests {
    use super::FileDialect;

    #[test]
    fn a_separator_is_no_part_of_a_number_or_of_a_quoted_cell() {
        let separator = |delimiter| FileDialect { delimiter, encoding: None, decimal_comma: Vec::new() }.separator();
        for able in [',', ';', '\t', '|', ' '] {
            assert_eq!(separator(able).map(char::from), Some(able));
        }
        for unable in ['a', '7', '"', '\'', '.', '-', '\n', '\r', '§', '€'] {
            assert_eq!(separator(unable), None, "{unable:?}");
        }
    }
}
