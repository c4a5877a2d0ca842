//! The least work that turns one distribution into another, by the definition: a transport problem, solved by cheapest
//! paths.

#![allow(clippy::unwrap_used)]

/// The least Σ moved · cost when what is at `from` is moved to `to`; both have the same sum.
pub(crate) fn least_work(from: &[u64], to: &[u64], cost: impl Fn(usize, usize) -> u64) -> u64 {
    let (sources, sinks) = (from.len(), to.len());
    let (mut supply, mut demand) = (from.to_vec(), to.to_vec());
    let mut moved = vec![vec![0u64; sinks]; sources];
    let cost = |a: usize, b: usize| cost(a, b) as i64;
    while supply.iter().any(|&left| left > 0) {
        // Bellman-Ford over sources, then sinks; what was moved can be taken back.
        let mut length: Vec<Option<i64>> = vec![None; sources + sinks];
        let mut before: Vec<Option<usize>> = vec![None; sources + sinks];
        (0..sources).filter(|&at| supply[at] > 0).for_each(|at| length[at] = Some(0));
        for _ in 0..sources + sinks {
            for a in 0..sources {
                for b in 0..sinks {
                    let shorter = |old: Option<i64>, new: i64| old.is_none_or(|old| new < old);
                    if let Some(way) = length[a].map(|way| way + cost(a, b))
                        && shorter(length[sources + b], way)
                    {
                        (length[sources + b], before[sources + b]) = (Some(way), Some(a));
                    }
                    if let Some(way) = length[sources + b].map(|way| way - cost(a, b))
                        && moved[a][b] > 0
                        && shorter(length[a], way)
                    {
                        (length[a], before[a]) = (Some(way), Some(sources + b));
                    }
                }
            }
        }
        let ends = (0..sinks).filter(|&b| demand[b] > 0 && length[sources + b].is_some());
        let end = ends.min_by_key(|&b| length[sources + b]).unwrap();
        let mut path = vec![sources + end];
        while let Some(previous) = before[path[path.len() - 1]] {
            path.push(previous);
        }
        let start = path[path.len() - 1];
        let backwards = path.windows(2).filter(|step| step[0] < sources).map(|step| moved[step[0]][step[1] - sources]);
        let amount = backwards.chain([supply[start], demand[end]]).min().unwrap();
        for step in path.windows(2) {
            match step[0] < sources {
                true => moved[step[0]][step[1] - sources] -= amount,
                false => moved[step[1]][step[0] - sources] += amount,
            }
        }
        supply[start] -= amount;
        demand[end] -= amount;
    }
    (0..sources).flat_map(|a| (0..sinks).map(move |b| (a, b))).map(|(a, b)| moved[a][b] * cost(a, b) as u64).sum()
}

#[test]
fn a_detour_is_taken_back() {
    // Alone, the first would take the sink that the second needs.
    let cost = |a: usize, b: usize| [[1, 2], [1, 9]][a][b];
    assert_eq!(least_work(&[1, 1], &[1, 1], cost), 3);
}
