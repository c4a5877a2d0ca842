//! `incrowd check FILE`.

use std::fmt::Write;
use std::time::Instant;

use incrowd::core::{Diagnosis, SearchLimit, Severity};
use incrowd::report::{self, check_dossier};
use incrowd::request::Plan;
use incrowd::risk::roles::Confidence;
use incrowd::{Check, CheckOptions, ColumnReport, Source, check, counted, thousands};
use serde::Serialize;

use super::{kept, sarif};
use crate::Status;
use crate::args::{CheckArgs, CheckFormat, ReadArgs};
use crate::input::{self, AskedTable, quoted};
use crate::printer::{Failure, Printer, plain};

/// The default of k.
const USUAL_K: u64 = 5;

/// How many column sets, findings and values are shown; the rest is counted.
const SHOWN: usize = 8;

#[derive(Serialize)]
struct CheckAnswer<'a> {
    #[serde(flatten)]
    check: &'a Check,
    next: &'a str,
    seconds: f64,
}

pub(crate) fn run(args: &CheckArgs, printer: &mut Printer) -> Result<Status, Failure> {
    let started = Instant::now();
    let asked = input::asked(&args.table, &args.roles, &args.named())?;
    args.report.as_ref().map_or(Ok(()), |folder| report::refuse_existing(folder, args.force))?;
    let engine = input::engine_on(&asked, &args.run.settings(), args.run.quiet)?;
    let source = input::source(&engine, &asked)?;
    let options = CheckOptions {
        declared: asked.request.declared(),
        remove_others: asked.request.removes_others(),
        k: asked.request.policy.k.unwrap_or(USUAL_K),
        max_set_size: args.max_columns,
        values: if args.show_values { SHOWN } else { 0 },
    };
    let found = check(&engine, &source, &options)?;
    drop(engine);
    let next = next_command(args, &asked, &found);
    let dossier = |folder| (check_dossier(&found, asked.request.context.dossier()), folder);
    let dossier = args.report.as_ref().map(dossier);
    let reported = dossier.map(|(dossier, folder)| report::write(&dossier, folder, args.force)).transpose()?;
    if let Some(folder) = &args.report {
        printer.done(format!("the report was written to {}", folder.display()));
    }
    match args.format {
        CheckFormat::Json => {
            printer.json(&CheckAnswer { check: &found, next: &next, seconds: started.elapsed().as_secs_f64() })?;
        }
        CheckFormat::Sarif => printer.json(&sarif::log(&found))?,
        CheckFormat::Text => {
            print(printer, &found, &dialect(&source, &args.table.reading), &next);
            reported.iter().for_each(|reported| super::report::print(printer, reported));
        }
    }
    Ok(if found.safe { Status::Clean } else { Status::Findings })
}

/// How a text is written, as far as that was found and not said.
fn dialect(source: &Source, said: &ReadArgs) -> String {
    let mut words = String::new();
    if let Some(encoding) = source.encoding() {
        let _ = write!(words, ", {}", encoding.name());
    }
    if let Some(byte) = source.delimiter().filter(|&byte| byte != b',' && said.delimiter.is_none()) {
        let _ = write!(words, ", cells separated by {}", separator(byte));
    }
    words
}

fn print(printer: &mut Printer, found: &Check, dialect: &str, next: &str) {
    let diagnosis = &found.diagnosis;
    let facts = format!(
        "{}{dialect}, {}, {}",
        found.format,
        counted(diagnosis.rows, "row", "rows"),
        counted(found.columns.len() as u64, "column", "columns")
    );
    printer.line(format!("{}: {facts}", printer.bold(&plain(&found.source))));
    printer.line("");
    print_columns(printer, &found.columns);
    printer.line("");
    if !diagnosis.quasi_identifiers.is_empty() {
        print_classes(printer, diagnosis);
        print_sets(printer, diagnosis);
        print_values(printer, diagnosis);
        kept::print_briefly(printer, found.sensitive.as_deref().unwrap_or_default());
    }
    print_findings(printer, diagnosis);
    let verdict =
        if found.safe { printer.bold(&found.verdict) } else { printer.severity(Severity::Danger, &found.verdict) };
    printer.wrapped(&verdict);
    printer.line("");
    printer.line(format!("next: {}", printer.bold(&plain(next))));
}

