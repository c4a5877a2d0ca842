//! Classes that are cut into bytes and put together again, and bytes that are none.

use super::*;

fn counter() -> Counter {
    Counter::new((0..3).map(|_| CellEncoder::plain()).collect(), 2)
}

fn add(counter: &mut Counter, rows: &[[&str; 3]]) {
    let mut columns = vec![Vec::new(); 3];
    for row in rows {
        for ((column, encoder), text) in columns.iter_mut().zip(counter.encoders()).zip(row) {
            column.push(if text.is_empty() { crate::read::MISSING } else { encoder.texts.intern(text) });
        }
    }
    counter.add(&columns, rows.len());
}

/// Each class with its rows and its values, by texts.
fn told(counter: Counter) -> Vec<String> {
    let text = |encoder: &CellEncoder, code| encoder.texts.text(code).map_or("–".into(), ToString::to_string);
    let mut names = vec![String::new(); counter.sizes.len()];
    counter.each_class(|codes, class| {
        let cells = codes.iter().zip(&counter.encoders).map(|(&code, encoder)| text(encoder, code));
        names[class as usize] = cells.collect::<Vec<_>>().join("/");
    });
    let mut told: Vec<String> = names.iter().zip(&counter.sizes).map(|(name, rows)| format!("{name} {rows}")).collect();
    let Counter { encoders, tallies, .. } = counter;
    for value in tallies.into_iter().flat_map(super::super::ValueTally::finish) {
        told.push(format!("{} {} {}", names[value.class as usize], text(&encoders[2], value.code), value.rows));
    }
    told.sort();
    told
}

