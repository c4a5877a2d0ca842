//! The learning attack on two-table releases: what one class hides, all classes together teach.
//!
//! D. Kifer, "Attacks on privacy and deFinetti's theorem", SIGMOD 2009. A class of a two-table release says that one of
//! its ℓ people has the illness, and 1/ℓ seems to be all that can be known. But the quasi-identifiers are published as
//! they are, so over many classes an attacker sees that where an old person is, the illness is more often; then within
//! a class the old one is the likelier one.
//!
//! Here: naive Bayes with fractional counts. At first everyone has each value of the class with its share. Then in
//! rounds:
//!
//! 1. From these expected rows learn, for each quasi-identifier, how likely each of its values is for people with each
//!    sensitive value (Laplace's rule: nothing is impossible for not having been seen).
//! 2. For each class, weigh who may have what by it, and scale the weights so that everyone has one value and the
//!    values of the class are used up (`shared/scaling.rs`).
//!
//! It ends when neither the most probable values nor the expected rows change any more, or after a hundred rounds: the
//! larger the classes, the less a round teaches. The truth is looked at only then. No row, no class and no hierarchy is
//! needed that is not published, and no knowledge from elsewhere: it is the least that an attacker can do.

use std::cmp::Reverse;

use incrowd_core::{ColumnSet, Outcome, Partition, Stopped, Watch};
use rayon::prelude::*;

use super::shared::{OriginalAtHand, Sampling, TwoTableClass, TwoTables, part, scale, whole};
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "learning",
    summary: "An attacker who trains a classifier on all classes of a release in two tables predicts the values \
              within a class.",
    needs: AttackNeed::TwoTables,
    bounded_by: None,
    reference: "D. Kifer, Attacks on privacy and deFinetti's theorem, SIGMOD 2009",
    run,
};

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    let OriginalAtHand::Placed(truth) = &material.original else { return Err(AttackNeed::TwoTables.into()) };
    if material.class_column.is_none() {
        return Err(AttackNeed::TwoTables.into());
    }
    let placement = &truth.placement;
    let mut partition = Partition::default();
    placement.members.iter().for_each(|members| partition.push(members.iter().copied()));
    let known: ColumnSet = (0..placement.quasi_identifiers).collect();
    let secrets = placement.quasi_identifiers..placement.table.attributes().len();
    let learnt = |secret: usize| {
        let tables = TwoTables::new(&placement.table, &partition, known, secret, &Sampling::default());
        attack(&tables, &material.watch).map_err(AttackNotRun::from)
    };
    secrets.map(learnt).collect()
}

/// The most rounds of learning.
const ROUNDS: u64 = 100;
/// Beliefs are settled when no more than one row in this many changes its most probable value, and no more than one
/// expected row in this many changes its place.
const SETTLED: u64 = 1_000;
/// Parts of rows that change their place are counted in this part of a row, as whole numbers: their sum is the same in
/// any order.
const PART: f64 = 1e6;
/// What is added to each count that is learnt from.
const LAPLACE: f64 = 1.0;
/// The most pairs of a quasi-identifier's and a sensitive value that are learnt, over all columns.
const PAIRS: usize = 1 << 25;
/// Values are equally probable that differ by no more than this part.
const EQUAL: f64 = 1e-9;

/// What the attacker believes of one class: for each look and each value the expected rows, look after look.
struct Belief<'t> {
    class: &'t TwoTableClass,
    cells: Vec<f64>,
}

