//! A session for the engine: plans that are made in it run on the cluster.

use std::sync::Arc;
use std::time::Duration;

use ballista_core::extension::{SessionConfigExt, SessionStateExt};
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use incrowd_engine::{Cluster, TaskTables};

use crate::address::Address;
use crate::codec::TaskTableCodec;
use crate::error::{ClusterError, Result};
use crate::jobs::BallistaJobs;
use crate::secure::Secure;
use crate::stores;
use crate::task_node::TaskTable;

/// How long a scheduler may take to answer the first call.
const ANSWER: Duration = Duration::from_secs(5);

/// A session on the cluster of this scheduler. The key is of this run alone.
pub fn connect(address: &str, key: [u8; 32]) -> Result<Cluster> {
    let address = Address::parse(address)?;
    if !address.answers(ANSWER) {
        return Err(ClusterError::Unreachable(address.shown()));
    }
    let secure = Secure::from_environment()?;
    let mut config = SessionConfig::new_with_ballista()
        .with_ballista_adaptive_query_planner(false)
        .with_ballista_job_name("incrowd")
        // What is joined with the rows is the smaller side by far, and fits here already.
        .set_bool("datafusion.optimizer.prefer_hash_join", true)
        .with_ballista_logical_extension_codec(Arc::new(TaskTableCodec::default()))
        .with_ballista_use_tls(secure.is_encrypted())
        .with_ballista_grpc_metadata(secure.metadata());
    config.options_mut().execution.enable_file_stream_work_stealing = false;
    if let Some(endpoint) = secure.endpoint() {
        config = config.with_ballista_override_create_grpc_client_endpoint(endpoint);
    }
    let url = format!("http://{}:{}", address.host, address.port);
    let unusable = |_| ClusterError::Unreachable(address.shown());
    let runtime = stores::runtime(RuntimeEnvBuilder::new()).map_err(unusable)?;
    let builder = SessionStateBuilder::new().with_config(config).with_default_features();
    let state = builder.with_runtime_env(runtime).build();
    let context = SessionContext::new_with_state(state.upgrade_for_ballista(url.clone()).map_err(unusable)?);
    let jobs = Arc::new(BallistaJobs::new(url, address.clone(), secure));
    let patience = Duration::from_secs(crate::number("INCROWD_CLUSTER_PATIENCE", 900));
    let tasks: TaskTables = Arc::new(|job| Arc::new(TaskTable { job }));
    // For executors of another make, which would only refuse to run them.
    let is_plain = std::env::var("INCROWD_CLUSTER_PLANS").is_ok_and(|plans| plans == "plain");
    let task_rows = crate::number("INCROWD_CLUSTER_TASK_ROWS", 1 << 17);
    let folder = std::env::var("INCROWD_CLUSTER_FOLDER").ok().filter(|named| !named.is_empty());
    if let Some(wrong) = folder.as_ref().filter(|named| !incrowd_engine::stores::is_remote(named)) {
        return Err(ClusterError::Folder(wrong.clone()));
    }
    Ok(Cluster { context, jobs, tasks: (!is_plain).then_some(tasks), folder, task_rows, key, patience })
}
