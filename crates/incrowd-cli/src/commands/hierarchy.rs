//! `incrowd hierarchy build|check|show`.

use std::path::Path;

use incrowd::core::{Coverage, Dictionary, Hierarchy};
use incrowd::request::{BuildPlan, BuilderEntry};
use incrowd::texts::{most_hierarchy_bytes, text_of};
use incrowd::{Engine, Error, Source, counted, thousands};

use crate::Status;
use crate::args::{HierarchyAction, HierarchyArgs};
use crate::files;
use crate::input;
use crate::printer::{Failure, Printer, plain};

/// How many values are shown.
const SHOWN: usize = 10;

pub(crate) fn run(args: &HierarchyArgs, printer: &mut Printer) -> Result<Status, Failure> {
    match &args.action {
        HierarchyAction::Build { file, column, kind, widths, output, force, reading, run } => {
            output.as_deref().map_or(Ok(()), |path| files::refuse_to_overwrite(path, *force))?;
            let engine = input::engine(run)?;
            let source = input::open(&engine, file, reading.options()?)?;
            output.as_deref().map_or(Ok(()), |path| files::refuse_to_overwrite_source(path, &source))?;
            let (dictionary, _) = values(&engine, &source, column)?;
            drop(engine);
            let hierarchy = build(&dictionary, *kind, widths)?;
            match output {
                None => printer.content(&hierarchy.write()),
                Some(path) => {
                    files::write_text(path, &hierarchy.write())?;
                    printer.done(format!("the hierarchy was written to {}", path.display()));
                    show(printer, &hierarchy);
                    printer.line(format!(
                        "Wrote {}. It lists the values of the column: protect it like the table.",
                        plain(&path.display().to_string())
                    ));
                }
            }
            Ok(Status::Clean)
        }
        HierarchyAction::Check { hierarchy, table, column, ragged, show_values, reading, run } => {
            let hierarchy = read(hierarchy, *ragged, run.memory)?;
            let (Some(table), Some(column)) = (table, column) else {
                show(printer, &hierarchy);
                return Ok(Status::Clean);
            };
            let engine = input::engine(run)?;
            let source = input::open(&engine, table, reading.options()?)?;
            let (dictionary, counts) = values(&engine, &source, column)?;
            drop(engine);
            cover(printer, &hierarchy, &dictionary, &counts, *show_values)
        }
        HierarchyAction::Show { hierarchy, ragged } => {
            show(printer, &read(hierarchy, *ragged, None)?);
            Ok(Status::Clean)
        }
    }
}

fn read(path: &Path, ragged: bool, memory: Option<u64>) -> Result<Hierarchy, Failure> {
    let text = text_of(path, most_hierarchy_bytes(memory))?;
    let options = incrowd::core::HierarchyReadOptions { ragged, ..Default::default() };
    Hierarchy::read_with(&text, options).map_err(|error| Failure::from(Error::from(error)).in_file(path))
}

/// The distinct values of a column, and the rows of each.
fn values(engine: &Engine, source: &Source, column: &str) -> Result<(Dictionary, Vec<u64>), Failure> {
    let question = incrowd::Question { quasi_identifiers: vec![column.into()], ..Default::default() };
    let table = source.count(engine, &question).and_then(|answer| answer.into_table(engine)).map_err(Error::from)?;
    let counts = (0..table.tuples()).map(|tuple| table.count(tuple)).collect();
    Ok((table.attributes()[0].dictionary.clone(), counts))
}

fn build(dictionary: &Dictionary, kind: Option<&BuilderEntry>, widths: &[f64]) -> Result<Hierarchy, Failure> {
    let of_widths = kind.is_none_or(|kind| kind.plan == BuildPlan::Intervals) && !widths.is_empty();
    let built = match kind.and_then(|kind| kind.hierarchy) {
        _ if of_widths => Hierarchy::numeric(dictionary, widths, 0.0),
        None => Hierarchy::suggest(dictionary).map(|suggestion| suggestion.hierarchy),
        Some(build) => build(dictionary),
    };
    built.map_err(|error| Error::from(error).into())
}

/// The levels with their sizes, and one path from a value to the top.
fn show(printer: &mut Printer, hierarchy: &Hierarchy) {
    let leaves = counted(hierarchy.leaf_count() as u64, "value", "values");
    let levels = counted(hierarchy.height() as u64, "level", "levels");
    printer.line(format!("{leaves}, {levels} of generalization"));
    let mut rows = vec![["  LEVEL", "LABELS", "EXAMPLE"].iter().map(|text| printer.dim(text)).collect::<Vec<_>>()];
    for (level, size) in hierarchy.level_sizes().into_iter().enumerate() {
        let example = plain(hierarchy.at_level(0, level).label());
        rows.push(vec![format!("  {level}"), thousands(size as u64), example]);
    }
    printer.table(&[1], &rows);
}

fn cover(
    printer: &mut Printer,
    hierarchy: &Hierarchy,
    dictionary: &Dictionary,
    counts: &[u64],
    show_values: bool,
) -> Result<Status, Failure> {
    let coverage = Coverage::of(hierarchy, dictionary);
    let values = |number: usize| counted(number as u64, "value", "values");
    let (covered, all) = (thousands(coverage.covered() as u64), values(dictionary.len()));
    printer.line(format!(
        "{covered} of {all} of the column {} covered",
        if coverage.covered() == 1 { "is" } else { "are" }
    ));
    if !coverage.unused().is_empty() {
        let unused = coverage.unused().len();
        let verb = if unused == 1 { "does" } else { "do" };
        printer.line(format!("{} of the hierarchy {verb} not occur in the column", values(unused)));
    }
    if coverage.is_complete() {
        return Ok(Status::Clean);
    }
    let rows = counted(coverage.uncovered_rows(counts), "row", "rows");
    let uncovered = coverage.uncovered().len();
    let verb = if uncovered == 1 { "has" } else { "have" };
    printer.line(format!("{} in {rows} {verb} no line in the hierarchy", values(uncovered)));
    if show_values {
        coverage.show_uncovered(dictionary).take(SHOWN).for_each(|value| printer.line(format!("  {}", plain(&value))));
    } else {
        printer.line("next: use --show-values to list the values without a line, then add a line for each");
    }
    Ok(Status::Findings)
}
