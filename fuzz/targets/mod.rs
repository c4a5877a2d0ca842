//! What foreign bytes are given to, one function for each kind. A function ends normally unless there is a fault, and says
//! whether the bytes were accepted: a target that accepts nothing tests little.
//!
//! Used by libFuzzer (`fuzz/`; `fuzz/verifier` has those that need the verifier and core alone), and by the test that replays the corpora in the gate
//! (`crates/incrowd-cli/tests/cli/fuzz_corpus.rs`).

mod engines;
mod hierarchies;
mod releases;
mod requests;
mod scratch;
mod tables;
mod texts;

/// A function that is given bytes.
pub(crate) type FuzzTarget = fn(&[u8]) -> bool;

/// The targets, each with the name of its folder in `fuzz/corpus`.
pub(crate) const TARGETS: &[(&str, FuzzTarget)] = &[
    ("csv", tables::csv),
    ("encodings", tables::encodings),
    ("workbook", tables::workbook),
    ("sheet", tables::sheet),
    ("stata", tables::stata),
    ("spss", tables::spss),
    ("sas", tables::sas),
    ("parquet", tables::parquet),
    ("arrow", tables::arrow),
    ("delta", tables::delta),
    ("verify-csv", releases::csv),
    ("verify-parquet", releases::parquet),
    ("verify-arrow", releases::arrow),
    ("verify-workbook", releases::workbook),
    ("verify-stata", releases::stata),
    ("verify-spss", releases::spss),
    ("verify-delta", releases::delta),
    ("hierarchy", hierarchies::hierarchy),
    ("plan", texts::plan),
    ("manifest", releases::manifest),
    ("record", texts::record),
    ("ledger", texts::ledger),
    ("sql", texts::sql),
    ("arguments", texts::arguments),
    ("requests", requests::requests),
];
