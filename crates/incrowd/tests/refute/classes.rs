//! k-anonymity and the models about sensitive values. The reader is an auditor who holds the public folder and the original
//! and can pair every published row with its row in the original by a kept column, which no real reader can.

use std::collections::BTreeMap;

use super::case::Wanted;
use super::definitions::{Pairs, keeps};
use super::run::{Found, Released, nothing_left, refute};

/// The row of the original of each row of the first published table.
pub(crate) fn originals(release: &Released<'_>) -> Vec<usize> {
    let table = &release.case.table;
    let tags: BTreeMap<&str, usize> = (0..table.rows.len()).map(|row| (table.cell(row, "tag").unwrap(), row)).collect();
    let data = &release.published.data[0];
    (0..data.rows.len()).map(|row| tags[data.cell(row, "tag").unwrap()]).collect()
}

/// Who the row of the original is about.
fn person(release: &Released<'_>, original: usize) -> String {
    let table = &release.case.table;
    if release.case.subject { table.cell(original, "patient").unwrap().into() } else { original.to_string() }
}

/// The classes as a reader sees them, each as rows of the original.
fn classes(release: &Released<'_>) -> Vec<Vec<usize>> {
    let originals = originals(release);
    let classes = release.published.classes(&release.case.quasi);
    classes.into_iter().map(|rows| rows.into_iter().map(|row| originals[row]).collect()).collect()
}

fn pairs(release: &Released<'_>, rows: &[usize], column: &str) -> Pairs {
    let value = |row: usize| release.case.table.cell(row, column).map(Into::into);
    rows.iter().map(|&row| (person(release, row), value(row))).collect()
}

/// The smallest class by the definition of Samarati and Sweeney (1998), in people.
fn smallest(release: &Released<'_>) -> usize {
    let people = |rows: &Vec<usize>| {
        let mut people: Vec<String> = rows.iter().map(|&row| person(release, row)).collect();
        people.sort();
        people.dedup();
        people.len()
    };
    classes(release).iter().map(people).min().unwrap_or(0)
}

fn k_holds(release: &Released<'_>) -> Result<(), String> {
    let (k, smallest) = (release.case.options.policy.k() as usize, smallest(release));
    if smallest < k {
        return Err(format!("{k} people were promised and a class has {smallest}"));
    }
    if release.answer.smallest_class != smallest as u64 {
        return Err(format!("the smallest class has {smallest}, not {}", release.answer.smallest_class));
    }
    Ok(())
}

fn models_hold(release: &Released<'_>) -> Result<bool, String> {
    let classes = classes(release);
    let whole: Vec<usize> = classes.iter().flatten().copied().collect();
    let rules = release.case.options.policy.models.iter().filter(|rule| !rule.sensitive.is_empty());
    let mut asked = false;
    for rule in rules {
        for column in &rule.sensitive {
            asked = true;
            let whole = pairs(release, &whole, column);
            // A person's rows can be in several classes, so the whole release is one more class to look at.
            let compares = ["t-closeness", "beta-likeness", "delta-disclosure"].contains(&rule.model.as_str());
            if release.case.subject && !compares && !keeps(rule, &whole, &whole) {
                return Err(format!("{} of {column} fails in the release as a whole", rule.model));
            }
            if let Some(class) = classes.iter().find(|class| !keeps(rule, &pairs(release, class, column), &whole)) {
                return Err(format!("{} of {column} fails in a class of {} rows", rule.model, class.len()));
            }
        }
    }
    Ok(asked)
}

#[test]
fn k_anonymity_is_not_refuted() {
    refute("k-anonymity", Wanted::default(), |desk, release| -> Found {
        nothing_left(desk, &["release"])?;
        k_holds(release).map(|()| true)
    });
}

#[test]
fn sensitive_models_are_not_refuted() {
    let wanted = Wanted { sensitive_rule: true, ..Wanted::default() };
    refute("models of sensitive values", wanted, |_, release| models_hold(release));
}

#[test]
fn two_tables_are_not_refuted() {
    let wanted = Wanted { two_tables: true, subject: true, ..Wanted::default() };
    refute("two tables", wanted, |desk, release| -> Found {
        nothing_left(desk, &["release"])?;
        k_holds(release)?;
        same_values_in_both(release)?;
        models_hold(release)
    });
}

/// The second table has for each class just the sensitive values of its people, and as many rows.
fn same_values_in_both(release: &Released<'_>) -> Result<(), String> {
    let (first, second) = (&release.published.data[0], &release.published.data[1]);
    let originals = originals(release);
    let mut expected: BTreeMap<String, Vec<Vec<Option<String>>>> = BTreeMap::new();
    let sensitive = ["diagnosis", "income"];
    for (row, &original) in originals.iter().enumerate() {
        let values = sensitive.map(|name| release.case.table.cell(original, name).map(Into::into)).to_vec();
        expected.entry(first.cell(row, "class").unwrap().into()).or_default().push(values);
    }
    let mut found: BTreeMap<String, Vec<Vec<Option<String>>>> = BTreeMap::new();
    for row in 0..second.rows.len() {
        let values = sensitive.map(|name| second.cell(row, name).map(Into::into)).to_vec();
        found.entry(second.cell(row, "class").unwrap().into()).or_default().push(values);
    }
    expected.values_mut().chain(found.values_mut()).for_each(|values| values.sort());
    if expected == found { Ok(()) } else { Err("a class has other values in the second table".into()) }
}
