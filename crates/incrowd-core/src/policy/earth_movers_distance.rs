//! The earth mover's distance between the values of a class and those of the whole.
//!
//! N. Li, T. Li and S. Venkatasubramanian, "t-closeness", ICDE 2007, section 4: the least work that turns the one
//! distribution into the other, when moving all rows from one value to another is as much work as both are apart. The
//! farthest are 1 apart. Three ways to say how far apart two values are have closed forms, all of them sums of how much
//! single sets of values have too much or too little, so that the distance is a ratio of whole numbers and is compared
//! exactly:
//!
//! - *equal*: two distinct values are 1 apart. The distance is the total variation: the share of rows that a class has
//!   too many of, summed over the values of which it has too many.
//! - *hierarchical*: two values are as far apart as their lowest common ancestor is high, over the height of the tree. A
//!   tree metric has for its distance the sum over its edges of what must pass; with every leaf equally deep that is the
//!   mean, over the levels below the root, of the total variation of the nodes on that level.
//! - *ordered*: two values are apart by their places in the order over the number of places less one. What must pass
//!   between two neighbours is what is too much or too little below, so the distance is the mean over the gaps between
//!   places of |share below in the class − share below in the whole|.
//!
//! All are norms of the difference of two distributions, so they are convex: the distance of a mixture is at most the
//! mixture of the distances.
//!
//! The places and levels are those of the values that occur in the whole. A missing value is the last in the order, and
//! is directly below the root of a tree.

use super::sensitive::Whole;
use crate::numbers::{Fraction, at_most, whole_part};
use crate::{Members, Ratio};

/// How far two values of an attribute are apart, whatever the whole.
#[derive(Clone, Debug)]
pub(crate) enum GroundDistance {
    /// For each level below the root of a tree the node of each code. Equal distance is a tree of one level.
    Levels(Vec<Vec<u32>>),
    /// The place of each code in the order.
    Order(Vec<u32>),
}

/// The values of one attribute in the whole, as classes are compared with them.
pub(crate) struct WholeDistribution {
    pub(super) at: usize,
    pub(super) total: u64,
    pub(super) form: DistributionForm,
}

pub(super) enum DistributionForm {
    /// For each level the node of each code and the rows of each node.
    Levels(Vec<(Vec<u32>, Vec<u64>)>),
    Order {
        /// For each code its place among the values that occur; `NOWHERE` for others.
        places: Vec<u32>,
        /// Whether places ascend with the codes.
        ascending: bool,
        /// For each place the rows up to it and with it.
        below: Vec<u64>,
        /// The sums of these up to each place.
        sums: Vec<u128>,
    },
}

const NOWHERE: u32 = u32::MAX;

/// The distance of a class: `moved` / (`steps` · rows of the class · rows of the whole).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distance {
    moved: u128,
    steps: u128,
    rows: u64,
    total: u64,
    /// What the whole pays at most at prices at which the class pays the distance more: see [`Distance::lacking`].
    whole_pays: f64,
}

impl WholeDistribution {
    /// The spread of an attribute in the whole.
    pub(crate) fn new(at: usize, ground: &GroundDistance, whole: &Whole) -> WholeDistribution {
        let form = match ground {
            GroundDistance::Levels(levels) => {
                let level = |nodes: &Vec<u32>| {
                    let mut rows = vec![0; nodes.iter().max().map_or(0, |&last| last as usize + 1)];
                    whole.occurring().for_each(|(code, more)| rows[nodes[code] as usize] += more);
                    (nodes.clone(), rows)
                };
                DistributionForm::Levels(levels.iter().map(level).collect())
            }
            GroundDistance::Order(order) => {
                let mut codes: Vec<usize> = whole.occurring().map(|(code, _)| code).collect();
                codes.sort_unstable_by_key(|&code| order[code]);
                let mut places = vec![NOWHERE; order.len()];
                (0..).zip(&codes).for_each(|(place, &code)| places[code] = place);
                let running = |sum: &mut u64, &code: &usize| {
                    *sum += whole.rows[code];
                    Some(*sum)
                };
                let below: Vec<u64> = codes.iter().scan(0, running).collect();
                let sum = |sum: &mut u128, &rows: &u64| {
                    *sum += u128::from(rows);
                    Some(*sum)
                };
                let sums = std::iter::once(0).chain(below.iter().scan(0, sum)).collect();
                DistributionForm::Order { ascending: codes.is_sorted(), places, below, sums }
            }
        };
        WholeDistribution { at, total: whole.total, form }
    }

