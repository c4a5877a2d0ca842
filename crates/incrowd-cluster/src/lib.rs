//! The only crate that knows Ballista: a session for the engine, nothing more.
