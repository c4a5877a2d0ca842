//! `incrowd query DIR SQL`: what would the original have answered?

use std::time::Instant;

use incrowd::core::MISSING_LABEL;
use incrowd::query::{
    Answered, Estimator, Figure, NamedFigure, QueryOptions, ReadAs, original_options, parse_query, query, query_against,
};
use incrowd::thousands;
use serde::Serialize;

use crate::Status;
use crate::args::{EstimatorArg, OutputFormat, QueryArgs};
use crate::input;
use crate::printer::{Failure, Printer, plain};

#[derive(Serialize)]
struct QueryAnswer<'a> {
    #[serde(flatten)]
    answered: &'a Answered,
    seconds: f64,
}

pub(crate) fn run(args: &QueryArgs, printer: &mut Printer) -> Result<Status, Failure> {
    let started = Instant::now();
    let asked = parse_query(&args.sql).map_err(incrowd::Error::from)?;
    let options = QueryOptions {
        estimator: args.estimator.map(EstimatorArg::estimator),
        hierarchies: args.ask.hierarchies(),
        record: args.record.clone(),
    };
    let engine = input::engine(&args.ask.run)?;
    let answered = match &args.against {
        None => query(&engine, &args.release, &asked, &options)?,
        Some(file) => {
            let reading = original_options(&args.release, args.record.as_deref(), args.ask.reading.options()?)?;
            let original = input::open(&engine, file, reading)?;
            query_against(&engine, &args.release, &original, &asked, &options)?
        }
    };
    drop(engine);
    match args.ask.format {
        OutputFormat::Json => {
            printer.json(&QueryAnswer { answered: &answered, seconds: started.elapsed().as_secs_f64() })?;
        }
        OutputFormat::Text => print(printer, args, &answered, &asked.select[0].name),
    }
    Ok(Status::Clean)
}

fn print(printer: &mut Printer, args: &QueryArgs, answered: &Answered, name: &str) {
    let release = plain(&args.release.display().to_string());
    match &answered.figure {
        Some(figure) => {
            printer.line(printer.bold(&format!("{release}: {}", plain(name))));
            printer.line("");
            print_one(printer, figure);
        }
        None => {
            printer.line(printer.bold(&release));
            printer.line("");
            print_many(printer, answered, name);
        }
    }
    printer.line("");
    let how = match answered.estimator {
        Estimator::Uniform => "each row is weighted by the share of its cells' values that satisfy the conditions",
        Estimator::Overlap => "every row whose cells may satisfy the conditions counts fully",
        Estimator::Expected => "the expected value over all ways to join the two tables",
        Estimator::Printed => "every row of the second table whose class has a match in the first counts fully",
    };
    let rows = thousands(answered.rows);
    printer.hanging("", &format!("Estimated from {rows} published rows by `{}`: {how}.", answered.estimator), 2);
    let read = |(how, words): (ReadAs, &str)| {
        let columns = answered.columns.iter().filter(|column| column.read == how);
        let names: Vec<String> = columns.map(|column| plain(&column.name)).collect();
        (!names.is_empty()).then(|| format!("{} {words}", names.join(", ")))
    };
    let ways = [
        (ReadAs::Exact, "unchanged"),
        (ReadAs::Hierarchy, "with the given hierarchy"),
        (ReadAs::Record, "with the hierarchy in the internal record"),
        (ReadAs::Labels, "by their labels, which say what they stand for"),
        (ReadAs::Guess, "by guessing from their labels, so nothing is certain"),
    ];
    let read: Vec<String> = ways.into_iter().filter_map(read).collect();
    if !read.is_empty() {
        printer.hanging("", &format!("How cells were read: {}.", read.join("; ")), 2);
    }
    answered.notes.iter().for_each(|note| printer.hanging("note: ", &plain(note), 6));
}

fn print_one(printer: &mut Printer, figure: &Figure) {
    let mut rows = vec![vec!["  estimate".to_owned(), number(figure.estimate)]];
    match (figure.lower, figure.upper) {
        (Some(lower), Some(upper)) => {
            rows.push(vec!["  certainly at least".into(), at_least(Some(lower))]);
            rows.push(vec!["  certainly at most".into(), at_most(Some(upper))]);
        }
        (Some(lower), None) => rows.push(vec!["  certainly at least".into(), at_least(Some(lower))]),
        (None, Some(upper)) => rows.push(vec!["  certainly at most".into(), at_most(Some(upper))]),
        (None, None) => rows.push(vec!["  certain".into(), "nothing".into()]),
    }
    if let Some(actual) = figure.actual {
        rows.push(vec!["  actual".into(), number(actual)]);
        rows.push(vec!["  relative error".into(), share(figure.relative_error.flatten())]);
    }
    printer.table(&[1], &rows);
}

