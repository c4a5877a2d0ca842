//! What the operating system must provide before work begins.
//!
//! The libraries that read tables panic or abort when a thread cannot be started, a file cannot be opened or the clock
//! shows a time before 1970. Such limits are met here first, and refused in words.

use std::fs::File;
use std::io::ErrorKind;
use std::sync::mpsc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::runtime::error::{EngineError, Result};

/// The files that a run opens besides those of each thread: the table, its temporary folder, the runtime's own.
const FILES: usize = 24;
/// The address space that a run takes besides its threads: the program's allocator reserves 1 GiB at once, and buffers come on top.
const ADDRESS_SPACE: u64 = 3 << 29;
/// The address space that the allocator of the C library reserves for a thread.
const THREAD_ADDRESS_SPACE: u64 = 128 << 20;
/// The pools of threads that work at the same time.
const POOLS: u64 = 2;

/// Refuses to start when the system does not provide what this many threads need.
pub(crate) fn check(threads: usize, stack: usize) -> Result<()> {
    clock(SystemTime::now())?;
    // A pool that nobody configured has a thread for each core.
    let most = threads.max(std::thread::available_parallelism().map_or(1, usize::from));
    address_space(std::fs::read_to_string("/proc/self/limits").ok().as_deref(), most, stack)?;
    files(FILES + threads)?;
    can_start(threads, stack)
}

/// The clock: releases note the time.
fn clock(now: SystemTime) -> Result<()> {
    if now < UNIX_EPOCH { Err(EngineError::Clock) } else { Ok(()) }
}

/// The limit of the address space, where the system reports it: an allocation beyond it ends the process.
fn address_space(limits: Option<&str>, threads: usize, stack: usize) -> Result<()> {
    let line = limits.and_then(|text| text.lines().find_map(|line| line.strip_prefix("Max address space")));
    let limit = line.and_then(|line| line.split_whitespace().next()).and_then(|soft| soft.parse::<u64>().ok());
    let needed = ADDRESS_SPACE + POOLS * threads as u64 * (stack as u64 + THREAD_ADDRESS_SPACE);
    match limit {
        Some(limit) if limit < needed => Err(EngineError::AddressSpace { limit, needed }),
        _ => Ok(()),
    }
}

/// Whether this many files can be open at once.
fn files(wanted: usize) -> Result<()> {
    // The program itself is a file that is there on every system. Where its name is unknown, as without /proc, or it cannot
    // be read, the limit is not known.
    let Ok(program) = std::env::current_exe() else { return Ok(()) };
    let mut open = Vec::with_capacity(wanted);
    for _ in 0..wanted {
        match File::open(&program) {
            Ok(file) => open.push(file),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => return Ok(()),
            Err(_) => return Err(EngineError::Files { wanted }),
        }
    }
    Ok(())
}

/// Whether this many threads can run at once.
fn can_start(threads: usize, stack: usize) -> Result<()> {
    let mut waiting = Vec::with_capacity(threads);
    for started in 0..threads {
        let (end, ended) = mpsc::channel::<()>();
        // A thread ends when its sender is gone.
        let thread = std::thread::Builder::new().stack_size(stack).spawn(move || {
            let _ = ended.recv();
        });
        match thread {
            Ok(thread) => waiting.push((end, thread)),
            Err(_) => {
                end_all(waiting);
                return Err(EngineError::Threads { asked: threads, started });
            }
        }
    }
    end_all(waiting);
    Ok(())
}

fn end_all(waiting: Vec<(mpsc::Sender<()>, std::thread::JoinHandle<()>)>) {
    let (senders, threads): (Vec<_>, Vec<_>) = waiting.into_iter().unzip();
    drop(senders);
    threads.into_iter().for_each(|thread| drop(thread.join()));
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_before_1970_is_refused() {
        assert!(matches!(clock(UNIX_EPOCH - Duration::from_secs(1)), Err(EngineError::Clock)));
        assert!(clock(UNIX_EPOCH).is_ok());
    }

    #[test]
    fn an_address_space_too_small_for_the_threads_is_refused() {
        let text = "Limit                     Soft Limit           Hard Limit           Units     \n\
                    Max address space         3000000000           unlimited            bytes     \n";
        assert!(address_space(Some(text), 2, 8 << 20).is_ok());
        assert!(matches!(
            address_space(Some(text), 100, 8 << 20),
            Err(EngineError::AddressSpace { limit: 3_000_000_000, .. })
        ));
        let unlimited = text.replace("3000000000 ", "unlimited  ");
        assert!(address_space(Some(&unlimited), 1024, 8 << 20).is_ok());
        assert!(address_space(None, 1024, 8 << 20).is_ok());
    }

    #[test]
    fn threads_and_files_that_a_run_needs_are_there() {
        assert!(check(2, 8 << 20).is_ok());
    }

    #[test]
    fn a_stack_that_no_thread_can_have_is_refused() {
        assert!(matches!(can_start(1, usize::MAX / 4), Err(EngineError::Threads { asked: 1, started: 0 })));
    }
}
