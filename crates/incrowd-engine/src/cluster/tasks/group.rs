//! Counting by tasks: the rows of a stretch by their cells, then the groups of all stretches, part by part.
//!
//! A group is the cells of its rows, as bytes from which they can be read back (Arrow's row format), and how many rows
//! there are. Groups go to the part that a hash of these bytes names, where those of all stretches are added up. They
//! become codes where the job was started, by the same encoders as in a local scan.
//!
//! A subject column is hashed where its cells are read, with the key of the run. Hashes have to be the same everywhere, or
//! one person would be several: each task leaves what it makes of a known text, and it is compared.

use std::io::Write;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray, UInt64Array};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use arrow::row::RowConverter;
use incrowd_core::Stage;
use serde::{Deserialize, Serialize};

use super::folder::{TaskFolder, of_task};
use super::group_file::{Groups, converter, counts, read_groups, sort_fields, write_groups};
use super::job::{GROUP, MERGE, VALUES};
use super::piece_runs::{MOST_COLLECTED, PieceRuns, PieceWriter};
use super::recode::SOURCE;
use super::space::TaskSpace;
use crate::cluster::misfit;
use crate::cluster::plans::plain_type;
use crate::count::encode::PersonHasher;
use crate::count::scan::scan_stretch;
use crate::out_of_core::mixed;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::source::table::Source;

const PLAN: &str = "group-plan";

/// The input of all tasks.
#[derive(Serialize, Deserialize)]
struct GroupPlan {
    columns: Vec<String>,
    /// The column that says whose a row is, and the key of its hashes.
    subject: Option<(String, [u64; 4])>,
    stretches: usize,
    parts: usize,
}

/// What a task found.
#[derive(Debug, Serialize, Deserialize)]
struct GroupedStretch {
    rows: u64,
    /// What it makes of a known text.
    probe: u64,
}

/// A known text as the hash of a person.
fn probe() -> u64 {
    let mut hashes = Vec::new();
    let text: ArrayRef = Arc::new(StringArray::from(vec!["the same on every machine"]));
    PersonHasher::new(&[], Some([1, 2, 3, 4])).hash(&text, &mut hashes);
    hashes.first().copied().unwrap_or(0)
}

impl GroupPlan {
    /// The columns to read.
    fn read(&self) -> Vec<String> {
        self.columns.iter().chain(self.subject.iter().map(|(name, _)| name)).cloned().collect()
    }

    /// The types of the cells of a group: those of the columns, and of the hash of the subject.
    fn types(&self, source: &Source) -> Result<Vec<DataType>> {
        let of_column = |name: &String| source.data_type(name).map(plain_type);
        let types = self.columns.iter().map(of_column).chain(self.subject.iter().map(|_| Ok(DataType::UInt64)));
        types.collect()
    }
}

/// The part that a group belongs to: the same on every machine.
pub(super) fn part_of(group: &[u8], parts: usize) -> usize {
    let hash = group
        .chunks(8)
        .fold(0, |hash, word| mixed(hash ^ word.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))));
    ((u128::from(mixed(hash)) * parts as u128) >> 64) as usize
}

/// Groups the rows of a stretch.
pub(super) fn run(engine: &Engine, folder: TaskFolder<'_>, task: usize) -> Result<()> {
    let (plan, source): (GroupPlan, Source) = (folder.json(PLAN)?, Source::of_parts(folder.json(SOURCE)?)?);
    let types = plan.types(&source)?;
    let converter = converter(&types)?;
    let name = groups_of(task);
    let put = |out: &mut PieceWriter<'_>, bytes: &[u8]| {
        out.write_all(bytes).map_err(|error| EngineError::io(folder.shown(&name), error))
    };
    let hasher = plan.subject.as_ref().map(|(_, key)| PersonHasher::new(&source.options.nulls, Some(*key)));
    let step = |(groups, runs, rows): &mut (Groups, PieceRuns<'_>, u64), batch: &RecordBatch| {
        *rows += batch.num_rows() as u64;
        let mut columns = Vec::with_capacity(types.len());
        for (column, data_type) in batch.columns().iter().zip(&types).take(plan.columns.len()) {
            columns.push(if column.data_type() == data_type {
                column.clone()
            } else {
                cast(column, data_type).map_err(|_| misfit(Stage::Count))?
            });
        }
        if let Some(hasher) = &hasher {
            let mut people = Vec::with_capacity(batch.num_rows());
            hasher.hash(batch.column(plan.columns.len()), &mut people);
            columns.push(Arc::new(UInt64Array::from(people)));
        }
        for row in converter.convert_columns(&columns).map_err(|_| misfit(Stage::Count))?.iter() {
            *groups.entry_ref(row.as_ref()).or_insert(0) += 1;
        }
        if groups.len() >= MOST_COLLECTED {
            let pieces = pieces_of(groups, plan.parts);
            runs.flush(|part, out| put(out, &pieces[part]))?;
            groups.clear();
        }
        Ok(())
    };
    let start = (Groups::default(), PieceRuns::new(folder, groups_of(task), plan.parts), 0);
    let (groups, runs, rows) = scan_stretch(engine, &source, &plan.read(), (Stage::Count, task), start, step)?;
    let pieces = pieces_of(&groups, plan.parts);
    runs.finish(|part, out| put(out, &pieces[part]))?;
    folder.put_json(&of_task(GROUP, task), &GroupedStretch { rows, probe: probe() })
}

