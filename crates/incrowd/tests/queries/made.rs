//! Releases made by the whole way through: the interval holds what the original answers, whoever reads the cells.

use std::path::Path;

use incrowd::core::{Policy, query::Query};
use incrowd::query::{Answered, QueryOptions, ReadAs, parse_query, query_against};
use incrowd::request::{BuildPlan, HierarchyPlan};
use incrowd::{AnonymizeOptions, Declared, Format, HierarchyChoice, ReadOptions, Source, anonymize};

use super::support::{Desk, Draw};

const TOWNS: [&str; 5] = ["Ulm", "Bonn", "Wien", "Graz", ""];

fn made(desk: &Desk, build: Option<BuildPlan>, format: Format) {
    let mut draw = Draw(5);
    let mut text = String::from("age,town,code,born,visits,diagnosis\n");
    for _ in 0..300 {
        let (age, town) = (20 + draw.below(40), TOWNS[draw.below(5)]);
        let (code, born) =
            (10_000 + 131 * draw.below(40), format!("{}-{:02}-11", 1950 + draw.below(30), 1 + draw.below(12)));
        text += &format!("{age},{town},{code},{born},{},{}\n", draw.below(5), ["flu", "gout"][draw.below(2)]);
    }
    desk.write("people.csv", &text);
    let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect();
    let choice = |plan: BuildPlan| HierarchyChoice { plan: HierarchyPlan::Build(plan), folder: "".into() };
    let mut hierarchies = std::collections::BTreeMap::from([("code".to_owned(), choice(BuildPlan::Prefix))]);
    if let Some(build) = build {
        let town = if build == BuildPlan::FreeIntervals { BuildPlan::Sets } else { BuildPlan::Flat };
        hierarchies.extend([("age".into(), choice(build)), ("town".into(), choice(town))]);
    }
    let options = AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: names(&["age", "town", "code", "born"]),
            sensitive: names(&["diagnosis"]),
            insensitive: names(&["visits"]),
            ..Declared::default()
        },
        policy: Policy { suppression: 0.02, ..Policy::k_anonymity(3) },
        keep_identifying: names(&["visits"]),
        algorithm: "mondrian".into(),
        hierarchies,
        format,
        seed: Some(7),
        ..AnonymizeOptions::default()
    };
    let source = Source::open(&desk.engine, desk.path("people.csv").to_str().unwrap(), ReadOptions::default()).unwrap();
    anonymize(&desk.engine, &source, &options, &desk.path("release")).unwrap();
}

fn ask(desk: &Desk, release: &Path, query: &Query) -> Answered {
    let people = desk.path("people.csv");
    let original = Source::open(&desk.engine, people.to_str().unwrap(), ReadOptions::default()).unwrap();
    query_against(&desk.engine, release, &original, query, &QueryOptions::default()).unwrap()
}

fn questions() -> Vec<Query> {
    let mut draw = Draw(9);
    let mut all = Vec::new();
    for _ in 0..20 {
        let mut conditions = Vec::new();
        for at in 0..5 {
            if draw.below(2) == 0 {
                continue;
            }
            let (low, year) = (18 + draw.below(30), 1950 + draw.below(25));
            conditions.push(match at {
                0 => format!("age BETWEEN {low} AND {}", low + draw.below(20)),
                1 => format!("(town IN ('{}', 'Graz') OR town IS NULL)", TOWNS[draw.below(4)]),
                2 => format!("code LIKE '{}%'", 10 + draw.below(6)),
                3 => format!("born >= '{year}-03-01' AND NOT born > '{}-01-01'", year + 8),
                _ => format!("visits > {}", draw.below(4)),
            });
        }
        let clause = if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) };
        let figures = ["COUNT(*)", "SUM(age)", "AVG(age)", "COUNT(*), SUM(visits)", "AVG(visits)"][draw.below(5)];
        all.push(parse_query(&format!("SELECT {figures}{clause}")).unwrap());
        all.push(parse_query(&format!("SELECT town, {figures}{clause} GROUP BY town")).unwrap());
    }
    all
}

fn intervals_hold(desk: &Desk, release: &Path) -> usize {
    let mut held = 0;
    for query in questions() {
        let answered = ask(desk, release, &query);
        let named = answered.answers.iter().flatten().map(|one| one.figure);
        let groups = answered.groups.iter().flatten().flat_map(|group| {
            group.figure.into_iter().chain(group.answers.iter().flatten().map(|one| one.figure)).collect::<Vec<_>>()
        });
        for figure in answered.figure.into_iter().chain(named).chain(groups) {
            let Some(actual) = figure.actual.flatten() else { continue };
            let above = figure.lower.is_none_or(|lower| lower <= actual + 1e-9);
            let below = figure.upper.is_none_or(|upper| actual <= upper + 1e-9);
            assert!(above && below, "{query:?}: {figure:?}");
            held += usize::from(figure.lower.is_some() && figure.upper.is_some());
        }
    }
    held
}

#[test]
fn intervals_hold_the_truth_for_the_custodian_and_for_a_reader() {
    for (build, format) in
        [(None, Format::Parquet), (Some(BuildPlan::FreeIntervals), Format::Csv), (Some(BuildPlan::Flat), Format::Arrow)]
    {
        let desk = Desk::new();
        made(&desk, build, format);
        assert!(intervals_hold(&desk, &desk.path("release")) > 40, "{build:?}");
        // A reader does not have the record.
        std::fs::rename(desk.path("release.internal"), desk.path("hidden")).unwrap();
        assert!(intervals_hold(&desk, &desk.path("release")) > 20, "{build:?}");
    }
}

#[test]
fn it_is_said_from_what_cells_were_read() {
    let desk = Desk::new();
    made(&desk, None, Format::Parquet);
    let query = parse_query("SELECT COUNT(*) WHERE age < 40 AND visits = 1").unwrap();
    let read = |answered: &Answered| answered.columns.iter().map(|column| column.read).collect::<Vec<_>>();
    let custodian = ask(&desk, &desk.path("release"), &query);
    assert_eq!(read(&custodian), [ReadAs::Record, ReadAs::Exact]);
    std::fs::rename(desk.path("release.internal"), desk.path("hidden")).unwrap();
    let reader = ask(&desk, &desk.path("release"), &query);
    assert_eq!(read(&reader), [ReadAs::Labels, ReadAs::Exact]);
    let width = |answered: &Answered| answered.figure.unwrap().upper.unwrap() - answered.figure.unwrap().lower.unwrap();
    assert!(width(&custodian) <= width(&reader), "who knows more is never less certain");
}
