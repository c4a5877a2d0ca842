//! Row order: if the rows are in the order of the original, an attacker who knows that order can re-link everyone.
//!
//! The attacker has the people in the order of the original (a list by admission, by number, by name) and knows of
//! each in which class they are, because they fit its cells. He walks through both: each published row is matched with
//! the next person of its class. When the order was kept he goes through to the end, whatever was suppressed in
//! between. When the rows were shuffled a few matches bring him to the end of his list. He tries the reverse order,
//! too.
//!
//! The success is the share of the rows that are matched, the baseline the same walk over rows that were shuffled here.
//! `rank_correlation` sees more: it compares the mean place of each class on both sides, and finds rows that were only
//! partly moved. Rows that are sorted by their published cells correlate with an original that was sorted, though they
//! tell nothing new; rows in a random order raise no question. What is not found here may still be there: another order
//! is not looked for.

use std::collections::BTreeMap;

use incrowd_core::Outcome;

use super::shared::{part, shuffled, spearman};
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "row-order",
    summary: "An attacker who knows the order of the original matches people and published rows in order.",
    needs: AttackNeed::Original,
    bounded_by: None,
    reference: "no paper; measured in this project: an order that is kept aligns every row",
    run,
};

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    let orders = &material.truth_of_one_table()?.orders;
    let published = orders.published.as_ref().ok_or(AttackNeed::Original)?;
    Ok(vec![attack(published, &orders.original)])
}

/// How often the walk over shuffled rows is tried.
const SHUFFLES: u64 = 5;
/// Fewer matches beyond the baseline than this share are by chance.
const NOTICEABLE: f64 = 0.01;
/// Correlations of orders that have nothing to do with each other deviate by 1/√(n − 1); beyond four times that it is
/// no chance.
const DEVIATIONS: f64 = 4.0;

/// Runs the attack: the class of each published row, in its order, and the class of each row of the original, in its
/// order, or none when it is suppressed.
pub fn attack(published: &[u32], original: &[Option<u32>]) -> Outcome {
    let mut places: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (place, class) in original.iter().enumerate() {
        class.iter().for_each(|&class| places.entry(class).or_default().push(place));
    }
    let either_way = |rows: &[u32]| {
        let forward = walk(rows.iter().copied(), &places);
        let reverse = walk(rows.iter().rev().copied(), &places);
        (forward.max(reverse), reverse > forward)
    };
    let (matched, reversed) = either_way(published);
    let by_chance: u64 = (1..=SHUFFLES).map(|seed| either_way(&shuffled(published, seed)).0).sum();
    let rows = published.len() as u64;
    let baseline = by_chance as f64 / (SHUFFLES * rows.max(1)) as f64;
    let (correlation, classes) = correlation(published, &places);
    let is_ordered = correlation.abs() * (classes.max(1) as f64 - 1.0).sqrt() >= DEVIATIONS;
    let outcome = Outcome::tried(ENTRY.id, "", matched as f64, baseline, rows);
    let found = outcome.low > baseline + NOTICEABLE || is_ordered;
    let meaning = format!(
        "An attacker who knows the order of the original matches {} of the published rows in order; in a random order \
         it would be {}.",
        part(outcome.success),
        part(baseline),
    );
    let outcome = outcome.with("rank_correlation", correlation).with("reversed", f64::from(u8::from(reversed)));
    outcome.found(found).saying(meaning)
}

/// How many rows are matched with the next place of their class.
fn walk(rows: impl Iterator<Item = u32>, places: &BTreeMap<u32, Vec<usize>>) -> u64 {
    let (mut from, mut matched) = (0, 0);
    for class in rows {
        let places = places.get(&class).map_or(&[][..], Vec::as_slice);
        if let Some(place) = places.get(places.partition_point(|&place| place < from)) {
            from = place + 1;
            matched += 1;
        }
    }
    matched
}

/// The rank correlation of the mean places of classes in the release and in the original, and of how many classes.
fn correlation(published: &[u32], places: &BTreeMap<u32, Vec<usize>>) -> (f64, usize) {
    let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for (place, &class) in published.iter().enumerate() {
        let sum = sums.entry(class).or_default();
        *sum = (sum.0 + place as f64, sum.1 + 1.0);
    }
    let both = sums.iter().filter_map(|(class, (sum, rows))| {
        let places = places.get(class)?;
        Some((sum / rows, places.iter().sum::<usize>() as f64 / places.len() as f64))
    });
    let (own, original): (Vec<f64>, Vec<f64>) = both.unzip();
    (spearman(&own, &original), own.len())
}
