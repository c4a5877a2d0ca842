//! How far chance goes: what independent shuffles and random class ids do, and what they practically never do.
//!
//! A sound release must not be refused, whatever its size. So no limit here rests on a normal approximation; each comes
//! from an inequality that holds for every table. A question has an alarm when shuffles would go so far with a
//! probability below p. [`Chance::of`] shares [`FALSE_ALARM`] among all questions that can be asked of a release, p =
//! 10⁻⁹ / questions, so by the union bound *all together* give a false alarm with a probability below 10⁻⁹, dependent
//! as they are. With L = ln(2/p), which is 24.7 for eight quasi-identifiers:
//!
//! **Agreement.** Two lists of n ids are laid side by side, one shuffled. X rows agree, E = Σ lᵢ·rᵢ / n are expected of
//! id i standing lᵢ times on the left and rᵢ times on the right. X is a sum of aᵢ over a random permutation with a in
//! [0, 1], for which P(|X − E| ≥ t) ≤ 2·exp(−t² / (4E + 2t)) (S. Chatterjee, Stein's method for concentration
//! inequalities, 2007, proposition 1.1). That is p at t = L + √(L² + 4·E·L). Classes of 4 rows in one order are told
//! from 61 rows on. Neighbours are the same question: the rows at even places beside those at odd ones; given which
//! rows stand at even places, their order is a random one.
//!
//! **Rank correlation.** Kendall's S is the number of pairs in one order minus the number of pairs in opposite orders;
//! tied pairs count 0. Without ties S = n(n−1)/2 − 2·I, and the inversions I of a random permutation are a sum of
//! independent variables, the j-th uniform on 0 … j−1. The exponential moment of such a variable about its mean is
//! sinh(jx) / (j·sinh x), x = λ/2. As sinh x / x = Π (1 + x²/k²π²), its logarithm is Σ ln(1 + (j²−1)·y/(1+y)) with y =
//! x²/k²π², which is at most Σ (j²−1)·y = λ²/2 · (j²−1)/12: no more than that of a normal variable with the same
//! variance. So P(|S| ≥ s) ≤ 2·exp(−s² / 2V) with V = n(n−1)(2n+5)/18, the variance of S. Ties change nothing: S with
//! ties is the mean of S over all ways of breaking them, so by Jensen's inequality its exponential moments are no
//! larger. That is p at s = √(2·V·L). A perfect order is told from 26 values on.
//!
//! **Same order as the original.** A table from which w of N rows were suppressed and that was not shuffled is what
//! remains of the original when w rows are crossed out. There are at most C(N, w) such lists, and a shuffle makes each
//! with the probability Π nᵥ! / n!, nᵥ being the rows of each combination of values. When the product is below p, this
//! is no chance.
//!
//! What is not found is not proved absent, and nothing can be said about a small table: then the answer is
//! [`ChanceAnswer::TooSmall`].

/// The probability that a sound release is refused for its order, all questions together.
pub(super) const FALSE_ALARM: f64 = 1e-9;

/// What can be said to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChanceAnswer {
    /// Chance does not go so far.
    Yes,
    /// It may well be chance.
    No,
    /// Even if it were so, chance might have done it.
    TooSmall,
}

/// The limits of chance for a number of questions.
#[derive(Clone, Copy)]
pub(super) struct Chance {
    /// L = ln(2/p).
    log: f64,
}

impl Chance {
    pub(super) fn of(questions: usize) -> Chance {
        Chance::with(FALSE_ALARM / questions.max(1) as f64)
    }

    fn with(probability: f64) -> Chance {
        Chance { log: (2.0 / probability).ln() }
    }

    /// Do two lists agree place by place more often than shuffled ones? What one has more than the other is left out.
    pub(super) fn agree(self, left: &[u32], right: impl Iterator<Item = u32> + Clone) -> ChanceAnswer {
        let kinds = left.iter().copied().chain(right.clone()).max().map_or(0, |most| most as usize + 1);
        let mut counts = vec![(0u64, 0u64); kinds];
        let (mut rows, mut agreeing) = (0u64, 0u64);
        for (&one, other) in left.iter().zip(right) {
            counts[one as usize].0 += 1;
            counts[other as usize].1 += 1;
            agreeing += u64::from(one == other);
            rows += 1;
        }
        let expected = counts.iter().map(|(l, r)| *l as f64 * *r as f64).sum::<f64>() / rows.max(1) as f64;
        let limit = expected + self.log + (self.log * (self.log + 4.0 * expected)).sqrt();
        let most: u64 = counts.iter().map(|(l, r)| l.min(r)).sum();
        answer(agreeing as f64, most as f64, limit)
    }

    /// Do rows of one class stand beside each other more often than in a shuffled list? Two questions: of the pairs
    /// that begin at even places, and of those that begin at odd ones.
    pub(super) fn neighbours(self, ids: &[u32]) -> [ChanceAnswer; 2] {
        [0, 1].map(|from| {
            let pairs = ids.get(from..).unwrap_or_default().chunks_exact(2);
            let left: Vec<u32> = pairs.clone().map(|pair| pair[0]).collect();
            self.agree(&left, pairs.map(|pair| pair[1]))
        })
    }

