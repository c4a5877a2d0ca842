//! The pages of a column: what their headers promise, and what unpacking them gives.

use flate2::write::GzEncoder;
use parquet::basic::{BrotliLevel, GzipLevel};

use super::*;

/// What is held of a column of these pages.
fn held_of(kind: Type, compression: Compression, values: i64, pages: &[u8], page: u64) -> Result<u64, String> {
    let of = columns(kind, Repetition::REQUIRED, 1);
    held_in(&of, compression, values, pages, page)
}

fn held_in(of: &SchemaDescPtr, compression: Compression, values: i64, pages: &[u8], page: u64) -> Result<u64, String> {
    let file = saved(&[&b"PAR1"[..], pages, &[0; 64]].concat());
    let place = (4, 4 + pages.len() as u64);
    let chunk = chunk(of, 0, values, 4, pages.len()).into_builder().set_compression(compression).build();
    let bounds = MemoryBounds { page, ..no_limit() };
    told(check_chunk(&mut opened(&file), file.path(), &chunk.expect("a column"), place, &bounds))
}

/// A page of nothing but zeros, with a header.
fn with_zeros(header: Vec<u8>, size: usize) -> Vec<u8> {
    [header, vec![0; size]].concat()
}

#[test]
fn a_column_has_the_values_of_its_pages_and_its_largest_page_is_held() {
    let (two, one, none, all) = (plain(2, 8), plain(1, 4), plain(0, 0), plain(i64::MAX, 8));
    let second = with_zeros(header(3, 12, 12, 8, &[3, 0, 3, 0, 0, 0]), 12);
    let index = with_zeros(header(1, 4, 4, 0, &[]), 4);
    for (values, pages, largest) in [
        (0, &[][..], Some(0)),
        (2, &[&two[..]][..], Some(8)),
        (3, &[&two, &one], Some(8)),
        (3, &[&one, &two], Some(8)),
        (2, &[&none, &two], Some(8)),
        (5, &[&two, &second], Some(12)),
        (2, &[&index, &two], Some(8)),
        // What follows the last value is not read.
        (2, &[&two, &[0xff; 9]], Some(8)),
        (1, &[&two], None),
        (3, &[&two], None),
        (3, &[&two, &two], None),
        (i64::MAX, &[&two, &all], None),
        (1, &[&plain(-1, 4), &two], None),
        (2, &[&with_zeros(header(4, 8, 8, 5, &[2, 0, 3, 3]), 8)], None),
        (2, &[&with_zeros(header(-1, 8, 8, 5, &[2, 0, 3, 3]), 8)], None),
        (2, &[&with_zeros(header(0, -1, 8, 5, &[2, 0, 3, 3]), 8)], None),
        (2, &[&with_zeros(header(0, 8, -1, 5, &[2, 0, 3, 3]), 8)], None),
        (2, &[&with_zeros(header(0, 8, 9, 5, &[2, 0, 3, 3]), 9)], None),
        (2, &[&two[..two.len() - 1]], None),
    ] {
        let pages = pages.concat();
        let expected = largest.map_or(refused(BROKEN), |largest: u64| Ok(pages.len() as u64 + largest));
        let held = held_of(Type::INT32, Compression::UNCOMPRESSED, values, &pages, 1 << 20);
        assert_eq!(held, expected, "{values} {pages:x?}");
    }
    for (page, expected) in [(8, Ok(two.len() as u64 + 8)), (7, too_large("a page"))] {
        assert_eq!(held_of(Type::INT32, Compression::UNCOMPRESSED, 2, &two, page), expected, "{page}");
    }
}

#[test]
fn each_entry_of_a_dictionary_has_bytes_in_it() {
    for (kind, entries, fits) in [
        (Type::INT32, 6, true),
        (Type::INT32, 7, false),
        (Type::FLOAT, 7, false),
        (Type::BYTE_ARRAY, 6, true),
        (Type::BYTE_ARRAY, 7, false),
        (Type::INT64, 3, true),
        (Type::INT64, 4, false),
        (Type::DOUBLE, 4, false),
        (Type::DOUBLE, 0, true),
        (Type::BOOLEAN, 24, true),
        (Type::BOOLEAN, 25, false),
        (Type::FIXED_LEN_BYTE_ARRAY, 24, true),
        (Type::FIXED_LEN_BYTE_ARRAY, 25, false),
        (Type::INT32, -1, false),
    ] {
        let dictionary = with_zeros(header(2, 24, 24, 7, &[entries, 0]), 24);
        let pages = [dictionary, plain(2, 8)].concat();
        let held = pages.len() as u64 + 24 + 16 * entries.unsigned_abs() + 8;
        let expected = if fits { Ok(held) } else { refused(BROKEN) };
        assert_eq!(held_of(kind, Compression::UNCOMPRESSED, 2, &pages, 1 << 20), expected, "{entries} of {kind}");
    }
}

