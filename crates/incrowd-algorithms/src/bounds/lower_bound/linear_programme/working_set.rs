//! The records that may matter near some prices, with the shares of rows that are in each, in parts for threads.
//!
//! The number of parts does not depend on the number of threads, and sums over parts are taken in order: so the shares
//! are the same on any number of threads.

use std::collections::HashMap;

use rayon::prelude::*;

use super::dive::{CandidateRecord, OpenRecord};
use super::projection::{ConePoint, lift_to_hold, project};
use super::relaxation::{Relaxation, TopPrices};
use crate::Budget;
use crate::mining::TopValues;
use crate::solver::clock::did;

/// Into how many parts the records are divided.
const PARTS: usize = 8;

/// Records near some prices.
#[derive(Clone)]
pub(super) struct WorkingSet {
    parts: Vec<Part>,
    /// In how many of the records each point is.
    pub(super) degrees: Vec<f64>,
}

/// What a step takes for each share: how far it goes, and how the next shares are made of old and new ones.
#[derive(Clone, Copy)]
pub(super) struct ShareStep {
    pub(super) length: f64,
    /// The weight of the anchor in the next shares.
    pub(super) anchor: f64,
}

/// Some of the records.
#[derive(Clone)]
struct Part {
    records: Vec<WorkingRecord>,
    points: Vec<u32>,
    rows: Vec<f64>,
    shares: Vec<f64>,
    anchors: Vec<f64>,
    /// For each point of the table what this part's records hold of it.
    held: Vec<f64>,
    values: Vec<f64>,
}

#[derive(Clone)]
struct WorkingRecord {
    number: u32,
    price: f64,
    end: usize,
    at: ConePoint,
    /// Whether all shares and anchors are 0.
    is_empty: bool,
    /// Whether its share is 1 for good.
    is_open: bool,
}

impl WorkingSet {
    /// The given records, with the shares that they have in another set, or none.
    pub(super) fn new(relaxation: &Relaxation<'_>, numbers: &[u32], before: Option<&WorkingSet>) -> Self {
        let sizes: usize = numbers.iter().map(|&number| points_of(relaxation, number)).sum();
        let mut old: HashMap<u32, (&Part, usize)> = HashMap::new();
        for part in before.into_iter().flat_map(|before| &before.parts) {
            old.extend(part.records.iter().enumerate().map(|(at, record)| (record.number, (part, at))));
        }
        let mut parts: Vec<Part> = Vec::with_capacity(PARTS);
        let mut degrees = vec![0.0; relaxation.rows.len()];
        let mut held = 0;
        for &number in numbers {
            if held * PARTS >= sizes * parts.len() && parts.len() < PARTS {
                parts.push(Part::new(relaxation.rows.len()));
            }
            let Some(part) = parts.last_mut() else { break };
            relaxation.records.for_each_point(number as usize, |point| part.points.push(point));
            let price = relaxation.records.price(number as usize);
            part.add(relaxation, (number, price), old.get(&number).copied());
            let points = part.points_of(part.records.len() - 1);
            held += points.len();
            points.iter().for_each(|&point| degrees[point as usize] += 1.0);
        }
        WorkingSet { parts, degrees }
    }

    /// Some records that are chosen otherwise, numbered in their order, without shares.
    pub(super) fn among(relaxation: &Relaxation<'_>, records: &[CandidateRecord]) -> Self {
        let sizes: usize = records.iter().map(|record| record.points.len()).sum();
        let mut parts: Vec<Part> = Vec::with_capacity(PARTS);
        let mut degrees = vec![0.0; relaxation.rows.len()];
        let mut held = 0;
        for (number, record) in (0..).zip(records) {
            if held * PARTS >= sizes * parts.len() && parts.len() < PARTS {
                parts.push(Part::new(relaxation.rows.len()));
            }
            let Some(part) = parts.last_mut() else { break };
            part.points.extend_from_slice(&record.points);
            part.add(relaxation, (number, record.price), None);
            held += record.points.len();
            record.points.iter().for_each(|&point| degrees[point as usize] += 1.0);
        }
        WorkingSet { parts, degrees }
    }

    /// The points of all records together.
    pub(super) fn size(&self) -> usize {
        self.parts.iter().map(|part| part.points.len()).sum()
    }

