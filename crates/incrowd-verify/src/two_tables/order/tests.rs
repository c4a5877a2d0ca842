//! An order that only one of the questions can find is found, and a verdict notes what was not found.

use super::*;
use crate::two_tables::shuffled;

const NAMES: [&str; 2] = ["people.csv", "values.csv"];

/// The classes of a release whose class numbers are held against the original, each with two rows.
const CLASSES: usize = 40;

/// The verdict after some questions.
fn verdict(ask: impl FnOnce(&mut OrderSearch)) -> Verdict {
    let (mut search, mut verdict) = (OrderSearch::new(2), Verdict::default());
    ask(&mut search);
    search.tell(&mut verdict);
    verdict
}

fn fault(kind: FaultKind, what: &str) -> Fault {
    Fault::new(kind, format!("{what}, more than by chance"))
}

/// The faults of a release whose classes have an early and a late row each in the original, given the places of the
/// classes among the early rows and among the late ones. The late rows are so far apart that they decide which mean is
/// larger.
fn faults_beside_original(early: &[u32], late: &[u32]) -> Vec<Fault> {
    let all = up_to(CLASSES + CLASSES * CLASSES);
    let of_class = |id: u32| {
        let at = id as usize;
        [(id, early[at]), (id, (late[at] + 1) * CLASSES as u32)]
    };
    let rows: Vec<(u32, u32)> = up_to(CLASSES).into_iter().flat_map(of_class).collect();
    let (first, values): (Vec<u32>, Vec<u32>) = shuffled(&rows, 1).into_iter().unzip();
    let ids = ClassIds { second: shuffled(&first, 2), first, classes: CLASSES };
    let tables = [&values[..], &shuffled(&values, 3)];
    verdict(|search| ids.search_original(NAMES, tables, [&all, &all], search)).faults
}

#[test]
fn tables_in_opposite_orders_are_found() {
    let first = shuffled(&(0..100).map(|row| row / 4).collect::<Vec<u32>>(), 1);
    let ids = ClassIds { second: first.iter().rev().copied().collect(), first, classes: 25 };
    let faults = verdict(|search| ids.search(NAMES, search)).faults;
    assert_eq!(faults, [fault(FaultKind::RowOrder, "the two tables are in opposite orders")]);
}

#[test]
fn a_table_almost_in_the_order_of_the_original_is_found() {
    let original = up_to(100);
    // Rows change places only with rows near them.
    let near: Vec<u32> = original.chunks(5).flat_map(|rows| shuffled(rows, u64::from(rows[0]))).collect();
    let classes: Vec<u32> = original.iter().map(|row| row / 4).collect();
    let ids = ClassIds { first: shuffled(&classes, 1), second: shuffled(&classes, 2), classes: 25 };
    let far = shuffled(&original, 3);
    for (tables, name) in [([&near, &far], NAMES[0]), ([&far, &near], NAMES[1])] {
        let tables = tables.map(Vec::as_slice);
        let faults = verdict(|search| ids.search_original(NAMES, tables, [&original, &original], search)).faults;
        assert_eq!(faults, [fault(FaultKind::RowOrder, &format!("{name} is in the order of the original"))]);
    }
}

#[test]
fn class_numbers_that_follow_the_first_or_the_mean_place_in_the_original_are_found() {
    let (upwards, random) = (up_to(CLASSES), [4, 5].map(|seed| shuffled(&up_to(CLASSES), seed)));
    let follow = [fault(FaultKind::IdOrder, "class numbers follow the order of the original")];
    assert_eq!(faults_beside_original(&upwards, &random[0]), follow);
    assert_eq!(faults_beside_original(&random[0], &upwards), follow);
    assert_eq!(faults_beside_original(&random[0], &random[1]), []);
}

