//! Closed frequent records, and what is built on them, against published figures and brute force.
// Figures are printed with their times: what they took is told by the same run that checks them.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "laws/asks.rs"]
#[allow(dead_code, reason = "shared with the laws, which use all of it")]
mod asks;
#[path = "laws/case.rs"]
#[allow(dead_code, reason = "shared with the laws, which use all of it")]
mod case;
mod records {
    mod bounds;
    mod brute_force;
    mod counts;
    mod losses;
    mod optimum;
    mod tables;

    use super::case;
}
