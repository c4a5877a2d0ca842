//! A population that is given as a table: how many of its people a published class may be about.
//!
//! The table of a release is a sample of it. A person of the population *matches* published cells when each of the
//! person's values lies under the published cell, along the hierarchy of its column. A population may be coarser than
//! the sample: a person of whom only `Germany` is known matches `Germany` and `*`, and no town. So the count of a class
//! is never larger than the truth, whatever the unknown values are, and what is promised about it holds all the more.
//!
//! `placed.rs` finds the smallest cell that holds each value of the population; `match_tree.rs` counts quickly.

mod match_tree;
mod placed;

use crate::{Cell, ColumnSet, FrequencyTable, Hierarchy, LeafCount, Members, QuasiIdentifier};
use match_tree::MatchTree;
use placed::PlacedValue;

/// The people of a given population as cells of the quasi-identifiers of a table.
///
/// ```
/// use incrowd_core::{Attribute, Dictionary, FrequencyTable, GivenPopulation, Hierarchy, QuasiIdentifier, Role};
/// let table = |towns: &[&str], rows: &[([u32; 1], u64)]| {
///     let town = Attribute::new("town", Role::QuasiIdentifier, Dictionary::of_texts(towns.iter().copied()));
///     FrequencyTable::from_tuples(vec![town], rows.iter().copied())
/// };
/// let sample = table(&["Ulm", "Wien"], &[([0], 2), ([1], 1)]);
/// let towns = Hierarchy::read("Bonn;Germany;*\nUlm;Germany;*\nWien;Austria;*\n")?;
/// let quasi = [QuasiIdentifier::new(0, &towns, &sample.attributes()[0].dictionary)?];
/// // Of four people only the country is known.
/// let everyone = table(&["Bonn", "Germany", "Ulm", "Wien"], &[([0], 5), ([1], 4), ([2], 3), ([3], 1)]);
/// let population = GivenPopulation::new(&sample, &quasi, &[Some(towns)], &everyone, |_| 1);
/// assert_eq!(population.people(), 13);
/// let matching = |level| population.matching(&[quasi[0].cell(0, level)]);
/// assert_eq!([matching(0), matching(1), matching(2)], [3, 12, 13]);
/// assert_eq!(population.rows_without_person(&sample), 0);
/// assert_eq!(population.people_like_rows(&sample), [(2, 3), (1, 1)]);
/// # Ok::<(), incrowd_core::HierarchyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GivenPopulation {
    quasi_identifiers: Vec<QuasiIdentifier>,
    /// By the smallest labels that hold each person.
    labels: MatchTree,
    /// By the values that each person may have, of those who may be in the sample.
    values: MatchTree,
    people: u64,
    /// Whether every label matches at least as many people as the rows of the sample that it is published for.
    holds_sample: bool,
}

/// A tuple of the population as cells.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlacedTuple {
    pub(crate) cells: Vec<Cell>,
    pub(crate) people: u64,
}

impl GivenPopulation {
    /// The people of a table whose first columns are the quasi-identifiers, in their order. `people` says how many people
    /// a row of a tuple stands for.
    ///
    /// # Panics
    /// If there are not as many hierarchies as quasi-identifiers.
    pub fn new(
        sample: &FrequencyTable,
        quasi_identifiers: &[QuasiIdentifier],
        hierarchies: &[Option<Hierarchy>],
        population: &FrequencyTable,
        people: impl Fn(usize) -> u64,
    ) -> Self {
        assert_eq!(quasi_identifiers.len(), hierarchies.len(), "a hierarchy or none for each quasi-identifier");
        let columns = quasi_identifiers.iter().zip(hierarchies).zip(population.attributes());
        let placed: Vec<Vec<PlacedValue>> = columns
            .map(|((quasi, hierarchy), attribute)| {
                let dictionary = &sample.attributes()[quasi.column].dictionary;
                placed::place(quasi, hierarchy.as_ref(), dictionary, &attribute.dictionary)
            })
            .collect();
        let (mut labels, mut may_be): (Vec<PlacedTuple>, Vec<PlacedTuple>) = (Vec::new(), Vec::new());
        let (mut all, mut exact) = (0u64, true);
        for tuple in 0..population.tuples() {
            let count = population.count(tuple).saturating_mul(people(tuple));
            all = all.saturating_add(count);
            let values = || placed.iter().enumerate().map(|(at, values)| values[population.code(tuple, at) as usize]);
            exact &= values().all(|value| !value.is_coarse);
            let tuple = |cells: Vec<Cell>| PlacedTuple { cells, people: count };
            if count > 0 {
                labels.extend(values().map(|value| value.under).collect::<Option<Vec<Cell>>>().map(tuple));
                may_be.extend(values().map(|value| value.may_be).collect::<Option<Vec<Cell>>>().map(tuple));
            }
        }
        let kinds: Vec<LeafCount> = quasi_identifiers.iter().map(|quasi| quasi.domain.counting()).collect();
        let mut given = GivenPopulation {
            quasi_identifiers: quasi_identifiers.to_vec(),
            labels: MatchTree::new(kinds.clone(), labels),
            values: MatchTree::new(kinds, may_be),
            people: all,
            holds_sample: false,
        };
        given.holds_sample = exact && given.rows_without_person(sample) == 0;
        given
    }

