//! Which of the nodes that hold is released: the one that loses least.
//!
//! Without suppressed rows a node loses the sum of its levels' prices, and no table is needed. Rows that are suppressed
//! lose the top price everywhere, so a node loses at least what it would lose without them. Nodes are therefore
//! computed in the order of that bound until it is above the best loss found.

use incrowd_core::{Lm, Members, Prices, QuasiIdentifier, Weighted};
use rayon::prelude::*;

use super::judge::{NodeJudge, kept};
use super::recoded::Recoded;
use crate::Problem;
use crate::solver::numbers::{to_u32, whole_part};

/// Nodes are computed in batches of this size, whatever the number of threads, so that always the same ones are.
const BATCH: usize = 32;

/// What a node loses by the measure asked for, then by LM, then its levels by quasi-identifier: the least is the best.
type Rank = (u64, u64, Vec<usize>);

/// The levels of the node that loses least, by quasi-identifier; the nodes are given in the same way.
///
/// When the search was cut, it is the best of those that were computed, or the one with the least bound.
pub(super) fn choose(judge: &NodeJudge<'_>, nodes: impl Iterator<Item = Vec<usize>>) -> Option<Vec<usize>> {
    let rates = Rates::of(judge.problem);
    let ranked = nodes.map(|levels| rates.rank(levels, [0.0, 0.0]));
    if judge.problem.budget == 0 {
        return ranked.min().map(|(_, _, levels)| levels);
    }
    let mut bounds: Vec<Rank> = ranked.collect();
    bounds.sort_unstable();
    let mut best: Option<Rank> = None;
    for batch in bounds.chunks(BATCH) {
        if best.as_ref().is_some_and(|best| batch[0].0 > best.0) || judge.is_over() {
            break;
        }
        let mut finest = batch[0].2.clone();
        for (_, _, levels) in batch {
            finest.iter_mut().zip(levels).for_each(|(finest, &level)| *finest = level.min(*finest));
        }
        let table = judge.recoder.recode(&judge.table, &judge.recoder.by_position(&finest));
        let computed = batch.par_iter().filter_map(|(_, _, levels)| {
            if judge.is_over() {
                return None;
            }
            let node = judge.recoder.recode(&table, &judge.recoder.by_position(levels));
            judge.count_test();
            Some(rates.rank(levels.clone(), rates.withheld(judge, &node, levels)))
        });
        best = computed.min().into_iter().chain(best).min();
    }
    best.or_else(|| bounds.into_iter().next()).map(|(_, _, levels)| levels)
}

/// The measure asked for and LM at the levels of each quasi-identifier.
struct Rates {
    rows: u64,
    measures: [Vec<Rate>; 2],
}

/// A measure at the levels of one quasi-identifier.
struct Rate {
    /// For each level and code what a cell loses.
    cells: Vec<Vec<f64>>,
    /// For each level what all rows lose.
    rows: Vec<f64>,
    /// What `*` loses.
    top: f64,
}

impl Rates {
    fn of(problem: &Problem<'_>) -> Self {
        let weigh = |quasi: &'_ QuasiIdentifier| -> Vec<u64> {
            let mut rows = vec![0; quasi.leaves.len()];
            for (tuple, code) in problem.table.codes(quasi.column).enumerate() {
                rows[code as usize] += problem.table.count(tuple);
            }
            rows
        };
        let rows: Vec<Vec<u64>> = problem.quasi_identifiers.iter().map(weigh).collect();
        let all = |prices: &Prices| {
            let quasi_identifiers = problem.quasi_identifiers.iter().zip(&rows).enumerate();
            quasi_identifiers.map(|(at, (quasi, rows))| Rate::of(prices, at, quasi, rows)).collect()
        };
        let weighted: Vec<Weighted<'_>> = problem
            .quasi_identifiers
            .iter()
            .map(|quasi| Weighted::of(problem.table, quasi.column, &quasi.domain, &quasi.leaves))
            .collect();
        let lm = Prices::compile(&Lm, &weighted);
        Rates { rows: problem.table.rows().max(1), measures: [all(&problem.prices), all(&lm)] }
    }

    /// The rank of a node whose suppressed rows lose `more` than if they were published.
    fn rank(&self, levels: Vec<usize>, more: [f64; 2]) -> Rank {
        let loss = |measure: usize| {
            let rates = self.measures[measure].iter().zip(&levels);
            let loss: f64 = rates.map(|(rate, &level)| rate.rows[level]).sum::<f64>() + more[measure];
            // Sums of the same numbers in another order are the same loss.
            whole_part((loss / self.rows as f64 * 1e10).round())
        };
        (loss(0), loss(1), levels)
    }

    /// What the rows of failing classes lose more because they are suppressed.
    fn withheld(&self, judge: &NodeJudge<'_>, node: &Recoded, levels: &[usize]) -> [f64; 2] {
        let mut more = [0.0, 0.0];
        let (starts, classes): (Vec<usize>, Vec<Members<'_>>) = judge.recoder.classes(node).unzip();
        let cells = |at: usize| judge.cells(node, starts[at]);
        let failing = kept(judge.problem, &classes, cells).into_iter().map(|kept| !kept);
        for ((&start, class), _) in starts.iter().zip(&classes).zip(failing).filter(|(_, fails)| *fails) {
            let codes = judge.recoder.codes(node, start);
            for (more, rates) in more.iter_mut().zip(&self.measures) {
                let cells = rates.iter().zip(levels).zip(&codes);
                let left: f64 = cells.map(|((rate, &level), &code)| rate.top - rate.cells[level][code]).sum();
                *more += class.rows() as f64 * left;
            }
        }
        more
    }
}

impl Rate {
    fn of(prices: &Prices, at: usize, quasi: &QuasiIdentifier, rows: &[u64]) -> Self {
        let price = |level: usize, code: u32| {
            prices.at_level(at, level).unwrap_or_else(|| prices.price(at, quasi.cell(code, level)))
        };
        let cells: Vec<Vec<f64>> = (0..=quasi.height())
            .map(|level| (0..to_u32(rows.len())).map(|code| price(level, code)).collect())
            .collect();
        let lose = |cells: &Vec<f64>| cells.iter().zip(rows).map(|(price, &rows)| price * rows as f64).sum();
        let top = prices.at_level(at, quasi.height()).unwrap_or_else(|| prices.price(at, quasi.domain.top()));
        Rate { rows: cells.iter().map(lose).collect(), cells, top }
    }
}
