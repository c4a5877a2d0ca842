//! `incrowd confirm PLAN`: a draft becomes a plan.

use incrowd::request::{Decision, confirm};
use incrowd::texts::{MOST_PLAN_BYTES, text_of};
use incrowd::{Error, counted};

use crate::Status;
use crate::args::ConfirmArgs;
use crate::files::{refuse_to_overwrite, write_text};
use crate::input::quoted;
use crate::printer::{Failure, Printer, plain};

pub(crate) fn run(args: &ConfirmArgs, printer: &mut Printer) -> Result<Status, Failure> {
    let path = &args.plan;
    let shown = path.display().to_string();
    let text = text_of(path, MOST_PLAN_BYTES)?;
    let confirmed = confirm(&text, &args.columns).map_err(|message| Error::Plan { path: shown.clone(), message })?;
    if confirmed.decisions.is_empty() && confirmed.open == 0 {
        printer.line(format!("{}: all entries are already confirmed.", plain(&shown)));
        return Ok(Status::Clean);
    }
    let rows: Vec<Vec<String>> = confirmed.decisions.iter().map(row).collect();
    printer.table(&[], &rows);
    let entries = counted(confirmed.decisions.len() as u64, "entry", "entries");
    let open = match confirmed.open {
        0 => String::new(),
        open => format!(" {} not yet confirmed.", counted(open as u64, "entry is", "entries are")),
    };
    if args.dry_run {
        printer.line(format!("{}: {entries} not confirmed. Nothing was changed.", plain(&shown)));
        return Ok(Status::Findings);
    }
    // A link stays a link to the plan.
    let file = path.canonicalize().map_err(|error| Failure::io(path, &error))?;
    refuse_to_overwrite(&file, true)?;
    write_text(&file, &confirmed.text)?;
    printer.done(format!("the plan {shown} was confirmed"));
    printer.line(format!("Confirmed {entries} of {}.{open}", plain(&shown)));
    if confirmed.open == 0 {
        let says_so = if shown.to_lowercase().ends_with(".toml") { "" } else { "--plan " };
        let command = plain(&format!("incrowd anonymize {says_so}{} -o release", quoted(&shown)));
        printer.line(format!("next: {}", printer.bold(&command)));
    }
    Ok(Status::Clean)
}

/// What is decided, about which columns, and why.
fn row(decision: &Decision) -> Vec<String> {
    let columns = match decision.columns.as_slice() {
        [] => "policy".to_owned(),
        [name] => name.clone(),
        [first, .., last] => format!("{first} … {last} ({} columns)", decision.columns.len()),
    };
    vec![plain(&columns), plain(&decision.decided), plain(&decision.reason)]
}
