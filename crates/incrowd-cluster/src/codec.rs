//! How plans with tasks of ours travel: theirs as Ballista writes them, ours as a mark and some JSON.

use std::fmt::{Debug, Formatter};
use std::sync::Arc;

use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::TableReference;
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{Extension, LogicalPlan};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use incrowd_engine::TaskJob;

use crate::task_node::{TaskNode, TaskPlace, TaskTable};

/// What a job begins with; nothing of Ballista's does.
const MARK: &[u8] = b"incrowd tasks\0";

/// Logical plans, on their way to a scheduler.
#[derive(Debug, Default)]
pub(crate) struct TaskTableCodec(BallistaLogicalExtensionCodec);

/// Physical plans, on their way to executors.
#[derive(Default)]
pub(crate) struct TaskNodeCodec {
    ballista: BallistaPhysicalExtensionCodec,
    /// Only executors have one.
    place: Option<TaskPlace>,
}

impl TaskNodeCodec {
    /// Of an executor, which runs tasks here.
    pub(crate) fn running(place: TaskPlace) -> TaskNodeCodec {
        TaskNodeCodec { place: Some(place), ..TaskNodeCodec::default() }
    }
}

impl Debug for TaskNodeCodec {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaskNodeCodec").finish_non_exhaustive()
    }
}

fn put(job: &TaskJob, bytes: &mut Vec<u8>) -> Result<()> {
    bytes.extend_from_slice(MARK);
    serde_json::to_writer(bytes, job).map_err(|error| DataFusionError::External(Box::new(error)))
}

/// The job in these bytes, if they are of ours.
fn job(bytes: &[u8]) -> Option<Result<TaskJob>> {
    let text = bytes.strip_prefix(MARK)?;
    Some(serde_json::from_slice(text).map_err(|error| DataFusionError::External(Box::new(error))))
}

impl LogicalExtensionCodec for TaskTableCodec {
    fn try_decode(&self, bytes: &[u8], inputs: &[LogicalPlan], context: &TaskContext) -> Result<Extension> {
        self.0.try_decode(bytes, inputs, context)
    }

    fn try_encode(&self, node: &Extension, bytes: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode(node, bytes)
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        name: &TableReference,
        schema: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        match job(bytes) {
            Some(job) => Ok(Arc::new(TaskTable { job: job? })),
            None => self.0.try_decode_table_provider(bytes, name, schema, context),
        }
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        table: Arc<dyn TableProvider>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        match table.downcast_ref::<TaskTable>() {
            Some(table) => put(&table.job, bytes),
            None => self.0.try_encode_table_provider(name, table, bytes),
        }
    }

    fn try_decode_file_format(&self, bytes: &[u8], context: &TaskContext) -> Result<Arc<dyn FileFormatFactory>> {
        self.0.try_decode_file_format(bytes, context)
    }

    fn try_encode_file_format(&self, bytes: &mut Vec<u8>, node: Arc<dyn FileFormatFactory>) -> Result<()> {
        self.0.try_encode_file_format(bytes, node)
    }
}

impl PhysicalExtensionCodec for TaskNodeCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match job(bytes) {
            Some(job) => {
                let input = inputs.first().ok_or_else(|| DataFusionError::Internal("tasks have one input".into()))?;
                Ok(Arc::new(TaskNode::new(job?, input.clone(), self.place.clone())))
            }
            None => self.ballista.try_decode(bytes, inputs, context, converter),
        }
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        match node.downcast_ref::<TaskNode>() {
            Some(node) => put(&node.job, bytes),
            None => self.ballista.try_encode(node, bytes, converter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_arrives_as_it_was_sent_and_says_nothing_else() {
        let sent = TaskJob { folder: "/shared/.x.executors".into(), name: "recode".into(), tasks: 64 };
        let mut bytes = Vec::new();
        put(&sent, &mut bytes).expect("written");
        assert_eq!(job(&bytes).and_then(Result::ok), Some(sent));
        let text = String::from_utf8_lossy(&bytes[MARK.len()..]).into_owned();
        assert_eq!(text, r#"{"folder":"/shared/.x.executors","name":"recode","tasks":64}"#);
        assert!(job(b"something of Ballista's").is_none());
    }
}
