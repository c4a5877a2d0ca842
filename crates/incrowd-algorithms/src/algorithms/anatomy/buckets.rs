//! Which sensitive values are distinguished, and how many different ones a class takes.
//!
//! The policy is asked. A model that wants a variety says of which attribute, of what and how much. A bound on the
//! share α of some values makes one value of them, of which a class may have one row in ⌈1/α⌉; all others are free, a
//! class may have any number of them. What other models want (a bound on the share of every value, an entropy) is found
//! by trying: ℓ is the fewest of the most frequent values of an attribute that keep the policy when each has as many
//! rows as the others. Of all these the largest ℓ counts. A policy that asks for none of this gets classes of two
//! values of the first sensitive attribute.

use std::cmp::Reverse;

use incrowd_core::Role;

use crate::Problem;
use crate::solver::numbers::{to_u32, to_usize};

/// Number of rows of each value in a class that is tried: many, and a multiple of every number of tuples up to
/// [`TUPLES`], so that each value has as many rows as the others.
const ROWS: u64 = 2 * 720_720;
/// Maximum number of tuples they are of, so that they differ in other attributes as the rows of the value do.
const TUPLES: usize = 16;
/// Maximum number of values that are tried.
const MOST: usize = 256;

/// The values that are distinguished.
pub(super) struct BucketValues {
    /// The attribute; nothing when there is none that is sensitive.
    column: Option<usize>,
    /// For each of its codes the number of its value.
    things: Vec<u32>,
    /// Numbers of values are smaller.
    pub(super) count: usize,
    /// The one that a class may have any number of.
    pub(super) free: Option<usize>,
    /// How many different ones a class takes; at least 2.
    pub(super) l: u64,
}

impl BucketValues {
    /// What the policy asks for, in the rows that may be put into classes.
    pub(super) fn new(problem: &Problem<'_>, rest: &[(usize, u64)]) -> Self {
        let table = problem.table;
        let codes = |column: usize| table.attributes()[column].dictionary.len();
        let values = |l: u64, column: usize, things: Vec<u32>| BucketValues {
            column: Some(column),
            count: things.len(),
            things,
            free: None,
            l,
        };
        let varieties = problem.varieties.iter().map(|asked| values(asked.least, asked.column, asked.things.clone()));
        let share = problem.policy.bounded_share().map(|share| {
            let things = share.protected.iter().map(|&protected| u32::from(!protected)).collect();
            let l = share.alpha.least_whole(1).unwrap_or(1);
            BucketValues { count: 2, free: Some(1), ..values(l, share.attribute, things) }
        });
        let tried = table.columns(Role::Sensitive).iter().map(|column| {
            values(fewest(problem, rest, column).unwrap_or(1), column, (0..to_u32(codes(column))).collect())
        });
        // The first of those that ask for most.
        let most = varieties.chain(share).chain(tried).reduce(|most, next| if next.l > most.l { next } else { most });
        let none = BucketValues { column: None, things: Vec::new(), count: 1, free: None, l: 2 };
        most.map_or(none, |most| BucketValues { l: most.l.max(2), ..most })
    }

    /// The number of a tuple's value.
    pub(super) fn of(&self, problem: &Problem<'_>, tuple: usize) -> usize {
        self.column.map_or(0, |column| self.things[problem.table.code(tuple, column) as usize] as usize)
    }
}

/// The fewest of the most frequent values of an attribute that keep the policy with equally many rows, if no value is
/// too frequent to be one of that number.
fn fewest(problem: &Problem<'_>, rest: &[(usize, u64)], column: usize) -> Option<u64> {
    let mut values: Vec<(u64, Vec<usize>)> =
        vec![Default::default(); problem.table.attributes()[column].dictionary.len()];
    for &(tuple, rows) in rest {
        let (all, tuples) = &mut values[problem.table.code(tuple, column) as usize];
        *all += rows;
        if tuples.len() < TUPLES {
            tuples.push(tuple);
        }
    }
    values.retain(|value| value.0 > 0);
    values.sort_by_key(|value| Reverse(value.0));
    let rows: u64 = values.iter().map(|value| value.0).sum();
    let fitting = values.first().map_or(0, |value| to_usize(rows / value.0));
    let mut class = Vec::new();
    for (value, l) in values.iter().zip(1..).take(fitting.min(MOST)) {
        class.extend(value.1.iter().map(|&tuple| (tuple, ROWS / value.1.len() as u64)));
        if problem.holds(&class) {
            return Some(l);
        }
    }
    None
}
