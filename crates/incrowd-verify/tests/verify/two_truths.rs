//! Two tables held against the original: rows, classes and withheld rows.

use incrowd_verify::{FaultKind, Format, Verdict};
use proptest::prelude::*;

use crate::pair::{FORMATS, Pair};
use crate::support::{Row, kinds};

fn against(change: impl FnOnce(&mut Pair)) -> Verdict {
    let mut pair = Pair::sound(Format::Csv, 5, 3);
    pair.manifest().policy.models.truncate(1);
    change(&mut pair);
    pair.write().verify_against()
}

#[test]
fn a_sound_release_is_true_in_every_format() {
    for format in FORMATS {
        assert_eq!(Pair::sound(format, 20, 4).write().verify_against().faults, [], "{format:?}");
    }
}

#[test]
fn cells_of_two_tables_keep_the_form_of_dates_and_numbers_of_the_original() {
    let mut pair = Pair::sound(Format::Csv, 5, 3);
    for (row, cells) in pair.original.iter_mut().enumerate() {
        (cells[1], cells[4]) = (Some(format!("{}.12.1980", 10 + row)), Some(format!("{row},50")));
    }
    let verdict = pair.fill().write().verify_against_as(|original| {
        original.date_formats.insert("age".into(), "%d.%m.%Y".into());
        original.decimal_commas.insert("pay".into());
    });
    assert_eq!(verdict.faults, []);
}

#[test]
fn rows_that_the_original_has_not_are_told_in_either_table() {
    for (table, at) in [(0, 0), (0, 2), (1, 1), (1, 2)] {
        let verdict = against(|pair| pair.rows[table][0][at] = Some("900".into()));
        assert_eq!(kinds(&verdict), [FaultKind::Untruthful]);
        assert!(verdict.faults[0].message.starts_with("1 of 20 rows"), "{:?}", verdict.faults);
    }
}

#[test]
fn a_row_that_stands_twice_and_another_not_at_all_is_told() {
    let verdict = against(|pair| {
        let class = pair.rows[0][0][3].clone();
        let other = pair.rows[0].iter().rposition(|row| row[3] == class).unwrap();
        pair.rows[0][0] = pair.rows[0][other].clone();
    });
    assert_eq!(kinds(&verdict), [FaultKind::Untruthful]);
}

#[test]
fn values_swapped_between_classes_are_told() {
    // Every person has an illness and a place of their own, so a swap leaves no row of the original.
    let verdict = against(|pair| {
        for (row, cells) in pair.original.iter_mut().enumerate() {
            (cells[1], cells[2]) = (Some(format!("{row}")), Some(format!("i{row}")));
        }
        pair.fill();
        let other = pair.rows[1].iter().position(|row| row[0] != pair.rows[1][0][0]).unwrap();
        let id = pair.rows[1][0][0].clone();
        pair.rows[1][0][0] = pair.rows[1][other][0].clone();
        pair.rows[1][other][0] = id;
    });
    assert_eq!(kinds(&verdict), [FaultKind::Untruthful; 2]);
    assert!(
        verdict.faults[0].message.starts_with("2 of 20 rows of people.csv cannot be matched"),
        "{:?}",
        verdict.faults
    );
}

#[test]
fn tables_that_withhold_different_people_are_told() {
    let verdict = against(|pair| {
        for (row, cells) in pair.original.iter_mut().enumerate() {
            (cells[1], cells[2]) = (Some(format!("{row}")), Some(format!("i{row}")));
        }
        // One person of one class is withheld in one table, and another of the same class in the other.
        let class = pair.class_of[0];
        let other = pair.class_of.iter().rposition(|of| *of == class).unwrap();
        pair.orders[0].retain(|row| *row != 0);
        pair.orders[1].retain(|row| *row != other);
        pair.manifest().policy.suppression = 0.1;
        pair.fill();
    });
    assert!(kinds(&verdict).contains(&FaultKind::LostOrInvented), "{:?}", verdict.faults);
}

#[test]
fn lost_and_invented_rows_are_told() {
    let verdict = against(|pair| pair.original.push(pair.original[0].clone()));
    assert_eq!(kinds(&verdict), [FaultKind::LostOrInvented]);
    let verdict = against(|pair| drop(pair.original.pop()));
    assert!(kinds(&verdict).contains(&FaultKind::LostOrInvented) && kinds(&verdict).contains(&FaultKind::Untruthful));
}

#[test]
fn an_original_without_a_column_is_told() {
    let verdict = against(|pair| pair.manifest().columns[0].name = "other".into());
    assert_eq!(verdict.faults, []);
    let mut pair = Pair::sound(Format::Csv, 5, 3);
    pair.names[1][2] = "wage".into();
    pair.manifest().columns[4].name = "wage".into();
    pair.write();
    pair.manifest().columns[4].name = "pay".into();
    assert_eq!(kinds(&pair.verify_against()), [FaultKind::Columns]);
}

/// Whether the published rows can be put together from rows of the original, by trying all ways.
fn brute(original: &[(u8, u8)], used: &mut Vec<bool>, classes: &[[Vec<u8>; 2]]) -> bool {
    let Some(([firsts, seconds], rest)) = classes.split_first() else { return true };
    let Some((&first, firsts)) = firsts.split_first() else { return brute(original, used, rest) };
    (0..original.len()).filter(|row| !used[*row]).collect::<Vec<_>>().into_iter().any(|row| {
        let at = seconds.iter().position(|second| *second == original[row].1);
        let (true, Some(at)) = (original[row].0 == first, at) else { return false };
        let mut seconds = seconds.clone();
        seconds.remove(at);
        let mut classes = classes.to_vec();
        classes[0] = [firsts.to_vec(), seconds];
        used[row] = true;
        let found = brute(original, used, &classes);
        used[row] = false;
        found
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_true_release_is_never_refused_and_refused_ones_are_untrue(
        people in prop::collection::vec((0u8..4, 0u8..4), 8),
        swaps in prop::collection::vec((0usize..8, 0usize..8), 0..3),
        table in 0usize..2,
        withheld in any::<bool>(),
    ) {
        let mut pair = Pair::sound(Format::Csv, 2, 9);
        pair.manifest().policy.models.truncate(1);
        pair.manifest().policy.suppression = 0.5;
        for (cells, (first, second)) in pair.original.iter_mut().zip(&people) {
            let cells_of = |text: String| Some(text);
            let row: Row = vec![None, cells_of(first.to_string()), cells_of(second.to_string()), None, None, None];
            *cells = row;
        }
        if withheld {
            pair.orders.iter_mut().for_each(|order| order.retain(|row| *row != 5));
        }
        pair.fill();
        let at = [3, 0][table];
        for (one, other) in swaps {
            // Ids swapped between rows of one table: sizes stay.
            let rows = &mut pair.rows[table];
            let (one, other) = (one % rows.len(), other % rows.len());
            let id = rows[one][at].clone();
            rows[one][at] = rows[other][at].clone();
            rows[other][at] = id;
        }
        let class = |id: &str| -> [Vec<u8>; 2] {
            let of = |table: usize, at: usize, value: usize| {
                let rows = pair.rows[table].iter().filter(|row| row[at].as_deref() == Some(id));
                rows.map(|row| row[value].as_ref().unwrap().parse().unwrap()).collect()
            };
            [of(0, 3, 0), of(1, 0, 1)]
        };
        let is_true = brute(&people, &mut [false; 8].to_vec(), &[class("1"), class("2")]);
        let verdict = pair.write().verify_against();
        prop_assert!(!is_true || verdict.faults.is_empty(), "{:?}", verdict.faults);
    }
}
