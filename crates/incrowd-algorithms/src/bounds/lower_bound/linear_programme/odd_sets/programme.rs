//! The linear programme of classes of two or three rows, with the cuts of odd sets.

use std::collections::{HashMap, HashSet};

use super::super::relaxation::Relaxation;
use super::mending::CutPrices;
use crate::solver::clock::did;

/// The third place of a class of two rows.
const NONE: u32 = u32::MAX;

/// A class of two or three rows: the point of each row, ascending, and what the rows lose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PairOrTriple {
    places: [u32; 3],
    pub(super) loss: f64,
}

impl PairOrTriple {
    fn of_pair([one, other]: [u32; 2], relaxation: &Relaxation<'_>) -> Self {
        let loss = 2.0 * relaxation.records.price_of_join(&[one, other]);
        PairOrTriple { places: [one, other, NONE], loss }
    }

    /// The point of each row.
    #[inline]
    pub(super) fn points(&self) -> &[u32] {
        if self.places[2] == NONE { &self.places[..2] } else { &self.places }
    }
}

/// Lists of numbers, one after the other.
#[derive(Default)]
pub(super) struct IndexLists {
    starts: Vec<usize>,
    numbers: Vec<u32>,
}

impl IndexLists {
    /// Lists of what comes with the number of each list.
    fn new(count: usize, entries: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0; count + 1];
        entries.clone().for_each(|(list, _)| starts[list as usize + 1] += 1);
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut ends = starts.clone();
        let mut numbers = vec![0; starts[count]];
        for (list, number) in entries {
            numbers[ends[list as usize]] = number;
            ends[list as usize] += 1;
        }
        IndexLists { starts, numbers }
    }

    #[inline]
    pub(super) fn get(&self, list: usize) -> &[u32] {
        &self.numbers[self.starts[list]..self.starts[list + 1]]
    }

    /// The numbers in all lists together.
    fn size(&self) -> usize {
        self.numbers.len()
    }
}

/// All rows of some points, an odd number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OddSet {
    /// Ascending.
    pub(super) points: Vec<u32>,
    /// How many classes can have two rows of it or more: half of its rows, rounded down.
    pub(super) most: f64,
}

/// Classes that bind prices below some caps, and odd sets.
pub(super) struct CutProgramme<'a> {
    /// The rows of each point.
    pub(super) rows: &'a [f64],
    /// What the price of each point is at most.
    pub(super) caps: Vec<f64>,
    pub(super) classes: Vec<PairOrTriple>,
    pub(super) sets: Vec<OddSet>,
    /// The classes of each point; twice where it has two rows of a class.
    pub(super) classes_of_point: IndexLists,
    /// The sets with two rows of a class or more, by class, and the classes by set.
    pub(super) sets_of_class: IndexLists,
    pub(super) classes_of_set: IndexLists,
}

impl<'a> CutProgramme<'a> {
    /// The classes of these pairs, of points with two rows or more, and of triples in the sets.
    pub(super) fn new(relaxation: &'a Relaxation<'_>, caps: Vec<f64>, pairs: &[[u32; 2]], sets: Vec<OddSet>) -> Self {
        let rows: &[f64] = &relaxation.rows;
        let alike = (0..).zip(rows).filter(|(_, rows)| **rows >= 2.0).map(|(point, _)| [point, point]);
        let all = pairs.iter().copied().chain(alike);
        let classes = all.map(|pair| PairOrTriple::of_pair(pair, relaxation)).collect();
        let (classes_of_point, sets_of_class, classes_of_set) = Default::default();
        let mut programme =
            CutProgramme { rows, caps, classes, sets: vec![], classes_of_point, sets_of_class, classes_of_set };
        programme.add(relaxation, sets);
        programme
    }

    /// How much there is to look at in a step.
    pub(super) fn size(&self) -> usize {
        self.classes_of_point.size() + 2 * self.sets_of_class.size()
    }

