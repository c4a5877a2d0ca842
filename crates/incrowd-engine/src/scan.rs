//! One pass over a table: each partition of the plan is read by its own task, batch by batch.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::arrow::record_batch::RecordBatch;
use datafusion::error::DataFusionError;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use incrowd_core::Stage;
use tokio::task::JoinSet;

use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::table::Source;

/// Why a partition's task ended early.
enum Stopped {
    Query(DataFusionError),
    Refused(EngineError),
}

/// Reads the columns, giving each batch to the state of its partition; returns the states.
///
/// Dropping the tasks, as an error or a cancel does, ends the scan and frees what it held.
pub(crate) fn scan<S: Send + 'static>(
    engine: &Engine,
    source: &Source,
    columns: &[String],
    stage: Stage,
    start: impl Fn() -> S,
    step: impl Fn(&mut S, &RecordBatch) -> Result<()> + Send + Sync + 'static,
) -> Result<Vec<S>> {
    let doing = stage.name();
    engine.block_on(async {
        let frame = source.read(engine, columns)?;
        let context = Arc::new(frame.task_ctx());
        let plan =
            frame.create_physical_plan().await.map_err(|error| EngineError::engine("planning the scan", &error))?;
        let total = source.rows_expected().or_else(|| rows_promised(&*plan));
        let (rows, step) = (Arc::new(AtomicU64::new(0)), Arc::new(step));
        let mut tasks = JoinSet::new();
        for partition in 0..plan.output_partitioning().partition_count() {
            let stream =
                plan.execute(partition, context.clone()).map_err(|error| source.explain_failure(doing, &error))?;
            let (mut state, step, rows) = (start(), step.clone(), rows.clone());
            let (cancel, progress) = (engine.cancel.clone(), engine.progress.clone());
            let mut stream = stream;
            tasks.spawn(async move {
                while let Some(batch) = stream.next().await {
                    let batch = batch.map_err(Stopped::Query)?;
                    if cancel.is_cancelled() {
                        return Err(Stopped::Refused(EngineError::Cancelled));
                    }
                    step(&mut state, &batch).map_err(Stopped::Refused)?;
                    let done = rows.fetch_add(batch.num_rows() as u64, Ordering::Relaxed) + batch.num_rows() as u64;
                    progress.update(stage, done, total);
                }
                Ok((partition, state))
            });
        }
        let mut states = Vec::new();
        while let Some(joined) = tasks.join_next().await {
            match joined {
                Ok(Ok(state)) => states.push(state),
                Ok(Err(Stopped::Refused(error))) => return Err(error),
                Ok(Err(Stopped::Query(error))) => return Err(source.explain_failure(doing, &error)),
                Err(_) => return Err(EngineError::Engine { doing, kind: "a task ended unexpectedly" }),
            }
        }
        if rows.load(Ordering::Relaxed) == 0 {
            return Err(EngineError::Empty(source.name().into()));
        }
        states.sort_by_key(|&(partition, _)| partition);
        Ok(states.into_iter().map(|(_, state)| state).collect())
    })
}

/// The rows that the files' own statistics promise.
fn rows_promised(plan: &dyn ExecutionPlan) -> Option<u64> {
    plan.partition_statistics(None).ok()?.num_rows.get_value().map(|&rows| rows as u64)
}
