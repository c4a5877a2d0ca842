//! A group of rows that is to become a class, and what it lacks.

use incrowd_core::{Members, Variety};

use super::GroupWork;
use crate::Problem;
use crate::solver::clusters::RowCluster;
use crate::solver::kinds::Kinds;

/// What rows say of the attributes that the policy wants distinct values of.
pub(crate) struct VarietyValues<'a> {
    kinds: &'a Kinds,
    varieties: &'a [Variety],
    /// How much each attribute counts.
    weights: &'a [u64],
    /// Combination by combination, its thing of each attribute.
    of: Vec<u32>,
}

impl<'a> VarietyValues<'a> {
    pub(crate) fn new(problem: &'a Problem<'_>, kinds: &'a Kinds) -> Self {
        let varieties = &problem.varieties[..];
        let mut samples: Vec<(u32, usize)> =
            kinds.one_of_each_combination().map(|sample| (kinds.combination(kinds.of(sample)), sample)).collect();
        samples.sort_unstable();
        let things = |&(_, sample): &(u32, usize)| {
            let thing = move |variety: &Variety| variety.things[problem.table.code(sample, variety.column) as usize];
            varieties.iter().map(thing)
        };
        VarietyValues { kinds, varieties, weights: &problem.weights, of: samples.iter().flat_map(things).collect() }
    }

    /// What a tuple says of all sensitive attributes.
    #[inline]
    pub(crate) fn combination(&self, tuple: usize) -> u32 {
        self.kinds.combination(self.kinds.of(tuple))
    }

    /// The things of a combination, attribute by attribute.
    #[inline]
    fn of(&self, combination: u32) -> &[u32] {
        &self.of[combination as usize * self.varieties.len()..][..self.varieties.len()]
    }

    /// The thing of a tuple, for the attribute at this place of the problem's varieties.
    pub(crate) fn thing(&self, tuple: usize, variety: usize) -> u32 {
        self.of(self.combination(tuple))[variety]
    }
}

/// Rows that grow together.
pub(crate) struct RowGroup {
    pub(crate) cluster: RowCluster,
    /// For each attribute the things that the group has.
    seen: Vec<Vec<u32>>,
}

impl RowGroup {
    /// A group without rows.
    pub(crate) fn new(problem: &Problem<'_>) -> Self {
        RowGroup { cluster: RowCluster::default(), seen: vec![Vec::new(); problem.varieties.len()] }
    }

    /// Takes rows in.
    pub(crate) fn add(&mut self, work: &mut GroupWork<'_, '_>, member: (usize, u64)) {
        self.cluster.add(&mut work.cells, work.kinds, member);
        for (seen, &thing) in self.seen.iter_mut().zip(work.things.of(work.things.combination(member.0))) {
            if !seen.contains(&thing) {
                seen.push(thing);
            }
        }
    }

    /// Homogeneity (Def. 12): how many things it lacks, weighed and added up over the attributes.
    pub(crate) fn lacks(&self, things: &VarietyValues<'_>) -> u64 {
        let lacks = |(seen, variety): (&Vec<u32>, &Variety)| variety.least.saturating_sub(seen.len() as u64);
        let weighed = self.seen.iter().zip(things.varieties).map(lacks).zip(things.weights);
        weighed.map(|(lacks, weight)| lacks * weight).sum()
    }

    /// Diversity (Def. 11): how much a row of this combination brings it.
    pub(crate) fn diversity(&self, things: &VarietyValues<'_>, combination: u32) -> u64 {
        let of = things.of(combination).iter().zip(&self.seen).zip(things.varieties).zip(things.weights);
        of.map(|(((thing, seen), variety), weight)| {
            let lacks = variety.least.saturating_sub(seen.len() as u64);
            if lacks > 0 && !seen.contains(thing) { lacks * weight } else { 0 }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{
        Attribute, Dictionary, FrequencyTable, Hierarchy, Lm, Parameters, Policy, QuasiIdentifier, Role,
    };

    use super::super::RowPool;
    use super::*;
    use crate::solver::clusters::NumberedCells;
    use crate::solver::levels::LevelNodes;
    use crate::{Budget, DiversityWeights};

    /// A group with one row (a, x) that needs 3 of the 4 values a, b, c, d and both of x, y. By hand:
    ///
    /// | weights | Hom | Div of (b, x) | Div of (a, y) | Div of (c, y) |
    /// | --- | --- | --- | --- | --- |
    /// | equal, 1/2 each | 2/2 + 1/2 | (3 − 1)/2 | (2 − 1)/2 | 3/2 |
    /// | inverse, 1/3 and 2/3 | 2/3 + 2/3 | 2/3 | 2/3 | 4/3 |
    /// | 1/4 and 3/4 | 2/4 + 3/4 | 2/4 | 3/4 | 5/4 |
    ///
    /// In the code each is a whole number of halves, thirds, or thousand-millionths. The best match of the first and
    /// the third differs when there is no (c, y).
    #[test]
    fn diversity_and_homogeneity_are_weighed_as_worked_out_by_hand() {
        let attribute = |name: &str, values: &[&str]| {
            Attribute::new(name, Role::Sensitive, Dictionary::of_texts(values.iter().copied()))
        };
        let (town, hierarchy) = (Dictionary::of_texts(["Ulm"]), Hierarchy::read("Ulm;*\n").unwrap());
        let quasi = [QuasiIdentifier::new(0, &hierarchy, &town).unwrap()];
        let attributes = vec![
            Attribute::new("town", Role::QuasiIdentifier, town),
            attribute("job", &["a", "b", "c", "d"]),
            attribute("race", &["x", "y"]),
        ];
        let rows = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 2, 1], [0, 3, 0]];
        let table = FrequencyTable::from_tuples(attributes, rows.map(|row| (row, 1)));
        let p = |p: u64| Parameters::from_iter([("p", p)]);
        let policy =
            Policy::k_anonymity(1).asking("p-sensitive", p(3), &["job"]).asking("p-sensitive", p(2), &["race"]);
        let given = DiversityWeights::Named(vec![("race".into(), 3.0), ("job".into(), 1.0)]);
        let million = 1_000_000;
        for (weights, expected, chosen) in [
            (DiversityWeights::Equal, [3, 2, 1, 3], 2),
            (DiversityWeights::Inverse, [4, 2, 2, 4], 1),
            (given, [1250 * million, 500 * million, 750 * million, 1250 * million], 1),
        ] {
            let problem = Problem::new(&table, &quasi, &policy, &Lm, 1).unwrap().weighing(&weights).unwrap();
            let (levels, kinds, budget) = (LevelNodes::new(&problem), Kinds::new(&problem), Budget::default());
            let (cells, things) = (NumberedCells::new(&problem, &levels), VarietyValues::new(&problem, &kinds));
            let mut work = GroupWork { problem: &problem, budget: &budget, kinds: &kinds, things, cells };
            let mut group = RowGroup::new(&problem);
            group.add(&mut work, (0, 1));
            let diversity = |tuple: usize| group.diversity(&work.things, work.things.combination(tuple));
            assert_eq!([group.lacks(&work.things), diversity(2), diversity(1), diversity(3)], expected);
            let pool = RowPool::new(&work.cells, &work.things, vec![(1, 1), (2, 1)]);
            let found = pool.best(&work, &group).unwrap();
            assert_eq!(pool.members().nth(found.at).unwrap().0, chosen, "{weights:?}");
        }
    }
}
