//! Every length that a file states is compared with the bytes there are.

use super::*;

/// The parts of a file with tags that are looked at: their place in the map, their tag, the tag of an item.
const PARTS: [(usize, &str, &str); 3] =
    [(8, "characteristics", "<ch>"), (10, "strls", "GSO"), (11, "value_labels", "<lbl>")];

/// As much of a file with tags as is looked at, and where the length of the second item of each part stands, and what
/// stands behind that length in the item beside as many bytes.
fn tagged(release: &str, order: ByteOrder) -> (Vec<u8>, Vec<(usize, usize)>) {
    let around = |part: usize| match (part, release) {
        (8, _) => (0, 5),
        (10, "117") => (9, 0),
        (10, _) => (13, 0),
        (_, "117") => (0, 33 + 9),
        _ => (0, 129 + 9),
    };
    let named = if order == ByteOrder::BigEndian { "MSF" } else { "LSF" };
    let head = format!("<stata_dta><header><release>{release}</release><byteorder>{named}</byteorder><K>");
    let mut bytes = head.into_bytes();
    bytes.extend(bytes_of(2, if release == "119" { 4 } else { 2 }, order));
    bytes.extend(format!("</K>{}<map>", " ".repeat(300)).bytes());
    let map = bytes.len();
    bytes.resize(map + 14 * 8, 0);
    bytes.extend(b"</map>");
    let mut lengths = Vec::new();
    for (entry, tag, item) in PARTS {
        let (before, behind) = around(entry);
        let at = bytes_of(bytes.len(), 8, order);
        bytes[map + 8 * entry..][..8].copy_from_slice(&at);
        bytes.extend(format!("<{tag}>").bytes());
        for length in [300, 7] {
            bytes.extend(format!("{item}{:before$}", "").bytes());
            lengths.extend((length == 7).then_some((bytes.len(), behind)));
            bytes.extend(bytes_of(length, 4, order));
            bytes.resize(bytes.len() + length + behind, b'x');
        }
        bytes.extend(format!("</{tag}>").bytes());
    }
    (bytes, lengths)
}

#[test]
fn an_item_ends_within_the_file() {
    for release in ["117", "118", "119"] {
        for order in ORDERS {
            let (bytes, lengths) = tagged(release, order);
            assert!(lengths_fit(&bytes).is_some(), "{release}");
            for (at, behind) in lengths {
                let left = bytes.len() - at - 4 - behind;
                for (length, fits) in [(0, true), (left, true), (left + 1, false), (0xffff_ffff, false)] {
                    let mut edited = bytes.clone();
                    edited[at..at + 4].copy_from_slice(&bytes_of(length, 4, order));
                    assert_eq!(lengths_fit(&edited).is_some(), fits, "{release} {order:?} at {at}: {length}");
                }
            }
        }
    }
}

#[test]
fn a_part_is_where_the_file_says() {
    for (_, tag, _) in PARTS {
        let (mut bytes, _) = tagged("118", ByteOrder::LittleEndian);
        let tag = format!("<{tag}>");
        let at = bytes.windows(tag.len()).position(|part| part == tag.as_bytes()).expect("a tag");
        bytes[at + 1] ^= 0x20;
        assert_eq!(lengths_fit(&bytes), None, "{tag}");
    }
    for tag in ["<release>", "<K>", "<map>"] {
        let (mut bytes, _) = tagged("118", ByteOrder::LittleEndian);
        let at = bytes.windows(tag.len()).position(|part| part == tag.as_bytes()).expect("a tag");
        bytes[at] = b' ';
        assert_eq!(lengths_fit(&bytes), None, "{tag}");
    }
}

#[test]
fn there_are_fewer_columns_than_bytes() {
    let counted = |release: &str, order: ByteOrder, count: &dyn Fn(usize) -> usize| {
        let (mut bytes, _) = tagged(release, order);
        let at = bytes.windows(3).position(|part| part == b"<K>").expect("a tag") + 3;
        let number = bytes_of(count(bytes.len()), if release == "119" { 4 } else { 2 }, order);
        bytes[at..at + number.len()].copy_from_slice(&number);
        lengths_fit(&bytes).is_some()
    };
    for release in ["117", "118", "119"] {
        for order in ORDERS {
            assert!(counted(release, order, &|bytes| bytes - 1), "{release}");
            assert!(!counted(release, order, &|bytes| bytes), "{release}");
        }
    }
    for order in ORDERS {
        assert!(!counted("119", order, &|_| 0x0100_0005), "more than two bytes hold");
    }
}

/// The bytes of the rows of an older file below.
const ROWS: usize = 2 * (1 + 2 + 4 + 4 + 8 + 5);