    /// How far a class is from the whole.
    pub(crate) fn distance(&self, class: &Members<'_>) -> Distance {
        match &self.form {
            DistributionForm::Levels(levels) => self.by_levels(class, levels),
            DistributionForm::Order { places, ascending, below, sums } => {
                let mut walk = OrderWalk::new(class.size(), self.total, below, sums);
                if *ascending {
                    class.tally(self.at, |code, rows| walk.step(places[code as usize], rows));
                } else {
                    let mut placed = Vec::new();
                    class.tally(self.at, |code, rows| placed.push((places[code as usize], rows)));
                    placed.sort_unstable();
                    placed.into_iter().for_each(|(place, rows)| walk.step(place, rows));
                }
                let steps = (below.len().max(2) - 1) as u128;
                let (rows, total) = (walk.rows, self.total);
                Distance { moved: walk.finish(), steps, rows, total, whole_pays: 1.0 }
            }
        }
    }

    fn by_levels(&self, class: &Members<'_>, levels: &[(Vec<u32>, Vec<u64>)]) -> Distance {
        let (rows, total) = (class.size(), self.total);
        let (mut moved, mut too_many) = (0u128, 0u64);
        let mut node = |own: u64, all: u64| {
            let (own, expected) = (u128::from(own) * u128::from(total), u128::from(all) * u128::from(rows));
            if own > expected {
                moved += own - expected;
                too_many += all;
            }
        };
        for (level, (nodes, all)) in levels.iter().enumerate() {
            // Each value is a node on the lowest level, so that nothing has to be added up.
            if level == 0 {
                class.tally(self.at, |code, own| node(own, all[nodes[code as usize] as usize]));
                continue;
            }
            let mut met: Vec<(u32, u64)> = Vec::new();
            class.tally(self.at, |code, own| met.push((nodes[code as usize], own)));
            met.sort_unstable();
            for same in met.chunk_by(|a, b| a.0 == b.0) {
                node(same.iter().map(|one| one.1).sum(), all[same[0].0 as usize]);
            }
        }
        let steps = levels.len().max(1) as u128;
        let whole_pays = too_many as f64 / (steps as f64 * total.max(1) as f64);
        Distance { moved, steps, rows, total, whole_pays }
    }

    /// A class of fewer rows is farther than t from the whole, whatever its values: the share of a set of values in a class
    /// of n rows is a multiple of 1/n, so a set whose share in the whole is none has too much or too little of it.
    pub(crate) fn least_rows(&self, t: Ratio) -> u64 {
        let sets: Vec<u64> = match &self.form {
            DistributionForm::Levels(levels) => levels.iter().flat_map(|level| level.1.iter().copied()).collect(),
            DistributionForm::Order { below, .. } => below.clone(),
        };
        let (steps, halves) = match &self.form {
            // What some nodes of a level have too much others have too little, and both are among the sets.
            DistributionForm::Levels(levels) => (levels.len() as u128, 2),
            DistributionForm::Order { below, .. } => ((below.len().max(2) - 1) as u128, 1),
        };
        let total = u128::from(self.total);
        let is_possible = |rows: u64| {
            let off = |&set: &u64| {
                let part = u128::from(set) * u128::from(rows) % total;
                part.min(total - part)
            };
            let moved: u128 = sets.iter().map(off).sum();
            at_most(
                moved,
                u128::from(t.denominator()),
                u128::from(t.numerator()) * halves * steps,
                u128::from(rows) * total,
            )
        };
        fewest_possible(self.total, sets.len(), is_possible)
    }
}

/// The fewest rows that a class can have, or fewer; at most the rows of the whole. Each number of rows that is tried is compared
/// with the whole on this number of sets of values.
pub(super) fn fewest_possible(total: u64, sets: usize, is_possible: impl Fn(u64) -> bool) -> u64 {
    // More work than this is not worth it, and a number that is too small is no error.
    const COMPARED: u64 = 1 << 16;
    let most = (COMPARED / (sets as u64 + 1)).min(total);
    (1..most).find(|&rows| is_possible(rows)).unwrap_or(most.max(1))
}