/// Figures by group, by name, or by both.
fn print_many(printer: &mut Printer, answered: &Answered, name: &str) {
    let list = |figure: Option<Figure>, answers: &Option<Vec<NamedFigure>>| -> Vec<(String, Figure)> {
        let named = answers.iter().flatten().map(|one| (one.name.clone(), one.figure));
        figure.map(|figure| (name.to_owned(), figure)).into_iter().chain(named).collect()
    };
    let mut lines: Vec<(Vec<String>, String, Figure)> = Vec::new();
    let mut columns: Vec<String> = Vec::new();
    for group in answered.groups.iter().flatten() {
        columns = group.key.iter().map(|(column, _)| plain(column)).collect();
        let value = |value: &Option<String>| plain(value.as_deref().unwrap_or(MISSING_LABEL));
        let key: Vec<String> = group.key.iter().map(|(_, label)| value(label)).collect();
        lines.extend(list(group.figure, &group.answers).into_iter().map(|(name, figure)| (key.clone(), name, figure)));
    }
    lines.extend(list(None, &answered.answers).into_iter().map(|(name, figure)| (Vec::new(), name, figure)));
    if lines.is_empty() {
        printer.line("  no row can satisfy the conditions");
        return;
    }
    let several = lines.iter().any(|(_, other, _)| *other != lines[0].1);
    let compared = lines.iter().any(|(_, _, figure)| figure.actual.is_some());
    let mut head: Vec<String> = columns.iter().map(|column| column.to_uppercase()).collect();
    head.extend(["FIGURE", "ESTIMATE", "AT LEAST", "AT MOST", "ACTUAL", "ERROR"].map(Into::into));
    let keys = columns.len();
    let mut rows = vec![head];
    for (key, name, figure) in lines {
        let mut row = key;
        row.push(plain(&name));
        row.extend([number(figure.estimate), at_least(figure.lower), at_most(figure.upper)]);
        row.extend([number(figure.actual.flatten()), share(figure.relative_error.flatten())]);
        rows.push(row);
    }
    for row in &mut rows {
        // A column without content is not shown.
        if !several {
            row[keys].clear();
        }
        if !compared {
            row[keys + 4].clear();
            row[keys + 5].clear();
        }
        if let Some(first) = row.iter_mut().find(|cell| !cell.is_empty()) {
            *first = format!("  {first}");
        }
    }
    rows[0] = rows[0].iter().map(|cell| if cell.is_empty() { String::new() } else { printer.dim(cell) }).collect();
    let right: Vec<usize> = (keys + 1..keys + 6).collect();
    printer.table(&right, &rows);
}

/// A figure with few digits; nothing is a dash.
fn number(figure: Option<f64>) -> String {
    figure.map_or_else(|| "–".into(), |figure| shown(figure, figure))
}

/// A lower end with few digits, never more than it is.
fn at_least(figure: Option<f64>) -> String {
    figure.map_or_else(|| "–".into(), |figure| shown(figure, rounded(figure, false)))
}

/// An upper end with few digits, never less than it is.
fn at_most(figure: Option<f64>) -> String {
    figure.map_or_else(|| "–".into(), |figure| shown(figure, rounded(figure, true)))
}

/// How many decimals a figure of this size is shown with.
fn decimals(figure: f64) -> usize {
    match figure.abs() {
        large if large >= 1000.0 => 1,
        middle if middle >= 1.0 => 2,
        _ => 4,
    }
}

/// A figure in the decimals that it is shown with, rounded down or up; one that these hold exactly stays itself.
fn rounded(figure: f64, up: bool) -> f64 {
    let (shown, unit) = (decimals(figure), 10f64.powi(decimals(figure) as i32));
    if format!("{figure:.shown$}").parse::<f64>() == Ok(figure) || !(figure * unit).is_finite() {
        return figure;
    }
    let (towards, step) =
        if up { ((figure * unit).ceil() / unit, 1.0 / unit) } else { ((figure * unit).floor() / unit, -1.0 / unit) };
    // The product itself is rounded, and may have gone past the figure.
    if (towards < figure) == up { towards + step } else { towards }
}

fn shown(size: f64, figure: f64) -> String {
    let decimals = decimals(size);
    let text = format!("{figure:.decimals$}");
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    // Figures beyond the whole numbers of the machine are shown without groups of digits.
    let grouped = digits.parse::<u64>().map_or_else(|_| digits.to_owned(), thousands);
    match part.trim_end_matches('0') {
        "" => format!("{sign}{grouped}"),
        part => format!("{sign}{grouped}.{part}"),
    }
}

fn share(share: Option<f64>) -> String {
    share.map_or_else(|| "–".into(), |share| format!("{:.2} %", 100.0 * share))
}

#[cfg(test)]
mod tests {
    use super::{at_least, at_most, number};

    #[test]
    fn what_is_certain_is_never_rounded_inwards() {
        assert_eq!([at_least(Some(1234.56)), at_most(Some(1234.51))], ["1,234.5", "1,234.6"]);
        assert_eq!([at_least(Some(28.168)), at_most(Some(28.171))], ["28.16", "28.18"]);
        assert_eq!([at_least(Some(-1.001)), at_most(Some(-1.009))], ["-1.01", "-1"]);
        assert_eq!([at_least(Some(0.00001)), at_most(Some(0.00001))], ["0", "0.0001"]);
        assert_eq!([at_least(Some(0.3)), at_most(Some(0.3)), at_least(Some(28.17))], ["0.3", "0.3", "28.17"]);
        assert_eq!([at_least(Some(12.0)), at_most(None)], ["12", "–"]);
    }

    #[test]
    fn figures_are_short_and_their_digits_grouped() {
        let shown = [0.0, 12.5, 1234.56, -1234567.0, 0.12345, 2.34567, 1e30].map(|figure| number(Some(figure)));
        assert_eq!(shown[..6], ["0", "12.5", "1,234.6", "-1,234,567", "0.1235", "2.35"]);
        assert_eq!((shown[6].len(), number(None).as_str()), (31, "–"));
    }
}
