//! What was suppressed: cells by column and level, and suppressed rows by subgroup.

use std::collections::BTreeMap;

use incrowd_core::{Cell, QuasiIdentifier};
use incrowd_report::dossier::{ColumnUtility, LevelShare, Share, SubgroupNumbers};

use super::super::explain::why::level_of;
use super::Made;
use crate::report::LEAST_TOLD;

/// A column with more subgroups is not told subgroup by subgroup.
const MOST_SUBGROUPS: usize = 24;
/// The label of people whose subgroup the release does not name.
const NOT_PUBLISHED: &str = "(label not published)";

/// Fills in, for each column, how many rows publish it on each level of its hierarchy and how many as `*`.
pub(super) fn by_column(made: &Made<'_>, columns: &mut [ColumnUtility]) {
    for (at, quasi) in made.classes.quasi.iter().enumerate() {
        let name = &made.classes.table.attributes()[quasi.column].name;
        let Some(column) = columns.iter_mut().find(|column| column.column == *name) else { continue };
        let mut levels = vec![0u64; quasi.height() + 1];
        let mut stars = 0u64;
        for (class, members) in (0..).zip(made.classes.partition.classes()) {
            let rows: u64 = members.iter().map(|member| member.1).sum();
            let cell = made.classes.recoding.cells(class)[at];
            let level = made.classes.recoding.levels().map(|levels| levels[at]);
            levels[level.unwrap_or_else(|| level_of(quasi, cell, &made.classes.table, members))] += rows;
            stars += if cell == quasi.domain.top() && quasi.domain.leaves(cell) > 1 { rows } else { 0 };
        }
        column.levels = LevelShare::of(&levels, LEAST_TOLD);
        // Where the topmost level is `*`, both are the same count and are rounded together.
        let topmost = column.levels.last().filter(|_| levels.last() == Some(&stars)).map(|level| level.share);
        column.suppressed = Some(topmost.unwrap_or_else(|| Share::of(stars, made.manifest.rows, LEAST_TOLD)));
    }
}

/// Of which people rows were suppressed, by the coarsest labels below `*`, or the levels that are published. A label
/// that no class publishes is not told.
pub(super) fn by_subgroup(made: &Made<'_>) -> Vec<SubgroupNumbers> {
    if made.classes.partition.withheld().is_empty() {
        return Vec::new();
    }
    let mut all = Vec::new();
    for (at, quasi) in made.classes.quasi.iter().enumerate() {
        let level = made.classes.recoding.levels().map_or(quasi.height().saturating_sub(1), |levels| levels[at]);
        let groups = groups(made, quasi, level);
        if groups.len() < 2 || groups.len() > MOST_SUBGROUPS {
            continue;
        }
        let published = published(made, at);
        let label = |cell: &Cell| match published.binary_search(cell) {
            Ok(_) => quasi.domain.render(*cell).into_owned(),
            Err(_) => NOT_PUBLISHED.into(),
        };
        let column = &made.classes.table.attributes()[quasi.column].name;
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

/// Rows, and suppressed rows, by what a column would be on a level.
fn groups(made: &Made<'_>, quasi: &QuasiIdentifier, level: usize) -> BTreeMap<Cell, (u64, u64)> {
    let mut by_code = vec![(0u64, 0u64); quasi.leaves.len()];
    for tuple in 0..made.classes.table.tuples() {
        by_code[made.classes.table.code(tuple, quasi.column) as usize].0 += made.classes.table.count(tuple);
    }
    for &(tuple, rows) in made.classes.partition.withheld() {
        by_code[made.classes.table.code(tuple, quasi.column) as usize].1 += rows;
    }
    let mut groups: BTreeMap<Cell, (u64, u64)> = BTreeMap::new();
    for (code, (rows, withheld)) in (0..).zip(by_code).filter(|(_, counts)| counts.0 > 0) {
        let group = groups.entry(quasi.cell(code, level)).or_default();
        *group = (group.0 + rows, group.1 + withheld);
    }
    groups
}

/// The cells of a column that some class publishes, sorted.
fn published(made: &Made<'_>, at: usize) -> Vec<Cell> {
    let mut cells = made.classes.cells(at);
    cells.sort_unstable();
    cells.dedup();
    cells
}
