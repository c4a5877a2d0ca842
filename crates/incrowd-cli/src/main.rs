//! The command line: arguments → library → printer. Thin.

mod args;
mod commands;
mod input;
mod panics;
mod printer;
mod progress;
mod text;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};
use crate::printer::Printer;

/// Gives memory back when tuples are done with, so that `--memory` holds for the process as a whole.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How a run ended: the promise holds, it does not, or something went wrong.
enum Status {
    Clean,
    Findings,
}

fn main() -> ExitCode {
    panics::keep_silent();
    std::panic::catch_unwind(answer).unwrap_or(ExitCode::from(2))
}

fn answer() -> ExitCode {
    let cli = Cli::parse();
    let mut printer = Printer::new();
    let outcome = match &cli.command {
        Command::Check(args) => commands::check::run(args, &mut printer),
        Command::Diagnose(args) => commands::diagnose::run(args, &mut printer),
        Command::Init(args) => commands::init::run(args, &mut printer),
        Command::Anonymize(args) => commands::anonymize::run(args, &mut printer),
        Command::Verify(args) => commands::verify::run(args, &mut printer),
        Command::Query(args) => commands::query::run(args, &mut printer),
        Command::Compare(args) => commands::compare::run(args, &mut printer),
        Command::Attack(args) => commands::attack::run(args, &mut printer),
        Command::Report(args) => commands::report::run(args, &mut printer),
        Command::Hierarchy(args) => commands::hierarchy::run(args, &mut printer),
        Command::List(args) => commands::list::run(args, &mut printer),
        Command::Explain(args) => commands::explain::run(args, &mut printer),
        Command::Sample(args) => commands::sample::run(args, &mut printer),
        Command::Cluster(args) => commands::cluster::run(args, &mut printer),
        Command::Completions { shell } => commands::shell::completions(*shell, &mut printer),
        Command::Man { command } => commands::shell::man(command.as_deref(), &mut printer),
    };
    match outcome.and_then(|status| printer.finish().map(|()| status)) {
        Ok(Status::Clean) => ExitCode::SUCCESS,
        Ok(Status::Findings) => ExitCode::from(1),
        Err(failure) => {
            printer.failure(&failure);
            ExitCode::from(if failure.is_broken_promise() { 1 } else { 2 })
        }
    }
}
