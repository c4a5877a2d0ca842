//! `incrowd open`: the workbench in a browser.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use incrowd_workbench::{ServeError, ServeOptions, Server};

use crate::Status;
use crate::args::OpenArgs;
use crate::printer::{Failure, Printer, plain};
use crate::signals;

pub(crate) fn run(args: &OpenArgs, printer: &mut Printer) -> Result<Status, Failure> {
    let cancel = signals::cancel();
    let (folder, opened) = places(args)?;
    let options = ServeOptions {
        folder,
        opened,
        settings: args.run.settings(),
        port: args.port,
        idle: Duration::from_secs(60 * args.idle),
    };
    let server = Server::bind(&options)?;
    printer.line(format!("The workbench runs at {}", printer.bold(&server.url())));
    let folder = plain(&server.folder().display().to_string());
    printer.wrapped(&format!(
        "The address works once, on this machine only. The page can open files below {folder}. Press Ctrl+C to end it."
    ));
    // Now, and not when the server ends.
    printer.finish()?;
    if !args.no_browser && !start_browser(&server.private_page()?) {
        printer.line("No browser could be started: open the address yourself.");
        printer.finish()?;
    }
    server.run(&cancel);
    Ok(Status::Clean)
}

/// The folder of the session, and what is opened in it.
fn places(args: &OpenArgs) -> Result<(PathBuf, Option<String>), Failure> {
    let here = std::env::current_dir().map_err(|error| Failure::io(Path::new("."), &error))?;
    let Some(what) = &args.what else { return Ok((args.folder.clone().unwrap_or(here), None)) };
    let resolved = what.canonicalize().map_err(|error| Failure::io(what, &error))?;
    let here = here.canonicalize().unwrap_or(here);
    let folder = match &args.folder {
        Some(folder) => folder.canonicalize().map_err(|error| Failure::io(folder, &error))?,
        None if resolved.starts_with(&here) => here,
        None => resolved.parent().unwrap_or(&resolved).to_owned(),
    };
    let Ok(below) = resolved.strip_prefix(&folder) else {
        let what = format!("{} is not below {}", what.display(), folder.display());
        return Err(Failure::new(what, "name a folder that contains it with --folder DIR"));
    };
    let name = below.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
    Ok((folder, Some(name)))
}

/// Asks the system to show a page. The address with the token is in the page, not among the arguments, which other
/// users of the machine can read.
fn start_browser(page: &Path) -> bool {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        Command::new("explorer")
    } else {
        Command::new("xdg-open")
    };
    let started = command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    match started {
        Ok(mut browser) => {
            // Its end is awaited so that no zombie stays.
            std::thread::spawn(move || drop(browser.wait()));
            true
        }
        Err(_) => false,
    }
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        let remedy = match &error {
            ServeError::Folder { .. } => "check the folder and your permissions",
            ServeError::Port(_) => "use another port, or none to get a free one",
            ServeError::NoRandomness => "try again",
            ServeError::Engine(_) => "",
        };
        match error {
            ServeError::Engine(error) => error.into(),
            other => Failure::new(other.to_string(), remedy),
        }
    }
}