/// The groups of each part, each with its length before it and its rows behind it.
fn pieces_of(groups: &Groups, parts: usize) -> Vec<Vec<u8>> {
    let mut pieces = vec![Vec::new(); parts];
    for (group, count) in groups {
        let piece = &mut pieces[part_of(group, parts)];
        piece.extend((group.len() as u64).to_le_bytes());
        piece.extend_from_slice(group);
        piece.extend(count.to_le_bytes());
    }
    pieces
}

/// Adds up the groups of a part.
pub(super) fn merge(engine: &Engine, folder: TaskFolder<'_>, part: usize) -> Result<()> {
    let (plan, source): (GroupPlan, Source) = (folder.json(PLAN)?, Source::of_parts(folder.json(SOURCE)?)?);
    let mut groups = Groups::default();
    for stretch in 0..plan.stretches {
        engine.check_cancelled()?;
        let name = groups_of(stretch);
        let piece = folder.piece(&name, part)?;
        let mut rest = &piece[..];
        while !rest.is_empty() {
            let damaged = || folder.damaged(&name);
            let (length, after) = rest.split_first_chunk::<8>().ok_or_else(damaged)?;
            let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged())?;
            let (group, after) = after.split_at_checked(length).ok_or_else(damaged)?;
            let (count, after) = after.split_first_chunk::<8>().ok_or_else(damaged)?;
            *groups.entry_ref(group).or_insert(0) += u64::from_le_bytes(*count);
            rest = after;
        }
    }
    let (types, name) = (plan.types(&source)?, merged(part));
    folder.put(&name, |file| {
        write_groups(file, &types, &groups).map_err(|error| match error {
            ArrowError::IoError(_, error) => EngineError::io(folder.shown(&name), error),
            _ => misfit(Stage::Count),
        })
    })?;
    folder.put_json(&of_task(MERGE, part), &(groups.len() as u64))
}

/// Into how many parts groups are cut, and in which column of theirs the subject is.
pub(super) fn shape_of_groups(folder: TaskFolder<'_>) -> Result<(usize, Option<usize>)> {
    let plan: GroupPlan = folder.json(PLAN)?;
    Ok((plan.parts, plan.subject.map(|_| plan.columns.len())))
}

/// The groups of a part.
pub(super) fn read_part(
    folder: TaskFolder<'_>,
    part: usize,
    take: &mut dyn FnMut(&RecordBatch) -> Result<()>,
) -> Result<()> {
    let name = merged(part);
    read_groups(folder, &name, folder.open(&name)?, take)
}

