//! The nearest class shares of a record: projection onto the cone of what a record can hold.
//!
//! A class of a record takes a share x(i) of each of its points, each at most the record's own share z, and of k rows at
//! least that share: 0 ≤ x ≤ z and Σ n(i)·x(i) ≥ k·z, with n(i) the rows of a point. That is a cone. The point of it that
//! is nearest to v, rows counting alike, is x = clip(v + λ, 0, z): with a the rows whose share is z, m those between, S
//! the sums of their v, and b = k − a, the conditions of Karush, Kuhn and Tucker give
//!
//! > λ = (b·S_a − a·S_m) / (a·m + b²),  z = (b·S_m + m·S_a) / (a·m + b²)
//!
//! which rows are where depends on λ and z, so the two are found by turns, from those of the last time. If the k
//! largest v sum to no more than 0, the nearest point is 0; that sum is at most Σ n·(v − θ)⁺ + k·θ for every θ, so that
//! one pass shows it when θ is about the k-th largest v.

/// By how much a record's shares are moved, and where they end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ConePoint {
    /// What is added to every share.
    pub(super) lift: f64,
    /// The largest share; 0 when all are.
    pub(super) most: f64,
}

impl ConePoint {
    /// The share that a value becomes.
    #[inline]
    pub(super) fn share(self, value: f64) -> f64 {
        (value + self.lift).min(self.most).max(0.0)
    }
}

/// How often the rows are sorted into those above and between, before shares are taken as they are.
const TURNS: usize = 12;
/// How often a threshold for the k largest values is moved.
const THRESHOLDS: usize = 30;
/// Number of values that are summed side by side.
const LANES: usize = 4;
/// Shares and sums below this are 0.
const TINY: f64 = 1e-12;

/// The nearest shares to some values; `rows` are those of each value, `before` is where the last search ended.
pub(super) fn project(values: &[f64], rows: &[f64], k: f64, before: ConePoint) -> ConePoint {
    let (sum, most) = positive(values, rows);
    if most <= 0.0 {
        return ConePoint { lift: before.lift, most: 0.0 };
    }
    if sum >= k * most {
        return ConePoint { lift: 0.0, most };
    }
    if before.most == 0.0
        && let Some(lift) = lift_of_nothing(values, rows, k, before.lift)
    {
        return ConePoint { lift, most: 0.0 };
    }
    let mut point = if before.most > 0.0 { before } else { ConePoint { lift: before.lift.max(0.0), most } };
    for _ in 0..TURNS {
        let Some(next) = ClippedShares::at(values, rows, point).point(k) else {
            // Too few rows are above 0, or the shares vanish: the shares may be 0.
            if let Some(lift) = lift_of_nothing(values, rows, k, point.lift) {
                return ConePoint { lift, most: 0.0 };
            }
            return searched(values, rows, k, most);
        };
        let moved = (next.lift - point.lift).abs() + (next.most - point.most).abs();
        point = next;
        if moved <= TINY * (1.0 + most) {
            return point;
        }
    }
    searched(values, rows, k, most)
}

/// The lift with which values between 0 and 1 hold k rows: that of a record whose share is 1.
pub(super) fn lift_to_hold(values: &[f64], rows: &[f64], k: f64, before: f64) -> ConePoint {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let (mut low, mut high) = (0.0, (1.0 - least).max(0.0));
    let mut lift = 0.0;
    let mut next = before.clamp(low, high);
    for turn in 0..THRESHOLDS {
        let (mut held, mut slope) = (0.0, 0.0);
        for (&value, &rows) in values.iter().zip(rows) {
            let share = (value + lift).clamp(0.0, 1.0);
            held += rows * share;
            slope += if share > 0.0 && share < 1.0 { rows } else { 0.0 };
        }
        if (turn == 0 && held >= k) || (held - k).abs() <= TINY * k {
            break;
        }
        if held < k {
            low = lift;
        } else {
            high = lift;
        }
        if turn > 0 {
            next = lift + (k - held) / slope;
        }
        lift = if next > low && next < high { next } else { f64::midpoint(low, high) };
    }
    ConePoint { lift, most: 1.0 }
}

/// The sum of what is above 0, and the largest.
#[inline]
fn positive(values: &[f64], rows: &[f64]) -> (f64, f64) {
    let (mut sum, mut most) = (0.0, f64::NEG_INFINITY);
    for (&value, &rows) in values.iter().zip(rows) {
        sum += rows * value.max(0.0);
        most = if value > most { value } else { most };
    }
    (sum, most)
}

