//! PostgreSQL: a table or a query as a source of rows.
//!
//! `settings.rs` and `passwords.rs` find out how to connect, `session.rs` connects. `types.rs` says what a column
//! becomes, `decode.rs` turns binary COPY into Arrow. `snapshot.rs` holds what a run sees; `table.rs` reads it again
//! and again.
//!
//! A release needs at least two scans that return the same rows with the same numbers. So every connection of every
//! scan uses one snapshot, and a scan of a table is cut into ranges of pages (`ctid`): row *n* of a range is row *n* in
//! every scan. What has no pages, such as a query or a view, is read by one connection. Sequential scans start at the
//! first page (`synchronize_seqscans = off`) and use one process each.
//!
//! GROUP BY is not pushed down to the server: a second scan has to find the tuple of each row again, by the codes of
//! the first. `benchmarks/postgres.py` measures the server's own GROUP BY for comparison.

pub(crate) mod decode;
pub(crate) mod fault;
pub(crate) mod names;
pub(crate) mod numeric;
mod passwords;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod snapshot;
pub(crate) mod table;
pub(crate) mod types;

/// What names begin with that mean a database.
pub const PREFIX: &str = "postgres:";

/// What a name says after the prefix, if it has it.
pub(crate) fn after_prefix(named: &str) -> Option<&str> {
    named.strip_prefix(PREFIX)
}
