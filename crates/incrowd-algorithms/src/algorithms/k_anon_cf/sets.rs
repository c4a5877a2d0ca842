//! The sets of a cover, kept disjoint as the cover grows: Algorithm 2 of Kenig and Tassa (DMKD 2012).

use incrowd_core::Cell;

use crate::Problem;
use crate::mining::{ClosedRecords, DistinctPoints};
use crate::solver::numbers::to_u32;
use crate::solver::price::{join, joined_price};
use crate::solver::start::add_up;
use crate::solver::{ClassMembers, PointRows};

/// A set of the cover.
struct CoverSet {
    parts: Vec<PointRows>,
    rows: u64,
    cells: Vec<Cell>,
    price: f64,
}

pub(super) struct CoverSets<'a, 't> {
    problem: &'a Problem<'t>,
    points: &'a DistinctPoints,
    /// The rows that the points were made of.
    rest: &'a [(usize, u64)],
    k: u64,
    /// The rows of each point that no set holds.
    free: Vec<u64>,
    free_rows: u64,
    /// The sets that hold rows of each point.
    holders: Vec<Vec<u32>>,
    sets: Vec<CoverSet>,
}

impl<'a, 't> CoverSets<'a, 't> {
    pub(super) fn new(problem: &'a Problem<'t>, points: &'a DistinctPoints, rest: &'a [(usize, u64)], k: u64) -> Self {
        let free: Vec<u64> = points.numbers().map(|point| points.rows(point)).collect();
        let free_rows = free.iter().sum();
        CoverSets { problem, points, rest, k, holders: vec![Vec::new(); free.len()], free, free_rows, sets: Vec::new() }
    }

    /// How many rows no set holds.
    pub(super) fn free_rows(&self) -> u64 {
        self.free_rows
    }

    /// How many rows of a record no set holds, and how many points it has.
    pub(super) fn free_in(&self, records: &ClosedRecords, record: u32) -> (u64, u64) {
        let (mut rows, mut points) = (0, 0);
        records.for_each_point(record as usize, |point| {
            rows += self.free[point as usize];
            points += 1;
        });
        (rows, points)
    }

    /// A new set of `rows` free rows of a record: a stretch of its points, the cheapest of a few.
    pub(super) fn take_new(&mut self, records: &ClosedRecords, record: u32, rows: u64, tries: usize) {
        let free = self.free_parts(records, record);
        let stretch = |start: usize| {
            let mut wanted = rows;
            let parts = free[start..].iter().map_while(|&(point, rows)| {
                let taken = rows.min(wanted);
                wanted -= taken;
                (taken > 0).then_some((point, taken))
            });
            let parts: Vec<PointRows> = parts.collect();
            (wanted == 0).then(|| self.set(parts))
        };
        let stride = free.len().div_ceil(tries).max(1);
        let stretches = (0..free.len()).step_by(stride).map_while(stretch);
        // The record has that many rows, so the first stretch is one.
        if let Some(cheapest) = stretches.min_by(|a, b| a.price.total_cmp(&b.price)) {
            self.push(cheapest);
        }
    }

    /// A new set of the free rows of a record, filled up to k; or they join a set that holds rows of the record.
    pub(super) fn take_all_new(&mut self, records: &ClosedRecords, record: u32, rows: u64) {
        let set = self.set(self.free_parts(records, record));
        if rows >= self.k {
            return self.push(set);
        }
        let mut held: Vec<u32> = Vec::new();
        records.for_each_point(record as usize, |point| {
            if !self.holders[point as usize].is_empty() {
                held.push(point);
            }
        });
        match self.padding(&set, &held) {
            Some(padding) => {
                for &(from, part) in &padding {
                    self.leave(from, part);
                }
                let mut parts = set.parts;
                parts.extend(padding.into_iter().map(|(_, part)| part));
                self.push(self.set(parts));
            }
            None => self.merge(set, &held),
        }
    }

    fn free_parts(&self, records: &ClosedRecords, record: u32) -> Vec<PointRows> {
        let mut parts = Vec::new();
        records.for_each_point(record as usize, |point| {
            if self.free[point as usize] > 0 {
                parts.push((point, self.free[point as usize]));
            }
        });
        parts
    }