/// If the k largest values sum to no more than 0, a lift that shows it; begins with one that did.
fn lift_of_nothing(values: &[f64], rows: &[f64], k: f64, lift: f64) -> Option<f64> {
    let mut threshold = -lift;
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    for _ in 0..THRESHOLDS {
        let (mut above, mut excess) = (0.0, 0.0);
        let (mut next_above, mut next_below) = (f64::INFINITY, f64::NEG_INFINITY);
        for (&value, &rows) in values.iter().zip(rows) {
            let is_above = value > threshold;
            above += if is_above { rows } else { 0.0 };
            excess += if is_above { rows * (value - threshold) } else { 0.0 };
            next_above = if is_above && value < next_above { value } else { next_above };
            next_below = if !is_above && value > next_below { value } else { next_below };
        }
        if excess + k * threshold <= 0.0 {
            return Some(-threshold);
        }
        // The bound is convex in the threshold, and least where just k rows are above it.
        if above > k {
            low = threshold;
            // With more rows above, a threshold that is their mean excess higher is not too high for k of them.
            let step = threshold + excess / above * (1.0 - k / above);
            threshold = if step > next_above { step } else { next_above };
        } else {
            high = threshold;
            if next_below == f64::NEG_INFINITY || above == k {
                return None;
            }
            threshold = next_below;
        }
        if threshold >= high || threshold <= low {
            threshold = f64::midpoint(low, high);
            if !threshold.is_finite() || high - low <= TINY {
                return None;
            }
        }
    }
    None
}

/// The rows whose share is the largest, and those with a smaller one.
struct ClippedShares {
    top: f64,
    top_sum: f64,
    between: f64,
    between_sum: f64,
}

impl ClippedShares {
    #[inline]
    fn at(values: &[f64], rows: &[f64], point: ConePoint) -> ClippedShares {
        let (none, full) = (-point.lift, point.most - point.lift);
        let (mut top, mut top_sum) = ([0.0; LANES], [0.0; LANES]);
        let (mut some, mut some_sum) = ([0.0; LANES], [0.0; LANES]);
        let mut add = |values: &[f64], rows: &[f64]| {
            for (lane, (&value, &rows)) in values.iter().zip(rows).enumerate() {
                let (is_top, is_some) = (if value > full { rows } else { 0.0 }, if value > none { rows } else { 0.0 });
                top[lane] += is_top;
                top_sum[lane] += is_top * value;
                some[lane] += is_some;
                some_sum[lane] += is_some * value;
            }
        };
        let (values, rows) = (values.chunks_exact(LANES), rows.chunks_exact(LANES));
        let rest = (values.remainder(), rows.remainder());
        values.zip(rows).for_each(|(values, rows)| add(values, rows));
        add(rest.0, rest.1);
        let sum = |lanes: [f64; LANES]| lanes.into_iter().sum::<f64>();
        let mut split =
            ClippedShares { top: sum(top), top_sum: sum(top_sum), between: sum(some), between_sum: sum(some_sum) };
        split.between -= split.top;
        split.between_sum -= split.top_sum;
        split
    }

    /// Where the conditions hold if the rows are split like this; none if no share is left.
    fn point(&self, k: f64) -> Option<ConePoint> {
        let rest = k - self.top;
        let scale = self.top * self.between + rest * rest;
        if scale <= TINY {
            return None;
        }
        let most = (rest * self.between_sum + self.between * self.top_sum) / scale;
        let lift = (rest * self.top_sum - self.top * self.between_sum) / scale;
        (most > TINY && self.top + self.between > 0.0).then_some(ConePoint { lift, most })
    }
}

/// The same, first λ and then z for it, by rules that keep the answer between two ends: slower, and never in a circle.
fn searched(values: &[f64], rows: &[f64], k: f64, most: f64) -> ConePoint {
    // What is cut off from the largest shares is what k rows are lifted by; the difference falls as the lift grows.
    let excess = |lift: f64| {
        let share = share_at(values, rows, k, lift, most);
        let over: f64 = values.iter().zip(rows).map(|(value, rows)| rows * (value + lift - share).max(0.0)).sum();
        (over - k * lift, share)
    };
    let (mut low, mut above) = (0.0, excess(0.0).0);
    let mut high = most;
    let mut below = excess(high).0;
    for _ in 0..THRESHOLDS {
        if below <= 0.0 {
            break;
        }
        (low, above, high) = (high, below, 2.0 * high);
        below = excess(high).0;
    }
    let mut found = ConePoint { lift: high, most: share_at(values, rows, k, high, most) };
    for _ in 0..THRESHOLDS {
        let lift = if above > below { low + (high - low) * above / (above - below) } else { f64::midpoint(low, high) };
        let (over, share) = excess(lift);
        found = ConePoint { lift, most: share };
        if let Some(settled) = settled(values, rows, k, found) {
            return settled;
        }
        if over.abs() <= TINY * k || high - low <= TINY * most {
            break;
        }
        // The end that stays counts half, so that it does not stay for ever (the Illinois rule).
        if over > 0.0 {
            (low, above, below) = (lift, over, below / 2.0);
        } else {
            (high, below, above) = (lift, over, above / 2.0);
        }
    }
    found
}

