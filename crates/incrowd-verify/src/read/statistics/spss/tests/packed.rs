//! Rows that are packed: by instructions, and in blocks of zlib.

use super::*;

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(9));
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// A file of version 3 with these blocks, whose end is stated some bytes too late.
fn in_blocks(big: bool, rows: i32, blocks: &[Vec<u8>], late: u64) -> Written {
    let mut file = numbers(big, 2, rows);
    file.bytes[..4].copy_from_slice(b"$FL3");
    let place = |number: u64| if big { number.to_be_bytes() } else { number.to_le_bytes() };
    let start = file.bytes.len() as u64;
    let end = start + 24 + blocks.iter().map(|block| block.len() as u64).sum::<u64>();
    file.raw(&place(start)).raw(&place(end + late)).raw(&place(48));
    for block in blocks {
        file.raw(block);
    }
    file.raw(&[7; 48]);
    file
}

/// Instructions for four rows: two small numbers, one that is written out, one that is missing.
fn instructions(big: bool) -> Vec<u8> {
    let mut bytes = vec![101, 0, 99, 253, 255, 252, 101, 101];
    bytes.extend(eight(big, 2.5));
    bytes.extend([101; 8]);
    bytes
}

#[test]
fn instructions_are_followed_up_to_the_last() {
    for big in [false, true] {
        let mut file = numbers(big, 1, 4);
        file.raw(&instructions(big));
        assert_eq!(read_cells(&file).expect("four rows"), ["1", "-1", "2.5", "-"]);
        // Without the instruction that ends them, they end with the file.
        let mut open = numbers(big, 1, 8);
        open.raw(&[102, 103, 104, 105, 106, 107, 108, 95]);
        assert_eq!(read_cells(&open).expect("eight rows"), ["2", "3", "4", "5", "6", "7", "8", "-5"]);
    }
}

#[test]
fn blanks_are_one_instruction() {
    let mut file = Written::new(false, 1, 2);
    file.column(16, "TOWN", 1, 0).rests(1).end();
    file.raw(&[253, 254, 254, 254, 252, 0, 0, 0]).text("Bonn", 8);
    assert_eq!(read_cells(&file).expect("two rows"), ["Bonn", "-"]);
}

#[test]
fn an_instruction_without_its_number_is_refused() {
    let mut file = numbers(false, 1, -1);
    file.raw(&[101, 253, 0, 0, 0, 0, 0, 0]);
    assert!(file.read().is_none());
    file.raw(&[0; 8]);
    assert_eq!(read_cells(&file).expect("two rows"), ["1", "0"]);
}

#[test]
fn blocks_are_unpacked_one_after_the_other() {
    for big in [false, true] {
        let packed = instructions(big);
        let expected = ["1", "-1", "2.5", "-"];
        assert_eq!(read_cells(&in_blocks(big, 4, &[zlib(&packed)], 0)).expect("four rows"), expected);
        let halves = [zlib(&packed[..11]), zlib(&packed[11..])];
        assert_eq!(read_cells(&in_blocks(big, 4, &halves, 0)).expect("four rows"), expected);
        assert!(in_blocks(big, 4, &halves[..1], 0).read().is_none(), "half of it");
        assert!(in_blocks(big, 4, &halves, 1).read().is_none(), "a byte of what stands behind");
        assert!(in_blocks(big, 4, &halves, 49).read().is_none(), "an end behind the file");
        assert!(in_blocks(big, 4, &[b"no zlib".to_vec()], 0).read().is_none());
    }
}

#[test]
fn a_small_file_may_become_much_larger() {
    // Instructions that say nothing, more than four hundred bytes of them for each byte of the file.
    let mut packed = vec![0; 2 << 20];
    packed.extend([101, 252, 0, 0, 0, 0, 0, 0]);
    let file = in_blocks(false, 1, &[zlib(&packed)], 0);
    assert!(file.bytes.len() * MOST_EXPANSION < packed.len());
    assert_eq!(read_cells(&file).expect("a row"), ["1"]);
}
