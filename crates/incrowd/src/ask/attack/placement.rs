//! Who of the original is in which class: the truth that attacks are scored with.
//!
//! A release does not say it, and where several classes fit somebody not even the custodian's files do. So people are
//! placed: those whom fewest classes fit first, each into a class that fits and still lacks somebody with their values.
//! Mostly only one does. Whoever finds no place was withheld, or was crowded out by another placement; both are counted
//! as not there.

use std::borrow::Cow;
use std::collections::BTreeMap;

use incrowd_core::query::Cells;
use incrowd_core::{Dictionary, FrequencyTable};
use incrowd_engine::{Question, Source};
use incrowd_risk::attack::{Published, PublishedClass};

use super::Target;
use crate::error::Result;

/// Originals of more distinct rows are not placed.
const MOST_TUPLES: usize = 1_000_000;

/// Spreads consecutive numbers (Knuth's multiplicative hash).
const MIXED: usize = 2_654_435_761;

/// Rows of each tuple of the original by class.
pub(super) struct Placement {
    /// The original: quasi-identifiers, then sensitive columns.
    pub(super) table: FrequencyTable,
    /// For each tuple the classes of its rows.
    pub(super) of_tuple: Vec<Vec<(u32, u64)>>,
    /// For each class its rows by tuple.
    pub(super) members: Vec<Vec<(usize, u64)>>,
    /// The release with the original's codes of sensitive values.
    pub(super) published: Published,
}

impl Placement {
    /// Places the rows of the original. Nothing when a sensitive value of the release is none of the original, or when
    /// there are so many rows that it would take minutes.
    pub(super) fn new(target: &Target<'_>, original: &Source) -> Result<Option<Placement>> {
        let question = Question {
            quasi_identifiers: target.quasi.clone(),
            sensitive: target.sensitive.clone(),
            ..Question::default()
        };
        let table = original.count(target.engine, &question)?.into_table(target.engine)?;
        if table.tuples() > MOST_TUPLES {
            return Ok(None);
        }
        let Some(published) = recoded(target, &table) else { return Ok(None) };
        let candidates: Vec<Vec<u32>> = match target.view.looks(&target.names(&target.quasi)) {
            Some(looks) => by_look(target, &table, &looks),
            None => {
                let fitting = target.fitting(&published, &table);
                (0..table.tuples()).map(|tuple| fitting.of_tuple(&table, tuple)).collect()
            }
        };
        let mut order: Vec<usize> = (0..table.tuples()).collect();
        order.sort_by_key(|&tuple| (candidates[tuple].len(), tuple));
        let mut room: Vec<Room> = published.classes().iter().map(Room::new).collect();
        let mut of_tuple = vec![Vec::new(); table.tuples()];
        for tuple in order {
            let secrets: Vec<u32> =
                (0..target.sensitive.len()).map(|at| table.code(tuple, target.quasi.len() + at)).collect();
            let mut left = table.count(tuple);
            // Not always the first class that fits: that would give classes an order that they do not have.
            let from = (tuple.wrapping_mul(MIXED) >> 16) % candidates[tuple].len().max(1);
            let (before, after) = candidates[tuple].split_at(from);
            for &class in after.iter().chain(before) {
                let taken = room[class as usize].take(&secrets, left);
                if taken > 0 {
                    of_tuple[tuple].push((class, taken));
                    left -= taken;
                }
                if left == 0 {
                    break;
                }
            }
        }
        let mut members = vec![Vec::new(); published.classes().len()];
        for (tuple, classes) in of_tuple.iter().enumerate() {
            classes.iter().for_each(|&(class, rows): &(u32, u64)| members[class as usize].push((tuple, rows)));
        }
        Ok(Some(Placement { table, of_tuple, members, published }))
    }

    /// The classes of which everybody was placed, with their rows by tuple. What is said about the others would be a guess.
    pub(super) fn whole(&self) -> impl Iterator<Item = (&PublishedClass, &[(usize, u64)])> {
        let placed = |members: &[(usize, u64)]| members.iter().map(|member| member.1).sum::<u64>();
        let classes = self.published.classes().iter().zip(self.members.iter().map(Vec::as_slice));
        classes.filter(move |(class, members)| placed(members) == class.rows)
    }

