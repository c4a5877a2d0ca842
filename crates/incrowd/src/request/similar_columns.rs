//! Columns that look alike share one entry of a drafted plan, so that forty laboratory values are one decision.

use std::collections::BTreeMap;

use incrowd_core::{Built, ColumnProfile, Hierarchy, Role};

use crate::roles::ColumnReport;

/// From this number of columns on, names that begin with the same word are enough.
const MANY: usize = 4;

/// What has to be the same for two columns to share a decision.
type ColumnLook<'a> = (&'a str, Role, &'a str, &'a str, u8);

/// The columns, each in one group, in the order of the first of each group. A group has the same role for the same
/// reason, the same kind of values and hierarchy, and names that differ only in numbers (`lab_01`, `lab_02`) or, when
/// there are several, begin with the same word.
/// Columns of which `is_single` holds stand alone.
pub(super) fn groups(
    profiles: &[ColumnProfile],
    columns: &[ColumnReport],
    is_single: impl Fn(&ColumnReport) -> bool,
) -> Vec<Vec<usize>> {
    let mut by_number: BTreeMap<(String, ColumnLook<'_>), Vec<usize>> = BTreeMap::new();
    let mut by_word: BTreeMap<(String, ColumnLook<'_>), Vec<usize>> = BTreeMap::new();
    for (at, (column, profile)) in columns.iter().zip(profiles).enumerate() {
        let look = look(column, profile);
        by_number.entry((without_numbers(&column.name), look)).or_default().push(at);
        if let Some(word) = first_word(&column.name) {
            by_word.entry((word, look)).or_default().push(at);
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut grouped = vec![false; columns.len()];
    let many = by_word.into_values().filter(|group| group.len() >= MANY);
    let numbered = by_number.into_values();
    for group in many.chain(numbered) {
        let free: Vec<usize> = group.into_iter().filter(|&at| !grouped[at]).collect();
        free.iter().for_each(|&at| grouped[at] = true);
        let (single, alike): (Vec<usize>, Vec<usize>) = free.into_iter().partition(|&at| is_single(&columns[at]));
        groups.extend(single.into_iter().map(|at| vec![at]));
        groups.extend(Some(alike).filter(|alike| !alike.is_empty()));
    }
    groups.sort();
    groups
}

fn look<'a>(column: &'a ColumnReport, profile: &ColumnProfile) -> ColumnLook<'a> {
    let hierarchy = match column.role {
        Role::QuasiIdentifier => match Hierarchy::suggest(&profile.dictionary).map(|suggestion| suggestion.built) {
            Err(_) => 1,
            Ok(Built::Flat) if profile.distinct() > 8 => 2,
            Ok(Built::Flat) => 3,
            Ok(Built::Dates) => 4,
            Ok(Built::Prefix) => 5,
            Ok(Built::Numeric { .. }) => 6,
        },
        _ => 0,
    };
    (column.confidence.name(), column.role, &column.reason, column.kind, hierarchy)
}

/// The name with a sign in the place of each number.
fn without_numbers(name: &str) -> String {
    let mut stem = String::new();
    for letter in name.chars() {
        match letter {
            digit if digit.is_ascii_digit() => {
                if !stem.ends_with('\u{0}') {
                    stem.push('\u{0}');
                }
            }
            other => stem.push(other),
        }
    }
    stem
}

/// The first word of a name that has several.
fn first_word(name: &str) -> Option<String> {
    let (word, _) = name.split_once(['_', '-', '.', ' '])?;
    (word.chars().count() >= 2).then(|| word.to_lowercase())
}

#[cfg(test)]
mod tests {
    use incrowd_core::{Dictionary, Values};

    use super::*;
    use crate::roles::{Declared, assign};

    fn column(name: &str) -> ColumnProfile {
        let dictionary = Dictionary::new(Values::Integers((0..40).collect()), false);
        let counts = vec![10; 40];
        ColumnProfile { name: name.into(), rows: 400, missing: 0, dictionary, counts, exact: true, rows_counted: 400 }
    }

    fn grouped(names: &[&str]) -> Vec<Vec<usize>> {
        let profiles: Vec<ColumnProfile> = names.iter().map(|name| column(name)).collect();
        groups(&profiles, &assign(&profiles, &Declared::default()).expect("roles"), |column| column.name == "x3")
    }

    #[test]
    fn names_that_differ_in_numbers_share_an_entry() {
        assert_eq!(grouped(&["x1", "age", "x2", "x3", "x10", "y1"]), [vec![0, 2, 4], vec![1], vec![3], vec![5]]);
    }

    #[test]
    fn many_names_with_the_same_first_word_share_an_entry() {
        let names = ["zz_sodium", "zz_potassium", "zz_chloride", "zz_iron", "qq_a", "qq_b"];
        assert_eq!(grouped(&names), [vec![0, 1, 2, 3], vec![4], vec![5]]);
    }

    #[test]
    fn another_role_is_another_decision() {
        assert_eq!(grouped(&["zz_1", "zz_age_1", "zz_2", "zz_diagnosis_1"]), [vec![0, 2], vec![1], vec![3]]);
    }
}