/// Runs the attack. The same tables give the same outcome whatever the number of threads.
///
/// ```
/// use incrowd_core::{Attribute, ColumnSet, Dictionary, FrequencyTable, Partition, Role, Watch};
/// use incrowd_risk::attack::{Sampling, TwoTables, learning};
/// let age = Attribute::new("age", Role::QuasiIdentifier, Dictionary::of_texts(["child", "old", "young"]));
/// let illness = Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["cold", "flu", "gout"]));
/// let table = FrequencyTable::from_tuples(vec![age, illness], [([0, 0], 2), ([1, 2], 2), ([2, 1], 2)]);
/// // Of any two people in a class either may have either illness. But gout is where old people are.
/// let mut classes = Partition::default();
/// [[(0, 1), (1, 1)], [(0, 1), (2, 1)], [(1, 1), (2, 1)]].into_iter().for_each(|class| classes.push(class));
/// let tables = TwoTables::new(&table, &classes, ColumnSet::single(0), 1, &Sampling::default());
/// let found = learning::attack(&tables, &Watch::default())?;
/// assert_eq!((found.success, found.baseline), (1.0, 0.5));
/// # Ok::<(), incrowd_core::Stopped>(())
/// ```
pub fn attack(tables: &TwoTables, watch: &Watch) -> Result<Outcome, Stopped> {
    let columns = columns(tables);
    let mut beliefs: Vec<Belief<'_>> = tables.classes.par_iter().map(Belief::new).collect();
    let mut rounds = 0;
    while rounds < ROUNDS {
        if watch.cancel.is_cancelled() {
            return Err(Stopped);
        }
        rounds += 1;
        let learnt: Vec<(usize, Vec<f64>)> =
            columns.par_iter().map(|&column| (column, learn(tables, &beliefs, column))).collect();
        let changes = beliefs.par_iter_mut().map(|belief| belief.update(tables, &learnt));
        let (guesses, parts) = changes.reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        let settled = tables.rows / SETTLED;
        if guesses <= settled && parts as f64 <= settled as f64 * PART {
            break;
        }
    }
    Ok(outcome(tables, &beliefs, rounds, columns.len()))
}

/// The quasi-identifiers to learn from: all, unless they and the sensitive column have so many values that the pairs do
/// not fit. Those with most values are then left out; few rows share a value of theirs, so little would be learnt from
/// them.
fn columns(tables: &TwoTables) -> Vec<usize> {
    let mut columns: Vec<usize> = (0..tables.codes.len()).collect();
    columns.sort_by_key(|&column| tables.codes[column]);
    let mut pairs = 0;
    columns.retain(|&column| {
        pairs += tables.codes[column] * tables.totals.len();
        pairs <= PAIRS
    });
    columns.sort_unstable();
    columns
}

