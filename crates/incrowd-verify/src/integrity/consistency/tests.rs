//! Manifests that contradict themselves in one thing, and what is said of each.

use super::*;
use crate::manifest::{Count, FileDialect, FileEntry};
use crate::models;
use crate::release::small::{self, told};

type Change = fn(&mut Manifest);

fn faults(mut manifest: Manifest, change: impl FnOnce(&mut Manifest)) -> Vec<String> {
    change(&mut manifest);
    told(&check(&manifest, &models::questions(&manifest.policy).0))
}

fn of_one(cases: &[(Change, &[&str])]) {
    for (at, (change, expected)) in cases.iter().enumerate() {
        assert_eq!(faults(small::manifest(), change), *expected, "case {at}");
    }
}

fn treated(column: &mut ColumnEntry, treatment: &str) {
    (column.technique, column.treatment) = (Technique::Treated, Some(treatment.into()));
}

#[test]
fn columns_that_contradict_each_other_are_told() {
    of_one(&[
        (|_| (), &[]),
        (|manifest| manifest.columns[1].name = "note".into(), &["Columns: the manifest lists the column note twice"]),
        (
            |manifest| manifest.columns[0].technique = Technique::Retained,
            &["Columns: the column name identifies people and is not removed"],
        ),
        (
            |manifest| (manifest.columns[0].technique, manifest.columns[0].role) = (Technique::Retained, Role::Subject),
            &["Columns: the column name identifies people and is not removed"],
        ),
        (|manifest| manifest.columns[0].role = Role::Subject, &[]),
        (|manifest| treated(&mut manifest.columns[0], "blank"), &[]),
        (|manifest| treated(&mut manifest.columns[0], "pseudonym"), &[]),
        (
            |manifest| treated(&mut manifest.columns[0], "mask:3"),
            &[
                "Columns: the column name identifies people and is not removed",
                "Columns: the column name identifies people, and parts of its values are published",
            ],
        ),
        (
            |manifest| treated(&mut manifest.columns[3], "rot13"),
            &["Columns: the column note is treated in a way that this verifier does not know"],
        ),
        (
            |manifest| manifest.columns[2].technique = Technique::MovedToSecondTable,
            &["Columns: the manifest moves a column to a second table, but names no second table"],
        ),
        (
            |manifest| manifest.columns.iter_mut().for_each(|column| column.technique = Technique::Removed),
            &[
                "Columns: the manifest lists no published column",
                "Policy: distinct-l-diversity: the column illness is not published: the model cannot be evaluated",
            ],
        ),
    ]);
}

#[test]
fn a_model_is_about_a_published_sensitive_column() {
    of_one(&[
        (
            |manifest| manifest.columns[2].technique = Technique::Removed,
            &["Policy: distinct-l-diversity: the column illness is not published: the model cannot be evaluated"],
        ),
        (
            |manifest| treated(&mut manifest.columns[2], "blank"),
            &["Policy: distinct-l-diversity: the column illness is treated: its values are not published"],
        ),
        (
            |manifest| manifest.columns[2].role = Role::Insensitive,
            &["Policy: distinct-l-diversity: the column illness is not listed as sensitive"],
        ),
        (|manifest| manifest.columns[2].technique = Technique::Suppressed, &[]),
        (|manifest| manifest.policy.models.truncate(1), &[]),
    ]);
}

#[test]
fn rows_add_up_and_no_more_are_suppressed_than_allowed() {
    const NOT_IN_FILES: &str = "Rows: the files of the manifest do not add up to its 4 rows";
    const NO_SHARE: &str = "Policy: the maximum share of suppressed rows is not between 0 and 1";
    fn withheld(manifest: &mut Manifest, (from, to): (u64, u64), (least, most): (u64, u64), share: f64) {
        let count = |from, to| Count::between(from, to).expect("a range");
        (manifest.suppressed_rows, manifest.source_rows) = (count(from, to), count(least, most));
        manifest.policy.suppression = share;
    }
    of_one(&[
        (
            |manifest| {
                (manifest.rows, manifest.source_rows) = (0, 0.into());
                manifest.files[0].rows = 0;
            },
            &["Empty: the release has no rows, so every promise holds trivially"],
        ),
        (|manifest| manifest.files[0].rows = 3, &[NOT_IN_FILES]),
        (|manifest| manifest.files[0].rows = 5, &[NOT_IN_FILES]),
        (
            |manifest| {
                manifest.files.push(FileEntry { rows: 1, ..manifest.files[0].clone() });
                manifest.files[0].rows = 3;
            },
            &[],
        ),
        (|manifest| manifest.files.push(FileEntry { rows: u64::MAX, ..manifest.files[0].clone() }), &[NOT_IN_FILES]),
        (|manifest| withheld(manifest, (2, 2), (6, 6), 0.5), &[]),
        (|manifest| withheld(manifest, (1, 3), (5, 7), 0.5), &[]),
        (
            |manifest| withheld(manifest, (1, 3), (5, 8), 0.5),
            &["Rows: 4 published and 1 to 3 suppressed rows do not add up to 5 to 8"],
        ),
        (
            |manifest| withheld(manifest, (1, 3), (4, 7), 0.5),
            &["Rows: 4 published and 1 to 3 suppressed rows do not add up to 4 to 7"],
        ),
        (
            |manifest| withheld(manifest, (2, 2), (6, 6), 0.3),
            &["Suppression: 2 of 6 rows were suppressed, but the policy allows a share of 0.3"],
        ),
        (|manifest| withheld(manifest, (2, 2), (6, 6), 1.0), &[]),
        (|manifest| manifest.policy.suppression = 1.1, &[NO_SHARE]),
        (|manifest| manifest.policy.suppression = -0.1, &[NO_SHARE]),
        (|manifest| manifest.policy.suppression = f64::NAN, &[NO_SHARE]),
    ]);
}

