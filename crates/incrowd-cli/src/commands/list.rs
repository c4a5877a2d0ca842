//! `incrowd list`: algorithms, models and other choices, from the lists that the library uses.

use incrowd::REFUSALS;
use incrowd::algorithms::ALGORITHMS;
use incrowd::core::{CODES, LOSSES, MODELS};
use incrowd::request::BUILDERS;
use incrowd::risk::attack::ATTACKS;
use serde::Serialize;

use crate::Status;
use crate::args::{ListArgs, Listed, OutputFormat};
use crate::printer::{Failure, Printer};

/// One entry of a list.
#[derive(Serialize)]
struct ListedEntry {
    kind: &'static str,
    id: &'static str,
    summary: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reference: &'static str,
}

/// Listed with the builders: a hierarchy that is not built.
const FILE: (&str, &str) = ("file", "A CSV file, one line per value: value;level 1;…;*.");

const FORMATS: [(&str, &str); 3] = [
    ("csv", "Text with a header line; .csv, .tsv, also .gz and .zst; the delimiter is detected."),
    ("parquet", "Apache Parquet."),
    ("arrow", "Arrow IPC, file or stream."),
];

pub(crate) fn run(args: &ListArgs, printer: &mut Printer) -> Result<Status, Failure> {
    let wanted = |what: Listed| args.what.is_none_or(|only| only == what);
    let mut entries = Vec::new();
    let mut add = |kind, id, summary, reference| entries.push(ListedEntry { kind, id, summary, reference });
    if wanted(Listed::Algorithms) {
        ALGORITHMS.iter().for_each(|solver| add("algorithms", solver.id, solver.summary, solver.reference));
    }
    if wanted(Listed::Models) {
        MODELS.iter().for_each(|model| add("models", model.id, model.summary, model.reference));
    }
    if wanted(Listed::Losses) {
        LOSSES.iter().for_each(|loss| add("losses", loss.id, loss.summary, loss.reference));
    }
    if wanted(Listed::Attacks) {
        ATTACKS.iter().for_each(|attack| add("attacks", attack.id, attack.summary, attack.reference));
    }
    if wanted(Listed::Hierarchies) {
        BUILDERS.iter().for_each(|builder| add("hierarchies", builder.word, builder.summary, ""));
        add("hierarchies", FILE.0, FILE.1, "");
    }
    if wanted(Listed::Formats) {
        FORMATS.iter().for_each(|(id, summary)| add("formats", id, summary, ""));
    }
    if wanted(Listed::Codes) {
        CODES.iter().copied().chain(REFUSALS).for_each(|code| add("codes", code.code, code.summary, ""));
    }
    match args.format {
        OutputFormat::Json => printer.json(&entries)?,
        OutputFormat::Text => print(printer, &entries),
    }
    Ok(Status::Clean)
}

fn print(printer: &mut Printer, entries: &[ListedEntry]) {
    for (index, kind) in entries.chunk_by(|a, b| a.kind == b.kind).enumerate() {
        if index > 0 {
            printer.line("");
        }
        printer.line(printer.bold(kind[0].kind));
        let rows: Vec<Vec<String>> =
            kind.iter().map(|entry| vec![format!("  {}", entry.id), entry.summary.into()]).collect();
        printer.table(&[], &rows);
    }
}
