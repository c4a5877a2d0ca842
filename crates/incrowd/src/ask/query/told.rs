//! What the manifest of a release tells whoever asks it: columns, files, rows, and whether there are two tables.

use std::path::Path;

use incrowd_core::Kind;
use incrowd_core::query::QueryError;
use incrowd_engine::{Engine, EngineError, Format, ReadOptions, Source};
use incrowd_verify::{Count, Manifest, TwoTables};
use serde::Deserialize;

use crate::error::{Error, Result};
use crate::release::Record;

/// The part of a manifest that questions need. Whether its promises hold is asked by `verify`, not here.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Told {
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
    labels: Option<String>,
    #[serde(rename = "type")]
    value_type: Option<String>,
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
    /// The most rows that were withheld. The custodian's record has the number; a reader takes the upper end of what the
    /// manifest tells, so that intervals hold.
    pub(super) fn withheld(&self, record: Option<&Record>) -> u64 {
        let exact = record.and_then(|record| record.counts.as_ref()).map(|counts| counts.suppressed_rows);
        exact.unwrap_or(self.suppressed_rows.most())
    }

    /// What a manifest tells.
    pub(super) fn of(manifest: &Manifest) -> Result<Told> {
        let value = serde_json::to_value(manifest).unwrap_or_default();
        serde_json::from_value(value).map_err(|_| damaged("its manifest cannot be read"))
    }

    /// Whether the cells of a published column are the values themselves.
    pub(super) fn is_exact(&self, column: &str) -> Result<bool> {
        match self.entry(column).map(|known| known.technique.as_str()) {
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

    /// Whether the release declares that each label of a column holds every value that it stands for.
    pub(super) fn describes_itself(&self, column: &str) -> bool {
        self.entry(column).and_then(|known| known.labels.as_deref()) == Some("self-describing")
    }

    /// The kind of a column's values in the original, as far as the release declares it.
    pub(super) fn kind(&self, column: &str) -> Option<Kind> {
        let declared = self.entry(column)?.value_type.as_deref()?;
        [Kind::Integer, Kind::Number, Kind::Date, Kind::Text].into_iter().find(|kind| kind.name() == declared)
    }

    fn entry(&self, column: &str) -> Option<&ToldColumn> {
        self.columns.iter().find(|known| known.name == column)
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
        let options = ReadOptions { delimiter, header: Some(true), format: Some(format), ..ReadOptions::default() };
        let source = Source::open(engine, &release.join(&file.name).to_string_lossy(), options)?;
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
