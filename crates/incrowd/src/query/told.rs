//! What the manifest of a release tells whoever asks it: columns, files, rows, and whether there are two tables.

use std::path::{Path, PathBuf};

use incrowd_core::query::QueryError;
use incrowd_engine::{Engine, EngineError, Format, ReadOptions, Source};
use incrowd_verify::{Count, TwoTables};
use serde::Deserialize;

use crate::error::{Error, Result};
use crate::release::{MANIFEST, Record};

/// The part of a manifest that questions need. Whether it is true is asked by `verify`, not here.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Told {
    #[serde(default)]
    release: String,
    pub(super) rows: u64,
    suppressed_rows: Count,
    columns: Vec<ToldColumn>,
    files: Vec<ToldFile>,
    pub(super) two_tables: Option<TwoTables>,
}

#[derive(Clone, Debug, Deserialize)]
struct ToldColumn {
    name: String,
    technique: String,
}

#[derive(Clone, Debug, Deserialize)]
struct ToldFile {
    name: String,
    format: String,
    #[serde(default)]
    escaped: bool,
}

/// A file of a release that is open for questions.
pub(super) struct Opened {
    pub(super) source: Source,
    /// Texts that a spreadsheet would run have one apostrophe more than the value.
    escaped: bool,
}

impl Told {
    pub(super) fn read(release: &Path) -> Result<Told> {
        if !release.is_dir() {
            return Err(Error::NotARelease(release.into()));
        }
        let path = release.join(MANIFEST);
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::NotARelease(release.into()));
            }
            read => read.map_err(|error| Error::file(&path, &error))?,
        };
        // The words of the parser may quote what stands in the text.
        serde_json::from_str(&text).map_err(|_| damaged("its manifest cannot be read"))
    }

    /// The most rows that were withheld. The custodian's record has the number; a reader takes the upper end of what the
    /// manifest tells, so that intervals hold.
    pub(super) fn withheld(&self, release: &Path) -> u64 {
        let record = Record::of(release).ok().flatten().filter(|record| record.release == self.release);
        let exact = record.and_then(|record| record.counts).map(|counts| counts.suppressed_rows);
        exact.unwrap_or(self.suppressed_rows.most())
    }

    /// Whether the cells of a published column are the values themselves.
    pub(super) fn is_exact(&self, column: &str) -> Result<bool> {
        match self.columns.iter().find(|known| known.name == column).map(|known| known.technique.as_str()) {
            Some("retained" | "moved-to-second-table") => Ok(true),
            Some("removed") => Err(QueryError::new(
                format!("column “{column}” was removed from the release"),
                format!("the release has: {}", self.published().join(", ")),
            )
            .into()),
            Some(_) => Ok(false),
            None => Err(EngineError::UnknownColumn { name: column.into(), known: self.published() }.into()),
        }
    }

    fn published(&self) -> Vec<String> {
        self.columns.iter().filter(|column| column.technique != "removed").map(|column| column.name.clone()).collect()
    }

    /// Opens the file of this name, or the only one there is.
    pub(super) fn open(&self, engine: &Engine, release: &Path, name: Option<&str>) -> Result<Opened> {
        let file = match (name, &self.files[..]) {
            (None, [only]) => Some(only),
            (None, _) => None,
            (Some(name), files) => files.iter().find(|file| file.name == name),
        };
        let file = file.ok_or_else(|| damaged("its manifest does not name the file that is asked"))?;
        let format = match file.format.as_str() {
            "csv" => Format::Csv,
            "parquet" => Format::Parquet,
            "arrow" => Format::Arrow,
            _ => return Err(damaged("its manifest names a format that is not known")),
        };
        let delimiter = (format == Format::Csv).then_some(b',');
        let options = ReadOptions { delimiter, format: Some(format), ..ReadOptions::default() };
        let path: PathBuf = release.join(&file.name);
        let source = Source::open(engine, &path.to_string_lossy(), options)?;
        Ok(Opened { source, escaped: file.escaped && format == Format::Csv })
    }
}

impl Opened {
    /// The name under which the file has a column; nothing when it has none.
    pub(super) fn column(&self, name: &str) -> Option<String> {
        let columns = self.source.columns();
        columns.into_iter().find(|column| column == name || self.escaped && unescaped(column) == name)
    }

    /// Whether texts may have an apostrophe more than the value.
    pub(super) fn is_escaped(&self) -> bool {
        self.escaped
    }

    /// A text of the file as the value it stands for.
    pub(super) fn value<'a>(&self, text: &'a str) -> &'a str {
        if self.escaped { unescaped(text) } else { text }
    }
}

/// A text without the apostrophe that keeps a spreadsheet from running it.
fn unescaped(text: &str) -> &str {
    let bare = text.trim_start_matches('\'');
    let escaped = bare.len() < text.len() && bare.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if escaped { &text[1..] } else { text }
}

pub(super) fn damaged(why: &str) -> Error {
    let what = format!("the release cannot be asked: {why}");
    QueryError::new(what, "`incrowd verify DIR` says what is wrong with it").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_apostrophe_is_taken_only_where_one_was_added() {
        for (written, value) in [("'=1+1", "=1+1"), ("''=1", "'=1"), ("'twas", "'twas"), ("-5", "-5"), ("'-x", "-x")] {
            assert_eq!(unescaped(written), value);
        }
    }
}
