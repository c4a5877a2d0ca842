//! One program for all targets: `INCROWD_FUZZ` names the one that libFuzzer feeds.

#![no_main]

mod limits;
#[path = "../targets/mod.rs"]
mod targets;

use targets::TARGETS;

#[global_allocator]
static ALLOCATOR: limits::Limited = limits::Limited;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    limits::end_at_panics(incrowd::panic_is_caught);
    let _ = limits::chosen(TARGETS)(data);
});
