//! Rows that change sides: what classes that keep the policy can give to rows that do not, so that both do.
//!
//! Which sensitive values help is asked of the policy's gap. Everything is decided on rows counted by kind; which
//! tuples they are is up to the solver.

use crate::solver::kinds::Kinds;
use crate::solver::start::add_up;
use crate::{Budget, Problem};

/// The deadline is checked once for this many donors.
const LOOK: usize = 64;

/// Rows by kind, ascending by the tuple that stands for the kind.
#[derive(Clone, Default)]
pub(crate) struct KindRows(Vec<(usize, u64)>);

impl KindRows {
    /// The rows, as a class to be judged.
    pub(crate) fn rows(&self) -> &[(usize, u64)] {
        &self.0
    }

    /// Adds rows by kind, in any order.
    pub(crate) fn extend(&mut self, rows: impl ExactSizeIterator<Item = (usize, u64)>) {
        // A few are put into their places, many are sorted in.
        if rows.len() > 8 {
            self.0.extend(rows);
            add_up(&mut self.0);
        } else {
            rows.for_each(|(sample, rows)| self.add(sample, rows));
        }
    }

    fn add(&mut self, sample: usize, rows: u64) {
        match self.0.binary_search_by_key(&sample, |entry| entry.0) {
            Ok(at) => self.0[at].1 += rows,
            Err(at) => self.0.insert(at, (sample, rows)),
        }
    }

    /// These rows and those that are given.
    fn with(&self, given: &[GivenRows]) -> KindRows {
        let mut with = self.clone();
        with.extend(given.iter().map(|given| (given.sample, given.rows)));
        with
    }

    /// These rows without some of them, ascending too.
    fn without(&self, gone: impl IntoIterator<Item = (usize, u64)>) -> KindRows {
        let mut gone = gone.into_iter().peekable();
        let left = |&(sample, rows): &(usize, u64)| {
            (sample, rows - gone.next_if(|next| next.0 == sample).map_or(0, |next| next.1))
        };
        KindRows(self.0.iter().map(left).filter(|entry| entry.1 > 0).collect())
    }
}

/// Some rows of one kind that a donor gives.
#[derive(Clone, Copy)]
pub(crate) struct GivenRows {
    /// The number the donor was entered with.
    pub(crate) donor: usize,
    /// The tuple that stands for the kind.
    pub(crate) sample: usize,
    pub(crate) rows: u64,
}

/// A class that rows are taken from.
struct Donor {
    number: usize,
    left: KindRows,
}

/// Classes that keep the policy and may give rows.
pub(crate) struct Donors<'a, 't> {
    problem: &'a Problem<'t>,
    budget: &'a Budget,
    kinds: &'a Kinds,
    donors: Vec<Donor>,
}

impl<'a, 't> Donors<'a, 't> {
    /// Numbered classes by kind. They are asked in this order.
    pub(crate) fn new<'c>(
        (problem, budget): (&'a Problem<'t>, &'a Budget),
        kinds: &'a Kinds,
        classes: impl IntoIterator<Item = (usize, &'c [(usize, u64)])>,
    ) -> Self {
        let donor = |(number, rows): (usize, &[(usize, u64)])| {
            let mut left = KindRows(rows.to_vec());
            left.0.sort_unstable();
            Donor { number, left }
        };
        Donors { problem, budget, kinds, donors: classes.into_iter().map(donor).collect() }
    }

    /// Takes rows until `rest` keeps the policy with them, nothing helps any more, or the time is over; whether it
    /// does, and the rows. The donors keep the policy without them.
    pub(crate) fn take(mut self, mut rest: KindRows) -> (bool, Vec<GivenRows>) {
        let combinations = self.combinations();
        let mut taken: Vec<GivenRows> = Vec::new();
        loop {
            let gap = self.problem.gap(rest.rows());
            if gap == 0 {
                return (true, taken);
            }
            let offer = combinations.iter().find_map(|&combination| self.best_offer(&rest, combination, gap));
            let Some(offer) = offer else { return (false, taken) };
            rest = rest.with(&offer);
            let mut given = offer.chunk_by(|a, b| a.donor == b.donor).peekable();
            for donor in &mut self.donors {
                if let Some(given) = given.next_if(|given| given[0].donor == donor.number) {
                    donor.left = donor.left.without(given.iter().map(|given| (given.sample, given.rows)));
                }
            }
            taken.extend(offer);
        }
    }

    /// The combinations of the rows that may be taken, the most frequent first.
    fn combinations(&self) -> Vec<u32> {
        let combination = |&(sample, rows): &(usize, u64)| (self.combination(sample), rows);
        let entries = self.donors.iter().flat_map(|donor| donor.left.rows());
        let mut rows: Vec<(u32, u64)> = entries.map(combination).collect();
        add_up(&mut rows);
        rows.sort_by_key(|&(combination, rows)| (u64::MAX - rows, combination));
        rows.into_iter().map(|(combination, _)| combination).collect()
    }

    fn combination(&self, sample: usize) -> u32 {
        self.kinds.combination(self.kinds.of(sample))
    }

    /// Rows of one combination that bring the rest nearer to keeping the policy: as many as the gap says if each of them
    /// helps, else fewer, until at least every second one does.
    fn best_offer(&self, rest: &KindRows, combination: u32, gap: u64) -> Option<Vec<GivenRows>> {
        let mut wanted = gap;
        loop {
            let offer = self.offer(combination, wanted);
            let rows: u64 = offer.iter().map(|given| given.rows).sum();
            if rows == 0 {
                return None;
            }
            let left = self.problem.gap(rest.with(&offer).rows());
            if left.saturating_add(rows.div_ceil(2)) <= gap {
                return Some(offer);
            }
            if rows == 1 {
                return None;
            }
            wanted = rows / 2;
        }
    }

    /// At most `wanted` rows of a combination that the donors can spare, donor by donor.
    fn offer(&self, combination: u32, mut wanted: u64) -> Vec<GivenRows> {
        let mut offer = Vec::new();
        for (at, donor) in self.donors.iter().enumerate() {
            if at % LOOK == 0 && self.budget.is_over() {
                return Vec::new();
            }
            let rows = donor.left.rows().iter().filter(|entry| self.combination(entry.0) == combination);
            let owned: Vec<(usize, u64)> = rows.copied().collect();
            let all: u64 = owned.iter().map(|entry| entry.1).sum();
            let mut given = self.can_give(donor, &owned, all.min(wanted));
            wanted -= given;
            for (sample, rows) in owned {
                let rows = rows.min(given);
                given -= rows;
                offer.extend((rows > 0).then_some(GivenRows { donor: donor.number, sample, rows }));
            }
            if wanted == 0 {
                break;
            }
        }
        offer
    }

    /// How many of these rows, at most `most`, a donor can give and keep the policy.
    fn can_give(&self, donor: &Donor, owned: &[(usize, u64)], most: u64) -> u64 {
        let keeps = |mut given: u64| {
            let left = donor.left.without(owned.iter().map(|&(sample, rows)| {
                let gone = rows.min(given);
                given -= gone;
                (sample, gone)
            }));
            !left.rows().is_empty() && self.problem.holds(left.rows())
        };
        if most == 0 || keeps(most) {
            return most;
        }
        // The more rows leave, the nearer a class is to breaking, so the largest number is found by halving.
        let (mut yes, mut no) = (0, most);
        while no - yes > 1 {
            let middle = yes + (no - yes) / 2;
            if keeps(middle) { yes = middle } else { no = middle }
        }
        yes
    }
}