fn separator(byte: u8) -> String {
    if byte == b'\t' { "tabs".into() } else { format!("“{}”", char::from(byte)) }
}

fn print_columns(printer: &mut Printer, columns: &[ColumnReport]) {
    // An empty cell means that the role is sure or was given.
    let head = ["", "COLUMN", "ROLE", "", "TYPE", "DISTINCT", "MISSING", "REASON"];
    let mut rows = vec![head.iter().map(|text| printer.dim(text)).collect::<Vec<_>>()];
    for column in columns {
        let values = if column.exact { thousands(column.distinct) } else { format!(">{}", thousands(column.distinct)) };
        let sure = if column.confidence == Confidence::Sure { "" } else { column.confidence.name() };
        rows.push(vec![
            printer.role(column.role, &column.role.letter().to_string()),
            plain(&column.name),
            printer.role(column.role, column.role.name()),
            printer.dim(sure),
            column.kind.into(),
            values,
            if column.missing == 0 { "-".into() } else { thousands(column.missing) },
            plain(&short(&column.reason)),
        ]);
    }
    printer.table(&[5, 6], &rows);
}

/// The reason without what it entails: the role says that already.
fn short(reason: &str) -> String {
    let reason = reason.split_once(", which").or_else(|| reason.split_once(", so ")).map_or(reason, |(short, _)| short);
    let reason = reason.strip_suffix('.').unwrap_or(reason);
    reason.strip_prefix("The name suggests ").map_or_else(|| reason.into(), |idea| format!("name suggests {idea}"))
}

/// The name of the figure that counts classes of one.
pub(super) fn alone(who: &str) -> String {
    match who {
        "people" => "people alone in their class".into(),
        who => format!("unique {who}"),
    }
}

fn print_classes(printer: &mut Printer, found: &Diagnosis) {
    let who = match found {
        _ if found.appearances > found.people => "appearances",
        _ if found.people < found.rows => "people",
        _ => "rows",
    };
    let on = counted(found.quasi_identifiers.len() as u64, "quasi-identifier", "quasi-identifiers");
    let share = |part: u64| format!("{:.1} %", 100.0 * part as f64 / found.appearances.max(1) as f64);
    printer.line(printer.bold(&format!("Classes on the {on}")));
    let line = |name: String, figure: String, note: String| vec![format!("  {name}"), figure, note];
    let mut rows = vec![
        line("smallest class (k)".into(), thousands(found.k), String::new()),
        line(alone(who), thousands(found.unique), share(found.unique)),
        line(
            format!("{who} in classes smaller than {}", thousands(found.k_asked)),
            thousands(found.below),
            share(found.below),
        ),
        line("classes".into(), thousands(found.classes), String::new()),
    ];
    if found.appearances > found.people {
        rows.insert(0, line("appearances".into(), thousands(found.appearances), "one per person and class".into()));
    }
    if found.people < found.rows {
        rows.insert(0, line("people".into(), thousands(found.people), format!("in {} rows", thousands(found.rows))));
    }
    printer.table(&[1, 2], &rows);
    printer.line("");
}

