//! All full-domain recodings of a table: each quasi-identifier at one level of its hierarchy, for all rows alike.
//!
//! The nodes are those that full-domain solvers choose from. Each is measured by a roll-up of the tuples; what a column
//! loses depends on its own level alone.

use std::collections::BTreeMap;
use std::path::Path;

use incrowd_core::{ClassSizes, ColumnSet, FrequencyTable, Grouping, Hierarchy, Stage};
use incrowd_engine::{Engine, EngineError};
use serde::Serialize;

use super::live::LiveTable;
use crate::error::{Error, Result};
use crate::request::Plan;

/// The most nodes that are measured.
const MOST_NODES: usize = 2_000;
/// The most tuples that are read, each as often as a node is measured.
const MOST_WORK: usize = 1_000_000_000;

/// The full-domain recodings of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelLattice {
    /// The quasi-identifiers.
    pub columns: Vec<String>,
    /// The highest level of each.
    pub heights: Vec<usize>,
    /// The nodes, the least generalized first.
    pub nodes: Vec<LatticeNode>,
    /// Why nodes were not measured; nothing when all were.
    pub cut: Option<String>,
}

/// One full-domain recoding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LatticeNode {
    /// The level of each quasi-identifier.
    pub levels: Vec<usize>,
    /// The size of its smallest class.
    pub k: u64,
    /// How many are in classes smaller than the requested k, and would have to be suppressed.
    pub suppressed_rows: u64,
    /// What its cells lose (LM) when nothing is suppressed.
    pub loss: f64,
    /// Whether it meets k with the rows suppressed that the plan allows. Other rules are not looked at.
    pub holds: bool,
}

/// One quasi-identifier: the code of each value at each level, and what each level loses.
struct ColumnLevels {
    place: usize,
    codes: Vec<Vec<u32>>,
    losses: Vec<f64>,
}

/// Measures the full-domain recodings of a table by the hierarchies of a plan, whose files are looked for in `folder`.
pub fn lattice(engine: &Engine, live: &LiveTable, plan: &Plan, folder: &Path) -> Result<LevelLattice> {
    let quasi = plan.declared().quasi_identifiers;
    let missing = || EngineError::UnknownColumn { name: quasi.first().cloned().unwrap_or_default(), known: vec![] };
    let table = live.tuples().ok_or_else(missing)?;
    let mut levels = Vec::new();
    for name in &quasi {
        let place = table.position(name).ok_or_else(missing)?;
        let chosen =
            plan.columns.iter().find(|column| column.name == *name).and_then(|column| column.hierarchy.as_ref());
        let dictionary = &table.attributes()[place].dictionary;
        let of_column = |error| Error::HierarchyOf { column: name.clone(), error };
        let hierarchy = match chosen {
            Some(chosen) => chosen.build(dictionary, folder, engine.memory())?,
            None => Some(Hierarchy::suggest(dictionary).map_err(of_column)?.hierarchy),
        };
        let Some(hierarchy) = hierarchy else {
            let cut = format!("column “{name}” has no hierarchy, so it has no levels");
            return Ok(LevelLattice { columns: quasi, heights: vec![], nodes: vec![], cut: Some(cut) });
        };
        levels.push(ColumnLevels::of(table, place, &hierarchy).ok_or_else(missing)?);
    }
    let heights: Vec<usize> = levels.iter().map(|levels| levels.codes.len() - 1).collect();
    let vectors = level_vectors(&heights);
    let all = heights.iter().fold(1usize, |all, height| all.saturating_mul(height + 1));
    let base = table.roll_up(levels.iter().map(|levels| levels.place).collect::<ColumnSet>());
    let most = (MOST_WORK / base.entries().max(1)).clamp(1, MOST_NODES);
    let cut = (all > most).then(|| {
        let all = incrowd_core::thousands(all as u64);
        format!("the {} least generalized of {all} nodes were measured", incrowd_core::thousands(most as u64))
    });
    let (k, watch) = (plan.policy.k.unwrap_or(1), engine.watch());
    let budget = ClassSizes::budget(plan.policy.suppress.unwrap_or(0.0), table.people());
    let mut nodes = Vec::new();
    for vector in vectors.take(most) {
        if watch.cancel.is_cancelled() {
            return Err(EngineError::Cancelled.into());
        }
        watch.progress.update(Stage::Diagnose, nodes.len() as u64, Some(all.min(most) as u64));
        nodes.push(node(&base, &levels, vector, k, budget));
    }
    Ok(LevelLattice { columns: quasi, heights, nodes, cut })
}

