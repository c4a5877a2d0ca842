#![allow(clippy::unwrap_used)]
use super::*;
use incrowd_core::query::Value;

fn holds(condition: &str, value: Value<'_>) -> bool {
    let query = parse_query(&format!("SELECT COUNT(*) WHERE {condition}")).unwrap();
    assert_eq!(query.columns(), ["x"], "{condition}");
    query.conditions[0].1.holds(value)
}

#[test]
fn formulas_about_one_column_mean_what_they_say() {
    let five = Value::Integer(5);
    for yes in [
        "x = 5",
        "5 = x",
        "x <> 4",
        "x != 4",
        "x < 6",
        "6 > x",
        "x <= 5",
        "x >= 5",
        "x > -1",
        "(x) BETWEEN 5 AND 6",
        "x NOT BETWEEN 6 AND 9",
        "x IN (1, 5)",
        "x NOT IN (1, 2)",
        "NOT x = 4",
        "x = 1 OR (x > 4 AND x < 6)",
        "NOT (x < 3 OR x > 7)",
        "x > 3 AND x < 7 AND x <> 6",
        "x IS NOT NULL",
        "x = '5'",
        "release.x = 5",
    ] {
        assert!(holds(yes, five), "{yes}");
    }
    assert!(holds("x LIKE 'U_m%'", Value::Text("Ulm-Ost")) && holds("x NOT LIKE 'U%'", Value::Text("Bonn")));
    assert!(holds("x >= DATE '1970-01-01'", Value::Day(0)) && !holds("x > '1970-01-01'", Value::Day(0)));
    assert!(holds("x IS NULL OR x = 5", Value::Missing) && !holds("x <> 5", Value::Missing));
    assert!(holds("x = 'it''s'", Value::Text("it's")));
}

#[test]
fn conditions_on_the_same_column_are_put_together() {
    let query = parse_query("select count(*) from release where a = 1 and (b = 'x' and a < 3);").unwrap();
    assert_eq!(query.columns(), ["a", "b"]);
    assert!(query.condition("a").unwrap().holds(Value::Integer(1)));
    let query = parse_query("SELECT town, COUNT(*) AS people, avg(capital-gain), SUM(\"a b\") GROUP BY town").unwrap();
    let names: Vec<&str> = query.select.iter().map(|selected| selected.name.as_str()).collect();
    assert_eq!(names, ["people", "AVG(capital-gain)", "SUM(a b)"]);
    assert_eq!(
        (query.columns(), query.group_by.clone()),
        (vec!["town", "capital-gain", "a b"], vec!["town".to_owned()])
    );
    assert_eq!(parse_query("SELECT COUNT(*) WHERE covid-19 = 'yes'").unwrap().columns(), ["covid-19"]);
}

