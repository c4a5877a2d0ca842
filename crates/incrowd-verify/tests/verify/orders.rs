//! Orders that tie two tables together are found, and sound releases are not refused for chance.

use incrowd_verify::{ColumnEntry, FaultKind, Format, Verdict};

use crate::pair::{Dice, FORMATS, Pair};
use crate::support::kinds;

/// A change of a release that is large enough to tell, held against the original.
fn found(format: Format, change: impl FnOnce(&mut Pair)) -> Verdict {
    let mut pair = Pair::sound(format, 150, 11);
    change(&mut pair);
    pair.fill().write().verify_against()
}

fn says(verdict: &Verdict, kind: FaultKind, words: &str) -> bool {
    verdict.faults.iter().any(|fault| fault.kind == kind && fault.message.contains(words))
}

#[test]
fn sound_releases_of_any_size_and_seed_are_never_refused() {
    for seed in 0..1_500u64 {
        let classes = [1, 2, 3, 5, 10, 30, 80][seed as usize % 7];
        let mut pair = Pair::sound(Format::Csv, classes, seed);
        if seed % 3 == 0 && classes > 1 {
            // Some rows are withheld: a whole class.
            pair.orders.iter_mut().for_each(|order| order.retain(|row| pair.class_of[*row] > 0));
            let (first, last) = (pair.ids[0], classes);
            pair.ids.iter_mut().filter(|id| **id == last).for_each(|id| *id = first);
            pair.manifest().policy.suppression = 0.5;
            pair.fill();
        }
        let verdict = pair.write().verify_against();
        assert_eq!(verdict.faults, [], "seed {seed}, {classes} classes");
    }
}

#[test]
fn tables_in_one_order_or_in_opposite_ones_are_told_in_every_format() {
    for format in FORMATS {
        let verdict = found(format, |pair| pair.orders[1] = pair.orders[0].clone());
        assert!(says(&verdict, FaultKind::RowOrder, "are in the same order"), "{format:?} {:?}", verdict.faults);
        let verdict = found(format, |pair| pair.orders[1] = pair.orders[0].iter().rev().copied().collect());
        assert!(says(&verdict, FaultKind::RowOrder, "are in opposite orders"), "{format:?} {:?}", verdict.faults);
        assert!(kinds(&verdict).iter().all(|kind| *kind == FaultKind::RowOrder));
    }
}

#[test]
fn tables_that_were_shuffled_in_the_same_buckets_are_told() {
    let verdict = found(Format::Csv, |pair| {
        let mut dice = Dice(3);
        pair.orders[1] = pair.orders[0].clone();
        for bucket in pair.orders.iter_mut().flat_map(|order| order.chunks_mut(30)) {
            dice.shuffle(bucket);
        }
    });
    assert!(says(&verdict, FaultKind::RowOrder, "the classes are in the same order"), "{:?}", verdict.faults);
}

#[test]
fn a_table_that_is_grouped_or_sorted_by_class_is_told() {
    for (table, name) in [(0, "people.csv"), (1, "values.csv")] {
        // Grouped, but the groups in an order that says nothing: that of the shuffled ids of another release.
        let other = Pair::sound(Format::Csv, 150, 12).ids;
        let verdict = found(Format::Csv, |pair| pair.orders[table].sort_by_key(|row| other[pair.class_of[*row]]));
        assert!(
            says(&verdict, FaultKind::RowOrder, &format!("are next to each other in {name}")),
            "{:?}",
            verdict.faults
        );
        assert!(!says(&verdict, FaultKind::RowOrder, "sorted"));
        let verdict = found(Format::Csv, |pair| pair.orders[table].sort_by_key(|row| pair.ids[pair.class_of[*row]]));
        assert!(
            says(&verdict, FaultKind::RowOrder, &format!("{name} is sorted by class number")),
            "{:?}",
            verdict.faults
        );
    }
}

#[test]
fn ids_that_follow_a_quasi_identifier_or_the_first_appearance_are_told() {
    let verdict = found(Format::Csv, |pair| pair.ids.sort_unstable());
    assert_eq!(kinds(&verdict), [FaultKind::IdOrder]);
    assert!(says(&verdict, FaultKind::IdOrder, "quasi-identifier age"));
    for (table, name) in [(0, "people.csv"), (1, "values.csv")] {
        let verdict = found(Format::Csv, |pair| pair.ids = by_appearance(pair, pair.orders[table].clone()));
        assert!(says(&verdict, FaultKind::IdOrder, &format!("first occur in {name}")), "{:?}", verdict.faults);
    }
}

/// Ids in the order in which the classes of these rows first appear.
fn by_appearance(pair: &Pair, rows: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut ids = vec![0; pair.ids.len()];
    let mut next = 1..;
    for row in rows {
        let id = &mut ids[pair.class_of[row]];
        if *id == 0 {
            *id = next.next().unwrap();
        }
    }
    ids
}

