//! A first node that holds, found by going down from the top: what is released when the time is over before the search
//! is, or when there are too many nodes to search.

use super::judge::NodeJudge;
use super::recoded::Recoded;

/// The nodes met on the way down, by quasi-identifier, the finest last; none when the top does not hold.
///
/// Each step lowers the first quasi-identifier that can be lowered, those with the most levels left first, so that no
/// single one keeps all the detail.
pub(super) fn descend(judge: &NodeJudge<'_>) -> Vec<Vec<usize>> {
    let mut levels = judge.recoder.heights();
    let mut nodes = Vec::new();
    let holds = |levels: &[usize]| {
        let node: Recoded = judge.recoder.recode(&judge.table, levels);
        judge.count_test();
        judge.holds(&node)
    };
    if !holds(&levels) {
        return nodes;
    }
    let mut open: Vec<usize> = (0..levels.len()).collect();
    loop {
        nodes.push(judge.recoder.by_quasi_identifier(&levels));
        open.retain(|&at| levels[at] > 0);
        open.sort_by_key(|&at| std::cmp::Reverse(levels[at]));
        let lowered = |&at: &usize| {
            let mut lower = levels.clone();
            lower[at] -= 1;
            (!judge.is_over() && holds(&lower)).then_some(lower)
        };
        match open.iter().find_map(lowered) {
            Some(lower) => levels = lower,
            None => return nodes,
        }
    }
}
