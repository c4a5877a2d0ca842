//! Reading a table of which nothing is known: roles are guessed from its first rows, then all of it is read once.

use std::collections::HashSet;

use incrowd_core::{AttributeRisk, ClassSizes, ColumnProfile, FrequencyTable, Role};
use incrowd_engine::{Engine, EngineError, Question, Source};
use incrowd_risk::diagnosis::{AllColumns, Crowds, OtherColumn};

use super::columns_of;
use crate::ask::tuple_columns::TupleColumns;
use crate::error::Result;
use crate::roles::{ColumnReport, Declared, assign};

/// The rows from which roles are guessed before the whole table is read, and fewer of a table with many columns.
const HEAD_ROWS: usize = 20_000;
const HEAD_CELLS: usize = 4_000_000;
const LEAST_HEAD_ROWS: usize = 1_000;

/// What reading the table gave.
pub(super) struct CheckedTable {
    pub(super) profiles: Vec<ColumnProfile>,
    pub(super) columns: Vec<ColumnReport>,
    pub(super) crowds: Crowds,
    /// The tuples, or why they are not there.
    pub(super) table: std::result::Result<FrequencyTable, EngineError>,
    /// What is known beyond the tuples, when they do not hold all quasi-identifiers.
    pub(super) all: Option<AllColumns>,
}

/// Guesses roles from the first rows, then reads the table once: each column independently and the tuples of the
/// quasi-identifiers together. Where the whole table changes a guess, the tuples are counted anew.
pub(super) fn read(engine: &Engine, source: &Source, declared: &Declared, k: u64) -> Result<CheckedTable> {
    let plain = source.plain_columns();
    if let (true, Some(column)) = (plain.is_empty(), source.columns().into_iter().next()) {
        // A table that was not read must not be reported as safe.
        return Err(EngineError::UnsupportedType { column, kind: "lists, structs or binary data".into() }.into());
    }
    let head_rows = (HEAD_CELLS / plain.len()).clamp(LEAST_HEAD_ROWS, HEAD_ROWS);
    let head = source.profile_head(engine, &plain, head_rows)?;
    let guessed = question(&assign(&head, declared)?);
    let combined = TupleColumns::of_head(&guessed, &head, head_rows, k);
    let at_once = if guessed.quasi_identifiers.is_empty() {
        None
    } else {
        match combined.count(|question| source.profile_and_count(engine, &plain, question)) {
            Ok(read) => Some(read),
            // A column that looked tame in the first rows: profiles stop at such columns, tuples cannot.
            Err(EngineError::TooManyValues { .. }) => None,
            Err(error) => return Err(error.into()),
        }
    };
    let (profiles, answer) = match at_once {
        Some((profiles, answer)) => (profiles, Some(answer)),
        None => (source.profile_columns(engine, &plain)?, None),
    };
    let columns = assign(&profiles, declared)?;
    let asked = question(&columns);
    if asked.quasi_identifiers.is_empty() {
        // Nothing distinguishes rows: all of them are one class.
        let rows = profiles.first().map_or(0, |profile| profile.rows);
        let table = Ok(FrequencyTable::from_tuples(vec![], [(Vec::<u32>::new(), rows)]));
        return Ok(CheckedTable { profiles, columns, crowds: Crowds::default(), table, all: None });
    }
    let answer = match answer.filter(|_| asked == guessed) {
        Some(answer) => answer,
        None => TupleColumns::of_table(&asked, &profiles, k).count(|question| source.count(engine, question))?,
    };
    let crowds = Crowds {
        sizes: answer.sizes_of_all.clone().unwrap_or_else(|| answer.sizes.clone()),
        rows: answer.rows,
        tuples: answer.tuples,
        counts_people: asked.subject.is_some(),
        quasi_identifiers: asked.quasi_identifiers,
        columns: vec![],
    };
    let sizes_of_all = answer.sizes_of_all.clone();
    let table = answer.into_table(engine);
    let all = sizes_of_all.map(|sizes| AllColumns {
        others: table.as_ref().map_or(vec![], |table| others(table, &profiles, &crowds)),
        quasi_identifiers: crowds.quasi_identifiers.clone(),
        sizes,
    });
    Ok(CheckedTable { profiles, columns, crowds, table, all })
}

/// What the profiles say of the quasi-identifiers that are not in the tuples.
fn others(table: &FrequencyTable, profiles: &[ColumnProfile], crowds: &Crowds) -> Vec<OtherColumn> {
    let combined: HashSet<&String> = table.attributes().iter().map(|attribute| &attribute.name).collect();
    let quasi: HashSet<&String> = crowds.quasi_identifiers.iter().filter(|name| !combined.contains(name)).collect();
    let other = |profile: &ColumnProfile| {
        let sizes = ClassSizes::from_sizes(profile.counts.iter().copied().filter(|&rows| rows > 0));
        let attribute = AttributeRisk::alone(&profile.name, &profile.counts, sizes.k());
        // Rows say nothing about people, and a profile that stopped nothing about the other rows.
        OtherColumn { attribute, sizes: (profile.exact && !crowds.counts_people).then_some(sizes) }
    };
    profiles.iter().filter(|profile| quasi.contains(&profile.name)).map(other).collect()
}

/// What is counted when the columns have these roles.
pub(in crate::ask) fn question(columns: &[ColumnReport]) -> Question {
    let quasi_identifiers = columns_of(columns, Role::QuasiIdentifier);
    Question { quasi_identifiers, subject: columns_of(columns, Role::Subject).pop(), ..Question::default() }
}
