//! How many rows have a value in a class.
//!
//! Pairs of (class, code) are appended and now and then sorted and added up. A hash table of pairs would be larger, and
//! sorted pairs are what a model reads: all values of the first class, then of the second.

/// How many rows of a class have a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValueRows {
    /// The number of the class.
    pub(crate) class: u32,
    /// The code of the value.
    pub(crate) code: u32,
    /// How many rows, or people when these are known, have it there.
    pub(crate) rows: u64,
}

/// The rows of each class and value.
#[derive(Default)]
pub(crate) struct ValueTally {
    /// One key per row, not yet counted. The class is the upper half of a key, the code the lower.
    keys: Vec<u64>,
    /// Not yet added up.
    added: Vec<ValueRows>,
    /// Sorted by class and code, each pair once.
    counted: Vec<ValueRows>,
}

/// Fewer are not worth sorting.
const FEW: usize = 1 << 20;

fn key(class: u32, code: u32) -> u64 {
    u64::from(class) << 32 | u64::from(code)
}

impl ValueTally {
    /// Adds one row for each class and code.
    pub(crate) fn add_rows(&mut self, classes: &[u32], codes: &[u32]) {
        self.keys.extend(classes.iter().zip(codes).map(|(&class, &code)| key(class, code)));
        if self.keys.len() > FEW.max(self.counted.len()) {
            self.settle();
        }
    }

    /// Adds some rows of one class and code.
    pub(crate) fn add(&mut self, class: u32, code: u32, rows: u64) {
        self.added.push(ValueRows { class, code, rows });
        if self.added.len() > FEW.max(self.counted.len()) {
            self.settle();
        }
    }

    /// The rows of each class and value, sorted by both.
    pub(crate) fn finish(mut self) -> Vec<ValueRows> {
        self.settle();
        self.counted
    }

    fn settle(&mut self) {
        self.keys.sort_unstable();
        let run = |run: &[u64]| {
            // Both halves of a key are 32 bits.
            let (class, code) = ((run[0] >> 32) as u32, (run[0] & 0xffff_ffff) as u32);
            ValueRows { class, code, rows: run.len() as u64 }
        };
        self.added.extend(self.keys.chunk_by(|one, other| one == other).map(run));
        self.keys.clear();
        self.counted.append(&mut self.added);
        // A stable sort leaves what is sorted already in its place.
        self.counted.sort_by_key(|pair| key(pair.class, pair.code));
        self.counted.dedup_by(|next, kept| {
            let same = (next.class, next.code) == (kept.class, kept.code);
            if same {
                kept.rows = kept.rows.saturating_add(next.rows);
            }
            same
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, ValueRows, ValueTally};

    #[test]
    fn rows_and_weights_are_added_up_by_class_and_code() {
        let mut tally = ValueTally::default();
        tally.add_rows(&[1, 0, 1], &[7, 3, 7]);
        tally.add(0, 3, 10);
        tally.settle();
        tally.add_rows(&[0], &[2]);
        let pair = |class, code, rows| ValueRows { class, code, rows };
        assert_eq!(tally.finish(), [pair(0, 2, 1), pair(0, 3, 11), pair(1, 7, 2)]);
    }

    #[test]
    fn classes_and_codes_of_32_bits_are_kept_apart_and_sorted() {
        let pair = |class, code, rows| ValueRows { class, code, rows };
        let mut tally = ValueTally::default();
        tally.add_rows(&[u32::MAX, 0, 1, 0, u32::MAX, 1], &[0, u32::MAX, 0, 1, 0, 0x1_0000]);
        tally.add(1, 0, u64::MAX - 1);
        tally.add(0, 1, 5);
        tally.add(0, 0, 2);
        tally.add(0, 1, 7);
        let expected = [
            pair(0, 0, 2),
            pair(0, 1, 13),
            pair(0, u32::MAX, 1),
            pair(1, 0, u64::MAX),
            pair(1, 0x1_0000, 1),
            pair(u32::MAX, 0, 2),
        ];
        assert_eq!(tally.finish(), expected);
        let mut most = ValueTally::default();
        most.add(0, 0, u64::MAX);
        most.add(0, 0, 3);
        assert_eq!(most.finish(), [pair(0, 0, u64::MAX)], "a number that does not fit stays the largest");
        assert_eq!(ValueTally::default().finish(), []);
    }

    #[test]
    fn rows_are_added_up_when_there_are_many_and_not_before() {
        let mut rows = ValueTally { keys: vec![0; FEW - 1], ..ValueTally::default() };
        rows.add_rows(&[0], &[0]);
        assert_eq!((rows.keys.len(), rows.counted.len()), (FEW, 0));
        rows.add_rows(&[0], &[0]);
        let all = ValueRows { class: 0, code: 0, rows: FEW as u64 + 1 };
        assert_eq!((rows.keys.len(), &rows.counted[..]), (0, &[all][..]));
        let one = ValueRows { rows: 1, ..all };
        let mut pairs = ValueTally { added: vec![one; FEW - 1], ..ValueTally::default() };
        pairs.add(0, 0, 1);
        assert_eq!((pairs.added.len(), pairs.counted.len()), (FEW, 0));
        pairs.add(0, 0, 1);
        assert_eq!((pairs.added.len(), &pairs.counted[..]), (0, &[all][..]));
    }
}
