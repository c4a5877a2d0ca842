//! The models about sensitive values are what their definitions say, and their claims cannot be broken.

#![allow(clippy::unwrap_used)]

#[path = "sensitive/borders.rs"]
mod borders;
#[path = "sensitive/by_the_book.rs"]
mod by_the_book;
#[path = "sensitive/case.rs"]
mod case;
#[path = "sensitive/golden.rs"]
mod golden;
#[path = "sensitive/laws.rs"]
mod laws;
#[path = "sensitive/people.rs"]
mod people;
#[path = "sensitive/transport.rs"]
mod transport;
#[path = "sensitive/words.rs"]
mod words;
