//! How far answers from the release are off: random counts, asked of the tuples and of the classes in memory.
//!
//! The questions are those of `compare`, and so is the estimate: a published cell stands for each of its values alike.

use std::collections::HashMap;

use incrowd_core::{Cell, QuasiIdentifier};
use incrowd_report::dossier::Queries;

use super::Made;
use crate::ask::compare::{Drawn as DrawnQuery, Draws as QueryDraws, Errors, Workload};
use crate::report::{QUERIES, queries};

/// The most tuples that are looked at, over all questions: a fraction of a second.
const WORK: usize = 5_000_000;
/// Fewer questions say nothing.
const FEWEST: usize = 50;
/// A question that no row answers is drawn again; the most draws for each question.
const REDRAWS: usize = 3;

/// The errors of the answers; nothing when the table is too large to ask enough, or nothing is there to ask.
pub(super) fn of(made: &Made<'_>) -> Option<Queries> {
    let asked = (WORK / made.classes.table.tuples().max(1)).min(QUERIES);
    if asked < FEWEST {
        return None;
    }
    let sized = |column: usize| (column, made.classes.table.attributes()[column].dictionary.values().len());
    let known = |columns: &[usize]| -> Vec<(usize, usize)> {
        columns.iter().map(|&column| sized(column)).filter(|column| column.1 > 0).collect()
    };
    let quasi = known(&made.classes.quasi.iter().map(|quasi| quasi.column).collect::<Vec<_>>());
    let secret: Vec<usize> =
        made.run.options.policy.sensitive().iter().filter_map(|name| made.classes.table.position(name)).collect();
    let secret = known(&secret);
    let workload = Workload { queries: asked, ..Workload::default() };
    let mut errors = Vec::with_capacity(asked);
    for drawn in QueryDraws::new(&workload, &quasi, &secret).take(asked * REDRAWS) {
        let (actual, estimate) = answers(made, &drawn);
        if actual > 0 {
            errors.push((estimate - actual as f64).abs() / actual as f64);
        }
        if errors.len() == asked {
            break;
        }
    }
    let asked = errors.len();
    let errors = Errors::of(errors).filter(|_| asked >= FEWEST)?;
    Some(queries(asked, [("uniform", errors)]))
}

/// How many rows of the original answer a question, and how many the release lets one expect.
fn answers(made: &Made<'_>, drawn: &DrawnQuery) -> (u64, f64) {
    let table = &made.classes.table;
    let wanted = |codes: &[u32], column: usize| {
        let mut wanted = vec![false; table.attributes()[column].dictionary.len()];
        codes.iter().for_each(|&code| wanted[code as usize] = true);
        wanted
    };
    let conditions: Vec<(usize, Vec<bool>)> =
        drawn.conditions.iter().map(|(column, codes)| (*column, wanted(codes, *column))).collect();
    let holds = |tuple: usize, (column, wanted): &(usize, Vec<bool>)| wanted[table.code(tuple, *column) as usize];
    let all = (0..table.tuples()).filter(|&tuple| conditions.iter().all(|condition| holds(tuple, condition)));
    let actual = all.map(|tuple| table.count(tuple)).sum();
    let generalized: Vec<(usize, &QuasiIdentifier, &[bool])> = conditions
        .iter()
        .filter_map(|(column, wanted)| {
            let at = made.classes.quasi.iter().position(|quasi| quasi.column == *column)?;
            Some((at, &made.classes.quasi[at], wanted.as_slice()))
        })
        .collect();
    let kept: Vec<&(usize, Vec<bool>)> = conditions
        .iter()
        .filter(|(column, _)| made.classes.quasi.iter().all(|quasi| quasi.column != *column))
        .collect();
    let mut known: Vec<HashMap<Cell, f64>> = vec![HashMap::new(); generalized.len()];
    let mut estimate = 0.0;
    for (class, members) in (0..).zip(made.classes.partition.classes()) {
        let cells = made.classes.recoding.cells(class);
        let share: f64 = generalized
            .iter()
            .zip(&mut known)
            .map(|((at, quasi, wanted), known)| {
                *known.entry(cells[*at]).or_insert_with(|| share(quasi, cells[*at], wanted))
            })
            .product();
        if share > 0.0 {
            let hold = members.iter().filter(|(tuple, _)| kept.iter().all(|condition| holds(*tuple, condition)));
            estimate += share * hold.map(|(_, rows)| *rows).sum::<u64>() as f64;
        }
    }
    (actual, estimate)
}

/// The share of a cell's values that are wanted.
fn share(quasi: &QuasiIdentifier, cell: Cell, wanted: &[bool]) -> f64 {
    let within = |(leaf, wanted): &(&u32, &bool)| **wanted && quasi.domain.contains(cell, quasi.domain.leaf(**leaf));
    let values = quasi.leaves.iter().zip(wanted).filter(within).count();
    values as f64 / f64::from(quasi.domain.leaves(cell).max(1))
}
