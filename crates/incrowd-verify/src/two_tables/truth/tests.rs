//! Two tables of a few rows held against an original of a few rows, each row a number for each table.

use super::*;
use crate::release::small::told;

/// The faults of two tables, whose rows are combinations of values in classes, and of pairs of an original.
fn faults(tables: [&[(u32, u32)]; 2], original: &[(u32, u32)]) -> Vec<String> {
    faults_until(tables, original, &|| false).expect("it was not stopped")
}

fn faults_until(tables: [&[(u32, u32)]; 2], original: &[(u32, u32)], stop: &dyn Fn() -> bool) -> Option<Vec<String>> {
    let [first, second] = tables.map(|rows| rows.iter().copied().unzip::<u32, u32, Vec<u32>, Vec<u32>>());
    let (one, other): (Vec<u32>, Vec<u32>) = original.iter().copied().unzip();
    let truth = TwoTableTruth {
        names: ["one", "two"],
        classes: [&first.1, &second.1],
        tables: [&first.0, &second.0],
        originals: [&one, &other],
        stop,
    };
    truth.faults().map(|faults| told(&faults))
}

#[test]
fn tables_of_the_rows_of_the_original_are_true() {
    assert_eq!(faults([&[], &[]], &[]), [""; 0]);
    assert_eq!(faults([&[(0, 0)], &[(0, 0)]], &[(0, 0)]), [""; 0]);
    let original = [(0, 0), (1, 1), (2, 2), (3, 3)];
    let sorted = [(0, 0), (1, 0), (2, 1), (3, 1)];
    assert_eq!(faults([&sorted, &[(3, 1), (1, 0), (2, 1), (0, 0)]], &original), [""; 0]);
    // One combination of the first table goes with several of the second, more of them than a class has.
    let original = [(0, 0), (0, 1), (0, 2), (1, 0)];
    assert_eq!(faults([&[(0, 0), (0, 1), (0, 1), (1, 1)], &[(0, 0), (1, 1), (2, 1), (0, 1)]], &original), [""; 0]);
    assert!(faults_until([&sorted, &sorted], &[(0, 0), (1, 1), (2, 2), (3, 3)], &|| true).is_none());
}

#[test]
fn rows_that_the_original_does_not_have_are_counted() {
    let original = [(0, 0), (1, 1), (1, 1), (2, 0)];
    let whole = [(0, 0), (1, 0), (1, 0), (2, 0)];
    let of_two = [(0, 0), (1, 0), (1, 0), (0, 0)];
    assert_eq!(faults([&whole, &of_two], &original), [""; 0]);
    let invented =
        |rows: u64, name: &str| format!("Untruthful: {rows} of 4 rows of {name} are not rows of the original");
    assert_eq!(faults([&[(0, 0), (1, 0), (1, 0), (9, 0)], &of_two], &original), [invented(1, "one")]);
    assert_eq!(faults([&[(0, 0), (0, 0), (0, 0), (1, 0)], &of_two], &original), [invented(2, "one")]);
    assert_eq!(faults([&whole, &[(1, 0); 4]], &original), [invented(2, "two")]);
    assert_eq!(
        faults([&[(3, 0), (1, 0), (1, 0), (2, 0)], &[(0, 0), (1, 0), (4, 0), (5, 0)]], &original),
        [invented(1, "one"), invented(2, "two")]
    );
}

#[test]
fn rows_that_no_row_of_the_original_is_left_for_are_counted_in_each_table() {
    let unmet = |rows: u64, [name, other]: [&str; 2]| {
        format!(
            "Untruthful: {rows} of 4 rows of {name} cannot be matched with rows of the original, given the values of their \
             classes in {other}"
        )
    };
    let both = |rows: u64| [unmet(rows, ["one", "two"]), unmet(rows, ["two", "one"])];
    let original = [(0, 0), (1, 1), (2, 2), (3, 3)];
    // Two rows of the second table have each other's class, then all of them.
    let first = [(0, 0), (1, 0), (2, 1), (3, 1)];
    assert_eq!(faults([&first, &[(0, 0), (2, 0), (1, 1), (3, 1)]], &original), both(2));
    assert_eq!(faults([&first, &[(2, 0), (3, 0), (0, 1), (1, 1)]], &original), both(4));
    // The first table has twice in a class what the original has once with the value of that class.
    let original = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let tables: [&[(u32, u32)]; 2] = [&[(0, 0), (0, 0), (1, 1), (1, 1)], &[(0, 0), (0, 0), (1, 1), (1, 1)]];
    assert_eq!(faults(tables, &original), both(2));
}

#[test]
fn rows_suppressed_in_one_table_are_those_suppressed_in_the_other() {
    let original = [(0, 0), (0, 0), (1, 0), (1, 1), (2, 1)];
    let first = [(0, 0), (1, 0), (1, 0), (2, 0)];
    let lost = ["LostOrInvented: the rows suppressed in one table cannot be those suppressed in the other"];
    assert_eq!(faults([&first, &[(0, 0), (0, 0), (1, 0), (1, 0)]], &original), [""; 0], "(0, 0)");
    assert_eq!(faults([&first, &[(0, 0), (0, 0), (0, 0), (1, 0)]], &original), lost, "there is no (0, 1)");
    // How many are suppressed is told elsewhere.
    assert_eq!(faults([&first, &[(0, 0), (0, 0), (1, 0)]], &original), [""; 0]);
    // Two are suppressed, of which one can be.
    let original = [(0, 0), (0, 0), (1, 0), (1, 1), (2, 1), (3, 2), (3, 2)];
    let first = [(0, 0), (1, 0), (1, 0), (2, 0), (3, 0)];
    assert_eq!(faults([&first, &[(0, 0), (0, 0), (0, 0), (1, 0), (2, 0)]], &original), lost);
    assert_eq!(faults([&first, &[(0, 0), (0, 0), (1, 0), (1, 0), (2, 0)]], &original), [""; 0]);
}

#[test]
fn pairs_are_found_by_their_first_number() {
    let pairs = PairRows::new(&[5, 1, 3, 3, 5, 3], &[0, 2, 7, 1, 0, 7]);
    let of = |first: u32| pairs.of(first).iter().map(|pair| (pair.class, pair.code, pair.rows)).collect::<Vec<_>>();
    assert_eq!(of(1), [(1, 2, 1)]);
    assert_eq!(of(3), [(3, 1, 1), (3, 7, 2)]);
    assert_eq!(of(5), [(5, 0, 2)]);
    assert!([0, 2, 4, 6].into_iter().all(|first| of(first).is_empty()));
    assert_eq!(pairs.groups().map(<[ValueRows]>::len).collect::<Vec<_>>(), [1, 2, 1]);
    assert_eq!(counts(&[2, 0, 2], 4), [1, 0, 2, 0]);
}
