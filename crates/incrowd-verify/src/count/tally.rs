//! How many rows have a value in a class.
//!
//! Pairs of (class, code) are appended and now and then sorted and added up. A hash table of pairs would be larger, and
//! sorted pairs are what a model reads anyway: all values of the first class, then of the second.

/// The rows of each (class, code).
#[derive(Default)]
pub(crate) struct Tally {
    /// One key per row, not yet counted. The class is the upper half.
    rows: Vec<u64>,
    /// Keys with their rows, not yet added up.
    weighed: Vec<(u64, u64)>,
    /// Keys with their rows, sorted, each key once.
    counted: Vec<(u64, u64)>,
}

/// Fewer are not worth sorting.
const FEW: usize = 1 << 20;

fn key(class: u32, code: u32) -> u64 {
    u64::from(class) << 32 | u64::from(code)
}

impl Tally {
    /// Adds one row for each class and code.
    pub(crate) fn add_rows(&mut self, classes: &[u32], codes: &[u32]) {
        self.rows.extend(classes.iter().zip(codes).map(|(&class, &code)| key(class, code)));
        if self.rows.len() > FEW.max(self.counted.len()) {
            self.settle();
        }
    }

    /// Adds some rows of one class and code.
    pub(crate) fn add(&mut self, class: u32, code: u32, rows: u64) {
        self.weighed.push((key(class, code), rows));
        if self.weighed.len() > FEW.max(self.counted.len()) {
            self.settle();
        }
    }

    /// Every key with its rows, sorted.
    pub(crate) fn finish(mut self) -> Vec<(u64, u64)> {
        self.settle();
        self.counted
    }

    fn settle(&mut self) {
        self.rows.sort_unstable();
        let runs = self.rows.chunk_by(|one, other| one == other).map(|run| (run[0], run.len() as u64));
        self.weighed.extend(runs);
        self.rows.clear();
        self.counted.append(&mut self.weighed);
        // A stable sort takes what is sorted already as it is.
        self.counted.sort_by_key(|(key, _)| *key);
        self.counted.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn rows_and_weights_are_added_up_by_class_and_code() {
        let mut tally = Tally::default();
        tally.add_rows(&[1, 0, 1], &[7, 3, 7]);
        tally.add(0, 3, 10);
        tally.settle();
        tally.add_rows(&[0], &[2]);
        assert_eq!(tally.finish(), [(2, 1), (3, 11), (1 << 32 | 7, 2)]);
    }
}
