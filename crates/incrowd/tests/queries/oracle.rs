//! Whatever a release is made of, whoever asks it: the truth lies within every interval that is called certain.
//!
//! Tables with every kind of generalization are published by the whole way through. Hierarchy files are as misleading
//! as they are allowed to be: nodes that are called like other towns, intervals that hold what is outside of them,
//! numbers that are names. Random questions are asked with the record and without it, and held against the original.

use std::path::Path;

use incrowd::core::Policy;
use incrowd::query::{Answered, Figure, QueryOptions, parse_query, query_against};
use incrowd::request::{BuildPlan, HierarchyPlan};
use incrowd::{
    AnonymizeOptions, Declared, Format, HierarchyChoice, ReadOptions, Source, VerifyOptions, anonymize, verify,
};

use super::support::{Desk, Draw};

const TOWNS: [&str; 6] = ["Ulm", "Bonn", "Wien", "Graz", "Linz", "Köln"];
/// A node is called like a town that it does not hold.
const TOWN_FILE: &str = "Ulm;Rom;*\nGraz;Rom;*\nBonn;Pisa;*\nWien;Pisa;*\nLinz;Zug;*\nKöln;Zug;*\n";
/// Intervals that hold what is outside of them, and the missing value.
const AGE_FILE: &str = "21;[20, 30);*\n34;[20, 30);*\n;[20, 30);*\n45;[40, 50);*\n58;[40, 50);*\n";
/// Names that are numbers, as the values are.
const SIZE_FILE: &str = "1;6;*\n2;6;*\n5;3;*\n7;3;*\nbroken;3;*\n";
/// A file as it should be: intervals of decimals with whole ends.
const DOSE_FILE: &str = "0.5;[0, 2);*\n1.9;[0, 2);*\n2.5;[2, 4);*\n3.9;[2, 4);*\n";

/// A column: how its cells are drawn, what it is generalized along, and what may be asked about it.
struct Column {
    name: &'static str,
    cell: fn(&mut Draw) -> String,
    hierarchy: Hierarchy,
    condition: fn(&mut Draw) -> String,
    is_number: bool,
}

