//! Known items: an attacker who knows a few items of a person looks for the rows that have all of them.
//!
//! M. Terrovitis, N. Mamoulis and P. Kalnis, "Privacy-preserving Anonymization of Set-valued Data", VLDB 2008: an
//! attacker who knows m items of a person finds at least k rows. An item is known by the label that is published for it. That is the most that an
//! attacker can know of it.
//!
//! For each row that is tried, as many items as the treatment is about are drawn at random, and the rows are counted that
//! have all of them. The attacker picks one of these: the success is the mean chance that it is the right one. It is tried:
//! other items might say more. `worst` is the largest chance among the rows that were tried. `one_more` and `unique` are about
//! an attacker who knows one item more than the treatment is about: the mean chance, and the share of rows that are the
//! only ones to fit.

use std::collections::HashMap;

use incrowd_core::{Outcome, counted};

use super::shared::{part, shuffled};
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "known-items",
    summary: "An attacker who knows a few items of a person looks for the rows whose sets have all of them.",
    needs: AttackNeed::ItemSets,
    bounded_by: None,
    reference: "M. Terrovitis, N. Mamoulis, P. Kalnis, Privacy-preserving Anonymization of Set-valued Data, VLDB 2008",
    run,
};

/// Number of rows that are looked for.
const TRIED_ROWS: usize = 2_000;

/// The published sets of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedSets {
    /// The column.
    column: String,
    /// How many items the treatment is about.
    known: usize,
    /// Different labels in ascending order, and the rows that have them.
    sets: Vec<(Vec<u32>, u64)>,
    /// For each label the sets that have it.
    having: Vec<Vec<u32>>,
}

impl PublishedSets {
    /// The sets of a column, each with its rows. Sets without labels are left out: nothing is known of them.
    pub fn new(column: &str, known: usize, mut sets: Vec<(Vec<u32>, u64)>) -> PublishedSets {
        sets.retain(|(labels, _)| !labels.is_empty());
        sets.iter_mut().for_each(|(labels, _)| labels.sort_unstable());
        let labels = sets.iter().flat_map(|(labels, _)| labels).max().map_or(0, |&last| last as usize + 1);
        let mut having = vec![Vec::new(); labels];
        for (number, (labels, _)) in (0..).zip(&sets) {
            labels.iter().for_each(|&label| having[label as usize].push(number));
        }
        PublishedSets { column: column.into(), known, sets, having }
    }

    /// How many rows have all these labels.
    fn matches(&self, known: &[u32]) -> u64 {
        let rarest = known.iter().map(|&label| &self.having[label as usize]).min_by_key(|having| having.len());
        let sets = rarest.into_iter().flatten().map(|&set| &self.sets[set as usize]);
        let has_all = |set: &&(Vec<u32>, u64)| known.iter().all(|label| set.0.binary_search(label).is_ok());
        sets.filter(has_all).map(|(_, rows)| rows).sum()
    }
}

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    let columns = material.item_sets.iter().filter(|column| !column.sets.is_empty());
    let mut outcomes = Vec::new();
    for column in columns {
        if material.watch.cancel.is_cancelled() {
            return Err(AttackNotRun::Stopped);
        }
        outcomes.push(attack(column));
    }
    if outcomes.is_empty() { Err(AttackNeed::ItemSets.into()) } else { Ok(outcomes) }
}

/// Runs the attack. The baseline is to pick any row with items.
pub fn attack(column: &PublishedSets) -> Outcome {
    let rows = (0u32..).zip(&column.sets);
    let rows: Vec<u32> =
        rows.flat_map(|(set, (_, rows))| std::iter::repeat_n(set, usize::try_from(*rows).unwrap_or(0))).collect();
    let tried = shuffled(&rows, 1);
    let tried = &tried[..tried.len().min(TRIED_ROWS)];
    let mut counted_before: HashMap<Vec<u32>, u64> = HashMap::new();
    let mut chances = |known: usize| -> Vec<f64> {
        let mut chance = |(row, &set): (u64, &u32)| {
            let mut labels = shuffled(&column.sets[set as usize].0, row);
            labels.truncate(known);
            labels.sort_unstable();
            let matches = *counted_before.entry(labels).or_insert_with_key(|labels| column.matches(labels));
            1.0 / matches as f64
        };
        (0..).zip(tried).map(&mut chance).collect()
    };
    let (enough, more) = (chances(column.known), chances(column.known + 1));
    let count = tried.len().max(1) as f64;
    let worst = enough.iter().copied().fold(0.0, f64::max);
    let one_more = more.iter().sum::<f64>() / count;
    let unique = more.iter().filter(|&&chance| chance == 1.0).count() as f64 / count;
    let baseline = 1.0 / rows.len().max(1) as f64;
    let mut outcome = Outcome::tried(ENTRY.id, &column.column, enough.iter().sum(), baseline, tried.len() as u64);
    outcome.sampled = tried.len() as f64 / rows.len().max(1) as f64;
    let meaning = format!(
        "With at most {} of a row at random, the right row is picked in {} of the cases. With one more, it is picked in {}; \
         then for {} of the rows only one fits.",
        counted(column.known as u64, "item", "items"),
        part(outcome.success),
        part(one_more),
        part(unique),
    );
    outcome.with("worst", worst).with("one_more", one_more).with("unique", unique).saying(meaning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_that_five_rows_have_hide_them_and_triples_that_one_has_do_not() {
        // Three groups of labels: any two of different groups are in five sets, any three in one.
        let sets = (0..125u32).map(|row| (vec![row % 5, 5 + row / 5 % 5, 10 + row / 25], 1)).collect();
        let found = attack(&PublishedSets::new("illnesses", 2, sets));
        assert!((found.success - 0.2).abs() < 1e-9 && found.figure("worst").is_some_and(|worst| worst <= 0.2));
        assert_eq!((found.figure("one_more"), found.figure("unique")), (Some(1.0), Some(1.0)));
        assert_eq!(found.column, "illnesses");
    }

    #[test]
    fn equal_sets_are_not_told_apart_by_any_number_of_items() {
        let found = attack(&PublishedSets::new("illnesses", 1, vec![(vec![0, 1, 2], 8), (vec![], 9), (vec![3], 8)]));
        assert_eq!((found.success, found.baseline), (0.125, 0.0625));
        assert_eq!((found.figure("one_more"), found.figure("unique")), (Some(0.125), Some(0.0)));
    }
}
