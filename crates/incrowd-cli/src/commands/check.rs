//! `incrowd check FILE`.

use std::time::Instant;

use incrowd::core::{Diagnosis, Severity};
use incrowd::{Check, CheckOptions, ColumnReport, check, thousands};
use serde::Serialize;

use crate::Status;
use crate::args::{CheckArgs, OutputFormat};
use crate::input;
use crate::printer::{Failure, Printer, plain};

/// How many column sets, findings and values are shown; the rest is counted.
const SHOWN: usize = 8;

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    check: &'a Check,
    next: &'a str,
    seconds: f64,
}

pub(crate) fn run(args: &CheckArgs, printer: &mut Printer) -> Result<Status, Failure> {
    let started = Instant::now();
    let plan = input::plan(&args.roles)?;
    let engine = input::engine(&args.run)?;
    let source = input::source(&engine, &args.table, plan.as_ref())?;
    let options = CheckOptions {
        declared: input::declared(&args.roles, plan.as_ref()),
        k: args.k,
        max_set_size: args.max_columns,
        values: if args.show_values { SHOWN } else { 0 },
    };
    let found = check(&engine, &source, &options)?;
    drop(engine);
    let next = next_command(args, &found);
    match args.run.format {
        OutputFormat::Json => {
            printer.json(&Answer { check: &found, next: &next, seconds: started.elapsed().as_secs_f64() })?;
        }
        OutputFormat::Text => {
            let delimiter = source.delimiter().filter(|&delimiter| delimiter != b',' && args.table.delimiter.is_none());
            print(printer, &found, delimiter, &next);
        }
    }
    Ok(if found.safe { Status::Clean } else { Status::Findings })
}

fn print(printer: &mut Printer, found: &Check, delimiter: Option<u8>, next: &str) {
    let diagnosis = &found.diagnosis;
    let sniffed = delimiter.map(|byte| format!(", cells separated by {}", separator(byte))).unwrap_or_default();
    let facts =
        format!("{}{sniffed}, {} rows, {} columns", found.format, thousands(diagnosis.rows), found.columns.len());
    printer.line(format!("{}: {facts}", printer.bold(&plain(&found.source))));
    printer.line("");
    print_columns(printer, &found.columns);
    printer.line("");
    if !diagnosis.quasi_identifiers.is_empty() {
        print_crowds(printer, diagnosis);
        print_sets(printer, diagnosis);
        print_values(printer, diagnosis);
    }
    print_findings(printer, diagnosis);
    let verdict =
        if found.safe { printer.bold(&found.verdict) } else { printer.severity(Severity::Danger, &found.verdict) };
    printer.wrapped(&verdict, 0);
    printer.line("");
    printer.line(format!("next: {}", printer.bold(next)));
}

fn separator(byte: u8) -> String {
    if byte == b'\t' { "tabs".into() } else { format!("“{}”", char::from(byte)) }
}

fn print_columns(printer: &mut Printer, columns: &[ColumnReport]) {
    let head = ["", "COLUMN", "TAKEN FOR", "", "KIND", "VALUES", "MISSING", "WHY"];
    let mut rows = vec![head.iter().map(|text| printer.dim(text)).collect::<Vec<_>>()];
    for column in columns {
        let values = if column.exact { thousands(column.distinct) } else { format!(">{}", thousands(column.distinct)) };
        let sure = if column.declared { "" } else { column.confidence.name() };
        rows.push(vec![
            printer.role(column.role, &column.role.letter().to_string()),
            plain(&column.name),
            printer.role(column.role, column.role.name()),
            printer.dim(sure),
            column.kind.into(),
            values,
            if column.missing == 0 { "-".into() } else { thousands(column.missing) },
            plain(short(&column.reason)),
        ]);
    }
    printer.table(&[5, 6], &rows);
}

/// The reason without what it entails: the role says that already.
fn short(reason: &str) -> &str {
    reason.split_once(", which").map_or(reason, |(reason, _)| reason)
}