/// Goes along an order and adds up what must pass between neighbouring places.
struct OrderWalk<'a> {
    rows: u64,
    total: u64,
    below: &'a [u64],
    sums: &'a [u128],
    /// The first place that is not added up yet.
    place: usize,
    /// The rows of the class before it.
    own: u64,
    moved: u128,
    lost: bool,
}

impl<'a> OrderWalk<'a> {
    fn new(rows: u64, total: u64, below: &'a [u64], sums: &'a [u128]) -> Self {
        OrderWalk { rows, total, below, sums, place: 0, own: 0, moved: 0, lost: false }
    }

    /// Adds the rows of the class on a place that is not before the earlier ones.
    fn step(&mut self, place: u32, rows: u64) {
        if place == NOWHERE {
            self.lost = true;
            return;
        }
        self.pass(place as usize);
        self.own += rows;
    }

    /// Adds up the places before `end`, on all of which the class has the same rows below: there the rows of the whole grow,
    /// so up to some place the class has too many and from there on too few.
    fn pass(&mut self, end: usize) {
        let own = u128::from(self.own) * u128::from(self.total);
        let has_too_many = |&all: &u64| u128::from(all) * u128::from(self.rows) < own;
        let turn = self.place + self.below[self.place..end].partition_point(has_too_many);
        let sum = |from: usize, to: usize| (self.sums[to] - self.sums[from]) * u128::from(self.rows);
        self.moved += own * (turn - self.place) as u128 - sum(self.place, turn);
        self.moved += sum(turn, end) - own * (end - turn) as u128;
        self.place = end;
    }

    fn finish(mut self) -> u128 {
        self.pass(self.below.len());
        // A class with values that the whole does not have is no part of it: it is farther than any t.
        if self.lost { u128::MAX } else { self.moved }
    }
}

impl Distance {
    /// Whether it is at most t.
    pub(crate) fn is_within(self, t: Ratio) -> bool {
        let whole = self.steps * u128::from(self.rows) * u128::from(self.total);
        self.rows > 0 && at_most(self.moved, u128::from(t.denominator()), whole, u128::from(t.numerator()))
    }

    /// The distance as an exact ratio.
    pub(crate) fn ratio(self) -> Fraction {
        Fraction { above: self.moved, below: self.steps * u128::from(self.rows) * u128::from(self.total) }
    }

    /// The nearest floating-point number.
    pub(crate) fn to_f64(self) -> f64 {
        self.moved as f64 / (self.steps as f64 * self.rows as f64 * self.total as f64).max(1.0)
    }

    /// At least how many rows must join so that it is within t, when it is not.
    ///
    /// A distance is the most that a class can pay more than the whole, on average, for values at prices that differ by no
    /// more than they are apart. Take the prices of the class before, the least of them 0, and u what the whole pays: the
    /// class pays D + u. With x rows more that cost nothing it pays n·(D + u)/(n + x), still at least D′ ≥ that − u more than
    /// the whole. D′ ≤ t needs x ≥ n·(D − t)/(t + u). u is at most 1; for levels it is the share of the whole that has the
    /// values of which the class has too many.
    pub(crate) fn lacking(self, t: Ratio) -> u64 {
        let (n, t) = (self.rows as f64, t.to_f64());
        let rows = n * (self.to_f64() - t) / (t + self.whole_pays);
        // Rounded to the side of fewer rows.
        whole_part((rows * (1.0 - 1e-9)).ceil()).max(1)
    }

    /// How many rows may leave whichever they are, so that it stays within t.
    ///
    /// n rows are n − x that stay and x that leave, so the difference to the whole of those that stay is n/(n − x) times that
    /// of all less x/(n − x) times that of those that leave. The distance is a norm of it, at most 1 for those that leave:
    /// D′ ≤ (n·D + x)/(n − x), which is within t for x ≤ n·(t − D)/(1 + t).
    pub(crate) fn to_spare(self, t: Ratio) -> u64 {
        let (n, t) = (self.rows as f64, t.to_f64());
        let rows = n * (t - self.to_f64()) / (1.0 + t);
        // Rounded to the side of fewer rows.
        whole_part(rows * (1.0 - 1e-9))
    }
}
