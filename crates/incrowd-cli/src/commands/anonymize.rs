//! `incrowd anonymize`: from a table and a policy to a verified release.

use std::path::{Path, PathBuf};
use std::time::Instant;

use incrowd::core::Infeasible;
use incrowd::request::Missing;
use incrowd::{AnonymizeOptions, Anonymized, Format, anonymize};
use serde::Serialize;

use super::{linked_tables, released};
use crate::Status;
use crate::args::{AnonymizeArgs, OutputFormat};
use crate::events;
use crate::input::{self, AskedTable};
use crate::lineage::LineageLog;
use crate::printer::{Failure, Printer};

/// The JSON answer for an infeasible policy.
#[derive(Serialize)]
struct InfeasibleAnswer<'a> {
    verified: bool,
    infeasible: &'a [Infeasible],
}

/// The JSON answer if no release was found and infeasibility is not proven.
#[derive(Serialize)]
struct NotFoundAnswer<'a> {
    verified: bool,
    not_found: &'a [Infeasible],
}

#[derive(Serialize)]
struct AnonymizeAnswer<'a> {
    #[serde(flatten)]
    made: &'a Anonymized,
    seconds: f64,
}

pub(crate) fn run(args: &AnonymizeArgs, printer: &mut Printer) -> Result<Status, Failure> {
    let started = Instant::now();
    let asked = input::asked(&args.table, &args.roles, &args.named())?;
    let target = target(args, &asked)?;
    let lineage = args.lineage.as_deref().map(|path| LineageLog::begin(path, &asked.files(), &target)).transpose()?;
    if !asked.request.tables.is_empty() {
        refuse_missing(&asked)?;
        let published = linked_tables::run(args, &asked, &target, started, printer)?;
        lineage.into_iter().for_each(|lineage| lineage.complete(published));
        return Ok(Status::Clean);
    }
    let engine = input::engine_on(&asked, &asked.request.settings(), args.run.quiet)?;
    let source = input::source(&engine, &asked)?;
    let options = options(&asked, source.format())?;
    let made = anonymize(&engine, &source, &options, &target);
    drop(engine);
    let made = match made {
        Err(error) => return Err(refused(error, args.format, printer)?),
        Ok(made) => made,
    };
    let published = made.rows.saturating_sub(made.suppressed_rows);
    lineage.into_iter().for_each(|lineage| lineage.complete(published));
    events::figure("published_rows", published);
    events::figure("spilled_bytes", made.spilled_bytes);
    printer.done(format!("the release was verified and published in {}", target.display()));
    match args.format {
        OutputFormat::Json => {
            printer.json(&AnonymizeAnswer { made: &made, seconds: started.elapsed().as_secs_f64() })?;
        }
        OutputFormat::Text => released::print(printer, &made, &asked),
    }
    Ok(Status::Clean)
}

/// The failure of a run without a release. In JSON, the reasons are an answer, too.
pub(super) fn refused(error: incrowd::Error, format: OutputFormat, printer: &mut Printer) -> Result<Failure, Failure> {
    match (&error, format) {
        (incrowd::Error::Infeasible(reasons), OutputFormat::Json) => {
            printer.json(&InfeasibleAnswer { verified: false, infeasible: reasons })?;
        }
        (incrowd::Error::NotFound(reasons), OutputFormat::Json) => {
            printer.json(&NotFoundAnswer { verified: false, not_found: reasons })?;
        }
        _ => {}
    }
    Ok(error.into())
}

fn target(args: &AnonymizeArgs, asked: &AskedTable) -> Result<PathBuf, Failure> {
    let target = args.output.clone().or(asked.request.release.path.as_ref().map(PathBuf::from));
    target.ok_or_else(|| Failure::new("missing output folder", "use -o DIR, or set `path` under [release] of the plan"))
}

/// The options of the request, with the command that repeats it.
fn options(asked: &AskedTable, table_format: Format) -> Result<AnonymizeOptions, Failure> {
    refuse_missing(asked)?;
    let mut options = asked.request.options(table_format)?;
    options.command = command(asked);
    Ok(options)
}

/// The command that repeats a run by its plan. Only the name: the path of the plan on the user's disk is not published.
pub(super) fn command(asked: &AskedTable) -> Option<String> {
    asked.plan_file.as_deref().and_then(Path::file_name).map(|file| {
        let file = input::quoted(&file.to_string_lossy());
        format!("incrowd anonymize {file}")
    })
}

/// Refuses a request that leaves out what a release needs, in the words of the command line.
fn refuse_missing(asked: &AskedTable) -> Result<(), Failure> {
    match asked.request.missing() {
        Some(Missing::K) => Err(Failure::new("missing k", "give --k N, the minimum number of people per class")),
        Some(Missing::SensitiveColumns) => {
            let remedy = "name them with --sensitive a,b";
            Err(Failure::new("--p, --l and --t need sensitive columns", remedy))
        }
        None => Ok(()),
    }
}
