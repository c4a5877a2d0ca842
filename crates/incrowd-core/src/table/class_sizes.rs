//! How many classes of each size a grouping has: all that questions about k and suppression need.
//!
//! M. R. Zare-Mirakabad, A. Jantan and S. Bressan, "Towards a privacy diagnosis centre: measuring k-anonymity", CSA 2008:
//! at most ⌊δ·n⌋ of n rows may be withheld. Whole classes are withheld, smallest size first, all classes of one size or
//! none of them, because removing some classes of a size does not raise k (Lemma 2). The largest class
//! stays.
//!
//! From these counts follow k (the smallest size), the rows in classes below a given k, the largest k that a
//! suppression budget allows, and the suppression curve.

use serde::{Deserialize, Serialize};

use crate::numbers::{to_u64, to_usize, wide_whole_part};

/// What withholding the small classes achieves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suppression {
    /// The size of the smallest class that is kept.
    pub k: u64,
    /// How many are withheld to get there.
    pub suppressed: u64,
}

/// The number of classes of each size, ascending by size.
///
/// Sizes count rows, or people when the table has a subject column.
///
/// ```
/// use incrowd_core::ClassSizes;
/// let sizes = ClassSizes::from_sizes([3, 1, 3, 5]);
/// assert_eq!(sizes.k(), 1);
/// assert_eq!(sizes.at_budget(1).k, 3);        // withhold the unique row
/// assert_eq!(sizes.below(5), 7);              // 1 + 3 + 3 stand in classes smaller than 5
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassSizes {
    /// (size, number of classes of that size)
    histogram: Vec<(u64, u64)>,
}

impl ClassSizes {
    /// Counts classes given by their sizes, in any order.
    pub fn from_sizes(sizes: impl IntoIterator<Item = u64>) -> Self {
        // Small sizes are the many: count them by index, keep the few large ones in a list.
        const SMALL: usize = 1 << 10;
        let mut small = vec![0u64; SMALL];
        let mut large = Vec::new();
        for size in sizes {
            match small.get_mut(to_usize(size)) {
                Some(classes) => *classes += 1,
                None => large.push((size, 1)),
            }
        }
        let small = small.into_iter().enumerate().map(|(size, classes)| (size as u64, classes));
        large.sort_unstable();
        Self::coalesce(small.filter(|&(_, classes)| classes > 0).chain(large))
    }

    /// The classes of both, as when parts of a table that share no class are put together.
    pub fn merge(&self, other: &Self) -> Self {
        let mut all: Vec<_> = self.histogram.iter().chain(&other.histogram).copied().collect();
        all.sort_unstable();
        Self::coalesce(all)
    }

    fn coalesce(sorted: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut histogram: Vec<(u64, u64)> = Vec::new();
        for (size, classes) in sorted {
            match histogram.last_mut() {
                Some(last) if last.0 == size => last.1 += classes,
                _ => histogram.push((size, classes)),
            }
        }
        ClassSizes { histogram }
    }

    /// (size, number of classes), ascending by size.
    pub fn histogram(&self) -> &[(u64, u64)] {
        &self.histogram
    }

    /// The size of the smallest class: the k of Definition 2. 0 for an empty table.
    pub fn k(&self) -> u64 {
        self.histogram.first().map_or(0, |&(size, _)| size)
    }

    /// How many classes there are.
    pub fn classes(&self) -> u64 {
        self.histogram.iter().map(|&(_, classes)| classes).sum()
    }

    /// How many rows (or appearances of people in classes) there are.
    pub fn total(&self) -> u64 {
        self.histogram.iter().map(|&(size, classes)| size * classes).sum()
    }

    /// How many stand alone in their class.
    pub fn unique(&self) -> u64 {
        self.histogram.first().filter(|&&(size, _)| size == 1).map_or(0, |&(_, classes)| classes)
    }

    /// How many stand in classes smaller than `k`: what must be withheld for the rest to reach k.
    pub fn below(&self, k: u64) -> u64 {
        self.histogram.iter().take_while(|&&(size, _)| size < k).map(|&(size, classes)| size * classes).sum()
    }

    /// The mean chance of picking the right person given their class: classes / rows.
    pub fn mean_risk(&self) -> f64 {
        if self.total() == 0 { 0.0 } else { self.classes() as f64 / self.total() as f64 }
    }

    /// The largest k that can be had by withholding at most `budget`.
    ///
    /// The largest class stays: a release without rows protects no one. An empty table has k = 0.
    pub fn at_budget(&self, budget: u64) -> Suppression {
        let within = self.curve().take_while(|step| step.suppressed <= budget);
        within.last().unwrap_or(Suppression { k: 0, suppressed: 0 })
    }

    /// Each k that can be had, with the least number withheld to have it: the suppression curve, ascending.
    pub fn curve(&self) -> impl Iterator<Item = Suppression> + '_ {
        let mut suppressed = 0;
        self.histogram.iter().map(move |&(size, classes)| {
            let step = Suppression { k: size, suppressed };
            suppressed += size * classes;
            step
        })
    }

    /// The budget ⌊δ·n⌋ in rows, with δ read as the decimal number it was written as.
    ///
    /// ```
    /// assert_eq!(incrowd_core::ClassSizes::budget(0.29, 100), 29);   // 0.29 * 100.0 is 28.999… in binary
    /// ```
    pub fn budget(delta: f64, rows: u64) -> u64 {
        // δ is written with a few decimals; nine of them make it an exact ratio of integers.
        const SCALE: u128 = 1_000_000_000;
        let parts = wide_whole_part((delta.clamp(0.0, 1.0) * SCALE as f64).round());
        to_u64(parts * u128::from(rows) / SCALE)
    }
}
