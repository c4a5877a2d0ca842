//! One generalized table against every original it could have been made from: each cell any of its values, all equally
//! likely and independent of each other.

use std::collections::BTreeMap;
use std::path::PathBuf;

use incrowd::query::{Answered, Estimator, Figure};

use super::support::{Desk, Draw, Outcomes};

const TOWNS: &str = "Ulm;Germany;*\nBonn;Germany;*\nWien;Austria;*\n;unknown;*\n";
const AGES: &str = "20;[20, 30);*\n25;[20, 30);*\n30;[30, 40);*\n;none;*\n";

/// What a label stands for; the empty text is the missing value.
fn leaves(label: &str) -> Vec<&str> {
    match label {
        "Germany" => vec!["Ulm", "Bonn"],
        "[20, 30)" => vec!["20", "25"],
        "*T" => vec!["Ulm", "Bonn", "Wien", ""],
        "*A" => vec!["20", "25", "30", ""],
        other => vec![other],
    }
}

/// A row of an original.
type Row<'a> = [&'a str; 3];

fn originals<'a>(rows: &[[&'a str; 3]]) -> Vec<Vec<Row<'a>>> {
    let mut all: Vec<Vec<Row<'_>>> = vec![Vec::new()];
    for row in rows {
        let mut longer = Vec::new();
        for start in &all {
            for town in leaves(row[0]) {
                for age in leaves(row[1]) {
                    longer.push([start.as_slice(), &[[town, age, row[2]]]].concat());
                }
            }
        }
        all = longer;
    }
    all
}

