//! One job: it is watched, it can be stopped, waiting for it ends, and nothing of it is left behind.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::record_batch::RecordBatch;
use datafusion::common::config::TableParquetOptions;
use datafusion::datasource::file_format::{format_as_file_type, parquet::ParquetFormatFactory};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::LogicalPlanBuilder;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::DataFrame;
use futures::StreamExt;
use incrowd_core::Stage;

use crate::runtime::cluster_fault::ClusterFault;
use crate::runtime::cluster_session::{Cluster, Tasks};
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};

/// How often a running job is asked how far it is.
const LOOK: Duration = Duration::from_millis(200);

/// A question about a job that takes longer is not waited for.
const ANSWER: Duration = Duration::from_secs(5);

impl Cluster {
    /// Runs a plan and takes what comes back; `false` from `take` says that enough has come.
    pub(super) fn collect(
        &self,
        engine: &Engine,
        stage: Stage,
        frame: &DataFrame,
        take: &mut dyn FnMut(&RecordBatch) -> Result<bool>,
    ) -> Result<()> {
        engine.check_cancelled()?;
        engine.block_on(async {
            let frame = named(frame, stage);
            let context = Arc::new(frame.task_ctx());
            let plan = frame.create_physical_plan().await.map_err(|error| self.failed(stage, &error))?;
            let ended = self.watch(engine, stage, &plan, context, take).await;
            if let Some(job) = self.jobs.name(plan.as_ref()) {
                // Whatever comes of it: the job's own error is what the user has to know.
                let _ = tokio::time::timeout(ANSWER, self.jobs.end(&job, ended.is_err())).await;
            }
            ended
        })
    }

    async fn watch(
        &self,
        engine: &Engine,
        stage: Stage,
        plan: &Arc<dyn ExecutionPlan>,
        context: Arc<datafusion::execution::TaskContext>,
        take: &mut dyn FnMut(&RecordBatch) -> Result<bool>,
    ) -> Result<()> {
        let mut stream = plan.execute(0, context).map_err(|error| self.failed(stage, &error))?;
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (mut before, mut moved) = (Tasks::default(), Instant::now());
        loop {
            tokio::select! {
                batch = stream.next() => match batch {
                    None => return Ok(()),
                    Some(batch) => {
                        let batch = batch.map_err(|error| self.failed(stage, &error))?;
                        engine.check_cancelled()?;
                        moved = Instant::now();
                        if !take(&batch)? {
                            return Ok(());
                        }
                    }
                },
                _ = look.tick() => {
                    engine.check_cancelled()?;
                    let job = self.jobs.name(plan.as_ref());
                    let asked = async { self.jobs.tasks(job.as_deref()?).await };
                    // A cluster that does not answer has made no progress.
                    if let Ok(Some(tasks)) = tokio::time::timeout(ANSWER, asked).await && tasks != before {
                        engine.progress.update(stage, tasks.done, Some(tasks.total));
                        engine.progress.tell(&told(&tasks));
                        (before, moved) = (tasks, Instant::now());
                    }
                    if moved.elapsed() > self.patience {
                        return Err(EngineError::Cluster { doing: stage.name(), fault: ClusterFault::Stuck });
                    }
                }
            }
        }
    }

    /// Writes what a plan gives into one Parquet file. One file has one name: a task that runs twice, because nobody
    /// heard that it was done, writes over what it wrote, and no row is there twice.
    pub(super) fn write(&self, engine: &Engine, stage: Stage, frame: DataFrame, path: &Path) -> Result<()> {
        let failed = |error: DataFusionError| self.failed(stage, &error);
        let mut options = TableParquetOptions::default();
        options.global.compression = Some("snappy".into());
        // As in a local release: the file says "text", whatever the arrays were, and nothing else about them.
        options.global.skip_arrow_metadata = true;
        options.global.created_by = "incrowd".into();
        options.global.max_row_group_size = 1 << 17;
        let format = format_as_file_type(Arc::new(ParquetFormatFactory::new_with_options(options)));
        let (state, plan) = frame.into_parts();
        let sink = [("single_file_output".to_string(), "true".to_string())].into();
        let url = super::exchange::url(path)?;
        let plan = LogicalPlanBuilder::copy_to(plan, url, format, sink, vec![]).and_then(LogicalPlanBuilder::build);
        let frame = DataFrame::new(state, plan.map_err(failed)?);
        self.collect(engine, stage, &frame, &mut |_| Ok(true))
    }

    pub(super) fn failed(&self, stage: Stage, error: &DataFusionError) -> EngineError {
        EngineError::Cluster { doing: stage.name(), fault: self.jobs.explain(error) }
    }
}

/// A plan under the name of its stage, so that an operator can tell jobs apart. A cluster that knows no such setting
/// gives jobs a name of its own.
fn named(frame: &DataFrame, stage: Stage) -> DataFrame {
    let (mut state, plan) = frame.clone().into_parts();
    let _ = state.config_mut().options_mut().set("ballista.job.name", &format!("incrowd {}", stage.name()));
    DataFrame::new(state, plan)
}

/// Where a job is, in words.
fn told(tasks: &Tasks) -> String {
    let Tasks { stages_done, stages, done, total } = tasks;
    format!("stage {} of {stages}, {done} of {total} tasks", (stages_done + 1).min(*stages))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_running_stage_is_reported_and_the_last_one_stays_the_last() {
        let tasks = |stages_done| Tasks { stages_done, stages: 3, done: 5, total: 8 };
        assert_eq!(told(&tasks(0)), "stage 1 of 3, 5 of 8 tasks");
        assert_eq!(told(&tasks(3)), "stage 3 of 3, 5 of 8 tasks");
    }
}
