//! The a-priori search over subsets of the attributes of growing size.
//!
//! A node of a subset is a candidate when its projections to all subsets with one attribute less pass: a projection is
//! the same table with one attribute at the top, so it is coarser, and what fails there fails here.

use std::collections::BTreeMap;

use incrowd_core::ColumnSet;
use rayon::prelude::*;

use super::judge::NodeJudge;
use super::lattice::Lattice;
use super::walk::{LatticeWalk, NodeResults};

/// The deadline is checked once for this many nodes.
const LOOK: usize = 1 << 16;

/// With this many subsets per thread the subsets alone keep the threads busy.
const SUBSETS_PER_THREAD: usize = 4;

/// The lattice of all attributes and which of its nodes hold. When the judge says that the search is over, these are
/// the ones found until then.
pub(super) fn search(judge: &NodeJudge<'_>) -> (Lattice, Vec<bool>) {
    let heights = judge.recoder.heights();
    let all = ColumnSet::first(heights.len());
    let mut passing: BTreeMap<ColumnSet, Vec<bool>> = BTreeMap::new();
    let mut subsets: Vec<ColumnSet> =
        if all.is_empty() { vec![all] } else { all.iter().map(ColumnSet::single).collect() };
    loop {
        let walk = |&subset: &ColumnSet| {
            let lattice = Lattice::new(subset.iter().map(|position| heights[position]).collect());
            let candidates = candidates(judge, &lattice, subset, &passing);
            let asks_whole = subset == all && !judge.prunes_by_all();
            LatticeWalk { judge, positions: subset.iter().collect(), lattice, candidates, asks_whole }
        };
        let threads = rayon::current_num_threads();
        let parallel = threads > 1 && subsets.len() < threads * SUBSETS_PER_THREAD;
        let found: Vec<NodeResults> = subsets.par_iter().map(|subset| walk(subset).run(parallel)).collect();
        let is_last = subsets.first().is_none_or(|&subset| subset == all);
        if is_last || judge.is_over() {
            let lattice = Lattice::new(heights);
            let found = found.into_iter().next().filter(|_| subsets.first() == Some(&all));
            let holding = found.map(|found| if judge.prunes_by_all() { found.passing } else { found.holding });
            let none = vec![false; lattice.nodes()];
            return (lattice, holding.unwrap_or(none));
        }
        let survivors = subsets.iter().copied().zip(found.into_iter().map(|found| found.passing));
        passing = survivors.filter(|(_, passing)| passing.contains(&true)).collect();
        subsets = joined(&passing, heights.len());
    }
}

/// The subsets with one attribute more, all of whose parts have nodes that pass.
fn joined(passing: &BTreeMap<ColumnSet, Vec<bool>>, width: usize) -> Vec<ColumnSet> {
    let grown = passing.keys().flat_map(|&part| {
        let next = part.iter().last().map_or(0, |last| last + 1);
        (next..width).map(move |position| part.with(position))
    });
    grown.filter(|subset| subset.parents().all(|part| passing.contains_key(&part))).collect()
}

/// The nodes whose projections all pass. For a single attribute nothing was asked yet, so all its nodes are. When the
/// time is over, those that were found until then.
fn candidates(
    judge: &NodeJudge<'_>,
    lattice: &Lattice,
    subset: ColumnSet,
    passing: &BTreeMap<ColumnSet, Vec<bool>>,
) -> Vec<bool> {
    if lattice.width() <= 1 {
        return vec![true; lattice.nodes()];
    }
    let parts: Vec<&Vec<bool>> = subset.parents().filter_map(|part| passing.get(&part)).collect();
    let projects = |node: usize| parts.iter().enumerate().all(|(at, part)| part[lattice.without(node, at)]);
    let in_time = |node: usize| !node.is_multiple_of(LOOK) || !judge.is_over();
    let mut candidates: Vec<bool> = (0..lattice.nodes()).take_while(|&node| in_time(node)).map(projects).collect();
    candidates.resize(lattice.nodes(), false);
    candidates
}