/// The distinct cells of each column in a part of the groups, with their rows.
pub(super) fn values(engine: &Engine, folder: TaskFolder<'_>, part: usize) -> Result<()> {
    let (plan, source): (GroupPlan, Source) = (folder.json(PLAN)?, Source::of_parts(folder.json(SOURCE)?)?);
    let types = plan.types(&source)?;
    let types = &types[..plan.columns.len()];
    let converters = types.iter().map(|kind| converter(std::slice::from_ref(kind))).collect::<Result<Vec<_>>>()?;
    let mut values = vec![Groups::default(); types.len()];
    read_part(folder, part, &mut |batch| {
        engine.check_cancelled()?;
        let (cells, counts) = (batch.columns(), counts(batch)?);
        for ((converter, values), column) in converters.iter().zip(&mut values).zip(cells) {
            let rows = converter.convert_columns(std::slice::from_ref(column)).map_err(|_| misfit(Stage::Count))?;
            for (cell, &count) in rows.iter().zip(counts) {
                *values.entry_ref(cell.as_ref()).or_insert(0) += count.unsigned_abs();
            }
        }
        Ok(())
    })?;
    let name = values_of(part);
    folder.put_each_piece(&name, types.len(), |column, out| {
        let mut bytes = Vec::new();
        write_groups(&mut bytes, &types[column..=column], &values[column]).map_err(|_| misfit(Stage::Count))?;
        out.write_all(&bytes).map_err(|error| EngineError::io(folder.shown(&name), error))
    })?;
    folder.put_json(&of_task(VALUES, part), &())
}

/// The files of a stretch and of a part.
fn groups_of(stretch: usize) -> String {
    of_task("groups-of", stretch)
}

fn merged(part: usize) -> String {
    of_task("merged", part)
}

fn values_of(part: usize) -> String {
    of_task("values-of", part)
}

/// Takes distinct cells of a column, by its place, with the rows of each.
type TakeValues<'a> = dyn FnMut(usize, &ArrayRef, &[u64]) -> Result<()> + 'a;

/// A table whose groups tasks have added up.
pub(crate) struct MergedGroups {
    /// The rows of each stretch.
    pub(crate) stretch_rows: Vec<u64>,
    /// How many groups there are.
    pub(crate) groups: u64,
    pub(super) parts: usize,
    columns: usize,
}

/// Counts the rows of a table by tasks; nothing when these cannot read it.
pub(crate) fn count(
    space: &TaskSpace<'_>,
    source: &Source,
    (columns, subject): (&[String], Option<(String, [u64; 4])>),
    stretches: usize,
) -> Result<Option<MergedGroups>> {
    let (folder, parts) = (space.folder(), stretches);
    let Some(described) = source.parts(stretches)? else { return Ok(None) };
    let plan = GroupPlan { columns: columns.to_vec(), subject, stretches, parts };
    if !RowConverter::supports_fields(&sort_fields(&plan.types(source)?)) {
        return Ok(None);
    }
    folder.put_json(SOURCE, &described)?;
    folder.put_json(PLAN, &plan)?;
    space.run(Stage::Count, GROUP, stretches)?;
    let mut stretch_rows = Vec::with_capacity(stretches);
    for task in 0..stretches {
        let found: GroupedStretch = folder.json(&of_task(GROUP, task))?;
        if found.probe != probe() {
            return Err(EngineError::Engine { doing: "counting tuples", kind: "executors are built differently" });
        }
        stretch_rows.push(found.rows);
    }
    space.run(Stage::Count, MERGE, parts)?;
    let groups = (0..parts).map(|part| folder.json::<u64>(&of_task(MERGE, part))).sum::<Result<u64>>()?;
    Ok(Some(MergedGroups { stretch_rows, groups, parts, columns: columns.len() }))
}

impl MergedGroups {
    /// Takes the groups: their cells, the hash of the subject if there is one, and their rows.
    pub(crate) fn each(&self, space: &TaskSpace<'_>, take: &mut dyn FnMut(&RecordBatch) -> Result<()>) -> Result<()> {
        (0..self.parts).try_for_each(|part| read_part(space.folder(), part, take))
    }

    /// Takes the distinct cells of each column with their rows; a cell comes once from each part that has it.
    pub(crate) fn values(&self, space: &TaskSpace<'_>, take: &mut TakeValues<'_>) -> Result<()> {
        let folder = space.folder();
        space.run(Stage::Count, VALUES, self.parts)?;
        for part in 0..self.parts {
            let name = values_of(part);
            for column in 0..self.columns {
                let piece = std::io::Cursor::new(folder.piece(&name, column)?);
                read_groups(folder, &name, piece, &mut |batch| {
                    let counts: Vec<u64> = counts(batch)?.iter().map(|count| count.unsigned_abs()).collect();
                    take(column, batch.column(0), &counts)
                })?;
            }
        }
        Ok(())
    }
}
