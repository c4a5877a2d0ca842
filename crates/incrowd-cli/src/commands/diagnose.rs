//! `incrowd diagnose FILE --qi a,b,c`: the questions.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use incrowd::core::{Role, ValueRelations};
use incrowd::{DiagnoseOptions, Diagnosed, counted, diagnose, thousands};
use serde::Serialize;

use super::{kept, population, special_uniques};
use crate::Status;
use crate::args::{DiagnoseArgs, OutputFormat};
use crate::input;
use crate::printer::{Failure, Printer, plain};

/// How many steps of a curve and how many classes are given.
const CURVE_POINTS: usize = 20;
const CLASSES: usize = 100;

/// The largest column sets that are searched for special uniques.
const DEPTH: usize = 6;

#[derive(Serialize)]
struct DiagnoseAnswer<'a> {
    #[serde(flatten)]
    found: &'a Diagnosed,
    seconds: f64,
}

pub(crate) fn run(args: &DiagnoseArgs, printer: &mut Printer) -> Result<Status, Failure> {
    let started = Instant::now();
    let asked = input::asked(&args.table, &args.roles, &args.named())?;
    let engine = input::engine_on(&asked, &args.run.settings(), args.run.quiet)?;
    let source = input::source(&engine, &asked)?;
    let options = DiagnoseOptions {
        declared: asked.request.declared(),
        akin: akin(args)?,
        k: args.k,
        at_most: args.at_most,
        delta: args.delta,
        sets: args.sets,
        all_sets: args.all_sets,
        max_set_size: args.max_columns,
        curve: args.curve.then_some(CURVE_POINTS),
        attributes: args.columns,
        values: if args.show_values { CLASSES } else { 0 },
        population: args.population(),
        special_uniques: args.special_uniques.then_some(args.depth.unwrap_or(DEPTH)),
        survey: args.survey(),
        log_linear: args.log_linear,
    };
    let found = diagnose(&engine, &source, &options)?;
    drop(engine);
    match args.format {
        OutputFormat::Json => {
            printer.json(&DiagnoseAnswer { found: &found, seconds: started.elapsed().as_secs_f64() })?;
        }
        OutputFormat::Text => print(printer, &found, args),
    }
    Ok(if found.is_clean() { Status::Clean } else { Status::Findings })
}

/// What the hierarchies of sensitive columns say.
fn akin(args: &DiagnoseArgs) -> Result<BTreeMap<String, ValueRelations>, Failure> {
    let has_file = |column: &str| args.hierarchy.iter().any(|(other, _)| other == column);
    if let Some((bare, _)) = args.protected.iter().find(|(column, _)| !has_file(column)) {
        let what = format!("protected nodes of “{bare}” are given without a hierarchy");
        return Err(Failure::new(what, "add --hierarchy COLUMN=FILE"));
    }
    let mut known = BTreeMap::new();
    for (column, file) in &args.hierarchy {
        let nodes = args.protected.iter().filter(|(other, _)| other == column).flat_map(|(_, nodes)| nodes.split('|'));
        let nodes: Vec<String> = nodes.map(Into::into).collect();
        known.insert(column.clone(), incrowd::request::akin(column, Path::new(file), &nodes, args.run.memory)?);
    }
    Ok(known)
}

fn print(printer: &mut Printer, found: &Diagnosed, args: &DiagnoseArgs) {
    let who = match (found.people, found.appearances) {
        (_, Some(_)) => "appearances",
        (Some(_), None) => "people",
        (None, None) => "rows",
    };
    let columns = printer.columns(Role::QuasiIdentifier, &found.quasi_identifiers);
    printer.hanging("", &format!("{} on {columns}", printer.bold(&plain(&found.source))), 2);
    printer.line("");
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut say = |name: String, figure: String| rows.push(vec![format!("  {name}"), figure]);
    say("rows".into(), thousands(found.rows));
    if let Some(people) = found.people {
        say("people".into(), thousands(people));
    }
    if let Some(appearances) = found.appearances {
        say("appearances (one per person and class)".into(), thousands(appearances));
    }
    say("tuples".into(), thousands(found.tuples));
    say("smallest class (k)".into(), thousands(found.k));
    say(super::check::alone(who), thousands(found.unique_rows));
    if let (Some(k), Some(below)) = (args.k, found.rows_below_k) {
        say(format!("{who} in classes smaller than {}", thousands(k)), thousands(below));
    }
    if let (Some(k), Some(delta)) = (args.k, found.least_delta) {
        say(format!("share to suppress for k = {}", thousands(k)), rounded_up(delta));
    }
    if let (Some(delta), Some(k), Some(suppressed)) = (args.delta, found.k_suppressed, found.suppressed_rows) {
        say(format!("k with up to {delta} suppressed"), thousands(k));
        say(format!("{who} suppressed to reach it"), thousands(suppressed));
    }
    printer.table(&[1], &rows);
    if let Some(subject) = &found.guessed_subject {
        let words = format!(
            "People are counted by {}, which looks like a number given to each person and has repeated values. Confirm it with \
             --subject, or declare with --rows-are-people that each row is a different person.",
            plain(subject)
        );
        printer.line("");
        printer.hanging("", &words, 0);
    }
    kept::print(printer, found.sensitive.as_deref().unwrap_or_default(), found.people.is_some());
    for finding in &found.findings {
        printer.line("");
        let words = format!("{} {} {}", finding.code.severity.name(), finding.code.code, plain(&finding.message));
        printer.hanging("", &words, 2);
    }
    print_sets(printer, found, args);
    print_attributes(printer, found);
    print_curve(printer, found);
    print_classes(printer, found, args);
    if let Some(found_uniques) = &found.special_uniques {
        special_uniques::print(printer, found_uniques, found.special_rows.as_deref(), who);
    }
    population::print(printer, found);
    if let (Some(k), Some(holds)) = (args.k, found.holds) {
        let bound = match (args.at_most, holds) {
            (false, true) => "",
            (false, false) => "not ",
            (true, true) => "at most ",
            (true, false) => "more than ",
        };
        let (unknown, of_rows) = match holds && !found.findings.is_empty() {
            true => ("not known: ", " if rows are counted, but several rows may belong to one person"),
            false => ("", ""),
        };
        let k = thousands(k);
        printer.line("");
        printer.line(printer.bold(&format!("{unknown}{bound}{k}-anonymous{}{of_rows}", within(args))));
    }
}