#[test]
fn a_dialect_is_one_of_csv_and_has_a_decimal_comma_only_in_columns_that_are_written() {
    const COMMA: &str =
        "Manifest: the file data.csv has a decimal comma in a column that is neither a quasi-identifier nor treated";
    fn dialect(delimiter: char, encoding: Option<&str>, commas: &[&str]) -> Option<FileDialect> {
        let decimal_comma = commas.iter().map(ToString::to_string).collect();
        Some(FileDialect { delimiter, encoding: encoding.map(Into::into), decimal_comma })
    }
    of_one(&[
        (|manifest| manifest.files[0].dialect = dialect(';', None, &[]), &[]),
        (|manifest| manifest.files[0].dialect = dialect(';', Some("windows-1252"), &[]), &[]),
        (
            |manifest| {
                (manifest.files[0].dialect, manifest.files[0].format) = (dialect(';', None, &[]), Format::Parquet);
            },
            &["Manifest: the file data.csv has a dialect and is not CSV"],
        ),
        (
            |manifest| manifest.files[0].dialect = dialect('a', None, &[]),
            &["Manifest: the file data.csv has a delimiter that cannot be one"],
        ),
        (
            |manifest| manifest.files[0].dialect = dialect(';', Some("klingon"), &[]),
            &["Manifest: the file data.csv has an unknown encoding"],
        ),
        (|manifest| manifest.files[0].dialect = dialect(';', None, &["age"]), &[]),
        (|manifest| manifest.files[0].dialect = dialect(';', None, &["illness"]), &[COMMA]),
        (|manifest| manifest.files[0].dialect = dialect(';', None, &["note"]), &[COMMA]),
        (|manifest| manifest.files[0].dialect = dialect(';', None, &["other"]), &[COMMA]),
        (|manifest| manifest.files[0].dialect = dialect(';', None, &["age", "illness"]), &[COMMA]),
        (
            |manifest| {
                manifest.files[0].dialect = dialect(';', None, &["age", "note"]);
                treated(&mut manifest.columns[3], "round:1");
            },
            &[],
        ),
        (
            |manifest| {
                manifest.files.insert(0, FileEntry { name: "first.csv".into(), rows: 0, ..manifest.files[0].clone() });
                manifest.files[1].dialect = dialect('a', None, &[]);
            },
            &["Manifest: the file data.csv has a delimiter that cannot be one"],
        ),
    ]);
}

#[test]
fn two_tables_are_two_files_of_all_rows() {
    const NOT_TWO: &str = "Manifest: the two tables of the manifest are not its two files";
    fn names(manifest: &mut Manifest, quasi_identifiers: &str, sensitive: &str) {
        let two = manifest.two_tables.as_mut().expect("two tables");
        (two.quasi_identifiers, two.sensitive) = (quasi_identifiers.into(), sensitive.into());
    }
    let cases: [(Change, &[&str]); 8] = [
        (|_| (), &[]),
        (|manifest| drop(manifest.files.pop()), &[NOT_TWO]),
        (
            |manifest| manifest.files.push(FileEntry { name: "third.csv".into(), ..manifest.files[0].clone() }),
            &[NOT_TWO],
        ),
        (|manifest| names(manifest, "first.csv", "first.csv"), &[NOT_TWO]),
        (|manifest| names(manifest, "other.csv", "second.csv"), &[NOT_TWO]),
        (|manifest| names(manifest, "first.csv", "other.csv"), &[NOT_TWO]),
        (
            |manifest| manifest.files[1].rows = 5,
            &["Rows: in the manifest, second.csv does not have the 4 rows of each table"],
        ),
        (
            |manifest| manifest.files[0].rows = 3,
            &["Rows: in the manifest, first.csv does not have the 4 rows of each table"],
        ),
    ];
    for (at, (change, expected)) in cases.iter().enumerate() {
        assert_eq!(faults(small::two_tables(), change), *expected, "case {at}");
    }
}

#[test]
fn the_second_of_two_tables_has_the_sensitive_columns_and_the_first_all_others_as_they_were() {
    const NO_SECOND: &str = "Columns: the manifest lists no column of the second table";
    const NOT_MOVED: &str = "Columns: the sensitive column illness is not moved to the second table";
    let cases: [(Change, &[&str]); 8] = [
        (
            |manifest| manifest.two_tables.iter_mut().for_each(|two| two.class_column = "age".into()),
            &["Columns: the column of class numbers has the same name as the column age"],
        ),
        (|manifest| manifest.columns[2].technique = Technique::Retained, &[NOT_MOVED, NO_SECOND]),
        (|manifest| manifest.columns[2].technique = Technique::Suppressed, &[NOT_MOVED, NO_SECOND]),
        (
            |manifest| {
                manifest.columns[2].technique = Technique::Removed;
                manifest.policy.models.truncate(1);
            },
            &[NO_SECOND],
        ),
        (
            |manifest| manifest.columns[3].technique = Technique::MovedToSecondTable,
            &["Columns: the column note is moved to the second table, but is not sensitive"],
        ),
        (
            |manifest| manifest.columns[1].technique = Technique::Generalized,
            &["Columns: the column age of two tables is not published unchanged"],
        ),
        (|manifest| manifest.columns[3].technique = Technique::Removed, &[]),
        (
            |manifest| [1, 3].into_iter().for_each(|at| manifest.columns[at].technique = Technique::Removed),
            &["Columns: the manifest lists no column of the first table"],
        ),
    ];
    for (at, (change, expected)) in cases.iter().enumerate() {
        assert_eq!(faults(small::two_tables(), change), *expected, "case {at}");
    }
}