#[test]
fn ids_in_input_order_are_told_in_every_format_with_the_original_at_hand() {
    for format in FORMATS {
        let mut pair = Pair::sound(format, 150, 11);
        pair.ids = by_appearance(&pair, 0..600);
        let verdict = pair.fill().write().verify_against();
        assert_eq!(kinds(&verdict), [FaultKind::IdOrder], "{format:?} {:?}", verdict.faults);
        assert!(says(&verdict, FaultKind::IdOrder, "order of the original"));
        assert_eq!(pair.verify().faults, [], "nothing in the release alone tells");
    }
}

#[test]
fn a_table_in_the_order_of_the_original_is_found_though_rows_were_suppressed() {
    for (table, name) in [(0, "people.csv"), (1, "values.csv")] {
        for withheld in [0, 2] {
            for backwards in [false, true] {
                let verdict = found(Format::Csv, |pair| {
                    pair.orders[table].sort_unstable();
                    if backwards {
                        pair.orders[table].reverse();
                    }
                    // The classes with the last ids.
                    let kept = |row: &usize| pair.ids[pair.class_of[*row]] <= 150 - withheld;
                    pair.orders.iter_mut().for_each(|order| order.retain(kept));
                    pair.manifest().policy.suppression = 0.1;
                });
                let words = format!("{name} is in the order of the original");
                assert!(says(&verdict, FaultKind::RowOrder, &words), "{withheld} {:?}", verdict.faults);
            }
        }
    }
}

#[test]
fn of_a_small_table_nothing_is_told_and_a_note_says_so() {
    let mut pair = Pair::sound(Format::Csv, 3, 1);
    pair.orders = [(0..12).collect(), (0..12).collect()];
    let verdict = pair.fill().write().verify_against();
    assert_eq!(verdict.faults, []);
    let notes: Vec<&String> = verdict.notes.iter().filter(|note| note.contains("too small to test")).collect();
    assert!(notes.len() == 2 && notes[0].contains("same order") && notes[1].contains("of the original"), "{notes:?}");
    assert!(!verdict.notes.iter().any(|note| note.contains("not a proof")), "{:?}", verdict.notes);
}

/// Whether a note says what a search for orders did not find, or could not test.
fn was_searched(verdict: &Verdict) -> bool {
    verdict.notes.iter().any(|note| note.contains("too small to test") || note.contains("not a proof"))
}

#[test]
fn no_order_is_searched_for_when_class_numbers_are_wrong() {
    let changed = |change: &dyn Fn(&mut Pair)| {
        let mut pair = Pair::sound(Format::Csv, 3, 5);
        change(&mut pair);
        pair.write().verify()
    };
    assert!(was_searched(&changed(&|_| {})));
    let not_a_number = changed(&|pair| [0, 1].into_iter().for_each(|table| pair.renumber(table, "2", Some("b"))));
    let in_one_table = changed(&|pair| pair.renumber(0, "2", Some("4")));
    let of_other_sizes = changed(&|pair| pair.move_a_row(0));
    for verdict in [not_a_number, in_one_table, of_other_sizes] {
        assert_eq!(kinds(&verdict), [FaultKind::ClassIds]);
        assert!(!was_searched(&verdict), "{:?}", verdict.notes);
    }
}

#[test]
fn no_order_is_searched_for_in_an_empty_release() {
    let mut pair = Pair::sound(Format::Csv, 0, 1);
    pair.write();
    for verdict in [pair.verify(), pair.verify_against()] {
        assert_eq!(kinds(&verdict), [FaultKind::Empty]);
        assert!(!was_searched(&verdict), "{:?}", verdict.notes);
    }
}

#[test]
fn an_order_of_sixty_rows_is_found_with_two_quasi_identifiers_and_not_with_forty_two() {
    // Each quasi-identifier is one more question, so that chance may go further.
    let in_one_order = |more: usize| {
        let mut pair = Pair::sound(Format::Csv, 15, 11);
        pair.orders[1] = pair.orders[0].clone();
        pair.fill();
        for at in 0..more {
            let name = format!("question {at}");
            pair.names[0].insert(3 + at, name.clone());
            pair.rows[0].iter_mut().for_each(|row| row.insert(3 + at, Some("yes".into())));
            let column = ColumnEntry { name, ..pair.manifest().columns[1].clone() };
            pair.manifest().columns.push(column);
        }
        pair.write().verify()
    };
    let (few, many) = (in_one_order(0), in_one_order(40));
    assert!(says(&few, FaultKind::RowOrder, "are in the same order"), "{:?}", few.faults);
    assert_eq!(many.faults, []);
    assert!(was_searched(&many), "{:?}", many.notes);
}
