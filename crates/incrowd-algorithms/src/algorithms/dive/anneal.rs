//! Simulated annealing among records: which of some candidates are open, and which points are in each.
//!
//! A release opens records and puts each point into one of them that holds it, each with k rows or more. A step opens
//! one more record, which takes the points that lose more where they are, or closes one. Records that are then short
//! of rows are filled with points that others can spare, or closed, whichever costs less. A step that gains is taken;
//! one that loses is taken with a probability that falls with the loss and with time: S. Kirkpatrick, C. D. Gelatt and
//! M. P. Vecchi, "Optimization by simulated annealing", 1983.
//!
//! The candidates are the records of known releases and those that the linear programme nearly opens, a few thousand of
//! a million. So a step looks at some dozens of points, and there is time for millions of steps. The rows of a point
//! stay together; refinement parts them afterwards.

use crate::Budget;
use crate::bounds::CandidateRecord;
use crate::mining::DistinctPoints;
use crate::solver::effort::WorkCounter;
use crate::solver::numbers::to_u32;
use crate::solver::random::SplitMix64;

/// The temperature at the beginning and at the end, relative to what a class loses. Measured on Adult: hotter, the
/// search forgets where it began.
const HEAT: (f64, f64) = (0.01, 0.001);
/// Number of steps between two checks of effort and deadline.
const STEPS: usize = 64;
/// Work units of a step besides the points that it looks at, and of a point that is moved.
const STEP_UNITS: u64 = 8;
const MOVE_UNITS: u64 = 4;

/// Lists of numbers, one after the other.
struct NumberLists {
    starts: Vec<usize>,
    numbers: Vec<u32>,
}

impl NumberLists {
    fn new<'l>(lists: impl Iterator<Item = &'l [u32]>) -> Self {
        let mut all = NumberLists { starts: vec![0], numbers: Vec::new() };
        for list in lists {
            all.numbers.extend_from_slice(list);
            all.starts.push(all.numbers.len());
        }
        all
    }

    #[inline]
    fn get(&self, at: u32) -> &[u32] {
        &self.numbers[self.starts[at as usize]..self.starts[at as usize + 1]]
    }
}

/// A release of candidates that is changed step by step.
pub(super) struct Annealing {
    least: u64,
    prices: Vec<f64>,
    /// The points of each candidate, and the candidates of each point by rising price.
    points: NumberLists,
    records: NumberLists,
    rows_of: Vec<u64>,
    /// The candidate that each point is in, and its place among the members.
    owner: Vec<u32>,
    place: Vec<u32>,
    members: Vec<Vec<u32>>,
    /// The rows of each candidate, 0 when it is closed.
    rows: Vec<u64>,
    /// What was moved in this step, and from where; what that costs; which candidates may be short of rows.
    moved: Vec<(u32, u32)>,
    cost: f64,
    short: Vec<u32>,
    offers: Vec<(f64, u32)>,
    work: u64,
}

impl Annealing {
    /// The release in which each point is in the given candidate, which holds it. The last candidate holds all points.
    pub(super) fn new(points: &DistinctPoints, candidates: &[CandidateRecord], owner: Vec<u32>, least: u64) -> Self {
        let prices: Vec<f64> = candidates.iter().map(|candidate| candidate.price).collect();
        let mut order: Vec<u32> = (0..to_u32(candidates.len())).collect();
        order.sort_by(|&a, &b| prices[a as usize].total_cmp(&prices[b as usize]).then(a.cmp(&b)));
        let mut of_point = vec![Vec::new(); points.len()];
        for &record in &order {
            candidates[record as usize].points.iter().for_each(|&point| of_point[point as usize].push(record));
        }
        let mut release = Annealing {
            least,
            points: NumberLists::new(candidates.iter().map(|candidate| &candidate.points[..])),
            records: NumberLists::new(of_point.iter().map(|records| &records[..])),
            rows_of: points.numbers().map(|point| points.rows(point)).collect(),
            place: vec![0; owner.len()],
            members: vec![Vec::new(); candidates.len()],
            rows: vec![0; candidates.len()],
            owner,
            prices,
            moved: Vec::new(),
            cost: 0.0,
            short: Vec::new(),
            offers: Vec::new(),
            work: 0,
        };
        for point in points.numbers() {
            let owner = release.owner[point as usize] as usize;
            release.place[point as usize] = to_u32(release.members[owner].len());
            release.members[owner].push(point);
            release.rows[owner] += points.rows(point);
        }
        release.mend(to_u32(candidates.len().saturating_sub(1)));
        release
    }

    /// What all rows lose.
    pub(super) fn loss(&self) -> f64 {
        self.rows.iter().zip(&self.prices).map(|(&rows, price)| rows as f64 * price).sum()
    }

    /// The points of each open candidate, ascending.
    pub(super) fn classes(self) -> Vec<Vec<u32>> {
        let mut classes: Vec<Vec<u32>> = self.members.into_iter().filter(|members| !members.is_empty()).collect();
        classes.iter_mut().for_each(|class| class.sort_unstable());
        classes
    }

    /// Takes steps while it cools down, until the effort is spent or the time over; returns the work units. `cooled`
    /// says how far it is between 0 and 1, given the work units.
    pub(super) fn run(&mut self, cooled: impl Fn(u64) -> f64, chance: &mut SplitMix64, budget: &Budget) -> u64 {
        let open = self.rows.iter().filter(|rows| **rows > 0).count();
        let scale = self.loss() / open.max(1) as f64;
        let mut work = WorkCounter::new(budget);
        loop {
            let part = cooled(work.spent());
            if part >= 1.0 || scale <= 0.0 || work.is_over() {
                return work.spent();
            }
            let heat = scale * HEAT.0 * (HEAT.1 / HEAT.0).powf(part);
            for _ in 0..STEPS {
                let record = to_u32(chance.below(self.prices.len()));
                let most = -heat * chance.share().max(f64::MIN_POSITIVE).ln();
                self.step(record, most, chance);
            }
            work.spend(std::mem::take(&mut self.work));
        }
    }

