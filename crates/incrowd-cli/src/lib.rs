//! The command line: arguments → library → printer. Thin.
//!
//! A library, so that the Python package carries the same command line: the binary and the wheel's `incrowd` both call
//! [`run`].
//!
//! The crate uses `incrowd` and no other crate of the workspace. It parses arguments and prints answers; everything
//! else is done by the library, so that every front end does the same.

mod args;
mod commands;
mod events;
mod files;
mod input;
mod lineage;
mod panics;
mod printer;
mod progress;
mod remedy;
#[cfg(unix)]
mod signals;
#[cfg(not(unix))]
#[path = "signals_elsewhere.rs"]
mod signals;
#[cfg(feature = "telemetry")]
mod telemetry;
mod text;

use std::ffi::OsString;

use clap::Parser;

pub use crate::panics::keep_silent;

use crate::args::{Cli, Command};
use crate::printer::{Failure, Printer};

/// How a run ended without an error: the promise holds, or it does not.
enum Status {
    Clean,
    Findings,
}

/// Answers a command line, its first word the program's name, and gives the exit status: 0 the promise holds, 1 it does
/// not, 2 something went wrong, 128 and its number when a signal stopped it.
///
/// Sets the process's panic message to one that quotes no cell.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    keep_silent();
    let words: Vec<OsString> = words.into_iter().collect();
    std::panic::catch_unwind(|| answer(&words)).unwrap_or(2)
}

/// The commands and options, for tests that ask something of each of them.
#[doc(hidden)]
pub fn definition() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

fn answer(words: &[OsString]) -> u8 {
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(message) => {
            // Help and versions come this way too; a reader that went away is no failure.
            if message.use_stderr() {
                printer::misread(&message.render().to_string());
            } else {
                let _ = message.print();
            }
            return u8::try_from(message.exit_code()).unwrap_or(2);
        }
    };
    let mut printer = Printer::new();
    let begun = cli.command.check().map_err(Failure::from).and_then(|()| match cli.command.events() {
        Some((command, path)) => events::begin(path, command),
        None => Ok(()),
    });
    if let Err(failure) = begun {
        printer.failure(&failure);
        return 2;
    }
    let (exit, code) = carry_out(&cli.command, &mut printer);
    events::end(exit, code);
    exit
}

/// Runs a command and prints its answer; the exit status, and the code of a failure.
fn carry_out(command: &Command, printer: &mut Printer) -> (u8, Option<&'static str>) {
    let outcome = match command {
        Command::Open(args) => commands::open::run(args, printer),
        Command::Check(args) => commands::check::run(args, printer),
        Command::Diagnose(args) => commands::diagnose::run(args, printer),
        Command::Init(args) => commands::init::run(args, printer),
        Command::Confirm(args) => commands::confirm::run(args, printer),
        Command::Anonymize(args) => commands::anonymize::run(args, printer),
        Command::Verify(args) => commands::verify::run(args, printer),
        Command::Query(args) => commands::query::run(args, printer),
        Command::Compare(args) => commands::compare::run(args, printer),
        Command::Attack(args) => commands::attack::run(args, printer),
        Command::Report(args) => commands::report::run(args, printer),
        Command::Hierarchy(args) => commands::hierarchy::run(args, printer),
        Command::List(args) => commands::list::run(args, printer),
        Command::Explain(args) => commands::explain::run(args, printer),
        Command::Sample(args) => commands::sample::run(args, printer),
        Command::Cluster(args) => commands::cluster::run(args, printer),
        Command::Completions { shell } => commands::shell::completions(*shell, printer),
        Command::Man { command } => commands::shell::man(command.as_deref(), printer),
    };
    signals::begin_answer();
    // Ctrl+C is how a server is ended.
    let serves = matches!(command, Command::Open(_));
    let outcome = match outcome {
        Ok(_) if signals::came_in_time() && !serves => {
            printer.discard();
            Err(Failure::stopped())
        }
        outcome => outcome,
    };
    match outcome.and_then(|status| printer.finish().map(|()| status)) {
        Ok(status) => {
            signals::tell_if_late();
            match status {
                Status::Clean => (0, None),
                Status::Findings => (1, None),
            }
        }
        Err(failure) if failure.is_stopped() && signals::is_unread() => {
            (signals::exit_status().unwrap_or(2), failure.code())
        }
        Err(failure) if failure.is_stopped() => {
            printer.failure(&failure);
            (signals::exit_status().unwrap_or(2), failure.code())
        }
        Err(failure) => {
            if command.answers_in_json() {
                printer.json_failure(&failure);
            }
            printer.failure(&failure);
            (if failure.is_broken_promise() { 1 } else { 2 }, failure.code())
        }
    }
}