struct Asked {
    condition: &'static str,
    holds: fn(&Row<'_>) -> bool,
}

fn number(age: &str) -> Option<i64> {
    age.parse().ok()
}

const ASKED: [Asked; 8] = [
    Asked { condition: "town = 'Ulm'", holds: |row| row[0] == "Ulm" },
    Asked {
        condition: "town = 'Ulm' AND age < 30",
        holds: |row| row[0] == "Ulm" && number(row[1]).is_some_and(|n| n < 30),
    },
    Asked { condition: "age BETWEEN 21 AND 40", holds: |row| number(row[1]).is_some_and(|n| (21..=40).contains(&n)) },
    Asked {
        condition: "town IN ('Bonn', 'Wien') AND age <> 25 AND ill = 'yes'",
        holds: |row| ["Bonn", "Wien"].contains(&row[0]) && number(row[1]).is_some_and(|n| n != 25) && row[2] == "yes",
    },
    Asked { condition: "NOT town = 'Wien'", holds: |row| !row[0].is_empty() && row[0] != "Wien" },
    Asked { condition: "town IS NULL OR town LIKE 'B%'", holds: |row| row[0].is_empty() || row[0] == "Bonn" },
    Asked { condition: "age IS NOT NULL AND ill <> 'yes'", holds: |row| !row[1].is_empty() && row[2] != "yes" },
    Asked { condition: "age > 90", holds: |_| false },
];

fn figure(answered: &Answered) -> Figure {
    answered.figure.unwrap()
}

fn each_table(mut check: impl FnMut(&Desk, &[(&str, PathBuf)], &[Vec<Row<'_>>], &str)) {
    let mut draw = Draw(3);
    for _ in 0..12 {
        let desk = Desk::new();
        let hierarchies = [("town", desk.write("towns.csv", TOWNS)), ("age", desk.write("ages.csv", AGES))];
        let mut rows = Vec::new();
        for _ in 0..1 + draw.below(4) {
            let town = ["Ulm", "Wien", "Germany", "*T", ""][draw.below(5)];
            let age = ["20", "[20, 30)", "*A", "30", ""][draw.below(5)];
            rows.push([town, age, ["yes", "no"][draw.below(2)]]);
        }
        let line =
            |row: &[&str; 3]| format!("{},\"{}\",{}\n", row[0].replace('T', ""), row[1].replace('A', ""), row[2]);
        let data = format!("town,age,ill\n{}", rows.iter().map(line).collect::<String>());
        desk.one_table(&[("town", "generalized"), ("age", "generalized"), ("ill", "retained")], 0, &data);
        check(&desk, &hierarchies, &originals(&rows), &data);
    }
}

#[test]
fn a_count_is_the_expectation_and_its_interval_the_extremes_over_all_originals() {
    each_table(|desk, hierarchies, originals, data| {
        for asked in &ASKED {
            let count = |rows: &Vec<Row<'_>>| rows.iter().filter(|row| (asked.holds)(row)).count() as f64;
            let outcomes = Outcomes(originals.iter().map(count).collect());
            let sql = format!("SELECT COUNT(*) WHERE {}", asked.condition);
            let what = format!("{sql} of\n{data}");
            outcomes.are_met_by(&figure(&desk.ask(&sql, None, hierarchies)), &what);
            let overlap = figure(&desk.ask(&sql, Some(Estimator::Overlap), hierarchies));
            assert_eq!(overlap.estimate, Some(outcomes.ends().1), "{what}");
        }
    });
}

#[test]
fn a_sum_is_the_expectation_and_its_interval_and_that_of_the_mean_the_extremes() {
    each_table(|desk, hierarchies, originals, data| {
        for asked in &ASKED {
            let numbers = |rows: &Vec<Row<'_>>| -> Vec<i64> {
                rows.iter().filter(|row| (asked.holds)(row)).filter_map(|row| number(row[1])).collect()
            };
            let sums = Outcomes(originals.iter().map(|rows| numbers(rows).iter().sum::<i64>() as f64).collect());
            let sql = format!("SELECT SUM(age) AS s, AVG(age) WHERE {}", asked.condition);
            let what = format!("{sql} of\n{data}");
            let answers = desk.ask(&sql, None, hierarchies).answers.unwrap();
            assert_eq!((answers[0].name.as_str(), answers[1].name.as_str()), ("s", "AVG(age)"));
            sums.are_met_by(&answers[0].figure, &what);
            let mean = answers[1].figure;
            let counts = Outcomes(originals.iter().map(|rows| numbers(rows).len() as f64).collect());
            let means: Vec<f64> = originals
                .iter()
                .map(numbers)
                .filter(|numbers| !numbers.is_empty())
                .map(|numbers| numbers.iter().sum::<i64>() as f64 / numbers.len() as f64)
                .collect();
            match means.is_empty() {
                true => assert_eq!((mean.estimate, mean.lower, mean.upper), (None, None, None), "{what}"),
                false => {
                    let (least, greatest) = Outcomes(means).ends();
                    assert!((mean.estimate.unwrap() - sums.mean() / counts.mean()).abs() < 1e-9, "{what}");
                    assert!((mean.lower.unwrap() - least).abs() < 1e-9, "{what}: {mean:?} {least}");
                    assert!((mean.upper.unwrap() - greatest).abs() < 1e-9, "{what}: {mean:?} {greatest}");
                }
            }
        }
    });
}

#[test]
fn groups_are_spread_over_the_values_of_their_cells() {
    each_table(|desk, hierarchies, originals, data| {
        let sql = "SELECT age, town, COUNT(*), SUM(age) WHERE town <> 'Wien' GROUP BY town, age";
        let mut expected: BTreeMap<(&str, &str), Outcomes> = BTreeMap::new();
        for rows in originals {
            for row in rows.iter().filter(|row| !row[0].is_empty() && row[0] != "Wien") {
                expected.entry((row[0], row[1])).or_default();
            }
        }
        for (key, outcomes) in &mut expected {
            let count = |rows: &Vec<Row<'_>>| rows.iter().filter(|row| (row[0], row[1]) == *key).count() as f64;
            outcomes.0 = originals.iter().map(count).collect();
        }
        let groups = desk.ask(sql, None, hierarchies).groups.unwrap();
        let keys: Vec<(&str, &str)> = groups
            .iter()
            .map(|group| {
                assert_eq!((group.key[0].0.as_str(), group.key[1].0.as_str()), ("town", "age"));
                (group.key[0].1.as_deref().unwrap_or(""), group.key[1].1.as_deref().unwrap_or(""))
            })
            .collect();
        let mut sorted = keys.clone();
        sorted.sort_by_key(|(town, age)| (*town, number(age).unwrap_or(i64::MAX)));
        assert_eq!(keys, sorted, "groups come sorted, missing values last");
        assert_eq!(keys.iter().copied().collect::<std::collections::BTreeSet<_>>(), expected.keys().copied().collect());
        for (key, group) in keys.iter().zip(&groups) {
            let answers = group.answers.as_ref().unwrap();
            expected[key].are_met_by(&answers[0].figure, &format!("{key:?} in\n{data}"));
            let age = number(key.1).unwrap_or(0) as f64;
            let sums = Outcomes(expected[key].0.iter().map(|rows| rows * age).collect());
            sums.are_met_by(&answers[1].figure, &format!("sum of {key:?} in\n{data}"));
        }
    });
}

#[test]
fn suppressed_rows_may_satisfy_anything() {
    let desk = Desk::new();
    let hierarchies = [("town", desk.write("towns.csv", TOWNS)), ("age", desk.write("ages.csv", AGES))];
    let columns = [("town", "generalized"), ("age", "generalized"), ("visits", "retained")];
    desk.one_table(&columns, 2, "town,age,visits\nGermany,20,3\nUlm,\"[20, 30)\",5\n");
    let ask = |sql: &str| desk.ask(sql, None, &hierarchies);
    let count = ask("SELECT COUNT(*) WHERE town = 'Ulm'");
    let figure = count.figure.unwrap();
    assert_eq!((figure.estimate, figure.lower, figure.upper), (Some(1.5), Some(1.0), Some(4.0)));
    assert!(count.notes[0].contains("2 rows of the original were withheld"), "{:?}", count.notes);
    let sum = ask("SELECT SUM(age)").figure.unwrap();
    assert_eq!(
        (sum.estimate, sum.lower, sum.upper),
        (Some(42.5), Some(40.0), Some(105.0)),
        "ages are those of the hierarchy"
    );
    let mean = ask("SELECT AVG(age)").figure.unwrap();
    assert_eq!((mean.lower, mean.upper), (Some(20.0), Some(105.0 / 4.0)));
    let visits = ask("SELECT SUM(visits)").figure.unwrap();
    assert_eq!((visits.estimate, visits.lower, visits.upper), (Some(8.0), None, None), "nobody knows their visits");
}

#[test]
fn columns_that_are_published_as_they_were_are_exact() {
    let desk = Desk::new();
    let data = "town,age,ill\n*,20,yes\n*,20,no\n*,30,yes\n*,,yes\n";
    desk.one_table(&[("town", "generalized"), ("age", "retained"), ("ill", "retained")], 0, data);
    for (sql, exact) in [
        ("SELECT COUNT(*)", 4.0),
        ("SELECT COUNT(*) WHERE ill = 'yes'", 3.0),
        ("SELECT COUNT(*) WHERE age >= 20 AND ill = 'yes'", 2.0),
        ("SELECT SUM(age) WHERE ill = 'yes'", 50.0),
        ("SELECT AVG(age)", 70.0 / 3.0),
        ("SELECT COUNT(*) WHERE age IS NULL", 1.0),
    ] {
        let figure = desk.figure(sql);
        assert_eq!([figure.estimate, figure.lower, figure.upper], [Some(exact); 3], "{sql}");
    }
}

#[test]
fn labels_that_are_declared_to_describe_themselves_are_certain_without_a_hierarchy() {
    let desk = Desk::new();
    let data = "age,town\n\"[20, 30)\",\"{Ulm, Bonn}\"\n27,Ulm\n*,*\n,Wien\n";
    desk.one_table(&[("age", "generalized/integer"), ("town", "generalized/text")], 0, data);
    let figure = desk.figure("SELECT COUNT(*) WHERE age >= 25");
    let star = 5.0 / 11.0;
    assert!((figure.estimate.unwrap() - (0.5 + 1.0 + star)).abs() < 1e-12, "{figure:?}");
    assert_eq!((figure.lower, figure.upper), (Some(1.0), Some(3.0)));
    let towns = desk.ask("SELECT town, COUNT(*) GROUP BY town", None, &[]).groups.unwrap();
    let found: Vec<(&str, f64)> = towns
        .iter()
        .map(|group| (group.key[0].1.as_deref().unwrap(), group.figure.unwrap().estimate.unwrap()))
        .collect();
    let third = 1.0 / 3.0;
    assert_eq!(found, [("Bonn", 0.5 + third), ("Ulm", 1.5 + third), ("Wien", 1.0 + third)]);
    let ages = desk.ask("SELECT age, COUNT(*) GROUP BY age", None, &[]);
    let labels: Vec<Option<&str>> =
        ages.groups.as_ref().unwrap().iter().map(|group| group.key[0].1.as_deref()).collect();
    assert_eq!(labels, [Some("*"), Some("27"), Some("[20, 30)"), None]);
    let first = ages.groups.as_ref().unwrap()[0].figure.unwrap();
    assert_eq!((first.estimate, first.lower), (Some(1.0), None));
    assert!(ages.notes.iter().any(|note| note.contains("groups are published labels")), "{:?}", ages.notes);
}

#[test]
fn a_label_that_nobody_declares_may_stand_for_any_value_and_an_empty_cell_is_missing() {
    let desk = Desk::new();
    let data = "town,age\nGermany,5\nUlm,\"[20, 30)\"\n*,*\n,\n";
    desk.one_table(&[("town", "generalized"), ("age", "generalized")], 0, data);
    let certain = |sql: &str| {
        let figure = desk.figure(sql);
        (figure.lower, figure.upper)
    };
    for (sql, least, most) in [
        ("SELECT COUNT(*) WHERE town = 'Ulm'", 0.0, 3.0),
        ("SELECT COUNT(*) WHERE town = 'Wien'", 0.0, 3.0),
        ("SELECT COUNT(*) WHERE age > 90", 0.0, 3.0),
        ("SELECT COUNT(*) WHERE age < 90", 0.0, 3.0),
        ("SELECT COUNT(*) WHERE town IS NULL", 1.0, 4.0),
        ("SELECT COUNT(*) WHERE age IS NOT NULL", 0.0, 3.0),
    ] {
        assert_eq!(certain(sql), (Some(least), Some(most)), "{sql}");
    }
    assert_eq!(certain("SELECT SUM(age)"), (None, None));
    let towns = desk.ask("SELECT town, COUNT(*) GROUP BY town", None, &[]);
    assert!(towns.groups.unwrap().iter().all(|group| group.figure.unwrap().lower.is_none()));
    assert!(towns.notes.iter().any(|note| note.starts_with("nothing is certain about “town”")), "{:?}", towns.notes);
}

#[test]
fn whole_ends_of_a_column_of_decimals_are_ends_of_decimals() {
    let desk = Desk::new();
    desk.one_table(&[("weight", "generalized/number")], 0, "weight\n\"[2, 4)\"\n\"[2, 4)\"\n\"[4, 6)\"\n");
    let figure = desk.figure("SELECT COUNT(*) WHERE weight > 3");
    assert_eq!((figure.lower, figure.upper), (Some(1.0), Some(3.0)));
    let sum = desk.figure("SELECT SUM(weight)");
    assert!(sum.lower.unwrap() <= 8.0 && sum.upper.unwrap() >= 14.0, "{sum:?}");
    assert!(desk.figure("SELECT AVG(weight)").upper.unwrap() >= 14.0 / 3.0);
}
