//! The classes that keep the policy and can be part of the best release.

use super::SearchLimits;
use super::items::{ItemCounts, Items};
use crate::solver::numbers::to_usize;
use crate::{Budget, Problem};

/// Number of steps between two checks of the deadline.
const STRIDE: usize = 1 << 10;

/// A class that keeps the policy.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) counts: ItemCounts,
    /// Its items, as bits.
    pub(super) set: usize,
    pub(super) rows: u64,
    /// What all its rows lose.
    pub(super) loss: f64,
}

/// All candidates; nothing when they are too many or the time is over.
pub(super) fn list(
    problem: &Problem<'_>,
    items: &Items,
    reach: &SearchLimits,
    budget: &Budget,
) -> Option<Vec<Candidate>> {
    if items.total() > u64::from(u16::MAX) {
        return None;
    }
    let mixtures = Mixtures::new(problem, items, reach.mixtures, budget)?;
    let wanted =
        if problem.policy.survives_merging() { mixtures.indivisible(reach.pairs, budget)? } else { mixtures.all() };
    let mut found = Vec::new();
    for (at, mixture) in wanted.into_iter().enumerate() {
        if at % STRIDE == 0 && (budget.is_over() || budget.check().is_err()) {
            return None;
        }
        spread(items, &mut mixtures.rows_of(mixture), 0, &mut ItemCounts::default(), &mut found, reach.candidates)?;
    }
    Some(found)
}

/// Lists all candidates with these numbers of rows of each kind, from an item on.
fn spread(
    items: &Items,
    left: &mut [u64],
    item: usize,
    counts: &mut ItemCounts,
    found: &mut Vec<Candidate>,
    most: usize,
) -> Option<()> {
    if item == items.len() {
        if left.iter().all(|&rows| rows == 0) {
            let set = (0..items.len()).filter(|&item| counts[item] > 0).fold(0, |set, item| set | 1 << item);
            let rows: u64 = counts.iter().map(|&count| u64::from(count)).sum();
            found.push(Candidate { counts: *counts, set, rows, loss: rows as f64 * items.price(set) });
        }
        return (found.len() <= most).then_some(());
    }
    let kind = items.kind(item);
    // Items are ordered by kind: the last of a kind takes what is left of it.
    let is_last = item + 1 == items.len() || items.kind(item + 1) != kind;
    let most_rows = items.rows(item).min(left[kind]);
    let fewest = if is_last { left[kind] } else { 0 };
    for count in fewest..=most_rows {
        counts[item] = u16::try_from(count).ok()?;
        left[kind] -= count;
        let listed = spread(items, left, item + 1, counts, found, most);
        left[kind] += count;
        counts[item] = 0;
        listed?;
    }
    Some(())
}

/// The numbers of rows of each kind that keep the policy, each written as one number with a digit for each kind.
struct Mixtures {
    /// The place value of each kind.
    places: Vec<usize>,
    most: Vec<u64>,
    holds: Vec<bool>,
}

impl Mixtures {
    fn new(problem: &Problem<'_>, items: &Items, most_mixtures: usize, budget: &Budget) -> Option<Self> {
        let kinds = items.rows_by_kind();
        let mut places = Vec::with_capacity(kinds.len());
        let mut count = 1usize;
        for &(_, rows) in &kinds {
            places.push(count);
            count = count.checked_mul(to_usize(rows).saturating_add(1)).filter(|&count| count <= most_mixtures)?;
        }
        let most: Vec<u64> = kinds.iter().map(|kind| kind.1).collect();
        let mut mixtures = Mixtures { places, most, holds: Vec::with_capacity(count) };
        for mixture in 0..count {
            if mixture % STRIDE == 0 && (budget.is_over() || budget.check().is_err()) {
                return None;
            }
            let rows = mixtures.rows_of(mixture);
            let class: Vec<(usize, u64)> =
                kinds.iter().zip(rows).filter(|(_, rows)| *rows > 0).map(|(kind, rows)| (kind.0, rows)).collect();
            mixtures.holds.push(!class.is_empty() && problem.holds(&class));
        }
        Some(mixtures)
    }

    fn rows_of(&self, mixture: usize) -> Vec<u64> {
        let digit = |(place, most): (&usize, &u64)| (mixture / place) as u64 % (most + 1);
        self.places.iter().zip(&self.most).map(digit).collect()
    }

    fn all(&self) -> Vec<usize> {
        (0..self.holds.len()).filter(|&mixture| self.holds[mixture]).collect()
    }

    /// Those that cannot be parted into two that keep the policy; nothing when that takes too long. If a mixture can be
    /// parted at all, one of the parts can be taken to be indivisible, because the policy survives merging.
    fn indivisible(&self, most_pairs: usize, budget: &Budget) -> Option<Vec<usize>> {
        let mut by_rows: Vec<(u64, usize)> =
            self.all().into_iter().map(|mixture| (self.rows_of(mixture).iter().sum(), mixture)).collect();
        by_rows.sort_unstable();
        let mut found: Vec<(Vec<u64>, usize)> = Vec::new();
        let mut pairs = 0usize;
        for (_, mixture) in by_rows {
            pairs += found.len() + 1;
            if pairs > most_pairs || budget.is_over() || budget.check().is_err() {
                return None;
            }
            let rows = self.rows_of(mixture);
            // Without a carry, the difference of two numbers is the number of the difference.
            let parts = |(part, number): &(Vec<u64>, usize)| {
                part.iter().zip(&rows).all(|(part, rows)| part <= rows) && self.holds[mixture - number]
            };
            if !found.iter().any(parts) {
                found.push((rows, mixture));
            }
        }
        Some(found.into_iter().map(|(_, mixture)| mixture).collect())
    }
}
