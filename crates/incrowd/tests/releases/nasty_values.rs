//! Values that are written like generalized cells: published so that nobody takes one for the other, or refused before
//! any work is done.
//!
//! `INCROWD_VALUE_CASES` sets how many tables are drawn.

use std::collections::BTreeMap;
use std::path::Path;

use incrowd::core::Policy;
use incrowd::query::{QueryOptions, parse_query, query};
use incrowd::request::{BuildPlan, HierarchyPlan};
use incrowd::{
    AnonymizeOptions, Declared, Format, HierarchyChoice, ReadOptions, Source, VerifyOptions, anonymize, verify,
};

use super::support::Desk;

/// Tables that the gate draws.
const CASES: u64 = 60;
/// Stands in many values: no message may hold it.
const CANARY: &str = "Zq7";

const TEXTS: &[&str] = &[
    "*",
    "1*",
    "12*",
    "**",
    "Zq7*",
    "Zq7",
    "Zq7x",
    "[20-29]",
    "20–29",
    "20-29",
    "[20, 30)",
    "[20, Zq7)",
    "{a,b}",
    "{a, b}",
    "{Zq7, b}",
    "{a}",
    "{}",
    "{a, (missing)}",
    "(missing)",
    "missing",
    "a",
    "b",
    "ab",
    "12",
    "13",
    "123",
    "<20",
    ">=30",
    "=1+1",
    "'*",
    "'Zq7",
    "1980",
    "1980-Q1",
    "1980s",
    "1980-01",
    "1980-01-01",
    "null",
    "NA",
    "-",
    "a;b",
    "a,b",
    "a\"b",
    "a, b",
    "x\ny",
    "?",
    "%",
    "1e3",
    " ",
    "a ",
    "{",
    "}",
];
const NUMBERS: &[&str] = &["1", "2", "3", "10", "12", "20", "25", "29", "30", "-1", "0", "1000000"];
const DATES: &[&str] = &["1980-01-01", "1980-02-03", "1980-07-09", "1981-01-01", "1999-12-31", "2020-02-29"];

/// A generator of small numbers that is the same everywhere.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

fn quoted(cell: &str, needs: &[char]) -> String {
    if cell.contains(needs) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.into() }
}

/// A column, and how it is generalized.
fn drawn(draw: &mut Draw, folder: &Path) -> (Vec<&'static str>, Option<HierarchyPlan>) {
    let pool = *draw.of(&[TEXTS, TEXTS, NUMBERS, DATES]);
    let mut values: Vec<&str> = (0..2 + draw.below(5)).map(|_| *draw.of(pool)).collect();
    if draw.below(3) == 0 {
        values.push(*draw.of(TEXTS));
    }
    if draw.below(4) == 0 {
        values.push("");
    }
    let rows = (0..4 + draw.below(10)).map(|_| *draw.of(&values)).collect();
    let builds = [
        BuildPlan::Flat,
        BuildPlan::Prefix,
        BuildPlan::Sets,
        BuildPlan::FreeIntervals,
        BuildPlan::Intervals,
        BuildPlan::Dates,
    ];
    let plan = match draw.below(9) {
        at @ 0..=5 => Some(HierarchyPlan::Build(builds[at])),
        6 => {
            // Labels of nodes that are values, or look like cells of other columns.
            let nodes = ["north", "south", "*", "[20, 30)", "1*", "(missing)", *draw.of(&values)];
            let mut leaves: Vec<&str> = values.iter().copied().filter(|value| !value.is_empty()).collect();
            leaves.sort_unstable();
            leaves.dedup();
            let cell = |text: &str| quoted(text, &[';', '"', '\n']);
            let mut line = |leaf: &&str| {
                let node: &str = draw.of::<&str>(&nodes);
                format!("{};{};*\n", cell(leaf), cell(node))
            };
            std::fs::write(folder.join("h.csv"), leaves.iter().map(&mut line).collect::<String>()).unwrap();
            Some(HierarchyPlan::File("h.csv".into()))
        }
        _ => None,
    };
    (rows, plan)
}

