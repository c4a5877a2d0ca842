//! Recoding and writing by tasks, as the one who starts them sees it.

use std::path::Path;

use incrowd_core::{Recoding, Stage};

use super::folder::of_task;
use super::job::{RECODE, WRITE};
use super::part_rows::drawn_file;
use super::recode::{PLAN, RecodePlan, RecodedStretch, SOURCE, split_file, tuple_sum};
use super::release::{TaskRelease, columns};
use super::shards::ExecutorClasses;
use super::space::TaskSpace;
use super::{coded, labels};
use crate::cluster::exchange::stamps;
use crate::count::codebook::Codebook;
use crate::count::groups::{ExecutorGroups, FileStamp};
use crate::out_of_core::RowRecipe;
use crate::publish::recipe::{Applied, Recipe};
use crate::publish::row_assignment::RowAssignments;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::narrow::number32;
use crate::source::table::Source;

/// The most parts, and so files, of a release.
const MOST_PARTS: u64 = 1 << 16;

/// How large tasks are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaskSizes {
    /// A task has at least this many rows, as long as there are no more than `usual_tasks`.
    pub(super) least_rows: u64,
    pub(super) usual_tasks: u64,
    /// The most rows of a stretch, as long as there are no more than `most_tasks`: a task holds what it publishes of them, or
    /// its disk does.
    pub(super) most_rows: u64,
    /// A part reads a piece of each stretch, and the scheduler hands out one task after the other: more take longer.
    pub(super) most_tasks: u64,
    /// The most bytes of a part, about: a task holds its rows.
    pub(super) part_bytes: u64,
}

impl TaskSizes {
    /// Stretches and parts of at least this many rows, which a task holds in memory a few times over.
    pub(crate) const fn of_at_least(rows: u64) -> TaskSizes {
        let least_rows = if rows == 0 { 1 } else { rows };
        TaskSizes { least_rows, usual_tasks: 64, most_rows: 1 << 21, most_tasks: 1 << 17, part_bytes: 64 << 20 }
    }

    /// Into how many tasks this many rows are cut.
    pub(crate) fn tasks(self, rows: u64) -> usize {
        let usual = (rows / self.least_rows).clamp(1, self.usual_tasks);
        usize::try_from(usual.max(rows.div_ceil(self.most_rows).min(self.most_tasks))).unwrap_or(usize::MAX)
    }

    /// Whether this many rows are cut into at least the usual number of tasks.
    pub(crate) fn are_many(self, rows: u64) -> bool {
        self.tasks(rows) as u64 >= self.usual_tasks
    }

    /// How many upper bits of a row's place name its part.
    fn part_bits(self, source: &Source, rows: u64) -> u32 {
        let most_rows = (self.part_bytes / source.row_bytes().max(1)).clamp(1, self.most_rows);
        let parts = TaskSizes { most_rows, ..self }.tasks(rows) as u64;
        parts.min(MOST_PARTS).next_power_of_two().trailing_zeros()
    }
}

/// What was counted, which the rows have to agree with.
#[derive(Clone, Copy)]
pub(crate) struct CountedByTasks<'a> {
    pub(super) codebook: &'a Codebook,
    pub(super) files: &'a [FileStamp],
    /// The rows of each stretch, if tasks counted them.
    pub(super) stretch_rows: &'a [u64],
}

impl<'a> CountedByTasks<'a> {
    pub(crate) fn new(codebook: &'a Codebook, groups: &'a ExecutorGroups) -> CountedByTasks<'a> {
        CountedByTasks { codebook, files: &groups.files, stretch_rows: &groups.stretch_rows }
    }

    /// The rows of each stretch: those that tasks counted, or what the files say of themselves.
    fn stretches(self, source: &Source, sizes: TaskSizes, rows: u64) -> Option<Vec<u64>> {
        match self.stretch_rows {
            [] => source.stretch_rows(sizes.tasks(rows)),
            counted => Some(counted.to_vec()),
        }
    }
}

