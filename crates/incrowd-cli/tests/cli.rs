//! The command line, asked as a person asks it: the real binary, real files, its words, its exit status.

#![allow(clippy::unwrap_used)]

mod cli {
    mod answers;
    mod cases;
    #[cfg(unix)]
    mod crashes;
    mod data;
    mod events;
    #[cfg(unix)]
    mod foreign;
    mod fuzz_corpus;
    mod limits;
    #[cfg(unix)]
    mod path_options;
    mod pipes;
    mod plans;
    mod releases;
    #[cfg(unix)]
    mod signals;
    mod silence;
    #[cfg(unix)]
    mod stopping;
    mod support;
    #[cfg(unix)]
    mod tampered;
}
