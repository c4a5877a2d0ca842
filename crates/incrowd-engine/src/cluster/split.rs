//! Rows whose tuple goes to several classes: they are numbered by executors, and their classes are drawn here.
//!
//! A local run draws the class of such a row by random bits that belong to its number (`publish/row_assignment.rs`,
//! `publish/shuffle.rs`). To draw alike, rows are numbered file by file, each file by one task that reads it in order.
//! (`file_row_index()` would let several tasks share a file, but does not survive being sent to an executor: the hidden
//! column it becomes is left out of the message.) The rows themselves are set aside with their numbers, so that the
//! number of a row cannot change between the question and the answer.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::types::Int64Type;
use arrow::array::{AsArray, BinaryArray, Int64Array};
use arrow::compute::cast as cast_array;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::record_batch::RecordBatch;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::functions_window::row_number::row_number;
use datafusion::logical_expr::{JoinType, cast, lit};
use datafusion::prelude::{DataFrame, Expr, SessionContext};
use incrowd_core::{Recoding, Stage};

use super::apply::Applying;
use super::exchange;
use super::misfit;
use super::plans::{HASH, column, kept};
use super::read;
use crate::count::groups::TupleHash;
use crate::publish::row_assignment::RowAssignments;
use crate::publish::shuffle::RowBits;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::narrow::number32;

/// A row that was set aside: its file and its number in it, and the class that was drawn for it.
pub(super) struct AssignedRow {
    pub(super) file: i64,
    pub(super) row: i64,
    pub(super) class: u32,
}

/// Rows of split tuples.
pub(super) struct SetAside {
    /// File number, row number, split number, and the kept cells of each.
    pub(super) path: PathBuf,
    /// Those that are published.
    pub(super) seated: Vec<AssignedRow>,
}

/// The schema of the file of rows that are set aside.
pub(super) fn schema(applying: &Applying<'_>) -> Schema {
    let own = ["f", "r", "s"].map(|name| Field::new(name, DataType::Int64, true));
    Schema::new(own.into_iter().chain(applying.kept_fields()).collect::<Vec<_>>())
}

/// Sets the rows of split tuples aside and draws their classes; nothing when no tuple is split.
pub(super) fn set_aside(applying: &Applying<'_>, tuples: &[(TupleHash, u32)]) -> Result<Option<SetAside>> {
    let (table, recoding) = (applying.recipe.table, applying.recipe.recoding);
    let split = (0..number32(table.tuples())).filter(|&tuple| recoding.targets(tuple as usize).len() != 1);
    let numbers: BTreeMap<u32, i64> = split.zip(0..).collect();
    if numbers.is_empty() {
        return Ok(None);
    }
    let found: Vec<(&TupleHash, i64)> =
        tuples.iter().filter_map(|(hash, tuple)| Some((hash, *numbers.get(tuple)?))).collect();
    let fields = [Field::new("m", DataType::Binary, false), Field::new("s", DataType::Int64, false)];
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let batch = RecordBatch::try_new(
        schema.clone(),
        vec![
            Arc::new(BinaryArray::from_iter_values(found.iter().map(|(hash, _)| hash))),
            Arc::new(Int64Array::from_iter_values(found.iter().map(|(_, number)| *number))),
        ],
    );
    let batch = batch.map_err(|_| misfit(Stage::Recode));
    let asked = applying.exchange.write("split.parquet", schema.clone(), [batch].into_iter())?;
    let path = applying.exchange.file("rows.parquet");
    let failed = |error| applying.cluster.failed(Stage::Recode, &error);

    let in_order = in_order(&applying.cluster.context);
    let mut rows: Option<DataFrame> = None;
    for file in 0..applying.source.files().len() {
        let frame = read::read(applying.source, &in_order, &applying.read, Some(file))?;
        let mut select = vec![lit(file as i64).alias("f"), cast(row_number(), DataType::Int64).alias("r")];
        select.extend(applying.rows()?);
        let frame = frame.select(select).map_err(failed)?;
        rows = Some(match rows {
            None => frame,
            Some(rows) => rows.union(frame).map_err(failed)?,
        });
    }
    let rows = rows.ok_or_else(|| EngineError::NothingToRead(applying.source.name().into()))?;
    let asked = exchange::read(&in_order, &asked, &schema)?;
    let names: Vec<String> =
        ["f", "r", "s"].map(String::from).into_iter().chain((0..applying.kept.len()).map(kept)).collect();
    let rows = rows.join(asked, JoinType::Inner, &[HASH], &["m"], None).map_err(failed)?;
    let rows = rows.select(names.iter().map(|name| column(name)).collect::<Vec<Expr>>()).map_err(failed)?;
    applying.cluster.write(applying.engine, Stage::Recode, rows, &path)?;
    let seated = draw(applying, &path)?;
    Ok(Some(SetAside { path, seated }))
}

