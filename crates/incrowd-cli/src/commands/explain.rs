//! `incrowd explain CODE`.

use crate::Status;
use crate::args::ExplainArgs;
use crate::printer::{Failure, Printer};

pub(crate) fn run(args: &ExplainArgs, printer: &mut Printer) -> Result<Status, Failure> {
    let unknown = || Failure::new(format!("there is no code “{}”", args.code), "`incrowd list codes` shows all");
    let code = incrowd::explain(&args.code).ok_or_else(unknown)?;
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