    /// Is one list of ranks higher where the other is, or lower, beyond chance? Both are equally long.
    pub(super) fn follows(self, one: &[u32], other: &[u32]) -> ChanceAnswer {
        let rows = one.len() as f64;
        let variance = (rows - 1.0).max(0.0) * rows * (2.0 * rows + 5.0) / 18.0;
        let untied = untied_pairs(one).min(untied_pairs(other));
        // At least one, so that lists without any pair to compare are too small.
        let limit = (2.0 * variance * self.log).sqrt().max(1.0);
        if (untied as f64) < limit {
            return ChanceAnswer::TooSmall;
        }
        answer(kendall(one, other).unsigned_abs() as f64, untied as f64, limit)
    }

    /// Is the list what remains of the original when some rows are crossed out?
    pub(super) fn remains(self, list: &[u32], original: impl ExactSizeIterator<Item = u32>) -> ChanceAnswer {
        if list.is_empty() || list.len() > original.len() {
            return ChanceAnswer::No;
        }
        let kinds = list.iter().max().map_or(0, |most| *most as usize + 1);
        let mut counts = vec![0; kinds];
        list.iter().for_each(|value| counts[*value as usize] += 1);
        let (rows, all) = (list.len(), original.len());
        let crossings = log_factorial(all) - log_factorial(rows) - log_factorial(all - rows);
        let arrangements = log_factorial(rows) - counts.into_iter().map(log_factorial).sum::<f64>();
        if crossings - arrangements > -self.log {
            return ChanceAnswer::TooSmall;
        }
        let found = original.fold(0, |found, value| found + usize::from(list.get(found) == Some(&value)));
        if found == rows { ChanceAnswer::Yes } else { ChanceAnswer::No }
    }
}

fn answer(found: f64, most: f64, limit: f64) -> ChanceAnswer {
    match () {
        () if found >= limit => ChanceAnswer::Yes,
        () if most >= limit => ChanceAnswer::No,
        () => ChanceAnswer::TooSmall,
    }
}

/// The ranks of some numbers, from 0; equal ones have equal ranks.
pub(super) fn ranks(values: &[f64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..).take(values.len()).collect();
    order.sort_unstable_by(|a, b| values[*a as usize].total_cmp(&values[*b as usize]));
    let mut ranks = vec![0; values.len()];
    let (mut rank, mut last) = (0, None);
    for at in order {
        let value = values[at as usize];
        rank += u32::from(last.is_some_and(|last| last != value));
        last = Some(value);
        ranks[at as usize] = rank;
    }
    ranks
}

/// Pairs in one order minus pairs in opposite orders.
fn kendall(one: &[u32], other: &[u32]) -> i64 {
    let mut order: Vec<u32> = (0..).take(one.len()).collect();
    order.sort_by_key(|at| one[*at as usize]);
    // How many of those before have at most a rank: sums over stretches whose lengths are powers of two (Fenwick).
    let ranks = other.iter().max().map_or(0, |most| *most as usize + 1);
    let mut sums = vec![0i64; ranks + 1];
    let up_to = |sums: &[i64], ranks: usize| {
        let mut at = ranks;
        let mut sum = 0;
        while at > 0 {
            sum += sums[at];
            at &= at - 1;
        }
        sum
    };
    let (mut before, mut pairs) = (0, 0);
    for tied in order.chunk_by(|a, b| one[*a as usize] == one[*b as usize]) {
        for &at in tied {
            let rank = other[at as usize] as usize;
            pairs += up_to(&sums, rank) - (before - up_to(&sums, rank + 1));
        }
        for &at in tied {
            let mut place = other[at as usize] as usize + 1;
            while place <= ranks {
                sums[place] += 1;
                place += place & place.wrapping_neg();
            }
        }
        before += i64::try_from(tied.len()).unwrap_or(i64::MAX);
    }
    pairs
}

/// Pairs of different ranks.
fn untied_pairs(ranks: &[u32]) -> u64 {
    let mut counts = vec![0u64; ranks.iter().max().map_or(0, |most| *most as usize + 1)];
    ranks.iter().for_each(|rank| counts[*rank as usize] += 1);
    let rows = ranks.len() as u64;
    (rows * rows - counts.iter().map(|count| count * count).sum::<u64>()) / 2
}

/// ln n!, by Stirling's series where its error is below 10⁻⁹.
fn log_factorial(n: usize) -> f64 {
    if n < 64 {
        return (2..=n).map(|factor| (factor as f64).ln()).sum();
    }
    let x = n as f64;
    x * x.ln() - x + 0.5 * (std::f64::consts::TAU * x).ln() + 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3))
}

#[cfg(test)]
mod tests;
