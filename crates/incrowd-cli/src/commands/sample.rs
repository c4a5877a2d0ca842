//! `incrowd sample`: the made-up table.

use incrowd::sample::{Sample, hierarchies, write};
use incrowd::{Error, TableWriter, Target, thousands};

use crate::Status;
use crate::args::SampleArgs;
use crate::commands::check::quoted;
use crate::input::{refuse_to_overwrite, stopped_by_ctrl_c};
use crate::printer::{Failure, Printer};
use crate::progress::bar;

pub(crate) fn run(args: &SampleArgs, printer: &mut Printer) -> Result<Status, Failure> {
    refuse_to_overwrite(&args.output, args.force)?;
    let target = Target::new(&args.output).map_err(Error::from)?;
    let progress = bar(args.quiet);
    write(&Sample::new(args.rows, args.seed), TableWriter::new(target), &stopped_by_ctrl_c(), &*progress)?;
    drop(progress);
    let output = args.output.display().to_string();
    printer.line(format!("Wrote {} made-up rows to {output}.", thousands(args.rows)));
    if let Some(folder) = &args.hierarchies {
        std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder, &error))?;
        for (column, text) in hierarchies() {
            let path = folder.join(format!("{column}.csv"));
            std::fs::write(&path, text).map_err(|error| Failure::io(&path, &error))?;
        }
        printer.line(format!("Wrote hierarchies to {}.", folder.display()));
    }
    printer.line(format!("next: {}", printer.bold(&format!("incrowd check {}", quoted(&output)))));
    Ok(Status::Clean)
}
