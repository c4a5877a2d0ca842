//! Pairs of points whose prices come near to what a class of the two loses.

use rayon::prelude::*;

use super::super::relaxation::Relaxation;
use crate::Budget;
use crate::solver::clock::did;
use crate::solver::numbers::{pair, unpair};

/// The pairs of different points whose prices sum to more than what a class of the two loses less `2 * room`, ascending.
/// None when there are more than `most` or when the time was over before.
///
/// Prices that are nowhere higher by more than `room` are allowed for all other pairs.
pub(super) fn near_pairs(
    relaxation: &Relaxation<'_>,
    prices: &[f64],
    room: f64,
    most: usize,
    budget: &Budget,
) -> Option<Vec<[u32; 2]>> {
    let records = relaxation.records;
    let near = relaxation.near(prices, room, budget)?;
    let of_record = |&number: &u32| -> Option<Vec<u64>> {
        if budget.is_over() {
            return None;
        }
        let price = records.price(number as usize);
        let least = 2.0 * (price - room);
        let mut points: Vec<u32> = Vec::new();
        records.for_each_point(number as usize, |point| points.push(point));
        points.sort_unstable_by(|&a, &b| prices[b as usize].total_cmp(&prices[a as usize]).then(a.cmp(&b)));
        let mut pairs = Vec::new();
        for (at, &one) in points.iter().enumerate() {
            let rest = &points[at + 1..];
            let others =
                rest.iter().take_while(|&&other| prices[one as usize] + prices[other as usize] > least).count();
            did(others);
            // A pair is in many records. It is taken from its cheapest, which is its join.
            let joined = rest[..others].iter().filter(|&&other| records.price_of_join(&[one, other]) >= price);
            pairs.extend(joined.map(|&other| pair(one.min(other), one.max(other))));
            if others == 0 || pairs.len() > most {
                break;
            }
        }
        Some(pairs)
    };
    let found: Option<Vec<Vec<u64>>> = near.par_iter().map(of_record).collect();
    let mut pairs: Vec<u64> = found?.into_iter().flatten().collect();
    pairs.par_sort_unstable();
    pairs.dedup();
    (pairs.len() <= most).then(|| pairs.into_iter().map(|both| [unpair(both).0, unpair(both).1]).collect())
}
