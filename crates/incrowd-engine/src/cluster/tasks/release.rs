//! The files of a release that tasks write, whatever decided its rows.

use std::path::Path;

use incrowd_core::{Attribute, Kind};

use super::folder::{TaskFolder, of_task};
use super::job::WRITE;
use super::write::{TaskCells, TaskColumn, TaskFile, WRITE_PLAN, WritePlan, WrittenPart, part_file};
use crate::publish::recipe::{Applied, PublishedColumn};
use crate::publish::release_file::{TextStyle, WrittenFile};
use crate::publish::text_dialect::TextDialect;
use crate::runtime::error::{EngineError, Result};
use crate::source::encoding::TextEncoding;
use crate::source::files::Format;
use crate::source::table::Source;

/// What tasks write, and how much of it there has to be.
pub(super) struct TaskRelease<'a> {
    pub(super) folder: TaskFolder<'a>,
    pub(super) source: &'a Source,
    pub(super) format: Format,
    pub(super) escape: bool,
    pub(super) dialect: &'a TextDialect,
    pub(super) one_file: bool,
    pub(super) two_tables: bool,
    /// The rows of the table, and those that are suppressed.
    pub(super) rows: u64,
    pub(super) withheld: u64,
}

/// The columns of a release; nothing when tasks cannot write them.
pub(super) fn columns(attributes: &[Attribute], published: &[PublishedColumn]) -> Option<Vec<TaskColumn>> {
    let column = |column: &PublishedColumn| {
        let name = column.name().clone();
        let attribute = attributes.iter().find(|attribute| attribute.name == name);
        let days = attribute.is_some_and(|attribute| attribute.dictionary.kind() == Kind::Date);
        let cells = match column {
            PublishedColumn::Recoded { quasi_identifier, .. } => TaskCells::Labels(*quasi_identifier),
            PublishedColumn::Kept { treatment: None, .. } => TaskCells::Unchanged,
            PublishedColumn::ClassId { .. } => TaskCells::ClassId,
            PublishedColumn::Kept { .. } => return None,
        };
        Some(TaskColumn { name, cells, days })
    };
    published.iter().map(column).collect()
}

impl TaskRelease<'_> {
    pub(super) fn changed(&self) -> EngineError {
        EngineError::Changed(self.source.name().into())
    }

    /// Whether one task writes each table into one file: two tables are two files, and some formats cannot be cut.
    pub(super) fn is_one_file(&self) -> bool {
        let is_cut = matches!(self.format, Format::Csv | Format::Parquet | Format::Arrow);
        self.one_file || self.two_tables || !is_cut
    }

    pub(super) fn put_write_plan(&self, drawn: bool, numbered: Option<usize>) -> Result<()> {
        let plan = WritePlan {
            format: self.format,
            escape: self.escape,
            delimiter: self.dialect.delimiter,
            encoding: self.dialect.encoding.map(|encoding| TextEncoding::name(encoding).to_string()),
            decimal_commas: self.dialect.decimal_commas.clone(),
            drawn,
            one_file: self.is_one_file(),
            numbered,
        };
        self.folder.put_json(WRITE_PLAN, &plan)
    }

    /// The name of a file: of a part it is its place in a random order, which says nothing.
    fn file_name(&self, (part, parts): (usize, usize), table: usize) -> String {
        let extension = self.format.name().to_lowercase();
        match (self.two_tables, parts) {
            (true, _) => format!("{}.{extension}", ["quasi_identifiers", "sensitive"][table.min(1)]),
            (false, 1) => format!("data.{extension}"),
            (false, _) => format!("data-{:05}.{extension}", part + 1),
        }
    }

    /// Puts the parts into the folder of the release. A task that still runs puts its part into the folder of the tasks,
    /// and does not reach them.
    pub(super) fn taken(&self, parts: usize, folder: &Path) -> Result<Applied> {
        let style = TextStyle { escape: self.escape, dialect: self.dialect.clone() };
        let style = if self.format == Format::Csv { style } else { TextStyle::default() };
        let (mut files, mut withheld) = (Vec::with_capacity(parts), 0);
        for part in 0..parts {
            let written: WrittenPart = self.folder.json(&of_task(WRITE, part))?;
            withheld += written.withheld;
            for (table, TaskFile { rows, bytes, sha256 }) in written.files.into_iter().enumerate() {
                let name = self.file_name((part, parts), table);
                let path = folder.join(&name);
                let failed = |error| EngineError::io(&path, error);
                if path.exists() {
                    return Err(failed(std::io::ErrorKind::AlreadyExists.into()));
                }
                self.folder.take(&part_file(part, table), &path)?;
                files.push(WrittenFile { name, format: self.format, rows, bytes, sha256, style: style.clone() });
            }
        }
        let tables = if self.two_tables { 2 } else { 1 };
        let rows: u64 = files.iter().step_by(tables).map(|file| file.rows).sum();
        let is_whole = files.len() == tables * parts && (tables == 1 || files.iter().all(|file| file.rows == rows));
        if withheld != self.withheld || rows + withheld != self.rows || !is_whole {
            return Err(self.changed());
        }
        Ok(Applied::of(files, rows, withheld))
    }
}
