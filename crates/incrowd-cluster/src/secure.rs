//! TLS and credentials of a client and of an executor that calls a scheduler, by environment.
//!
//! | variable | what it names |
//! | --- | --- |
//! | `INCROWD_CLUSTER_CA` | a PEM file: the authority that signed the servers' certificates. Its presence turns TLS on |
//! | `INCROWD_CLUSTER_CERT`, `INCROWD_CLUSTER_KEY` | PEM files: our own certificate and its key, for servers that ask for one |
//! | `INCROWD_CLUSTER_TOKEN` | a token, sent to the scheduler as `authorization: Bearer …` with every call |
//!
//! Ballista 55 speaks TLS as a client; its servers do not. They want a proxy that ends TLS before them
//! (docs/cluster.md).

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use ballista_core::extension::EndpointOverrideFn;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

use crate::error::{ClusterError, Result};

/// What the environment says.
#[derive(Clone, Default)]
pub(crate) struct Secure {
    tls: Option<ClientTlsConfig>,
    token: Option<String>,
}

impl Secure {
    pub(crate) fn from_environment() -> Result<Secure> {
        let token = std::env::var("INCROWD_CLUSTER_TOKEN").ok().filter(|token| !token.is_empty());
        let Some(authority) = read("INCROWD_CLUSTER_CA")? else { return Ok(Secure { tls: None, token }) };
        let mut tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(authority));
        if let Some((certificate, key)) = read("INCROWD_CLUSTER_CERT")?.zip(read("INCROWD_CLUSTER_KEY")?) {
            tls = tls.identity(Identity::from_pem(certificate, key));
        }
        Ok(Secure { tls: Some(tls), token })
    }

    /// Whether calls are encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// What is sent along with every call to the scheduler.
    pub(crate) fn metadata(&self) -> HashMap<String, String> {
        self.token.iter().map(|token| ("authorization".to_string(), format!("Bearer {token}"))).collect()
    }

    /// What turns an endpoint into one that speaks TLS.
    pub(crate) fn endpoint(&self) -> Option<EndpointOverrideFn> {
        let tls = self.tls.clone()?;
        Some(Arc::new(move |endpoint: Endpoint| {
            // Ballista writes http:// into addresses, and then TLS would be left out without a word.
            let encrypted = endpoint.uri().to_string().replacen("http://", "https://", 1);
            Ok(Endpoint::from_shared(encrypted)?.tls_config(tls.clone())?)
        }))
    }
}

/// The content of the file that a variable names.
fn read(variable: &'static str) -> Result<Option<String>> {
    let Some(path) = std::env::var_os(variable).filter(|path| !path.is_empty()) else { return Ok(None) };
    let path = PathBuf::from(path);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(ClusterError::Certificate { variable, path }),
    }
}
