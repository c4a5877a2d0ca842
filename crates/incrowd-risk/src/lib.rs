//! What an adversary could do with a table: the diagnosis before a release, what each column seems to be, and attacks
//! on what is about to be published; and the risk against a population of which the table is a sample.
//!
//! Pure and repeatable: everything here is a function of what the engine counted, whatever the number of threads.
//!
//! The crate uses `incrowd-core` and no other crate of the workspace. It sees neither the engine nor the solvers, so a
//! diagnosis cannot be tuned to a solver.

pub mod attack;
pub mod diagnosis;
pub mod population;
pub mod roles;
