//! The suppression curve: the k for each share of suppressed rows (questions 9 and 11 of [`super::questions`]).

use incrowd_core::{ClassSizes, CurvePoint};

/// The curve with at most `points` steps, all of them exact: the first, the last, and steps between them whose k are
/// spread evenly on a logarithmic scale, as a chart or a short list shows them.
///
/// Shares are of `people`, as δ is: the rows of the table, or the people when it has a subject column. A person who is
/// in several small classes counts once for each, and a share is at most 1.
///
/// ```
/// use incrowd_core::ClassSizes;
/// use incrowd_risk::diagnosis::suppression_curve;
/// let sizes = ClassSizes::from_sizes([1, 1, 2, 3, 4, 9]);
/// let curve = suppression_curve(&sizes, sizes.total(), 10);
/// assert_eq!(curve.iter().map(|point| (point.k, point.suppressed)).collect::<Vec<_>>(), [
///     (1, 0), (2, 2), (3, 4), (4, 7), (9, 11),
/// ]);
/// assert_eq!(suppression_curve(&sizes, sizes.total(), 2).len(), 2);
/// ```
pub fn suppression_curve(sizes: &ClassSizes, people: u64, points: usize) -> Vec<CurvePoint> {
    let share = |suppressed: u64| (suppressed as f64 / people.max(1) as f64).min(1.0);
    let all: Vec<CurvePoint> = sizes
        .curve()
        .map(|step| CurvePoint { k: step.k, suppressed: step.suppressed, share: share(step.suppressed) })
        .collect();
    if all.len() <= points || points < 2 {
        return all.into_iter().take(points.max(1)).collect();
    }
    let ratio = (all[all.len() - 1].k as f64 / all[0].k as f64).ln() / (points - 1) as f64;
    let wanted = (0..points).map(|step| all[0].k as f64 * (ratio * step as f64).exp());
    let mut chosen: Vec<usize> =
        wanted.map(|k| all.partition_point(|point| (point.k as f64) < k - 1e-9 * k).min(all.len() - 1)).collect();
    chosen.dedup();
    chosen.into_iter().map(|index| all[index]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_curve_keeps_both_ends_and_only_true_steps() {
        let sizes = ClassSizes::from_sizes(1..=500);
        let curve = |points| suppression_curve(&sizes, sizes.total(), points);
        let (all, few) = (curve(1000), curve(12));
        assert_eq!((all.len(), all[0], all[499]), (500, few[0], few[few.len() - 1]));
        assert!(few.len() <= 12 && few.iter().all(|point| all.contains(point)));
    }

    /// Three people make four appearances; δ is a share of people, and so is what the curve says of each k.
    #[test]
    fn shares_are_of_people_where_people_are_in_several_classes() {
        let sizes = ClassSizes::from_sizes([1, 1, 2]);
        let curve = suppression_curve(&sizes, 3, 9);
        let shares: Vec<(u64, f64)> = curve.iter().map(|point| (point.k, point.share)).collect();
        assert_eq!(shares, [(1, 0.0), (2, 2.0 / 3.0)]);
        let many = suppression_curve(&ClassSizes::from_sizes([1, 1, 2]), 1, 9);
        assert!(many.iter().all(|point| point.share <= 1.0));
    }

    #[test]
    fn an_empty_table_has_an_empty_curve() {
        assert_eq!(suppression_curve(&ClassSizes::default(), 0, 5), []);
    }
}
