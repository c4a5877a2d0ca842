//! Shell completions and man pages, made from the definition of the command line.

use clap::CommandFactory;

use crate::Status;
use crate::args::Cli;
use crate::printer::{Failure, Printer};

pub(crate) fn completions(shell: clap_complete::Shell, printer: &mut Printer) -> Result<Status, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "incrowd", &mut script);
    printer.bytes(&script);
    Ok(Status::Clean)
}

pub(crate) fn man(command: Option<&str>, printer: &mut Printer) -> Result<Status, Failure> {
    let mut all = Cli::command();
    all.build();
    let asked = match command {
        None => all,
        Some(name) => all
            .find_subcommand(name)
            .cloned()
            .ok_or_else(|| Failure::new(format!("unknown command “{name}”"), "see `incrowd --help`"))?,
    };
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(asked).render(&mut page);
    rendered.map_err(|error| Failure::new(error.to_string(), ""))?;
    printer.bytes(&page);
    Ok(Status::Clean)
}
