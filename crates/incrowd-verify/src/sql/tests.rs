//! Which promises have a query, and of which rows say only a part.

#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::*;
use crate::release::small;

/// The models that have a query, and whether it counts rows in place of people.
fn queries(counts: Counts) -> Vec<(String, bool)> {
    let mut manifest = small::manifest();
    manifest.counts = counts;
    let more = json!([
        { "model": "k-map", "parameters": { "k": 2 } },
        { "model": "t-closeness", "parameters": { "t": 1 }, "sensitive": ["illness"] },
    ]);
    manifest.policy.models.extend(serde_json::from_value::<Vec<crate::manifest::Rule>>(more).unwrap());
    sql(&manifest).into_iter().map(|query| (query.model, query.only_rows)).collect()
}

#[test]
fn a_promise_has_a_query_if_the_rows_of_the_release_say_something_about_it() {
    let of = |model: &str, only_rows| (model.to_string(), only_rows);
    let rows = [of("k-anonymity", false), of("distinct-l-diversity", false), of("t-closeness", false)];
    assert_eq!(queries(Counts::Rows), rows);
    assert_eq!(queries(Counts::People), [of("k-anonymity", true), of("distinct-l-diversity", false)]);
}

#[test]
fn a_class_is_what_shares_the_quasi_identifiers_or_the_class_id_of_two_tables() {
    let of = |manifest: &Manifest| sql(manifest)[0].sql.clone();
    let query =
        |column: &str| format!(r#"SELECT "{column}", COUNT(*) FROM "release" GROUP BY "{column}" HAVING COUNT(*) < 2"#);
    assert_eq!(of(&small::manifest()), query("age"));
    assert_eq!(of(&small::two_tables()), query("class"));
}
