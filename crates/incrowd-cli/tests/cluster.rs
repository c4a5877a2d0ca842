//! A cluster of real processes on this machine: the same release as without one, whatever is killed, and nothing left behind.
//!
//! Each test has a cluster of its own, a scheduler and two executors, on ports that were free.

#![allow(clippy::unwrap_used, clippy::print_stderr)]
#![cfg(unix)]

mod cluster {
    mod answers;
    mod faults;
    mod leaks;
    mod releases;
    mod support;
}