    /// How many people the population has.
    pub fn people(&self) -> u64 {
        self.people
    }

    /// How many people match these cells.
    pub fn matching(&self, cells: &[Cell]) -> u64 {
        self.labels.matching(cells, u64::MAX)
    }

    /// How many people match these cells, or `enough` when that many are found.
    pub fn matching_up_to(&self, cells: &[Cell], enough: u64) -> u64 {
        self.labels.matching(cells, enough).min(enough)
    }

    /// How many people match a class that publishes the widest label of every column: nobody else matches any class.
    pub fn matching_everything(&self) -> u64 {
        let tops: Vec<Cell> = self.quasi_identifiers.iter().map(|quasi| quasi.domain.top()).collect();
        self.matching(&tops)
    }

    /// The cells that a class publishes unless a level is chosen for all: the smallest ones that hold its members.
    pub fn joined(&self, class: &Members<'_>) -> Vec<Cell> {
        let mut joined: Vec<Option<Cell>> = vec![None; self.quasi_identifiers.len()];
        class.for_each(|entry, _| {
            for (joined, quasi) in joined.iter_mut().zip(&self.quasi_identifiers) {
                let leaf = quasi.domain.leaf(quasi.leaves[class.code(entry, quasi.column) as usize]);
                *joined = Some(joined.map_or(leaf, |cell| quasi.domain.join(cell, leaf)));
            }
        });
        let tops = self.quasi_identifiers.iter().map(|quasi| quasi.domain.top());
        joined.into_iter().zip(tops).map(|(cell, top)| cell.unwrap_or(top)).collect()
    }

    /// Whether at least `k` people match the cells that a class publishes.
    pub fn has_matches(&self, class: &Members<'_>, k: u64) -> bool {
        self.holds_sample && class.rows() >= k || self.matching_up_to(&self.joined(class), k) >= k
    }

    /// How many rows of a sample cannot be of anybody in the population: for each combination of values, how many rows
    /// it has more than people who may have these values.
    pub fn rows_without_person(&self, sample: &FrequencyTable) -> u64 {
        let lacking = |(rows, values): (u64, Vec<Cell>)| rows.saturating_sub(self.values.holding(&values));
        self.combinations(sample).into_iter().map(lacking).sum()
    }

    /// For each combination of values of a sample, how many rows have it and how many people are known to have it.
    pub fn people_like_rows(&self, sample: &FrequencyTable) -> Vec<(u64, u64)> {
        let matched = |(rows, values): (u64, Vec<Cell>)| (rows, self.matching(&values));
        self.combinations(sample).into_iter().map(matched).collect()
    }

    /// The combinations of values of a sample, with their rows.
    fn combinations(&self, sample: &FrequencyTable) -> Vec<(u64, Vec<Cell>)> {
        let columns: ColumnSet = self.quasi_identifiers.iter().map(|quasi| quasi.column).collect();
        let grouped = sample.roll_up(columns);
        let values = |entry: usize| {
            let leaf =
                |quasi: &QuasiIdentifier| quasi.domain.leaf(quasi.leaves[grouped.code(entry, quasi.column) as usize]);
            (grouped.count(entry), self.quasi_identifiers.iter().map(leaf).collect())
        };
        (0..grouped.entries()).map(values).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Attribute, Dictionary, Role, Values};

