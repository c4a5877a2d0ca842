//! Rows that are left when no further class can be made of them: each joins the class where the loss grows least.

use incrowd_core::Stopped;

use crate::solver::clusters::{Cells, Cluster, cheapest};
use crate::solver::kinds::Kinds;
use crate::{Budget, Problem};

/// So many classes are asked for each tuple, the cheapest first.
const ASKED: usize = 16;

/// Puts rows into the cheapest clusters that keep the policy with them. Rows that no cluster can take become clusters of
/// their own, which [`settle`](crate::solver::settle::settle) merges. Linear in the number of clusters for each tuple; when the
/// time is over, all rows that are left become one cluster.
pub(crate) fn place(
    problem: &Problem<'_>,
    budget: &Budget,
    kinds: &Kinds,
    cells: &mut Cells<'_, '_>,
    clusters: &mut Vec<Cluster>,
    left: Vec<(usize, u64)>,
) -> Result<(), Stopped> {
    let mut left = left.into_iter();
    let own = clusters.len();
    while let Some((tuple, mut rows)) = left.next() {
        budget.check()?;
        if budget.is_over() || own == 0 {
            let rest = std::iter::once((tuple, rows)).chain(left).collect();
            clusters.push(Cluster::new(cells, kinds, rest));
            return Ok(());
        }
        // All rows of the tuple at once, or as many as a cluster can take.
        let mut wanted = rows;
        while rows > 0 && wanted > 0 {
            match host((problem, budget), kinds, cells, &clusters[..own], (tuple, wanted)) {
                Some(at) => {
                    clusters[at].add(cells, kinds, (tuple, wanted));
                    rows -= wanted;
                    wanted = rows.min(wanted);
                }
                None => wanted /= 2,
            }
        }
        if rows > 0 {
            clusters.push(Cluster::new(cells, kinds, vec![(tuple, rows)]));
        }
    }
    Ok(())
}

/// The cluster that takes these rows at the lowest price and keeps the policy with them.
fn host(
    (problem, budget): (&Problem<'_>, &Budget),
    kinds: &Kinds,
    cells: &Cells<'_, '_>,
    clusters: &[Cluster],
    (tuple, rows): (usize, u64),
) -> Option<usize> {
    let towards = cells.towards(cells.of(tuple));
    let mut refused = vec![false; clusters.len()];
    for _ in 0..ASKED {
        if budget.is_over() {
            return None;
        }
        let growth = |at: usize| clusters[at].growth(towards.price(&clusters[at].cells), rows);
        let (_, at) = cheapest(clusters.len(), |at| (!refused[at]).then(|| growth(at)))?;
        let mut pile = clusters[at].pile.clone();
        pile.extend(std::iter::once((kinds.sample(kinds.of(tuple)), rows)));
        if problem.holds(pile.rows()) {
            return Some(at);
        }
        refused[at] = true;
    }
    None
}
