//! `incrowd init FILE`: a first plan.

use std::path::Path;

use incrowd::plan::{Plan, draft};
use incrowd::{Declared, ReadOptions, assign};

use crate::Status;
use crate::args::InitArgs;
use crate::commands::check::quoted;
use crate::input;
use crate::printer::{Failure, Printer};

pub(crate) fn run(args: &InitArgs, printer: &mut Printer) -> Result<Status, Failure> {
    let Some(file) = args.file.as_deref().filter(|_| !args.schema) else {
        printer.json(&Plan::schema())?;
        return Ok(Status::Clean);
    };
    let target = Path::new(&args.output);
    let to_screen = args.output == "-";
    if !to_screen {
        input::refuse_to_overwrite(target, args.force)?;
    }
    let engine = input::engine(&args.run)?;
    let options = ReadOptions { delimiter: args.delimiter, nulls: args.null.clone(), ..ReadOptions::default() };
    let source = input::open(&engine, file, options)?;
    let profiles = source.profile(&engine).map_err(incrowd::Error::from)?;
    let columns = assign(&profiles, &Declared::default())?;
    let text = draft(&source, file, &profiles, &columns, args.k);
    drop(engine);
    if to_screen {
        printer.raw(&text);
        return Ok(Status::Clean);
    }
    std::fs::write(target, &text).map_err(|error| Failure::io(target, &error))?;
    let confirm = text.lines().filter(|line| line.contains("CONFIRM: ")).count();
    printer.line(format!("Wrote {}: {} columns, {confirm} lines to confirm.", args.output, columns.len()));
    let plan =
        if target.is_absolute() || args.output.contains('/') { args.output.clone() } else { args.output.clone() };
    printer.line(format!(
        "next: look for CONFIRM in {0}, then {1}",
        args.output,
        printer.bold(&format!("incrowd check {} --plan {}", quoted(file), quoted(&args.output)))
    ));
    Ok(Status::Clean)
}