fn print_crowds(printer: &mut Printer, found: &Diagnosis) {
    let who = if found.people < found.rows { "people" } else { "rows" };
    let share = |part: u64| format!("{:.1} %", 100.0 * part as f64 / found.people.max(1) as f64);
    printer.line(printer.bold(&format!("Crowds on the {} quasi-identifiers", found.quasi_identifiers.len())));
    let line = |name: String, figure: String, note: String| vec![format!("  {name}"), figure, note];
    let mut rows = vec![
        line("smallest class (k)".into(), thousands(found.k), String::new()),
        line(format!("{who} that stand alone"), thousands(found.unique), share(found.unique)),
        line(format!("{who} in classes smaller than {}", found.k_asked), thousands(found.below), share(found.below)),
        line("classes".into(), thousands(found.classes), String::new()),
    ];
    if found.people < found.rows {
        rows.insert(0, line("people".into(), thousands(found.people), format!("in {} rows", thousands(found.rows))));
    }
    printer.table(&[1, 2], &rows);
    printer.line("");
}

fn print_sets(printer: &mut Printer, found: &Diagnosis) {
    if found.smallest_dangerous.is_empty() {
        return;
    }
    printer.line(printer.bold(&format!("The smallest column sets with classes smaller than {}", found.k_asked)));
    let mut sets: Vec<_> = found.smallest_dangerous.iter().collect();
    sets.sort_by(|a, b| a.columns.len().cmp(&b.columns.len()).then(b.below.cmp(&a.below)));
    let mut rows = vec![["  COLUMNS", "K", "ALONE", "BELOW"].iter().map(|text| printer.dim(text)).collect::<Vec<_>>()];
    for set in sets.iter().take(SHOWN) {
        let columns = plain(&set.columns.join(" + "));
        rows.push(vec![format!("  {columns}"), thousands(set.k), thousands(set.unique), thousands(set.below)]);
    }
    printer.table(&[1, 2, 3], &rows);
    if sets.len() > SHOWN {
        printer.line(printer.dim(&format!(
            "  and {} more; `incrowd diagnose … --sets --k {}` lists all",
            sets.len() - SHOWN,
            found.k_asked
        )));
    }
    printer.line("");
}

fn print_values(printer: &mut Printer, found: &Diagnosis) {
    let Some(values) = found.exposed_values.as_ref().filter(|values| !values.is_empty()) else { return };
    printer.line(printer.bold("The values whose rows are exposed most"));
    let row = |value: &incrowd::core::ExposedValue| {
        let exposed = format!("{} of {} rows", thousands(value.exposed), thousands(value.rows));
        vec![format!("  {}", plain(&value.column)), plain(&value.value), exposed]
    };
    let rows: Vec<Vec<String>> = values.iter().map(row).collect();
    printer.table(&[2], &rows);
    printer.line("");
}

/// The findings that the tables above do not show already.
fn print_findings(printer: &mut Printer, found: &Diagnosis) {
    let above = ["IC101", "IC102", "IC103", "IC104"];
    let others: Vec<_> = found.findings.iter().filter(|finding| !above.contains(&finding.code.code)).collect();
    if others.is_empty() {
        return;
    }
    printer.line(printer.bold("Also"));
    for finding in others.iter().take(SHOWN) {
        let head = printer.severity(finding.code.severity, &format!("{:<7}", finding.code.severity.name()));
        printer.raw("  ");
        printer.wrapped(&format!("{head} {} {}", finding.code.code, plain(&finding.message)), 17);
    }
    if others.len() > SHOWN {
        printer.line(printer.dim(&format!("  and {} more; --format json lists all", others.len() - SHOWN)));
    }
    printer.line(printer.dim("  `incrowd explain CODE` says what a finding means and what to do"));
    printer.line("");
}

/// The command a person would type next.
fn next_command(args: &CheckArgs, found: &Check) -> String {
    let file = quoted(&args.table.file);
    let names = &found.diagnosis.quasi_identifiers;
    if args.roles.plan.is_none() && !found.columns.iter().all(|column| column.declared) {
        return format!("incrowd init {file}");
    }
    let qi = quoted(&names.join(","));
    format!("incrowd diagnose {file} --qi {qi} --sets --k {}", found.diagnosis.k_asked)
}

/// A word that a shell reads as one.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "/._-,=+:@%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
