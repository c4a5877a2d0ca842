//! How a file is damaged.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::RngCore;

/// A number below another.
pub(crate) fn below(draw: &mut ChaCha8Rng, most: usize) -> usize {
    (draw.next_u64() % most.max(1) as u64) as usize
}

/// Changes a file in one of the ways in which files are damaged, once or twice.
pub(crate) fn damaged(bytes: &[u8], is_text: bool, draw: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + below(draw, 8) / 6 {
        if is_text && below(draw, 3) > 0 && !bytes.is_empty() {
            // What a text may have at any place, so that it stays one.
            let at = below(draw, bytes.len());
            bytes[at] = *b",\"\n\r;a5 ".get(below(draw, 8)).unwrap_or(&b'x');
        } else {
            change(&mut bytes, draw);
        }
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, draw: &mut ChaCha8Rng) {
    let length = bytes.len();
    if length == 0 {
        return;
    }
    // Half of all changes near the end, where footers are.
    let at = if below(draw, 2) == 0 { below(draw, length) } else { length - 1 - below(draw, length.min(600)) };
    let end = (at + 1 + below(draw, 40)).min(length);
    match below(draw, 11) {
        0 => bytes[at] ^= 1 << below(draw, 8),
        1 => bytes[at] = draw.next_u32() as u8,
        2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][below(draw, 5)],
        // A length or an offset that is far too large, or negative.
        3 => {
            let number = [u64::MAX, i64::MAX as u64, 1 << 48, 1 << 40, 1 << 31, 0x7fff_ffff, 0][below(draw, 7)];
            let width = [4, 8][below(draw, 2)];
            for (place, byte) in bytes[at..].iter_mut().zip(&number.to_le_bytes()[..width]) {
                *place = *byte;
            }
        }
        // Numbers of seven bits with more to come, as Thrift writes them.
        4 => bytes[at..end].iter_mut().take(9).for_each(|byte| *byte |= 0x80),
        5 => bytes.truncate(at),
        6 => drop(bytes.drain(at..end)),
        7 => {
            let copied = bytes[at..end].to_vec();
            let into = below(draw, length);
            bytes.splice(into..into, copied);
        }
        8 => bytes[at..end].fill([0, 0xff][below(draw, 2)]),
        9 => bytes.extend((0..1 + below(draw, 64)).map(|_| draw.next_u32() as u8)),
        _ => {
            let (from, into) = (below(draw, length), below(draw, length));
            let size = below(draw, 64).min(length - from).min(length - into);
            bytes.copy_within(from..from + size, into);
        }
    }
}
