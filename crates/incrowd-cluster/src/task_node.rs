//! A job of tasks that run our code, as a node of a plan: its input is the numbers of the tasks, a partition for each.
//!
//! The plan tells scheduler and executors the folder and the name of the job ([`TaskJob`]), and nothing else: no key, no
//! value, no name of a column. An executor runs the task of each number that it meets and answers with the number.
//!
//! Numbers are a table in memory and not the numbers of partitions, because a scheduler cuts a plan down to what a task
//! reads of its inputs: what is no input, every task would do as a whole.

use std::fmt::{Debug, Formatter};
use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::types::Int64Type;
use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::memory::MemorySourceConfig;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::TableType;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties, ReplaceChildrenOptions,
};
use datafusion::prelude::Expr;
use futures::future::BoxFuture;
use futures::{FutureExt, TryStreamExt};
use incrowd_core::Cancel;
use incrowd_engine::{EngineError, Settings, TaskCall, TaskJob};

/// What runs a task in an executor.
pub type TaskRunner = Arc<dyn Fn(&TaskCall) -> std::result::Result<(), EngineError> + Send + Sync>;

/// An executor's way to run tasks: what runs them, and what each may use.
#[derive(Clone)]
pub(crate) struct TaskPlace {
    pub(crate) runner: TaskRunner,
    pub(crate) settings: Settings,
}

/// A task answers with its number.
static SCHEMA: LazyLock<SchemaRef> =
    LazyLock::new(|| Arc::new(Schema::new(vec![Field::new("task", DataType::Int64, false)])));

/// A job as a table.
#[derive(Debug)]
pub(crate) struct TaskTable {
    pub(crate) job: TaskJob,
}

impl TableProvider for TaskTable {
    fn schema(&self) -> SchemaRef {
        SCHEMA.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    fn scan<'a, 'b, 'c, 'd, 'e>(
        &'a self,
        _: &'b dyn Session,
        _: Option<&'c Vec<usize>>,
        _: &'d [Expr],
        _: Option<usize>,
    ) -> BoxFuture<'e, Result<Arc<dyn ExecutionPlan>>>
    where
        'a: 'e,
        'b: 'e,
        'c: 'e,
        'd: 'e,
    {
        async move {
            let numbers = (0..self.job.tasks).map(|task| Ok(vec![batch_of(task)?])).collect::<Result<Vec<_>>>()?;
            let input = MemorySourceConfig::try_new_exec(&numbers, SCHEMA.clone(), None)?;
            let node: Arc<dyn ExecutionPlan> = Arc::new(TaskNode::new(self.job.clone(), input, None));
            Ok(node)
        }
        .boxed()
    }
}

/// One number of a task, as a batch.
fn batch_of(task: usize) -> Result<RecordBatch> {
    let number: ArrayRef = Arc::new(Int64Array::from_iter_values([i64::try_from(task).unwrap_or(i64::MAX)]));
    Ok(RecordBatch::try_new(SCHEMA.clone(), vec![number])?)
}

/// A job as a node of a physical plan.
pub(crate) struct TaskNode {
    pub(crate) job: TaskJob,
    /// The numbers of the tasks.
    input: Arc<dyn ExecutionPlan>,
    place: Option<TaskPlace>,
    properties: Arc<PlanProperties>,
}

impl TaskNode {
    /// A job; only in an executor there is a place to run it.
    pub(crate) fn new(job: TaskJob, input: Arc<dyn ExecutionPlan>, place: Option<TaskPlace>) -> TaskNode {
        let partitions = input.properties().output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(SCHEMA.clone()),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        TaskNode { job, input, place, properties: Arc::new(properties) }
    }

    /// The same job over another input.
    fn over(&self, mut inputs: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let input = inputs.pop().filter(|_| inputs.is_empty());
        let input = input.ok_or_else(|| DataFusionError::Internal("tasks have one input".into()))?;
        Ok(Arc::new(TaskNode::new(self.job.clone(), input, self.place.clone())))
    }
}

impl Debug for TaskNode {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaskNode").field("job", &self.job).finish_non_exhaustive()
    }
}

impl DisplayAs for TaskNode {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "TaskNode: {}, {} tasks", self.job.name, self.job.tasks)
    }
}

