//! Missing values on the Adult table: rows are never dropped and never hidden (peers do both).

use incrowd_core::Kind;
use incrowd_engine::{Answer, ReadOptions, Source};

use crate::support::{Desk, nulls, question, whole};

const EIGHT: [&str; 8] =
    ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"];

fn adult(desk: &Desk, name: &str, options: ReadOptions) -> Source {
    desk.open_with(incrowd_testdata::file(name).to_str().unwrap(), options).unwrap()
}

fn count(desk: &Desk, table: &Source) -> Answer {
    table.count(&desk.engine, &question(&EIGHT)).unwrap()
}

#[test]
fn the_adult_training_table_has_its_published_classes() {
    let desk = Desk::new();
    let answer = count(&desk, &adult(&desk, "adult_train.csv", ReadOptions::default()));
    assert_eq!((answer.rows, answer.tuples), (30_162, 18_109));
    assert_eq!((answer.sizes.k(), answer.sizes.unique()), (1, 14_021));
    assert_eq!(whole(&answer).attributes()[0].dictionary.kind(), Kind::Integer);
}

#[test]
fn no_row_is_dropped_because_a_value_is_missing() {
    let desk = Desk::new();
    let as_text = adult(&desk, "adult_raw_with_missing.csv", ReadOptions::default());
    let as_null = adult(&desk, "adult_raw_with_missing.csv", nulls(&["?"]));
    let (text, null) = (count(&desk, &as_text), count(&desk, &as_null));
    assert_eq!((text.rows, null.rows), (48_842, 48_842));
    assert_eq!((text.sizes, text.tuples), (null.sizes.clone(), null.tuples), "missing is one value, named or not");
    let occupation = |answer: &Answer| whole(answer).attributes()[4].dictionary.clone();
    let text = count(&desk, &as_text);
    assert!(occupation(&text).code("?").is_some() && occupation(&text).missing().is_none());
    assert!(occupation(&null).code("?").is_none() && occupation(&null).missing().is_some());
    assert_eq!(occupation(&text).len(), occupation(&null).len());
}

#[test]
fn profiles_count_the_missing_cells_of_each_column() {
    let desk = Desk::new();
    let profiles = adult(&desk, "adult_raw_with_missing.csv", nulls(&["?"])).profile(&desk.engine).unwrap();
    let missing = |name: &str| profiles.iter().find(|profile| profile.name == name).unwrap().missing;
    assert_eq!((missing("workclass"), missing("occupation"), missing("native-country")), (2799, 2809, 857));
    assert_eq!(missing("age"), 0);
}

#[test]
fn a_unique_row_whose_quasi_identifier_is_missing_makes_k_one() {
    let desk = Desk::new();
    let path = desk.write("t.csv", "age,sex\n30,f\n30,f\n30,f\n,f\n");
    let answer = desk.count(&path, &["age", "sex"]).unwrap();
    assert_eq!((answer.rows, answer.sizes.k(), answer.sizes.unique()), (4, 1, 1));
}

#[test]
fn a_column_without_any_value_is_one_class() {
    let desk = Desk::new();
    let path = desk.write("t.csv", "age,sex\n,f\n,f\n,f\n");
    let answer = desk.count(&path, &["age"]).unwrap();
    assert_eq!((answer.rows, answer.sizes.k()), (3, 3));
    let profile = &desk.open(&path).unwrap().profile(&desk.engine).unwrap()[0];
    assert_eq!((profile.missing, profile.distinct(), profile.k()), (3, 0, 3));
}
