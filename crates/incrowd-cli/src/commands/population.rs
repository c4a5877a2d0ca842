//! What is estimated about the population that a table is a sample of.

use incrowd::risk::population::{
    EstimatedKMap, LogLinearRisk, PopulationUniqueness, RowsAboveRisk, SensitivityPoint, SurveyRisk, UniquenessEstimate,
};
use incrowd::{CountedInPopulation, Diagnosed, SmallInPopulation, counted, thousands};

use crate::printer::{Printer, plain};

/// Everything that was asked about the population.
pub(crate) fn print(printer: &mut Printer, found: &Diagnosed) {
    if let Some(counted) = &found.in_population {
        print_counted(printer, counted);
    }
    if let Some(estimated) = &found.population {
        print_uniqueness(printer, estimated);
    }
    if let Some(small) = &found.estimated_k_map {
        print_k_map(printer, small);
    }
    if let Some(survey) = &found.survey {
        print_survey(printer, survey);
    }
    if let Some(log_linear) = &found.log_linear {
        print_log_linear(printer, log_linear);
    }
}

/// How many people of a given population match the rows.
fn print_counted(printer: &mut Printer, found: &CountedInPopulation) {
    printer.line("");
    let people = counted(found.people, "person", "people");
    printer.line(printer.bold(&format!("Rows against the given population of {people}")));
    let about = "Attacker: has the population and does not know who in it is in the table. For an attacker who does, the \
                 figures above count.";
    printer.hanging("  ", about, 2);
    let mut rows = vec![
        vec!["  fewest people who match a row (k-map)".into(), thousands(found.k_map)],
        vec!["  rows that match at most one person".into(), thousands(found.unique_rows)],
        vec!["  mean risk".into(), risk(found.mean_risk)],
    ];
    rows.extend(found.rows_below_k.map(|rows| vec!["  rows that match fewer than k people".into(), thousands(rows)]));
    printer.table(&[1], &rows);
}

/// From which size on classes are taken to have k people in the population.
fn print_k_map(printer: &mut Printer, found: &SmallInPopulation) {
    let EstimatedKMap { k_map, model, error, k, .. } = found.estimate;
    let about = format!(
        "k-map, estimated by the {} model: classes of at least {k} are taken to have at least {k_map} people in the \
         population. A class of at most {k_map} people has that many rows in a sample with probability at most {error}. The \
         estimate is about a single class, not about all of them together.",
        model.name()
    );
    printer.line("");
    printer.hanging("  ", &about, 2);
    printer.table(&[1], &[vec!["  rows in smaller classes".into(), thousands(found.rows_below)]]);
}

/// Every estimate, the chosen one marked, and the chosen one for other sampling fractions.
fn print_uniqueness(printer: &mut Printer, found: &PopulationUniqueness) {
    printer.line("");
    printer.line(printer.bold("Unique people in the population, estimated"));
    let people = thousands(found.population_size);
    let fraction = share(found.sampling_fraction);
    let about = format!(
        "Assumption: the table is a simple random sample of a population of {people} people (sampling fraction {fraction}). \
         Attacker: does not know who is in the table. For an attacker who does, the figures above count."
    );
    printer.hanging("  ", &about, 2);
    let head = ["  MODEL", "UNIQUE IN POPULATION", "95 % IF THE MODEL HOLDS", "OF THE UNIQUE ROWS"];
    let mut rows = vec![head.iter().map(|text| printer.dim(text)).collect::<Vec<_>>()];
    rows.extend(found.estimates.iter().map(|one| row(one, found.chosen == Some(one.model))));
    printer.table(&[1, 2, 3], &rows);
    for estimate in &found.estimates {
        if let Some(reason) = estimate.no_estimate {
            printer.hanging("  ", &format!("{}: no estimate, because {}", estimate.model.name(), reason.reason()), 4);
        }
    }
    if let Some(model) = found.chosen {
        let by = format!("* {} is chosen by the rule of Dankar et al. (2012)", model.name());
        printer.hanging("  ", &by, 4);
    }
    printer.hanging("  ", "The intervals leave out the error of the model, which is usually larger than they are", 2);
    if !found.sensitivity.is_empty() {
        print_sensitivity(printer, &found.sensitivity);
    }
}

fn print_sensitivity(printer: &mut Printer, points: &[SensitivityPoint]) {
    printer.line("");
    let head = ["  SAMPLING FRACTION", "MODEL", "UNIQUE IN POPULATION", "OF THE UNIQUE ROWS"];
    let mut rows = vec![head.iter().map(|text| printer.dim(text)).collect::<Vec<_>>()];
    for point in points {
        let model = point.model.map_or("no estimate", |model| model.name());
        rows.push(vec![
            format!("  {}", share(point.sampling_fraction)),
            model.into(),
            figure(point.uniqueness),
            figure(point.unique_rows_also_unique),
        ]);
    }
    printer.table(&[0, 2, 3], &rows);
}

