//! Does an order join the two tables, or give the class ids away?
//!
//! A class hides who has which value only as long as nothing else ties the rows of the two tables together. Rows in one
//! order do (the tables printed in the paper on the lossy join are an example), and so do class ids that follow the
//! original to a person who knows its order. Each question is answered by [`Chance`]; what cannot be told is noted.

use super::chance::{Chance, ChanceAnswer, ranks};
use crate::read::ColumnTexts;
use crate::verdict::{Fault, FaultKind, Verdict};

const NOT_FOUND: &str = "no order of rows or class numbers that links the two tables was found; this is not a proof";

/// All questions that are asked of a release, the quasi-identifiers not counted: 3 of both tables together, for each
/// table 2 of neighbours, 1 of ids along it, 1 of first appearances, 3 of the original's order; 2 of ids and the
/// original.
const QUESTIONS: usize = 3 + 2 * (2 + 1 + 1 + 3) + 2;

/// The questions asked so far.
pub(super) struct OrderSearch {
    chance: Chance,
    /// What was found, in words, and what kind of fault it is.
    found: Vec<(FaultKind, String)>,
    /// What cannot be told.
    untold: Vec<String>,
    /// How many questions had the answer no.
    unfound: usize,
}

impl OrderSearch {
    /// Nothing asked yet of a release with this number of quasi-identifiers.
    pub(super) fn new(quasi_identifiers: usize) -> OrderSearch {
        let chance = Chance::of(QUESTIONS + quasi_identifiers);
        OrderSearch { chance, found: Vec::new(), untold: Vec::new(), unfound: 0 }
    }

    /// Takes note of an answer. Several questions may look for one thing.
    fn ask(&mut self, kind: FaultKind, what: &str, answer: impl FnOnce(Chance) -> ChanceAnswer) {
        match answer(self.chance) {
            ChanceAnswer::No => self.unfound += 1,
            ChanceAnswer::TooSmall if self.untold.iter().any(|told| told == what) => {}
            ChanceAnswer::TooSmall => self.untold.push(what.to_string()),
            ChanceAnswer::Yes if self.found.iter().any(|(_, found)| found == what) => {}
            ChanceAnswer::Yes => self.found.push((kind, what.to_string())),
        }
    }

    /// Says what was found, and what was not.
    pub(super) fn tell(self, verdict: &mut Verdict) {
        let OrderSearch { found, mut untold, unfound, .. } = self;
        // One question may have found what another could not tell.
        untold.retain(|what| !found.iter().any(|(_, found)| found == what));
        if found.is_empty() && unfound > 0 && !verdict.notes.iter().any(|note| note == NOT_FOUND) {
            verdict.notes.push(NOT_FOUND.to_string());
        }
        if !untold.is_empty() {
            // All of them would be a page that no one reads.
            let more = match untold.len() - 1 {
                0 => String::new(),
                1 => " (and 1 other test)".into(),
                more => format!(" (and {more} other tests)"),
            };
            verdict.notes.push(format!("the release is too small to test whether {}{more}", untold[0]));
        }
        let fault = |(kind, what)| Fault::new(kind, format!("{what}, more than by chance"));
        verdict.faults.extend(found.into_iter().map(fault));
    }
}

/// The class ids of both tables, row by row, from 0.
pub(super) struct ClassIds {
    pub(super) first: Vec<u32>,
    pub(super) second: Vec<u32>,
    pub(super) classes: usize,
}

impl ClassIds {
    /// Asks what can be asked of the ids of both tables alone.
    pub(super) fn search(&self, names: [&str; 2], search: &mut OrderSearch) {
        let ClassIds { first, second, .. } = self;
        let together = "the two tables are in the same order";
        search.ask(FaultKind::RowOrder, together, |chance| chance.agree(first, second.iter().copied()));
        let opposite = "the two tables are in opposite orders";
        search.ask(FaultKind::RowOrder, opposite, |chance| chance.agree(first, second.iter().rev().copied()));
        let places = self.means(second, |row| row as f64);
        let alike = "the classes are in the same order, or in opposite orders, in the two tables";
        let theirs: Vec<f64> = first.iter().map(|id| places[*id as usize]).collect();
        search.ask(FaultKind::RowOrder, alike, |chance| chance.follows(&up_to(first.len()), &ranks(&theirs)));
        for (ids, name) in [(first, names[0]), (second, names[1])] {
            for at in 0..2 {
                let what = format!("rows of one class are next to each other in {name}");
                search.ask(FaultKind::RowOrder, &what, |chance| chance.neighbours(ids)[at]);
            }
            let what = format!("{name} is sorted by class number");
            search.ask(FaultKind::RowOrder, &what, |chance| chance.follows(&up_to(ids.len()), ids));
            let mut firsts = vec![f64::MAX; self.classes];
            ids.iter().enumerate().rev().for_each(|(row, id)| firsts[*id as usize] = row as f64);
            self.search_ids(
                &firsts,
                &format!("class numbers follow the order in which classes first occur in {name}"),
                search,
            );
        }
    }

