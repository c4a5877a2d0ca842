//! The attacks on tables where the answer is known, and on Adult.

#![allow(clippy::unwrap_used)]

mod attack {
    mod adult;
    mod small;
    mod tables;
}