#[test]
fn what_is_not_supported_is_refused_by_its_name_and_with_a_remedy() {
    for (asked, what) in [
        ("SELECT MAX(age)", "MAX is not supported"),
        ("SELECT COUNT(age)", "COUNT(age) is not supported"),
        ("SELECT COUNT(DISTINCT age)", "DISTINCT is not supported"),
        ("SELECT *", "SELECT * is not supported"),
        ("SELECT age", "“age” is selected but not in GROUP BY"),
        ("SELECT COUNT(*) FROM people", "the table does not exist"),
        ("SELECT COUNT(*) FROM release JOIN x ON a = b", "JOIN is not supported"),
        ("SELECT COUNT(*) ORDER BY 1", "ORDER BY is not supported"),
        ("SELECT COUNT(*) LIMIT 3", "LIMIT is not supported"),
        ("SELECT COUNT(*) HAVING COUNT(*) > 1", "HAVING is not supported"),
        ("SELECT COUNT(*) WHERE a = 1 OR b = 2", "a condition combines “a” and “b” with OR or NOT"),
        (
            "SELECT COUNT(*) WHERE a = b",
            "“a” is compared with “b”, which is read as a column name because it has no single quotes",
        ),
        ("SELECT COUNT(*) WHERE lower(a) = 'x'", "LOWER in a condition is not supported"),
        ("SELECT COUNT(*) WHERE a + 1 = 2", "arithmetic is not supported"),
        ("SELECT COUNT(*) WHERE a IN (SELECT 1)", "a query inside the query is not supported"),
        ("SELECT COUNT(*) WHERE a = NULL", "a comparison with NULL is not supported"),
        ("SELECT COUNT(*) WHERE a ILIKE 'x'", "ILIKE is not supported"),
        ("SELECT COUNT(*) WHERE a IN (b)", "a value looks like a column name"),
        ("SELECT COUNT(*) WHERE TRUE", "a condition is not about a column"),
        ("DELETE FROM release", "a statement other than SELECT is not supported"),
        ("SELECT COUNT(*); SELECT COUNT(*)", "a second statement is not supported"),
        ("SELECT COUNT(*) UNION SELECT COUNT(*)", "UNION, VALUES or a query in parentheses is not supported"),
        ("WITH x AS (SELECT 1) SELECT COUNT(*)", "WITH is not supported"),
        ("SELECT COUNT(*) GROUP BY ROLLUP (a)", "GROUP BY of anything but columns is not supported"),
        ("", "the query is empty"),
        ("SELECT COUNT(*) WHERE", "the query cannot be read: expected an expression"),
        ("SELEKT COUNT(*)", "the query cannot be read at character 1: expected an SQL statement"),
    ] {
        let error = parse_query(asked).expect_err(asked);
        assert_eq!(error.what, what, "{asked}");
        assert!(!error.remedy.is_empty(), "{asked}");
    }
}

#[test]
fn no_refusal_quotes_a_literal() {
    for asked in [
        "SELECT COUNT(*) WHERE a = 'secret' OR b = 'secret'",
        "SELECT COUNT(*) WHERE a 'secret'",
        "SELECT COUNT(*) WHERE a = 'secret",
        "SELECT COUNT(*) WHERE lower(a) = 'secret'",
        "SELECT COUNT(*) WHERE 'secret' = 'secret'",
        "SELECT COUNT('secret', 'secret')",
        "SELECT COUNT(*) WHERE a BETWEEN 'secret' 'secret'",
    ] {
        let error = parse_query(asked).expect_err(asked);
        assert!(!error.what.contains("secret") && !error.remedy.contains("secret"), "{asked}: {error:?}");
    }
}

#[test]
fn a_formula_that_is_nested_without_end_is_refused_and_not_fatal() {
    let deep = format!("SELECT COUNT(*) WHERE {}a = 1{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(parse_query(&deep).is_err());
    let long = |times| parse_query(&format!("SELECT COUNT(*) WHERE a = 1{}", " OR a = 1".repeat(times)));
    assert!(long(400).is_ok());
    assert_eq!(long(100_000).unwrap_err().what, "a condition this long is not supported");
    let minus = format!("SELECT COUNT(*) WHERE a{} = 1", "-a".repeat(100_000));
    assert!(parse_query(&minus).is_err());
    let list = format!("SELECT COUNT(*) WHERE a IN (1{})", ", 2".repeat(100_000));
    assert!(parse_query(&list).is_ok());
}

/// Each took minutes, and twice as long with one more.
#[test]
fn a_formula_that_can_be_read_in_many_ways_is_refused_in_few_steps() {
    for repeated in
        ["NOT (", "CAST(", "TRY_CAST(", "ARRAY[", "POSITION(", "SUBSTRING(", "OVERLAY(", "CEIL(", "((a).N[("]
    {
        for times in [24, 49, 200] {
            assert!(parse_query(&format!("SELECT {}", repeated.repeat(times))).is_err(), "{repeated}");
            assert!(parse_query(&format!("SELECT COUNT(*) WHERE {}", repeated.repeat(times))).is_err(), "{repeated}");
        }
    }
    assert!(parse_query(&format!("SELECT a{}[(a(a", ".N".repeat(100))).is_err());
    let nested = |times| format!("SELECT COUNT(*) WHERE {}a = 1{}", "NOT (".repeat(times), ")".repeat(times));
    assert!(parse_query(&nested(5)).is_ok());
    assert_eq!(parse_query(&nested(40)).unwrap_err().what, "nesting this deep is not supported");
}
