//! Damaged files: whatever a file holds, it is read whole or refused in words.
//!
//! Seeds are small tables in every format. Each case changes some bytes of one seed by a fixed draw and gives it to `check`,
//! to `anonymize`, and to `verify` as an original and as the data of a release. A panic, the end of the process, or an
//! accepted table with another number of rows than the seed is a failure.
//!
//! ```console
//! $ INCROWD_MUTANTS=20000 cargo nextest run --test mutants --no-capture
//! ```
//!
//! runs that number of cases (500 without the variable) and prints what became of them.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod mutants {
    mod cases;
    mod change;
    mod seeds;
    mod whole;
}
