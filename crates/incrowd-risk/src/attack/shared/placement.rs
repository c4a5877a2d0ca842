//! Who of the original is in which class: the truth that attacks are scored with.
//!
//! A release does not say it, and where several classes fit a person the custodian's files do not either. So people are
//! placed: people with the fewest matching classes first, each into a class that fits and still lacks a person with
//! their values. Mostly only one does. A person without a place was suppressed, or another placement took the place;
//! both are counted as not there.

use std::collections::BTreeMap;

use incrowd_core::FrequencyTable;

use super::published::{Published, PublishedClass};

/// Spreads consecutive numbers (Knuth's multiplicative hash).
const MIXED: usize = 2_654_435_761;

/// Rows of each tuple of the original by class.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The original: quasi-identifiers, then sensitive columns.
    pub table: FrequencyTable,
    /// How many of its columns are quasi-identifiers.
    pub quasi_identifiers: usize,
    /// The release with the original's codes of sensitive values.
    pub published: Published,
    /// For each tuple the classes of its rows.
    pub of_tuple: Vec<Vec<(u32, u64)>>,
    /// For each class its rows by tuple.
    pub members: Vec<Vec<(usize, u64)>>,
}

impl Placement {
    /// Places the rows of the original. `candidates` are the classes that fit each tuple.
    ///
    /// # Panics
    /// If there are not candidates for each tuple.
    pub fn new(
        table: FrequencyTable,
        quasi_identifiers: usize,
        published: Published,
        candidates: &[Vec<u32>],
    ) -> Placement {
        assert_eq!(candidates.len(), table.tuples(), "the classes that fit each tuple");
        let mut order: Vec<usize> = (0..table.tuples()).collect();
        order.sort_by_key(|&tuple| (candidates[tuple].len(), tuple));
        let mut room: Vec<ClassRoom> = published.classes().iter().map(ClassRoom::new).collect();
        let mut of_tuple = vec![Vec::new(); table.tuples()];
        for tuple in order {
            let secrets: Vec<u32> =
                (quasi_identifiers..table.attributes().len()).map(|column| table.code(tuple, column)).collect();
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
        Placement { table, quasi_identifiers, published, of_tuple, members }
    }

    /// The classes of which everyone was placed, with their rows by tuple. What is said about the others would be a
    /// guess.
    pub fn whole(&self) -> impl Iterator<Item = (&PublishedClass, &[(usize, u64)])> {
        let placed = |members: &[(usize, u64)]| members.iter().map(|member| member.1).sum::<u64>();
        let classes = self.published.classes().iter().zip(self.members.iter().map(Vec::as_slice));
        classes.filter(move |(class, members)| placed(members) == class.rows)
    }

    /// The share of the published rows for which a person was found.
    pub fn share(&self) -> f64 {
        let placed: u64 = self.of_tuple.iter().flatten().map(|place| place.1).sum();
        placed as f64 / self.published.rows().max(1) as f64
    }
}

/// Who is still missing in a class.
struct ClassRoom {
    rows: u64,
    bags: Vec<BTreeMap<u32, u64>>,
}

impl ClassRoom {
    fn new(class: &PublishedClass) -> ClassRoom {
        ClassRoom { rows: class.rows, bags: class.bags.iter().map(|bag| bag.iter().copied().collect()).collect() }
    }

    /// Takes in at most `most` people with these secrets; gives how many there was room for.
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
