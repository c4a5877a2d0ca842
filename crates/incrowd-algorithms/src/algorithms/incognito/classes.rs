//! The partition of a table's tuples by the classes of a full-domain node.

use std::collections::HashMap;

use ahash::RandomState;
use incrowd_core::{Members, Partition, QuasiIdentifier, Withheld};

use super::judge::kept;
use crate::Problem;

/// The classes of these levels, in the order of their smallest tuples; what does not keep the policy is suppressed.
pub(super) fn partition(problem: &Problem<'_>, levels: &[usize]) -> Partition {
    let mut ends: Vec<usize> = Vec::new();
    let numbers = numbers(problem, levels);
    for &class in &numbers {
        if class == ends.len() {
            ends.push(0);
        }
        ends[class] += 1;
    }
    let mut next = 0;
    for end in &mut ends {
        next += std::mem::replace(end, next);
    }
    // Placed tuple by tuple, so the members of a class ascend.
    let mut members = vec![(0, 0); numbers.len()];
    for (tuple, &class) in numbers.iter().enumerate() {
        members[ends[class]] = (tuple, problem.table.count(tuple));
        ends[class] += 1;
    }
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let classes: Vec<&[(usize, u64)]> = starts.zip(&ends).map(|(start, &end)| &members[start..end]).collect();
    let judged: Vec<Members<'_>> = classes.iter().map(|class| Members::new(problem.table, class)).collect();
    let cells = |at: usize| {
        let first = classes[at][0].0;
        let cell =
            |(quasi, &level): (&QuasiIdentifier, &usize)| quasi.cell(problem.table.code(first, quasi.column), level);
        problem.quasi_identifiers.iter().zip(levels).map(cell).collect()
    };
    let mut partition = Partition::default();
    for (class, kept) in classes.iter().zip(kept(problem, &judged, cells)) {
        if kept {
            partition.push(class.iter().copied());
        } else {
            partition.withhold(class.iter().copied());
        }
    }
    partition
}

/// All rows but those that are suppressed, in one class.
pub(super) fn single(problem: &Problem<'_>, withheld: &[Withheld]) -> Partition {
    let mut rows: Vec<u64> = (0..problem.table.tuples()).map(|tuple| problem.table.count(tuple)).collect();
    let mut gone = vec![0; rows.len()];
    for withheld in withheld {
        rows[withheld.tuple] -= withheld.rows;
        gone[withheld.tuple] += withheld.rows;
    }
    let some = |rows: Vec<u64>| rows.into_iter().enumerate().filter(|&(_, rows)| rows > 0);
    let mut partition = Partition::default();
    partition.push(some(rows));
    partition.withhold(some(gone));
    partition
}

/// The class of each tuple, numbered in the order in which they are met.
fn numbers(problem: &Problem<'_>, levels: &[usize]) -> Vec<usize> {
    let mut numbers = vec![0; problem.table.tuples()];
    for (quasi, &level) in
        problem.quasi_identifiers.iter().zip(levels).filter(|(quasi, level)| **level < quasi.height())
    {
        let codes = quasi.codes_at(level);
        let mut met: HashMap<(usize, u32), usize, RandomState> = HashMap::default();
        for (number, code) in numbers.iter_mut().zip(problem.table.codes(quasi.column)) {
            let next = met.len();
            *number = *met.entry((*number, codes[code as usize])).or_insert(next);
        }
    }
    numbers
}
