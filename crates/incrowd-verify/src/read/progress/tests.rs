//! Tests of what is told about progress, and of cancelling.

use std::sync::Mutex;

use super::*;

#[test]
fn rows_are_added_up_and_told_with_the_total() {
    let told = Mutex::new(Vec::new());
    let report = |done: u64, total: u64| told.lock().expect("one thread").push((done, total));
    let progress = ReadProgress::new(None, Some(&report), 10);
    for rows in [3, 0, 4] {
        assert!(progress.step(rows).is_ok());
    }
    assert_eq!(*told.lock().expect("one thread"), [(3, 10), (3, 10), (7, 10)]);
    assert!(!progress.is_cancelled());
}

#[test]
fn a_step_ends_the_work_only_when_the_caller_has_cancelled() {
    let cancel = AtomicBool::new(false);
    let progress = ReadProgress::new(Some(&cancel), None, 0);
    assert!(!progress.is_cancelled() && progress.step(1).is_ok());
    cancel.store(true, Ordering::Relaxed);
    assert!(progress.is_cancelled() && matches!(progress.step(1), Err(ReadError::Cancelled)));
    assert!(matches!(ReadError::unreadable("why"), ReadError::Unreadable(why) if why == "why"));
}
