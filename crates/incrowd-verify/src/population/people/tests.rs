//! How many people match each class, several and none, whether classes or combinations of labels are tried.

use super::*;
use crate::population::tests::{labels, published};

/// The values of the population have the codes 1 to 5.
const VALUES: [&str; 5] = ["7", "8", "17", "30", "55"];

/// For each class its labels, rows and people, sorted; how many match several and none.
type Matched = (Vec<String>, u64, u64);

fn people(tuples: &[([u32; 2], u64)]) -> People {
    let tuples = tuples.iter().map(|(codes, people)| (Box::from(codes.as_slice()), *people)).collect();
    People { tuples, encoders: Vec::new(), rows: 0, people: 0 }
}

fn matching(people: &People, rows: &[&[&str]]) -> Matched {
    let published = published(&VALUES, rows);
    let values = [people.values(0), people.values(1)];
    let found = people.matching(&published, &labels(&values, &published));
    let mut classes = Vec::new();
    let mut place = found.classes.iter();
    published.each(|codes, rows| {
        let text = |at: usize| published.encoders[at].texts.text(codes[at]).map_or("-", |text| &**text);
        let class = place.next().expect("as many classes");
        assert_eq!(class.0, rows);
        classes.push(format!("{} {}: {rows} {}", text(0), text(1), class.1));
    });
    assert!(place.next().is_none());
    classes.sort_unstable();
    (classes, found.of_several, found.of_none)
}

#[test]
fn a_person_of_many_labels_is_counted_in_each_class_that_matches() {
    // Under four labels in each column, so that sixteen combinations are more than there are classes.
    let rows: [&[&str]; 6] = [
        &["[0,10)", "[0,10)"],
        &["[0,10)", "[0,10)"],
        &["[0,20)", "[5,15)"],
        &["*", "[0,20)"],
        &["[5,15)", "*"],
        &["[5,15)", "*"],
    ];
    let all = people(&[([1, 1], 5), ([2, 2], 1), ([1, 4], 3), ([4, 2], 2), ([4, 4], 4), ([3, 3], 7)]);
    let expected = ["* [0,20): 1 15", "[0,10) [0,10): 2 6", "[0,20) [5,15): 1 6", "[5,15) *: 2 9"];
    assert_eq!(matching(&all, &rows), (expected.map(String::from).to_vec(), 6, 4));
}

#[test]
fn a_person_of_many_labels_may_match_one_class_or_none() {
    let mut rows: Vec<&[&str]> = vec![
        &["[0,10)", "[50,60)"],
        &["[0,20)", "[50,60)"],
        &["[5,15)", "[50,60)"],
        &["*", "[0,10)"],
        &["[50,60)", "[0,20)"],
        &["[50,60)", "[5,15)"],
    ];
    let all = people(&[([1, 2], 5), ([2, 1], 6), ([5, 5], 3)]);
    let (classes, of_several, of_none) = matching(&all, &rows);
    assert_eq!((classes[0].as_str(), of_several, of_none), ("* [0,10): 1 11", 0, 3));
    assert!(classes[1..].iter().all(|class| class.ends_with(": 1 0")), "{classes:?}");
    rows[3] = &["*", "[70,80)"];
    rows.push(&["[50,60)", "[0,10)"]);
    let (classes, of_several, of_none) = matching(&all, &rows);
    assert_eq!((classes.len(), of_several, of_none), (7, 0, 14));
    assert!(classes.iter().all(|class| class.ends_with(": 1 0")), "{classes:?}");
}

#[test]
fn classes_and_combinations_tell_the_same() {
    // The same classes alone, and among others that no one matches: then combinations are tried.
    let few: [&[&str]; 4] = [&["[0,10)", "*"], &["[0,20)", "[0,10)"], &["[5,15)", "[5,15)"], &["*", "[0,20)"]];
    let more: Vec<[String; 2]> = (100..120).map(|at| [format!("[{at},{at}]"), "[99,99]".into()]).collect();
    let more: Vec<[&str; 2]> = more.iter().map(|row| row.each_ref().map(String::as_str)).collect();
    let many: Vec<&[&str]> = few.into_iter().chain(more.iter().map(<[&str; 2]>::as_slice)).collect();
    let tuples: Vec<([u32; 2], u64)> =
        (1..=5).flat_map(|one| (1..=5).map(move |other| ([one, other], 1 << (one + other)))).collect();
    let all = people(&tuples);
    let (alone, among) = (matching(&all, &few), matching(&all, &many));
    assert_eq!(alone.0, ["* [0,20): 1 868", "[0,10) *: 1 372", "[0,20) [0,10): 1 84", "[5,15) [5,15): 1 36"]);
    let matched: Vec<String> = among.0.iter().filter(|class| !class.ends_with(": 1 0")).cloned().collect();
    assert_eq!((matched, among.1, among.2), alone);
    // Who matches one class is neither of several nor of none.
    let everyone: u64 = tuples.iter().map(|(_, people)| people).sum();
    assert!(alone.1 + alone.2 < everyone, "{alone:?}");
}

#[test]
fn the_values_of_a_column_are_sorted_and_each_is_there_once() {
    let all = people(&[([3, 1], 1), ([2, 1], 1), ([3, 5], 1), ([0, 1], 1)]);
    assert_eq!((all.values(0), all.values(1)), (vec![0, 2, 3], vec![1, 5]));
    assert!(people(&[]).values(0).is_empty());
}

#[test]
fn an_error_of_the_original_is_one_of_the_population() {
    let told = |error| of_population(error).to_string();
    assert_eq!(told(VerifyError::Original("the original: it is a folder".into())), "the population: it is a folder");
    assert_eq!(told(VerifyError::Original("the hierarchy is empty".into())), "the population: the hierarchy is empty");
    assert!(matches!(of_population(VerifyError::Cancelled), VerifyError::Cancelled));
    assert!(matches!(unread(ReadError::Cancelled), VerifyError::Cancelled));
    assert_eq!(unread(ReadError::Unreadable("no".into())).to_string(), "the population: no");
}
