//! The server of the workbench, asked over a real connection: who may ask, what is answered, and what is not.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod workbench {
    mod canary;
    mod client;
    mod journey;
    mod malformed;
    mod security;
    mod tampered;
}
