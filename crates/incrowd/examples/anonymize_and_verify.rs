//! From a table to a release, and the verdict of the verifier, which shares no code with what made the release.
//!
//! `cargo run --example anonymize_and_verify -- FOLDER`: writes a sample table and its release into the folder.
#![allow(clippy::print_stdout)]

use std::path::Path;

use incrowd::core::Policy;
use incrowd::{
    AnonymizeOptions, Declared, Engine, Others, ReadOptions, Settings, Source, VerifyOptions, anonymize, verify,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: anonymize_and_verify FOLDER")?;
    let table = Path::new(&folder).join("visits.csv");
    let rows =
        (0..200).map(|row| format!("{},{},{}", 20 + row % 45, ["f", "m"][row % 2], ["flu", "gout"][row % 7 / 4]));
    std::fs::write(&table, format!("age,sex,diagnosis\n{}\n", rows.collect::<Vec<_>>().join("\n")))?;

    let engine = Engine::new(&Settings::default())?;
    let source = Source::open(&engine, table.to_str().ok_or("the folder has a plain name")?, ReadOptions::default())?;
    let options = AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: vec!["age".into(), "sex".into()],
            sensitive: vec!["diagnosis".into()],
            ..Declared::default()
        },
        policy: Policy::k_anonymity(5),
        others: Others::Remove,
        ..AnonymizeOptions::default()
    };
    let release = Path::new(&folder).join("release");
    let made = anonymize(&engine, &source, &options, &release)?;
    println!("{} rows in {} classes, the smallest of {}", made.rows, made.classes, made.smallest_class);

    let against = VerifyOptions { against: Some(table), ..VerifyOptions::default() };
    let verdict = verify(&release, &against)?;
    println!("verified: {}", verdict.verified);
    Ok(())
}