    /// Opens or closes a candidate if that costs at most this.
    fn step(&mut self, record: u32, most: f64, chance: &mut SplitMix64) {
        (self.cost, self.work) = (0.0, self.work + STEP_UNITS);
        self.moved.clear();
        self.short.clear();
        let closes = self.rows[record as usize] > 0 && chance.next() & 1 == 0;
        let is_done = if closes { self.close(record) } else { self.open(record) };
        if !is_done || self.cost > most || !self.settle_short(most) {
            self.undo(0);
        }
    }

    fn price(&self, record: u32) -> f64 {
        self.prices[record as usize]
    }

    fn is_short(&self, record: u32) -> bool {
        let rows = self.rows[record as usize];
        rows > 0 && rows < self.least
    }

    /// Whether a record keeps enough rows without those of a point.
    fn can_spare(&self, record: u32, point: u32) -> bool {
        self.rows[record as usize] >= self.least + self.rows_of[point as usize]
    }

    fn put(&mut self, point: u32, to: u32) {
        let from = std::mem::replace(&mut self.owner[point as usize], to);
        let place = self.place[point as usize] as usize;
        self.members[from as usize].swap_remove(place);
        if let Some(&next) = self.members[from as usize].get(place) {
            self.place[next as usize] = to_u32(place);
        }
        self.place[point as usize] = to_u32(self.members[to as usize].len());
        self.members[to as usize].push(point);
        let rows = self.rows_of[point as usize];
        self.rows[from as usize] -= rows;
        self.rows[to as usize] += rows;
        self.cost += rows as f64 * (self.price(to) - self.price(from));
        self.work += MOVE_UNITS;
    }

    fn move_to(&mut self, point: u32, to: u32) {
        let from = self.owner[point as usize];
        self.moved.push((point, from));
        self.put(point, to);
        if self.is_short(from) && !self.short.contains(&from) {
            self.short.push(from);
        }
    }

    fn undo(&mut self, until: usize) {
        while self.moved.len() > until {
            self.moved.pop().into_iter().for_each(|(point, from)| self.put(point, from));
        }
    }

    /// Moves the points that lose more where they are into a record, and as many others as it lacks.
    fn open(&mut self, record: u32) -> bool {
        let price = self.price(record);
        let count = self.points.get(record).len();
        self.work += count as u64;
        for at in 0..count {
            let point = self.points.get(record)[at];
            if self.price(self.owner[point as usize]) > price {
                self.move_to(point, record);
            }
        }
        !self.moved.is_empty() && (!self.is_short(record) || self.fill(record))
    }

    /// Moves points into a record that others can spare, the cheapest first, until it is large enough.
    fn fill(&mut self, record: u32) -> bool {
        let (price, mark) = (self.price(record), self.moved.len());
        let mut offers = std::mem::take(&mut self.offers);
        offers.clear();
        for &point in self.points.get(record) {
            let owner = self.owner[point as usize];
            if owner != record && self.can_spare(owner, point) {
                offers.push((price - self.price(owner), point));
            }
        }
        self.work += self.points.get(record).len() as u64;
        offers.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for &(_, point) in &offers {
            if !self.is_short(record) {
                break;
            }
            if self.can_spare(self.owner[point as usize], point) {
                self.move_to(point, record);
            }
        }
        self.offers = offers;
        let is_full = !self.is_short(record);
        if !is_full {
            self.undo(mark);
        }
        is_full
    }

    /// Moves all points of a record into the cheapest others that are large enough; false when a point is in none.
    fn close(&mut self, record: u32) -> bool {
        let mark = self.moved.len();
        while let Some(&point) = self.members[record as usize].last() {
            let others = self.records.get(point);
            let other = others.iter().position(|&other| other != record && self.rows[other as usize] >= self.least);
            self.work += other.unwrap_or(others.len()) as u64 + 1;
            let Some(to) = other.map(|at| others[at]) else {
                self.undo(mark);
                return false;
            };
            self.moved.push((point, record));
            self.put(point, to);
        }
        true
    }

    /// Fills or closes what is short of rows, for at most this cost.
    fn settle_short(&mut self, most: f64) -> bool {
        while let Some(record) = self.short.pop() {
            if !self.is_short(record) {
                continue;
            }
            let mark = self.moved.len();
            let closed = self.close(record).then_some(self.cost);
            self.undo(mark);
            let filled = self.fill(record).then_some(self.cost);
            match (closed, filled) {
                (None, None) => return false,
                (Some(closed), filled) if filled.is_none_or(|filled| closed < filled) => {
                    self.undo(mark);
                    self.close(record);
                }
                _ => {}
            }
            if self.cost > most {
                return false;
            }
        }
        true
    }

    /// Makes all candidates large enough, by the one that holds all points if there is no other way.
    fn mend(&mut self, whole: u32) {
        for record in 0..to_u32(self.prices.len()) {
            self.moved.clear();
            if record == whole || !self.is_short(record) || self.fill(record) || self.close(record) {
                continue;
            }
            while let Some(&point) = self.members[record as usize].last() {
                self.put(point, whole);
            }
        }
        self.moved.clear();
        if self.is_short(whole) && !self.close(whole) {
            self.fill(whole);
        }
    }
}