    fn table(dictionary: Dictionary, counts: &[u64]) -> FrequencyTable {
        let age = Attribute::new("age", Role::QuasiIdentifier, dictionary);
        FrequencyTable::from_tuples(vec![age], (0..).zip(counts).map(|(code, &rows)| ([code], rows)))
    }

    fn ages(values: &[i64], counts: &[u64]) -> FrequencyTable {
        table(Dictionary::new(Values::Integers(values.to_vec()), false), counts)
    }

    fn shown(quasi: &QuasiIdentifier, population: &GivenPopulation, cell: Cell) -> (String, u64) {
        (quasi.domain.render(cell).into_owned(), population.matching(&[cell]))
    }

    #[test]
    fn people_with_values_that_the_sample_lacks_match_the_intervals_that_hold_them() {
        let sample = ages(&[21, 25, 34, 52], &[1, 1, 1, 1]);
        let dictionary = &sample.attributes()[0].dictionary;
        let hierarchy = Hierarchy::numeric(dictionary, &[10.0, 20.0], 0.0).unwrap();
        let quasi = QuasiIdentifier::new(0, &hierarchy, dictionary).unwrap();
        let everyone = ages(&[21, 25, 27, 34, 47, 52, 90], &[1, 2, 10, 1, 100, 1, 1000]);
        let population =
            GivenPopulation::new(&sample, std::slice::from_ref(&quasi), &[Some(hierarchy)], &everyone, |_| 1);
        let levels = |code: u32| [0, 1, 2, 3].map(|level| shown(&quasi, &population, quasi.cell(code, level)));
        let text = |label: &str, people| (label.to_string(), people);
        assert_eq!(
            levels(1),
            [text("25", 2), text("[20, 30)", 13), text("[20, 40)", 14), text("*", 1115)],
            "27 is in [20, 30), 90 only in *"
        );
        // A node with a single child is the child: 52 stands for [50, 60), and 47 is in neither.
        assert_eq!(levels(3)[0], text("52", 1));
        assert_eq!(population.rows_without_person(&sample), 0);
        assert!(population.holds_sample);
    }

    #[test]
    fn free_intervals_hold_what_lies_between_their_ends() {
        let sample = ages(&[21, 25, 34], &[1, 1, 3]);
        let quasi = QuasiIdentifier::intervals(0, &sample.attributes()[0].dictionary).unwrap();
        let everyone = ages(&[20, 21, 23, 25, 30, 34], &[7, 1, 2, 1, 4, 2]);
        let population = GivenPopulation::new(&sample, std::slice::from_ref(&quasi), &[None], &everyone, |_| 1);
        let span = |lo, hi| shown(&quasi, &population, quasi.domain.span(lo, hi));
        assert_eq!(span(0, 1), ("[21, 25]".to_string(), 4));
        assert_eq!(span(1, 2), ("[25, 34]".to_string(), 7));
        assert_eq!(span(0, 2), ("*".to_string(), 17), "everybody, also outside the sample's ages");
        assert_eq!(population.rows_without_person(&sample), 1, "three rows of 34, two people");
    }

    #[test]
    fn a_coarse_person_may_be_in_the_sample_and_matches_only_labels_that_hold_all_of_it() {
        let sample = table(Dictionary::of_texts(["4351", "4352", "5000"]), &[2, 1, 1]);
        let dictionary = &sample.attributes()[0].dictionary;
        let hierarchy = Hierarchy::prefix(dictionary, None).unwrap();
        let quasi = QuasiIdentifier::new(0, &hierarchy, dictionary).unwrap();
        let everyone = table(Dictionary::of_texts(["*", "435*", "4352", "4399", "5000"]), &[9, 3, 1, 2, 1]);
        let population =
            GivenPopulation::new(&sample, std::slice::from_ref(&quasi), &[Some(hierarchy)], &everyone, |_| 1);
        let levels = [0, 1, 2, 4].map(|level| shown(&quasi, &population, quasi.cell(0, level)).1);
        assert_eq!(levels, [0, 4, 4, 16], "4399 is under no label but *");
        assert_eq!(population.rows_without_person(&sample), 0);
        assert!(!population.holds_sample);
    }
}
