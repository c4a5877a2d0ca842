//! Which classes of a release fit each person of the original, so that people can be placed ([`Placement`]).

use std::borrow::Cow;
use std::collections::BTreeMap;

use incrowd_core::query::CellColumn;
use incrowd_core::{Dictionary, FrequencyTable};
use incrowd_engine::{Question, Source};
use incrowd_risk::attack::{Placement, Published, PublishedClass};

use super::AttackedRelease;
use crate::error::Result;

/// Originals of more distinct rows are not placed.
pub(super) const MOST_TUPLES: usize = 1_000_000;

/// Places the rows of the original. Nothing when a sensitive value of the release is none of the original, or when
/// there are too many rows to place in a minute.
pub(super) fn placement(target: &AttackedRelease<'_>, original: &Source) -> Result<Option<Placement>> {
    let question = Question {
        quasi_identifiers: target.quasi.clone(),
        sensitive: target.sensitive.clone(),
        ..Question::default()
    };
    let table = original.count(target.engine, &question)?.into_table(target.engine)?;
    if table.tuples() > MOST_TUPLES {
        return Ok(None);
    }
    let Some(published) = recoded(target, &table) else { return Ok(None) };
    let candidates: Vec<Vec<u32>> = match target.view.looks(&target.names(&target.quasi)) {
        Some(looks) => by_look(target, &table, &looks),
        None => {
            let fitting = target.fitting(&published, &table);
            (0..table.tuples()).map(|tuple| fitting.of_tuple(&table, tuple)).collect()
        }
    };
    Ok(Some(Placement::new(table, target.quasi.len(), published, &candidates)))
}

/// The release with sensitive values by the original's codes.
fn recoded(target: &AttackedRelease<'_>, table: &FrequencyTable) -> Option<Published> {
    let translations: Option<Vec<Vec<u32>>> = target
        .sensitive
        .iter()
        .map(|name| {
            let dictionary = &table.attributes()[table.position(name)?].dictionary;
            let codes = codes_of(dictionary);
            let leaves = target.view.cells(name)?.leaves();
            leaves.iter().map(|leaf| codes.get(&leaf.label().map(Into::into)).copied()).collect()
        })
        .collect();
    let translations = translations?;
    let classes = target.published.classes().iter().map(|class| {
        let bag = |(bag, codes): (&Vec<(u32, u64)>, &Vec<u32>)| {
            let mut bag: Vec<(u32, u64)> = bag.iter().map(|&(code, rows)| (codes[code as usize], rows)).collect();
            bag.sort_unstable();
            bag
        };
        PublishedClass { bags: class.bags.iter().zip(&translations).map(bag).collect(), ..class.clone() }
    });
    Some(Published::new(target.sensitive.clone(), classes.collect()))
}

/// The codes of a dictionary by label; nothing is the missing value.
fn codes_of(dictionary: &Dictionary) -> BTreeMap<Option<String>, u32> {
    let label = |code: u32| dictionary.text(code).map(Cow::into_owned);
    (0..).take(dictionary.len()).map(|code| (label(code), code)).collect()
}

/// In two tables a person fits the classes that have a person who looks the same.
fn by_look(
    target: &AttackedRelease<'_>,
    table: &FrequencyTable,
    looks: &BTreeMap<Vec<u32>, Vec<u32>>,
) -> Vec<Vec<u32>> {
    let codes: Vec<Vec<Option<u32>>> = (0..target.quasi.len())
        .map(|at| {
            let dictionary = &table.attributes()[at].dictionary;
            let leaves = target.view.cells(&target.quasi[at]).map(CellColumn::leaves).unwrap_or_default();
            let known: BTreeMap<Option<String>, u32> =
                leaves.iter().zip(0..).map(|(leaf, code)| (leaf.label().map(Into::into), code)).collect();
            let label = |code: u32| dictionary.text(code).map(Cow::into_owned);
            (0..).take(dictionary.len()).map(|code| known.get(&label(code)).copied()).collect()
        })
        .collect();
    let look = |tuple: usize| -> Option<Vec<u32>> {
        (0..codes.len()).map(|at| codes[at][table.code(tuple, at) as usize]).collect()
    };
    (0..table.tuples())
        .map(|tuple| look(tuple).and_then(|look| looks.get(&look)).cloned().unwrap_or_default())
        .collect()
}