#[test]
fn classes_of_different_sizes_are_compared_by_their_means() {
    // A class with a larger number has older people and fewer rows, so that the sums of the places rise and fall.
    let first: Vec<u32> = (0..40).flat_map(|id| std::iter::repeat_n(id, 40 - id as usize)).collect();
    let mut ages = ColumnTexts::default();
    let codes: Vec<u32> = first.iter().map(|id| ages.intern(&(20 + id).to_string())).collect();
    let ids = ClassIds { second: first.clone(), first, classes: 40 };
    let faults = verdict(|search| ids.search_column("age", &ages, |row| codes[row], search)).faults;
    assert_eq!(faults, [fault(FaultKind::IdOrder, "class numbers follow the quasi-identifier age")]);
}

#[test]
fn a_note_counts_each_order_that_cannot_be_tested_once() {
    let notes = |asked: &[&str]| {
        let ask = |search: &mut OrderSearch| {
            asked.iter().for_each(|what| search.ask(FaultKind::RowOrder, what, |_| ChanceAnswer::TooSmall));
        };
        verdict(ask).notes
    };
    assert_eq!(notes(&["a"]), ["the release is too small to test whether a"]);
    assert_eq!(notes(&["a", "a", "b"]), ["the release is too small to test whether a (and 1 other test)"]);
    assert_eq!(notes(&["a", "b", "c", "b"]), ["the release is too small to test whether a (and 2 other tests)"]);
}

#[test]
fn an_order_that_was_found_is_not_noted_as_one_that_cannot_be_tested() {
    let said = verdict(|search| {
        search.ask(FaultKind::RowOrder, "a", |_| ChanceAnswer::TooSmall);
        search.ask(FaultKind::RowOrder, "a", |_| ChanceAnswer::Yes);
    });
    assert_eq!((said.faults, said.notes), (vec![fault(FaultKind::RowOrder, "a")], Vec::new()));
}

#[test]
fn two_searches_that_find_nothing_are_noted_once() {
    let mut verdict = Verdict::default();
    for _ in 0..2 {
        let mut search = OrderSearch::new(2);
        search.ask(FaultKind::RowOrder, "a", |_| ChanceAnswer::No);
        search.tell(&mut verdict);
    }
    assert_eq!((verdict.faults, verdict.notes), (Vec::new(), vec![NOT_FOUND.to_string()]));
}

#[test]
fn the_mean_of_a_class_is_that_of_its_rows() {
    let ids = ClassIds { first: vec![0, 1, 1, 0, 1], second: Vec::new(), classes: 3 };
    assert_eq!(ids.means(&ids.first, |row| row as f64), [1.5, 7.0 / 3.0, 0.0], "the last has no rows");
    assert_eq!(ids.means(&[2, 2], |row| 10.0 - row as f64), [0.0, 0.0, 9.5]);
}

#[test]
fn a_combination_of_values_has_its_mean_and_first_place_in_the_original() {
    let places = OriginalPlaces::new(&[1, 0, 0, 1, 1, 3]);
    let found: Vec<_> = (0..6).map(|value| (places.mean(value), places.first(value))).collect();
    let expected = [
        (Some(1.5), Some(1.0)),
        (Some(7.0 / 3.0), Some(0.0)),
        // No row has it, though one has a larger one.
        (None, None),
        (Some(5.0), Some(5.0)),
        (None, None),
        (None, None),
    ];
    assert_eq!(found, expected);
    let none = OriginalPlaces::new(&[]);
    assert_eq!((none.mean(0), none.first(0)), (None, None));
}

#[test]
fn values_are_in_the_order_of_numbers_or_of_texts_if_not_all_are_numbers() {
    for (values, expected) in [
        (&["10", "9", "-1.5", "9.0"][..], &[0, 3, 2, 1, 2][..]),
        (&["b", "10", "9", "a"], &[0, 4, 1, 2, 3]),
        (&["NaN", "9", "10"], &[0, 3, 2, 1]),
        (&["9", "inf", "10"], &[0, 2, 3, 1]),
        (&["9", "1e999", "10"], &[0, 3, 2, 1]),
        (&["9", "", "10"], &[0, 3, 1, 2]),
        (&["5"], &[0, 1]),
        (&[], &[0]),
    ] {
        let mut texts = ColumnTexts::default();
        for text in values {
            texts.intern(text);
        }
        assert_eq!(places(&texts), expected, "{values:?}");
    }
}
