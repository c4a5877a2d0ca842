//! Counting tuples of few codes: an array with a place for every combination.
//!
//! When all codes of a tuple take a few bits together, the packed key is itself a place in an array, and a row is
//! counted by adding one there. Nothing is sorted or hashed. A question about two or three columns of ten million rows
//! is then hardly more than reading them.

use incrowd_core::Layout;

use crate::count::parts::{CodedRows, PARTS, TupleParts, part_of};

/// With more bits than this the array no longer stays near the processor.
const MOST_BITS: u32 = 20;

/// Counts by packed key.
pub(crate) struct Dense {
    layout: Layout,
    quasi_identifiers: usize,
    bits: u32,
    counts: Vec<u64>,
    /// The entries of each part, when the first part was requested.
    drained: Option<Vec<Vec<(u64, u64)>>>,
}

/// How many bits the fields of a layout take, when they stand in one word.
fn bits(layout: &Layout) -> Option<u32> {
    (layout.words() == 1).then(|| layout.fields().iter().map(|field| field.bits()).sum())
}

impl Dense {
    /// An array for keys of this layout, when it takes no more than this many bytes.
    pub(crate) fn fitting(layout: &Layout, quasi_identifiers: usize, most_bytes: u64) -> Option<Self> {
        let bits = bits(layout).filter(|&bits| bits <= MOST_BITS && 8 << bits <= most_bytes)?;
        Some(Dense { layout: layout.clone(), quasi_identifiers, bits, counts: vec![0; 1 << bits], drained: None })
    }

    /// The key whose count stands here. Fields are packed from the highest bit down.
    fn key(&self, place: usize) -> u64 {
        if self.bits == 0 { 0 } else { (place as u64) << (64 - self.bits) }
    }

    fn place(&self, key: u64) -> usize {
        if self.bits == 0 { 0 } else { (key >> (64 - self.bits)) as usize }
    }

    /// Shares the entries out by part, in the order of their keys.
    fn share_out(&mut self) -> &mut Vec<Vec<(u64, u64)>> {
        let mut parts = vec![Vec::new(); PARTS];
        if self.drained.is_none() {
            let mut codes = vec![0; self.quasi_identifiers];
            for (place, &count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let key = self.key(place);
                let fields = self.layout.fields().iter();
                codes.iter_mut().zip(fields).for_each(|(code, field)| *code = field.get(&[key]) as u32);
                parts[part_of(&codes)].push((key, count));
            }
            self.counts = Vec::new();
        }
        self.drained.get_or_insert(parts)
    }
}

impl TupleParts for Dense {
    fn add(&mut self, rows: &CodedRows<'_>, count: usize, layout: &Layout, _: &[u64]) {
        let down = 64 - self.bits;
        // Columns one by one into a row of places: the processor then adds several at once.
        let mut places = vec![0u32; count];
        for (field, codes) in layout.fields().iter().zip(rows.codes).filter(|(field, _)| field.bits() > 0) {
            let shift = field.shift() - down;
            places.iter_mut().zip(codes).for_each(|(place, &code)| *place |= code << shift);
        }
        places.iter().for_each(|&place| self.counts[place as usize] += 1);
    }

    fn put(&mut self, _: usize, key: &[u64], count: u64) {
        let place = self.place(key[0]);
        self.counts[place] += count;
    }

    fn drain(&mut self, part: usize, take: &mut dyn FnMut(&[u64], u64)) {
        let entries = std::mem::take(&mut self.share_out()[part]);
        entries.into_iter().for_each(|(key, count)| take(&[key], count));
    }

    fn bytes(&self) -> u64 {
        8 << self.bits
    }

    fn entries(&self) -> usize {
        match &self.drained {
            None => self.counts.iter().filter(|count| **count > 0).count(),
            Some(parts) => parts.iter().map(Vec::len).sum(),
        }
    }

    fn wants_hashes(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::count::collect::{Collector, TupleRoom};
    use crate::count::spill::Spills;

    /// Tuples of three columns whose codes grow with the rows.
    fn rows(from: u32, count: u32, growth: u32) -> Vec<Vec<u32>> {
        let code = |row: u32, column: u32| row.wrapping_mul(2_654_435_761 + column * 97) / 7 % (2 + row * growth / 64);
        (0..3).map(|column| (from..from + count).map(|row| code(row, column)).collect()).collect()
    }

    fn counted(limit: Option<u64>, growth: u32) -> BTreeMap<Vec<u64>, u64> {
        let folder = tempfile::tempdir().unwrap();
        let (room, spills) = (Arc::new(TupleRoom::new(limit, 1)), Arc::new(Spills::new(folder.path())));
        let mut collector = Collector::new(3, 2, false, room, spills);
        for batch in 0..20 {
            let codes = rows(batch * 100, 100, growth);
            collector.add(&CodedRows { codes: &codes, people: None }, 100).unwrap();
        }
        let (mut counted, mut found) = (collector.finish(), BTreeMap::new());
        for part in 0..PARTS {
            let mut last: Option<Vec<u64>> = None;
            counted
                .drain(part, &mut |layout, key, count| {
                    let codes: Vec<u64> = layout.fields().iter().map(|field| field.get(key)).collect();
                    let quasi: Vec<u32> = codes[..2].iter().map(|&code| code as u32).collect();
                    assert_eq!(part_of(&quasi), part, "all rows of a class meet in one part");
                    // What was spilled comes after what was not.
                    let sorted = limit.is_some() || last.as_ref().is_none_or(|last| *last < codes);
                    assert!(sorted, "parts come sorted");
                    last = Some(codes.clone());
                    *found.entry(codes).or_insert(0) += count;
                })
                .unwrap();
        }
        found
    }

    #[test]
    fn an_array_counts_as_sorting_does_also_when_codes_do_not_fit() {
        for growth in [0, 1, 8, 300] {
            let mut expected = BTreeMap::new();
            let all = rows(0, 2000, growth);
            for row in 0..2000 {
                *expected.entry(all.iter().map(|codes| u64::from(codes[row])).collect::<Vec<_>>()).or_insert(0) += 1;
            }
            assert_eq!(counted(None, growth), expected, "with an array, growth {growth}");
            assert_eq!(counted(Some(1 << 13), growth), expected, "sorted, growth {growth}");
        }
    }

    #[test]
    fn an_array_is_taken_only_where_it_is_small() {
        let fits = |bits: &[u32], bytes| Dense::fitting(&Layout::new(bits.iter().copied()), 1, bytes).is_some();
        assert!(fits(&[7, 4, 2], u64::MAX) && fits(&[20], u64::MAX) && fits(&[0], 8));
        assert!(!fits(&[7, 7, 7], u64::MAX) && !fits(&[10], 8 * 1023) && !fits(&[60, 60], u64::MAX));
    }
}
