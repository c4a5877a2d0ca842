//! The queries that the verifier prints, asked of another engine: they find a row exactly when a promise is broken.

use std::path::Path;

use datafusion::prelude::{CsvReadOptions, SessionContext};
use incrowd::core::{Policy, Ratio};
use incrowd::{AnonymizeOptions, Manifest, sql};

use super::sensitive::rules;
use super::support::{Desk, change_lines};

/// How many rows each query finds.
fn found(release: &Path) -> Vec<usize> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let queries = sql(&Manifest::read(release).unwrap());
    runtime.block_on(async {
        let context = SessionContext::new();
        let path = release.join("data.csv");
        let options = CsvReadOptions::new().schema_infer_max_records(10_000);
        context.register_csv("release", path.to_str().unwrap(), options).await.unwrap();
        let mut found = Vec::new();
        for query in queries {
            found.push(context.sql(&query.sql).await.unwrap().count().await.unwrap());
        }
        found
    })
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
    let desk = Desk::new();
    let ask = |policy: Policy, (model, parameters): (&str, _)| policy.asking(model, parameters, &["diagnosis"]);
    let policy = rules().into_iter().fold(Policy::k_anonymity(3), ask);
    let release = desk.path("release");
    let made = desk.release("release", &AnonymizeOptions { policy, ..desk.options() }).unwrap();
    assert!(made.classes > 1, "one class is like itself whatever its values");
    assert_eq!(found(&release), [0; 12]);
    give_one_class_one_value(&release);
    let found = found(&release);
    assert!(found[0] == 0 && found[1..].iter().all(|&rows| rows > 0), "{found:?}");
}

#[test]
fn a_query_finds_no_row_exactly_when_the_promise_holds() {
    let desk = Desk::new();
    let share = |above, below| Ratio::new(above, below).unwrap();
    let policy = Policy::k_anonymity(3)
        .deassociating("diagnosis", share(1, 2), &["HIV"], false)
        .deassociating("diagnosis", share(1, 2), &["HIV", "gout"], true)
        .deassociating("diagnosis", share(3, 5), &[], true);
    let release = desk.path("release");
    desk.release("release", &AnonymizeOptions { policy, ..desk.options() }).unwrap();
    assert_eq!(found(&release), [0; 4]);
    give_one_class_one_value(&release);
    assert_eq!(found(&release)[0], 0, "the crowd is as large as before");
    assert!(found(&release)[1..].iter().all(|&rows| rows > 0), "{:?}", found(&release));
    change_lines(&release, |lines| lines.truncate(2));
    assert_eq!(found(&release)[0], 1);
}
