//! The closest pair of clusters, again and again, with the nearest neighbour of each kept until it is gone.
//!
//! A new cluster asks all others for its nearest. The answer is kept in a heap; when it comes up and the neighbour is
//! gone, the cluster asks again. The closest pair is never missed: the younger of the two asked when the elder was
//! there, so what it has in the heap is at most that far away.
//!
//! The distance is the fourth of Gionis and Tassa: what a row of both together would lose, divided by what a row of the
//! one and a row of the other lose now, and ε. It lets clusters that lose much already take in what else is far away,
//! and leaves cheap ones alone.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use crate::Budget;
use crate::solver::clusters::{NumberedCells, RowCluster, cheapest};

/// A distance that can be sorted: distances are finite and at least 0, and so their bits are in order.
fn sortable(distance: f64) -> u64 {
    distance.max(0.0).to_bits()
}

/// The ε of that distance, as a share of what a row of `*` loses: 0.1 for the LM of eight quasi-identifiers. On
/// Adult eight times as much loses as much at k = 10 and 4 % more at k = 50.
const SLACK: f64 = 0.0125;

/// Clusters that are to be merged with others.
pub(super) struct NearestPairs {
    /// The clusters that are there, in any order, each with its number. Younger ones have higher numbers.
    here: Vec<(usize, RowCluster)>,
    /// What each of them publishes and loses, in the same order, so that they are compared without going astray in
    /// memory.
    published: Vec<u32>,
    prices: Vec<f64>,
    /// Where each number is in `here`.
    places: Vec<Option<usize>>,
    /// Distance, number, and number of the nearest.
    heap: BinaryHeap<Reverse<(u64, usize, usize)>>,
    /// What is added to the losses of two clusters when they are compared with that of both together.
    slack: f64,
    /// The work units that were spent.
    pub(super) work: u64,
}

impl NearestPairs {
    /// These clusters, none of which has asked for its nearest.
    pub(super) fn unasked(cells: &NumberedCells<'_, '_>, clusters: Vec<RowCluster>) -> Self {
        let here: Vec<(usize, RowCluster)> = clusters.into_iter().enumerate().collect();
        let slack = SLACK * cells.most();
        let published = here.iter().flat_map(|(_, cluster)| &cluster.cells).copied().collect();
        let prices = here.iter().map(|(_, cluster)| cluster.price).collect();
        NearestPairs {
            places: (0..here.len()).map(Some).collect(),
            here,
            published,
            prices,
            heap: BinaryHeap::new(),
            slack,
            work: 0,
        }
    }

    /// All these clusters at once; each asks for its nearest in parallel, until the time is over.
    pub(super) fn new(cells: &NumberedCells<'_, '_>, budget: &Budget, clusters: Vec<RowCluster>) -> Self {
        let mut pairs = NearestPairs::unasked(cells, clusters);
        let nearest = |place: usize| if budget.is_over() { None } else { pairs.nearest(cells, place) };
        let all: Vec<_> = (0..pairs.here.len()).into_par_iter().filter_map(nearest).collect();
        pairs.heap.extend(all.into_iter().map(Reverse));
        pairs.work = pairs.len() as u64 * cells.comparing(pairs.len());
        pairs
    }

    pub(super) fn len(&self) -> usize {
        self.here.len()
    }

    /// The nearest of the cluster at a place.
    fn nearest(&self, cells: &NumberedCells<'_, '_>, place: usize) -> Option<(u64, usize, usize)> {
        let (number, cluster) = &self.here[place];
        let towards = cells.towards(&cluster.cells);
        let (width, own) = (cells.width(), cluster.price + self.slack);
        let distance = |at: usize| {
            let other = &self.published[at * width..][..width];
            (at != place).then(|| towards.price(other) / (own + self.prices[at]))
        };
        let (distance, at) = cheapest(self.here.len(), distance)?;
        Some((sortable(distance), *number, self.here[at].0))
    }

    /// Adds a cluster; it does not ask for its nearest when the time is over.
    pub(super) fn push(&mut self, cells: &NumberedCells<'_, '_>, budget: &Budget, cluster: RowCluster) {
        let place = self.here.len();
        self.published.extend(&cluster.cells);
        self.prices.push(cluster.price);
        self.here.push((self.places.len(), cluster));
        self.places.push(Some(place));
        if budget.is_over() {
            return;
        }
        self.ask(cells, place);
    }

    /// Asks for the nearest of the cluster at a place.
    fn ask(&mut self, cells: &NumberedCells<'_, '_>, place: usize) {
        self.work += cells.comparing(self.here.len());
        self.heap.extend(self.nearest(cells, place).map(Reverse));
    }

    fn remove(&mut self, place: usize) -> RowCluster {
        let (number, cluster) = self.here.swap_remove(place);
        self.prices.swap_remove(place);
        let (width, last) = (cluster.cells.len(), self.here.len());
        self.published.copy_within(last * width..(last + 1) * width, place * width);
        self.published.truncate(last * width);
        self.places[number] = None;
        if let Some((moved, _)) = self.here.get(place) {
            self.places[*moved] = Some(place);
        }
        cluster
    }

    /// Takes the closest two out; none when the time is over before they are found.
    pub(super) fn pop(&mut self, cells: &NumberedCells<'_, '_>, budget: &Budget) -> Option<(RowCluster, RowCluster)> {
        while let Some(Reverse((_, number, other))) = self.heap.pop() {
            let Some(place) = self.places[number] else { continue };
            if self.places[other].is_none() {
                if budget.is_over() {
                    return None;
                }
                self.ask(cells, place);
                continue;
            }
            let cluster = self.remove(place);
            let other = self.places[other].map(|place| self.remove(place));
            return other.map(|other| (cluster, other));
        }
        None
    }

    /// The clusters that are left, in the order of their numbers.
    pub(super) fn into_left(mut self) -> impl Iterator<Item = RowCluster> {
        self.here.sort_by_key(|cluster| cluster.0);
        self.here.into_iter().map(|(_, cluster)| cluster)
    }
}
