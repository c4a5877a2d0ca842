//! The attack on treated columns: its success on a release is what a count over all pairs of rows finds.

use std::collections::BTreeMap;
use std::fmt::Write;

use chrono::NaiveDate;
use incrowd::attack::{AttackOptions, Attacked, attack};
use incrowd::core::Policy;
use incrowd::{AnonymizeOptions, Declared, anonymize};

use super::support::Desk;

/// 120 people, each with a row number that is published, so that a test finds the row of a person again.
fn people(desk: &Desk, treatments: &[(&str, &str)], suppression: f64) -> AnonymizeOptions {
    let mut text = String::from("row,age,sex,pay,visit\n");
    let mut number = 5u64;
    let mut below = |end: u64| {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (number >> 33) % end
    };
    for row in 0..120 {
        let visit = NaiveDate::from_ymd_opt(2024, 1, 1).unwrap() + chrono::Days::new(below(300));
        let (age, sex) = (if row < 2 { 95 + row } else { 20 + below(30) }, ["f", "m"][below(2) as usize]);
        let pay = if row % 40 == 7 { String::new() } else { (1000 + below(900)).to_string() };
        writeln!(text, "r{row},{age},{sex},{pay},{visit}").unwrap();
    }
    std::fs::write(desk.path("people.csv"), text).unwrap();
    let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect::<Vec<String>>();
    AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: names(&["age", "sex"]),
            sensitive: names(&["pay", "visit"]),
            insensitive: names(&["row"]),
            ..Declared::default()
        },
        treatments: treatments.iter().map(|(name, text)| (name.to_string(), text.parse().unwrap())).collect(),
        keep_identifying: names(&["row"]),
        policy: Policy::k_anonymity(3).suppressing(suppression),
        algorithm: "mondrian".into(),
        bound: false,
        seed: Some(1),
        ..AnonymizeOptions::default()
    }
}

fn made(desk: &Desk, options: &AnonymizeOptions) -> Attacked {
    anonymize(&desk.engine, &desk.source("people.csv"), options, &desk.path("release")).unwrap();
    let source = desk.source("people.csv");
    let asked = AttackOptions { against: Some(&source), ..AttackOptions::default() };
    attack(&desk.engine, &desk.path("release"), &asked).unwrap()
}

/// The cells of a file by row number: age, sex, pay, visit.
fn cells(desk: &Desk, file: &str) -> BTreeMap<String, [String; 4]> {
    let mut reader = csv::Reader::from_path(desk.path(file)).unwrap();
    let header = reader.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|other| other == name).unwrap();
    let columns = ["age", "sex", "pay", "visit"].map(at);
    let records = reader.records().map(Result::unwrap);
    records.map(|record| (record[at("row")].to_owned(), columns.map(|at| record[at].to_owned()))).collect()
}

fn covers(cell: &str, value: &str) -> bool {
    let ends =
        cell.strip_prefix('[').and_then(|cell| cell.strip_suffix([')', ']'])).and_then(|cell| cell.split_once(", "));
    match ends {
        Some((low, high)) => {
            let [low, high, value] = [low, high, value].map(|text| text.parse::<i64>().unwrap());
            low <= value && (value < high || cell.ends_with(']') && value == high)
        }
        None => cell == "*" || cell == value,
    }
}

/// The success of an attacker by counting over all published rows. `distance` says how far a published row (pay, visit) may
/// be from the original one, or that it cannot be it.
fn literal(desk: &Desk, with_quasi: bool, distance: impl Fn([&str; 2], [&str; 2]) -> Option<f64>) -> f64 {
    let (original, published) = (cells(desk, "people.csv"), cells(desk, "release/data.csv"));
    let chance = |row: &String| {
        let [age, sex, pay, visit] = &original[row];
        let fits = |cells: &[String; 4]| !with_quasi || covers(&cells[0], age) && covers(&cells[1], sex);
        let near: Vec<(&String, f64)> = published
            .iter()
            .filter(|(_, cells)| fits(cells))
            .filter_map(|(row, cells)| Some((row, distance([pay, visit], [&cells[2], &cells[3]])?)))
            .collect();
        let least = near.iter().map(|(_, distance)| *distance).fold(f64::INFINITY, f64::min);
        let nearest: Vec<&String> =
            near.into_iter().filter(|(_, distance)| *distance <= least + 1e-9).map(|(row, _)| row).collect();
        if nearest.contains(&row) { 1.0 / nearest.len() as f64 } else { 0.0 }
    };
    published.keys().map(chance).sum::<f64>() / published.len() as f64
}

fn day(text: &str) -> f64 {
    text.parse::<NaiveDate>().unwrap().signed_duration_since(NaiveDate::default()).num_days() as f64
}

