//! How the codes of one tuple are packed into machine words.
//!
//! Eight census columns need 31 bits and twenty need about 70, so a tuple is one or two words instead of a row of
//! strings: comparing, sorting and counting tuples are integer operations, and 10⁸ tuples fit in 1.6 GB with their
//! counts. Attributes stand from the most significant bit down, so sorting packed keys sorts tuples attribute by
//! attribute; no attribute straddles two words.
//!
//! A key has 1, 2, 4, 8 or 16 words, so at most 1,024 bits. A column is as wide as its number of codes needs; a subject
//! column takes 64 bits, for a hash.

use serde::{Deserialize, Serialize};

use crate::numbers::to_u32;

/// Where one attribute's code stands in a packed key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    word: u32,
    shift: u32,
    bits: u32,
}

impl Field {
    /// The word of the key that holds the code.
    pub fn word(self) -> usize {
        self.word as usize
    }

    /// How far the code is shifted to the left in its word.
    pub fn shift(self) -> u32 {
        self.shift
    }

    /// How many bits the code takes.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// The bits of the word that belong to this field.
    pub fn mask(self) -> u64 {
        low_bits(self.bits) << self.shift
    }

    /// The code in a key.
    pub fn get(self, key: &[u64]) -> u64 {
        key[self.word()] >> self.shift & low_bits(self.bits)
    }

    /// The code in a key, of a field that is not the person's: codes have at most 32 bits.
    #[allow(clippy::cast_possible_truncation)]
    pub(crate) fn code(self, key: &[u64]) -> u32 {
        debug_assert!(self.bits <= u32::BITS, "a code has at most 32 bits");
        self.get(key) as u32
    }

    /// Writes a code into a key whose field is still zero.
    pub fn put(self, key: &mut [u64], code: u64) {
        debug_assert!(code <= low_bits(self.bits), "a code fits its field");
        key[self.word()] |= code << self.shift;
    }
}

/// The lowest `bits` bits set.
fn low_bits(bits: u32) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> (64 - bits) }
}

/// The packing of a table's attributes.
///
/// ```
/// use incrowd_core::Layout;
/// let layout = Layout::new([74, 7, 16].map(Layout::bits_for));
/// assert_eq!(layout.words(), 1);
/// let mut key = [0];
/// for (field, code) in layout.fields().iter().zip([73, 2, 15]) { field.put(&mut key, code); }
/// assert_eq!(layout.fields()[1].get(&key), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    fields: Vec<Field>,
    words: u32,
}

impl Layout {
    /// The numbers of words a key may have; a layout is padded to the next of them.
    pub const WORD_SIZES: [usize; 5] = [1, 2, 4, 8, 16];

    /// A layout for attributes of the given widths, most significant first.
    ///
    /// # Panics
    /// If the widths do not fit sixteen words; ask [`Layout::fits`] first.
    pub fn new(widths: impl IntoIterator<Item = u32>) -> Self {
        let mut fields = Vec::new();
        let (mut word, mut free) = (0, 64);
        for bits in widths {
            if bits > free {
                (word, free) = (word + 1, 64);
            }
            free -= bits;
            fields.push(Field { word, shift: free.min(63), bits });
        }
        let needed = word as usize + 1;
        let words = Self::WORD_SIZES.into_iter().find(|&words| words >= needed);
        let words = to_u32(words.expect("at most 1,024 bits of codes per tuple"));
        Layout { fields, words }
    }

    /// The width of a field for this many codes.
    pub fn bits_for(codes: usize) -> u32 {
        codes.max(1).next_power_of_two().trailing_zeros()
    }

    /// Whether attributes of these widths can be packed.
    pub fn fits(widths: &[u32]) -> bool {
        let (mut words, mut free) = (1, 64);
        for &bits in widths {
            if bits > free {
                (words, free) = (words + 1, 64);
            }
            free -= bits;
        }
        words <= Self::WORD_SIZES[Self::WORD_SIZES.len() - 1]
    }

    /// One field per attribute.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// How many words a key has.
    pub fn words(&self) -> usize {
        self.words as usize
    }
}
