//! The targets of the verifier and of core: `INCROWD_FUZZ` names the one that libFuzzer feeds.

#![no_main]

#[path = "../../targets/hierarchies.rs"]
mod hierarchies;
#[path = "../../src/limits.rs"]
mod limits;
#[path = "../../targets/releases.rs"]
mod releases;
#[path = "../../targets/scratch.rs"]
mod scratch;

const TARGETS: &[(&str, fn(&[u8]) -> bool)] = &[
    ("verify-csv", releases::csv),
    ("verify-parquet", releases::parquet),
    ("verify-arrow", releases::arrow),
    ("verify-workbook", releases::workbook),
    ("verify-stata", releases::stata),
    ("verify-spss", releases::spss),
    ("verify-delta", releases::delta),
    ("hierarchy", hierarchies::hierarchy),
    ("manifest", releases::manifest),
];

#[global_allocator]
static ALLOCATOR: limits::Limited = limits::Limited;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    limits::end_at_panics(incrowd_verify::panic_is_caught);
    let _ = limits::chosen(TARGETS)(data);
});