#[test]
fn classes_that_were_cut_and_put_together_are_those_that_were_counted() {
    let rows = [["30", "Ulm", "flu"], ["30", "Ulm", "flu"], ["", "Ulm", "cold"], ["30", "", ""], ["41", "Wien", "flu"]];
    let mut whole = counter();
    add(&mut whole, &rows);
    add(&mut whole, &rows[..3]);
    let expected = told(whole);
    let [mut one, mut other] = [counter(), counter()];
    // Texts are met in another order, and so have other codes.
    add(&mut one, &rows.iter().rev().copied().collect::<Vec<_>>());
    add(&mut other, &rows[..3]);
    let cut = [one, other].map(|counter| counter.cut(3, b"salt"));
    let mut found = Vec::new();
    for part in 0..3 {
        let mut counter = counter();
        cut.iter().try_for_each(|parts| counter.add_bytes(&parts[part])).expect("counts");
        found.extend(told(counter));
    }
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn bytes_that_are_cut_off_or_longer_are_no_counts() {
    let mut one = counter();
    add(&mut one, &[["30", "Ulm", "flu"]]);
    let bytes = one.cut(1, b"").remove(0);
    for end in 0..bytes.len() {
        assert_eq!(counter().add_bytes(&bytes[..end]), Err(NotCounts), "{end} of {} bytes", bytes.len());
    }
    assert_eq!(counter().add_bytes(&[&bytes[..], &[0]].concat()), Err(NotCounts));
    assert_eq!(counter().add_bytes(&bytes), Ok(()));
}

#[test]
fn the_bytes_of_a_part_are_its_texts_classes_and_values() {
    let mut one = counter();
    add(&mut one, &[["30", "Ulm", "flu"], ["30", "", "cold"], ["30", "Ulm", "flu"], ["30", "Ulm", ""]]);
    let bytes = one.cut(1, b"salt").remove(0);
    let text = |text: &str| [&u32::try_from(text.len()).expect("short").to_le_bytes(), text.as_bytes()].concat();
    let numbers = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let longs = |numbers: &[u64]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let value = |class, code, rows| [numbers(&[class, code]), longs(&[rows])].concat();
    // Values come in the order of classes and then of codes: a missing one first.
    let expected = [
        [numbers(&[1]), text("30")].concat(),
        [numbers(&[1]), text("Ulm")].concat(),
        [numbers(&[2]), text("flu"), text("cold")].concat(),
        [numbers(&[2, 1, 1, 1, 0]), longs(&[3, 1])].concat(),
        [numbers(&[3]), value(0, 0, 1), value(0, 1, 2), value(1, 2, 1)].concat(),
    ];
    assert_eq!(bytes, expected.concat());
    let mut read = counter();
    assert_eq!(read.add_bytes(&bytes), Ok(()));
    assert_eq!(read.add_bytes(&bytes), Ok(()), "counts are added up");
    assert_eq!(told(read), ["30/Ulm 6", "30/Ulm flu 4", "30/Ulm – 2", "30/– 2", "30/– cold 2"]);
}

/// The parts were computed with Python's `hashlib`.
#[test]
fn every_machine_finds_the_same_part_for_a_class() {
    let classes = [
        ["30", "Ulm", ""],
        ["", "Ulm", ""],
        ["30", "", ""],
        ["41", "Wien", ""],
        ["", "", ""],
        ["52", "Bonn", ""],
        ["52", "Ulm", ""],
    ];
    for (salt, expected) in [("salt", [1, 0, 2, 3, 2, 1, 3]), ("", [1, 3, 2, 2, 1, 2, 1])] {
        for (class, expected) in classes.iter().zip(expected) {
            let mut one = counter();
            // Another class before it gives it other codes.
            add(&mut one, &[["7", "Graz", "flu"], *class]);
            let name = class.map(|cell| if cell.is_empty() { "–" } else { cell });
            let name = format!("{}/{} 1", name[0], name[1]);
            for (at, bytes) in one.cut(5, salt.as_bytes()).iter().enumerate() {
                let mut part = counter();
                assert_eq!(part.add_bytes(bytes), Ok(()));
                assert_eq!(told(part).contains(&name), at == expected, "{name} in part {at} with the salt {salt}");
            }
        }
    }
}

#[test]
fn bytes_whose_numbers_name_nothing_are_no_counts() {
    let mut one = counter();
    add(&mut one, &[["30", "Ulm", "flu"]]);
    let bytes = one.cut(1, b"").remove(0);
    // The count of texts, a length, a text, twice more; the count of classes, two codes, the rows; values likewise.
    for (at, value) in [
        (0, 0),
        (0, 2),
        (4, 1),
        (4, 3),
        (4, 255),
        (8, 0xff),
        (10, 0),
        (10, 2),
        (32, 0),
        (36, 2),
        (40, 2),
        (40, 0xff),
        (52, 0),
        (52, 2),
        (56, 1),
        (60, 2),
    ] {
        let mut edited = bytes.clone();
        edited[at] = value;
        assert_eq!(counter().add_bytes(&edited), Err(NotCounts), "{value} at {at} of {bytes:?}");
    }
    for at in [36, 40, 60] {
        let mut edited = bytes.clone();
        edited[at] = 0;
        assert_eq!(counter().add_bytes(&edited), Ok(()), "a missing value at {at}");
    }
    assert_eq!(counter().add_bytes(&[0xff; 40]), Err(NotCounts));
}

#[test]
fn numbers_are_read_with_their_last_byte_first() {
    let mut reader = Reader(&[1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(reader.number(), Ok(0x0403_0201));
    assert_eq!(reader.long(), Ok(0x0807_0605_0403_0201));
    assert_eq!(reader.number(), Err(NotCounts));
    assert_eq!(reader.take(2), Err(NotCounts));
    assert_eq!(reader.take(0), Ok(&[][..]));
    assert_eq!(reader.take(1), Ok(&[9][..]));
    assert_eq!(reader.take(1), Err(NotCounts));
}

#[test]
fn values_stay_with_their_columns() {
    let new = || Counter::new((0..3).map(|_| CellEncoder::plain()).collect(), 1);
    let mut one = new();
    add(&mut one, &[["30", "x", "flu"], ["30", "y", "flu"], ["41", "y", "cold"]]);
    let mut read = new();
    assert_eq!(read.add_bytes(&one.cut(1, b"").remove(0)), Ok(()));
    let Counter { encoders, tallies, .. } = read;
    let mut found = Vec::new();
    for (tally, encoder) in tallies.into_iter().zip(&encoders[1..]) {
        for value in tally.finish() {
            found.push(format!("{:?} {}", encoder.texts.text(value.code), value.rows));
        }
    }
    assert_eq!(found.join(", "), r#"Some("x") 1, Some("y") 1, Some("y") 1, Some("flu") 2, Some("cold") 1"#);
}