/// A session whose scans of a file stay one task, which reads it from its beginning to its end.
fn in_order(context: &SessionContext) -> SessionContext {
    let mut state = context.state();
    let options = state.config_mut().options_mut();
    options.optimizer.repartition_file_scans = false;
    options.optimizer.enable_round_robin_repartition = false;
    SessionContext::new_with_state(state)
}

/// Draws the classes of the rows that were set aside, as a local run does.
fn draw(applying: &Applying<'_>, path: &std::path::Path) -> Result<Vec<AssignedRow>> {
    let recipe = applying.recipe;
    let before = rows_before(applying)?;
    let changed = || EngineError::Changed(applying.source.name().into());
    let seats = RowAssignments::new(recipe.table, recipe.recoding);
    let mut draws = seats.draws(recipe.recoding);
    let mut rows: Vec<(u128, u32, i64, i64)> = Vec::new();
    for batch in exchange::open(path, Some(3))?.1 {
        let batch = batch.map_err(|_| misfit(Stage::Recode))?;
        let cells =
            [0, 1, 2].map(|at| cast_array(batch.column(at), &DataType::Int64).map_err(|_| misfit(Stage::Recode)));
        let [file, row, split] = cells;
        let (file, row, split) = (file?, row?, split?);
        let [files, numbers, splits] = [&file, &row, &split].map(|cells| cells.as_primitive::<Int64Type>().values());
        for ((&file, &number), &split) in files.iter().zip(numbers).zip(splits) {
            let start = usize::try_from(file).ok().and_then(|file| before.get(file)).ok_or_else(changed)?;
            // Numbers begin at 1.
            let row = u64::try_from(number - 1).map_err(|_| changed())? + start;
            let (order, draw) = RowBits::from_row(recipe.key, row).next();
            let split = u32::try_from(split).map_err(|_| changed())?;
            rows.push((u128::from(order) << 64 | u128::from(draw), split, file, number));
        }
    }
    rows.sort_unstable();
    let twice = rows.windows(2).any(|pair| (pair[0].2, pair[0].3) == (pair[1].2, pair[1].3));
    let expected: u64 = (0..recipe.table.tuples())
        .filter(|&tuple| recipe.recoding.targets(tuple).len() != 1)
        .map(|tuple| recipe.table.count(tuple))
        .sum();
    if twice || rows.len() as u64 != expected {
        return Err(changed());
    }
    let classes = number32(recipe.recoding.classes());
    let mut seated = Vec::new();
    for (bits, split, file, row) in rows {
        // A tuple with more rows than it had has no place left for one of them.
        let class = draws.class(classes + split, bits as u64).ok_or_else(changed)?;
        if class != Recoding::WITHHELD {
            seated.push(AssignedRow { file, row, class });
        }
    }
    Ok(seated)
}

/// How many rows are in the files before each.
fn rows_before(applying: &Applying<'_>) -> Result<Vec<u64>> {
    let files = applying.source.files().len();
    if files == 1 {
        return Ok(vec![0]);
    }
    let failed = |error| applying.cluster.failed(Stage::Recode, &error);
    let mut counted: Option<DataFrame> = None;
    for file in 0..files {
        let frame = read::read(applying.source, &applying.cluster.context, &applying.read[..1], Some(file))?;
        let frame = frame.aggregate(vec![], vec![count(lit(1i64)).alias("n")]).map_err(failed)?;
        let frame = frame.select(vec![lit(file as i64).alias("f"), column("n")]).map_err(failed)?;
        counted = Some(match counted {
            None => frame,
            Some(counted) => counted.union(frame).map_err(failed)?,
        });
    }
    let mut rows = vec![0; files];
    if let Some(counted) = counted {
        applying.cluster.collect(applying.engine, Stage::Recode, &counted, &mut |batch| {
            let [file, count] = [0, 1].map(|at| batch.column(at).as_primitive::<Int64Type>().values());
            for (&file, &count) in file.iter().zip(count) {
                let rows = usize::try_from(file).ok().and_then(|file| rows.get_mut(file));
                *rows.ok_or_else(|| misfit(Stage::Recode))? += count.unsigned_abs();
            }
            Ok(true)
        })?;
    }
    let mut before = 0;
    for rows in &mut rows {
        before += std::mem::replace(rows, before);
    }
    Ok(rows)
}
