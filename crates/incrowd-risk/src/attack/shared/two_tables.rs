//! A two-table release as its reader sees it, and the truth to score guesses with.
//!
//! The first table has the quasi-identifiers of each row and its class, the second has the sensitive values of each
//! class. Rows of a class that are equal in the first table cannot be distinguished; they are held once, with
//! their number.

use std::borrow::Cow;

use incrowd_core::{ColumnSet, FrequencyTable, Partition};

use super::draw::mixed;
use super::words::whole;

/// How much of a release is attacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// The most rows.
    pub rows: u64,
    /// The most cells: for each class, its rows that look different times its different sensitive values.
    pub cells: u64,
    /// Which classes are drawn when there are more.
    pub seed: u64,
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling { rows: 1_000_000, cells: 20_000_000, seed: 1 }
    }
}

/// The two tables, or a sample of their classes.
#[derive(Clone, Debug)]
pub struct TwoTables {
    /// The name of the sensitive column.
    pub(in crate::attack) column: String,
    /// Whether a person may have several rows.
    pub(in crate::attack) counts_people: bool,
    /// How many different codes each quasi-identifier has; codes are smaller.
    pub(in crate::attack) codes: Vec<usize>,
    /// How many rows have each sensitive value; known from the second table.
    pub(in crate::attack) totals: Vec<u64>,
    pub(in crate::attack) classes: Vec<TwoTableClass>,
    pub(in crate::attack) rows: u64,
    /// The share of the published rows that are here.
    pub(in crate::attack) sampled: f64,
}

/// What the two tables say about one class, and who has what.
#[derive(Clone, Debug, Default)]
pub(in crate::attack) struct TwoTableClass {
    /// The quasi-identifiers of rows that look different, one after the other.
    pub(in crate::attack) codes: Vec<u32>,
    /// How many rows look like each of them.
    pub(in crate::attack) looks: Vec<f64>,
    /// The sensitive values.
    pub(in crate::attack) values: Vec<u32>,
    /// How many rows of the class have each of them.
    pub(in crate::attack) bag: Vec<f64>,
    /// The truth: how many of the rows that look like this have the value at this place of the bag. For scoring only.
    pub(in crate::attack) truth: Vec<(usize, usize, f64)>,
}

impl TwoTables {
    /// What is published of a partition when its classes are told apart by an id. Beyond the limits whole classes are
    /// drawn at random; the one that no longer fits is thinned.
    pub fn new(
        table: &FrequencyTable,
        partition: &Partition,
        quasi_identifiers: ColumnSet,
        sensitive: usize,
        sampling: &Sampling,
    ) -> Self {
        let quasi: Vec<usize> = quasi_identifiers.iter().collect();
        let mut order: Vec<usize> = (0..partition.len()).collect();
        order.sort_by_cached_key(|&class| mixed(sampling.seed ^ mixed(class as u64)));
        let (mut classes, mut rows, mut cells) = (Vec::new(), sampling.rows, sampling.cells);
        for at in order {
            let members = partition.class(at);
            let take = |most: u64| TwoTableClass::new(table, &thinned(members, most, sampling.seed), &quasi, sensitive);
            let mut class = take(rows);
            if class.cells() > cells {
                // No more rows look different than there are.
                class = take(cells / class.values.len() as u64);
            }
            (rows, cells) = (rows - class.rows(), cells - class.cells());
            let whole = class.rows() == rows_of(members);
            classes.push(class);
            if !whole {
                break;
            }
        }
        let rows = sampling.rows - rows;
        classes.retain(|class| !class.looks.is_empty());
        let codes = quasi.iter().enumerate().map(|(place, &column)| {
            let all = classes.iter_mut().flat_map(|class| class.codes.iter_mut().skip(place).step_by(quasi.len()));
            renumber(all, table.attributes()[column].dictionary.len())
        });
        let codes: Vec<usize> = codes.collect();
        let values = classes.iter_mut().flat_map(|class| class.values.iter_mut());
        let mut totals = vec![0; renumber(values, table.attributes()[sensitive].dictionary.len())];
        for class in &classes {
            class.values.iter().zip(&class.bag).for_each(|(&value, &rows)| totals[value as usize] += whole(rows));
        }
        TwoTables {
            column: table.attributes()[sensitive].name.clone(),
            counts_people: table.counts_people(),
            codes,
            totals,
            classes,
            rows,
            sampled: if partition.rows() == 0 { 1.0 } else { rows as f64 / partition.rows() as f64 },
        }
    }
}

impl TwoTableClass {
    fn new(table: &FrequencyTable, members: &[(usize, u64)], quasi: &[usize], sensitive: usize) -> Self {
        let width = quasi.len();
        let codes: Vec<u32> =
            members.iter().flat_map(|member| quasi.iter().map(|&column| table.code(member.0, column))).collect();
        let look = |at: usize| &codes[at * width..(at + 1) * width];
        let mut order: Vec<usize> = (0..members.len()).filter(|&at| members[at].1 > 0).collect();
        order.sort_by(|&a, &b| look(a).cmp(look(b)));
        let mut values: Vec<u32> = order.iter().map(|&at| table.code(members[at].0, sensitive)).collect();
        values.sort_unstable();
        values.dedup();
        let mut class = TwoTableClass { bag: vec![0.0; values.len()], values, ..TwoTableClass::default() };
        for alike in order.chunk_by(|&a, &b| look(a) == look(b)) {
            let mut rows = 0.0;
            for &at in alike {
                let (tuple, own) = members[at];
                let value = class.values.partition_point(|&value| value < table.code(tuple, sensitive));
                class.truth.push((class.looks.len(), value, own as f64));
                class.bag[value] += own as f64;
                rows += own as f64;
            }
            class.looks.push(rows);
            class.codes.extend(look(alike[0]));
        }
        class
    }

    pub(in crate::attack) fn rows(&self) -> u64 {
        whole(self.looks.iter().sum())
    }

    /// How many pairs of a look and a value there are.
    fn cells(&self) -> u64 {
        (self.looks.len() * self.values.len()) as u64
    }
}

fn rows_of(members: &[(usize, u64)]) -> u64 {
    members.iter().map(|&(_, rows)| rows).sum()
}

/// At most `most` rows of the members, evenly from all of them.
fn thinned(members: &[(usize, u64)], most: u64, seed: u64) -> Cow<'_, [(usize, u64)]> {
    let all = rows_of(members);
    if all <= most {
        return Cow::Borrowed(members);
    }
    let (all, most) = (u128::from(all), u128::from(most));
    let start = u128::from(mixed(seed)) % all;
    let mut before = 0;
    let mut taken = |rows: u64| {
        let until = |rows: u128| (rows * most + start) / all;
        let from = until(before);
        before += u128::from(rows);
        u64::try_from(until(before) - from).unwrap_or(u64::MAX)
    };
    members.iter().map(|&(tuple, rows)| (tuple, taken(rows))).filter(|&(_, rows)| rows > 0).collect()
}

/// Numbers the codes that occur from 0 on, in their order, and says how many there are.
fn renumber<'a>(codes: impl Iterator<Item = &'a mut u32>, all: usize) -> usize {
    let codes: Vec<&mut u32> = codes.collect();
    let mut numbers = vec![0; all];
    codes.iter().for_each(|code| numbers[**code as usize] = 1);
    let mut next = 0;
    for number in numbers.iter_mut().filter(|number| **number == 1) {
        *number = next;
        next += 1;
    }
    codes.into_iter().for_each(|code| *code = numbers[*code as usize]);
    next as usize
}
