//! `incrowd compare ORIGINAL DIR…`: how useful are releases, compared with their original?

use std::time::Instant;

use incrowd::compare::{CompareOptions, Compared, ComparedRelease, Workload, compare};
use incrowd::query::original_options;
use incrowd::thousands;
use serde::Serialize;

use crate::Status;
use crate::args::{CompareArgs, OutputFormat};
use crate::input;
use crate::printer::{Failure, Printer, plain};

/// The maximum number of pairs of columns that are shown: those whose dependence changed most.
const PAIRS: usize = 5;

#[derive(Serialize)]
struct CompareAnswer<'a> {
    #[serde(flatten)]
    compared: &'a Compared,
    seconds: f64,
}

pub(crate) fn run(args: &CompareArgs, printer: &mut Printer) -> Result<Status, Failure> {
    let started = Instant::now();
    if args.selectivity <= 0.0 {
        return Err(Failure::new("a selectivity of 0 selects no rows", "use for example --selectivity 0.05"));
    }
    let options = CompareOptions {
        workload: Workload {
            queries: args.queries,
            dimensionality: args.dimensionality,
            selectivity: args.selectivity,
            seed: args.seed,
        },
        target: args.target.clone(),
        hierarchies: args.ask.hierarchies(),
        ..CompareOptions::default()
    };
    let engine = input::engine(&args.ask.run)?;
    let reading = original_options(&args.releases[0], None, args.ask.reading.options()?)?;
    let original = input::open(&engine, &args.original, reading)?;
    let compared = compare(&engine, &original, &args.releases, &options)?;
    drop(engine);
    match args.ask.format {
        OutputFormat::Json => {
            printer.json(&CompareAnswer { compared: &compared, seconds: started.elapsed().as_secs_f64() })?;
        }
        OutputFormat::Text => print(printer, &compared),
    }
    Ok(Status::Clean)
}

fn print(printer: &mut Printer, compared: &Compared) {
    let rows = thousands(compared.rows);
    printer.line(printer.bold(&format!("{}: {rows} rows", plain(&compared.original))));
    printer.line("");
    print_figures(printer, compared);
    printer.line("");
    print_columns(printer, compared);
    print_pairs(printer, compared);
    printer.line("");
    let Workload { queries, dimensionality, selectivity, .. } = compared.workload;
    let asked = thousands(queries as u64);
    printer.hanging(
        "",
        &format!(
            "Query error: |estimate − actual| / actual over {asked} random queries on {dimensionality} \
             quasi-identifiers and a sensitive column, each expected to select {} % of the rows. Distance: 0 = same \
             distribution, 1 = no common values. Dependence: Cramér's V (0 = independent, 1 = fully dependent).",
            100.0 * selectivity
        ),
        2,
    );
    let notes = compared.notes.iter().chain(compared.releases.iter().flat_map(|release| &release.notes));
    notes.for_each(|note| printer.hanging("note: ", &plain(note), 6));
}

/// One line for each figure, one column for each release.
fn print_figures(printer: &mut Printer, compared: &Compared) {
    let releases = &compared.releases;
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut say = |name: &str, figure: &dyn Fn(&ComparedRelease) -> String| {
        let figures = releases.iter().map(figure);
        lines.push([format!("  {name}")].into_iter().chain(figures).collect());
    };
    say("", &|release| last(&release.release));
    say("published as", &|release| release.publish.replace('-', " "));
    say("solver", &|release| plain(&release.algorithm));
    say("rows", &|release| thousands(release.rows));
    if releases.iter().any(|release| release.suppressed_rows > 0) {
        say("suppressed", &|release| thousands(release.suppressed_rows));
    }
    say("classes", &|release| thousands(release.class_sizes.classes));
    say("smallest class", &|release| thousands(release.class_sizes.smallest));
    say("median class", &|release| thousands(release.class_sizes.median));
    say("information loss (LM)", &|release| number(lm(release)));
    for at in 0..2 {
        say(["query error, mean", "query error, mean"][at], &|release| error(release, at, |errors| errors.mean));
        say(["query error, median", "query error, median"][at], &|release| error(release, at, |errors| errors.median));
    }
    say("mean distance of distributions", &|release| format!("{:.4}", release.marginal_distance));
    say("mean change in dependence", &|release| format!("{:.4}", release.dependence_difference));
    if let Some(learnt) = &compared.classifier {
        let name = format!("accuracy for “{}”", plain(&learnt.target));
        say(&name, &|release| percent(release.accuracy));
        say("  trained on the original", &|_| percent(Some(learnt.accuracy)));
        say("  most frequent value", &|_| percent(Some(learnt.most_frequent)));
    }
    lines[0] =
        lines[0].iter().map(|name| if name.trim().is_empty() { name.clone() } else { printer.bold(name) }).collect();
    let right: Vec<usize> = (1..=releases.len()).collect();
    printer.table(&right, &lines);
}

