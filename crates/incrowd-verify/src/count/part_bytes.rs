//! Classes as bytes, cut by a hash of their texts: what is counted in one file is added up with what is counted in others
//! where nobody has both.
//!
//! A class belongs to the part that SHA-256 over a salt and its texts names, so that every machine finds the same part.

use sha2::{Digest, Sha256};

use super::counter::Counter;
use crate::read::{CellEncoder, RowSink};

/// Bytes that are not such classes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotCounts;

impl Counter {
    /// The classes of each of this many parts, as bytes.
    pub(crate) fn cut(self, parts: usize, salt: &[u8]) -> Vec<Vec<u8>> {
        let classified = self.classified();
        let (mut codes, mut part_of) = (vec![0; self.sizes.len() * classified], vec![0; self.sizes.len()]);
        let hashes: Vec<Vec<u64>> = self.encoders[..classified].iter().map(|encoder| hashes(encoder, salt)).collect();
        self.each_class(|tuple, class| {
            let key = tuple.iter().zip(&hashes).fold(0u64, |key, (&code, hashes)| {
                (key.rotate_left(29) ^ hashes[code as usize]).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            });
            part_of[class as usize] = ((u128::from(key) * parts as u128) >> 64) as usize;
            codes[class as usize * classified..][..classified].copy_from_slice(tuple);
        });
        let Counter { encoders, sizes, tallies, .. } = self;
        let values: Vec<_> = tallies.into_iter().map(super::ValueTally::finish).collect();
        let mut cut: Vec<PartBytes> = (0..parts).map(|_| PartBytes::new(encoders.len(), classified)).collect();
        let mut number = vec![0; sizes.len()];
        for (class, &rows) in sizes.iter().enumerate() {
            let part = &mut cut[part_of[class]];
            number[class] = part.classes();
            part.add_class(&codes[class * classified..][..classified], rows);
        }
        for (at, values) in values.iter().enumerate() {
            for value in values {
                let class = value.class as usize;
                cut[part_of[class]].add_value(at, number[class], value.code, value.rows);
            }
        }
        cut.into_iter().map(|part| part.bytes(&encoders)).collect()
    }

    /// Adds the classes that another counter of the same columns was cut into.
    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) -> Result<(), NotCounts> {
        let (mut reader, classified) = (Reader(bytes), self.classified());
        let mut known: Vec<Vec<u32>> = Vec::with_capacity(self.encoders.len());
        for encoder in self.encoders() {
            let texts = reader.number()? as usize;
            let mut codes = vec![crate::read::MISSING];
            for _ in 0..texts {
                let length = reader.number()? as usize;
                let text = std::str::from_utf8(reader.take(length)?).map_err(|_| NotCounts)?;
                codes.push(encoder.texts.intern(text));
            }
            known.push(codes);
        }
        let count = reader.number()? as usize;
        let mut columns = vec![Vec::new(); classified];
        for at in 0..count * classified {
            let code = reader.number()? as usize;
            columns[at % classified.max(1)].push(*known[at % classified.max(1)].get(code).ok_or(NotCounts)?);
        }
        let sizes = (0..count).map(|_| reader.long()).collect::<Result<Vec<u64>, _>>()?;
        let classes = self.add_classes(&columns, &sizes);
        for (at, known) in known[classified..].iter().enumerate() {
            for _ in 0..reader.number()? {
                let (class, code, rows) = (reader.number()?, reader.number()?, reader.long()?);
                let class = *classes.get(class as usize).ok_or(NotCounts)?;
                self.tallies[at].add(class, *known.get(code as usize).ok_or(NotCounts)?, rows);
            }
        }
        if reader.0.is_empty() { Ok(()) } else { Err(NotCounts) }
    }
}

/// The hash of every text of a column, the missing value first.
fn hashes(encoder: &CellEncoder, salt: &[u8]) -> Vec<u64> {
    let hash = |text: Option<&str>| {
        // A missing value differs from every text.
        let digest = Sha256::new().chain_update(salt).chain_update([u8::from(text.is_some())]);
        let digest = digest.chain_update(text.unwrap_or_default()).finalize();
        digest.iter().take(8).fold(0, |hash, &byte| hash << 8 | u64::from(byte))
    };
    encoder.texts.texts_from(0).map(hash).collect()
}

/// The classes of one part, with the texts that occur in it.
struct PartBytes {
    /// For each column, the codes that occur in their order, and the number here of each.
    used: Vec<(Vec<u32>, std::collections::HashMap<u32, u32>)>,
    codes: Vec<u8>,
    sizes: Vec<u8>,
    values: Vec<(u32, Vec<u8>)>,
    classified: usize,
}

impl PartBytes {
    fn new(columns: usize, classified: usize) -> PartBytes {
        let used = (0..columns).map(|_| (Vec::new(), std::collections::HashMap::new())).collect();
        let values = (classified..columns).map(|_| (0, Vec::new())).collect();
        PartBytes { used, codes: Vec::new(), sizes: Vec::new(), values, classified }
    }

    /// How many classes it has so far.
    fn classes(&self) -> u32 {
        super::number(self.sizes.len() / size_of::<u64>())
    }

    /// The number here of a code: 0 is the missing value.
    fn code(&mut self, column: usize, code: u32) -> u32 {
        if code == crate::read::MISSING {
            return 0;
        }
        let (order, numbers) = &mut self.used[column];
        *numbers.entry(code).or_insert_with(|| {
            order.push(code);
            super::number(order.len())
        })
    }

    fn add_class(&mut self, codes: &[u32], rows: u64) {
        for (column, &code) in codes.iter().enumerate() {
            let code = self.code(column, code);
            self.codes.extend(code.to_le_bytes());
        }
        self.sizes.extend(rows.to_le_bytes());
    }

    fn add_value(&mut self, at: usize, class: u32, code: u32, rows: u64) {
        let code = self.code(self.classified + at, code);
        let (count, bytes) = &mut self.values[at];
        *count += 1;
        bytes.extend(class.to_le_bytes().into_iter().chain(code.to_le_bytes()).chain(rows.to_le_bytes()));
    }

    fn bytes(self, encoders: &[CellEncoder]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for ((order, _), encoder) in self.used.iter().zip(encoders) {
            bytes.extend(super::number(order.len()).to_le_bytes());
            for &code in order {
                let text = encoder.texts.text(code).map(|text| text.as_bytes()).unwrap_or_default();
                bytes.extend(super::number(text.len()).to_le_bytes());
                bytes.extend(text);
            }
        }
        bytes.extend(self.classes().to_le_bytes());
        bytes.extend(self.codes.iter().chain(&self.sizes));
        for (count, values) in self.values {
            bytes.extend(count.to_le_bytes());
            bytes.extend(values);
        }
        bytes
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], NotCounts> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(NotCounts)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, NotCounts> {
        Ok(self.take(4)?.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte)))
    }

    fn long(&mut self) -> Result<u64, NotCounts> {
        Ok(self.take(8)?.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }
}

#[cfg(test)]
mod tests;
