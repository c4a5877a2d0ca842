//! `incrowd explain CODE`, and `incrowd explain DIR [--column C [--value V]]`: why a value changed.

use std::path::Path;

use incrowd::{Explained, LevelWhy, OpenedRelease, explain_by};

use crate::Status;
use crate::args::{ExplainArgs, OutputFormat};
use crate::printer::{Failure, Printer, plain};

pub(crate) fn run(args: &ExplainArgs, printer: &mut Printer) -> Result<Status, Failure> {
    let unknown = || Failure::new(format!("unknown code “{}”", args.what), "see `incrowd list codes`");
    let Some(code) = incrowd::explain(&args.what) else {
        let release = Path::new(&args.what);
        return if release.is_dir() { release_values(args, release, printer) } else { Err(unknown()) };
    };
    let severity = printer.severity(code.severity, code.severity.name());
    printer.line(format!("{} {} ({severity})", printer.bold(code.code), code.name));
    printer.line("");
    printer.wrapped(code.summary);
    for paragraph in code.explanation.split("\n\n") {
        printer.line("");
        printer.wrapped(&paragraph.replace('\n', " "));
    }
    Ok(Status::Clean)
}

fn release_values(args: &ExplainArgs, release: &Path, printer: &mut Printer) -> Result<Status, Failure> {
    let opened = OpenedRelease::open(release, args.record.as_deref())?;
    let record = opened.required_record()?;
    let columns = args.column.as_ref().map_or_else(|| record.quasi_identifiers.clone(), |column| vec![column.clone()]);
    let explain = |column: &String| explain_by(record, column, args.value.as_deref());
    let explained: Vec<Explained> = columns.iter().map(explain).collect::<Result<_, _>>()?;
    match args.format {
        OutputFormat::Json => printer.json(&explained)?,
        OutputFormat::Text => explained.iter().for_each(|column| print(printer, column)),
    }
    Ok(Status::Clean)
}

fn print(printer: &mut Printer, explained: &Explained) {
    let value = explained.value.as_ref().map(|value| format!(" published as {}", plain(value))).unwrap_or_default();
    printer.line(format!("{}{value}", printer.bold(&plain(&explained.column))));
    for level in &explained.levels {
        printer.hanging("  ", &sentence(level, explained.height), 4);
    }
}

/// What became of the cells of one level, in one sentence.
fn sentence(level: &LevelWhy, height: Option<usize>) -> String {
    let what = match (level.level, height) {
        (0, _) => "unchanged".to_owned(),
        (_, None) => "as sets or intervals of several values".to_owned(),
        (top, Some(height)) if top == height => "as * (any value)".to_owned(),
        (between, Some(height)) => format!("at level {between} of {height}"),
    };
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let forced = level.forced_by.iter().map(|rule| match rule.rule.as_str() {
        "choice" => {
            format!(
                "{} could be more precise in this column alone; the solver kept detail in other columns instead",
                percent(rule.share)
            )
        }
        "known-rows" => {
            format!(
                "{} could be more precise if people did not have to have the same rows, or by choice of the solver",
                percent(rule.share)
            )
        }
        broken => format!("{} would violate {broken} one level lower", percent(rule.share)),
    });
    let forced = forced.collect::<Vec<_>>().join("; ");
    let why = if forced.is_empty() { String::new() } else { format!(": of these, {forced}") };
    format!("{} of the rows {what}{why}", percent(level.share))
}