fn error(release: &ComparedRelease, at: usize, of: fn(&incrowd::compare::Errors) -> f64) -> String {
    let found = release.queries.get(at);
    found.map_or_else(|| "–".into(), |found| format!("{} ({})", percent(Some(of(&found.errors))), found.estimator))
}

/// How far each column is from the original, release by release.
fn print_columns(printer: &mut Printer, compared: &Compared) {
    let head = [printer.dim("  DISTANCE OF COLUMN")];
    let names = compared.releases.iter().map(|release| printer.dim(&last(&release.release).to_uppercase()));
    let mut lines: Vec<Vec<String>> = vec![head.into_iter().chain(names).collect()];
    for column in &compared.columns {
        let figure = |release: &ComparedRelease| {
            let found = release.marginals.iter().find(|marginal| marginal.column == *column);
            found.map_or_else(|| "–".into(), |found| format!("{:.4}", found.distance))
        };
        lines.push([format!("  {}", plain(column))].into_iter().chain(compared.releases.iter().map(figure)).collect());
    }
    printer.table(&(1..=compared.releases.len()).collect::<Vec<_>>(), &lines);
}

/// The pairs whose dependence changed most in some release.
fn print_pairs(printer: &mut Printer, compared: &Compared) {
    let mut pairs: Vec<(f64, &[String; 2], f64)> = Vec::new();
    for pair in compared.releases.iter().flat_map(|release| &release.dependence) {
        let change = (pair.after - pair.before).abs();
        match pairs.iter_mut().find(|known| known.1 == &pair.columns) {
            Some(known) => known.0 = known.0.max(change),
            None => pairs.push((change, &pair.columns, pair.before)),
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    pairs.retain(|pair| pair.0 > 0.0);
    if pairs.is_empty() {
        return;
    }
    printer.line("");
    let head = ["  LARGEST CHANGES IN DEPENDENCE", "ORIGINAL"].map(|text| printer.dim(text));
    let names = compared.releases.iter().map(|release| printer.dim(&last(&release.release).to_uppercase()));
    let mut lines: Vec<Vec<String>> = vec![head.into_iter().chain(names).collect()];
    for (_, columns, before) in pairs.into_iter().take(PAIRS) {
        let figure = |release: &ComparedRelease| {
            let found = release.dependence.iter().find(|pair| pair.columns == *columns);
            found.map_or_else(|| "–".into(), |found| format!("{:.4}", found.after))
        };
        let name = format!("  {} – {}", plain(&columns[0]), plain(&columns[1]));
        let figures = compared.releases.iter().map(figure);
        lines.push([name, format!("{before:.4}")].into_iter().chain(figures).collect());
    }
    printer.table(&(1..=compared.releases.len() + 1).collect::<Vec<_>>(), &lines);
}

/// Two tables generalize nothing.
fn lm(release: &ComparedRelease) -> Option<f64> {
    if release.publish == "two-tables" { Some(0.0) } else { release.loss.get("lm").and_then(serde_json::Value::as_f64) }
}

fn number(figure: Option<f64>) -> String {
    figure.map_or_else(|| "–".into(), |figure| format!("{figure:.4}"))
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".into(), |share| format!("{:.1} %", 100.0 * share))
}

/// The last part of a path: releases side by side need short names.
fn last(path: &str) -> String {
    plain(path.trim_end_matches('/').rsplit('/').next().unwrap_or(path))
}
