//! Adversaries that try to refute what a release claims.
//!
//! Each test draws tables and releases by a fixed seed, lets the program publish them, and looks for a counterexample by a
//! definition of its own, written from the literature and not from the program. It sees what the named reader sees: the
//! public folder alone, or the public folder and the original. `docs/claims.md` says which test tries to refute which claim.
//!
//! ```console
//! $ INCROWD_REFUTE_CASES=10000 cargo nextest run --test refute --no-capture
//! ```
//!
//! runs that number of cases for each of the eleven claims (100 without the variable) and prints how many cases were tried,
//! how many met the precondition of the claim, and how many refuted it.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod refute {
    mod bounds;
    mod case;
    mod cells;
    mod classes;
    mod counts;
    mod definitions;
    mod draw;
    mod kept;
    mod published;
    mod queries;
    mod removed;
    mod repeated;
    mod run;
    mod table;
}