    /// Moves all shares one step, and returns for each point what the records hold by the shares reflected at the step,
    /// and the squared length of the step. None when the time was over before.
    pub(super) fn step(&mut self, k: f64, prices: &[f64], step: ShareStep, budget: &Budget) -> Option<(Vec<f64>, f64)> {
        let lengths: Option<Vec<f64>> =
            self.parts.par_iter_mut().map(|part| (!budget.is_over()).then(|| part.step(k, prices, step))).collect();
        let length = lengths?.into_iter().sum();
        let mut held = vec![0.0; prices.len()];
        for part in &self.parts {
            held.iter_mut().zip(&part.held).for_each(|(sum, held)| *sum += held);
        }
        Some((held, length))
    }

    /// Makes the shares the anchor; returns the squared distance from the last one.
    pub(super) fn set_anchor(&mut self) -> f64 {
        let distances: Vec<f64> = self.parts.par_iter_mut().map(Part::set_anchor).collect();
        distances.into_iter().sum()
    }

    /// The prices, changed so that none of the records is cheaper than its rows, and at most the caps. None when the
    /// time was over before.
    pub(super) fn mended(
        &self,
        relaxation: &Relaxation<'_>,
        prices: &[f64],
        caps: &[f64],
        budget: &Budget,
    ) -> Option<Vec<f64>> {
        let one = |part: &Part| (!budget.is_over()).then(|| part.mended(relaxation, prices, caps));
        let parts: Option<Vec<Vec<f64>>> = self.parts.par_iter().map(one).collect();
        let mut mended = caps.to_vec();
        for part in parts? {
            mended.iter_mut().zip(part).for_each(|(least, price)| *least = least.min(price));
        }
        Some(mended)
    }
}

/// A record that may be opened.
#[derive(Clone, Copy)]
pub(super) struct ClosedCandidate {
    part: usize,
    record: usize,
    pub(super) number: u32,
    /// Its share.
    pub(super) share: f64,
}

impl WorkingSet {
    /// For each point what open records leave of its rows.
    pub(super) fn free_shares(&self) -> Vec<f64> {
        let mut free = vec![1.0; self.degrees.len()];
        for part in &self.parts {
            for at in (0..part.records.len()).filter(|&at| part.records[at].is_open) {
                let shares = part.points_of(at).iter().zip(&part.shares[part.range(at)]);
                shares.for_each(|(&point, share)| free[point as usize] -= share.clamp(0.0, 1.0));
            }
        }
        free
    }

    /// The records that are not open and have a share.
    pub(super) fn closed_records(&self) -> Vec<ClosedCandidate> {
        let of_part = |(part, records): (usize, &Part)| {
            let candidate = |(record, it): (usize, &WorkingRecord)| {
                let (number, share) = (it.number, it.at.most);
                (!it.is_open && share > 0.0).then_some(ClosedCandidate { part, record, number, share })
            };
            records.records.iter().enumerate().filter_map(candidate).collect::<Vec<_>>()
        };
        self.parts.iter().enumerate().flat_map(of_part).collect()
    }

    /// Opens a record if it finds this number of rows that are free, and takes them; whether it does.
    pub(super) fn open(&mut self, candidate: ClosedCandidate, free: &mut [f64], needed: f64) -> bool {
        let part = &mut self.parts[candidate.part];
        let range = part.range(candidate.record);
        let taken = |at: usize, free: &[f64]| {
            let wanted = (part.shares[at] / candidate.share).clamp(0.0, 1.0);
            wanted.min(free[part.points[at] as usize]).max(0.0)
        };
        let found: f64 = range.clone().map(|at| part.rows[at] * taken(at, free)).sum();
        if found < needed {
            return false;
        }
        for at in range {
            let share = taken(at, free);
            free[part.points[at] as usize] -= share;
        }
        let record = &mut part.records[candidate.record];
        (record.is_open, record.is_empty) = (true, false);
        true
    }

    /// The open records with their shares.
    pub(super) fn open_records(&self) -> Vec<OpenRecord> {
        let of_part = |part: &Part| {
            let open = (0..part.records.len()).filter(|&at| part.records[at].is_open);
            let record = |at: usize| OpenRecord {
                price: part.records[at].price,
                points: part.points_of(at).iter().copied().zip(part.shares[part.range(at)].iter().copied()).collect(),
            };
            open.map(record).collect::<Vec<_>>()
        };
        self.parts.iter().flat_map(of_part).collect()
    }
}

