//! Two tables against every way in which they could be joined: all permutations within each class.

use std::collections::BTreeMap;

use incrowd::query::{Estimator, QueryOptions, parse_query, query};

use super::support::{Desk, Draw, Outcomes};

/// A joined row: job, age, illness, cost.
type Row = (&'static str, i64, &'static str, i64);

fn permutations(length: usize) -> Vec<Vec<usize>> {
    if length == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(length - 1);
    let inserted = |at: usize, one: &Vec<usize>| [&one[..at], &[length - 1], &one[at..]].concat();
    (0..length).flat_map(|at| shorter.iter().map(move |one| inserted(at, one))).collect()
}

type First = Vec<(&'static str, i64)>;
type Second = Vec<(&'static str, i64)>;

fn joins(classes: &[(First, Second)]) -> Vec<Vec<Row>> {
    let mut all: Vec<Vec<Row>> = vec![Vec::new()];
    for (first, second) in classes {
        let mut longer = Vec::new();
        for order in permutations(first.len()) {
            let rows: Vec<Row> =
                first.iter().zip(order).map(|(&(job, age), at)| (job, age, second[at].0, second[at].1)).collect();
            longer.extend(all.iter().map(|start| [start.as_slice(), &rows].concat()));
        }
        all = longer;
    }
    all
}

fn each_release(mut check: impl FnMut(&Desk, &[Vec<Row>], &str)) {
    let mut draw = Draw(11);
    for _ in 0..12 {
        let classes: Vec<(First, Second)> = (0..1 + draw.below(2))
            .map(|_| {
                let size = 2 + draw.below(3);
                let first =
                    (0..size).map(|_| (["clerk", "cook"][draw.below(2)], 20 + 5 * draw.below(3) as i64)).collect();
                let second = (0..size).map(|_| (["flu", "HIV"][draw.below(2)], draw.below(5) as i64 - 2)).collect();
                (first, second)
            })
            .collect();
        let (mut first, mut second) = (String::from("job,age,class\n"), String::from("class,illness,cost\n"));
        for (at, class) in classes.iter().enumerate() {
            class.0.iter().for_each(|(job, age)| first += &format!("{job},{age},{}\n", at + 1));
            class.1.iter().rev().for_each(|(illness, cost)| second += &format!("{},{illness},{cost}\n", at + 1));
        }
        let desk = Desk::new();
        desk.two_tables(&first, &second);
        check(&desk, &joins(&classes), &format!("{first}{second}"));
    }
}

type Holds = fn(&Row) -> bool;

const ASKED: [(&str, Holds); 5] = [
    ("job = 'clerk' AND illness = 'flu'", |row| row.0 == "clerk" && row.2 == "flu"),
    ("age < 30 AND illness <> 'flu'", |row| row.1 < 30 && row.2 != "flu"),
    ("age BETWEEN 21 AND 26 AND cost >= 0", |row| (21..=26).contains(&row.1) && row.3 >= 0),
    ("job = 'cook'", |row| row.0 == "cook"),
    ("illness = 'HIV' AND cost < 1", |row| row.2 == "HIV" && row.3 < 1),
];

#[test]
fn figures_are_the_expectation_and_their_intervals_the_extremes_over_all_joins() {
    each_release(|desk, joins, data| {
        for (condition, holds) in ASKED {
            let sql = format!("SELECT COUNT(*), SUM(age), SUM(cost), AVG(age), AVG(cost) WHERE {condition}");
            let what = format!("{sql} of\n{data}");
            let answers = desk.ask(&sql, None, &[]).answers.unwrap();
            let over = |number: fn(&Row) -> f64| {
                let sum = |rows: &Vec<Row>| rows.iter().filter(|row| holds(row)).map(number).sum::<f64>();
                Outcomes(joins.iter().map(sum).collect())
            };
            let (count, age, cost) = (over(|_| 1.0), over(|row| row.1 as f64), over(|row| row.3 as f64));
            count.are_met_by(&answers[0].figure, &what);
            age.are_met_by(&answers[1].figure, &what);
            cost.are_met_by(&answers[2].figure, &what);
            for (sums, answer) in [(&age, &answers[3].figure), (&cost, &answers[4].figure)] {
                let counted = sums.0.iter().zip(&count.0).filter(|(_, rows)| **rows > 0.0);
                let means: Vec<f64> = counted.map(|(sum, rows)| sum / rows).collect();
                if means.is_empty() {
                    assert_eq!((answer.estimate, answer.lower, answer.upper), (None, None, None), "{what}");
                    continue;
                }
                let (least, greatest) = Outcomes(means).ends();
                assert!((answer.estimate.unwrap() - sums.mean() / count.mean()).abs() < 1e-9, "{what}");
                assert!((answer.lower.unwrap() - least).abs() < 1e-9, "{what}: {answer:?} {least}");
                assert!((answer.upper.unwrap() - greatest).abs() < 1e-9, "{what}: {answer:?} {greatest}");
            }
            // A count by itself takes a shorter way to the same answer.
            let alone = desk.figure(&format!("SELECT COUNT(*) WHERE {condition}"));
            count.are_met_by(&alone, &what);
        }
    });
}

#[test]
fn groups_of_both_tables_are_joined_class_by_class() {
    each_release(|desk, joins, data| {
        let sql = "SELECT illness, job, COUNT(*) WHERE age < 30 GROUP BY illness, job";
        let mut expected: BTreeMap<(&str, &str), Outcomes> = BTreeMap::new();
        for rows in joins {
            for row in rows.iter().filter(|row| row.1 < 30) {
                expected.entry((row.2, row.0)).or_default();
            }
        }
        for (key, outcomes) in &mut expected {
            let count = |rows: &Vec<Row>| rows.iter().filter(|row| row.1 < 30 && (row.2, row.0) == *key).count() as f64;
            outcomes.0 = joins.iter().map(count).collect();
        }
        let groups = desk.ask(sql, None, &[]).groups.unwrap();
        assert_eq!(groups.len(), expected.len(), "{data}");
        for (group, ((illness, job), outcomes)) in groups.iter().zip(&expected) {
            assert_eq!((group.key[0].1.as_deref(), group.key[1].1.as_deref()), (Some(*illness), Some(*job)));
            outcomes.are_met_by(&group.figure.unwrap(), &format!("{illness}, {job} of\n{data}"));
        }
    });
}

#[test]
fn a_question_about_one_of_the_tables_is_exact_whatever_the_estimator() {
    let desk = Desk::new();
    desk.two_tables("job,class\nclerk,1\ncook,1\nclerk,2\ncook,2\n", "class,illness\n1,flu\n1,HIV\n2,flu\n2,flu\n");
    for estimator in [Estimator::Expected, Estimator::Printed] {
        for (sql, exact) in [("job = 'clerk'", 2.0), ("illness = 'flu'", 3.0)] {
            let figure = desk.ask(&format!("SELECT COUNT(*) WHERE {sql}"), Some(estimator), &[]).figure.unwrap();
            assert_eq!([figure.estimate, figure.lower, figure.upper], [Some(exact); 3], "{sql} by {estimator}");
        }
    }
    let printed = desk.ask("SELECT SUM(class) AS x", Some(Estimator::Printed), &[]);
    assert_eq!(printed.figure.unwrap().estimate, Some(6.0));
}

#[test]
fn tables_whose_classes_differ_are_refused() {
    let asked = parse_query("SELECT COUNT(*) WHERE job = 'cook' AND illness = 'flu'").unwrap();
    for (ids, words) in [
        (["1", "1"], "its two tables do not have the same classes"),
        (["1", "7"], "its class numbers are not integers from 1 on"),
        (["0", "1"], "its class numbers are not integers from 1 on"),
        (["1", "secret"], "its class numbers are not integers from 1 on"),
        (["1", ""], "its class numbers are not integers from 1 on"),
    ] {
        let desk = Desk::new();
        let second = format!("class,illness\n{},flu\n{},HIV\n", ids[0], ids[1]);
        let release = desk.two_tables("job,class\nclerk,1\ncook,2\n", &second);
        let error = query(&desk.engine, &release, &asked, &QueryOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), format!("the release cannot be queried: {words}"));
    }
}
