//! What was suppressed: cells by column and level, and withheld rows by subgroup.

use std::collections::BTreeMap;

use incrowd_core::{Cell, QuasiIdentifier, Recoding};
use incrowd_report::dossier::{ColumnUtility, LevelShare, Share, SubgroupNumbers};

use super::super::why::level_of;
use super::Made;
use crate::report::LEAST_TOLD;

/// A column with more subgroups is not told subgroup by subgroup.
const MOST_SUBGROUPS: usize = 24;
/// The label of people whose subgroup the release does not name.
const NOT_PUBLISHED: &str = "(label not published)";

/// Fills in, for each column, how many rows publish it on each level of its hierarchy and how many as `*`.
pub(super) fn by_column(made: &Made<'_>, columns: &mut [ColumnUtility]) {
    for (at, quasi) in made.quasi.iter().enumerate() {
        let name = &made.table.attributes()[quasi.column].name;
        let Some(column) = columns.iter_mut().find(|column| column.column == *name) else { continue };
        let mut levels = vec![0u64; quasi.height() + 1];
        let mut stars = 0u64;
        for (class, members) in made.partition.classes().enumerate() {
            let rows: u64 = members.iter().map(|member| member.1).sum();
            let cell = made.recoding.cells(class as u32)[at];
            let level = made.recoding.levels().map(|levels| levels[at]);
            levels[level.unwrap_or_else(|| level_of(quasi, cell, made.table, members))] += rows;
            stars += if cell == quasi.domain.top() && quasi.domain.leaves(cell) > 1 { rows } else { 0 };
        }
        column.levels = LevelShare::of(&levels, LEAST_TOLD);
        // Where the topmost level is `*`, both are the same count and are rounded together.
        let topmost = column.levels.last().filter(|_| levels.last() == Some(&stars)).map(|level| level.share);
        column.suppressed = Some(topmost.unwrap_or_else(|| Share::of(stars, made.manifest.rows, LEAST_TOLD)));
    }
}

/// Of which people rows were withheld, by the coarsest labels below `*`, or the levels that are published. A label that
/// no class publishes is not told.
pub(super) fn by_subgroup(made: &Made<'_>) -> Vec<SubgroupNumbers> {
    if made.partition.withheld().is_empty() {
        return Vec::new();
    }
    let mut all = Vec::new();
    for (at, quasi) in made.quasi.iter().enumerate() {
        let level = made.recoding.levels().map_or(quasi.height().saturating_sub(1), |levels| levels[at]);
        let groups = groups(made, quasi, level);
        if groups.len() < 2 || groups.len() > MOST_SUBGROUPS {
            continue;
        }
        let published = published(made.recoding, at);
        let label = |cell: &Cell| match published.binary_search(cell) {
            Ok(_) => quasi.domain.render(*cell).into_owned(),
            Err(_) => NOT_PUBLISHED.into(),
        };
        let column = &made.table.attributes()[quasi.column].name;
        let told = groups.iter().map(|(cell, &(rows, withheld))| SubgroupNumbers {
            column: column.clone(),
            label: label(cell),
            rows,
            withheld,
        });
        all.extend(told);
    }
    all
}

/// Rows, and withheld rows, by what a column would be on a level.
fn groups(made: &Made<'_>, quasi: &QuasiIdentifier, level: usize) -> BTreeMap<Cell, (u64, u64)> {
    let mut by_code = vec![(0u64, 0u64); quasi.leaves.len()];
    for tuple in 0..made.table.tuples() {
        by_code[made.table.code(tuple, quasi.column) as usize].0 += made.table.count(tuple);
    }
    for &(tuple, rows) in made.partition.withheld() {
        by_code[made.table.code(tuple, quasi.column) as usize].1 += rows;
    }
    let mut groups: BTreeMap<Cell, (u64, u64)> = BTreeMap::new();
    for (code, (rows, withheld)) in (0..).zip(by_code).filter(|(_, counts)| counts.0 > 0) {
        let group = groups.entry(quasi.cell(code, level)).or_default();
        *group = (group.0 + rows, group.1 + withheld);
    }
    groups
}

/// The cells of a column that some class publishes, sorted.
fn published(recoding: &Recoding, at: usize) -> Vec<Cell> {
    let mut cells: Vec<Cell> = (0..recoding.classes() as u32).map(|class| recoding.cells(class)[at]).collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}
