//! Partial history: an attacker who knows several rows of a person looks for the pseudonym that has all of them.
//!
//! L. Sweeney's linkage with several points: Y.-A. de Montjoye, C. A. Hidalgo, M. Verleysen and V. D. Blondel, "Unique in
//! the Crowd: the privacy bounds of human mobility", Scientific Reports 2013, found that four places and times single out
//! 95 % of people. Here a row is known by its published quasi-identifiers. That is the most that an attacker can know of
//! it: someone who knows the original values may find several published rows that fit each.
//!
//! For each person some rows are drawn at random, and the pseudonyms are counted that have all of them, each as often. The
//! attacker picks one of these: the success is the mean chance that it is the right one. It is tried: other rows might
//! say more. `worst` is the largest chance among the people who were tried, `unique` the share for whom one pseudonym is
//! left, and `one_row` the mean chance of an attacker who knows one row, which k-anonymity is about.

use std::collections::HashMap;

use incrowd_core::{KnownRows, Outcome, counted};

use super::shared::{part, shuffled};
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun, PolicyBound};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "partial-history",
    summary: "An attacker who knows several rows of a person looks for the pseudonym that has all of them.",
    needs: AttackNeed::Pseudonyms,
    bounded_by: Some(PolicyBound::KnownRows),
    reference: "Y.-A. de Montjoye et al., Unique in the Crowd: the privacy bounds of human mobility, Scientific Reports \
                2013",
    run,
};

/// How many rows are known when the policy does not say it.
const USUAL_ROWS: KnownRows = KnownRows::AtMost(3);

/// Number of people who are looked for.
const TRIED_PEOPLE: usize = 2_000;

/// The published rows of each pseudonym: what they look like, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublishedHistories {
    /// For each person the looks of the rows, ascending.
    people: Vec<Vec<u32>>,
    /// For each look the people who have it, each once.
    having: Vec<Vec<u32>>,
}

impl PublishedHistories {
    /// The histories of people, each the looks of the rows in any order.
    pub fn new(mut people: Vec<Vec<u32>>) -> PublishedHistories {
        people.iter_mut().for_each(|history| history.sort_unstable());
        let looks = people.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        let mut having = vec![Vec::new(); looks];
        for (person, history) in (0..).zip(&people) {
            for alike in history.chunk_by(|a, b| a == b) {
                having[alike[0] as usize].push(person);
            }
        }
        PublishedHistories { people, having }
    }

    /// How many people have these rows, which are ascending, each as often.
    fn matches(&self, known: &[u32]) -> u64 {
        let rarest = known.iter().map(|&look| &self.having[look as usize]).min_by_key(|having| having.len());
        let Some(rarest) = rarest else { return self.people.len() as u64 };
        let has = |person: &&u32| {
            let history = &self.people[**person as usize];
            known.chunk_by(|a, b| a == b).all(|alike| {
                let first = history.partition_point(|&look| look < alike[0]);
                history.get(first + alike.len() - 1) == Some(&alike[0])
            })
        };
        rarest.iter().filter(has).count() as u64
    }
}

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    let histories = material.histories.as_ref().ok_or(AttackNeed::Pseudonyms)?;
    let known = material.policy.as_ref().and_then(|policy| policy.known_rows).unwrap_or(USUAL_ROWS);
    let mut outcomes = Vec::new();
    if !histories.people.is_empty() {
        if material.watch.cancel.is_cancelled() {
            return Err(AttackNotRun::Stopped);
        }
        outcomes.push(attack(histories, known));
    }
    Ok(outcomes)
}

/// Runs the attack. The baseline is to pick any pseudonym.
pub fn attack(histories: &PublishedHistories, known: KnownRows) -> Outcome {
    let people: Vec<u32> = (0..).zip(&histories.people).map(|(person, _)| person).collect();
    let tried = shuffled(&people, 1);
    let tried = &tried[..tried.len().min(TRIED_PEOPLE)];
    let mut counted_before: HashMap<Vec<u32>, u64> = HashMap::new();
    let mut chance = |person: u32, known: KnownRows| {
        let history = &histories.people[person as usize];
        let mut rows = shuffled(history, u64::from(person));
        rows.truncate(usize::try_from(known.counted(rows.len() as u64)).unwrap_or(usize::MAX));
        rows.sort_unstable();
        let matches = *counted_before.entry(rows).or_insert_with_key(|rows| histories.matches(rows));
        1.0 / matches as f64
    };
    let chances: Vec<f64> = tried.iter().map(|&person| chance(person, known)).collect();
    let one_row: f64 = tried.iter().map(|&person| chance(person, KnownRows::AtMost(1))).sum();
    let worst = chances.iter().copied().fold(0.0, f64::max);
    let unique = chances.iter().filter(|&&chance| chance == 1.0).count() as f64 / tried.len().max(1) as f64;
    let rows = match known {
        KnownRows::AtMost(rows) => format!("{} of a person at random", counted(rows, "row", "rows")),
        KnownRows::All => "all rows of a person".into(),
    };
    let baseline = 1.0 / people.len().max(1) as f64;
    let right: f64 = chances.iter().sum();
    let mut outcome = Outcome::tried(ENTRY.id, "", right, baseline, tried.len() as u64);
    outcome.sampled = tried.len() as f64 / people.len().max(1) as f64;
    let success = outcome.success;
    outcome.with("worst", worst).with("unique", unique).with("one_row", one_row / tried.len().max(1) as f64).saying(
        format!(
            "With {rows}, the right pseudonym is picked in {} of the cases; for {} of the people only one pseudonym fits.",
            part(success),
            part(unique),
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_with_rows_of_their_own_are_found_though_each_row_is_shared() {
        // 25 people, each with two rows that four others have, and a pair that nobody else has.
        let people: Vec<Vec<u32>> = (0..25).map(|person| vec![person / 5, 5 + person % 5]).collect();
        let found = attack(&PublishedHistories::new(people), KnownRows::AtMost(2));
        assert_eq!((found.success, found.baseline, found.evidence.name()), (1.0, 0.04, "found"));
        assert_eq!(found.figure("unique"), Some(1.0));
        assert!(found.figure("one_row").is_some_and(|chance| (chance - 0.2).abs() < 1e-9));
    }

    #[test]
    fn people_with_the_same_rows_are_not_told_apart() {
        let people: Vec<Vec<u32>> = (0..25).map(|person| vec![person / 5, 5 + person / 5, 5 + person / 5]).collect();
        let found = attack(&PublishedHistories::new(people), KnownRows::All);
        assert!((found.success - 0.2).abs() < 1e-12 && found.figure("worst") == Some(0.2));
    }

    #[test]
    fn a_row_that_is_known_twice_has_to_be_there_twice() {
        let histories = PublishedHistories::new(vec![vec![0, 0], vec![0], vec![0, 1]]);
        assert_eq!([&[0][..], &[0, 0], &[0, 1], &[1], &[]].map(|known| histories.matches(known)), [3, 1, 1, 1, 3]);
    }
}