fn print_sets(printer: &mut Printer, found: &Diagnosis) {
    // What else was not searched is a finding. When all quasi-identifiers together are safe, so is every set of them.
    let larger = found.not_searched.iter().find(|left| left.limit == SearchLimit::Size && found.k < found.k_asked);
    let larger = larger.map(|left| printer.dim(&format!("  {}: --max-columns sets the limit", left.sentence())));
    if found.smallest_dangerous.is_empty() {
        if let Some(line) = larger {
            printer.line(line);
            printer.line("");
        }
        return;
    }
    printer.line(
        printer.bold(&format!("The smallest column sets with classes smaller than {}", thousands(found.k_asked))),
    );
    let mut sets: Vec<_> = found.smallest_dangerous.iter().collect();
    sets.sort_by(|a, b| a.columns.len().cmp(&b.columns.len()).then(b.below.cmp(&a.below)));
    let below = format!("BELOW {}", thousands(found.k_asked));
    let mut rows = vec![["  K", "UNIQUE", below.as_str(), "COLUMNS"].map(|text| printer.dim(text)).to_vec()];
    for set in sets.iter().take(SHOWN) {
        let columns = plain(&set.columns.join(" + "));
        rows.push(vec![format!("  {}", thousands(set.k)), thousands(set.unique), thousands(set.below), columns]);
    }
    printer.table(&[0, 1, 2], &rows);
    if sets.len() > SHOWN {
        printer.line(printer.dim(&format!(
            "  and {} more: `incrowd diagnose … --sets --k {}` lists all",
            thousands((sets.len() - SHOWN) as u64),
            found.k_asked
        )));
    }
    larger.into_iter().for_each(|line| printer.line(line));
    printer.line("");
}

fn print_values(printer: &mut Printer, found: &Diagnosis) {
    let Some(values) = found.exposed_values.as_ref().filter(|values| !values.is_empty()) else { return };
    printer.line(printer.bold("Most exposed values"));
    let row = |value: &incrowd::core::ExposedValue| {
        let exposed = format!("{} of {}", thousands(value.exposed), counted(value.rows, "row", "rows"));
        vec![format!("  {}", plain(&value.column)), plain(&value.value), exposed]
    };
    let rows: Vec<Vec<String>> = values.iter().map(row).collect();
    printer.table(&[], &rows);
    printer.line("");
}

/// The findings that the tables above do not show already.
fn print_findings(printer: &mut Printer, found: &Diagnosis) {
    let above = ["IC101", "IC102", "IC103", "IC104"];
    let others: Vec<_> = found.findings.iter().filter(|finding| !above.contains(&finding.code.code)).collect();
    if others.is_empty() {
        return;
    }
    printer.line(printer.bold("Other findings"));
    for finding in others.iter().take(SHOWN) {
        let head = printer.severity(finding.code.severity, &format!("{:<7}", finding.code.severity.name()));
        let text = format!("{} {}", finding.code.code, plain(&finding.message));
        printer.hanging(&format!("  {head} "), &text, 16);
    }
    if others.len() > SHOWN {
        printer.line(printer.dim(&format!("  and {} more: --format json lists all", others.len() - SHOWN)));
    }
    printer.line(printer.dim("  `incrowd explain CODE` explains a finding and what to do about it"));
    printer.line("");
}

/// The command a person would type next.
fn next_command(args: &CheckArgs, asked: &AskedTable, found: &Check) -> String {
    let (names, k) = (&found.diagnosis.quasi_identifiers, found.diagnosis.k_asked);
    let declared = found.columns.iter().all(|column| column.declared);
    if names.is_empty() || (asked.plan.is_none() && !declared) {
        let reading = args.table.reading.words();
        return format!("incrowd init {}{reading}", quoted(&asked.file));
    }
    if let (Some(plan), true) = (&asked.plan_file, asked.plan.as_ref().is_some_and(Plan::is_draft)) {
        return format!("incrowd confirm {}", quoted(&plan.display().to_string()));
    }
    // With a plan, the next step for a table that is not safe is to anonymize it.
    if let Some(plan) = asked.plan_file.as_ref().filter(|_| !found.safe) {
        let target =
            if asked.plan.as_ref().is_some_and(|plan| plan.release.path.is_some()) { "" } else { " -o release" };
        return format!("incrowd anonymize {}{target}", quoted(&plan.display().to_string()));
    }
    let qi = if asked.plan.is_some() { String::new() } else { format!(" --qi {}", quoted(&names.join(","))) };
    format!("incrowd diagnose {}{qi} --sets --k {k}", asked.words)
}
