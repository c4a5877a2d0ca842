//! `incrowd attack DIR`: what does an attacker learn from a release?

use std::time::Instant;

use incrowd::attack::{AttackOptions, Attacked, Judged, attack};
use incrowd::core::Evidence;
use incrowd::query::original_options;
use incrowd::request::{LimitPlan, Plan, PolicyPlan};
use incrowd::risk::attack::Threshold;
use incrowd::thousands;
use serde::Serialize;

use crate::Status;
use crate::args::{AttackArgs, OutputFormat};
use crate::input;
use crate::printer::{Failure, Printer, plain};

#[derive(Serialize)]
struct AttackAnswer<'a> {
    #[serde(flatten)]
    attacked: &'a Attacked,
    seconds: f64,
}

pub(crate) fn run(args: &AttackArgs, printer: &mut Printer) -> Result<Status, Failure> {
    let started = Instant::now();
    let thresholds = limits(args)?;
    let engine = input::engine(&args.ask.run)?;
    let open = |file: &Option<String>| -> Result<_, Failure> {
        let Some(file) = file else { return Ok(None) };
        let reading = original_options(&args.release, args.record.as_deref(), args.ask.reading.options()?)?;
        input::open(&engine, file, reading).map(Some)
    };
    let (original, register) = (open(&args.against)?, open(&args.register)?);
    let options = AttackOptions {
        against: original.as_ref(),
        register: register.as_ref(),
        also: args.also.clone(),
        hierarchies: args.ask.hierarchies(),
        record: args.record.clone(),
        risk: args.risk,
        thresholds,
    };
    let attacked = attack(&engine, &args.release, &options)?;
    match args.ask.format {
        OutputFormat::Json => {
            printer.json(&AttackAnswer { attacked: &attacked, seconds: started.elapsed().as_secs_f64() })?;
        }
        OutputFormat::Text => print(printer, &attacked),
    }
    Ok(if attacked.evaluation.is_met() { Status::Clean } else { Status::Findings })
}

/// The limits on the command line, and those of the plan that these do not stand for.
fn limits(args: &AttackArgs) -> Result<Vec<Threshold>, Failure> {
    let plan = args.plan.as_ref().map(|path| Plan::read(path)).transpose()?.unwrap_or_default();
    let limit = |limit: &Threshold| LimitPlan::from(limit.clone());
    let policy = PolicyPlan { limits: args.limits.iter().map(limit).collect(), ..PolicyPlan::default() };
    Ok(plan.overlay(Plan { policy, ..Plan::default() }).limits())
}

fn print(printer: &mut Printer, attacked: &Attacked) {
    let (release, rows) = (plain(&attacked.release), thousands(attacked.rows));
    printer.line(printer.bold(&format!("{release}: attacks on {rows} rows")));
    let kinds = [
        ("Proven on the published rows", Evidence::Proved),
        ("Simulated, with a gain", Evidence::Found),
        ("Simulated, no reliable gain found", Evidence::NotFound),
    ];
    for (title, evidence) in kinds {
        let outcomes: Vec<&Judged> = attacked.attacks.iter().filter(|one| one.evidence == evidence).collect();
        if outcomes.is_empty() {
            continue;
        }
        printer.line("");
        printer.line(printer.bold(title));
        let head = ["  ATTACK", "ON", "SUCCESS", "BASELINE", "LIMIT"].map(|text| printer.dim(text)).to_vec();
        let row = |one: &&Judged| {
            let success = if one.low < one.high {
                format!("{:.3} ({:.3}–{:.3})", one.success, one.low, one.high)
            } else {
                format!("{:.3}", one.success)
            };
            let limit = one.limit.map_or_else(|| "–".into(), |limit| format!("{limit:.3}"));
            let baseline = format!("{:.3}", one.baseline);
            vec![format!("  {}", plain(&one.attack)), plain(&one.column), success, baseline, limit]
        };
        let lines: Vec<Vec<String>> = [head].into_iter().chain(outcomes.iter().map(row)).collect();
        printer.table(&[2, 3, 4], &lines);
        for outcome in outcomes {
            printer.hanging(&format!("  {}: ", plain(&outcome.attack)), &plain(&outcome.meaning), 4);
        }
    }
    if !attacked.not_run.is_empty() {
        printer.line("");
        printer.line(printer.bold("Not run"));
        for one in &attacked.not_run {
            printer.line(format!("  {} needs {}", plain(&one.attack), plain(&one.needs)));
        }
    }
    printer.line("");
    for one in &attacked.evaluation.exceeded {
        let figure = one.threshold.figure.as_ref().map(|figure| format!(".{figure}")).unwrap_or_default();
        let on = if one.column.is_empty() { String::new() } else { format!(" on {}", plain(&one.column)) };
        let (attack, value, max) = (plain(&one.threshold.attack), one.value, one.threshold.max);
        printer.line(format!("above its limit: {attack}{figure}{on} is {value:.4} (maximum {max})"));
    }
    for one in &attacked.evaluation.unmeasured {
        printer.line(format!("not known: {} has a limit, but was not measured", plain(&one.attack)));
    }
    printer.hanging("", &plain(&attacked.verdict_words), 2);
    let mut sources: Vec<(&str, String)> = Vec::new();
    for one in &attacked.attacks {
        if let Some(source) = one.limit_source.as_deref() {
            match sources.iter_mut().find(|(known, _)| *known == source) {
                Some((_, attacks)) if attacks.split(", ").any(|attack| attack == one.attack) => {}
                Some((_, attacks)) => *attacks += &format!(", {}", one.attack),
                None => sources.push((source, one.attack.clone())),
            }
        }
    }
    for (source, attacks) in sources {
        printer.hanging("", &format!("Limit of {}: {}.", plain(&attacks), plain(source)), 2);
    }
    attacked.notes.iter().for_each(|note| printer.hanging("note: ", &plain(note), 6));
    printer.hanging("", "Other attacks may succeed: only the attacks listed here were run, with the data given.", 2);
}
