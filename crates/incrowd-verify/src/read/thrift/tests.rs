//! Numbers in Thrift's compact protocol: each kind of value, and bytes that do not end as they promise.

use super::*;

#[test]
fn a_number_of_variable_length_ends_where_it_says() {
    let (most, highest) = ([&[0xff; 9][..], &[1]].concat(), [&[0x80; 9][..], &[1]].concat());
    let (endless, ten) = (vec![0x80; 11], vec![0x80; 10]);
    for (bytes, number) in [
        (&[0][..], Some(0)),
        (&[1], Some(1)),
        (&[0x7f], Some(127)),
        (&[0x80, 1], Some(128)),
        (&[0x81, 0x01], Some(129)),
        (&[0xff, 0x7f], Some(16_383)),
        (&[0x80, 0x80, 1], Some(16_384)),
        (&most, Some(u64::MAX)),
        (&highest, Some(1 << 63)),
        (&[], None),
        (&[0x80], None),
        (&ten, None),
        (&endless, None),
    ] {
        assert_eq!(varint(&mut &bytes[..]), number, "{bytes:x?}");
        if number.is_some() {
            let more = [bytes, &[9, 8]].concat();
            let mut rest = &more[..];
            assert_eq!((varint(&mut rest), rest), (number, &[9, 8][..]), "{bytes:x?} and more");
        }
    }
}

#[test]
fn a_sign_is_the_last_bit_of_a_number() {
    let (most, next) = ([&[0xff; 9][..], &[1]].concat(), [&[0xfe], &[0xff; 8][..], &[1]].concat());
    for (bytes, number) in [
        (&[0][..], Some(0)),
        (&[1], Some(-1)),
        (&[2], Some(1)),
        (&[3], Some(-2)),
        (&[4], Some(2)),
        (&[0x80, 1], Some(64)),
        (&[0x81, 1], Some(-65)),
        (&most, Some(i64::MIN)),
        (&next, Some(i64::MAX)),
        (&[0x80], None),
    ] {
        assert_eq!(zigzag(&mut &bytes[..]), number, "{bytes:x?}");
    }
}