/// Where the conditions hold for the rows as they are split at a point, if the rows are split alike there.
fn settled(values: &[f64], rows: &[f64], k: f64, point: ConePoint) -> Option<ConePoint> {
    let next = ClippedShares::at(values, rows, point).point(k)?;
    let again = ClippedShares::at(values, rows, next).point(k)?;
    let moved = (next.lift - again.lift).abs() + (next.most - again.most).abs();
    (next.lift >= 0.0 && moved <= TINY * (1.0 + next.most)).then_some(next)
}

/// The largest share for a lift: the largest z with Σ n·min((v + λ)⁺, z) ≥ k·z, found from above.
fn share_at(values: &[f64], rows: &[f64], k: f64, lift: f64, most: f64) -> f64 {
    let mut share = most + lift;
    for _ in 0..THRESHOLDS {
        let (mut top, mut rest) = (0.0, 0.0);
        for (&value, &rows) in values.iter().zip(rows) {
            let lifted = value + lift;
            top += if lifted >= share { rows } else { 0.0 };
            rest += if lifted < share { rows * lifted.max(0.0) } else { 0.0 };
        }
        if top >= k {
            return share;
        }
        let next = rest / (k - top);
        if next >= share * (1.0 - TINY) {
            return share;
        }
        share = next;
    }
    share
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_record_whose_share_is_one_holds_k_rows() {
        let (values, rows) = ([-0.5, 0.2, 0.4, 1.5, -3.0], [1.0, 2.0, 1.0, 1.0, 9.0]);
        for k in [1.0, 2.0, 3.5, 5.0, 9.0, 14.0] {
            let found = lift_to_hold(&values, &rows, k, 0.3);
            let held: f64 = values.iter().zip(&rows).map(|(&value, rows)| rows * found.share(value)).sum();
            assert!(found.lift >= 0.0 && (held - k.max(1.8)).abs() < 1e-6, "{found:?}: {held} of {k}");
        }
    }

    fn distance(values: &[f64], rows: &[f64], shares: &[f64]) -> f64 {
        values.iter().zip(shares).zip(rows).map(|((value, share), rows)| rows * (value - share).powi(2)).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        /// The nearest point p of a cone to v: p is in it, v − p is orthogonal to p, and at no acute angle to any class.
        #[test]
        fn shares_are_in_the_cone_and_none_are_nearer(
            entries in prop::collection::vec((-1.0f64..1.0, 1u32..4), 1..12),
            k in 1u32..8,
            start in (-0.5f64..1.0, 0.0f64..1.0),
        ) {
            let (values, rows): (Vec<f64>, Vec<f64>) = entries.iter().map(|&(value, rows)| (value, f64::from(rows))).unzip();
            let k = f64::from(k);
            prop_assume!(rows.iter().sum::<f64>() >= k);
            for before in [ConePoint::default(), ConePoint { lift: start.0, most: start.1 }] {
                let found = project(&values, &rows, k, before);
                let shares: Vec<f64> = values.iter().map(|&value| found.share(value)).collect();
                let taken: f64 = shares.iter().zip(&rows).map(|(share, rows)| share * rows).sum();
                prop_assert!(taken >= k * found.most - 1e-6, "{found:?}: {taken}");
                let inner = |other: &[f64]| -> f64 {
                    (0..values.len()).map(|at| rows[at] * (values[at] - shares[at]) * other[at]).sum()
                };
                prop_assert!(inner(&shares).abs() <= 1e-6, "{found:?}: {shares:?}");
                // Of all classes with share 1, the one along the remainder: all above 0, and the largest up to k rows.
                let mut order: Vec<usize> = (0..values.len()).collect();
                order.sort_by(|&a, &b| (values[b] - shares[b]).total_cmp(&(values[a] - shares[a])));
                let (mut sum, mut held) = (0.0, 0.0);
                for at in order {
                    let rest = values[at] - shares[at];
                    let taken = if rest > 0.0 { rows[at] } else { rows[at].min(k - held).max(0.0) };
                    (sum, held) = (sum + taken * rest, held + taken);
                }
                prop_assert!(sum <= 1e-6, "{found:?}: {sum}, {shares:?}");
                prop_assert!(distance(&values, &rows, &shares) <= distance(&values, &rows, &vec![0.0; rows.len()]) + 1e-9);
            }
        }
    }
}
