//! How many rows have a few labels together.

use std::collections::{BTreeMap, HashMap};

use incrowd_core::ItemTreatment;

/// The most rare combinations that are returned, so that they fit in memory however many there are.
const MOST_RARE: usize = 1 << 18;

/// The labels of a combination in ascending order; unused places have the largest number.
type Labels = [u32; ItemTreatment::MOST_KNOWN as usize];

/// How many combinations of exactly `size` labels the sets have in all, counted with repetitions.
pub fn combination_count(sets: &[(Vec<u32>, u64)], size: usize) -> u64 {
    let choices = |set: &(Vec<u32>, u64)| {
        let labels = set.0.len() as u64;
        (0..size as u64).fold(1u64, |choices, at| choices.saturating_mul(labels.saturating_sub(at)) / (at + 1))
    };
    sets.iter().map(choices).fold(0, u64::saturating_add)
}

/// The combinations of exactly `size` labels that some and fewer than k rows have, those of the fewest rows first, and at most
/// 2¹⁸ of them. A set has different labels in ascending order, and the rows that have it.
///
/// ```
/// use incrowd_algorithms::items::rare_combinations;
/// let sets = [(vec![0, 1], 3), (vec![0, 2], 1), (vec![2], 3)];
/// assert_eq!(rare_combinations(&sets, 1, 4), [(vec![1], 3)]);
/// assert_eq!(rare_combinations(&sets, 2, 4), [(vec![0, 2], 1), (vec![0, 1], 3)]);
/// ```
///
/// # Panics
/// If `size` is not 1 to [`ItemTreatment::MOST_KNOWN`].
pub fn rare_combinations(sets: &[(Vec<u32>, u64)], size: usize, k: u64) -> Vec<(Vec<u32>, u64)> {
    assert!((1..=ItemTreatment::MOST_KNOWN as usize).contains(&size), "combinations of {size} labels");
    // The combinations of one first label are held at a time.
    let mut beginning: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for (number, (labels, _)) in (0u32..).zip(sets) {
        let firsts = labels.len().saturating_sub(size - 1);
        for (place, &first) in (1u32..).zip(&labels[..firsts]) {
            beginning.entry(first).or_default().push((number, place));
        }
    }
    let mut rare: Vec<(Vec<u32>, u64)> = Vec::new();
    for (first, places) in beginning {
        let mut counts: HashMap<Labels, u64, ahash::RandomState> = HashMap::default();
        for (number, place) in places {
            let (labels, rows) = &sets[number as usize];
            each_combination(&labels[place as usize..], size - 1, &mut |others| {
                *counts.entry(*others).or_default() += rows;
            });
        }
        let found = counts.into_iter().filter(|(_, rows)| *rows < k);
        rare.extend(found.map(|(others, rows)| ([&[first], &others[..size - 1]].concat(), rows)));
        if rare.len() > 2 * MOST_RARE {
            keep_rarest(&mut rare);
        }
    }
    keep_rarest(&mut rare);
    rare
}

fn keep_rarest(rare: &mut Vec<(Vec<u32>, u64)>) {
    rare.sort_unstable_by(|one, other| (one.1, &one.0).cmp(&(other.1, &other.0)));
    rare.truncate(MOST_RARE);
}

/// Gives each combination of `size` of the labels.
fn each_combination(labels: &[u32], size: usize, found: &mut impl FnMut(&Labels)) {
    if labels.len() < size {
        return;
    }
    let mut chosen = [u32::MAX; ItemTreatment::MOST_KNOWN as usize];
    let mut places: Vec<usize> = (0..size).collect();
    loop {
        places.iter().zip(&mut chosen).for_each(|(&place, label)| *label = labels[place]);
        found(&chosen);
        // The last place that can move on; those behind it follow directly.
        let Some(at) = (0..size).rev().find(|&at| places[at] < labels.len() - size + at) else { return };
        places[at] += 1;
        (at + 1..size).for_each(|next| places[next] = places[next - 1] + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_is_given_once() {
        for labels in 0..8u32 {
            for size in 0..=5 {
                let set: Vec<u32> = (0..labels).collect();
                let mut met = std::collections::BTreeSet::new();
                let mut given = 0;
                each_combination(&set, size, &mut |chosen| {
                    met.insert(*chosen);
                    given += 1;
                });
                assert_eq!(met.len() as u64, combination_count(&[(set, 9)], size), "{size} of {labels}");
                assert_eq!(given, met.len());
            }
        }
    }
}
