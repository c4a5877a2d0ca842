//! What a batch takes in memory, by what it says of its buffers.

use super::*;

/// The bytes of a batch whose body stands after three others.
fn bytes_of(said: &Said, body: &[u8]) -> Result<u64, String> {
    let about = message(MessageHeader::RecordBatch, said, 0);
    let about = root_as_message(&about).expect("a whole message");
    let batch = about.header_as_record_batch().expect("it is one");
    let file = [&[0; 3][..], body].concat();
    told(unpacked(&mut Cursor::new(file), &batch, 3, body.len() as u64, &no_limit()))
}

#[test]
fn a_buffer_stands_in_the_body() {
    for (offset, length, fits) in [
        (0, 16, true),
        (8, 8, true),
        (16, 0, true),
        (0, 17, false),
        (17, 0, false),
        (8, 9, false),
        (9, 8, false),
        (-1, 1, false),
        (1, -1, false),
        (i64::MAX, i64::MAX, false),
    ] {
        let said = Said { buffers: vec![(0, 1), (offset, length)], ..Said::default() };
        let expected = if fits { Ok(16) } else { refused(BROKEN) };
        assert_eq!(bytes_of(&said, &[7; 16]), expected, "{length} bytes at {offset}");
    }
}

#[test]
fn rows_need_a_bit_each_unless_they_are_few() {
    for (body, rows, fits) in [
        (0, 0, true),
        (0, 65_536, true),
        (0, 65_537, false),
        (0, -1, false),
        (8_192, 65_537, false),
        (8_193, 65_536, true),
        (8_193, 65_544, true),
        (8_193, 65_545, false),
    ] {
        let expected = if fits { Ok(body as u64) } else { refused(BROKEN) };
        let body = vec![0; body];
        let whole = Said { rows, ..Said::default() };
        assert_eq!(bytes_of(&whole, &body), expected, "{rows} rows");
        let column = Said { nodes: vec![(rows, 0)], ..Said::default() };
        assert_eq!(bytes_of(&column, &body), expected, "{rows} rows of a column");
    }
}

#[test]
fn no_more_cells_are_missing_than_there_are() {
    for (nulls, fits) in [(0, true), (5, true), (6, false), (-1, false)] {
        let said = Said { rows: 5, nodes: vec![(5, 0), (5, nulls)], ..Said::default() };
        let expected = if fits { Ok(0) } else { refused(BROKEN) };
        assert_eq!(bytes_of(&said, &[]), expected, "{nulls}");
        let first = Said { rows: 5, nodes: vec![(5, nulls), (5, 0)], ..Said::default() };
        assert_eq!(bytes_of(&first, &[]), expected, "{nulls} in the first column");
    }
}

/// A body of a buffer that says what it becomes, behind eight other bytes.
fn packed(codec: CompressionType, becomes: i64, content: &[u8]) -> Result<u64, String> {
    let body = [&[0; 8][..], &becomes.to_le_bytes(), content].concat();
    let length = 8 + content.len() as i64;
    let said =
        Said { buffers: vec![(8, length), (16 + content.len() as i64, 0)], codec: Some(codec), ..Said::default() };
    bytes_of(&said, &body).map(|bytes| bytes - body.len() as u64)
}

#[test]
fn a_buffer_by_zstd_becomes_no_more_than_its_bytes_can() {
    for (becomes, content, expected) in [
        (0, 4, Ok(0)),
        (1, 4, Ok(1)),
        (100, 4, Ok(100)),
        (4 << 15, 4, Ok(4 << 15)),
        ((4 << 15) + 1, 4, refused(BROKEN)),
        (1, 0, refused(BROKEN)),
        // It is stored as it is.
        (-1, 4, Ok(4)),
        (-1, 0, Ok(0)),
        (-2, 4, refused(BROKEN)),
        (i64::MAX, 4, refused(BROKEN)),
    ] {
        let content = vec![7; content];
        assert_eq!(packed(CompressionType::ZSTD, becomes, &content), expected, "{becomes}");
    }
}

#[test]
fn a_packed_buffer_begins_with_its_length() {
    for codec in [CompressionType::ZSTD, CompressionType::LZ4_FRAME] {
        let of = |length: i64| Said { buffers: vec![(0, length)], codec: Some(codec), ..Said::default() };
        let body = [&(-1i64).to_le_bytes()[..], &[7; 8]].concat();
        assert_eq!(bytes_of(&of(7), &body), refused(BROKEN));
        assert_eq!(bytes_of(&of(8), &body), Ok(16));
        assert_eq!(bytes_of(&of(9), &body), Ok(17));
        assert_eq!(bytes_of(&of(0), &[1; 4]), Ok(4));
        assert_eq!(bytes_of(&of(4), &[0; 4]), refused(BROKEN));
    }
}

