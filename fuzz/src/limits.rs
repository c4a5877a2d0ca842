//! What is a fault besides a wrong answer: a panic that nobody catches, and a single allocation of more than 1 GiB.
//!
//! A panic that a reader of files catches is not a fault: it becomes a refusal. Every other panic is one, also on another
//! thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::{Once, OnceLock};

/// The largest allocation that is no fault.
const MOST_AT_ONCE: usize = 1 << 30;

/// The system's allocator, which ends the process when too much is asked for.
pub(crate) struct Limited;

// SAFETY: every call is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        refuse(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        refuse(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        refuse(size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn refuse(size: usize) {
    if size > MOST_AT_ONCE {
        eprintln!("an allocation of {size} bytes");
        std::process::abort();
    }
}

/// The target that `INCROWD_FUZZ` names.
pub(crate) fn chosen(targets: &[(&str, fn(&[u8]) -> bool)]) -> fn(&[u8]) -> bool {
    static TARGET: OnceLock<fn(&[u8]) -> bool> = OnceLock::new();
    *TARGET.get_or_init(|| {
        let name = std::env::var("INCROWD_FUZZ").expect("INCROWD_FUZZ names a target");
        let found = targets.iter().find(|(known, _)| *known == name);
        found.unwrap_or_else(|| panic!("no target {name}")).1
    })
}

pub(crate) fn end_at_panics(is_caught: fn() -> bool) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // libFuzzer's own hook ends the process at every panic, also at those that are caught.
        let _ = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !is_caught() {
                eprintln!("{info}\n{}", std::backtrace::Backtrace::force_capture());
                std::process::abort();
            }
        }));
    });
}
