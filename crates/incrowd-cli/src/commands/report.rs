//! `incrowd report DIR`: a page to publish and a page to sign.

use std::path::PathBuf;

use incrowd::query::original_options;
use incrowd::report::{ReportOptions, Reported, refuse_existing, report};
use incrowd::request::Plan;

use crate::Status;
use crate::args::{OutputFormat, ReportArgs};
use crate::input;
use crate::printer::{Failure, Printer, plain};

pub(crate) fn run(args: &ReportArgs, printer: &mut Printer) -> Result<Status, Failure> {
    let folder = args.output.clone().unwrap_or_else(|| beside(&args.release));
    // Before the work begins, not only after it.
    refuse_existing(&folder, args.force)?;
    let engine = input::engine(&args.run)?;
    let original = match &args.against {
        Some(file) => {
            let reading = original_options(&args.release, None, args.reading.options()?)?;
            Some(input::open(&engine, file, reading)?)
        }
        None => None,
    };
    let plan = args.plan.as_ref().map(|path| Plan::read(path)).transpose()?;
    let options = ReportOptions {
        against: original.as_ref(),
        verify: args.verify,
        risk: args.risk,
        context: plan.map(|plan| plan.context.dossier()).unwrap_or_default(),
        command: None,
        force: args.force,
    };
    let reported = report(&engine, &args.release, &options, &folder)?;
    printer.done(format!("the report was written to {}", folder.display()));
    match args.format {
        OutputFormat::Json => printer.json(&reported)?,
        OutputFormat::Text => print(printer, &reported),
    }
    Ok(Status::Clean)
}

/// The default folder of the report pages.
fn beside(release: &std::path::Path) -> PathBuf {
    let mut name = release.as_os_str().to_owned();
    name.push(".report");
    PathBuf::from(name)
}

/// Says where the pages are, and who may see which.
pub(crate) fn print(printer: &mut Printer, reported: &Reported) {
    let shown = |path: &PathBuf| plain(&path.display().to_string());
    printer.line(format!("Publish: {}", shown(&reported.public)));
    let internal = format!("{} and {}", shown(&reported.internal), shown(&reported.dossier));
    printer.hanging("Internal, do not publish: ", &internal, 2);
}