#[test]
fn only_texts_that_are_told_by_their_differences_are_counted() {
    // One text: it shares three bytes, and has five others.
    let data = [0x80, 1, 4, 1, 6, 0x80, 1, 4, 1, 10, b'a', b'a', b'a', b'a', b'a'];
    let size = data.len() as i64;
    for (encoding, bytes) in [(0, 0), (4, 0), (5, 4), (6, 4), (7, 8), (8, 0)] {
        let first = [&header(0, size, size, 5, &[1, encoding, 3, 3])[..], &data].concat();
        let second = [&header(3, size, size, 8, &[1, 0, 1, encoding, 0, 0])[..], &data].concat();
        let plain = [&header(0, size, size, 5, &[1, 0, 3, 3])[..], &data].concat();
        for (values, pages) in [
            (1, first.clone()),
            (1, second.clone()),
            (2, [first.clone(), plain.clone()].concat()),
            (2, [plain, second].concat()),
        ] {
            let held = held_of(Type::BYTE_ARRAY, Compression::UNCOMPRESSED, values, &pages, 1 << 20);
            assert_eq!(held, Ok(pages.len() as u64 + size as u64 + bytes), "{encoding}: {pages:x?}");
        }
    }
    // The levels of a page that is stored otherwise are not looked at.
    let optional = columns(Type::INT32, Repetition::OPTIONAL, 1);
    let page = [&header(0, 8, 8, 5, &[2, 0, 3, 3])[..], &[0xff; 8]].concat();
    let held = held_in(&optional, Compression::UNCOMPRESSED, 2, &page, 1 << 20);
    assert_eq!(held, Ok(page.len() as u64 + 8));
}

#[test]
fn the_most_bytes_of_a_page_of_differences_are_held() {
    let of = columns(Type::BYTE_ARRAY, Repetition::REQUIRED, 1);
    // A text of this many bytes, of which three are those of the one before.
    let texts = |count: i64, said: u8, others: u8| {
        let data = [0x80, 1, 4, said, 6, 0x80, 1, 4, said, 2 * others];
        [&header(0, 10, 10, 5, &[count, 7, 3, 3])[..], &data].concat()
    };
    let dictionary = with_zeros(header(2, 8, 8, 7, &[1, 0]), 8);
    let most = |pages: &[&[u8]], values: i64, page: u64| {
        let pages = pages.concat();
        let file = saved(&[&b"PAR1"[..], &pages].concat());
        let bounds = MemoryBounds { page, ..no_limit() };
        told(differences(file.path(), &chunk(&of, 0, values, 4, pages.len()), &bounds))
    };
    let (short, long) = (texts(1, 1, 1), texts(1, 1, 9));
    assert_eq!(most(&[&short, &long], 2, 12), Ok(12));
    assert_eq!(most(&[&long, &short], 2, 12), Ok(12));
    assert_eq!(most(&[&long], 1, 11), too_large("a page"));
    // One text more than the page has.
    assert_eq!(most(&[&texts(1, 2, 1)], 1, 1 << 20), refused(BROKEN));
    let of_dictionary = chunk(&of, 0, 1, 4 + dictionary.len(), dictionary.len() + short.len()).into_builder();
    let of_dictionary = of_dictionary.set_dictionary_page_offset(Some(4)).build().expect("a column");
    let file = saved(&[&b"PAR1"[..], &dictionary, &short].concat());
    assert_eq!(told(differences(file.path(), &of_dictionary, &no_limit())), Ok(4));
}

#[test]
fn levels_stand_before_the_values_of_a_page() {
    let required = chunk(&columns(Type::INT32, Repetition::REQUIRED, 1), 0, 2, 4, 8);
    let optional = chunk(&columns(Type::INT32, Repetition::OPTIONAL, 1), 0, 2, 4, 8);
    let repeated = chunk(&columns(Type::INT32, Repetition::REPEATED, 1), 0, 2, 4, 8);
    for (chunk, bytes, rest) in [
        (&required, &[1, 0, 0, 0, 7, 9][..], Some(&[1, 0, 0, 0, 7, 9][..])),
        (&required, &[], Some(&[])),
        (&optional, &[1, 0, 0, 0, 7, 9], Some(&[9])),
        (&optional, &[2, 0, 0, 0, 7, 9], Some(&[])),
        (&optional, &[3, 0, 0, 0, 7, 9], None),
        (&optional, &[0, 0, 0], None),
        (&repeated, &[1, 0, 0, 0, 7, 2, 0, 0, 0, 8, 8, 9], Some(&[9])),
        (&repeated, &[1, 0, 0, 0, 7, 3, 0, 0, 0, 8, 8], None),
    ] {
        let page = Page::DataPage {
            buf: bytes.to_vec().into(),
            num_values: 2,
            encoding: Encoding::PLAIN,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        assert_eq!(behind_levels(&page, chunk), rest, "{bytes:?}");
    }
    for (definitions, repetitions, rest) in [
        (0, 0, Some(&[1, 2, 3, 4][..])),
        (1, 2, Some(&[4])),
        (4, 0, Some(&[])),
        (0, 4, Some(&[])),
        (3, 2, None),
        (5, 0, None),
    ] {
        let page = Page::DataPageV2 {
            buf: vec![1, 2, 3, 4].into(),
            num_values: 2,
            encoding: Encoding::PLAIN,
            num_nulls: 0,
            num_rows: 2,
            def_levels_byte_len: definitions,
            rep_levels_byte_len: repetitions,
            is_compressed: false,
            statistics: None,
        };
        assert_eq!(behind_levels(&page, &optional), rest, "{definitions} {repetitions}");
    }
}

fn gzipped(size: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&vec![7; size]).expect("writing to memory");
    encoder.finish().expect("writing to memory")
}

