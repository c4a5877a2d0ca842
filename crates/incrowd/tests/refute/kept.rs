//! Columns that are kept and identify people are told. The reader holds the public folder alone.

use super::case::Wanted;
use super::published::grouped;
use super::run::refute;

#[test]
fn kept_columns_are_told() {
    refute("kept columns", Wanted::default(), |_, release| {
        let data = &release.published.data[0];
        let mut known = release.case.quasi.clone();
        known.push("tag");
        let alone = grouped(data, &known).values().filter(|rows| rows.len() == 1).count();
        let told = release.answer.notes.iter().any(|note| note.contains("tag"));
        if alone > 0 && !told {
            Err("a kept column makes rows unique, and nothing says so".into())
        } else {
            Ok(alone > 0)
        }
    });
}
