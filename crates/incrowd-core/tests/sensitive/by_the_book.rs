//! The definitions, literally, on rows of codes. Whole numbers wherever the definition allows.

use std::collections::{BTreeMap, BTreeSet};

use incrowd_core::{FrequencyTable, Parameter};

use crate::case::{Ask, MISSING, VALUES};
use crate::transport::least_work;

/// The rows of each value of an attribute.
pub(crate) type Counts = BTreeMap<u32, u64>;

pub(crate) fn counts(table: &FrequencyTable, members: &[(usize, u64)], attribute: usize) -> Counts {
    let mut counts = Counts::new();
    members.iter().for_each(|&(tuple, rows)| *counts.entry(table.code(tuple, attribute)).or_default() += rows);
    counts
}

/// The people of each value of an attribute: everybody once for each value they have.
pub(crate) fn people(table: &FrequencyTable, members: &[(usize, u64)], attribute: usize) -> Counts {
    let who = |&(tuple, _): &(usize, u64)| (table.code(tuple, attribute), table.grouping().person(tuple).unwrap());
    let pairs: BTreeSet<(u32, u64)> = members.iter().map(who).collect();
    let mut counts = Counts::new();
    pairs.iter().for_each(|(code, _)| *counts.entry(*code).or_default() += 1);
    counts
}

/// Whether a class keeps a model beside the whole; nothing when only rounding could tell.
pub(crate) fn keeps(ask: &Ask, table: &FrequencyTable, class: &[(usize, u64)], whole: &[(usize, u64)]) -> Option<bool> {
    let mut all = ask.sensitive.iter().map(|&at| keeps_one(ask, &counts(table, class, at), &counts(table, whole, at)));
    all.try_fold(true, |all, one| Some(all & one?))
}

pub(crate) fn keeps_one(ask: &Ask, class: &Counts, whole: &Counts) -> Option<bool> {
    let rows: u64 = class.values().sum();
    let of = |code: u32| class.get(&code).copied().unwrap_or(0);
    let all: u64 = whole.values().sum();
    // Each value as (its share in the class, its share in the whole).
    let shares = whole.iter().map(|(&code, &other)| (of(code) as f64 / rows as f64, other as f64 / all as f64));
    let clear = |a: f64, b: f64| (a - b).abs() > 1e-9;
    Some(match ask.model {
        "p-sensitive" => class.len() as u64 >= ask.ratio("p").0,
        "distinct-l-diversity" => class.len() as u64 >= ask.ratio("l").0,
        "extended-p-sensitive" => {
            let Some(Parameter::Lists(groups)) = ask.get("groups") else { panic!("groups") };
            let strong = |&code: &u32| {
                let value = if code == MISSING { "none".into() } else { VALUES[code as usize].to_string() };
                groups.iter().position(|group| group.contains(&value)).ok_or(value)
            };
            class.keys().map(strong).collect::<BTreeSet<_>>().len() as u64 >= ask.ratio("p").0
        }
        "frequency-l-diversity" => {
            let (above, below) = ask.ratio("l");
            class.values().all(|&own| own * above <= rows * below)
        }
        "entropy-l-diversity" => {
            // −Σ r/n·ln(r/n) ≥ ln(a/b) is n^n·b^n ≥ a^n·Π r^r.
            let (above, below) = ask.ratio("l");
            let power = |base: u64, times: u64| u128::from(base).checked_pow(times as u32);
            let left = power(rows, rows)?.checked_mul(power(below, rows)?)?;
            let right = class.values().try_fold(power(above, rows)?, |all, &own| all.checked_mul(power(own, own)?))?;
            left >= right
        }
        "recursive-c-l-diversity" => {
            let mut sorted: Vec<u64> = class.values().copied().collect();
            sorted.sort_by_key(|&own| u64::MAX - own);
            let (above, below) = ask.ratio("c");
            let tail: u64 = sorted.iter().skip(ask.ratio("l").0 as usize - 1).sum();
            sorted[0] * below < above * tail
        }
        "t-closeness" => {
            let codes: Vec<u32> = ordered(ask, whole);
            let from: Vec<u64> = codes.iter().map(|&code| of(code) * all).collect();
            let to: Vec<u64> = codes.iter().map(|code| whole[code] * rows).collect();
            let (apart, farthest) = apart(ask, &codes);
            let (above, below) = ask.ratio("t");
            least_work(&from, &to, apart) * below <= above * farthest * rows * all
        }
        "beta-likeness" => {
            let (above, below) = ask.ratio("beta");
            let enhanced = ask.get("rule") == Some(Parameter::Text("enhanced".into()));
            let exact = |(&code, &other): (&u32, &u64)| of(code) * all * below <= (above + below) * other * rows;
            let logarithm = |(own, other): (f64, f64)| {
                let gain = own / other - 1.0;
                (other == 1.0 || clear(gain, -other.ln())).then_some(gain <= -other.ln())
            };
            let mut within = whole.iter().all(exact);
            for share in shares.filter(|_| enhanced) {
                within &= logarithm(share)?;
            }
            within
        }
        "delta-disclosure" => {
            let (above, below) = ask.ratio("delta");
            let mut within = true;
            for (own, other) in shares {
                let ratio = (own / other).ln().abs();
                within &= clear(ratio, above as f64 / below as f64).then_some(ratio < above as f64 / below as f64)?;
            }
            within
        }
        other => panic!("no definition of {other}"),
    })
}

/// The values of the whole, in the order that is given or that they have.
fn ordered(ask: &Ask, whole: &Counts) -> Vec<u32> {
    let mut codes: Vec<u32> = whole.keys().copied().collect();
    if let Some(Parameter::List(order)) = ask.get("order") {
        let place = |&code: &u32| match code {
            MISSING => order.len(),
            code => order.iter().position(|value| *value == VALUES[code as usize].to_string()).unwrap(),
        };
        codes.sort_by_key(place);
    }
    codes
}

/// How far apart two of these values are, and what counts as 1.
fn apart(ask: &Ask, codes: &[u32]) -> (Box<dyn Fn(usize, usize) -> u64>, u64) {
    match ask.get("distance") {
        Some(Parameter::Text(word)) if word == "ordered" => {
            (Box::new(|a: usize, b: usize| a.abs_diff(b) as u64), (codes.len() as u64 - 1).max(1))
        }
        Some(Parameter::Text(word)) if word == "hierarchical" => {
            let Some(Parameter::Lists(paths)) = ask.get("tree") else { panic!("a tree") };
            let height = paths[0].len() - 1;
            let paths: Vec<Option<Vec<String>>> = codes.iter().map(|&code| paths.get(code as usize).cloned()).collect();
            let apart = move |a: usize, b: usize| match (&paths[a], &paths[b]) {
                _ if a == b => 0,
                (Some(a), Some(b)) => (0..=height).find(|&level| a[level] == b[level]).unwrap() as u64,
                _ => height as u64,
            };
            (Box::new(apart), height as u64)
        }
        _ => (Box::new(|a: usize, b: usize| u64::from(a != b)), 1),
    }
}