#[test]
fn a_page_becomes_what_it_says() {
    let of = columns(Type::INT32, Repetition::REQUIRED, 1);
    let gzip = Compression::GZIP(GzipLevel::default());
    let brotli = Compression::BROTLI(BrotliLevel::default());
    let content = gzipped(100);
    let size = content.len() as u64;
    let bytes = [&[9; 10][..], &content, &[9; 10]].concat();
    let no_brotli = || refused("it is compressed with Brotli, which is not supported");
    // The sizes of a page whose levels, if it has any, stand before what is packed.
    for (compression, packed, unpacked, levels, expected) in [
        (Compression::UNCOMPRESSED, 8, 8, 0, Ok(())),
        (Compression::UNCOMPRESSED, 8, 8, 8, Ok(())),
        (Compression::UNCOMPRESSED, 8, 9, 0, refused(BROKEN)),
        (Compression::UNCOMPRESSED, 9, 8, 0, refused(BROKEN)),
        (Compression::UNCOMPRESSED, 8, 8, 9, refused(BROKEN)),
        (Compression::SNAPPY, 8, 9, 0, Ok(())),
        (Compression::SNAPPY, 8, 9, 8, Ok(())),
        (Compression::SNAPPY, 8, 9, 9, refused(BROKEN)),
        (Compression::SNAPPY, 9, 8, 9, refused(BROKEN)),
        (brotli, 8, 9, 0, no_brotli()),
        (brotli, 1, 9, 0, no_brotli()),
        (brotli, 1, 9, 1, Ok(())),
        (brotli, 0, 9, 0, Ok(())),
        (gzip, size, 100, 0, Ok(())),
        (gzip, size, 101, 0, refused(BROKEN)),
        (gzip, size, 99, 0, refused(BROKEN)),
        (gzip, size - 1, 100, 0, refused(BROKEN)),
        (gzip, size + 3, 103, 3, Ok(())),
        (gzip, size + 3, 102, 3, refused(BROKEN)),
        (gzip, size + 3, 104, 3, refused(BROKEN)),
        (gzip, size + 2, 103, 3, refused(BROKEN)),
        (gzip, 0, 5, 0, Ok(())),
        (gzip, 3, 8, 3, Ok(())),
        (gzip, 1, 5, 0, refused(BROKEN)),
    ] {
        let chunk = chunk(&of, 0, 2, 4, 8).into_builder().set_compression(compression).build().expect("a column");
        let growth = check_growth(&mut opened(&saved(&bytes)), &chunk, (10 - levels, packed), unpacked, levels);
        assert_eq!(told(growth), expected, "{compression}: {packed} bytes of {unpacked}, {levels} of them levels");
    }
}

#[test]
fn levels_are_not_packed_and_a_page_may_say_that_nothing_is() {
    let gzip = Compression::GZIP(GzipLevel::default());
    let content = gzipped(100);
    // Three bytes of levels; the last number is followed by whether the rest is packed.
    let page = |definitions: i64, repetitions: i64, unpacked: i64, is_packed: &[u8], content: &[u8]| {
        let levels = (definitions + repetitions) as usize;
        let numbers = [2, 0, 2, 0, definitions, repetitions];
        let mut bytes = header(3, unpacked, (levels + content.len()) as i64, 8, &numbers);
        bytes.splice(bytes.len() - 2..bytes.len() - 2, is_packed.iter().copied());
        [&bytes[..], &vec![9; levels], content].concat()
    };
    for (page, is_whole) in [
        (page(2, 1, 103, &[], &content), true),
        (page(2, 1, 103, &[0x11], &content), true),
        (page(1, 2, 103, &[0x11], &content), true),
        (page(0, 3, 103, &[0x11], &content), true),
        (page(2, 1, 102, &[0x11], &content), false),
        (page(2, 1, 104, &[], &content), false),
        (page(2, 1, 8, &[0x12], &[7; 5]), true),
        (page(2, 1, 8, &[0x11], &[7; 5]), false),
        (page(2, -1, 101, &[], &content), false),
        (page(-1, 2, 101, &[], &content), false),
    ] {
        let held = held_of(Type::INT32, gzip, 2, &page, 1 << 20);
        assert_eq!(held.is_ok(), is_whole, "{page:x?}");
    }
    // A page of the first version says nothing of it.
    let first = |unpacked: i64| [&header(0, unpacked, content.len() as i64, 5, &[2, 0, 3, 3])[..], &content].concat();
    assert!(held_of(Type::INT32, gzip, 2, &first(100), 1 << 20).is_ok());
    assert_eq!(held_of(Type::INT32, gzip, 2, &first(101), 1 << 20), refused(BROKEN));
}