/// The distance of numbers, where a missing one is only like another.
fn apart(known: &str, cell: &str) -> Option<f64> {
    match (known.is_empty(), cell.is_empty()) {
        (true, true) => Some(0.0),
        (false, false) => Some((known.parse::<f64>().unwrap() - cell.parse::<f64>().unwrap()).abs()),
        _ => None,
    }
}

fn moved(known: &str, cell: &str, days: f64) -> Option<f64> {
    ((day(known) - day(cell)).abs() <= days).then_some(0.0)
}

fn assert_found(desk: &Desk, attacked: &Attacked, distance: impl Fn([&str; 2], [&str; 2]) -> Option<f64>) {
    let found: Vec<_> = attacked.attacks.iter().filter(|one| one.attack == "record-linkage").collect();
    assert_eq!(found.len(), 2);
    for (found, with_quasi) in found.iter().zip([false, true]) {
        let expected = literal(desk, with_quasi, &distance);
        assert!((found.success - expected).abs() < 1e-9, "{with_quasi}: {} {expected}", found.success);
        assert!(found.figure("before").is_some_and(|before| before > 0.9), "{found:?}");
    }
    assert!(found[1].baseline > found[0].baseline);
}

#[test]
fn noise_and_moved_dates_are_attacked_as_they_are_published() {
    let desk = Desk::new();
    let options = people(&desk, &[("pay", "laplace:40,round:10"), ("visit", "shift:30")], 0.0);
    let attacked = made(&desk, &options);
    assert_found(&desk, &attacked, |[pay, visit], [noisy, date]| {
        Some(apart(pay, noisy)? / 40.0 + moved(visit, date, 30.0)?)
    });
}

#[test]
fn numbers_that_follow_from_the_value_are_known_to_the_attacker() {
    let desk = Desk::new();
    let options = people(&desk, &[("pay", "round:100"), ("visit", "shift:20")], 0.0);
    let attacked = made(&desk, &options);
    assert_found(&desk, &attacked, |[pay, visit], [rounded, date]| {
        let is_it = match pay.parse::<u64>() {
            Ok(pay) => rounded.parse() == Ok((pay + 50) / 100 * 100),
            Err(_) => rounded.is_empty(),
        };
        moved(visit, date, 20.0).filter(|_| is_it)
    });
}

#[test]
fn random_rounding_is_attacked_and_suppressed_people_are_not_looked_for() {
    let desk = Desk::new();
    let mut options = people(&desk, &[("pay", "random-round:50"), ("visit", "shift:100")], 0.2);
    options.algorithm = "incognito".into();
    let attacked = made(&desk, &options);
    assert!(cells(&desk, "release/data.csv").len() < 120, "somebody was suppressed");
    assert_found(&desk, &attacked, |[pay, visit], [rounded, date]| {
        let apart = apart(pay, rounded).filter(|apart| *apart < 50.0)?;
        Some(apart / 50.0 + moved(visit, date, 100.0)?)
    });
}

#[test]
fn means_are_attacked_by_their_neighbours() {
    let desk = Desk::new();
    let options = people(&desk, &[("pay", "microaggregate:4,round:10"), ("visit", "shift:15")], 0.0);
    let attacked = made(&desk, &options);
    let mut means: Vec<f64> =
        cells(&desk, "release/data.csv").values().filter_map(|cells| cells[2].parse().ok()).collect();
    means.sort_by(f64::total_cmp);
    means.dedup();
    let gap = (means[means.len() - 1] - means[0]) / (means.len() - 1) as f64;
    assert_found(&desk, &attacked, |[pay, visit], [mean, date]| {
        let distance = apart(pay, mean)?;
        if let (Ok(pay), Ok(mean)) = (pay.parse::<f64>(), mean.parse::<f64>()) {
            let below = means.iter().any(|other| other + 5.0 < pay && mean < *other);
            let above = means.iter().any(|other| other - 5.0 > pay && mean > *other);
            if below || above {
                return None;
            }
        }
        Some(distance / gap + moved(visit, date, 15.0)?)
    });
}

#[test]
fn the_attack_says_what_it_lacks() {
    let desk = Desk::new();
    let options = people(&desk, &[("pay", "laplace:40,round:10"), ("visit", "blank")], 0.0);
    anonymize(&desk.engine, &desk.source("people.csv"), &options, &desk.path("release")).unwrap();
    let needs = |options: &AttackOptions<'_>| {
        let attacked = attack(&desk.engine, &desk.path("release"), options).unwrap();
        attacked.not_run.into_iter().find(|one| one.attack == "record-linkage").map(|one| one.needs)
    };
    assert_eq!(needs(&AttackOptions::default()).as_deref(), Some("the original"));
    let source = desk.source("people.csv");
    let against = AttackOptions { against: Some(&source), ..AttackOptions::default() };
    assert_eq!(needs(&against), None);
    std::fs::rename(desk.path("release.internal"), desk.path("away")).unwrap();
    assert_eq!(needs(&against).as_deref(), Some("the internal record of the release"));
}
