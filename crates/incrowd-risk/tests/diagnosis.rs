//! The diagnosis against the worked examples and measured figures of paper 002, and against brute force.

#![allow(clippy::unwrap_used)]

mod diagnosis {
    mod adult;
    mod brute_force;
    mod effort;
    mod golden;
    mod tables;
}
