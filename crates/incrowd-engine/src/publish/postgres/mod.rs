//! A release as tables of PostgreSQL: `publication.rs` writes it in one transaction, which `commit.rs` ends; `export.rs` gives
//! released rows back as the plain files that a verifier reads, `encode.rs` turns Arrow into binary COPY.

mod commit;
mod encode;
mod export;
mod publication;

pub use export::fetch_release;
pub use publication::Publication;