/// As a local run: reads the rows again, recodes, shuffles and writes them, by tasks. Nothing when these cannot read the
/// table, or write one of its columns.
pub(crate) fn apply(
    (space, sizes): (&TaskSpace<'_>, TaskSizes),
    source: &Source,
    counted: CountedByTasks<'_>,
    recipe: &Recipe<'_>,
    folder: &Path,
) -> Result<Option<Applied>> {
    let (table, recoding) = (recipe.table, recipe.recoding);
    let described = columns(table.attributes(), recipe.columns).zip(match recipe.second {
        Some(second) => columns(table.attributes(), second).map(Some),
        None => Some(None),
    });
    let rows = counted.stretches(source, sizes, table.rows());
    let (Some(rows), Some((columns, second))) = (rows, described) else { return Ok(None) };
    let Some(parts) = source.parts(rows.len())? else { return Ok(None) };
    let targets = (0..table.tuples()).flat_map(|tuple| recoding.targets(tuple));
    let release = TaskRelease {
        folder: space.folder(),
        source,
        format: recipe.format,
        escape: recipe.escape_formulas,
        dialect: recipe.dialect,
        one_file: recipe.one_file,
        two_tables: second.is_some(),
        rows: table.rows(),
        withheld: targets.filter(|target| target.0 == Recoding::WITHHELD).map(|target| target.1).sum(),
    };
    release.folder.put_json(SOURCE, &parts)?;
    let classes = number32(recoding.classes());
    let bits = sizes.part_bits(source, table.rows());
    let first = starts(&rows);
    let plan = RecodePlan { key: recipe.key, first, bits, classes, columns, second, rows: table.rows() };
    release.folder.put_json(PLAN, &plan)?;
    let seats = RowAssignments::new(table, recoding);
    coded::put(release.folder, counted.codebook.parts(table.attributes()), table, &seats)?;
    labels::put(release.folder, recoding, recipe.quasi_identifiers)?;

    space.run(Stage::Recode, RECODE, rows.len())?;
    let drawn = draw(&release, recipe, &seats, (&plan, &rows))?;
    release.put_write_plan(drawn, None)?;
    write(space, &release, (source, counted.files), bits, folder).map(Some)
}

/// The same for a table that was solved in shards: rows get what was noted for them.
pub(crate) fn apply_by_row(
    (space, sizes): (&TaskSpace<'_>, TaskSizes),
    source: &Source,
    classes: &ExecutorClasses,
    recipe: &RowRecipe<'_>,
    folder: &Path,
) -> Result<Applied> {
    let refused = || EngineError::NotOnCluster { what: "treating columns" };
    let columns = columns(recipe.attributes, recipe.columns).ok_or_else(refused)?;
    let release = TaskRelease {
        folder: space.folder(),
        source,
        format: recipe.format,
        escape: recipe.escape_formulas,
        dialect: recipe.dialect,
        one_file: recipe.one_file,
        two_tables: false,
        rows: classes.rows(),
        withheld: classes.withheld(),
    };
    let (rows, bits) = (&classes.stretch_rows, sizes.part_bits(source, classes.rows()));
    // All rows have one class: what they publish is in columns of their own.
    let plan = RecodePlan {
        key: recipe.key,
        first: starts(rows),
        bits,
        classes: 1,
        columns,
        second: None,
        rows: classes.rows(),
    };
    release.folder.put_json(PLAN, &plan)?;
    let job = classes.recode_job();
    space.run(Stage::Recode, &job, rows.len())?;
    for (task, &rows) in rows.iter().enumerate() {
        if release.folder.json::<RecodedStretch>(&of_task(&job, task))?.rows != rows {
            return Err(release.changed());
        }
    }
    release.put_write_plan(false, Some(recipe.quasi_identifiers.len()))?;
    write(space, &release, (source, &classes.files), bits, folder)
}

/// The number of the first row of each stretch.
fn starts(rows: &[u64]) -> Vec<u64> {
    rows.iter().scan(0, |next, rows| Some(std::mem::replace(next, *next + rows))).collect()
}

/// Writes the parts, and compares the files of the table with those that were counted.
fn write(
    space: &TaskSpace<'_>,
    release: &TaskRelease<'_>,
    (source, counted): (&Source, &[FileStamp]),
    bits: u32,
    folder: &Path,
) -> Result<Applied> {
    let tasks = if release.is_one_file() { 1 } else { 1 << bits };
    space.run(Stage::Write, WRITE, tasks)?;
    if counted != stamps(source)? {
        return Err(release.changed());
    }
    let in_store = space.written(tasks, release.two_tables);
    Ok(Applied { in_store, ..release.taken(tasks, folder)? })
}

/// Compares what was recoded with what was counted, and draws the classes of rows whose tuple is split, as a local run
/// draws them: in the order of the release. Says whether there are such rows.
fn draw(
    release: &TaskRelease<'_>,
    recipe: &Recipe<'_>,
    seats: &RowAssignments,
    (plan, rows): (&RecodePlan, &[u64]),
) -> Result<bool> {
    let (table, key, folder) = (recipe.table, &recipe.key, release.folder);
    let sums = (0..table.tuples()).map(|tuple| tuple_sum(key, number32(tuple)).wrapping_mul(table.count(tuple)));
    let expected = sums.fold(0, u64::wrapping_add);
    let (mut found, mut split) = (0u64, Vec::new());
    for (task, &rows) in rows.iter().enumerate() {
        let recoded: RecodedStretch = folder.json(&of_task(RECODE, task))?;
        found = found.wrapping_add(recoded.sum);
        if recoded.rows != rows {
            return Err(release.changed());
        }
        if recoded.split > 0 {
            split.extend_from_slice(folder.words(&split_file(task))?.as_chunks::<3>().0);
        }
    }
    if found != expected {
        return Err(release.changed());
    }
    if split.is_empty() {
        return Ok(false);
    }
    split.sort_unstable();
    let mut draws = seats.draws(recipe.recoding);
    let part_of = |order: u64| order.checked_shr(64 - plan.bits).unwrap_or(0) as usize;
    let mut drawn: Vec<Vec<u64>> = vec![Vec::new(); 1 << plan.bits];
    for [order, draw, seat] in split {
        let class = u32::try_from(seat).ok().and_then(|seat| draws.class(seat, draw));
        drawn[part_of(order)].extend([order, draw, u64::from(class.ok_or_else(|| release.changed())?)]);
    }
    for (part, drawn) in drawn.into_iter().enumerate() {
        folder.put_words(&drawn_file(part), drawn.into_iter())?;
    }
    Ok(true)
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
