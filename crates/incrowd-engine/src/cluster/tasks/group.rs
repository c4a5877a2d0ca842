//! Counting by tasks: the rows of a stretch by their cells, then the groups of all stretches, part by part.
//!
//! A group is the cells of its rows, as bytes from which they can be read back (Arrow's row format), and how many rows
//! there are. Groups go to the part that a hash of these bytes names, where those of all stretches are added up. They
//! become codes where the job was started, by the same encoders as in a local scan.
//!
//! A subject column is hashed where its cells are read, with the key of the run. Hashes have to be the same everywhere, or
//! one person would be several: each task leaves what it makes of a known text, and it is compared.

use std::fs::File;
use std::sync::Arc;

use ahash::RandomState;
use arrow::array::{ArrayRef, Int64Array, StringArray, UInt64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::ipc::reader::FileReader;
use arrow::ipc::writer::FileWriter;
use arrow::record_batch::RecordBatch;
use arrow::row::{RowConverter, SortField};
use hashbrown::HashMap;
use incrowd_core::Stage;
use serde::{Deserialize, Serialize};

use super::folder::{TaskFolder, of_task};
use super::job::{GROUP, MERGE};
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

/// Groups that are written at once.
const BATCH: usize = 1 << 16;

/// What all tasks are told.
#[derive(Serialize, Deserialize)]
pub(super) struct GroupPlan {
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

/// Rows by their cells.
type Groups = HashMap<Vec<u8>, u64, RandomState>;

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

fn sort_fields(types: &[DataType]) -> Vec<SortField> {
    types.iter().map(|data_type| SortField::new(data_type.clone())).collect()
}

fn converter(types: &[DataType]) -> Result<RowConverter> {
    RowConverter::new(sort_fields(types)).map_err(|_| misfit(Stage::Count))
}

/// The part that a group belongs to: the same on every machine.
fn part_of(group: &[u8], parts: usize) -> usize {
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
    let hasher = plan.subject.as_ref().map(|(_, key)| PersonHasher::new(&source.options.nulls, Some(*key)));
    let step = |(groups, rows): &mut (Groups, u64), batch: &RecordBatch| {
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
        Ok(())
    };
    let (groups, rows) =
        scan_stretch(engine, &source, &plan.read(), (Stage::Count, task), (Groups::default(), 0), step)?;
    let mut pieces = vec![Vec::new(); plan.parts];
    for (group, count) in &groups {
        let piece = &mut pieces[part_of(group, plan.parts)];
        piece.extend((group.len() as u64).to_le_bytes());
        piece.extend_from_slice(group);
        piece.extend(count.to_le_bytes());
    }
    folder.put_pieces(&groups_of(task), &pieces)?;
    folder.put_json(&of_task(GROUP, task), &GroupedStretch { rows, probe: probe() })
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
    let types = plan.types(&source)?;
    let unfinished = folder.unfinished(&merged(part));
    write_groups(&unfinished, &types, &groups)?;
    folder.finish(&unfinished, &merged(part))?;
    folder.put_json(&of_task(MERGE, part), &groups.len())
}

fn write_groups(path: &std::path::Path, types: &[DataType], groups: &Groups) -> Result<()> {
    let fields = types.iter().chain([&DataType::Int64]).enumerate();
    let fields: Vec<Field> = fields.map(|(at, kind)| Field::new(at.to_string(), kind.clone(), true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let failed = |error: arrow::error::ArrowError| match error {
        arrow::error::ArrowError::IoError(_, error) => EngineError::io(path, error),
        _ => misfit(Stage::Count),
    };
    let (converter, file) = (converter(types)?, File::create_new(path).map_err(|error| EngineError::io(path, error))?);
    let parser = converter.parser();
    let mut writer = FileWriter::try_new_buffered(file, &schema).map_err(failed)?;
    let groups: Vec<(&[u8], u64)> = groups.iter().map(|(group, &count)| (&**group, count)).collect();
    for groups in groups.chunks(BATCH) {
        let rows = groups.iter().map(|(group, _)| parser.parse(group));
        let mut columns: Vec<ArrayRef> = converter.convert_rows(rows).map_err(failed)?;
        let counts = groups.iter().map(|(_, count)| i64::try_from(*count).unwrap_or(i64::MAX));
        columns.push(Arc::new(Int64Array::from_iter_values(counts)));
        writer.write(&RecordBatch::try_new(schema.clone(), columns).map_err(failed)?).map_err(failed)?;
    }
    writer.finish().map_err(failed)
}

/// The files of a stretch and of a part.
fn groups_of(stretch: usize) -> String {
    of_task("groups-of", stretch)
}

fn merged(part: usize) -> String {
    of_task("merged", part)
}

/// Counts the rows of a table by tasks, and takes the groups: their cells, the hash of the subject if there is one, and
/// their rows. Says how many rows each stretch has; nothing when tasks cannot read the table.
pub(crate) fn count(
    space: &TaskSpace<'_>,
    source: &Source,
    (columns, subject): (&[String], Option<(String, [u64; 4])>),
    stretches: usize,
    take: &mut dyn FnMut(&RecordBatch) -> Result<()>,
) -> Result<Option<Vec<u64>>> {
    let (folder, parts) = (space.folder(), stretches);
    let Some(described) = source.parts(stretches)? else { return Ok(None) };
    let plan = GroupPlan { columns: columns.to_vec(), subject, stretches, parts };
    if !RowConverter::supports_fields(&sort_fields(&plan.types(source)?)) {
        return Ok(None);
    }
    folder.put_json(SOURCE, &described)?;
    folder.put_json(PLAN, &plan)?;
    space.run(Stage::Count, GROUP, stretches)?;
    let mut rows = Vec::with_capacity(stretches);
    for task in 0..stretches {
        let found: GroupedStretch = folder.json(&of_task(GROUP, task))?;
        if found.probe != probe() {
            return Err(EngineError::Engine { doing: "counting tuples", kind: "executors are built differently" });
        }
        rows.push(found.rows);
    }
    space.run(Stage::Count, MERGE, parts)?;
    for part in 0..parts {
        let name = merged(part);
        let damaged = |_| folder.damaged(&name);
        let file = File::open(folder.file(&name)).map_err(|error| EngineError::io(folder.file(&name), error))?;
        for batch in FileReader::try_new_buffered(file, None).map_err(damaged)? {
            take(&batch.map_err(damaged)?)?;
        }
    }
    Ok(Some(rows))
}
