//! One connection: it ends, and the server forgets what it was doing, when it is dropped.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio::task::JoinHandle;
use tokio_postgres::Client;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::runtime::database_fault::DatabaseFault;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::remedy::DatabaseRemedy;
use crate::source::postgres::settings::ConnectionSettings;

/// A connection that speaks UTF-8 and plain forms, reads tables in one order, and has no time limit but for locks.
pub(crate) struct Session {
    client: Client,
    task: JoinHandle<()>,
    pub(crate) named: String,
}

/// Forms that are the same everywhere, and scans that begin at the first page and use one process: rows come in the
/// same order each time. A backslash in a text is a backslash. A lock that another session holds is waited for some
/// seconds and not forever.
const SETUP: &str = "SET standard_conforming_strings = on; SET client_encoding = 'UTF8'; SET DateStyle = 'ISO'; \
     SET IntervalStyle = 'iso_8601'; \
     SET TimeZone = 'UTC'; SET bytea_output = 'hex'; SET extra_float_digits = 1; SET synchronize_seqscans = off; \
     SET max_parallel_workers_per_gather = 0; SET statement_timeout = 0; SET lock_timeout = '10s'; \
     SET idle_in_transaction_session_timeout = 0";

impl Session {
    /// Connects. Must be called on the engine's runtime.
    pub(crate) async fn connect(named: &str, settings: &ConnectionSettings) -> Result<Session> {
        let connecting = settings.config.connect(connector(named, settings)?).await;
        let (client, connection) = connecting.map_err(|error| DatabaseFault::of(named, "connecting", &error))?;
        // An error of the connection is reported by the request that fails.
        let task = tokio::spawn(async move { drop(connection.await) });
        let session = Session { client, task, named: named.into() };
        session.run("connecting", SETUP).await?;
        Ok(session)
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Runs statements that answer nothing.
    pub(crate) async fn run(&self, doing: &str, statements: &str) -> Result<()> {
        self.client.batch_execute(statements).await.map_err(|error| self.failed(doing, &error))
    }

    pub(crate) fn failed(&self, doing: &str, error: &tokio_postgres::Error) -> EngineError {
        DatabaseFault::of(&self.named, doing, error).into()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A request that is under way would otherwise be read to its end.
        self.task.abort();
    }
}

fn connector(named: &str, settings: &ConnectionSettings) -> Result<MakeRustlsConnect> {
    let untrusted = |fact: &str| EngineError::from(DatabaseFault::new(named, fact, DatabaseRemedy::NameCertificate));
    let mut roots = RootCertStore::empty();
    match &settings.root_certificate {
        Some(path) => {
            let unreadable = || untrusted("the file of sslrootcert contains no valid certificate");
            for certificate in CertificateDer::pem_file_iter(path).map_err(|_| unreadable())? {
                let added = certificate.ok().and_then(|certificate| roots.add(certificate).ok());
                added.ok_or_else(unreadable)?;
            }
        }
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|_| untrusted("TLS could not be set up"))?;
    Ok(MakeRustlsConnect::new(config.with_root_certificates(roots).with_no_client_auth()))
}
