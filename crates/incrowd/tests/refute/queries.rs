//! What `query` calls certain. The reader holds the public folder alone; the truth is counted on the original.

use incrowd::query::{QueryOptions, parse_query, query};

use super::case::Wanted;
use super::draw::Draw;
use super::run::{Released, handed_over, refute};
use super::table::{DIAGNOSES, TOWNS};

/// A condition on one column, as SQL and as a test of a cell.
type Condition = (&'static str, String, Box<dyn Fn(Option<&str>) -> bool>);

fn numeric(column: &'static str, sql: String, test: impl Fn(f64) -> bool + 'static) -> Condition {
    (column, sql, Box::new(move |cell| cell.is_some_and(|cell| test(cell.parse().unwrap()))))
}

fn condition(column: &'static str, draw: &mut Draw) -> Condition {
    let is_null = draw.chance(1, 8);
    if is_null {
        let not = draw.chance(1, 2);
        let sql = format!("{column} IS {}NULL", if not { "NOT " } else { "" });
        return (column, sql, Box::new(move |cell| cell.is_some() == not));
    }
    match column {
        "age" => {
            let (from, to) = (20 + draw.below(15), 25 + draw.below(25));
            numeric(column, format!("age BETWEEN {from} AND {to}"), move |age| from as f64 <= age && age <= to as f64)
        }
        "weight" => {
            let least = 50.0 + draw.below(120) as f64 / 10.0;
            numeric(column, format!("weight > {least}"), move |weight| weight > least)
        }
        "town" => {
            let names = ["Ulmstadt", "Augsburg", "Passau", "Bonnheim", "Essenberg", "Danube", "Rhineland"];
            let name = *draw.one_of(&names);
            (column, format!("town = '{name}'"), Box::new(move |cell| cell == Some(name)))
        }
        "born" => {
            let year = 1950 + draw.below(12);
            let day = format!("{year}-0{}-01", 1 + draw.below(9));
            (column, format!("born >= '{day}'"), Box::new(move |cell| cell.is_some_and(|cell| cell >= day.as_str())))
        }
        "colour" => {
            let name = *draw.one_of(&["amber-eyes", "blue-eyes", "green-eyes"]);
            (column, format!("colour <> '{name}'"), Box::new(move |cell| cell.is_some_and(|cell| cell != name)))
        }
        "code" => {
            let prefix = ["10", "102", "1", "11", "105"][draw.below(5)];
            let sql = format!("code LIKE '{prefix}%'");
            (column, sql, Box::new(move |cell| cell.is_some_and(|cell| cell.starts_with(prefix))))
        }
        "diagnosis" => {
            let name = *draw.one_of(&DIAGNOSES);
            (column, format!("diagnosis = '{name}'"), Box::new(move |cell| cell == Some(name)))
        }
        _ => {
            let most = 1_000 * draw.below(6);
            numeric("income", format!("income <= {most}"), move |income| income <= most as f64)
        }
    }
}

/// What the original answers, by definition: COUNT, SUM and AVG of the rows that satisfy all conditions.
fn truth(release: &Released<'_>, figure: &str, conditions: &[Condition]) -> Option<f64> {
    let table = &release.case.table;
    let fits = |row: &usize| conditions.iter().all(|(column, _, test)| test(table.cell(*row, column)));
    let rows: Vec<usize> = (0..table.rows.len()).filter(fits).collect();
    let (function, column) = figure.trim_end_matches(')').split_once('(')?;
    if function == "COUNT" {
        return Some(rows.len() as f64);
    }
    let numbers: Vec<f64> =
        rows.iter().filter_map(|&row| table.cell(row, column)).map(|cell| cell.parse().unwrap()).collect();
    let sum: f64 = numbers.iter().sum();
    match function {
        "SUM" => Some(sum).filter(|_| !numbers.is_empty()),
        _ => Some(sum / numbers.len() as f64).filter(|_| !numbers.is_empty()),
    }
}

#[test]
fn query_intervals_are_not_refuted() {
    let wanted = Wanted { tag: false, ..Wanted::default() };
    assert_eq!(TOWNS.lines().count(), 5);
    refute("query: certainly", wanted, |desk, release| {
        let folder = handed_over(desk, &release.folder);
        let mut draw = Draw::new(release.published.data[0].rows.len() as u64 + release.answer.classes);
        let mut columns = release.case.quasi.clone();
        columns.extend(["diagnosis", "income"]);
        let mut figures = vec!["COUNT(*)".to_owned(), "SUM(income)".into(), "AVG(income)".into()];
        for name in release.case.quasi.iter().filter(|name| ["age", "weight"].contains(name)) {
            figures.extend([format!("SUM({name})"), format!("AVG({name})")]);
        }
        let mut said = false;
        for _ in 0..4 {
            let asked: Vec<&&'static str> = columns.iter().filter(|_| draw.chance(1, 3)).collect();
            let conditions: Vec<Condition> = asked.into_iter().map(|name| condition(name, &mut draw)).collect();
            let figure = draw.one_of(&figures).clone();
            let clauses: Vec<&str> = conditions.iter().map(|(_, sql, _)| sql.as_str()).collect();
            let clause = if clauses.is_empty() { String::new() } else { format!(" WHERE {}", clauses.join(" AND ")) };
            let sql = format!("SELECT {figure}{clause}");
            let Ok(answer) = query(&desk.engine, &folder, &parse_query(&sql).unwrap(), &QueryOptions::default()) else {
                continue;
            };
            let answered = answer.figure.unwrap();
            said |= answered.lower.is_some() || answered.upper.is_some();
            let Some(truth) = truth(release, &figure, &conditions) else { continue };
            let slack = 1e-6 * truth.abs().max(1.0);
            if answered.lower.is_some_and(|lower| lower > truth + slack)
                || answered.upper.is_some_and(|upper| upper < truth - slack)
            {
                return Err(format!("{sql}: {:?} to {:?}, and the truth is {truth}", answered.lower, answered.upper));
            }
        }
        Ok(said)
    });
}
