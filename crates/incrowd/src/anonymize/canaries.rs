//! A sample of values that must not be found in the written bytes.
//!
//! Values of columns that are removed, blanked, masked or published as pseudonyms, the keys of pseudonyms and of what is
//! drawn, and values of quasi-identifiers and items of sets that the release publishes only as part of something coarser.
//! Short texts and short numbers are left out: they occur by chance.

use std::collections::BTreeSet;

use incrowd_core::{Attribute, Cell, QuasiIdentifier, Role, Treatment, ValueGroups, Values};
use incrowd_engine::{Engine, Source};

use super::columns::{ColumnGroups, Columns};
use super::randomness::Randomness;
use crate::error::Result;
use crate::release::keys::hex;

/// The most values of a column that are searched for.
const MOST: usize = 500;
/// The rows from whose removed columns they are taken.
const ROWS: usize = 2_000;
/// A text shorter than this may stand anywhere.
const SHORTEST: usize = 6;
/// A number with fewer digits too.
const FEWEST_DIGITS: usize = 9;

/// Chooses the values to search for, given the cells that are published of each quasi-identifier.
pub(super) fn choose(
    engine: &Engine,
    source: &Source,
    (columns, randomness, groups): (&Columns, &Randomness, &ColumnGroups),
    attributes: &[Attribute],
    quasi: &[QuasiIdentifier],
    cells: impl Fn(usize) -> Vec<Cell>,
) -> Result<Vec<Vec<u8>>> {
    let mut canaries: BTreeSet<String> = BTreeSet::new();
    let plain = source.plain_columns();
    let removed = columns.of(Role::Identifier).into_iter().chain(columns.of(Role::Subject));
    let hidden = |treatment: &Treatment| matches!(treatment, Treatment::Blank | Treatment::Mask { .. });
    let mut removed: Vec<String> = removed.chain(columns.treated(hidden)).filter(|name| plain.contains(name)).collect();
    removed.sort_unstable();
    removed.dedup();
    if !removed.is_empty() {
        for profile in source.profile_head(engine, &removed, ROWS)? {
            let labels = (0..).take(profile.dictionary.len()).map(|code| profile.dictionary.label(code).into_owned());
            canaries.extend(labels.filter(|label| is_telling(label)).take(MOST));
        }
    }
    let mut published = String::new();
    for groups in groups.values() {
        let ValueGroups::Items(items) = &**groups else { continue };
        items.labels().values().for_each(|label| published.extend([label, "\n"]));
        let hidden = items.labels().iter().filter(|(item, label)| item != label && is_telling(item));
        canaries.extend(hidden.map(|(item, _)| item.clone()).take(MOST));
    }
    for (at, quasi) in quasi.iter().enumerate() {
        let mut cells = cells(at);
        cells.sort_unstable();
        cells.dedup();
        cells.iter().for_each(|&cell| published.extend([quasi.domain.render(cell).as_ref(), "\n"]));
        let dictionary = &attributes[quasi.column].dictionary;
        if !matches!(dictionary.values(), Values::Texts(_) | Values::Dates(_)) {
            continue;
        }
        let hidden = |&code: &u32| cells.binary_search(&quasi.domain.leaf(quasi.leaves[code as usize])).is_err();
        let codes = (0..).take(dictionary.values().len()).filter(hidden);
        let labels = codes.map(|code| dictionary.label(code).into_owned()).filter(|label| is_telling(label));
        canaries.extend(labels.take(MOST));
    }
    let keyed = columns.treated(Treatment::has_key);
    let keys = keyed.iter().filter_map(|column| columns.treatment_key(column, randomness));
    let keys = keys.flat_map(|key| [hex(&key).into_bytes(), key.to_vec()]);
    // A hidden value may be part of a published label: `1965` of `[1965, 1970)`.
    let values = canaries.into_iter().filter(|canary| !published.contains(canary)).map(String::into_bytes);
    Ok(values.chain(keys).collect())
}

fn is_telling(label: &str) -> bool {
    let digits = label.bytes().filter(u8::is_ascii_digit).count();
    label.len() >= SHORTEST && (digits < label.len() || digits >= FEWEST_DIGITS)
}
