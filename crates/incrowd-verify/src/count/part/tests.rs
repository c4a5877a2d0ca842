//! Into how many parts classes are cut, and which rows belong to a part.

use super::*;
use crate::count::Counter;
use crate::read::{MISSING, RowSink};

fn manifest(rows: u64, classes: u64) -> Manifest {
    let json = serde_json::json!({
        "incrowd": 1, "policy": { "models": [] }, "counts": "rows", "source_rows": 9, "rows": rows, "suppressed_rows": 0,
        "classes": classes, "smallest_class": 1, "columns": [], "files": []
    });
    serde_json::from_value(json).expect("a manifest")
}

#[test]
fn the_number_of_parts_follows_from_the_memory() {
    let parts = |rows, classes, columns, sensitive, memory| {
        let parts = ClassParts::new(&manifest(rows, classes), columns, sensitive, memory);
        (parts.count(), parts.most_classes)
    };
    assert_eq!(parts(u64::MAX, u64::MAX, 9, 9, None), (1, u64::MAX));
    // A class of 11 columns takes 300 bytes, and 70 % of the memory are for classes.
    for (rows, classes, columns, sensitive, memory, expected) in [
        (0, 0, 11, 0, 100_000_000, (1, 233_333)),
        (9, 1_000_000, 11, 0, 100_000_000, (5, 233_333)),
        (9, 233_333, 11, 0, 100_000_000, (1, 233_333)),
        (9, 233_334, 11, 0, 100_000_000, (2, 233_333)),
        (1_000_000, 1_000_000, 11, 1, 100_000_000, (5, 233_333)),
        (1_000_000, 1_000_000, 11, 3, 100_000_000, (7, 233_333)),
        (1_000_000, 1_000_000, 0, 3, 100_000_000, (6, 273_437)),
        // At least a byte, at least 1024 classes in a part, at most 4096 parts.
        (0, 4_096, 11, 0, 43_886, (41, 1_024)),
        (0, 1, 11, 0, 99, (300, 1_024)),
        (0, 13, 11, 0, 0, (3_900, 1_024)),
        (0, 14, 11, 0, 0, (4_096, 1_024)),
        (u64::MAX, u64::MAX, 11, 3, 100_000_000, (4_096, 233_333)),
        (0, 1_024, 11, 0, 438_900, (1, 1_024)),
        (0, 1_024, 11, 0, 439_400, (1, 1_025)),
    ] {
        let found = parts(rows, classes, columns, sensitive, Some(memory));
        assert_eq!(found, expected, "{rows} rows, {classes} classes, {columns} + {sensitive} columns, {memory} bytes");
    }
    for count in [1, 3] {
        let halved = ClassParts::of(count, 9).halved();
        assert_eq!((halved.count(), halved.most_classes), (2 * count, 9));
    }
}

fn part(count: u64, most_classes: u64, number: u64) -> ClassPart {
    ClassPart::new(ClassParts::of(count, most_classes), number, 2, &Arc::new(RandomState::with_seeds(1, 2, 3, 4)))
}

#[test]
fn a_part_with_too_many_classes_ends_unless_there_are_too_many_parts() {
    for (count, classes, goes_on) in [
        (1, 0, true),
        (1, 9, true),
        (1, 10, false),
        (MOST_PARTS - 1, 10, false),
        (MOST_PARTS, 10, true),
        (MOST_PARTS, 9, true),
    ] {
        let mut part = part(count, 9, 0);
        assert!(!part.over);
        assert_eq!(part.goes_on(classes), goes_on, "{classes} classes in one of {count} parts");
        assert_eq!(part.over, !goes_on);
        assert_eq!(part.goes_on(0), goes_on, "what was left out stays left out");
    }
    assert!(part(1, 9, 0).is_all());
    assert!(!part(2, 9, 0).is_all());
}

/// A thousand rows of 500 classes, as columns of texts.
fn rows() -> Vec<[String; 2]> {
    (0..1_000).map(|row| [format!("{}", row % 20), format!("{}", row % 500 / 20)]).collect()
}

fn add(counter: &mut Counter, rows: &[[String; 2]]) {
    let mut columns = vec![Vec::new(); 2];
    for row in rows {
        for ((column, encoder), text) in columns.iter_mut().zip(counter.encoders()).zip(row) {
            column.push(if text == "0" { MISSING } else { encoder.texts.intern(text) });
        }
    }
    counter.add(&columns, rows.len());
}

#[test]
fn every_class_is_counted_in_one_part_whatever_its_codes_and_parts_are_about_equal() {
    let hasher = Arc::new(RandomState::with_seeds(1, 2, 3, 4));
    let parts = ClassParts::of(4, 1_000);
    let mut met = std::collections::BTreeMap::new();
    for number in 0..4 {
        let new = || Counter::new((0..2).map(|_| CellEncoder::plain()).collect(), 2);
        let mut counter = new().of(ClassPart::new(parts, number, 2, &hasher));
        let (first, second) = (&rows()[..300], &rows()[300..]);
        add(&mut counter, first);
        // Another thread meets the texts in another order.
        let mut sibling = crate::read::MergeableSink::sibling(&counter);
        add(&mut sibling, &second.iter().rev().cloned().collect::<Vec<_>>());
        crate::read::MergeableSink::merge(&mut counter, sibling);
        assert_eq!(counter.rows(), 1_000, "rows of all parts were met");
        let mut classes = 0;
        counter.each(|codes, rows| {
            classes += 1;
            let texts = [0, 1].map(|at| counter.encoders[at].texts.text(codes[at]).map(ToString::to_string));
            assert_eq!(met.insert(texts, rows), None, "in one part only");
        });
        // The mean is 125, the standard deviation 10.
        assert!((75..175).contains(&classes), "{classes} of 500 classes in part {number}");
    }
    assert_eq!(met.len(), 500);
    assert!(met.values().all(|&rows| rows == 2), "{met:?}");
}

#[test]
fn rows_of_a_part_are_told_by_their_places() {
    let mut encoders: Vec<CellEncoder> = (0..2).map(|_| CellEncoder::plain()).collect();
    let code = encoders[0].texts.intern("Ulm");
    let columns = [vec![code, MISSING, code, MISSING], vec![MISSING, MISSING, MISSING, MISSING]];
    assert_eq!(part(1, 9, 0).rows(&encoders, &columns, 4), [0, 1, 2, 3]);
    let mut found: Vec<usize> = Vec::new();
    for number in 0..64 {
        let rows = part(64, 9, number).rows(&encoders, &columns, 4);
        assert!([[0, 2], [1, 3]].iter().all(|[one, other]| rows.contains(one) == rows.contains(other)), "{rows:?}");
        found.extend(rows);
    }
    found.sort_unstable();
    assert_eq!(found, [0, 1, 2, 3]);
}

/// Computed with Python.
#[test]
fn a_hash_is_mixed_so_that_all_of_its_bits_change_the_first_ones() {
    for (hash, expected) in [
        (0, 0),
        (1, 0x4179_b061_a1b9_50b1),
        (1 << 63, 0x7244_6bbc_8483_f26b),
        (0x0123_4567_89ab_cdef, 0x3efd_ea49_fb6d_1ea5),
        (u64::MAX, 0x448e_29ce_909e_1d97),
    ] {
        assert_eq!(mixed(hash), expected, "{hash:x}");
    }
}
