//! Prices that know the policy: classes that need a number of distinct values.
//!
//! Distinct ℓ-diversity and p-sensitivity want rows of ℓ different values in a class. The classes of n rows are then the
//! bases of a matroid (the elongation of a truncated partition matroid), so the dearest one is found greedily: the dearest
//! row of each of the ℓ values whose dearest rows are dearest, and the dearest of the others. A class of more than k rows
//! can have a larger mean than one of k, because the rows that are only there for their value then count less; so rows
//! are added as long as they are dearer than the mean.
//!
//! **Which prices may be raised.** Let τ be the smallest price in the dearest class of k rows. The class has the same sum
//! when all prices below τ are raised to it, and is still the dearest of its size: the rows with prices of at least τ have
//! a basis among them. A larger class takes rows of at least τ until it has ℓ values without being made to, and rows of
//! at most τ from then on, which lower the mean even when they are raised to τ.

/// The fewest distinct values of a class.
pub(super) struct DistinctRows {
    pub(super) least: usize,
    /// For each point its rows by value.
    pub(super) rows: Vec<Vec<(usize, f64)>>,
}

impl DistinctRows {
    /// The largest mean price of a class of at least `k` rows, and the price below which prices may be raised to it; none
    /// when the points have too few values. The points are in the order of falling price.
    pub(super) fn largest_mean(&self, k: f64, prices: &[f64], order: &[u32]) -> Option<(f64, f64)> {
        let mut met: Vec<usize> = Vec::with_capacity(self.least);
        // The dearest row of each value, in sum, and all other rows as price and number, by falling price.
        let (mut firsts, mut others, mut seen) = (0.0, Vec::new(), 0.0);
        let mut last = f64::NEG_INFINITY;
        for &point in order {
            let price = prices[point as usize];
            let mut rest = 0.0;
            for &(value, rows) in &self.rows[point as usize] {
                rest += rows;
                if met.len() < self.least && !met.contains(&value) {
                    met.push(value);
                    (firsts, rest) = (firsts + price, rest - 1.0);
                    last = price;
                }
                seen += rows;
            }
            others.push((price, rest));
            if met.len() == self.least && seen >= k {
                break;
            }
        }
        if met.len() < self.least {
            return None;
        }
        let (mut rows, mut sum) = (self.least as f64, firsts);
        for (price, more) in others {
            let lacking = (k - rows).max(0.0).min(more);
            (rows, sum) = (rows + lacking, sum + lacking * price);
            last = if lacking > 0.0 { last.min(price) } else { last };
            if rows >= k && more > lacking && price * rows > sum {
                (rows, sum) = (rows + more - lacking, sum + (more - lacking) * price);
            }
        }
        Some((sum / rows, last))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    /// The largest mean of any class of these rows, each with a price and a value.
    fn literally(rows: &[(f64, usize)], k: usize, least: usize) -> Option<f64> {
        let classes = (1u32..1 << rows.len()).map(|set| {
            let class: Vec<(f64, usize)> = (0..rows.len()).filter(|at| set >> at & 1 == 1).map(|at| rows[at]).collect();
            let mut values: Vec<usize> = class.iter().map(|row| row.1).collect();
            values.sort_unstable();
            values.dedup();
            let mean = class.iter().map(|row| row.0).sum::<f64>() / class.len() as f64;
            (class.len() >= k && values.len() >= least).then_some(mean)
        });
        classes.flatten().reduce(f64::max)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_mean_is_that_of_the_dearest_class_and_prices_may_be_raised(
            points in proptest::collection::vec((0u32..12, proptest::collection::vec(0usize..4, 1..3)), 1..6),
            k in 1usize..5,
            least in 2usize..4,
        ) {
            let prices: Vec<f64> = points.iter().map(|point| f64::from(point.0) / 4.0).collect();
            let row_list = |prices: &[f64]| -> Vec<(f64, usize)> {
                points.iter().zip(prices).flat_map(|(point, &price)| point.1.iter().map(move |&value| (price, value))).collect()
            };
            let by_value = |values: &Vec<usize>| {
                let count = |value: usize| values.iter().filter(|&&own| own == value).count() as f64;
                (0..4).map(|value| (value, count(value))).filter(|rows| rows.1 > 0.0).collect()
            };
            let limits = DistinctRows { least, rows: points.iter().map(|point| by_value(&point.1)).collect() };
            let mut order: Vec<u32> = (0..).take(points.len()).collect();
            order.sort_by(|&a, &b| prices[b as usize].total_cmp(&prices[a as usize]).then(a.cmp(&b)));
            prop_assume!(row_list(&prices).len() >= k);
            let found = limits.largest_mean(k as f64, &prices, &order);
            let expected = literally(&row_list(&prices), k, least);
            prop_assert_eq!(found.is_some(), expected.is_some());
            if let Some((mean, last)) = found {
                prop_assert!((mean - expected.unwrap()).abs() < 1e-12, "{} {}", mean, expected.unwrap());
                let raised: Vec<f64> = prices.iter().map(|price| price.max(last)).collect();
                let most = literally(&row_list(&raised), k, least).unwrap();
                prop_assert!(most <= mean + 1e-12, "raised to {}: {} instead of {}", last, most, mean);
            }
        }
    }
}
