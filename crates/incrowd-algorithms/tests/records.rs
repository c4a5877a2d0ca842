//! Closed frequent records, and what is built on them, against published figures and brute force.
// Figures are printed with their times: what they took is told by the same run that checks them.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "laws/case.rs"]
mod case;
mod records {
    mod bounds;
    mod brute_force;
    mod counts;
    mod losses;
    mod tables;

    use super::case;
}
