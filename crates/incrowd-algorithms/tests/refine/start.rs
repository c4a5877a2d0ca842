//! A start for figures: all generalized records by rising price; the rows still free become a class when they are k.

use std::collections::BTreeMap;

use incrowd_algorithms::Problem;
use incrowd_core::{Cell, Partition};

/// The leaf of each quasi-identifier, and the tuples with their rows.
type Point = (Vec<u32>, Vec<(usize, u64)>);

struct Record {
    price: f32,
    rows: u32,
    nodes: [u16; 8],
}

struct Miner<'a> {
    points: &'a [Point],
    rows: Vec<u64>,
    /// For each quasi-identifier and level the node of each leaf.
    levels: Vec<Vec<Vec<u16>>>,
    prices: Vec<Vec<f64>>,
    least: u64,
    found: Vec<Record>,
}

impl Miner<'_> {
    fn mine(&mut self, at: usize, list: &[u32], price: f64, nodes: [u16; 8]) {
        if at == self.levels.len() {
            let rows: u64 = list.iter().map(|&point| self.rows[point as usize]).sum();
            self.found.push(Record { price: price as f32, rows: rows as u32, nodes });
            return;
        }
        let mut done: Vec<(u16, usize)> = Vec::new();
        for level in 0..self.levels[at].len() {
            let mut keyed: Vec<(u16, u32)> = list
                .iter()
                .map(|&point| (self.levels[at][level][self.points[point as usize].0[at] as usize], point))
                .collect();
            keyed.sort_unstable();
            let mut next = Vec::new();
            for run in keyed.chunk_by(|a, b| a.0 == b.0) {
                let rows: u64 = run.iter().map(|entry| self.rows[entry.1 as usize]).sum();
                let below = self.levels[at][level.saturating_sub(1)][self.points[run[0].1 as usize].0[at] as usize];
                let same = level > 0 && done.contains(&(below, run.len()));
                next.push((run[0].0, run.len()));
                let price = price + self.prices[at][run[0].0 as usize];
                if rows < self.least || same {
                    continue;
                }
                let list: Vec<u32> = run.iter().map(|entry| entry.1).collect();
                let mut nodes = nodes;
                nodes[at] = run[0].0;
                self.mine(at + 1, &list, price, nodes);
            }
            done = next;
        }
    }
}

/// The classes, for k-anonymity.
pub(crate) fn cheapest_first(problem: &Problem<'_>, k: u64) -> Partition {
    let (table, quasis) = (problem.table, problem.quasi_identifiers);
    let mut points: BTreeMap<Vec<u32>, Vec<(usize, u64)>> = BTreeMap::new();
    for tuple in 0..table.tuples() {
        let leaves = quasis.iter().map(|quasi| quasi.leaves[table.code(tuple, quasi.column) as usize]).collect();
        points.entry(leaves).or_default().push((tuple, table.count(tuple)));
    }
    let points: Vec<Point> = points.into_iter().collect();
    let (mut levels, mut prices, mut cells_of) = (Vec::new(), Vec::new(), Vec::new());
    for (at, quasi) in quasis.iter().enumerate() {
        let leaves = 0..quasi.domain.leaf_count();
        let mut cells: Vec<Cell> = (0..=quasi.height())
            .flat_map(|level| leaves.clone().map(move |leaf| quasi.domain.at_level(leaf, level)))
            .collect();
        cells.sort_unstable();
        cells.dedup();
        let node = |leaf, level| cells.binary_search(&quasi.domain.at_level(leaf, level)).unwrap() as u16;
        levels.push((0..=quasi.height()).map(|level| leaves.clone().map(|leaf| node(leaf, level)).collect()).collect());
        prices.push(cells.iter().map(|&cell| problem.prices.price(at, cell)).collect());
        cells_of.push(cells);
    }
    let rows: Vec<u64> = points.iter().map(|point| point.1.iter().map(|entry| entry.1).sum()).collect();
    let mut miner = Miner { points: &points, rows, levels, prices, least: k, found: Vec::new() };
    let all: Vec<u32> = (0..points.len() as u32).collect();
    miner.mine(0, &all, 0.0, [0; 8]);
    let words = points.len().div_ceil(64);
    let mut bits: Vec<Vec<Vec<u64>>> = cells_of.iter().map(|cells| vec![vec![0; words]; cells.len()]).collect();
    for (point, (leaves, _)) in points.iter().enumerate() {
        for (at, &leaf) in leaves.iter().enumerate() {
            for level in &miner.levels[at] {
                bits[at][level[leaf as usize] as usize][point / 64] |= 1 << (point % 64);
            }
        }
    }
    miner.found.sort_by(|a, b| a.price.total_cmp(&b.price).then(b.rows.cmp(&a.rows)).then(a.nodes.cmp(&b.nodes)));
    let mut free = vec![u64::MAX; words];
    (points.len()..words * 64).for_each(|point| free[point / 64] &= !(1 << (point % 64)));
    let mut classes: Vec<Vec<u32>> = Vec::new();
    for record in &miner.found {
        let mut inside = Vec::new();
        for word in 0..words {
            let mut left = free[word];
            (0..bits.len()).for_each(|at| left &= bits[at][record.nodes[at] as usize][word]);
            while left != 0 {
                inside.push((word * 64) as u32 + left.trailing_zeros());
                left &= left - 1;
            }
        }
        if inside.iter().map(|&point| miner.rows[point as usize]).sum::<u64>() >= k {
            inside.iter().for_each(|&point| free[point as usize / 64] &= !(1 << (point % 64)));
            classes.push(inside);
        }
    }
    let join = |class: &[u32]| -> f64 {
        let cell = |at: usize| {
            let leaves = class.iter().map(|&point| quasis[at].domain.leaf(points[point as usize].0[at]));
            leaves.reduce(|a, b| quasis[at].domain.join(a, b)).unwrap()
        };
        (0..quasis.len()).map(|at| problem.prices.price(at, cell(at))).sum::<f64>()
            * class.iter().map(|&point| miner.rows[point as usize]).sum::<u64>() as f64
    };
    for point in (0..points.len() as u32).filter(|&point| free[point as usize / 64] >> (point % 64) & 1 == 1) {
        let grown = |class: &Vec<u32>| join(&[&class[..], &[point]].concat()) - join(class);
        let best = (0..classes.len()).min_by(|&a, &b| grown(&classes[a]).total_cmp(&grown(&classes[b]))).unwrap();
        classes[best].push(point);
    }
    let mut partition = Partition::default();
    for class in classes {
        partition.push(class.iter().flat_map(|&point| points[point as usize].1.iter().copied()));
    }
    partition
}
