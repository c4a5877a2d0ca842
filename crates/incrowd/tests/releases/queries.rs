//! The queries that the verifier prints, asked of PostgreSQL: they find a row exactly when a promise is broken.

use std::path::Path;

use incrowd::core::{Policy, Ratio};
use incrowd::{AnonymizeOptions, Manifest, sql};

use super::postgres_schema::PostgresSchema;
use super::sensitive::rules;
use super::support::{Desk, change_lines};

/// How many rows each query finds in the released file.
fn found(server: &PostgresSchema, release: &Path) -> Vec<i64> {
    let text = std::fs::read_to_string(release.join("data.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let quoted = |text: &str, quote: char| format!("{quote}{}{quote}", text.replace(quote, &format!("{quote}{quote}")));
    let columns: Vec<String> =
        reader.headers().unwrap().iter().map(|name| format!("{} text", quoted(name, '"'))).collect();
    // Seen by this connection alone, before any table of the same name.
    server.run(&format!("DROP TABLE IF EXISTS pg_temp.release; CREATE TEMP TABLE release ({})", columns.join(", ")));
    for row in reader.records() {
        let cells: Vec<String> = row.unwrap().iter().map(|cell| quoted(cell, '\'')).collect();
        server.run(&format!("INSERT INTO release VALUES ({})", cells.join(", ")));
    }
    let queries = sql(&Manifest::read(release).unwrap());
    queries.iter().map(|query| server.number(&format!("SELECT count(*) FROM ({}) AS found", query.sql))).collect()
}

/// The first class becomes one of the protected value alone.
fn give_one_class_one_value(release: &Path) {
    change_lines(release, |lines| {
        let class = |line: &str| line.rsplitn(3, ',').nth(2).unwrap().to_owned();
        let first = class(&lines[1]);
        for line in lines[1..].iter_mut().filter(|line| class(line) == first) {
            let at = line.rfind(',').unwrap();
            line.replace_range(at.., ",HIV");
        }
    });
}

#[test]
fn a_query_about_values_finds_no_row_exactly_when_the_promise_holds() {
    let Some(server) = PostgresSchema::create("incrowd_queries") else { return };
    let desk = Desk::new();
    let ask = |policy: Policy, (model, parameters): (&str, _)| policy.asking(model, parameters, &["diagnosis"]);
    let policy = rules().into_iter().fold(Policy::k_anonymity(3), ask);
    let release = desk.path("release");
    let made = desk.release("release", &AnonymizeOptions { policy, ..desk.options() }).unwrap();
    assert!(made.classes > 1, "one class is like itself whatever its values");
    assert_eq!(found(&server, &release), [0; 12]);
    give_one_class_one_value(&release);
    let rows = found(&server, &release);
    assert!(rows[0] == 0 && rows[1..].iter().all(|&rows| rows > 0), "{rows:?}");
}

#[test]
fn a_query_finds_no_row_exactly_when_the_promise_holds() {
    let Some(server) = PostgresSchema::create("incrowd_queries") else { return };
    let desk = Desk::new();
    let share = |above, below| Ratio::new(above, below).unwrap();
    let policy = Policy::k_anonymity(3)
        .deassociating("diagnosis", share(1, 2), &["HIV"], false)
        .deassociating("diagnosis", share(1, 2), &["HIV", "gout"], true)
        .deassociating("diagnosis", share(3, 5), &[], true);
    let release = desk.path("release");
    desk.release("release", &AnonymizeOptions { policy, ..desk.options() }).unwrap();
    assert_eq!(found(&server, &release), [0; 4]);
    give_one_class_one_value(&release);
    assert_eq!(found(&server, &release)[0], 0, "the crowd is as large as before");
    assert!(found(&server, &release)[1..].iter().all(|&rows| rows > 0), "{:?}", found(&server, &release));
    change_lines(&release, |lines| lines.truncate(2));
    assert_eq!(found(&server, &release)[0], 1);
}
