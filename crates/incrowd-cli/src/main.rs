//! The `incrowd` program: the command line of the library, with an allocator of its own.

use std::process::ExitCode;

/// Gives memory back when tuples are done with, so that `--memory` holds for the process as a whole.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The stack of the thread that does the work: that of the first thread depends on the shell.
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    let work = || incrowd_cli::run(std::env::args_os());
    let begun = std::thread::Builder::new().name("main".into()).stack_size(STACK).spawn(work);
    let status = match begun {
        // What panics is caught before it gets here.
        Ok(thread) => thread.join().unwrap_or(2),
        // There is no room for a thread, of which the work itself has more to say.
        Err(_) => work(),
    };
    ExitCode::from(status)
}
