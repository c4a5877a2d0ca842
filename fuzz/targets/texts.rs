//! Texts that are no tables: plans, records, ledgers, questions and arguments.

use std::ffi::OsString;
use std::sync::OnceLock;

use incrowd::request::Plan;
use incrowd::{Ledger, Record};

use super::engines::file;
use super::scratch::{CELL, assert_silent};

/// Read as TOML and as JSON, turned into options, written and read again.
pub(super) fn plan(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let mut accepted = false;
    for read in [Plan::parse(text), Plan::from_json(text)] {
        let Ok(plan) = read else { continue };
        accepted = true;
        let _ = plan.options(incrowd::Format::Csv);
        let _ = (plan.read_options(), plan.limits(), plan.declared(), plan.missing(), plan.settings());
        if let Ok(written) = plan.to_toml() {
            // A number that is none differs from itself.
            let is_same = Plan::parse(&written).is_ok_and(|again| again == plan || plan != plan.clone());
            assert!(is_same, "a plan that was written reads otherwise");
            let _ = incrowd::request::rewrite(text, &plan);
        }
        let _ = incrowd::request::confirm(text, &[]);
    }
    accepted
}

pub(super) fn record(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let Ok(record) = serde_json::from_str::<Record>(text) else { return false };
    let written = serde_json::to_string(&record).unwrap();
    assert!(serde_json::from_str::<Record>(&written).is_ok(), "a record that was written cannot be read");
    for column in ["age", "sex"] {
        let _ = record.hierarchy(column);
    }
    true
}

pub(super) fn ledger(data: &[u8]) -> bool {
    let path = file("ledger.json", data);
    match Ledger::open(&path) {
        Ok(ledger) => {
            let mut entry = incrowd::LedgerEntry::default();
            entry.columns = vec!["age".into(), "sex".into()];
            let _ = ledger.released_before(&entry);
            true
        }
        Err(error) => {
            assert_silent(&error.to_string(), b"");
            false
        }
    }
}

/// No refusal quotes a literal.
pub(super) fn sql(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    match incrowd_engine::parse_query(text) {
        Ok(query) => {
            drop(query.columns());
            true
        }
        Err(error) => {
            // A text that is not quoted is the name of a column, which may be said. A comment or a line may end a quote.
            let quoted = format!("'{CELL}'");
            let is_literal = text.matches(CELL).count() == text.matches(&quoted).count();
            let is_plain = !text.contains(['"', '`', '[', '\\', '$', '-', '/', '#']) && text.matches('\'').count() == 2;
            if is_literal && is_plain {
                assert_silent(&error.to_string(), b"");
            }
            false
        }
    }
}

/// The words of a command line, one on each line. Nothing is run.
pub(super) fn arguments(data: &[u8]) -> bool {
    static DEFINITION: OnceLock<clap::Command> = OnceLock::new();
    let definition = DEFINITION.get_or_init(incrowd_cli::definition);
    let words = data.split(|byte| *byte == b'\n').map(|word| {
        #[cfg(unix)]
        let word = std::os::unix::ffi::OsStringExt::from_vec(word.to_vec());
        #[cfg(not(unix))]
        let word = OsString::from(String::from_utf8_lossy(word).into_owned());
        word
    });
    let words = std::iter::once(OsString::from("incrowd")).chain(words);
    let parsed = definition.clone().try_get_matches_from(words);
    if let Err(told) = &parsed {
        let _ = told.render().to_string();
    }
    parsed.is_ok()
}