/// A structure with a value of each kind.
fn all_kinds() -> Vec<u8> {
    [
        &[0x15, 2, 0x16, 3, 0x14, 4, 0x13, 0xff, 0x11, 0x12][..],
        &[0x17, 0, 0, 0, 0, 0, 0, 0, 0],
        &[0x1d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        &[0x18, 2, b'a', b'b'],
        // A structure in it, and one in that.
        &[0x1c, 0x15, 8, 0x1c, 0x15, 10, 0, 0x35, 12, 0x11, 0],
        // A field of another number, and the one after it.
        &[0x05, 40, 14, 0x25, 16],
        // Lists of texts and of structures, a set, and maps.
        &[0x19, 0x28, 1, b'a', 0, 0x19, 0x1c, 0x15, 2, 0, 0x1a, 0x21, 1, 2],
        &[0x1b, 2, 0x85, 1, b'a', 2, 1, b'b', 4, 0x1b, 0, 0x15, 18],
        &[0],
    ]
    .concat()
}

#[test]
fn the_numbers_of_a_structure_and_of_those_in_it_are_found_and_no_others() {
    let bytes = [&all_kinds()[..], &[0x15, 2, 0]].concat();
    let numbers = ThriftNumbers::read(&bytes).expect("a whole structure");
    let found = [
        ((1, 0), 1),
        ((2, 0), -2),
        ((3, 0), 2),
        ((4, 0), 255),
        ((5, 0), 1),
        ((6, 0), 0),
        ((10, 1), 4),
        ((10, 5), 6),
        ((10, 6), 1),
        ((20, 0), 7),
        ((22, 0), 8),
        ((28, 0), 9),
    ];
    assert_eq!(numbers.found, found);
    assert_eq!((numbers.bytes, numbers.second_list), (all_kinds().len(), 0));
    found.iter().for_each(|(key, number)| assert_eq!(numbers.get(*key), Some(*number), "{key:?}"));
    assert_eq!((numbers.get((7, 0)), numbers.get((0, 0)), numbers.get((1, 1))), (None, None, None));
}

#[test]
fn a_structure_that_is_cut_off_at_any_byte_is_refused() {
    let bytes = all_kinds();
    for end in 0..bytes.len() {
        assert!(ThriftNumbers::read(&bytes[..end]).is_none(), "{end} bytes");
    }
}

#[test]
fn the_length_of_the_list_in_the_second_field_is_told() {
    let fifteen = [&[0x29, 0xf3, 15][..], &[7; 15], &[0]].concat();
    let sixteen = [&[0x29, 0xf3, 16][..], &[7; 16], &[0]].concat();
    for (bytes, length) in [
        (&[0x29, 0x35, 2, 4, 6, 0][..], 3),
        (&[0x2a, 0x25, 2, 4, 0], 2),
        (&[0x29, 0x00, 0], 0),
        (&[0x19, 0x35, 2, 4, 6, 0], 0),
        (&[0x39, 0x35, 2, 4, 6, 0], 0),
        (&[0x19, 0x15, 2, 0x19, 0x25, 2, 4, 0x19, 0x35, 2, 4, 6, 0], 2),
        // A list in the second field of a structure is another one.
        (&[0x1c, 0x29, 0x15, 2, 0, 0], 0),
        (&[0x29, 0xe3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0], 14),
        (&fifteen, 15),
        (&sixteen, 16),
    ] {
        let numbers = ThriftNumbers::read(bytes).expect("a whole structure");
        assert_eq!((numbers.second_list, numbers.bytes), (length, bytes.len()), "{bytes:x?}");
    }
}

#[test]
fn a_length_that_is_too_large_by_one_is_refused() {
    let most = [&[0xff; 9][..], &[1]].concat();
    for (whole, larger) in [
        (&[0x18, 1, b'a', 0][..], &[0x18, 2, b'a', 0][..]),
        (&[0x19, 0x15, 2, 0], &[0x19, 0x25, 2, 0]),
        (&[0x19, 0xf5, 1, 2, 0], &[0x19, 0xf5, 2, 2, 0]),
        (&[0x1b, 1, 0x55, 2, 2, 0], &[0x1b, 2, 0x55, 2, 2, 0]),
    ] {
        assert_eq!(ThriftNumbers::read(whole).map(|numbers| numbers.bytes), Some(whole.len()), "{whole:x?}");
        assert!(ThriftNumbers::read(larger).is_none(), "{larger:x?}");
    }
    for head in [&[0x18][..], &[0x19, 0xf3], &[0x1b]] {
        let bytes = [head, &most, &[0x33, 0, 0, 0]].concat();
        assert!(ThriftNumbers::read(&bytes).is_none(), "{bytes:x?}");
    }
}

#[test]
fn a_kind_or_a_field_that_does_not_exist_is_refused() {
    for bytes in [
        &[0x1e, 0][..],
        &[0x1f, 0, 0],
        &[0x10, 0, 0],
        &[0x19, 0x10, 0, 0],
        &[0x19, 0x1e, 0, 0],
        // The fields 32768 and -32769, and one after 32767.
        &[0x05, 0x80, 0x80, 0x04, 2, 0],
        &[0x05, 0x81, 0x80, 0x04, 2, 0],
        &[0x05, 0xfe, 0xff, 0x03, 2, 0x15, 2, 0],
    ] {
        assert!(ThriftNumbers::read(bytes).is_none(), "{bytes:x?}");
    }
    let last = ThriftNumbers::read(&[0x05, 0xfe, 0xff, 0x03, 2, 0]).expect("a whole structure");
    assert_eq!(last.found, [((i16::MAX, 0), 1)]);
}

#[test]
fn structures_and_lists_stand_in_each_other_to_a_depth_and_no_further() {
    let structures = |depth: usize| [vec![0x1c; depth], vec![0; depth + 1]].concat();
    // A list in a list is one level further in than a structure.
    let lists = |depth: usize| [vec![0x19; depth], vec![0x13, 7, 0]].concat();
    assert!(ThriftNumbers::read(&structures(25)).is_some() && ThriftNumbers::read(&structures(26)).is_none());
    assert!(ThriftNumbers::read(&lists(24)).is_some() && ThriftNumbers::read(&lists(25)).is_none());
}
