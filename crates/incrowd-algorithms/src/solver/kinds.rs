//! Which tuples are the same to a policy.
//!
//! Models look at the sensitive values of a class and at how many rows (or people) it has, never at its
//! quasi-identifiers. So tuples that agree on everything else are of one *kind*, and a class can be judged by one tuple
//! of each kind with the rows of all of them: a class of thousands of tuples becomes a list of a few. With a subject
//! column a tuple stands for a person, and every tuple is a kind of its own; and so it is when a model looks at the cells
//! that a class publishes, as those about a population do.

use std::collections::HashMap;

use ahash::RandomState;
use incrowd_core::{ColumnSet, Role};

use crate::Problem;
use crate::solver::numbers::to_u32;

/// The kinds of a problem's tuples.
pub(crate) struct Kinds {
    /// The kind of each tuple.
    of: Vec<u32>,
    /// A tuple of each kind.
    samples: Vec<usize>,
    /// The combination of sensitive values of each kind, numbered.
    combinations: Vec<u32>,
}

impl Kinds {
    pub(crate) fn new(problem: &Problem<'_>) -> Self {
        let table = problem.table;
        if problem.policy.looks_at_cells() {
            let each: Vec<u32> = (0..to_u32(table.tuples())).collect();
            return Kinds { samples: (0..table.tuples()).collect(), combinations: each.clone(), of: each };
        }
        let quasi: ColumnSet = problem.quasi_identifiers.iter().map(|quasi| quasi.column).collect();
        let sensitive = table.columns(Role::Sensitive);
        let columns = (0..table.attributes().len()).filter(|&at| !quasi.contains(at) || sensitive.contains(at));
        let mut of = vec![0u32; table.tuples()];
        for column in columns {
            // Numbered in the order of the tuples, so that the order of the map is never seen.
            let mut known: HashMap<(u32, u32), u32, RandomState> = HashMap::default();
            for (kind, code) in of.iter_mut().zip(table.codes(column)) {
                let next = to_u32(known.len());
                *kind = *known.entry((*kind, code)).or_insert(next);
            }
        }
        if table.counts_people() {
            return Kinds {
                samples: (0..of.len()).collect(),
                combinations: of,
                of: (0..to_u32(table.tuples())).collect(),
            };
        }
        let count = of.iter().max().map_or(0, |&last| last as usize + 1);
        let mut samples = vec![0; count];
        (0..of.len()).rev().for_each(|tuple| samples[of[tuple] as usize] = tuple);
        Kinds { of, samples, combinations: (0..to_u32(count)).collect() }
    }

    /// How many kinds there are.
    pub(crate) fn count(&self) -> usize {
        self.samples.len()
    }

    /// The kind of a tuple.
    #[inline]
    pub(crate) fn of(&self, tuple: usize) -> usize {
        self.of[tuple] as usize
    }

    /// The kind of a tuple, as lists hold it.
    #[inline]
    pub(crate) fn number(&self, tuple: usize) -> u32 {
        self.of[tuple]
    }

    /// The tuple that stands for a kind.
    #[inline]
    pub(crate) fn sample(&self, kind: usize) -> usize {
        self.samples[kind]
    }

    /// The combination of sensitive values that the tuples of a kind have. Kinds with the same one differ by the person
    /// only.
    pub(crate) fn combination(&self, kind: usize) -> u32 {
        self.combinations[kind]
    }

    /// A tuple of each combination of sensitive values.
    pub(crate) fn one_of_each_combination(&self) -> impl Iterator<Item = usize> + '_ {
        let count = self.combinations.iter().max().map_or(0, |&last| last as usize + 1);
        let mut seen = vec![false; count];
        let first = move |kind: &usize| !std::mem::replace(&mut seen[self.combinations[*kind] as usize], true);
        (0..self.count()).filter(first).map(|kind| self.sample(kind))
    }

    /// A class of fewer rows than this cannot keep the policy: a class grows from one of its rows, and that row's gap
    /// is the fewest others it needs.
    pub(crate) fn least(&self, problem: &Problem<'_>) -> u64 {
        let rows = |sample: usize| problem.gap(&[(sample, 1)]).saturating_add(1);
        self.one_of_each_combination().map(rows).min().unwrap_or(1)
    }

    /// Whether the policy depends on nothing but the number of rows, judged on rows that all have the same sensitive
    /// values: the smallest number of rows that any class has suffices for each of them.
    pub(crate) fn only_rows_count(&self, problem: &Problem<'_>) -> bool {
        let least = self.least(problem);
        let suffice = |sample: usize| problem.holds(&[(sample, least)]);
        !problem.table.counts_people()
            && problem.policy.survives_growth()
            && self.one_of_each_combination().all(suffice)
    }

    /// The rows of a class by kind, ascending, each kind as the tuple that stands for it.
    pub(crate) fn count_up(&self, class: &[(usize, u64)]) -> Vec<(usize, u64)> {
        let mut rows: Vec<(usize, u64)> = class.iter().map(|&(tuple, rows)| (self.of(tuple), rows)).collect();
        crate::solver::start::add_up(&mut rows);
        rows.iter_mut().for_each(|entry| entry.0 = self.sample(entry.0));
        rows
    }
}
