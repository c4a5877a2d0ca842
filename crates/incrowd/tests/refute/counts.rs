//! Counts that the public page hides. The reader holds the public folder alone.

use serde_json::Value;

use super::case::Wanted;
use super::run::refute;

/// Every number of the manifest with the path of its key.
fn numbers(value: &Value, path: &str, found: &mut Vec<(String, f64)>) {
    match value {
        Value::Number(number) => found.extend(number.as_f64().map(|number| (path.to_owned(), number))),
        Value::Array(items) => items.iter().for_each(|item| numbers(item, path, found)),
        // An interval says no more than it has to, unless it holds a single number.
        Value::Object(keys) if keys.contains_key("from") && keys.get("from") != keys.get("to") => {}
        Value::Object(keys) => keys.iter().for_each(|(key, item)| numbers(item, &format!("{path}/{key}"), found)),
        _ => {}
    }
}

#[test]
fn hidden_counts_stay_hidden() {
    refute("hidden counts", Wanted { most_rows: 60, ..Wanted::default() }, |_, release| {
        let (suppressed, policy) = (release.answer.suppressed_rows, &release.case.options.policy);
        // That no row was withheld is hidden, too, where some could have been.
        if policy.budget(release.case.table.rows.len() as u64) == 0 {
            return Ok(false);
        }
        let mut found = Vec::new();
        numbers(&release.published.manifest, "", &mut found);
        let source = release.case.table.rows.len() as f64;
        let telling = |(path, number): &&(String, f64)| {
            (path.contains("suppress") || path.contains("source") || path.contains("withheld"))
                && (*number == suppressed as f64 || *number == source)
        };
        match found.iter().find(telling) {
            Some((path, number)) => Err(format!("{path} says {number}, and {suppressed} rows were suppressed")),
            None => Ok(true),
        }
    });
}
