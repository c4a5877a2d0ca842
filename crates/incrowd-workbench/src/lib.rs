//! The workbench: a page in the browser with which a table is anonymized without a terminal.
//!
//! A [`Server`] listens on loopback and answers until it is ended. The crate has no logic of its own: a request is a
//! plan, an answer is the JSON that the command line prints, and everything between them is done by `incrowd`.
//!
//! - `guard.rs`: who may ask. A token that is used once becomes a cookie; every request is checked before it is routed.
//! - `session.rs`: what is open: folder, plan, counted table, candidates, and what the user chose to see.
//! - `document.rs`: the plan as a text with undo; every click edits it.
//! - `jobs.rs`: long work with progress, an early end and cancellation.
//! - `api/`: one file for each screen, and the table of routes with its OpenAPI description.
//! - `assets.rs`: the page itself, built from `workbench/` in the repository.
//!
//! Nothing is uploaded: files are read below the folder that the server was started in. A cell's value is sent only for
//! columns that the user chose to reveal.

mod api;
mod assets;
mod candidate;
mod document;
mod errors;
mod folder;
mod guard;
mod jobs;
mod secrets;
mod server;
mod session;
mod turns;

pub use api::openapi;
pub use server::{ServeError, ServeOptions, Server};
