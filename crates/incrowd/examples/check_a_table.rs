//! Is a table safe, and which columns together identify people?
//!
//! `cargo run --example check_a_table -- TABLE`
#![allow(clippy::print_stdout)]

use incrowd::{CheckOptions, Engine, ReadOptions, Settings, Source, check};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: check_a_table TABLE")?;
    let engine = Engine::new(&Settings::default())?;
    let source = Source::open(&engine, &path, ReadOptions::default())?;
    let answer = check(&engine, &source, &CheckOptions::default())?;
    println!("{}", answer.verdict);
    for column in &answer.columns {
        println!("  {}: {:?}", column.name, column.role);
    }
    Ok(())
}