    /// Rows that can leave their sets, as many as the set lacks, those whose join with it is cheapest first and among
    /// them those that lose most where they are. None when too few can leave.
    fn padding(&self, set: &CoverSet, held: &[u32]) -> Option<Vec<(u32, PointRows)>> {
        let mut offers: Vec<(f64, f64, u32, u32)> = Vec::new();
        for &point in held {
            let cells: Vec<Cell> = join(self.problem, &[self.member(point)]).collect();
            let price = joined_price(self.problem, &set.cells, &cells);
            let spare = self.holders[point as usize].iter().filter(|&&from| self.sets[from as usize].rows > self.k);
            offers.extend(spare.map(|&from| (price, self.sets[from as usize].price, point, from)));
        }
        offers.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)).then((a.2, a.3).cmp(&(b.2, b.3))));
        let mut wanted = self.k - set.rows;
        let mut taken: Vec<(u32, PointRows)> = Vec::new();
        for (_, _, point, from) in offers {
            let gone: u64 = taken.iter().filter(|(other, _)| *other == from).map(|(_, part)| part.1).sum();
            let donor = &self.sets[from as usize];
            let owned = donor.parts.iter().find(|part| part.0 == point).map_or(0, |part| part.1);
            let rows = owned.min(donor.rows - self.k - gone).min(wanted);
            if rows > 0 {
                taken.push((from, (point, rows)));
                wanted -= rows;
            }
            if wanted == 0 {
                return Some(taken);
            }
        }
        None
    }

    /// Lets free rows join the set where the loss grows least, among those that hold some of these points.
    fn merge(&mut self, set: CoverSet, held: &[u32]) {
        let mut hosts: Vec<u32> = held.iter().flat_map(|&point| &self.holders[point as usize]).copied().collect();
        hosts.sort_unstable();
        hosts.dedup();
        let growth = |host: &u32| {
            let host = &self.sets[*host as usize];
            let price = joined_price(self.problem, &host.cells, &set.cells);
            host.rows as f64 * (price - host.price) + set.rows as f64 * price
        };
        let cheapest = hosts.iter().map(|host| (growth(host), *host)).min_by(|a, b| a.0.total_cmp(&b.0));
        // A record has k rows or more and fewer of them are free, so some set holds the others.
        let Some((_, host)) = cheapest else { return self.push(set) };
        self.hold(host, &set.parts);
        let mut parts = std::mem::take(&mut self.sets[host as usize].parts);
        parts.extend(set.parts);
        self.sets[host as usize] = self.set(parts);
    }

    /// Adds a set of free rows.
    fn push(&mut self, set: CoverSet) {
        self.hold(to_u32(self.sets.len()), &set.parts);
        self.sets.push(set);
    }

    /// Notes that a set holds rows that were free.
    fn hold(&mut self, set: u32, parts: &[PointRows]) {
        for &(point, rows) in parts {
            self.free[point as usize] -= rows;
            self.free_rows -= rows;
            let holders = &mut self.holders[point as usize];
            if !holders.contains(&set) {
                holders.push(set);
            }
        }
    }

    /// Rows leave a set and are free.
    fn leave(&mut self, set: u32, (point, rows): PointRows) {
        let mut parts = std::mem::take(&mut self.sets[set as usize].parts);
        parts.iter_mut().filter(|part| part.0 == point).for_each(|part| part.1 -= rows);
        if parts.iter().any(|part| part.1 == 0) {
            parts.retain(|part| part.1 > 0);
            self.holders[point as usize].retain(|&other| other != set);
        }
        self.sets[set as usize] = self.set(parts);
        self.free[point as usize] += rows;
        self.free_rows += rows;
    }

    /// A set of these rows, those of a point as one part.
    fn set(&self, mut parts: Vec<PointRows>) -> CoverSet {
        add_up(&mut parts);
        let members: Vec<(usize, u64)> = parts.iter().map(|part| self.member(part.0)).collect();
        let cells: Vec<Cell> = join(self.problem, &members).collect();
        let rows = parts.iter().map(|part| part.1).sum();
        CoverSet { price: self.problem.prices.row(&cells), parts, rows, cells }
    }

    /// A member that stands for a point: all of them have the same quasi-identifiers.
    fn member(&self, point: u32) -> (usize, u64) {
        self.rest[self.points.members(point)[0] as usize]
    }

    /// The sets as classes, and the rows that are free. The members of a point are handed out in order.
    pub(super) fn finish(self) -> (Vec<ClassMembers>, ClassMembers) {
        let mut members: Vec<u64> = self.rest.iter().map(|member| member.1).collect();
        let mut hand_out = |(point, mut wanted): PointRows, class: &mut ClassMembers| {
            for &member in self.points.members(point) {
                let rows = wanted.min(members[member as usize]);
                members[member as usize] -= rows;
                wanted -= rows;
                class.extend((rows > 0).then_some((self.rest[member as usize].0, rows)));
            }
        };
        let mut classes = Vec::with_capacity(self.sets.len());
        for set in self.sets {
            let mut class = Vec::new();
            set.parts.into_iter().for_each(|part| hand_out(part, &mut class));
            classes.push(class);
        }
        let mut left = Vec::new();
        (0..).zip(self.free).filter(|part| part.1 > 0).for_each(|part| hand_out(part, &mut left));
        (classes, left)
    }
}