#[test]
fn an_older_file_ends_only_behind_a_part() {
    let kinds = [
        (VariableType::Byte, "a", "%8.0g", ""),
        (VariableType::Int, "b", "%8.0g", ""),
        (VariableType::Long, "c", "%8.0g", ""),
        (VariableType::Float, "d", "%8.0g", ""),
        (VariableType::Double, "e", "%8.0g", ""),
        (VariableType::FixedString(5), "f", "%5s", ""),
    ];
    let row = vec![
        Value::Byte(StataByte::Present(1)),
        Value::Int(StataInt::Present(30_000)),
        Value::Long(StataLong::Present(3)),
        Value::Float(StataFloat::Present(4.0)),
        Value::Double(StataDouble::Present(5.0)),
        Value::string("sixth"),
    ];

    for release in [104, 105, 107, 108, 109, 110, 115] {
        for order in ORDERS {
            let mut bytes =
                written(release, order, &kinds, &[row.clone(), row.clone()], &LongStringTable::for_writing());
            let wide = if release >= 110 { 4 } else { 2 };
            let mut described = bytes.len() - ROWS;
            if release >= 105 {
                // Characteristics, in front of the end of their list.
                described -= 1 + wide;
                for length in [300, 5] {
                    let item = [vec![1], bytes_of(length, wide, order), vec![b'c'; length]].concat();
                    bytes.splice(described..described, item);
                }
            }
            let mut ends = vec![bytes.len()];
            for name in ["first", "second"] {
                bytes.extend(label_set(release, order, name, ["one", "two"]));
                ends.push(bytes.len());
            }
            for length in (described..described + 20).chain(bytes.len() - 250..=bytes.len()) {
                let fits = if release < 108 { length >= ends[0] } else { ends.contains(&length) };
                let is_read = older_lengths_fit(&bytes[..length.min(bytes.len())], UTF_8).is_some();
                assert_eq!(is_read, fits, "version {release} {order:?}: {length} of {}", bytes.len());
            }
        }
    }
}

#[test]
fn a_part_is_not_looked_for_elsewhere_than_it_is_read() {
    let kinds = [(VariableType::Int, "a", "%8.0g", "")];
    let row = vec![Value::Int(StataInt::Present(7))];
    for release in [117, 118, 119] {
        for order in ORDERS {
            let bytes = written(release, order, &kinds, &[row.clone(), row.clone()], &LongStringTable::for_writing());
            assert!(columns(&bytes, None).is_some());
            let map = bytes.windows(5).position(|part| part == b"<map>").expect("a map") + 5;
            for (entry, tag, _) in PARTS {
                // A part without items stands behind the file as well.
                let mut twice = bytes.clone();
                twice[map + 8 * entry..][..8].copy_from_slice(&bytes_of(bytes.len(), 8, order));
                twice.extend(format!("<{tag}></{tag}>").bytes());
                assert!(lengths_fit(&twice).is_some(), "{release} {tag}");
                assert!(columns(&twice, None).is_none(), "{release} {tag}");
            }
        }
    }
}

#[test]
fn nothing_stands_between_the_rows_and_the_long_texts() {
    let kinds = [(VariableType::Int, "a", "%8.0g", "")];
    let (row, part) = (vec![Value::Int(StataInt::Present(7))], b"<strls></strls>");
    for release in [117, 118, 119] {
        for order in ORDERS {
            let mut bytes =
                written(release, order, &kinds, &[row.clone(), row.clone()], &LongStringTable::for_writing());
            let place = |part: &[u8]| bytes.windows(part.len()).position(|other| other == part).expect("a part");
            let (map, strls) = (place(b"<map>") + 5, place(b"<strls>"));
            // A second part for long texts, to which the file points, and from which on all parts follow.
            bytes.splice(strls..strls, part.iter().copied());
            for (entry, at) in [(10, strls + part.len()), (11, strls + 2 * part.len())] {
                bytes[map + 8 * entry..][..8].copy_from_slice(&bytes_of(at, 8, order));
            }
            let parts = lengths_fit(&bytes).expect("lengths within the file");
            assert_eq!(parts_follow(&bytes, UTF_8, parts), None, "{release} {order:?}");
        }
    }
}

#[test]
fn the_end_of_the_characteristics_of_an_older_file_has_no_length() {
    let kinds = [(VariableType::Int, "a", "%8.0g", "")];
    let row = vec![Value::Int(StataInt::Present(7))];
    for (release, wide) in [(105, 2), (115, 4)] {
        let order = ByteOrder::LittleEndian;
        let bytes = written(release, order, &kinds, std::slice::from_ref(&row), &LongStringTable::for_writing());
        let described = bytes.len() - 2 - 1 - wide;
        for (kind, fits) in [(1, true), (3, true), (0, false)] {
            let mut edited = bytes.clone();
            let item = [vec![kind], bytes_of(5, wide, order), vec![0; 5]].concat();
            edited.splice(described..described, item);
            assert_eq!(older_lengths_fit(&edited, UTF_8).is_some(), fits, "version {release}, kind {kind}");
        }
    }
}

#[test]
fn rows_without_bytes_are_refused_whatever_their_number() {
    let none = LongStringTable::for_reading();
    for (release, at) in [(107, 6), (115, 6)] {
        let mut bytes = written(release, ByteOrder::LittleEndian, &[], &[], &none);
        assert!(columns(&bytes, None).is_some(), "{release}");
        bytes[at..at + 4].copy_from_slice(&(1u32 << 30).to_le_bytes());
        assert!(columns(&bytes, None).is_none(), "{release}");
    }
    for release in [117, 118, 119] {
        let mut bytes = written(release, ByteOrder::LittleEndian, &[], &[], &none);
        assert!(columns(&bytes, None).is_some(), "{release}");
        let at = bytes.windows(3).position(|part| part == b"<N>").expect("a number of rows") + 3;
        bytes[at..at + 4].copy_from_slice(&(1u32 << 30).to_le_bytes());
        assert!(columns(&bytes, None).is_none(), "{release}");
    }
}
