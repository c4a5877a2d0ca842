//! Rows that are counted by one thread or by several, whole or in parts.

use std::sync::Arc;

use super::*;
use crate::count::ClassParts;
use crate::read::MISSING;

fn counter() -> Counter {
    Counter::new((0..4).map(|_| CellEncoder::plain()).collect(), 2)
}

fn add(counter: &mut Counter, rows: &[[&str; 4]]) {
    let mut columns = vec![Vec::new(); 4];
    for row in rows {
        for ((column, encoder), text) in columns.iter_mut().zip(counter.encoders()).zip(row) {
            column.push(if text.is_empty() { MISSING } else { encoder.texts.intern(text) });
        }
    }
    counter.add(&columns, rows.len());
}

fn text(encoder: &CellEncoder, code: u32) -> &str {
    encoder.texts.text(code).map_or("", |text| &**text)
}

/// Each class with its rows, and the rows of each value, by texts.
fn told(counter: Counter) -> Vec<String> {
    let mut told = Vec::new();
    let mut names = vec![String::new(); counter.sizes.len()];
    counter.each_class(|codes, class| {
        let [one, other] = [0, 1].map(|at| text(&counter.encoders[at], codes[at]));
        names[class as usize] = format!("{one}/{other}");
    });
    counter.each(|codes, rows| {
        told.push(format!("{}/{} {rows}", text(&counter.encoders[0], codes[0]), text(&counter.encoders[1], codes[1])));
    });
    let Counter { encoders, tallies, .. } = counter;
    for (tally, encoder) in tallies.into_iter().zip(&encoders[2..]) {
        for value in tally.finish() {
            told.push(format!("{} {:?} {}", names[value.class as usize], text(encoder, value.code), value.rows));
        }
    }
    told.sort();
    told
}

const ROWS: [[&str; 4]; 6] = [
    ["30", "Ulm", "flu", "a"],
    ["30", "", "cold", "b"],
    ["30", "Ulm", "flu", "b"],
    ["", "", "flu", ""],
    ["41", "Ulm", "gout", "b"],
    ["30", "Ulm", "", "b"],
];

fn of_rows() -> Vec<&'static str> {
    let mut told = vec![
        "30/Ulm 3",
        "30/ 1",
        "/ 1",
        "41/Ulm 1",
        "30/Ulm \"flu\" 2",
        "30/Ulm \"\" 1",
        "30/ \"cold\" 1",
        "/ \"flu\" 1",
        "41/Ulm \"gout\" 1",
        "30/Ulm \"a\" 1",
        "30/Ulm \"b\" 2",
        "30/ \"b\" 1",
        "/ \"\" 1",
        "41/Ulm \"b\" 1",
    ];
    told.sort_unstable();
    told
}

#[test]
fn rows_are_counted_by_class_and_value_whatever_the_batches() {
    for size in 1..=6 {
        let mut counter = counter();
        ROWS.chunks(size).for_each(|rows| add(&mut counter, rows));
        assert_eq!((counter.rows(), counter.classified(), counter.is_over()), (6, 2, false));
        assert_eq!(counter.whole_values(), [[0; 4].to_vec(), [0; 3].to_vec()], "not counted when there are no parts");
        assert_eq!(told(counter), of_rows(), "{size} rows at a time");
    }
}

#[test]
fn what_threads_counted_is_what_one_counts() {
    for cut in 0..=6 {
        let mut first = counter();
        add(&mut first, &ROWS[..cut]);
        let mut second = first.sibling();
        assert_eq!((second.rows(), second.classified(), second.sizes.len()), (0, 2, 0));
        // It meets the texts in another order.
        add(&mut second, &ROWS[cut..].iter().rev().copied().collect::<Vec<_>>());
        first.merge(second);
        assert_eq!(first.rows(), 6);
        assert_eq!(told(first), of_rows(), "cut after {cut} rows");
    }
}

fn in_part(count: u64, most: u64, number: u64) -> Counter {
    let hasher = Arc::new(ahash::RandomState::with_seeds(1, 2, 3, 4));
    counter().of(ClassPart::new(ClassParts::of(count, most), number, 2, &hasher))
}

#[test]
fn parts_are_the_whole_and_each_knows_the_values_of_all_rows() {
    for count in [1, 2, 5] {
        let mut all = Vec::new();
        for number in 0..count {
            let mut counter = in_part(count, 100, number);
            add(&mut counter, &ROWS[..2]);
            let mut sibling = counter.sibling();
            add(&mut sibling, &ROWS[3..].iter().rev().copied().collect::<Vec<_>>());
            counter.merge(sibling);
            add(&mut counter, &ROWS[2..3]);
            assert_eq!((counter.rows(), counter.is_over()), (6, false));
            let whole = counter.whole_values();
            for (at, values) in
                [(2, [("", 1), ("flu", 3), ("cold", 1), ("gout", 1)]), (3, [("", 1), ("a", 1), ("b", 4), ("b", 4)])]
            {
                for (value, rows) in values {
                    let code = counter.encoders[at].texts.code(value).unwrap_or(MISSING);
                    assert_eq!(whole[at - 2][code as usize], rows, "{value}");
                }
            }
            assert_eq!(whole.iter().map(Vec::len).collect::<Vec<_>>(), [4, 3]);
            all.extend(told(counter));
        }
        all.sort();
        assert_eq!(all, of_rows(), "{count} parts");
    }
}

#[test]
fn a_counter_of_no_rows_knows_of_each_value_that_it_has_none() {
    let mut counter = in_part(2, 100, 0);
    counter.encoders[2].texts.intern("flu");
    assert_eq!(counter.whole_values(), [vec![0, 0], vec![0]]);
}

#[test]
fn a_part_with_too_many_classes_is_over_on_every_thread() {
    let mut full = in_part(1, 2, 0);
    add(&mut full, &ROWS);
    assert!(!full.is_over(), "classes are looked at before rows are added");
    add(&mut full, &ROWS[..1]);
    assert!(full.is_over());
    assert_eq!((full.rows(), full.sizes.iter().sum::<u64>()), (7, 6), "rows that are left out are met");
    for (mut one, other, is_over) in
        [(in_part(1, 2, 0), in_part(1, 2, 0), false), (in_part(1, 2, 0), full.sibling(), true)]
    {
        let mut other = other;
        if is_over {
            assert!(other.is_over(), "a thread of a part that is over goes on with nothing");
        }
        add(&mut other, &ROWS[..1]);
        one.merge(other);
        assert_eq!(one.is_over(), is_over);
    }
    let empty = in_part(1, 2, 0);
    full.merge(empty);
    assert!(full.is_over(), "it stays over");
}
