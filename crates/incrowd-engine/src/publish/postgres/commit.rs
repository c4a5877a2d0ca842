//! The last step of a release in a database: COMMIT, and what became of it when its answer was lost.
//!
//! The server remembers how a transaction ended. It is asked on a new connection; a transaction that still waits for a client
//! that has gone is ended first.

use std::time::Duration;

use tokio_postgres::error::{Error, SqlState};

use crate::publish::postgres::export::MANIFEST;
use crate::publish::postgres::publication::{Publication, literal, mark};
use crate::publish::publish_outcome::PublishOutcome;
use crate::publish::staging::misfit;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::source::postgres::session::Session;
use crate::source::postgres::snapshot::first_cell;

/// How often the server is asked, and after what pauses: a connection that broke for a moment is not the end.
const ATTEMPTS: usize = 10;
const PAUSE: Duration = Duration::from_secs(1);

impl Publication {
    /// Adds the manifest and makes all of it visible at once.
    pub fn commit(mut self, engine: &Engine, manifest: &str) -> Result<PublishOutcome> {
        let Some(session) = self.session.take() else { return Err(misfit()) };
        let table = self.name.with(MANIFEST)?;
        engine.block_on(async {
            let create = format!(
                "CREATE TABLE {table} (manifest text NOT NULL); INSERT INTO {table} VALUES ({})",
                literal(manifest)
            );
            session.run("writing the manifest", &create).await?;
            // By its mark a table is known as ours when it is to be replaced.
            let mark = literal(&mark(manifest));
            for table in self.loaded.iter().chain([&table]) {
                session.run("marking the tables", &format!("COMMENT ON TABLE {table} IS {mark}")).await?;
            }
            let transaction = first_cell(&session, "SELECT pg_catalog.txid_current()").await?.ok_or_else(misfit)?;
            match session.client().batch_execute("COMMIT").await {
                Ok(()) => Ok(PublishOutcome::Published),
                Err(error) if is_refusal(&error) => Err(session.failed("publishing", &error)),
                Err(error) => {
                    let failed = session.failed("publishing", &error);
                    drop(session);
                    self.outcome_of(&transaction, failed).await
                }
            }
        })
    }

    /// What became of a transaction whose COMMIT was not answered.
    async fn outcome_of(&self, transaction: &str, failed: EngineError) -> Result<PublishOutcome> {
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                tokio::time::sleep(PAUSE).await;
            }
            match self.status(transaction).await.as_deref() {
                Some("committed") => return Ok(PublishOutcome::Published),
                Some("aborted") => return Err(failed),
                _ => {}
            }
        }
        Ok(PublishOutcome::Unknown)
    }

    /// How a transaction ended; nothing when the server cannot say so now.
    async fn status(&self, transaction: &str) -> Option<String> {
        let session = Session::connect(&self.named, &self.settings).await.ok()?;
        // A session's own number of its transaction has 32 bits, without those that count how often they were used up.
        let end = format!(
            "SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity \
             WHERE backend_xid::text = ({transaction} % 4294967296)::text"
        );
        first_cell(&session, &end).await.ok()?;
        first_cell(&session, &format!("SELECT pg_catalog.txid_status({transaction})")).await.ok()?
    }
}

/// Whether the server answered that it did not commit. When it shuts down, or the connection breaks, it may have.
fn is_refusal(error: &Error) -> bool {
    let is_end = |state: &SqlState| state.code().starts_with("57P") || state.code().starts_with("08");
    error.code().is_some_and(|state| !is_end(state))
}
