//! What an adversary could do with a table: the diagnosis before a release, and what each column seems to be.
//!
//! Pure and repeatable: everything here is a function of what the engine counted, whatever the number of threads.

pub mod diagnosis;
pub mod roles;