    /// Adds sets, and the triples in them that prices below the caps may exceed.
    pub(super) fn add(&mut self, relaxation: &Relaxation<'_>, sets: Vec<OddSet>) {
        let triples = self.classes.iter().map(|class| class.places).filter(|places| places[2] != NONE);
        let mut known: HashSet<[u32; 3]> = triples.collect();
        for set in &sets {
            let row_list = |&point: &u32| {
                let rows = self.rows[point as usize];
                [1.0, 2.0, 3.0].into_iter().filter(move |row| *row <= rows).map(move |_| point)
            };
            let rows: Vec<u32> = set.points.iter().flat_map(row_list).collect();
            for (at, &one) in rows.iter().enumerate() {
                for (next, &two) in (at + 1..).zip(&rows[at + 1..]) {
                    for &three in &rows[next + 1..] {
                        let places = [one, two, three];
                        let most: f64 = places.iter().map(|&point| self.caps[point as usize]).sum();
                        let loss = 3.0 * relaxation.records.price_of_join(&places);
                        if most > loss && known.insert(places) {
                            self.classes.push(PairOrTriple { places, loss });
                        }
                    }
                }
            }
            did(rows.len() * rows.len() * rows.len());
        }
        self.sets.extend(sets);
        self.index();
    }

    fn index(&mut self) {
        let of_class = |(at, class): (u32, &'_ PairOrTriple)| (0..class.points().len()).map(move |place| (at, place));
        let classes = &self.classes;
        let entries = (0..).zip(classes).flat_map(of_class);
        let entries = entries.map(|(at, place)| (classes[at as usize].places[place], at));
        self.classes_of_point = IndexLists::new(self.rows.len(), entries);
        let mut is_inside = vec![false; self.rows.len()];
        let mut members: Vec<(u32, u32)> = Vec::new();
        for (number, set) in (0..).zip(&self.sets) {
            set.points.iter().for_each(|&point| is_inside[point as usize] = true);
            let all = set.points.iter().flat_map(|&point| self.classes_of_point.get(point as usize));
            let inside = |class: &u32| {
                let points = self.classes[*class as usize].points().iter();
                points.filter(|point| is_inside[**point as usize]).count() >= 2
            };
            let mut found: Vec<u32> = all.copied().filter(inside).collect();
            found.sort_unstable();
            found.dedup();
            members.extend(found.into_iter().map(|class| (class, number)));
            set.points.iter().for_each(|&point| is_inside[point as usize] = false);
        }
        self.sets_of_class = IndexLists::new(self.classes.len(), members.iter().copied());
        self.classes_of_set = IndexLists::new(self.sets.len(), members.iter().map(|&(class, set)| (set, class)));
    }

    /// By how much what a class loses is above the prices of its rows less the multipliers of its sets.
    #[inline]
    pub(super) fn slack(&self, class: usize, prices: &[f64], multipliers: &[f64]) -> f64 {
        let it = &self.classes[class];
        let rows: f64 = it.points().iter().map(|&point| prices[point as usize]).sum();
        let sets: f64 = self.sets_of_class.get(class).iter().map(|&set| multipliers[set as usize]).sum();
        it.loss - rows + sets
    }

    /// What prices and multipliers that are allowed prove.
    pub(super) fn sum(&self, CutPrices { prices, multipliers }: &CutPrices) -> f64 {
        let rows: f64 = prices.iter().zip(self.rows).map(|(price, rows)| price * rows).sum();
        rows - self.sets.iter().zip(multipliers).map(|(set, multiplier)| set.most * multiplier).sum::<f64>()
    }

    /// The same shares for the classes that are here, too.
    pub(super) fn shares_from(&self, before: &CutProgramme<'_>, shares: &[f64]) -> Vec<f64> {
        let old: HashMap<[u32; 3], f64> =
            before.classes.iter().map(|class| class.places).zip(shares.iter().copied()).collect();
        self.classes.iter().map(|class| old.get(&class.places).copied().unwrap_or(0.0)).collect()
    }
}

/// The set of all rows of some points, of which there are an odd number.
pub(super) fn odd_set(mut points: Vec<u32>, rows: &[f64]) -> OddSet {
    points.sort_unstable();
    let all: f64 = points.iter().map(|&point| rows[point as usize]).sum();
    OddSet { points, most: ((all - 1.0) / 2.0).floor() }
}