enum Hierarchy {
    Build(BuildPlan),
    Widths(&'static [f64]),
    File(&'static str),
}

fn of(draw: &mut Draw, texts: &[&str]) -> String {
    texts[draw.below(texts.len())].to_owned()
}

#[expect(clippy::too_many_lines, reason = "a list of columns")]
fn columns() -> Vec<Column> {
    let towns = |draw: &mut Draw| {
        let (one, other) = (of(draw, &TOWNS), of(draw, &TOWNS));
        match draw.below(4) {
            0 => format!("= '{one}'"),
            1 => format!("IN ('{one}', '{other}', 'Rom')"),
            2 => format!("> '{one}'"),
            _ => format!("LIKE '{}%'", &one[..1]),
        }
    };
    vec![
        Column {
            name: "town",
            cell: |draw| of(draw, &TOWNS),
            hierarchy: Hierarchy::File(TOWN_FILE),
            condition: towns,
            is_number: false,
        },
        Column {
            name: "home",
            cell: |draw| of(draw, &["Ulm", "Bonn", "Wien", "Graz", ""]),
            hierarchy: Hierarchy::Build(BuildPlan::Sets),
            condition: towns,
            is_number: false,
        },
        Column {
            name: "age",
            cell: |draw| of(draw, &["21", "34", "45", "58", ""]),
            hierarchy: Hierarchy::File(AGE_FILE),
            condition: |draw| format!(">= {}", 20 + draw.below(40)),
            is_number: true,
        },
        Column {
            name: "size",
            cell: |draw| of(draw, &["1", "2", "5", "7"]),
            hierarchy: Hierarchy::File(SIZE_FILE),
            condition: |draw| format!("{} {}", of(draw, &["=", "<", ">=", "<>"]), draw.below(8)),
            is_number: true,
        },
        Column {
            name: "dose",
            cell: |draw| of(draw, &["0.5", "1.9", "2.5", "3.9", ""]),
            hierarchy: Hierarchy::File(DOSE_FILE),
            condition: |draw| format!("> {}.{}", draw.below(4), draw.below(10)),
            is_number: true,
        },
        Column {
            name: "weight",
            cell: |draw| {
                if draw.below(9) == 0 { String::new() } else { format!("{}.{}", draw.below(30), 1 + draw.below(9)) }
            },
            hierarchy: Hierarchy::Widths(&[2.0, 10.0]),
            condition: |draw| {
                let low = draw.below(30);
                format!("BETWEEN {low} AND {}.{}", low + draw.below(9), draw.below(10))
            },
            is_number: true,
        },
        Column {
            name: "score",
            cell: |draw| {
                if draw.below(12) == 0 { String::new() } else { format!("{}.{}", draw.below(9), 1 + draw.below(9)) }
            },
            hierarchy: Hierarchy::Build(BuildPlan::FreeIntervals),
            condition: |draw| format!("{} {}.{}", of(draw, &["<", ">=", "="]), draw.below(9), draw.below(10)),
            is_number: true,
        },
        Column {
            name: "zip",
            cell: |draw| format!("{}", 101 * (95 + draw.below(12))),
            hierarchy: Hierarchy::Build(BuildPlan::Prefix),
            condition: |draw| match draw.below(3) {
                0 => format!("< '{}'", 9000 + 200 * draw.below(12)),
                1 => format!("LIKE '{}%'", 9 + draw.below(3)),
                _ => format!("= {}", 101 * (95 + draw.below(12))),
            },
            is_number: true,
        },
        Column {
            name: "code",
            cell: |draw| of(draw, &["00501", "00510", "01067", "80331", "SW1A", "SW1", ""]),
            hierarchy: Hierarchy::Build(BuildPlan::Prefix),
            condition: |draw| match draw.below(3) {
                0 => format!("< '{}'", of(draw, &["005", "0051", "8", "SW2"])),
                1 => format!("LIKE '{}%'", of(draw, &["0", "005", "SW", "SW1A"])),
                _ => format!("= '{}'", of(draw, &["00501", "SW1", "99999"])),
            },
            is_number: false,
        },
        Column {
            name: "born",
            cell: |draw| match draw.below(10) {
                0 => String::new(),
                _ => format!("{}-{:02}-{:02}", 1975 + draw.below(12), 1 + draw.below(12), 1 + draw.below(28)),
            },
            hierarchy: Hierarchy::Build(BuildPlan::Dates),
            condition: |draw| {
                format!("{} '{}-04-0{}'", of(draw, &["<", ">="]), 1975 + draw.below(12), 1 + draw.below(9))
            },
            is_number: false,
        },
        Column {
            name: "sex",
            cell: |draw| of(draw, &["f", "m", "x", ""]),
            hierarchy: Hierarchy::Build(BuildPlan::Flat),
            condition: |draw| format!("= '{}'", of(draw, &["f", "m", "x"])),
            is_number: false,
        },
    ]
}

/// A table of some columns and its release.
fn publish(desk: &Desk, draw: &mut Draw, columns: &[&Column], round: usize) {
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let mut text = format!("{},paid,ill\n", names.join(","));
    for _ in 0..24 + draw.below(40) {
        let cells: Vec<String> = columns.iter().map(|column| (column.cell)(draw)).collect();
        let paid = format!("{}.{}", draw.below(20), draw.below(10));
        text += &format!("{},{paid},{}\n", cells.join(","), ["flu", "gout", ""][draw.below(3)]);
    }
    desk.write("people.csv", &text);
    let choice = |column: &&Column| {
        let plan = match &column.hierarchy {
            Hierarchy::Build(plan) => HierarchyPlan::Build(*plan),
            Hierarchy::Widths(widths) => HierarchyPlan::Intervals(widths.to_vec()),
            Hierarchy::File(text) => {
                desk.write(&format!("{}.csv", column.name), text);
                HierarchyPlan::File(format!("{}.csv", column.name))
            }
        };
        (column.name.to_owned(), HierarchyChoice { plan, folder: desk.path("") })
    };
    let owned = |names: &[&str]| names.iter().map(|&name| name.into()).collect();
    let options = AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: owned(&names),
            sensitive: owned(&["ill"]),
            insensitive: owned(&["paid"]),
            ..Declared::default()
        },
        policy: Policy { suppression: [0.0, 0.1][round % 2], ..Policy::k_anonymity(2 + (round % 3) as u64) },
        algorithm: "mondrian".into(),
        hierarchies: columns.iter().map(choice).collect(),
        format: [Format::Csv, Format::Parquet, Format::Arrow][round % 3],
        seed: Some(round as u64),
        keep_identifying: owned(&["paid"]),
        report: false,
        ..AnonymizeOptions::default()
    };
    let source = Source::open(&desk.engine, desk.path("people.csv").to_str().unwrap(), ReadOptions::default()).unwrap();
    anonymize(&desk.engine, &source, &options, &desk.path("release")).unwrap();
}