fn print_survey(printer: &mut Printer, found: &SurveyRisk) {
    printer.line("");
    printer.line(printer.bold("Individual risk, estimated from the weights"));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a sum of weights above 0")]
    let people = thousands(found.population_size.round() as u64);
    let about = format!(
        "The weights add up to {people} people (sampling fraction {}). Attacker: knows that a person is in the population, \
         not whether the person is in the table. Assumption: given the rows of a class and the sum of their weights, the \
         people of the class in the population are negative binomial. The estimate is too low if most people are unique.",
        share(found.sampling_fraction)
    );
    printer.hanging("  ", &about, 2);
    let households = found.households.as_ref();
    let mut head = vec!["", "EACH ROW"];
    head.extend(households.map(|_| "ITS HOUSEHOLD"));
    let mut rows = vec![head.iter().map(|text| printer.dim(text)).collect::<Vec<_>>()];
    let mut say = |name: String, row: String, household: Option<String>| {
        rows.push([format!("  {name}"), row].into_iter().chain(household).collect());
    };
    say("largest risk".into(), risk(found.max_risk), households.map(|one| risk(one.max_risk)));
    say("mean risk".into(), risk(found.mean_risk), households.map(|one| risk(one.mean_risk)));
    let matches = |number: f64| format!("{number:.1}");
    let of_households = households.map(|one| matches(one.expected_matches));
    say("expected correct matches".into(), matches(found.expected_matches), of_households);
    for (at, above) in found.above.iter().enumerate() {
        let RowsAboveRisk { risk, rows } = *above;
        let of_households = households.map(|one| thousands(one.above[at].rows));
        say(format!("rows with a risk above {risk}"), thousands(rows), of_households);
    }
    printer.table(&[1, 2], &rows);
}

fn print_log_linear(printer: &mut Printer, found: &LogLinearRisk) {
    printer.line("");
    printer.line(printer.bold("Unique rows, estimated by log-linear models"));
    if let Some(reason) = found.no_estimate {
        printer.hanging("  ", &format!("no estimate, because {}", reason.reason()), 2);
        return;
    }
    let Some(chosen) = found.chosen_model() else { return };
    let about = format!(
        "Assumption: a simple random sample with sampling fraction {}, in which combinations of values depend on pairs of \
         columns only. Of {} models, the one with the least estimated error was chosen.",
        share(found.sampling_fraction),
        found.models.len()
    );
    printer.hanging("  ", &about, 2);
    let number = |number: f64| format!("{number:.1}");
    let head = ["", "ESTIMATE", "ESTIMATED ERROR"];
    let mut rows = vec![head.iter().map(|text| printer.dim(text)).collect::<Vec<_>>()];
    rows.push(vec!["  unique rows".into(), thousands(found.unique_rows), String::new()]);
    let unique = "  of them unique in the population (τ₁)";
    rows.push(vec![unique.into(), number(chosen.tau1), number(chosen.tau1_error)]);
    rows.push(vec!["  expected correct matches (τ₂)".into(), number(chosen.tau2), number(chosen.tau2_error)]);
    printer.table(&[1, 2], &rows);
    let pairs: Vec<String> = chosen.pairs.iter().map(|pair| plain(&pair.join(" × "))).collect();
    let pairs = if pairs.is_empty() { "none".into() } else { pairs.join(", ") };
    printer.hanging("  ", &format!("dependent pairs of the model: {pairs}"), 4);
}

/// A risk with four decimals.
fn risk(risk: f64) -> String {
    format!("{risk:.4}")
}

fn row(estimate: &UniquenessEstimate, chosen: bool) -> Vec<String> {
    let mark = if chosen { " *" } else { "" };
    let interval = match (estimate.low, estimate.high) {
        (Some(low), Some(high)) => format!("{} to {}", percent(low), percent(high)),
        _ => "-".into(),
    };
    vec![
        format!("  {}{mark}", estimate.model.name()),
        estimate.uniqueness.map_or_else(|| "no estimate".into(), percent),
        interval,
        figure(estimate.unique_rows_also_unique),
    ]
}

/// A share in per cent, rounded to the nearest: it is an estimate and no bound.
fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

fn figure(share: Option<f64>) -> String {
    share.map_or_else(|| "-".into(), percent)
}

/// A sampling fraction with four significant digits.
fn share(fraction: f64) -> String {
    let digits = (3.0 - fraction.abs().max(f64::MIN_POSITIVE).log10().floor()).clamp(0.0, 17.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 17")]
    let text = format!("{fraction:.*}", digits as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}