fn node(base: &Grouping, levels: &[ColumnLevels], vector: Vec<usize>, k: u64, budget: u64) -> LatticeNode {
    let raised = levels.iter().zip(&vector).filter(|(_, level)| **level > 0);
    let columns: Vec<(usize, &[u32])> =
        raised.map(|(levels, &level)| (levels.place, &levels.codes[level][..])).collect();
    let sizes = if columns.is_empty() { base.class_sizes() } else { base.recoded(&columns).class_sizes() };
    let lost: f64 = levels.iter().zip(&vector).map(|(levels, &level)| levels.losses[level]).sum();
    let suppressed_rows = sizes.below(k);
    LatticeNode {
        k: sizes.k(),
        suppressed_rows,
        loss: lost / levels.len().max(1) as f64,
        holds: suppressed_rows <= budget,
        levels: vector,
    }
}

impl ColumnLevels {
    /// The codes and losses of each level; nothing when the hierarchy lacks a value.
    fn of(table: &FrequencyTable, place: usize, hierarchy: &Hierarchy) -> Option<ColumnLevels> {
        let dictionary = &table.attributes()[place].dictionary;
        let hierarchy =
            if dictionary.missing().is_some() { hierarchy.clone().with_missing() } else { hierarchy.clone() };
        let mut rows = vec![0u64; dictionary.len()];
        table.codes(place).zip(0..).for_each(|(code, tuple)| rows[code as usize] += table.count(tuple));
        let leaf = |code: u32| match dictionary.text(code) {
            Some(text) => hierarchy.leaf(&text),
            None => hierarchy.missing(),
        };
        let leaves: Vec<u32> = (0..).take(dictionary.len()).map(leaf).collect::<Option<_>>()?;
        let (all_rows, leaf_count) = (table.rows().max(1) as f64, f64::from(hierarchy.leaf_count().max(2) - 1));
        let (mut codes, mut losses) = (Vec::new(), Vec::new());
        for level in 0..hierarchy.levels() {
            let mut first: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            let mut lost = 0.0;
            let mut of_level = Vec::with_capacity(leaves.len());
            for (code, &leaf) in (0..).zip(&leaves) {
                let range = hierarchy.at_level(leaf, level).leaves();
                // The smallest code of a node stands for it, so that no code is larger than before.
                of_level.push(*first.entry((*range.start(), *range.end())).or_insert(code));
                lost += rows[code as usize] as f64 * f64::from(range.end() - range.start()) / leaf_count;
            }
            codes.push(of_level);
            losses.push(lost / all_rows);
        }
        Some(ColumnLevels { place, codes, losses })
    }
}

/// All vectors of levels up to these heights, by the sum of their levels.
fn level_vectors(heights: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    let top: usize = heights.iter().sum();
    (0..=top).flat_map(move |sum| of_sum(heights, sum))
}

fn of_sum(heights: &[usize], sum: usize) -> Vec<Vec<usize>> {
    let Some((&first, rest)) = heights.split_first() else {
        return if sum == 0 { vec![vec![]] } else { vec![] };
    };
    let room: usize = rest.iter().sum();
    let least = sum.saturating_sub(room);
    let with = |level: usize| {
        of_sum(rest, sum - level).into_iter().map(move |mut others| {
            others.insert(0, level);
            others
        })
    };
    (least..=first.min(sum)).flat_map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_levels_come_once_each_by_their_sum() {
        let vectors: Vec<Vec<usize>> = level_vectors(&[2, 1]).collect();
        assert_eq!(vectors, [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]]);
        assert_eq!(level_vectors(&[]).collect::<Vec<_>>(), [Vec::<usize>::new()]);
    }
}
