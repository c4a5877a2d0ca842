//! What pseudonyms link: how many of them have the same rows.
//!
//! k-anonymity is about one row of a person. A pseudonym joins all rows that have it, and an attacker who knows several rows
//! of a person finds the pseudonyms with all of them. So the staged rows are counted again: at least k pseudonyms have to
//! have the same rows, as [`AlikePeople`] defines it. For pseudonyms of the subject this is about as many rows as the policy
//! says that an attacker knows; otherwise it is about all rows. A release in which fewer are alike is refused, unless the
//! column was named as one that may single out people; then it is a finding. Rows without a pseudonym are linked to
//! nothing.
//!
//! A policy about known rows needs pseudonyms of the subject: without them nobody sees which rows are of one person, and an
//! attacker can use one known row at a time.

use incrowd_algorithms::{AlgorithmEntry, HISTORIES};
use incrowd_core::{
    AlikePeople, ColumnSet, Finding, FrequencyTable, KnownRows, PersonRows, Treatment, codes, counted, thousands,
};

use super::prepare::Prepared;
use crate::error::{Error, KnownRowsFault, Result};
use crate::exposure::PublishedRows;
use crate::request::AnonymizeOptions;

/// The solver for a policy about known rows, if it is about them; refuses what contradicts it.
pub(super) fn solver(options: &AnonymizeOptions) -> Result<Option<&'static AlgorithmEntry>> {
    if options.policy.known_rows.is_none() {
        return Ok(None);
    }
    let treatment = options.declared.subject.as_ref().map(|subject| options.treatments.get(subject));
    let why = match treatment {
        None => KnownRowsFault::NoSubject,
        Some(treatment) if treatment != Some(&Treatment::Pseudonym) => KnownRowsFault::NotLinked,
        Some(_) if !["auto", HISTORIES.id].contains(&options.algorithm.as_str()) => KnownRowsFault::OtherAlgorithm,
        Some(_) => return Ok(Some(&HISTORIES)),
    };
    Err(Error::KnownRowsRefused(why))
}

/// Counts the pseudonyms of each column that look alike; refuses those of which fewer than k do.
pub(super) fn measure(run: &Prepared<'_>, rows: &PublishedRows) -> Result<Vec<Finding>> {
    let options = run.options;
    let (k, quasi) = (options.policy.k().max(2), &options.declared.quasi_identifiers);
    let (mut findings, mut columns, mut facts) = (Vec::new(), Vec::new(), Vec::new());
    for column in run.columns.treated(Treatment::is_pseudonym) {
        let of_subject = options.declared.subject.as_ref() == Some(&column);
        let known = options.policy.known_rows.filter(|_| of_subject).unwrap_or(KnownRows::All);
        let counted = rows.tuples(run.engine, quasi.iter().chain([&column]))?;
        let fact = match counted.as_ref().map(|table| alike(table, known)) {
            Some(alike) if alike.holds(k) => continue,
            Some(alike) => fact(&alike, &column, k),
            None => format!("the rows of each pseudonym of “{column}” cannot be counted"),
        };
        if options.keep_identifying.contains(&column) {
            findings.push(Finding::new(&codes::PSEUDONYM_SINGLES_OUT, fact).about([column.as_str()]));
        } else {
            columns.push(column);
            facts.push(fact);
        }
    }
    if columns.is_empty() { Ok(findings) } else { Err(Error::LinkedRows { columns, facts }) }
}

fn fact(alike: &AlikePeople, column: &str, k: u64) -> String {
    let AlikePeople { smallest, alone, total } = alike;
    format!(
        "{} of {} of “{column}” are unique by all of their rows together, and the smallest group of pseudonyms with the \
         same rows has {smallest}, fewer than {k}",
        thousands(*alone),
        counted(*total, "pseudonym", "pseudonyms"),
    )
}

/// Counts the pseudonyms with the same rows in a table whose last column holds the pseudonyms.
fn alike(table: &FrequencyTable, known: KnownRows) -> AlikePeople {
    let last = table.attributes().len() - 1;
    let missing = table.attributes()[last].dictionary.missing();
    // The table is sorted by the quasi-identifiers: rows that look alike stand together.
    let looks = (0..).zip(table.grouping().runs(ColumnSet::first(last)));
    let rows = looks.flat_map(|(look, (start, end))| {
        (start..end).map(move |tuple| {
            let (person, rows) = (table.code(tuple, last), table.count(tuple));
            (person, PersonRows { person: u64::from(person), look, rows })
        })
    });
    AlikePeople::of(rows.filter(|(person, _)| Some(*person) != missing).map(|(_, rows)| rows), known)
}