fn points_of(relaxation: &Relaxation<'_>, number: u32) -> usize {
    let mut points = 0;
    relaxation.records.for_each_point(number as usize, |_| points += 1);
    points
}

impl Part {
    fn new(points: usize) -> Self {
        Part {
            records: vec![],
            points: vec![],
            rows: vec![],
            shares: vec![],
            anchors: vec![],
            held: vec![0.0; points],
            values: vec![],
        }
    }

    fn range(&self, record: usize) -> std::ops::Range<usize> {
        record.checked_sub(1).map_or(0, |before| self.records[before].end)..self.records[record].end
    }

    fn points_of(&self, record: usize) -> &[u32] {
        &self.points[self.range(record)]
    }

    /// Adds a record whose points are there already.
    fn add(&mut self, relaxation: &Relaxation<'_>, (number, price): (u32, f64), old: Option<(&Part, usize)>) {
        let (begin, end) = (self.rows.len(), self.points.len());
        self.rows.extend(self.points[begin..].iter().map(|&point| relaxation.rows[point as usize]));
        let mut record = WorkingRecord { number, price, end, at: ConePoint::default(), is_empty: true, is_open: false };
        if let Some((part, at)) = old {
            self.shares.extend_from_slice(&part.shares[part.range(at)]);
            record.at = part.records[at].at;
            record.is_empty = part.records[at].is_empty;
        }
        self.shares.resize(end, 0.0);
        self.anchors.resize(end, 0.0);
        self.records.push(record);
    }

    fn step(&mut self, k: f64, prices: &[f64], step: ShareStep) -> f64 {
        let Part { records, points, rows, shares, anchors, held, values } = self;
        held.fill(0.0);
        did(points.len());
        let (mut start, mut length) = (0, 0.0);
        for record in records.iter_mut() {
            let range = start..record.end;
            start = record.end;
            let (points, rows) = (&points[range.clone()], &rows[range.clone()]);
            let (shares, anchors) = (&mut shares[range.clone()], &anchors[range]);
            values.clear();
            let values_of = points.iter().zip(shares.iter());
            values
                .extend(values_of.map(|(&point, share)| share + step.length * (prices[point as usize] - record.price)));
            record.at = match record.is_open {
                true => lift_to_hold(values, rows, k, record.at.lift),
                false => project(values, rows, k, record.at),
            };
            if record.is_empty && record.at.most == 0.0 {
                continue;
            }
            record.is_empty = false;
            for (at, &value) in values.iter().enumerate() {
                let (old, new) = (shares[at], record.at.share(value));
                let reflected = 2.0 * new - old;
                held[points[at] as usize] += reflected;
                length += rows[at] * (new - old) * (new - old);
                shares[at] = (1.0 - step.anchor) * reflected + step.anchor * anchors[at];
            }
        }
        length
    }

    fn set_anchor(&mut self) -> f64 {
        let (mut start, mut distance) = (0, 0.0);
        for record in &mut self.records {
            let range = start..record.end;
            start = record.end;
            if record.is_empty {
                continue;
            }
            let mut is_empty = true;
            for at in range {
                let (share, anchor) = (self.shares[at], self.anchors[at]);
                distance += self.rows[at] * (share - anchor) * (share - anchor);
                is_empty &= share == 0.0;
                self.anchors[at] = share;
            }
            record.is_empty = is_empty;
        }
        distance
    }

    fn mended(&self, relaxation: &Relaxation<'_>, prices: &[f64], caps: &[f64]) -> Vec<f64> {
        let mut mended = caps.to_vec();
        let mut top = TopValues::default();
        did(self.points.len());
        for (at, record) in self.records.iter().enumerate() {
            let points = self.points_of(at);
            let TopPrices { last, short } = relaxation.top(&mut top, prices, points, record.price);
            for &point in points {
                let price = prices[point as usize].max(last) + short;
                let mended = &mut mended[point as usize];
                *mended = if price < *mended { price } else { *mended };
            }
        }
        mended
    }
}
