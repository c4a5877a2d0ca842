//! A schema of its own in a real PostgreSQL, for tests of this crate and of those above it.
//!
//! `INCROWD_POSTGRES` names the server, as a URL of a superuser; `.ci/postgres start` makes one.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio_postgres::{Client, NoTls};

/// A schema in the server that the environment names. It is removed when this is dropped.
pub(crate) struct PostgresSchema {
    pub(crate) url: String,
    pub(crate) schema: String,
    pub(crate) runtime: tokio::runtime::Runtime,
    client: Client,
}

impl PostgresSchema {
    /// A schema whose name begins like this. Nothing, with a line on stderr, when no server is named.
    #[allow(clippy::print_stderr)]
    pub(crate) fn create(name: &str) -> Option<PostgresSchema> {
        static SCHEMAS: AtomicU64 = AtomicU64::new(0);
        let Ok(url) = std::env::var("INCROWD_POSTGRES") else {
            eprintln!("SKIPPED: INCROWD_POSTGRES is not set, so nothing was tried with a real PostgreSQL");
            return None;
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let client = runtime.block_on(connect(&url));
        let number = SCHEMAS.fetch_add(1, Ordering::Relaxed);
        let schema = format!("{name}_{}_{number}", std::process::id());
        let created = PostgresSchema { url, schema, runtime, client };
        created.run(&format!("CREATE SCHEMA {}", created.quoted()));
        Some(created)
    }

    /// The schema's name in double quotes.
    pub(crate) fn quoted(&self) -> String {
        format!("\"{}\"", self.schema.replace('"', "\"\""))
    }

    /// Runs statements that answer nothing.
    pub(crate) fn run(&self, sql: &str) {
        self.runtime.block_on(self.client.batch_execute(sql)).unwrap();
    }

    /// The number that a query answers.
    #[allow(dead_code)] // Not every crate that includes this file asks for one.
    pub(crate) fn number(&self, sql: &str) -> i64 {
        self.runtime.block_on(self.client.query_one(sql, &[])).unwrap().get(0)
    }
}

impl Drop for PostgresSchema {
    fn drop(&mut self) {
        let drop = format!("DROP SCHEMA IF EXISTS {} CASCADE", self.quoted());
        // Nothing can be done about a failure while giving up.
        let _ = self.runtime.block_on(self.client.batch_execute(&drop));
    }
}

/// A connection that lives as long as its client.
pub(crate) async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(async move { drop(connection.await) });
    client
}
