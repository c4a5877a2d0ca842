//! Honest releases are accepted, tampered ones are not, and the verifier says the right thing about each.

#![allow(clippy::unwrap_used)]

#[path = "verify/against.rs"]
mod against;
#[path = "verify/canaries.rs"]
mod canaries;
#[path = "verify/canaries_beside_cells.rs"]
mod canaries_beside_cells;
#[path = "verify/delta_log.rs"]
mod delta_log;
#[path = "verify/hostile.rs"]
mod hostile;
#[path = "verify/judge_directly.rs"]
mod judge_directly;
#[path = "verify/judging.rs"]
mod judging;
#[path = "verify/limits.rs"]
mod limits;
#[path = "verify/manifest.rs"]
mod manifest;
#[path = "verify/memory.rs"]
mod memory;
#[path = "verify/orders.rs"]
mod orders;
#[path = "verify/original_tables.rs"]
mod original_tables;
#[path = "verify/original_treatments.rs"]
mod original_treatments;
#[path = "verify/pair.rs"]
mod pair;
#[path = "verify/population.rs"]
mod population;
#[path = "verify/queries.rs"]
mod queries;
#[path = "verify/sensitive.rs"]
mod sensitive;
#[path = "verify/support.rs"]
mod support;
#[path = "verify/tampering.rs"]
mod tampering;
#[path = "verify/tasks.rs"]
mod tasks;
#[path = "verify/treatments.rs"]
mod treatments;
#[path = "verify/two_tables.rs"]
mod two_tables;
#[path = "verify/two_truths.rs"]
mod two_truths;
