//! The command line, asked as a person asks it: the real binary, real files, its words, its exit status.

#![allow(clippy::unwrap_used)]

mod cli {
    mod answers;
    mod cases;
    mod data;
    mod plans;
    mod silence;
    #[cfg(unix)]
    mod stopping;
    mod support;
}
