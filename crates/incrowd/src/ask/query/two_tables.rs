//! Estimates on two tables that are joined by class ids (Wong, Liu, Yin, Huang, Wang and Pei, "Anonymization by lossy
//! join", ER 2006 Workshops).
//!
//! In a class of n rows, a match in the first table and b in the second. If nothing is known of how they are joined,
//! each way is as likely as any other, and a·b/n rows match in both: `expected`. At least a + b − n do, and at most the
//! lesser of a and b. The paper's query counts all b as soon as a is not 0: `printed`.

use incrowd_core::query::{Aggregate, Leaf, Query, QueryError};

use super::answer::{Estimator, GroupFigures};
use super::groups::{AnswerGroups, WithheldRows};
use super::tables::{TableSide, TwoSides};
use crate::error::Result;

/// How many rows match in both: the estimate, the least and the most.
pub(super) fn count(two: &TwoSides, query: &Query, estimator: Estimator) -> (f64, u64, u64) {
    let first = by_class(&two.first, query, two.sizes.len());
    let second = by_class(&two.second, query, two.sizes.len());
    let (mut estimate, mut least, mut most) = (0.0, 0, 0);
    for ((&a, &b), &size) in first.iter().zip(&second).zip(&two.sizes) {
        if a > 0 && b > 0 {
            estimate += if estimator == Estimator::Printed { b as f64 } else { a as f64 * b as f64 / size as f64 };
            least += (a + b).saturating_sub(size);
            most += a.min(b);
        }
    }
    (estimate, least, most)
}

/// The rows of each class that satisfy the conditions on one side.
fn by_class(side: &TableSide, query: &Query, classes: usize) -> Vec<u64> {
    let asked = holds(side, query, &Aggregate::Count);
    let mut rows = vec![0; classes];
    for row in 0..side.tuples {
        if asked.iter().all(|(codes, holds)| holds[codes[row] as usize]) {
            rows[side.classes[row] as usize] += side.rows(row);
        }
    }
    rows
}

/// For each column with a condition, its codes and whether each satisfies it: cells are values.
fn holds<'a>(side: &'a TableSide, query: &Query, aggregate: &Aggregate) -> Vec<(&'a [u32], Vec<bool>)> {
    let mut asked = Vec::new();
    for (column, codes) in side.columns.iter().zip(&side.codes) {
        if let Some(condition) = column.condition(query, aggregate) {
            let shares = column.cells.shares(Some(&condition));
            asked.push((codes.as_slice(), shares.iter().map(|share| share.all).collect()));
        }
    }
    asked
}

/// Matching rows of one side: all in one class and one group, with the number that is added up if it is of this side.
struct MatchingRows {
    class: u32,
    key: Vec<u32>,
    number: f64,
    rows: u64,
}

/// The matching rows of a side, sorted by class and group.
fn rows_of(side: &TableSide, query: &Query, aggregate: &Aggregate) -> Vec<MatchingRows> {
    let asked = holds(side, query, aggregate);
    let split: Vec<&[u32]> =
        query.group_by.iter().filter_map(|name| side.position(name)).map(|at| side.codes[at].as_slice()).collect();
    let numbers = aggregate.column().and_then(|name| side.position(name)).map(|at| {
        let number = |leaf: &Leaf| leaf.value().number().unwrap_or(0.0);
        (&side.codes[at], side.columns[at].cells.leaves().iter().map(number).collect::<Vec<f64>>())
    });
    let mut matching = Vec::new();
    for row in 0..side.tuples {
        if asked.iter().all(|(codes, holds)| holds[codes[row] as usize]) {
            let key = split.iter().map(|codes| codes[row]).collect();
            let number = numbers.as_ref().map_or(0.0, |(codes, numbers)| numbers[codes[row] as usize]);
            matching.push(MatchingRows { class: side.classes[row], key, number, rows: side.rows(row) });
        }
    }
    matching.sort_by(|a, b| (a.class, &a.key).cmp(&(b.class, &b.key)));
    matching
}

/// The figures of every group.
pub(super) fn answer(
    two: &TwoSides,
    query: &Query,
    estimator: Estimator,
    withheld: &[WithheldRows],
) -> Result<Vec<GroupFigures>> {
    let mut groups = AnswerGroups::new(query);
    // Where each column of GROUP BY stands in the key of its side.
    let (mut firsts, mut seconds) = (0, 0);
    let places: Vec<(bool, usize)> = query
        .group_by
        .iter()
        .map(|name| {
            let of_first = two.first.position(name).is_some();
            let next = if of_first { &mut firsts } else { &mut seconds };
            *next += 1;
            (of_first, *next - 1)
        })
        .collect();
    for (at, selected) in query.select.iter().enumerate() {
        let aggregate = &selected.aggregate;
        let of_first = aggregate.column().is_some_and(|name| two.first.position(name).is_some());
        if of_first && estimator == Estimator::Printed {
            let what = format!("`printed` counts rows of the second table, but {aggregate} is about the first");
            return Err(QueryError::new(what, "use --estimator expected").into());
        }
        let (first, second) = (rows_of(&two.first, query, aggregate), rows_of(&two.second, query, aggregate));
        let mut others = second.chunk_by(|a, b| a.class == b.class).peekable();
        for class in first.chunk_by(|a, b| a.class == b.class) {
            while others.next_if(|other| other[0].class < class[0].class).is_some() {}
            let Some(other) = others.peek().filter(|other| other[0].class == class[0].class) else { continue };
            let size = two.sizes[class[0].class as usize];
            for one in class.chunk_by(|a, b| a.key == b.key) {
                for two in other.chunk_by(|a, b| a.key == b.key) {
                    let (a, b): (u64, u64) =
                        (one.iter().map(|row| row.rows).sum(), two.iter().map(|row| row.rows).sum());
                    let key: Vec<u32> =
                        places.iter().map(|&(first, at)| if first { one[0].key[at] } else { two[0].key[at] }).collect();
                    let tally = groups.tally(&key, at)?;
                    let joined =
                        if estimator == Estimator::Printed { b as f64 } else { a as f64 * b as f64 / size as f64 };
                    let (least, most) = ((a + b).saturating_sub(size), a.min(b));
                    if *aggregate == Aggregate::Count {
                        tally.estimate += joined;
                        (tally.least, tally.most) = (tally.least + least, tally.most + most);
                        continue;
                    }
                    let (summed, rows) = if of_first { (one, a) } else { (two, b) };
                    let sum: f64 = summed.iter().map(|row| row.number * row.rows as f64).sum();
                    tally.estimate += sum * joined / rows as f64;
                    tally.rows += joined;
                    tally.lows.push(summed.iter().map(|row| (row.number, row.rows)), least, most);
                    tally.highs.push(summed.iter().map(|row| (-row.number, row.rows)), least, most);
                }
            }
        }
    }
    let leaf = |at: usize, value: u32| -> Leaf {
        let name = &query.group_by[at];
        let column = two.first.column(name).or_else(|| two.second.column(name));
        column.map_or(Leaf::Missing, |column| column.cells.leaves()[value as usize].clone())
    };
    Ok(groups.finish(leaf, withheld, true))
}