    /// Asks whether the ids follow a quasi-identifier, given what each row of the first table has of it.
    pub(super) fn search_column(
        &self,
        name: &str,
        texts: &ColumnTexts,
        codes: impl Fn(usize) -> u32,
        search: &mut OrderSearch,
    ) {
        let places = places(texts);
        let means = self.means(&self.first, |row| f64::from(places[codes(row) as usize]));
        self.search_ids(&means, &format!("class numbers follow the quasi-identifier {name}"), search);
    }

    /// Asks whether ids or rows follow the original, given for each table the row's combination of values, and the same
    /// for the original. Rows that are not of the original are passed over: they were told.
    pub(super) fn search_original(
        &self,
        names: [&str; 2],
        tables: [&[u32]; 2],
        originals: [&[u32]; 2],
        search: &mut OrderSearch,
    ) {
        for ((name, table), original) in names.into_iter().zip(tables).zip(originals) {
            let places = OriginalPlaces::new(original);
            let means: Vec<f64> = table.iter().filter_map(|value| places.mean(*value)).collect();
            let what = format!("{name} is in the order of the original");
            let ask = FaultKind::RowOrder;
            search.ask(ask, &what, |chance| chance.follows(&up_to(means.len()), &ranks(&means)));
            search.ask(ask, &what, |chance| chance.remains(table, original.iter().copied()));
            search.ask(ask, &what, |chance| chance.remains(table, original.iter().rev().copied()));
        }
        let places = OriginalPlaces::new(originals[0]);
        let what = "class numbers follow the order of the original";
        let means = self.means(&self.first, |row| places.mean(tables[0][row]).unwrap_or_default());
        self.search_ids(&means, what, search);
        let mut firsts = vec![f64::MAX; self.classes];
        for (id, value) in self.first.iter().zip(tables[0]) {
            if let Some(place) = places.first(*value) {
                firsts[*id as usize] = firsts[*id as usize].min(place);
            }
        }
        self.search_ids(&firsts, what, search);
    }

    /// Asks whether ids follow a figure that each class has.
    fn search_ids(&self, figures: &[f64], what: &str, search: &mut OrderSearch) {
        search.ask(FaultKind::IdOrder, what, |chance| chance.follows(&ranks(figures), &up_to(self.classes)));
    }

    /// The mean over the rows of each class.
    fn means(&self, ids: &[u32], of_row: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sums = vec![(0.0, 0u64); self.classes];
        for (row, id) in ids.iter().enumerate() {
            let (sum, rows) = &mut sums[*id as usize];
            *sum += of_row(row);
            *rows += 1;
        }
        sums.into_iter().map(|(sum, rows)| sum / rows.max(1) as f64).collect()
    }
}

/// Where each combination of values stands in the original.
struct OriginalPlaces {
    /// The sum of its places, how many they are, and the first.
    of: Vec<(f64, u64, f64)>,
}

impl OriginalPlaces {
    fn new(original: &[u32]) -> OriginalPlaces {
        let mut of = vec![(0.0, 0, f64::MAX); original.iter().max().map_or(0, |most| *most as usize + 1)];
        for (row, value) in original.iter().enumerate() {
            let (sum, rows, first) = &mut of[*value as usize];
            (*sum, *rows, *first) = (*sum + row as f64, *rows + 1, first.min(row as f64));
        }
        OriginalPlaces { of }
    }

    fn mean(&self, value: u32) -> Option<f64> {
        self.of.get(value as usize).filter(|place| place.1 > 0).map(|(sum, rows, _)| sum / *rows as f64)
    }

    fn first(&self, value: u32) -> Option<f64> {
        self.of.get(value as usize).filter(|place| place.1 > 0).map(|place| place.2)
    }
}

fn up_to(count: usize) -> Vec<u32> {
    (0..).take(count).collect()
}

/// The place of each code in the order of numbers, or of texts when not all are numbers; the missing value is the
/// first.
fn places(texts: &ColumnTexts) -> Vec<u32> {
    let labels = texts.labels();
    let numbers: Option<Vec<f64>> = labels[1..]
        .iter()
        .map(|label| label.as_ref().and_then(|text| text.parse().ok()).filter(|number: &f64| number.is_finite()))
        .collect();
    let order = match numbers {
        Some(numbers) => numbers,
        None => {
            let mut sorted: Vec<usize> = (1..labels.len()).collect();
            sorted.sort_unstable_by(|a, b| labels[*a].cmp(&labels[*b]));
            let mut order = vec![0.0; labels.len() - 1];
            sorted.iter().enumerate().for_each(|(place, code)| order[code - 1] = place as f64);
            order
        }
    };
    std::iter::once(0).chain(ranks(&order).into_iter().map(|rank| rank + 1)).collect()
}

#[cfg(test)]
mod tests;