impl ExecutionPlan for TaskNode {
    fn name(&self) -> &'static str {
        "TaskNode"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    /// Numbers stay where they are: a partition is a task.
    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        inputs: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.over(inputs)
    }

    fn with_new_children(self: Arc<Self>, inputs: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.over(inputs)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let Some(place) = self.place.clone() else {
            return Err(DataFusionError::Execution("tasks run in executors only".into()));
        };
        let (numbers, job) = (self.input.execute(partition, context)?, self.job.clone());
        let answers = numbers.and_then(move |batch| run_all(place.clone(), job.clone(), batch));
        Ok(Box::pin(RecordBatchStreamAdapter::new(SCHEMA.clone(), answers)))
    }
}

/// Runs the tasks of these numbers.
async fn run_all(place: TaskPlace, job: TaskJob, numbers: RecordBatch) -> Result<RecordBatch> {
    let tasks = numbers.column(0).as_primitive_opt::<Int64Type>();
    let tasks = tasks.ok_or_else(|| DataFusionError::Internal("tasks have numbers".into()))?;
    for task in tasks.iter().flatten() {
        run(place.clone(), job.clone(), usize::try_from(task).unwrap_or(usize::MAX)).await?;
    }
    Ok(numbers)
}

/// Ends a task that nobody waits for any more.
struct WantedTask(TaskCall);

impl Drop for WantedTask {
    fn drop(&mut self) {
        self.0.cancel.cancel();
    }
}

async fn run(place: TaskPlace, job: TaskJob, task: usize) -> Result<()> {
    let call = TaskCall { job, task, settings: place.settings, cancel: Cancel::default() };
    let wanted = WantedTask(call.clone());
    let ran = tokio::task::spawn_blocking(move || (place.runner)(&call)).await;
    drop(wanted);
    match ran {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(DataFusionError::Execution(words(&error))),
        Err(_) => Err(DataFusionError::Execution("a task ended unexpectedly".into())),
    }
}

/// An error as it may travel: its code, and what the system said. The words of an error can quote the table.
fn words(error: &EngineError) -> String {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    let mut said = String::new();
    while let Some(error) = source {
        if let Some(io) = error.downcast_ref::<std::io::Error>() {
            said = format!(": {:?}", io.kind());
        }
        source = error.source();
    }
    format!("{}{said}", error.code())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_travels_without_its_words() {
        let full = EngineError::Io { path: "Erika".into(), source: std::io::ErrorKind::StorageFull.into() };
        assert!(words(&full).ends_with(": StorageFull") && !words(&full).contains("Erika"), "{}", words(&full));
        let changed = words(&EngineError::Changed("Erika".into()));
        assert!(!changed.contains("Erika") && changed.starts_with("IC"), "{changed}");
    }

    #[tokio::test]
    async fn a_task_of_a_plan_that_was_cut_down_runs_alone() {
        let met = Arc::new(std::sync::Mutex::new(Vec::new()));
        let noted = met.clone();
        let runner: TaskRunner = Arc::new(move |call| {
            noted.lock().expect("no test panics").push(call.task);
            Ok(())
        });
        let job = TaskJob { folder: "/".into(), name: "hello".into(), tasks: 3 };
        let numbers = |tasks: std::ops::Range<usize>| {
            let batches: Vec<_> = tasks.map(|task| vec![batch_of(task).expect("a batch")]).collect();
            MemorySourceConfig::try_new_exec(&batches, SCHEMA.clone(), None).expect("an input")
        };
        let place = TaskPlace { runner, settings: Settings::default() };
        let node = TaskNode::new(job.clone(), numbers(0..3), Some(place));
        assert_eq!(node.properties().output_partitioning().partition_count(), 3);
        let cut = node.over(vec![numbers(2..3)]).expect("cut down");
        assert_eq!(cut.properties().output_partitioning().partition_count(), 1);
        let answered = cut.execute(0, Arc::default()).expect("a stream").try_collect::<Vec<_>>().await;
        assert_eq!(answered.expect("answers"), [batch_of(2).expect("a batch")]);
        assert_eq!(*met.lock().expect("no test panics"), [2]);
        assert!(TaskNode::new(job, numbers(0..3), None).execute(0, Arc::default()).is_err(), "no place to run it");
    }
}
