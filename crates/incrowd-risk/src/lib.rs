//! What an adversary could do with a table: the diagnosis before a release, what each column seems to be, and attacks
//! on what is about to be published.
//!
//! Pure and repeatable: everything here is a function of what the engine counted, whatever the number of threads.

pub mod attack;
pub mod diagnosis;
pub mod roles;
