//! Columns that are published unchanged: what `anonymize` reports about them, and what the dossier calls proved about singling
//! out and linkability. The reader holds the public folder alone and knows every published column that is not sensitive.

use incrowd::AnonymizeOptions;
use serde_json::Value;

use super::case::Wanted;
use super::published::{Published, grouped};
use super::run::{Desk, Found, Released, refute};

/// What the dossier says about one of the three questions.
fn standing(dossier: &Value, test: &str) -> String {
    let tests = dossier["tests"].as_array().unwrap();
    let found = tests.iter().find(|found| found["test"] == test && found["standing"].is_string());
    found.unwrap_or_else(|| panic!("{test} is not in {tests:?}"))["standing"].as_str().unwrap().into()
}

fn tell(desk: &Desk, release: &Released<'_>, kept: &[&str]) -> Found {
    let options = AnonymizeOptions { report: true, ..release.case.options.clone() };
    let answer = desk.release(&options, "reported").map_err(|error| format!("refused the second time: {error}"))?;
    let published = Published::read(&desk.path("reported"));
    let mut known = release.case.quasi.clone();
    known.extend(kept);
    let classes = grouped(&published.data[0], &known);
    let smallest = classes.values().map(Vec::len).min().unwrap_or(0);
    let alone = classes.values().filter(|rows| rows.len() == 1).count();
    let text = std::fs::read_to_string(desk.path("reported.internal").join("dossier.json")).unwrap();
    let dossier: Value = serde_json::from_str(&text).unwrap();
    if alone > 0 && standing(&dossier["public"], "singling-out") == "proved" {
        return Err(format!("{alone} rows are unique, and singling out is called proved"));
    }
    if (smallest as u64) < release.case.options.policy.k() && standing(&dossier["public"], "linkability") == "proved" {
        return Err(format!("a class has {smallest} rows, and linkability is called proved"));
    }
    for name in kept {
        let columns: Vec<&str> = release.case.quasi.iter().chain([name]).copied().collect();
        let unique = grouped(&published.data[0], &columns).values().filter(|rows| rows.len() == 1).count();
        let is_reported = answer.findings.iter().any(|finding| finding.columns.iter().any(|column| column == name));
        if unique > 0 && !is_reported {
            return Err(format!("{unique} rows are unique by {name}, and no finding is about it"));
        }
    }
    Ok(true)
}

#[test]
fn kept_columns_are_told() {
    let wanted = Wanted { tag: false, ..Wanted::default() };
    refute("kept columns", wanted, |desk, release| tell(desk, release, &["visits"]));
}

#[test]
fn a_column_that_names_every_row_is_refused_unless_it_is_asked_for() {
    refute("identifying columns", Wanted::default(), |desk, release| {
        let options = AnonymizeOptions { keep_identifying: Vec::new(), ..release.case.options.clone() };
        if desk.release(&options, "unasked").is_ok() {
            return Err("a column that names every row is published without being asked for".into());
        }
        tell(desk, release, &["visits", "tag"])
    });
}
