//! Why a value changed: column → level → the rule that forced it.
//!
//! For every class and every column it publishes coarser than its members are, the class is cut along the next finer
//! level of that column alone, and the policy is asked of the pieces. The first rule that some piece breaks is what
//! forced the level. When no piece breaks any rule, nothing forced it but the choice of the solver.
//!
//! A full-domain release publishes one level per column, so there the whole column is lowered by one level: the rows of
//! classes that then break a rule forced the level on all others.

use incrowd_core::{
    BoundPolicy, Cell, ColumnSet, FrequencyTable, Members, Partition, Policy, QuasiIdentifier, Recoding,
};

use crate::error::Result;
use crate::release::{ColumnWhy, LevelWhy, RuleShare};

/// Tuples that are looked at; of a larger table every n-th class is.
const MOST_TUPLES: usize = 300_000;

/// Looks at the classes of a recoded partition.
pub(crate) fn explain(
    table: &FrequencyTable,
    quasi: &[QuasiIdentifier],
    policy: &Policy,
    partition: &Partition,
    recoding: &Recoding,
) -> Result<Vec<ColumnWhy>> {
    // Models that compare classes with the whole compare them with what is published.
    let published: Vec<Members<'_>> = partition.classes().map(|class| Members::new(table, class)).collect();
    let bound = policy.bind(table)?.against(&published);
    if let Some(levels) = recoding.levels() {
        return Ok(explain_levels(table, quasi, policy, &bound, levels));
    }
    // People have to have the same rows: whether a class alone could be more precise says nothing then.
    let other = if policy.known_rows.is_some() { "known-rows" } else { "choice" };
    let rules: Vec<String> = policy.models.iter().map(name_of).chain([other.into()]).collect();
    let step = table.tuples().div_ceil(MOST_TUPLES).max(1);
    let column = |at: usize| {
        let quasi = &quasi[at];
        // For each level: rows, and rows by the rule that forced them there.
        let mut levels = vec![(0u64, vec![0u64; rules.len()]); quasi.height() + 1];
        for (class, members) in (0..).zip(partition.classes()).step_by(step) {
            let rows: u64 = members.iter().map(|member| member.1).sum();
            let cell = recoding.cells(class)[at];
            let level = level_of(quasi, cell, table, members);
            levels[level].0 += rows;
            if quasi.domain.leaves(cell) > 1 {
                levels[level].1[forced_by(&bound, table, quasi, cell, members).unwrap_or(rules.len() - 1)] += rows;
            }
        }
        let total: u64 = levels.iter().map(|(rows, _)| rows).sum();
        let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        let told = |(level, (rows, forced)): (usize, (u64, Vec<u64>))| {
            let forced = forced.into_iter().zip(&rules).filter(|(forced, _)| *forced > 0);
            let forced_by = forced.map(|(forced, rule)| RuleShare { rule: rule.clone(), share: share(forced, rows) });
            LevelWhy { level, share: share(rows, total), forced_by: forced_by.collect() }
        };
        let levels = levels.into_iter().enumerate().filter(|(_, (rows, _))| *rows > 0).map(told).collect();
        ColumnWhy { name: table.attributes()[quasi.column].name.clone(), levels }
    };
    Ok((0..quasi.len()).map(column).collect())
}

/// The levels of a full-domain release, each with what one level less would break.
fn explain_levels(
    table: &FrequencyTable,
    quasi: &[QuasiIdentifier],
    policy: &Policy,
    bound: &BoundPolicy<'_>,
    levels: &[usize],
) -> Vec<ColumnWhy> {
    let columns: ColumnSet = quasi.iter().map(|quasi| quasi.column).collect();
    let column = |at: usize| {
        let mut broken = vec![0u64; policy.models.len()];
        if levels[at] > 0 {
            let level = |other: usize| levels[other] - usize::from(other == at);
            let codes: Vec<Vec<u32>> = (0..quasi.len()).map(|other| quasi[other].codes_at(level(other))).collect();
            let recoded: Vec<(usize, &[u32])> =
                quasi.iter().zip(&codes).map(|(quasi, codes)| (quasi.column, &codes[..])).collect();
            let grouping = table.grouping().recoded(&recoded);
            for (start, end) in grouping.runs(columns) {
                let class = Members::of_run(&grouping, start, end);
                let cells: Vec<Cell> = (0..quasi.len())
                    .map(|other| quasi[other].cell(grouping.code(start, quasi[other].column), level(other)))
                    .collect();
                if let Some(rule) = bound.broken_by_published(&class, &cells) {
                    broken[rule] += class.rows();
                }
            }
        }
        let share = |rows: u64| rows as f64 / table.rows().max(1) as f64;
        let forced = broken.iter().zip(&policy.models).filter(|(rows, _)| **rows > 0);
        let forced_by = forced.map(|(&rows, rule)| RuleShare { rule: name_of(rule), share: share(rows) }).collect();
        let levels = vec![LevelWhy { level: levels[at], share: 1.0, forced_by }];
        ColumnWhy { name: table.attributes()[quasi[at].column].name.clone(), levels }
    };
    (0..quasi.len()).map(column).collect()
}

/// A rule as people read it: its model, and the attributes it is for.
pub(crate) fn name_of(rule: &incrowd_core::Rule) -> String {
    if rule.sensitive.is_empty() {
        rule.model.clone()
    } else {
        format!("{} of {}", rule.model, rule.sensitive.join(", "))
    }
}

fn leaf(table: &FrequencyTable, quasi: &QuasiIdentifier, tuple: usize) -> u32 {
    quasi.leaves[table.code(tuple, quasi.column) as usize]
}

/// The lowest level on which a cell stands.
pub(crate) fn level_of(quasi: &QuasiIdentifier, cell: Cell, table: &FrequencyTable, members: &[(usize, u64)]) -> usize {
    let leaf = leaf(table, quasi, members[0].0);
    (0..=quasi.height()).find(|&level| quasi.domain.at_level(leaf, level) == cell).unwrap_or(quasi.height())
}

/// The first rule that the class breaks when it is cut along the next finer cells of one column.
fn forced_by(
    bound: &BoundPolicy<'_>,
    table: &FrequencyTable,
    quasi: &QuasiIdentifier,
    cell: Cell,
    members: &[(usize, u64)],
) -> Option<usize> {
    let finer = |tuple: usize| {
        let leaf = leaf(table, quasi, tuple);
        let cells = (0..quasi.height()).rev().map(|level| quasi.domain.at_level(leaf, level));
        cells.into_iter().find(|&finer| finer != cell && quasi.domain.contains(cell, finer)).unwrap_or(cell)
    };
    let mut pieces: Vec<(u64, usize, u64)> =
        members.iter().map(|&(tuple, rows)| (finer(tuple).bits(), tuple, rows)).collect();
    pieces.sort_unstable();
    let mut piece = Vec::new();
    pieces
        .chunk_by(|a, b| a.0 == b.0)
        .filter_map(|chunk| {
            piece.clear();
            piece.extend(chunk.iter().map(|&(_, tuple, rows)| (tuple, rows)));
            bound.broken_by(&Members::new(table, &piece))
        })
        .min()
}