/// For each value of a quasi-identifier and each sensitive value, the logarithm of the first's probability for people
/// with the second.
fn learn(tables: &TwoTables, beliefs: &[Belief<'_>], column: usize) -> Vec<f64> {
    let (width, codes, values) = (tables.codes.len(), tables.codes[column], tables.totals.len());
    let mut counts = vec![LAPLACE; codes * values];
    for Belief { class, cells } in beliefs {
        let looks = class.codes.iter().skip(column).step_by(width);
        for (&code, cells) in looks.zip(cells.chunks_exact(class.values.len())) {
            let counts = &mut counts[code as usize * values..][..values];
            class.values.iter().zip(cells).for_each(|(&value, rows)| counts[value as usize] += rows);
        }
    }
    for counts in counts.chunks_exact_mut(values.max(1)) {
        let totals = tables.totals.iter().map(|&rows| rows as f64 + LAPLACE * codes as f64);
        counts.iter_mut().zip(totals).for_each(|(count, total)| *count = (*count / total).ln());
    }
    counts
}

impl<'t> Belief<'t> {
    /// What the class alone says.
    fn new(class: &'t TwoTableClass) -> Self {
        let all: f64 = class.bag.iter().sum();
        let cells = class.looks.iter().flat_map(|rows| class.bag.iter().map(move |own| rows * own / all));
        Belief { class, cells: cells.collect() }
    }

    /// The beliefs about each look with its number.
    fn looks(&self) -> impl Iterator<Item = &[f64]> {
        self.cells.chunks_exact(self.class.values.len())
    }

    /// Takes in what was learnt from all classes, and says of how many rows another value is the most probable now, and
    /// how many [parts](PART) of rows have another value.
    fn update(&mut self, tables: &TwoTables, learnt: &[(usize, Vec<f64>)]) -> (u64, u64) {
        let (width, values) = (tables.codes.len(), tables.totals.len());
        let class = self.class;
        let before = self.cells.clone();
        for (look, cells) in self.cells.chunks_exact_mut(class.values.len()).enumerate() {
            cells.fill(0.0);
            for (column, learnt) in learnt {
                let learnt = &learnt[class.codes[look * width + column] as usize * values..][..values];
                cells.iter_mut().zip(&class.values).for_each(|(cell, &value)| *cell += learnt[value as usize]);
            }
        }
        scale(&mut self.cells, &class.looks, &class.bag);
        let looks = self.looks().zip(before.chunks_exact(class.values.len())).zip(&class.looks);
        let changed = looks.filter(|((now, before), _)| most(now).0 != most(before).0);
        let guesses = changed.map(|(_, &rows)| whole(rows)).sum();
        let moved: f64 = self.cells.iter().zip(&before).map(|(now, before)| (now - before).abs() / 2.0).sum();
        (guesses, whole(moved * PART))
    }

    /// For each look: how sure the attacker is, how many rows look so, and how many of them the guess is right about.
    /// Of values that are equally probable any is guessed.
    fn score(&self) -> Vec<(f64, f64, f64)> {
        let width = self.class.values.len();
        let scored = self.looks().zip(&self.class.looks).map(|(cells, &rows)| (most(cells).1 / rows, rows, 0.0));
        let mut scored: Vec<(f64, f64, f64)> = scored.collect();
        let equal = |cell: f64, most: f64| cell >= most * (1.0 - EQUAL);
        for &(look, value, rows) in &self.class.truth {
            let cells = &self.cells[look * width..][..width];
            let most = most(cells).1;
            if equal(cells[value], most) {
                scored[look].2 += rows / cells.iter().filter(|&&cell| equal(cell, most)).count() as f64;
            }
        }
        scored
    }
}

/// The first of the most probable values, and its expected rows.
fn most(cells: &[f64]) -> (usize, f64) {
    (0..).zip(cells.iter().copied()).reduce(|a, b| if b.1 > a.1 * (1.0 + EQUAL) { b } else { a }).unwrap_or_default()
}

/// Compares the guesses with the truth.
fn outcome(tables: &TwoTables, beliefs: &[Belief<'_>], rounds: u64, columns: usize) -> Outcome {
    let mut scored: Vec<(f64, f64, f64)> = beliefs.iter().flat_map(Belief::score).collect();
    scored.sort_by_key(|&(sure, ..)| Reverse(whole((sure * 1e9).round())));
    let rows = tables.rows.max(1) as f64;
    let right: f64 = scored.iter().map(|look| look.2).sum();
    let largest = || tables.classes.iter().map(|class| class.bag.iter().copied().fold(0.0, f64::max));
    let shares = largest().zip(&tables.classes).map(|(most, class)| most / class.rows() as f64);
    let baseline = largest().sum::<f64>() / rows;
    let who = if tables.counts_people { "rows" } else { "people" };
    let outcome = Outcome::tried(ENTRY.id, &tables.column, right, baseline, tables.rows)
        .with("top_decile", surest(&scored, rows / 10.0))
        .with("mean_largest_share", shares.sum::<f64>() / tables.classes.len().max(1) as f64)
        .with("rounds", rounds as f64)
        .with("columns", columns as f64);
    let meaning = format!(
        "An attacker who trains a classifier on both tables guesses {} correctly for {} of the {who}; from the class \
         alone, for {}.",
        tables.column,
        part(outcome.success),
        part(baseline)
    );
    Outcome { sampled: tables.sampled, meaning, ..outcome }
}

/// The share of right guesses among a number of rows of which the attacker is surest, which come first. Of those who
/// are equally sure at the border, each counts in part.
fn surest(scored: &[(f64, f64, f64)], rows: f64) -> f64 {
    let (mut room, mut right) = (rows, 0.0);
    for equal in scored.chunk_by(|a, b| (a.0 * 1e9).round() == (b.0 * 1e9).round()) {
        let (own, own_right) = equal.iter().fold((0.0, 0.0), |sum, look| (sum.0 + look.1, sum.1 + look.2));
        let part = (room / own).min(1.0);
        right += part * own_right;
        room -= part * own;
        if room <= 0.0 {
            break;
        }
    }
    if rows > 0.0 { right / rows } else { 0.0 }
}
