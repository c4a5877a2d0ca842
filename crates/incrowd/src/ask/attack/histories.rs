//! The rows of each pseudonym of a release, for the attacker who knows several rows of a person.

use incrowd_core::ColumnSet;
use incrowd_risk::attack::partial_history::PublishedHistories;
use incrowd_verify::{ColumnEntry, Role};

use super::AttackedRelease;
use crate::error::Result;

/// The rows of each pseudonym of the subject; nothing when there are none, or when they cannot be counted.
pub(super) fn histories(target: &AttackedRelease<'_>) -> Result<Option<PublishedHistories>> {
    let is_pseudonym = |column: &&ColumnEntry| {
        column.role == Role::Subject
            && column
                .treatment
                .as_deref()
                .is_some_and(|treatment| ["pseudonym", "pseudonym-digits"].contains(&treatment))
    };
    let subject = target.manifest().columns.iter().find(is_pseudonym);
    let (Some(subject), Some(rows)) = (subject, target.rows()?) else { return Ok(None) };
    let Some(table) = rows.tuples(target.engine, target.quasi.iter().chain([&subject.name]))? else {
        return Ok(None);
    };
    let last = table.attributes().len() - 1;
    let dictionary = &table.attributes()[last].dictionary;
    let mut people: Vec<Vec<u32>> = vec![Vec::new(); dictionary.len()];
    // The table is sorted by the quasi-identifiers: rows that look alike are contiguous.
    for (look, (start, end)) in (0..).zip(table.grouping().runs(ColumnSet::first(last))) {
        for tuple in (start..end).filter(|&tuple| Some(table.code(tuple, last)) != dictionary.missing()) {
            let history = &mut people[table.code(tuple, last) as usize];
            (0..table.count(tuple)).for_each(|_| history.push(look));
        }
    }
    people.retain(|history| !history.is_empty());
    Ok(Some(PublishedHistories::new(people)))
}
