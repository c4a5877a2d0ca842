//! What the manifest of a release says to a question: columns, files, rows, and whether there are two tables.

use std::path::{Path, PathBuf};

use incrowd_core::Kind;
use incrowd_core::query::QueryError;
use incrowd_engine::{Engine, EngineError, Source};
use incrowd_verify::{ColumnEntry, FileEntry, Labels, Manifest, Technique, ValueType};

use crate::error::{Error, Result};
use crate::exposure::release_reading;
use crate::release::Record;

/// A manifest, as far as questions need it. Whether its promises hold is asked by `verify`, not here.
pub(super) struct ManifestFacts<'a>(pub(super) &'a Manifest);

/// A file of a release that is open for questions.
pub(super) struct OpenedFile {
    pub(super) source: Source,
    /// Texts that a spreadsheet would run have one apostrophe more than the value.
    escaped: bool,
}

impl ManifestFacts<'_> {
    /// The most rows that were suppressed. The custodian's record has the number; a reader takes the upper end of what
    /// the manifest gives, so that intervals hold.
    pub(super) fn withheld(&self, record: Option<&Record>) -> u64 {
        let exact = record.and_then(|record| record.counts.as_ref()).map(|counts| counts.suppressed_rows);
        exact.unwrap_or(self.0.suppressed_rows.most())
    }

    /// Whether the cells of a published column are the values themselves.
    pub(super) fn is_exact(&self, column: &str) -> Result<bool> {
        match self.entry(column).map(|known| known.technique) {
            Some(Technique::Retained | Technique::MovedToSecondTable) => Ok(true),
            Some(Technique::Removed) => Err(QueryError::new(
                format!("column “{column}” was removed from the release"),
                format!("the release has: {}", self.published().join(", ")),
            )
            .into()),
            Some(Technique::Generalized | Technique::Suppressed) => Ok(false),
            Some(Technique::Treated) => Err(QueryError::new(
                format!("column “{column}” was treated, so its published cells are not the values of the table"),
                format!("the release has: {}", self.published().join(", ")),
            )
            .into()),
            None => Err(EngineError::UnknownColumn { name: column.into(), known: self.published() }.into()),
        }
    }

    /// Whether the release declares that each label of a column holds every value that it stands for.
    pub(super) fn describes_itself(&self, column: &str) -> bool {
        self.entry(column).and_then(|known| known.labels) == Some(Labels::SelfDescribing)
    }

    /// The kind of a column's values in the original, as far as the release declares it.
    pub(super) fn kind(&self, column: &str) -> Option<Kind> {
        self.entry(column)?.value_type.map(|declared| match declared {
            ValueType::Integer => Kind::Integer,
            ValueType::Number => Kind::Number,
            ValueType::Date => Kind::Date,
            ValueType::Text => Kind::Text,
        })
    }

    fn entry(&self, column: &str) -> Option<&ColumnEntry> {
        self.0.columns.iter().find(|known| known.name == column)
    }

    fn published(&self) -> Vec<String> {
        let can_be_asked = |column: &&ColumnEntry| column.is_published() && column.technique != Technique::Treated;
        self.0.columns.iter().filter(can_be_asked).map(|column| column.name.clone()).collect()
    }

    /// Opens the file of this name, or all files, which are then one table.
    pub(super) fn open(&self, engine: &Engine, release: &Path, name: Option<&str>) -> Result<OpenedFile> {
        let is_asked = |file: &&FileEntry| name.is_none_or(|name| file.name == name);
        let files: Vec<&FileEntry> = self.0.files.iter().filter(is_asked).collect();
        let first = files.first().ok_or_else(|| damaged("its manifest does not list the requested file"))?;
        let paths: Vec<PathBuf> = files.iter().map(|file| release.join(&file.name)).collect();
        let source = Source::open_files(engine, &paths, release_reading(first))?;
        Ok(OpenedFile { source, escaped: first.escaped && first.format == incrowd_verify::Format::Csv })
    }
}

impl OpenedFile {
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
    let what = format!("the release cannot be queried: {why}");
    QueryError::new(what, "`incrowd verify DIR` lists the faults").into()
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