/// Publishes one drawn table; whether it was published, or the code of the refusal.
fn publish(desk: &Desk, seed: u64) -> Result<(), &'static str> {
    let mut draw = Draw(seed);
    let folder = desk.path(&seed.to_string());
    std::fs::create_dir(&folder).unwrap();
    let (rows, plan) = drawn(&mut draw, &folder);
    let line = |value: &&str| format!("\"{}\",x\n", value.replace('"', "\"\""));
    let table = folder.join("t.csv");
    std::fs::write(&table, format!("value,sensitive\n{}", rows.iter().map(line).collect::<String>())).unwrap();
    let source = Source::open(&desk.engine, table.to_str().unwrap(), ReadOptions::default()).unwrap();
    let choice = |plan| ("value".to_owned(), HierarchyChoice { plan, folder: folder.clone() });
    let options = AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: vec!["value".into()],
            sensitive: vec!["sensitive".into()],
            rows_are_people: true,
            ..Declared::default()
        },
        policy: Policy::k_anonymity(2 + draw.below(2) as u64),
        hierarchies: plan.map(choice).into_iter().collect(),
        format: *draw.of(&[Format::Csv, Format::Parquet, Format::Arrow]),
        algorithm: (*draw.of(&["auto", "mondrian", "incognito"])).into(),
        seed: Some(1),
        bound: false,
        ..AnonymizeOptions::default()
    };
    let release = folder.join("r");
    if let Err(error) = anonymize(&desk.engine, &source, &options, &release) {
        let said = format!("{error} {}", error.remedy().written(incrowd::Setting::as_in_a_plan));
        assert!(!said.contains(CANARY), "{seed}: {said}");
        assert!(!["IC602", "IC603"].contains(&error.code()), "{seed}: {rows:?} {options:?}: {said}");
        assert!(said.contains("column “value”") || error.code() == "IC601", "{seed}: {said}");
        return Err(error.code());
    }
    let against = VerifyOptions { against: Some(table), ..VerifyOptions::default() };
    let verdict = verify(&release, &against).unwrap();
    assert!(verdict.verified, "{seed}: {rows:?} {options:?}: {:?}", verdict.faults);
    for with_record in [true, false] {
        if !with_record {
            std::fs::remove_dir_all(folder.join("r.internal")).unwrap();
        }
        asked(desk, &release, &rows, seed);
    }
    Ok(())
}

/// What `query` says is certain is true of the table.
fn asked(desk: &Desk, release: &Path, rows: &[&str], seed: u64) {
    let mut truths: BTreeMap<String, usize> = BTreeMap::new();
    for value in rows.iter().filter(|value| !value.trim().is_empty()) {
        *truths.entry(format!("value = '{}'", value.replace('\'', "''"))).or_default() += 1;
    }
    let missing = rows.iter().filter(|value| value.is_empty()).count();
    if rows.iter().all(|value| value.is_empty() || !value.trim().is_empty()) {
        truths.insert("value IS NULL".into(), missing);
        truths.insert("value IS NOT NULL".into(), rows.len() - missing);
    }
    for (condition, truth) in truths {
        let Ok(query_) = parse_query(&format!("SELECT COUNT(*) WHERE {condition}")) else { continue };
        // A number is not compared with a text, for example.
        let Ok(answered) = query(&desk.engine, release, &query_, &QueryOptions::default()) else { continue };
        let figure = answered.figure.unwrap();
        let (lower, upper) = (figure.lower.unwrap_or(0.0), figure.upper.unwrap_or(f64::MAX));
        let truth = truth as f64;
        assert!(lower <= truth && truth <= upper, "{seed}: {condition} of {rows:?}: {truth} in {lower}..{upper}");
    }
}

#[test]
fn a_value_that_looks_like_a_generalized_cell_is_published_unambiguously_or_refused_early() {
    let desk = Desk::new();
    let cases = std::env::var("INCROWD_VALUE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    let mut ends: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in 0..cases {
        *ends.entry(publish(&desk, seed).err().unwrap_or("published")).or_default() += 1;
    }
    assert!(ends["published"] > cases / 4 && ends.contains_key("IC545") && ends.contains_key("IC501"), "{ends:?}");
}

#[test]
fn a_hierarchy_with_lines_of_different_length_is_taken_when_that_is_said() {
    let desk = Desk::new();
    let uneven = "Ulm;Germany;*\nBonn;Germany;*\nWien;Austria;Alps;*\nGraz;Austria;Alps;*\n";
    std::fs::write(desk.path("uneven.csv"), uneven).unwrap();
    let with = |plan: HierarchyPlan| {
        let town = HierarchyChoice { plan, folder: desk.path("") };
        AnonymizeOptions { hierarchies: [("town".into(), town)].into(), ..desk.options() }
    };
    let refused = desk.release("refused", &with(HierarchyPlan::File("uneven.csv".into()))).unwrap_err();
    assert!(refused.code() == "IC501" && refused.to_string().contains("column “town”"), "{refused}");
    assert!(refused.remedy().written(incrowd::Setting::as_in_a_plan).contains("ragged"), "{refused}");

    desk.release("release", &with(HierarchyPlan::RaggedFile("uneven.csv".into()))).unwrap();
    let release = desk.path("release");
    assert!(desk.verdict_against(&release).verified, "by the hierarchy of the record");
    let asked = parse_query("SELECT COUNT(*) WHERE town = 'Wien'").unwrap();
    let by_record = query(&desk.engine, &release, &asked, &QueryOptions::default()).unwrap().figure.unwrap();
    std::fs::remove_dir_all(desk.path("release.internal")).unwrap();
    let hierarchies = BTreeMap::from([("town".to_owned(), desk.path("uneven.csv"))]);
    let named = QueryOptions { hierarchies: hierarchies.clone(), ..QueryOptions::default() };
    let by_file = query(&desk.engine, &release, &asked, &named).unwrap().figure.unwrap();
    assert_eq!((by_record.lower, by_record.upper), (by_file.lower, by_file.upper));
    let against = VerifyOptions { against: Some(desk.path("patients.csv")), hierarchies, ..VerifyOptions::default() };
    assert!(verify(&release, &against).unwrap().verified, "by the file itself");
}
