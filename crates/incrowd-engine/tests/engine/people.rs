//! With a subject column a class counts people, not rows.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use arrow::array::types::Int32Type;
use arrow::array::{ArrayRef, DictionaryArray, Int64Array, StringArray};
use incrowd_core::{ClassSizes, ColumnSet};
use incrowd_engine::{Answer, Question, Settings};

use crate::support::{Desk, Rows, nulls, question, whole};

fn of_people(columns: &[&str], subject: &str) -> Question {
    Question { subject: Some(subject.into()), ..question(columns) }
}

fn counted(desk: &Desk, csv: &str) -> Answer {
    let path = desk.write("t.csv", csv);
    desk.open_with(&path, nulls(&["?"])).unwrap().count(&desk.engine, &of_people(&["town"], "who")).unwrap()
}

#[test]
fn a_person_who_is_twice_in_a_class_counts_once() {
    let desk = Desk::new();
    let answer = counted(&desk, "who,town\na,Ulm\na,Ulm\nb,Ulm\nc,Wien\nc,Wien\nc,Wien\n");
    assert_eq!(answer.sizes.histogram(), [(1, 1), (2, 1)], "two in Ulm, one in Wien");
    assert_eq!((answer.rows, answer.tuples), (6, 3));
    assert_eq!(whole(&answer).people(), 3);
}

#[test]
fn a_person_who_is_in_several_classes_counts_in_each_and_once_in_all() {
    let desk = Desk::new();
    let answer = counted(&desk, "who,town\na,Ulm\na,Wien\nb,Ulm\nb,Wien\n");
    assert_eq!(answer.sizes.histogram(), [(2, 2)]);
    assert_eq!((whole(&answer).people(), answer.rows), (2, 4));
}

#[test]
fn rows_without_a_subject_are_one_person_so_that_k_is_never_overstated() {
    let desk = Desk::new();
    let answer = counted(&desk, "who,town\n,Ulm\n?,Ulm\n\"\",Ulm\na,Ulm\n");
    assert_eq!((answer.sizes.k(), answer.rows), (2, 4));
}

#[test]
fn subjects_are_distinguished_in_every_type() {
    let desk = Desk::new();
    let texts = vec![Some("a long name of somebody"), Some("a long name of somebody"), None, Some("b"), None];
    let numbers = vec![Some(1), Some(1), None, Some(2), None];
    let dictionary: DictionaryArray<Int32Type> = texts.iter().copied().collect();
    let subjects: [ArrayRef; 3] =
        [Arc::new(StringArray::from(texts)), Arc::new(Int64Array::from(numbers)), Arc::new(dictionary)];
    for subject in subjects {
        let town: ArrayRef = Arc::new(StringArray::from(vec!["Ulm"; 5]));
        let columns = vec![("who", subject), ("town", town)];
        crate::formats::arrow_file(&desk.path("t.arrow"), columns.clone());
        for path in [desk.parquet("t.parquet", columns), desk.path("t.arrow")] {
            let table = desk.open(&path).unwrap();
            assert_eq!(table.count(&desk.engine, &of_people(&["town"], "who")).unwrap().sizes.k(), 3);
        }
    }
}

#[test]
fn people_are_counted_as_a_set_counts_them() {
    let rows = Rows::generate(20, 8000, &[6, 5, 3, 900]);
    let mut by_class: HashMap<&[String], HashSet<&String>> = HashMap::new();
    let mut tuples: BTreeMap<&[String], u64> = BTreeMap::new();
    for row in &rows.rows {
        by_class.entry(&row[..2]).or_default().insert(&row[3]);
        *tuples.entry(&row[..]).or_default() += 1;
    }
    let expected = ClassSizes::from_sizes(by_class.values().map(|people| people.len() as u64));
    for threads in [1, 2, 4] {
        let desk = Desk::with(&Settings { threads: Some(threads), ..Settings::default() });
        let path = desk.write("t.csv", rows.csv());
        let asked = Question { sensitive: vec!["c2".into()], ..of_people(&["c0", "c1"], "c3") };
        let answer = desk.open(&path).unwrap().count(&desk.engine, &asked).unwrap();
        assert_eq!((&answer.sizes, answer.tuples), (&expected, tuples.len() as u64));
        let table = whole(&answer);
        assert_eq!((table.people(), table.rows()), (900, 8000));
        assert_eq!(table.class_sizes(ColumnSet::first(2)), expected);
    }
}
