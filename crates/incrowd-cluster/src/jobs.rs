//! Jobs of a Ballista scheduler: how far they are, and that nothing of them stays.

use ballista_core::execution_plans::DistributedQueryExec;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{CancelJobParams, CleanJobDataParams};
use datafusion::error::DataFusionError;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::protobuf::LogicalPlanNode;
use futures::FutureExt;
use futures::future::BoxFuture;
use incrowd_engine::{ClusterFault, Jobs, Tasks};
use tonic::transport::Endpoint;

use crate::address::Address;
use crate::rest;
use crate::secure::Secure;

/// The jobs of one scheduler.
pub(crate) struct BallistaJobs {
    url: String,
    address: Address,
    secure: Secure,
}

impl BallistaJobs {
    pub(crate) fn new(url: String, address: Address, secure: Secure) -> BallistaJobs {
        BallistaJobs { url, address, secure }
    }

    /// Stops a job if need be, and has executors remove its files.
    async fn forget(&self, job: &str, stop: bool) -> Option<()> {
        let mut endpoint = Endpoint::from_shared(self.url.clone()).ok()?;
        if let Some(encrypt) = self.secure.endpoint() {
            endpoint = encrypt(endpoint).ok()?;
        }
        let mut scheduler = SchedulerGrpcClient::new(endpoint.connect().await.ok()?);
        let metadata = self.secure.metadata();
        if stop {
            let _ = scheduler.cancel_job(with(CancelJobParams { job_id: job.into() }, &metadata)).await;
        }
        scheduler
            .clean_job_data(with(CleanJobDataParams { job_id: job.into(), remove_stage_ids: vec![] }, &metadata))
            .await
            .ok()?;
        Some(())
    }
}

/// A call with its credentials.
fn with<T>(call: T, metadata: &std::collections::HashMap<String, String>) -> tonic::Request<T> {
    let mut request = tonic::Request::new(call);
    if let Some(token) = metadata.get("authorization").and_then(|token| token.parse().ok()) {
        request.metadata_mut().insert("authorization", token);
    }
    request
}

impl Jobs for BallistaJobs {
    fn name(&self, plan: &dyn ExecutionPlan) -> Option<String> {
        let job = plan.downcast_ref::<DistributedQueryExec<LogicalPlanNode>>()?.job_id()?;
        Some(job.as_str().to_string())
    }

    fn tasks<'a>(&'a self, job: &'a str) -> BoxFuture<'a, Option<Tasks>> {
        async move { if self.secure.is_encrypted() { None } else { rest::tasks(&self.address, job).await } }.boxed()
    }

    fn end<'a>(&'a self, job: &'a str, stop: bool) -> BoxFuture<'a, ()> {
        // What cannot be removed now is removed by the scheduler later, and by the next sweep.
        self.forget(job, stop).map(|_| ()).boxed()
    }

    fn explain(&self, error: &DataFusionError) -> ClusterFault {
        crate::explain::explain(&error.to_string())
    }
}
