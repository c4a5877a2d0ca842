//! The queries of a release, letter for letter.

use incrowd_verify::{Format, Policy, sql};

use crate::support::Draft;

fn queries(policy: &str) -> Vec<String> {
    let mut draft = Draft::honest(Format::Csv);
    draft.manifest.policy = serde_json::from_str::<Policy>(policy).unwrap();
    draft.manifest.columns[2].name = "the \"town\"".into();
    sql(&draft.manifest).into_iter().map(|query| query.sql).collect()
}

#[test]
fn k_anonymity_looks_for_small_classes() {
    let found = queries(r#"{ "models": [{ "model": "k-anonymity", "parameters": { "k": 5 } }] }"#);
    let expected =
        r#"SELECT "age", "the ""town""", COUNT(*) FROM "release" GROUP BY "age", "the ""town""" HAVING COUNT(*) < 5"#;
    assert_eq!(found, [expected]);
}

#[test]
fn alpha_looks_for_classes_with_too_many_protected_rows() {
    let rule = |rule: &str| {
        format!(
            r#"{{ "models": [{{ "model": "alpha-deassociation", "sensitive": ["illness"],
                "parameters": {{ "alpha": "1/3", "values": ["flu", "o'clock"], "rule": "{rule}" }} }}] }}"#
        )
    };
    let protected = r#"SUM(CASE WHEN "illness" IN ('flu', 'o''clock') THEN 1 ELSE 0 END)"#;
    let select =
        format!(r#"SELECT "age", "the ""town""", {protected}, COUNT(*) FROM "release" GROUP BY "age", "the ""town""""#);
    assert_eq!(queries(&rule("exact")), [format!("{select} HAVING {protected} * 3 > 1 * COUNT(*)")]);
    assert_eq!(queries(&rule("refined")), [format!("{select} HAVING ({protected} - 1) * 3 >= 1 * COUNT(*)")]);
}

#[test]
fn alpha_of_every_value_needs_no_join() {
    let found = queries(
        r#"{ "models": [{ "model": "alpha-deassociation", "sensitive": ["illness"], "parameters": { "alpha": "1/2" } }] }"#,
    );
    let columns = r#""age", "the ""town""", "illness""#;
    let expected = format!(
        "SELECT * FROM (SELECT {columns}, COUNT(*) AS \"rows_of_value\", SUM(COUNT(*)) OVER (PARTITION BY \"age\", \
         \"the \"\"town\"\"\") AS \"rows_of_class\" FROM \"release\" GROUP BY {columns}) AS counted \
         WHERE \"rows_of_value\" * 2 > 1 * \"rows_of_class\""
    );
    assert_eq!(found, [expected]);
}

#[test]
fn a_missing_value_and_a_group_count_as_one_value_each() {
    let rule = |rule: &str| queries(&format!(r#"{{ "models": [{{ {rule}, "sensitive": ["illness"] }}] }}"#));
    let missing = r#"MAX(CASE WHEN "illness" IS NULL THEN 1 ELSE 0 END)"#;
    let select = |found: &str, least: u64| {
        let classes = r#""age", "the ""town""""#;
        let found = format!("COUNT(DISTINCT {found}) + {missing}");
        vec![format!(r#"SELECT {classes}, {found} FROM "release" GROUP BY {classes} HAVING {found} < {least}"#)]
    };
    let plain = r#""model": "p-sensitive", "parameters": { "p": 3 }"#;
    assert_eq!(rule(plain), select("\"illness\"", 3));
    let extended = r#""model": "extended-p-sensitive", "parameters": { "p": 2, "groups": [["flu", "o'clock"]] }"#;
    let value = r#"CASE WHEN "illness" IN ('flu', 'o''clock') THEN 'flu' ELSE "illness" END"#;
    assert_eq!(rule(extended), select(value, 2));
}

#[test]
fn what_is_compared_is_counted_in_one_subquery() {
    let found = queries(
        r#"{ "models": [{ "model": "frequency-l-diversity", "sensitive": ["illness"], "parameters": { "l": 2.5 } }] }"#,
    );
    let classes = r#""age", "the ""town""""#;
    let expected = format!(
        "SELECT * FROM (SELECT {classes}, \"value_told\", \"rows_of_value\", SUM(\"rows_of_value\") OVER (PARTITION BY \
         {classes} ) AS \"rows_of_class\" FROM (SELECT {classes}, \"value_told\", CAST(COUNT(*) AS DOUBLE PRECISION) AS \
         \"rows_of_value\" FROM (SELECT {classes}, \"illness\" AS \"value_told\" FROM \"release\") AS told GROUP BY {classes}, \
         \"value_told\") AS counted) AS weighed WHERE \"rows_of_value\" * 25 > \"rows_of_class\" * 10"
    );
    assert_eq!(found, [expected]);
}

#[test]
fn without_quasi_identifiers_the_table_is_one_class() {
    let mut draft = Draft::honest(Format::Csv);
    draft.manifest.columns.remove(1);
    draft.manifest.columns.remove(1);
    let found: Vec<String> = sql(&draft.manifest).into_iter().map(|query| query.sql).collect();
    assert_eq!(found[0], r#"SELECT COUNT(*) FROM "release" HAVING COUNT(*) < 2"#);
}

#[test]
fn each_sensitive_attribute_has_a_query_of_its_own() {
    let mut draft = Draft::honest(Format::Csv);
    draft.manifest.policy.models[1].sensitive.push("note".into());
    let found = sql(&draft.manifest);
    let of: Vec<(&str, Option<&str>)> =
        found.iter().map(|query| (query.model.as_str(), query.sensitive.as_deref())).collect();
    let alpha = "alpha-deassociation";
    assert_eq!(of, [("k-anonymity", None), (alpha, Some("illness")), (alpha, Some("note"))]);
}
