//! The golden case of paper 001, section 7, on Tables 5 and 6.

use incrowd::query::Estimator;
use serde_json::Value;

use super::support::Desk;

#[test]
fn both_estimates_of_the_lossy_join_are_those_of_the_paper() {
    let path = incrowd_testdata::file("golden/lossy_join_query_estimate.json");
    let case: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let lines = |rows: &Value, columns: &[&str]| {
        let row = |row: &Value| columns.iter().map(|name| row[*name].as_str().unwrap()).collect::<Vec<_>>().join(",");
        rows.as_array().unwrap().iter().map(|one| row(one) + "\n").collect::<String>()
    };
    let first =
        format!("Job,Birth,Postcode,class\n{}", lines(&case["input"]["nss"], &["Job", "Birth", "Postcode", "ClassID"]));
    let second = format!("class,Illness\n{}", lines(&case["input"]["ss"], &["ClassID", "Illness"]));
    let desk = Desk::new();
    desk.two_tables(&first, &second);
    let queries = case["parameters"]["queries"].as_array().unwrap();
    assert_eq!(queries.len(), 3);
    for (at, query) in queries.iter().enumerate() {
        let list = |name: &str| {
            let values = query[name].as_array().unwrap().iter().map(|value| format!("'{}'", value.as_str().unwrap()));
            values.collect::<Vec<_>>().join(", ")
        };
        let sql = format!("SELECT COUNT(*) WHERE Job IN ({}) AND Illness IN ({})", list("Job"), list("Illness"));
        for (estimator, key) in [(Estimator::Printed, "est_as_printed"), (Estimator::Expected, "est_expected_count")] {
            let figure = desk.ask(&sql, Some(estimator), &[]).figure.unwrap();
            assert_eq!(figure.estimate, case["expected"][key][at].as_f64(), "{estimator} of {sql}");
            let actual = case["expected"]["act"][at].as_f64().unwrap();
            assert!(figure.lower.unwrap() <= actual && actual <= figure.upper.unwrap(), "{sql}");
        }
        assert_eq!(desk.ask(&sql, None, &[]).estimator, Estimator::Expected);
    }
}
