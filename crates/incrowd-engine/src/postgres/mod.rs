//! PostgreSQL: a table or a query as a source, and tables as a release.
//!
//! `settings.rs` and `passwords.rs` find out how to connect, `session.rs` connects. `types.rs` says what a column becomes,
//! `decode.rs` and `encode.rs` turn binary COPY into Arrow and back. `snapshot.rs` holds what a run sees; `table.rs` reads
//! it again and again. `publication.rs` writes a release in one transaction, `export.rs` gives released rows back as the plain
//! files that a verifier reads.

mod decode;
mod encode;
mod export;
mod fault;
mod names;
mod numeric;
mod passwords;
mod publication;
mod session;
mod settings;
mod snapshot;
mod table;
mod types;

pub use export::fetch_release;
pub use fault::DatabaseFault;
pub use publication::Publication;

pub(crate) use fault::StreamFault;
pub(crate) use table::DatabaseTable;

/// What names begin with that mean a database.
pub const PREFIX: &str = "postgres:";

/// What a name says after the prefix, if it has it.
pub(crate) fn after_prefix(named: &str) -> Option<&str> {
    named.strip_prefix(PREFIX)
}
