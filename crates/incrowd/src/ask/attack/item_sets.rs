//! The sets of items of a release, for the attacker who knows a few items of a person.

use std::collections::HashMap;

use incrowd_core::Treatment;
use incrowd_risk::attack::known_items::PublishedSets;

use super::AttackedRelease;
use crate::error::Result;

/// The published sets of each column of items, as far as they can be counted.
pub(super) fn item_sets(target: &AttackedRelease<'_>) -> Result<Vec<PublishedSets>> {
    let mut columns = Vec::new();
    let Some(rows) = target.rows()? else { return Ok(columns) };
    for column in &target.manifest().columns {
        let treatment = column.treatment.as_deref().and_then(|text| text.parse().ok());
        let Some(Treatment::Items(items)) = treatment else { continue };
        let Some(table) = rows.tuples(target.engine, [&column.name])? else { continue };
        let Some(attribute) = table.attributes().first() else { continue };
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut number = |label: &str| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            *numbers.entry(label.into()).or_insert(next)
        };
        let mut sets = Vec::with_capacity(table.tuples());
        for tuple in 0..table.tuples() {
            let Some(cell) = attribute.dictionary.text(table.code(tuple, 0)) else { continue };
            sets.push((items.items(&cell).into_iter().map(&mut number).collect(), table.count(tuple)));
        }
        columns.push(PublishedSets::new(&column.name, items.known as usize, sets));
    }
    Ok(columns)
}
