//! `incrowd verify RELEASE`: does the release keep its promises?

use std::sync::Arc;
use std::time::Instant;

use incrowd::core::Watch;
use incrowd::{ModelSql, Verdict, VerifyOptions, counted, manifest, verify};
use serde::Serialize;

use crate::Status;
use crate::args::{OutputFormat, VerifyArgs, header};
use crate::printer::{Failure, Printer, plain};
use crate::progress::bar;
use crate::signals;

#[derive(Serialize)]
struct VerifyAnswer<'a> {
    #[serde(flatten)]
    verdict: &'a Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    sql: Option<&'a [ModelSql]>,
    seconds: f64,
}

pub(crate) fn run(args: &VerifyArgs, printer: &mut Printer) -> Result<Status, Failure> {
    let started = Instant::now();
    let watch = Watch { cancel: signals::cancel(), progress: Arc::from(bar(args.quiet)) };
    let options = VerifyOptions {
        against: args.against.clone(),
        population: args.population.clone(),
        delimiter: args.delimiter,
        encoding: args.encoding.clone(),
        header: header(args.header, args.no_header),
        nulls: args.null.clone(),
        date_formats: args.date_format.clone(),
        decimal_commas: args.decimal_comma.clone(),
        hierarchies: args.hierarchy.iter().map(|(column, file)| (column.clone(), file.into())).collect(),
        connection: args.connection.clone(),
        record: args.record.clone(),
        watch,
        memory: args.memory,
    };
    let verdict = verify(&args.release, &options)?;
    drop(options);
    if args.sql && !verdict.tables.is_empty() {
        let tables = verdict.tables.into_iter().map(|table| table.name).collect();
        return Err(incrowd::Error::SeveralTables { release: args.release.clone(), tables }.into());
    }
    let manifest = if args.sql { manifest(&args.release, args.connection.as_deref())? } else { None };
    let sql = manifest.map(|manifest| incrowd::sql(&manifest));
    let seconds = started.elapsed().as_secs_f64();
    match args.format {
        OutputFormat::Json => printer.json(&VerifyAnswer { verdict: &verdict, sql: sql.as_deref(), seconds })?,
        OutputFormat::Text => print(printer, args, &verdict, sql.as_deref().unwrap_or_default()),
    }
    Ok(if verdict.verified { Status::Clean } else { Status::Findings })
}

/// What is said of each model, and what a reader should know.
fn print_models(printer: &mut Printer, verdict: &Verdict) {
    for model in &verdict.models {
        let yes = if model.holds { "holds " } else { "BROKEN" };
        let of = model.sensitive.as_ref().map(|column| format!(" of {}", plain(column))).unwrap_or_default();
        printer.hanging(&format!("  {yes} "), &format!("{}{of}: {}", model.model, plain(&model.promise)), 9);
    }
    for model in &verdict.not_checked {
        let of = model.sensitive.as_ref().map(|column| format!(" of {}", plain(column))).unwrap_or_default();
        printer.hanging("  not checked ", &format!("{}{of}: {}", model.model, plain(&model.promise)), 14);
    }
    verdict.notes.iter().for_each(|note| printer.hanging("  note: ", &plain(note), 8));
}

fn print(printer: &mut Printer, args: &VerifyArgs, verdict: &Verdict, sql: &[ModelSql]) {
    let name = plain(&args.release.display().to_string());
    let rows = counted(verdict.rows, "row", "rows");
    if verdict.verified {
        let classes = counted(verdict.classes, "class", "classes");
        let smallest = counted(verdict.smallest_class, "row", "rows");
        let of_tables = verdict.tables.iter().map(|table| &table.verdict);
        let found = match [verdict].into_iter().chain(of_tables).all(|verdict| verdict.not_checked.is_empty()) {
            true => format!("verified: {name} keeps its promises"),
            false => {
                format!("verified: {name} matches its manifest and keeps its promises as far as its rows can show")
            }
        };
        printer.line(printer.bold(&found));
        printer.line(format!("  {rows} in {classes}; the smallest class has {smallest}"));
        if args.population.is_some() && verdict.not_checked.is_empty() {
            printer.line("  the promises about the population were checked on the population");
        }
        if args.against.is_some() {
            printer.line("  every published cell is true to the table, and no row was lost or added");
        }
    } else {
        printer.line(printer.bold(&format!("not accepted: {name} failed verification")));
        for fault in &verdict.faults {
            printer.hanging("  - ", &plain(&fault.message), 4);
        }
    }
    print_models(printer, verdict);
    for table in &verdict.tables {
        let (rows, classes) =
            (counted(table.verdict.rows, "row", "rows"), counted(table.verdict.classes, "class", "classes"));
        printer.line(format!("{}: {rows} in {classes}", plain(&table.name)));
        print_models(printer, &table.verdict);
    }
    for model in sql {
        let of = model.sensitive.as_ref().map(|column| format!(" of {}", plain(column))).unwrap_or_default();
        printer.line("");
        let when = if model.only_rows {
            "returns no row if it holds for rows (instead of people)"
        } else {
            "returns no row if it holds"
        };
        printer.line(printer.dim(&format!("-- {}{of}: {when}", model.model)));
        model.sql.lines().for_each(|line| printer.line(plain(line)));
    }
}
