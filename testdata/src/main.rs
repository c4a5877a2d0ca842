//! Prints the folder of the unpacked test data, for scripts.

#![allow(clippy::print_stdout)]

fn main() {
    println!("{}", incrowd_testdata::folder().display());
}
