//! `incrowd init FILE`: a first plan.

use std::path::Path;

use incrowd::core::Role;
use incrowd::request::{Plan, draft, relative_to_plan};
use incrowd::{Declared, assign, columns_of, counted};

use crate::Status;
use crate::args::InitArgs;
use crate::files;
use crate::input::{self, quoted};
use crate::printer::{Failure, Printer, plain};

/// The roles in the order in which they are printed: the most identifying first.
const ROLES: [Role; 5] = [Role::Identifier, Role::Subject, Role::QuasiIdentifier, Role::Sensitive, Role::Insensitive];

pub(crate) fn run(args: &InitArgs, printer: &mut Printer) -> Result<Status, Failure> {
    let Some(file) = args.file.as_deref().filter(|_| !args.schema) else {
        printer.json(&Plan::schema())?;
        return Ok(Status::Clean);
    };
    let target = Path::new(&args.output);
    let to_screen = args.output == "-";
    if !to_screen {
        files::refuse_to_overwrite(target, args.force)?;
    }
    let engine = input::engine(&args.run)?;
    let options = args.reading.options()?;
    let source = input::open(&engine, file, options.clone())?;
    if !to_screen {
        files::refuse_to_overwrite_source(target, &source)?;
    }
    let profiles = source.profile(&engine).map_err(incrowd::Error::from)?;
    let columns = assign(&profiles, &Declared::default())?;
    let path = if to_screen { file.into() } else { relative_to_plan(target, file) };
    let text = draft(&source, &path, &options, &profiles, &columns, args.k);
    drop(engine);
    if to_screen {
        printer.content(&text);
        return Ok(Status::Clean);
    }
    files::write_text(target, &text)?;
    printer.done(format!("the plan was written to {}", args.output));
    let entries = text.lines().filter(|line| *line == "[[column]]").count() as u64;
    let decisions = text.lines().filter(|line| line.contains("CONFIRM: ")).count() as u64;
    printer.line(format!(
        "Wrote {}: {} to confirm for {}; {} marked CONFIRM.",
        plain(&args.output),
        counted(entries, "entry", "entries"),
        counted(columns.len() as u64, "column", "columns"),
        counted(decisions, "line", "lines")
    ));
    for role in ROLES {
        let names = columns_of(&columns, role);
        if !names.is_empty() {
            let head = format!("  {} {}: ", printer.role(role, &role.letter().to_string()), role.name());
            printer.hanging(&head, &plain(&names.join(", ")), 4);
        }
    }
    let command = plain(&format!("incrowd confirm {}", quoted(&args.output)));
    printer.line(format!("next: read and correct {}, then {}", plain(&args.output), printer.bold(&command)));
    Ok(Status::Clean)
}
