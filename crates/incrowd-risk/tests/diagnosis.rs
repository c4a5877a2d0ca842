//! The diagnosis against the worked examples and measured figures of the paper on a privacy diagnosis centre, and against brute force.

#![allow(clippy::unwrap_used)]

mod diagnosis {
    mod adult;
    mod brute_force;
    mod effort;
    mod golden;
    mod tables;
}