    /// The share of the published rows for which somebody was found.
    pub(super) fn share(&self) -> f64 {
        let placed: u64 = self.of_tuple.iter().flatten().map(|place| place.1).sum();
        placed as f64 / self.published.rows().max(1) as f64
    }
}

/// Who is still missing in a class.
struct Room {
    rows: u64,
    bags: Vec<BTreeMap<u32, u64>>,
}

impl Room {
    fn new(class: &PublishedClass) -> Room {
        Room { rows: class.rows, bags: class.bags.iter().map(|bag| bag.iter().copied().collect()).collect() }
    }

    /// Takes in at most so many people with these secrets; how many there was room for.
    fn take(&mut self, secrets: &[u32], most: u64) -> u64 {
        let left = |(bag, secret): (&BTreeMap<u32, u64>, &u32)| bag.get(secret).copied().unwrap_or(0);
        let room = self.bags.iter().zip(secrets).map(left).fold(self.rows, u64::min).min(most);
        self.rows -= room;
        for (bag, secret) in self.bags.iter_mut().zip(secrets) {
            if let Some(left) = bag.get_mut(secret) {
                *left -= room;
            }
        }
        room
    }
}

/// The release with sensitive values by the original's codes.
fn recoded(target: &Target<'_>, table: &FrequencyTable) -> Option<Published> {
    let translations: Option<Vec<Vec<u32>>> = target
        .sensitive
        .iter()
        .map(|name| {
            let dictionary = &table.attributes()[table.position(name)?].dictionary;
            let codes = codes_of(dictionary);
            let leaves = target.view.cells(name)?.leaves();
            leaves.iter().map(|leaf| codes.get(&leaf.label().map(Into::into)).copied()).collect()
        })
        .collect();
    let translations = translations?;
    let classes = target.published.classes().iter().map(|class| {
        let bag = |(bag, codes): (&Vec<(u32, u64)>, &Vec<u32>)| {
            let mut bag: Vec<(u32, u64)> = bag.iter().map(|&(code, rows)| (codes[code as usize], rows)).collect();
            bag.sort_unstable();
            bag
        };
        PublishedClass { bags: class.bags.iter().zip(&translations).map(bag).collect(), ..class.clone() }
    });
    Some(Published::new(target.sensitive.clone(), classes.collect()))
}

/// The codes of a dictionary by label; nothing is the missing value.
fn codes_of(dictionary: &Dictionary) -> BTreeMap<Option<String>, u32> {
    let label = |code: u32| dictionary.text(code).map(Cow::into_owned);
    (0..dictionary.len() as u32).map(|code| (label(code), code)).collect()
}

/// In two tables a person fits the classes that have somebody who looks the same.
fn by_look(target: &Target<'_>, table: &FrequencyTable, looks: &BTreeMap<Vec<u32>, Vec<u32>>) -> Vec<Vec<u32>> {
    let codes: Vec<Vec<Option<u32>>> = (0..target.quasi.len())
        .map(|at| {
            let dictionary = &table.attributes()[at].dictionary;
            let leaves = target.view.cells(&target.quasi[at]).map(Cells::leaves).unwrap_or_default();
            let known: BTreeMap<Option<String>, u32> =
                leaves.iter().zip(0..).map(|(leaf, code)| (leaf.label().map(Into::into), code)).collect();
            let label = |code: u32| dictionary.text(code).map(Cow::into_owned);
            (0..dictionary.len() as u32).map(|code| known.get(&label(code)).copied()).collect()
        })
        .collect();
    let look = |tuple: usize| -> Option<Vec<u32>> {
        (0..codes.len()).map(|at| codes[at][table.code(tuple, at) as usize]).collect()
    };
    (0..table.tuples())
        .map(|tuple| look(tuple).and_then(|look| looks.get(&look)).cloned().unwrap_or_default())
        .collect()
}