fn question(draw: &mut Draw, columns: &[&Column]) -> String {
    let mut conditions = Vec::new();
    for column in columns {
        let name = column.name;
        match draw.below(6) {
            0 => conditions.push(format!("{name} {}", (column.condition)(draw))),
            1 => conditions.push(format!("NOT ({name} {})", (column.condition)(draw))),
            2 => conditions.push(format!("({name} {} OR {name} IS NULL)", (column.condition)(draw))),
            3 => conditions.push(format!("{name} IS {}NULL", of(draw, &["", "NOT "]))),
            _ => {}
        }
    }
    if draw.below(4) == 0 {
        conditions.push("ill = 'flu'".into());
    }
    let numbers: Vec<&str> = columns.iter().filter(|column| column.is_number).map(|column| column.name).collect();
    let number = *[numbers.as_slice(), &["paid"]].concat().get(draw.below(numbers.len() + 1)).unwrap();
    let figure = ["COUNT(*)".into(), format!("SUM({number})"), format!("AVG({number})")][draw.below(3)].clone();
    let clause = if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) };
    let by = columns[draw.below(columns.len())].name;
    if draw.below(3) == 0 {
        format!("SELECT {by}, {figure}{clause} GROUP BY {by}")
    } else {
        format!("SELECT {figure}{clause}")
    }
}

/// Whether the interval says more than that there are so many rows.
fn says_something(figure: &Figure, rows: f64) -> bool {
    figure.lower.is_some_and(|lower| lower > 0.0) || figure.upper.is_some_and(|upper| upper < rows)
}

fn holds(answered: &Answered, sql: &str, who: &str) -> usize {
    let groups = answered.groups.iter().flatten().filter_map(|group| group.figure);
    let mut telling = 0;
    for figure in answered.figure.into_iter().chain(groups) {
        telling += usize::from(says_something(&figure, (answered.rows + answered.suppressed_rows) as f64));
        let Some(actual) = figure.actual.flatten() else { continue };
        assert!(figure.lower.is_none_or(|lower| lower <= actual), "{who}: {sql}: {figure:?}");
        assert!(figure.upper.is_none_or(|upper| actual <= upper), "{who}: {sql}: {figure:?}");
    }
    telling
}

#[test]
fn the_truth_lies_within_every_certain_interval_with_the_record_and_without() {
    let all = columns();
    let mut draw = Draw(11);
    let mut telling = [0, 0];
    for round in 0..12 {
        let desk = Desk::new();
        let mut chosen: Vec<&Column> = Vec::new();
        while chosen.len() < 3 {
            let column = &all[(round + draw.below(all.len())) % all.len()];
            if chosen.iter().all(|other| other.name != column.name) {
                chosen.push(column);
            }
        }
        publish(&desk, &mut draw, &chosen, round);
        let questions: Vec<String> = (0..40).map(|_| question(&mut draw, &chosen)).collect();
        let people = desk.path("people.csv");
        let original = Source::open(&desk.engine, people.to_str().unwrap(), ReadOptions::default()).unwrap();
        let against = VerifyOptions { against: Some(people), ..VerifyOptions::default() };
        let verdict = verify(&desk.path("release"), &against).unwrap();
        assert!(verdict.verified, "what is declared of labels is true: {:?}", verdict.faults);
        let ask = |release: &Path, who: &str| -> usize {
            let one = |sql: &String| {
                let query = parse_query(sql).unwrap();
                // What means nothing for the kind of a column is refused, for everybody alike.
                match query_against(&desk.engine, release, &original, &query, &QueryOptions::default()) {
                    Ok(answered) => holds(&answered, sql, who),
                    Err(error) => {
                        assert_eq!(error.code(), "IC508", "{who}: {sql}: {error}");
                        0
                    }
                }
            };
            questions.iter().map(one).sum()
        };
        telling[0] += ask(&desk.path("release"), "custodian");
        std::fs::rename(desk.path("release.internal"), desk.path("hidden")).unwrap();
        telling[1] += ask(&desk.path("release"), "reader");
    }
    assert!(telling[0] > 100 && telling[1] > 60, "intervals say something: {telling:?}");
}
