//! The `incrowd` program: the command line of the library, with an allocator of its own.

use std::process::ExitCode;

/// Gives memory back when tuples are done with, so that `--memory` holds for the process as a whole.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(incrowd_cli::run(std::env::args_os()))
}
