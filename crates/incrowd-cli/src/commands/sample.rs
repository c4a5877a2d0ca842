//! `incrowd sample`: the made-up table.

use incrowd::sample::{Sample, hierarchies, write};
use incrowd::{Error, TableWriter, Target, counted};

use crate::Status;
use crate::args::SampleArgs;
use crate::files::{refuse_to_overwrite, write_text};
use crate::input::quoted;
use crate::printer::{Failure, Printer, plain};
use crate::progress::bar;
use crate::signals;

pub(crate) fn run(args: &SampleArgs, printer: &mut Printer) -> Result<Status, Failure> {
    refuse_to_overwrite(&args.output, args.force)?;
    let files: Vec<_> = match &args.hierarchies {
        None => Vec::new(),
        Some(folder) => {
            hierarchies().into_iter().map(|(column, text)| (folder.join(format!("{column}.csv")), text)).collect()
        }
    };
    if let Some(folder) = &args.hierarchies {
        std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder, &error))?;
    }
    for (path, text) in &files {
        // These names are not given on the command line: --force replaces only what sample wrote.
        if args.force && path.exists() && std::fs::read_to_string(path).ok().as_ref() != Some(text) {
            let what = format!("{} exists and is not the hierarchy that sample writes", path.display());
            return Err(Failure::new(what, "use another folder for --hierarchies DIR"));
        }
        refuse_to_overwrite(path, args.force)?;
    }
    let target = Target::new(&args.output).map_err(Error::from)?;
    let progress = bar(args.quiet);
    write(&Sample::new(args.rows, args.seed), TableWriter::new(target), &signals::cancel(), &*progress)?;
    drop(progress);
    let output = args.output.display().to_string();
    printer.done(format!("the table was written to {output}"));
    printer.line(format!("Wrote {} to {}.", counted(args.rows, "made-up row", "made-up rows"), plain(&output)));
    if let Some(folder) = &args.hierarchies {
        for (path, text) in &files {
            write_text(path, text)?;
        }
        printer.done(format!("the hierarchies were written to {}", folder.display()));
        let wrote = counted(files.len() as u64, "hierarchy", "hierarchies");
        printer.line(format!("Wrote {wrote} to {}.", plain(&folder.display().to_string())));
    }
    printer.line(format!("next: {}", printer.bold(&plain(&format!("incrowd check {}", quoted(&output))))));
    Ok(Status::Clean)
}
