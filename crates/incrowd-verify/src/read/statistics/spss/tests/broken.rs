//! Files that say what cannot be.

use super::*;

#[test]
fn the_first_letters_tell_whether_it_is_such_a_file() {
    for (first, is_read) in [(b"$FL2", true), (b"$FL3", true), (b"$FL4", false), (b"$fl2", false)] {
        let mut file = numbers(false, 0, 1);
        file.number(1.5);
        file.bytes[..4].copy_from_slice(first);
        assert_eq!(file.read().is_some(), is_read);
    }
}

#[test]
fn rows_are_as_many_as_the_file_says_and_whole() {
    let town = |rows: i32, elements: usize| {
        let mut file = Written::new(false, 0, rows);
        file.column(16, "TOWN", 1, 0).rests(1).end();
        for _ in 0..elements {
            file.text("Bonn", 8);
        }
        file.read().map(|columns| columns[0].cells.len())
    };
    assert_eq!((town(2, 4), town(-1, 4), town(0, 0), town(-1, 0)), (Some(2), Some(2), Some(0), Some(0)));
    // A row more, a row less, half a row.
    assert_eq!((town(1, 4), town(3, 4), town(4, 4), town(-1, 3), town(1, 3)), (None, None, None, None, None));
    let mut none = Written::new(false, 0, -1);
    none.end().number(1.0);
    assert!(none.read().is_none(), "no column");
}

#[test]
fn a_part_of_an_unknown_kind_is_refused() {
    for kind in [0, 1, 4, 5, 8, 998, 1000] {
        let mut file = Written::new(false, 0, 1);
        file.column(0, "PAY", 5, 0).ints(&[kind]).end().number(1.0);
        assert!(file.read().is_none(), "{kind}");
    }
}

#[test]
fn labels_of_values_name_their_columns_behind_them() {
    let labelled = |kind: i32, column: i32| {
        let mut file = Written::new(false, 0, 1);
        file.column(0, "PAY", 5, 0);
        file.ints(&[3, 1]).number(1.0).raw(&[3]).text("one", 7).ints(&[kind, 1, column]);
        file.end().number(1.0);
        file.read().map(|columns| columns[0].labels.len())
    };
    assert_eq!(labelled(4, 1), Some(1));
    assert_eq!(labelled(4, 2), Some(0), "a column that is not there");
    assert_eq!((labelled(4, 0), labelled(5, 1), labelled(4, -1)), (None, None, None));
}

#[test]
fn long_labels_that_reach_beyond_their_part_are_refused() {
    let labelled = |sizes: [i32; 3]| {
        let mut long = Written { big: false, bytes: Vec::new() };
        long.ints(&sizes[..1]).text("PAY", 3).ints(&[8, 1]);
        long.ints(&sizes[1..2]).text("1", 1).ints(&sizes[2..]).text("one", 3);
        let mut file = Written::new(false, 0, 1);
        file.column(0, "PAY", 5, 0).later(21, &long.bytes).end().number(1.0);
        file.read().map(|columns| columns[0].labels.clone())
    };
    assert_eq!(labelled([3, 1, 3]).expect("whole").get("1").map(String::as_str), Some("one"));
    for sizes in [[3, 1, 4], [-1, 1, 3], [3, 1, 2], [4, 1, 3]] {
        assert_eq!(labelled(sizes), None);
    }
}

#[test]
fn lengths_are_compared_with_the_bytes_there_are() {
    let mut bytes = Bytes { all: b"0123456789", at: 0, big: false };
    assert_eq!(bytes.take(4), Some(&b"0123"[..]));
    assert_eq!((bytes.take(7), bytes.take(usize::MAX), bytes.at), (None, None, 4));
    assert_eq!((bytes.take(6), bytes.take(0), bytes.take(1)), (Some(&b"456789"[..]), Some(&b""[..]), None));
    let sizes = |big: bool, all: &[u8]| Bytes { all, at: 0, big }.size();
    assert_eq!((sizes(false, &[1, 2, 0, 0]), sizes(true, &[0, 0, 1, 2])), (Some(513), Some(258)));
    assert_eq!((sizes(false, &[0, 0, 0, 0x80]), sizes(true, &[0, 0, 0])), (None, None));
}

#[test]
fn a_long_text_without_its_parts_is_refused() {
    let parts = |size: &str| {
        let mut file = Written::new(false, 0, 1);
        file.column(8, "NOTE", 1, 0).column(8, "NOTE0", 1, 0).later(14, format!("NOTE={size}\0\t").as_bytes());
        file.end().text("aaaaaaaa", 8).text("bbbbbbbb", 8);
        file.read().map(|columns| columns.iter().map(|column| cells(column)[0].to_owned()).collect::<Vec<_>>())
    };
    let owned = |texts: &[&str]| Some(texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>());
    assert_eq!(parts("00255"), owned(&["aaaaaaaa", "bbbbbbbb"]), "a text of up to 255 bytes is one column");
    assert_eq!(parts("00256"), owned(&["aaaaaaaabbbbbbbb"]));
    assert_eq!(parts("00504"), owned(&["aaaaaaaabbbbbbbb"]));
    assert_eq!(parts("00505"), None);
    assert_eq!(parts("many"), owned(&["aaaaaaaa", "bbbbbbbb"]), "a size that is no number");
}