/// Blocks of a frame; a length with the highest bit says that a block is stored as it is.
fn frame(flags: u8, size: u8, blocks: &[u32]) -> Vec<u8> {
    let optional = |bit: u8, bytes: usize| vec![0xee; if flags >> bit & 1 == 1 { bytes } else { 0 }];
    let mut bytes = vec![0x04, 0x22, 0x4d, 0x18, flags, size << 4];
    bytes.extend([optional(3, 8), optional(0, 4), vec![0xcc]].concat());
    for block in blocks {
        bytes.extend(block.to_le_bytes());
        bytes.extend(vec![0xdd; (block & 0x7fff_ffff) as usize]);
        bytes.extend(optional(4, 4));
    }
    bytes.extend([0; 4]);
    bytes
}

const STORED: u32 = 1 << 31;

/// What a frame holds that stands between other bytes.
fn holds(frame: &[u8], length: usize) -> Result<u64, String> {
    let file = [&[0; 5][..], frame, &[0; 64]].concat();
    told(frame_holds(&mut Cursor::new(file), 5, length as u64, &no_limit()))
}

#[test]
fn a_frame_of_lz4_holds_its_blocks() {
    let kib = |of: u64| Ok(of << 10);
    for (flags, size, blocks, expected) in [
        (0x40, 4, &[][..], Ok(0)),
        (0x40, 4, &[9], kib(64)),
        (0x40, 5, &[9], kib(256)),
        (0x40, 6, &[9], kib(1024)),
        (0x40, 7, &[9], kib(4096)),
        (0x40, 12, &[9], kib(64)),
        (0x40, 3, &[9], refused(BROKEN)),
        (0x40, 0, &[9], refused(BROKEN)),
        (0x40, 7, &[9, 9], kib(8192)),
        (0x40, 7, &[STORED | 9], Ok(9)),
        (0x40, 4, &[STORED | 9, 5, STORED | 300], Ok(65_536 + 309)),
        (0x48, 4, &[STORED | 9], Ok(9)),
        (0x41, 4, &[STORED | 9], Ok(9)),
        (0x49, 4, &[STORED | 9, STORED | 8], Ok(17)),
        (0x50, 4, &[STORED | 9, STORED | 8], Ok(17)),
        (0x59, 4, &[9, STORED | 8], Ok(65_544)),
    ] {
        let frame = frame(flags, size, blocks);
        assert_eq!(holds(&frame, frame.len()), expected, "{flags:x} {size} {blocks:x?}");
        for shorter in 0..frame.len() {
            assert_eq!(holds(&frame, shorter), refused(BROKEN), "{flags:x} {size} {blocks:x?}: {shorter} bytes");
        }
    }
    let whole = frame(0x40, 4, &[9]);
    for at in 0..4 {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        assert_eq!(holds(&changed, changed.len()), refused(BROKEN), "letter {at}");
    }
}

#[test]
fn a_buffer_by_lz4_becomes_what_its_frame_holds() {
    let mib = 4 << 20;
    for (blocks, size, becomes, expected) in [
        (&[9][..], 4, 65_536, Ok(65_536)),
        (&[9], 4, 65_537, refused(BROKEN)),
        (&[9], 4, 1, Ok(1)),
        (&[STORED | 9], 4, 9, Ok(9)),
        (&[STORED | 9], 4, 10, refused(BROKEN)),
        (&[9, 9], 7, mib, Ok(4 << 20)),
        (&[9, 9], 7, mib - 1, refused(BROKEN)),
        (&[9, 9], 7, 2 * mib, Ok(8 << 20)),
        (&[9, 9], 7, 2 * mib + 1, refused(BROKEN)),
    ] {
        let frame = frame(0x40, size, blocks);
        assert_eq!(packed(CompressionType::LZ4_FRAME, becomes, &frame), expected, "{blocks:x?} {becomes}");
    }
    // Nothing needs no frame, and what is stored as it is has none.
    for (becomes, expected) in [(0, Ok(0)), (-1, Ok(4)), (1, refused(BROKEN)), (-2, refused(BROKEN))] {
        assert_eq!(packed(CompressionType::LZ4_FRAME, becomes, &[7; 4]), expected, "{becomes}");
    }
}
