//! What pseudonyms link: how many of them have the same rows.
//!
//! k-anonymity is about one row of a person. A pseudonym joins all rows that have it, and an attacker who knows several rows
//! of a person finds the pseudonyms with all of them. So the staged rows are counted again: two pseudonyms look alike when
//! they have the same multiset of published quasi-identifiers, and at least k have to look alike. A release in which fewer
//! do is refused, unless the column was named as one that may single out people; then it is a finding. Rows without a
//! pseudonym are linked to nothing.

use std::collections::HashMap;

use incrowd_core::{Finding, FrequencyTable, Treatment, codes, counted, thousands};

use super::prepare::Prepared;
use crate::error::{Error, Result};
use crate::exposure::PublishedRows;

/// Counts the pseudonyms of each column that look alike; refuses those of which fewer than k do.
pub(super) fn measure(run: &Prepared<'_>, rows: &PublishedRows) -> Result<Vec<Finding>> {
    let (k, quasi) = (run.options.policy.k().max(2), &run.options.declared.quasi_identifiers);
    let (mut findings, mut columns, mut facts) = (Vec::new(), Vec::new(), Vec::new());
    for column in run.columns.treated(Treatment::is_pseudonym) {
        let counted = rows.tuples(run.engine, [&column].into_iter().chain(quasi))?;
        let fact = match counted.as_ref().map(alike) {
            Some(alike) if alike.smallest >= k || alike.smallest == 0 => continue,
            Some(alike) => alike.fact(&column, k),
            None => format!("the rows of each pseudonym of “{column}” cannot be counted"),
        };
        if run.options.keep_identifying.contains(&column) {
            findings.push(Finding::new(&codes::PSEUDONYM_SINGLES_OUT, fact).about([column.as_str()]));
        } else {
            columns.push(column);
            facts.push(fact);
        }
    }
    if columns.is_empty() { Ok(findings) } else { Err(Error::LinkedRows { columns, facts }) }
}

/// How many pseudonyms look alike.
#[derive(Debug, PartialEq, Eq)]
struct AlikePseudonyms {
    /// The fewest that look alike; 0 if there are none.
    smallest: u64,
    /// How many look like no other.
    alone: u64,
    /// All of them.
    total: u64,
}

impl AlikePseudonyms {
    fn fact(&self, column: &str, k: u64) -> String {
        let AlikePseudonyms { smallest, alone, total } = self;
        format!(
            "{} of {} of “{column}” are unique by all of their rows together, and the smallest group of pseudonyms with \
             the same rows has {smallest}, fewer than {k}",
            thousands(*alone),
            counted(*total, "pseudonym", "pseudonyms"),
        )
    }
}

/// Counts the pseudonyms with the same rows in a table whose first column holds the pseudonyms.
fn alike(table: &FrequencyTable) -> AlikePseudonyms {
    let width = table.attributes().len();
    let mut rows_of: HashMap<u32, Vec<(Vec<u32>, u64)>> = HashMap::new();
    let missing = table.attributes().first().and_then(|attribute| attribute.dictionary.missing());
    for tuple in 0..table.tuples() {
        let pseudonym = table.code(tuple, 0);
        if Some(pseudonym) != missing {
            let class = (1..width).map(|column| table.code(tuple, column)).collect();
            rows_of.entry(pseudonym).or_default().push((class, table.count(tuple)));
        }
    }
    let total = rows_of.len() as u64;
    let mut groups: HashMap<Vec<(Vec<u32>, u64)>, u64> = HashMap::new();
    for mut rows in rows_of.into_values() {
        rows.sort_unstable();
        *groups.entry(rows).or_default() += 1;
    }
    let alone = groups.values().filter(|&&pseudonyms| pseudonyms == 1).count() as u64;
    AlikePseudonyms { smallest: groups.values().copied().min().unwrap_or(0), alone, total }
}
