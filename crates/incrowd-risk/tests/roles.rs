//! The role guesses on a corpus of column names with values.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod roles {
    mod corpus;
    mod values;
}
