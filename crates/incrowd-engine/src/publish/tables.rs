//! The tables of a release: one, or two that only the class of a row joins.

use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::DataType;
use incrowd_core::Kind;

use super::class_ids::class_ids;
use super::kept_cells::KeptColumn;
use super::labels::{DomainLabels, LabelTexts};
use super::memory_shares::MemoryShares;
use super::publishing::Publishing;
use super::recipe::{Applied, PublishedColumn};
use super::release_file::{Encoding, ReleaseFile, TextStyle, WrittenColumn, WrittenFile};
use super::row_assignment::ClassDraws;
use super::second_table::Second;
use super::staging::{RowStaging, Staged, Stager};
use super::write_rows::Writing;
use crate::count::spill::Spills;
use crate::runtime::engine::Engine;
use crate::runtime::error::Result;
use crate::runtime::thread_pool::on_threads;
use crate::source::statistics::StatisticsFacts;

/// What the tables of a release are written from.
pub(crate) struct ReleaseTables<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) publishing: &'a Publishing<'a>,
    /// The kept columns of the first table and then those of the second.
    pub(crate) kept: &'a [KeptColumn],
    pub(crate) rooms: MemoryShares,
    pub(crate) spills: Arc<Spills>,
    pub(crate) folder: &'a Path,
    /// What the file that was read says of its columns.
    pub(crate) statistics: Option<&'a StatisticsFacts>,
}

impl ReleaseTables<'_> {
    /// Writes the rows that wait.
    pub(crate) fn write(&self, staging: &RowStaging, staged: Vec<Staged>, draws: ClassDraws) -> Result<Applied> {
        let (recipe, threads) = (self.publishing, self.engine.threads);
        // Only two tables are joined by them.
        let ids = class_ids(recipe.key, if recipe.second.is_some() { recipe.cells.classes() } else { 0 });
        let labels = DomainLabels(recipe.quasi_identifiers);
        let (total, label_bytes) = (recipe.rows, long_labels(&labels));
        let writing = |columns, kept, encoding| {
            let (engine, at_once) = (self.engine, self.rooms.blocks);
            Writing {
                engine,
                cells: recipe.cells,
                labels: &labels,
                columns,
                kept,
                class_ids: &ids,
                encoding,
                label_bytes,
                at_once,
                total,
            }
        };
        let Some(columns) = recipe.second else {
            let (mut file, encoding) = self.begin("data", recipe.columns)?;
            let writing = writing(recipe.columns, self.kept, encoding);
            let withheld = on_threads(threads, || writing.run(staging, staged, draws, None, &mut file))?;
            let files = vec![file.finish()?];
            return Ok(self.written(files, withheld));
        };
        let first_kept = recipe.columns.iter().filter(|column| matches!(column, PublishedColumn::Kept { .. })).count();
        let kept = &self.kept[first_kept..];
        let waiting = Arc::new(RowStaging::new(kept, total, threads, self.rooms, self.spills.clone()));
        let mut second = Second::new(Stager::new(waiting.clone()), first_kept..self.kept.len(), recipe.key);
        let (mut first_file, encoding) = self.begin("quasi_identifiers", recipe.columns)?;
        let first = writing(recipe.columns, self.kept, encoding);
        let withheld = on_threads(threads, || first.run(staging, staged, draws, Some(&mut second), &mut first_file))?;
        let first_file = first_file.finish()?;
        let (mut second_file, encoding) = self.begin("sensitive", columns)?;
        let last = writing(columns, kept, encoding);
        let (staged, told) = (vec![second.finish()?], ClassDraws::told(recipe.cells.classes()));
        on_threads(threads, || last.run(&waiting, staged, told, None, &mut second_file))?;
        let files = vec![first_file, second_file.finish()?];
        Ok(self.written(files, withheld))
    }

    fn written(&self, files: Vec<WrittenFile>, withheld: u64) -> Applied {
        let rows = files.first().map_or(0, |file| file.rows);
        Applied { spilled_bytes: self.spills.bytes(), ..Applied::of(files, rows, withheld) }
    }

    fn begin(&self, table: &str, columns: &[PublishedColumn]) -> Result<(ReleaseFile, Encoding)> {
        let columns = columns.iter().map(|column| self.column(column)).collect();
        let style = TextStyle { escape: self.publishing.escape_formulas, dialect: self.publishing.dialect.clone() };
        ReleaseFile::create(self.folder, table, self.publishing.format, columns, style)
    }

    /// How a column is stored in its file.
    fn column(&self, column: &PublishedColumn) -> WrittenColumn {
        let name = column.name();
        let kept = |name: &str| self.kept.iter().find(|kept| kept.name() == name);
        let data_type = match column {
            PublishedColumn::Recoded { .. } => None,
            PublishedColumn::Kept { name, .. } => kept(name).map(|kept| kept.data_type().clone()),
            PublishedColumn::ClassId { .. } => Some(DataType::UInt32),
        };
        let attribute = self.publishing.attributes.iter().find(|attribute| attribute.name == *name);
        let days = attribute.is_some_and(|attribute| attribute.dictionary.kind() == Kind::Date);
        let statistics = self.statistics.and_then(|facts| facts.variable(name)).cloned();
        WrittenColumn { name: name.clone(), kept: data_type, days, statistics }
    }
}

/// The most bytes that the labels of a row take together; 0 where none is long, so that blocks are cut by rows alone.
pub(crate) fn long_labels(labels: &dyn LabelTexts) -> usize {
    const LONG: usize = 1 << 10;
    (0..labels.columns()).map(|column| labels.longest(column)).filter(|&longest| longest > LONG).sum()
}