/// What may be suppressed, as the end of a sentence.
fn within(args: &DiagnoseArgs) -> String {
    args.delta.map(|delta| format!(" with up to {delta} suppressed")).unwrap_or_default()
}

/// A share that is enough when it is given back as --delta.
fn rounded_up(share: f64) -> String {
    // Adding nothing turns a negative zero into a plain one.
    format!("{:.4}", ((share * 1e4 - 1e-9).ceil() + 0.0) / 1e4)
}

fn print_sets(printer: &mut Printer, found: &Diagnosed, args: &DiagnoseArgs) {
    let mut list = |title: &str, sets: &Option<Vec<Vec<String>>>| {
        let Some(sets) = sets else { return };
        printer.line("");
        printer.line(printer.bold(title));
        sets.iter().for_each(|set| printer.hanging("  ", &plain(&set.join(" + ")), 4));
        if sets.is_empty() {
            printer.line("  none");
        }
    };
    let (k, within) = (thousands(args.k.unwrap_or(2)), within(args));
    let (safe, dangerous) = match args.at_most {
        false => (format!("reach k = {k}"), format!("do not reach k = {k}")),
        true => (format!("have k above {k}"), format!("have k of at most {k}")),
    };
    list(&format!("Largest column sets that {safe}{within}"), &found.largest_safe);
    list(&format!("Smallest column sets that {dangerous}{within}"), &found.smallest_dangerous);
    if let Some(groupings) = found.groupings {
        let sets = counted(groupings as u64, "column set was", "column sets were");
        printer.line(printer.dim(&format!("  {sets} measured to find these")));
    }
    for left in found.not_searched.iter().flatten() {
        printer.hanging("  ", &left.sentence(), 4);
    }
    if let Some(sets) = &found.sets {
        printer.line("");
        let all = counted(sets.len() as u64, "column set", "column sets");
        printer.line(printer.bold(&format!("All {all}{within}")));
        let head = ["  K", "CLASSES", "UNIQUE", if args.k.is_some() { "TO SUPPRESS" } else { "" }, "COLUMNS"];
        let mut rows = vec![head.iter().map(|text| printer.dim(text)).collect::<Vec<_>>()];
        for set in sets {
            rows.push(vec![
                format!("  {}", thousands(set.k)),
                thousands(set.classes),
                thousands(set.unique_rows),
                set.least_delta.map(rounded_up).unwrap_or_default(),
                plain(&set.columns.join(" + ")),
            ]);
        }
        printer.table(&[0, 1, 2, 3], &rows);
    }
}

fn print_attributes(printer: &mut Printer, found: &Diagnosed) {
    let Some(attributes) = &found.attributes else { return };
    printer.line("");
    let head = ["  COLUMN", "DISTINCT", "K", "SEPARATES", "UNIQUE WITHOUT IT"];
    let mut rows = vec![head.iter().map(|text| printer.dim(text)).collect::<Vec<_>>()];
    for attribute in attributes {
        rows.push(vec![
            format!("  {}", plain(&attribute.name)),
            thousands(attribute.distinct),
            thousands(attribute.k),
            format!("{:.1} %", 100.0 * attribute.separation),
            attribute.unique_without.map_or_else(|| "-".into(), thousands),
        ]);
    }
    printer.table(&[1, 2, 3, 4], &rows);
}

fn print_curve(printer: &mut Printer, found: &Diagnosed) {
    let Some(curve) = &found.curve else { return };
    printer.line("");
    let mut rows = vec![["  K", "SUPPRESSED", "SHARE"].iter().map(|text| printer.dim(text)).collect::<Vec<_>>()];
    for point in curve {
        rows.push(vec![thousands(point.k), thousands(point.suppressed), format!("{:.2} %", 100.0 * point.share)]);
    }
    printer.table(&[0, 1, 2], &rows);
}

fn print_classes(printer: &mut Printer, found: &Diagnosed, args: &DiagnoseArgs) {
    let Some(classes) = &found.classes_to_suppress else { return };
    printer.line("");
    printer.line(printer.bold(&format!("Classes smaller than {}", thousands(args.k.unwrap_or(2)))));
    let row =
        |class: &incrowd::SmallClass| vec![format!("  {}", thousands(class.size)), plain(&class.values.join(" | "))];
    let rows: Vec<Vec<String>> = classes.iter().map(row).collect();
    printer.table(&[0], &rows);
    if classes.is_empty() {
        printer.line("  none");
    } else if classes.len() == CLASSES {
        printer.line(printer.dim(&format!("  only the first {CLASSES} are shown")));
    }
}
