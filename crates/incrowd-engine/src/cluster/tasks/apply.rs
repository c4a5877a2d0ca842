//! Recoding and writing by tasks, as the one who starts them sees it.

use std::path::Path;

use incrowd_core::{Kind, Recoding, Stage};

use super::folder::{TaskFolder, of_task};
use super::job::{RECODE, WRITE};
use super::recode::{PLAN, RecodePlan, RecodedStretch, SOURCE, split_file, tuple_sum};
use super::space::TaskSpace;
use super::write::{TaskCells, TaskColumn, TaskFile, WRITE_PLAN, WritePlan, WrittenPart, drawn_file, part_file};
use super::{coded, labels};
use crate::cluster::exchange::stamps;
use crate::count::codebook::Codebook;
use crate::count::groups::{ExecutorGroups, FileStamp};
use crate::publish::recipe::{Applied, PublishedColumn, Recipe};
use crate::publish::release_file::{TextStyle, WrittenFile};
use crate::publish::row_assignment::RowAssignments;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::narrow::number32;
use crate::source::encoding::TextEncoding;
use crate::source::files::Format;
use crate::source::table::Source;

/// The most parts, and so files, of a release.
const MOST_PARTS: u64 = 1 << 16;

/// How large tasks are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaskSizes {
    /// A task has at least this many rows, as long as there are no more than `usual_tasks`.
    pub(super) least_rows: u64,
    pub(super) usual_tasks: u64,
    /// The most rows of a stretch: a task holds the cells that it publishes of them.
    pub(super) most_rows: u64,
    /// The most bytes of a part, about: a task holds its rows.
    pub(super) part_bytes: u64,
}

impl TaskSizes {
    /// Stretches and parts of at least this many rows, which a task holds in memory a few times over.
    pub(crate) const fn of_at_least(rows: u64) -> TaskSizes {
        let least_rows = if rows == 0 { 1 } else { rows };
        TaskSizes { least_rows, usual_tasks: 64, most_rows: 1 << 21, part_bytes: 64 << 20 }
    }

    /// Into how many tasks this many rows are cut.
    pub(crate) fn tasks(self, rows: u64) -> usize {
        let usual = (rows / self.least_rows).clamp(1, self.usual_tasks);
        usize::try_from(usual.max(rows.div_ceil(self.most_rows))).unwrap_or(usize::MAX)
    }

    /// How many upper bits of a row's place name its part.
    fn part_bits(self, source: &Source, recipe: &Recipe<'_>) -> u32 {
        let most_rows = (self.part_bytes / source.row_bytes().max(1)).clamp(1, self.most_rows);
        let parts = TaskSizes { most_rows, ..self }.tasks(recipe.table.rows()) as u64;
        parts.min(MOST_PARTS).next_power_of_two().trailing_zeros()
    }
}

/// Whether one task writes each table into one file: two tables are two files, and some formats cannot be cut.
fn is_one_file(recipe: &Recipe<'_>) -> bool {
    let is_cut = matches!(recipe.format, Format::Csv | Format::Parquet | Format::Arrow);
    recipe.one_file || recipe.second.is_some() || !is_cut
}

/// What was counted, which the rows have to agree with.
#[derive(Clone, Copy)]
pub(crate) struct CountedTable<'a> {
    pub(super) codebook: &'a Codebook,
    pub(super) files: &'a [FileStamp],
    /// The rows of each stretch, if tasks counted them.
    pub(super) stretch_rows: &'a [u64],
}

impl<'a> CountedTable<'a> {
    pub(crate) fn new(codebook: &'a Codebook, groups: &'a ExecutorGroups) -> CountedTable<'a> {
        CountedTable { codebook, files: &groups.files, stretch_rows: &groups.stretch_rows }
    }

    /// The rows of each stretch: those that tasks counted, or what the files say of themselves.
    fn stretches(self, source: &Source, sizes: TaskSizes, rows: u64) -> Option<Vec<u64>> {
        match self.stretch_rows {
            [] => source.stretch_rows(sizes.tasks(rows)),
            counted => Some(counted.to_vec()),
        }
    }
}

