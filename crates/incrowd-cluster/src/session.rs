//! A session for the engine: plans that are made in it run on the cluster.

use std::net::ToSocketAddrs;
use std::sync::Arc;
use std::time::Duration;

use ballista_core::extension::{SessionConfigExt, SessionStateExt};
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use incrowd_engine::Cluster;
use url::Url;

use crate::error::{ClusterError, Result};
use crate::jobs::BallistaJobs;
use crate::secure::Secure;

/// The port of a scheduler that names none.
pub(crate) const USUAL_PORT: u16 = 50050;

/// How long a scheduler may take to answer the first call.
const ANSWER: Duration = Duration::from_secs(5);

/// Where a scheduler is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Address {
    /// `df://host:port`, or the same with another word or none before it.
    pub(crate) fn parse(text: &str) -> Result<Address> {
        let with_scheme = if text.contains("://") { text.to_string() } else { format!("df://{text}") };
        let wrong = || ClusterError::Address(text.into());
        let url = Url::parse(&with_scheme).map_err(|_| wrong())?;
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(wrong)?;
        Ok(Address { host: host.into(), port: url.port().unwrap_or(USUAL_PORT) })
    }

    /// As people write it.
    pub(crate) fn shown(&self) -> String {
        format!("df://{}:{}", self.host, self.port)
    }

    /// Whether something listens there.
    pub(crate) fn answers(&self, within: Duration) -> bool {
        let addresses = (self.host.as_str(), self.port).to_socket_addrs();
        addresses.is_ok_and(|mut all| all.any(|address| std::net::TcpStream::connect_timeout(&address, within).is_ok()))
    }
}

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
        .with_ballista_use_tls(secure.is_encrypted())
        .with_ballista_grpc_metadata(secure.metadata());
    config.options_mut().execution.enable_file_stream_work_stealing = false;
    if let Some(endpoint) = secure.endpoint() {
        config = config.with_ballista_override_create_grpc_client_endpoint(endpoint);
    }
    let url = format!("http://{}:{}", address.host, address.port);
    let state = SessionStateBuilder::new().with_config(config).with_default_features().build();
    let unusable = |_| ClusterError::Unreachable(address.shown());
    let context = SessionContext::new_with_state(state.upgrade_for_ballista(url.clone()).map_err(unusable)?);
    let jobs = Arc::new(BallistaJobs::new(url, address.clone(), secure));
    let patience = Duration::from_secs(crate::seconds("INCROWD_CLUSTER_PATIENCE", 900));
    Ok(Cluster { context, jobs, key, patience })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_leave_out_its_scheme_and_its_port() {
        let address = |text: &str| Address::parse(text).ok().map(|address| (address.host, address.port));
        for text in ["df://host:7", "host:7", "http://host:7", "https://host:7/"] {
            assert_eq!(address(text), Some(("host".into(), 7)), "{text}");
        }
        assert_eq!(address("df://10.0.0.1"), Some(("10.0.0.1".into(), USUAL_PORT)));
        assert_eq!(address("df://:7"), None);
        assert_eq!(address("df://host:port"), None);
    }
}
