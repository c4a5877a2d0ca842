//! A group of rows that is to become a class, and what it lacks.

use incrowd_core::{Members, Variety};

use super::Work;
use crate::Problem;
use crate::clusters::Cluster;
use crate::kinds::Kinds;

/// What rows say of the attributes that the policy wants different values of.
pub(crate) struct Things<'a> {
    kinds: &'a Kinds,
    varieties: &'a [Variety],
    /// Flavour by flavour, its thing of each attribute.
    of: Vec<u32>,
}

impl<'a> Things<'a> {
    pub(crate) fn new(problem: &'a Problem<'_>, kinds: &'a Kinds) -> Self {
        let varieties = &problem.varieties[..];
        let mut samples: Vec<(u32, usize)> =
            kinds.one_of_each_flavour().map(|sample| (kinds.flavour(kinds.of(sample)), sample)).collect();
        samples.sort_unstable();
        let things = |&(_, sample): &(u32, usize)| {
            let thing = move |variety: &Variety| variety.things[problem.table.code(sample, variety.column) as usize];
            varieties.iter().map(thing)
        };
        Things { kinds, varieties, of: samples.iter().flat_map(things).collect() }
    }

    /// What a tuple says of all sensitive attributes.
    #[inline]
    pub(crate) fn flavour(&self, tuple: usize) -> u32 {
        self.kinds.flavour(self.kinds.of(tuple))
    }

    /// The things of a flavour, attribute by attribute.
    #[inline]
    fn of(&self, flavour: u32) -> &[u32] {
        &self.of[flavour as usize * self.varieties.len()..][..self.varieties.len()]
    }

    /// The thing of a tuple, for the attribute at this place of the problem's varieties.
    pub(crate) fn thing(&self, tuple: usize, variety: usize) -> u32 {
        self.of(self.flavour(tuple))[variety]
    }
}

/// Rows that grow together.
pub(crate) struct Group {
    pub(crate) cluster: Cluster,
    /// For each attribute the things that the group has.
    seen: Vec<Vec<u32>>,
}

impl Group {
    /// A group without rows.
    pub(crate) fn new(problem: &Problem<'_>) -> Self {
        Group { cluster: Cluster::default(), seen: vec![Vec::new(); problem.varieties.len()] }
    }

    /// Takes rows in.
    pub(crate) fn add(&mut self, work: &mut Work<'_, '_>, member: (usize, u64)) {
        self.cluster.add(&mut work.cells, work.kinds, member);
        for (seen, &thing) in self.seen.iter_mut().zip(work.things.of(work.things.flavour(member.0))) {
            if !seen.contains(&thing) {
                seen.push(thing);
            }
        }
    }

    /// Homogeneity: how many things it lacks, all attributes together.
    pub(crate) fn lacks(&self, things: &Things<'_>) -> u64 {
        let lacks = |(seen, variety): (&Vec<u32>, &Variety)| variety.least.saturating_sub(seen.len() as u64);
        self.seen.iter().zip(things.varieties).map(lacks).sum()
    }

    /// Diversity: how much a row of this flavour brings it.
    pub(crate) fn diversity(&self, things: &Things<'_>, flavour: u32) -> u64 {
        let of = things.of(flavour).iter().zip(&self.seen).zip(things.varieties);
        of.map(|((thing, seen), variety)| {
            let lacks = variety.least.saturating_sub(seen.len() as u64);
            if lacks > 0 && !seen.contains(thing) { lacks } else { 0 }
        })
        .sum()
    }

    /// What k counts: its rows, or its people.
    pub(crate) fn size(&self, problem: &Problem<'_>) -> u64 {
        match problem.table.counts_people() {
            true => Members::new(problem.table, &self.cluster.members).size(),
            false => self.cluster.rows,
        }
    }
}