/// A release that is made by tasks.
struct ByTasks<'a> {
    space: &'a TaskSpace<'a>,
    source: &'a Source,
    recipe: &'a Recipe<'a>,
    folder: TaskFolder<'a>,
}

/// As a local run: reads the rows again, recodes, shuffles and writes them, by tasks. Nothing when these cannot read the
/// table, or write one of its columns.
pub(crate) fn apply(
    (space, sizes): (&TaskSpace<'_>, TaskSizes),
    source: &Source,
    counted: CountedTable<'_>,
    recipe: &Recipe<'_>,
    folder: &Path,
) -> Result<Option<Applied>> {
    let described = columns(recipe, recipe.columns).zip(match recipe.second {
        Some(second) => columns(recipe, second).map(Some),
        None => Some(None),
    });
    let rows = counted.stretches(source, sizes, recipe.table.rows());
    let (Some(rows), Some((columns, second))) = (rows, described) else { return Ok(None) };
    let Some(parts) = source.parts(rows.len())? else { return Ok(None) };
    let run = ByTasks { space, source, recipe, folder: space.folder() };
    run.folder.put_json(SOURCE, &parts)?;
    let starts = rows.iter().scan(0, |next, rows| Some(std::mem::replace(next, *next + rows)));
    let classes = number32(recipe.recoding.classes());
    let bits = sizes.part_bits(source, recipe);
    let (first, rows_in_all) = (starts.collect(), recipe.table.rows());
    let plan = RecodePlan { key: recipe.key, first, bits, classes, columns, second, rows: rows_in_all };
    run.folder.put_json(PLAN, &plan)?;
    let seats = RowAssignments::new(recipe.table, recipe.recoding);
    coded::put(run.folder, counted.codebook.parts(recipe.table.attributes()), recipe.table, &seats)?;
    labels::put(run.folder, recipe.recoding, recipe.quasi_identifiers)?;

    run.space.run(Stage::Recode, RECODE, rows.len())?;
    let drawn = run.draw(&seats, &plan, &rows)?;
    run.put_write_plan(drawn)?;
    let tasks = if is_one_file(recipe) { 1 } else { 1 << bits };
    run.space.run(Stage::Write, WRITE, tasks)?;
    // The files are those that were counted.
    if counted.files != stamps(source)? {
        return Err(run.changed());
    }
    run.taken(tasks, folder).map(Some)
}

/// The columns of the release; nothing when tasks cannot write them.
fn columns(recipe: &Recipe<'_>, published: &[PublishedColumn]) -> Option<Vec<TaskColumn>> {
    let column = |column: &PublishedColumn| {
        let name = column.name().clone();
        let attribute = recipe.table.position(&name).map(|at| &recipe.table.attributes()[at]);
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

impl ByTasks<'_> {
    fn changed(&self) -> EngineError {
        EngineError::Changed(self.source.name().into())
    }

    /// Compares what was recoded with what was counted, and draws the classes of rows whose tuple is split, as a local
    /// run draws them: in the order of the release. Says whether there are such rows.
    fn draw(&self, seats: &RowAssignments, plan: &RecodePlan, rows: &[u64]) -> Result<bool> {
        let (table, key) = (self.recipe.table, &self.recipe.key);
        let sums = (0..table.tuples()).map(|tuple| tuple_sum(key, number32(tuple)).wrapping_mul(table.count(tuple)));
        let expected = sums.fold(0, u64::wrapping_add);
        let (mut found, mut split) = (0u64, Vec::new());
        for (task, &rows) in rows.iter().enumerate() {
            let recoded: RecodedStretch = self.folder.json(&of_task(RECODE, task))?;
            found = found.wrapping_add(recoded.sum);
            if recoded.rows != rows {
                return Err(self.changed());
            }
            if recoded.split > 0 {
                split.extend_from_slice(self.folder.words(&split_file(task))?.as_chunks::<3>().0);
            }
        }
        if found != expected {
            return Err(self.changed());
        }
        if split.is_empty() {
            return Ok(false);
        }
        split.sort_unstable();
        let mut draws = seats.draws(self.recipe.recoding);
        let part_of = |order: u64| order.checked_shr(64 - plan.bits).unwrap_or(0) as usize;
        let mut drawn: Vec<Vec<u64>> = vec![Vec::new(); 1 << plan.bits];
        for [order, draw, seat] in split {
            let class =
                u32::try_from(seat).ok().and_then(|seat| draws.class(seat, draw)).ok_or_else(|| self.changed())?;
            drawn[part_of(order)].extend([order, draw, u64::from(class)]);
        }
        for (part, drawn) in drawn.into_iter().enumerate() {
            self.folder.put_words(&drawn_file(part), drawn.into_iter())?;
        }
        Ok(true)
    }

    fn put_write_plan(&self, drawn: bool) -> Result<()> {
        let Recipe { format, escape_formulas, dialect, .. } = self.recipe;
        let plan = WritePlan {
            format: *format,
            escape: *escape_formulas,
            delimiter: dialect.delimiter,
            encoding: dialect.encoding.map(|encoding| TextEncoding::name(encoding).to_string()),
            decimal_commas: dialect.decimal_commas.clone(),
            drawn,
            one_file: is_one_file(self.recipe),
        };
        self.folder.put_json(WRITE_PLAN, &plan)
    }

    /// The name of a file: of a part it is its place in a random order, which says nothing.
    fn file_name(&self, (part, parts): (usize, usize), table: usize) -> String {
        let extension = self.recipe.format.name().to_lowercase();
        match (self.recipe.second, parts) {
            (Some(_), _) => format!("{}.{extension}", ["quasi_identifiers", "sensitive"][table.min(1)]),
            (None, 1) => format!("data.{extension}"),
            (None, _) => format!("data-{:05}.{extension}", part + 1),
        }
    }

    /// Puts the parts into the folder of the release. A task that still runs puts its part into the folder of the tasks,
    /// and does not reach them.
    fn taken(&self, parts: usize, folder: &Path) -> Result<Applied> {
        let Recipe { format, recoding, table, .. } = self.recipe;
        let style = TextStyle { escape: self.recipe.escape_formulas, dialect: self.recipe.dialect.clone() };
        let style = if *format == Format::Csv { style } else { TextStyle::default() };
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
                std::fs::rename(self.folder.file(&part_file(part, table)), &path).map_err(failed)?;
                files.push(WrittenFile { name, format: *format, rows, bytes, sha256, style: style.clone() });
            }
        }
        let targets = (0..table.tuples()).flat_map(|tuple| recoding.targets(tuple));
        let expected: u64 = targets.filter(|target| target.0 == Recoding::WITHHELD).map(|target| target.1).sum();
        let tables = if self.recipe.second.is_some() { 2 } else { 1 };
        let rows: u64 = files.iter().step_by(tables).map(|file| file.rows).sum();
        let is_whole = files.len() == tables * parts && (tables == 1 || files.iter().all(|file| file.rows == rows));
        if withheld != expected || rows + withheld != table.rows() || !is_whole {
            return Err(self.changed());
        }
        Ok(Applied { files, rows, withheld, in_known_order: true, spilled_bytes: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_rows_are_many_tasks_and_few_are_one() {
        let cut = |rows| TaskSizes::of_at_least(1 << 17).tasks(rows);
        assert_eq!([0, 1, 200_000, 300_000].map(cut), [1, 1, 1, 2]);
        assert_eq!([10_000_000, 100_000_000].map(cut), [64, 64]);
        assert_eq!(cut(10_000_000_000), 4_769);
    }
}
