//! Whether rows can be counted as people: identifiers whose values occur in several rows.
//!
//! A promise of k is about people. When an identifier repeats and no subject column is named, rows are not people:
//! `anonymize` refuses the table, `check` and `diagnose` report a finding.

use incrowd_core::{ColumnProfile, Finding, Role, codes, counted, thousands};
use incrowd_engine::{Engine, Question, Source};
use incrowd_risk::roles::{counted_stands_for_one_person, may_stand_for_people, repeats, stands_for_one_person};

use crate::error::Result;
use crate::exposure::within_limits;
use crate::roles::{Declared, assign};

/// The rows from which it is judged which columns are worth counting.
const HEAD_ROWS: usize = 20_000;

/// An identifier with the same value in several rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RepeatedIdentifier {
    /// The column.
    pub(crate) column: String,
    /// How many different values it has in the rows that were counted; nothing when they are too many to be counted.
    pub(crate) values: Option<u64>,
    /// How many rows have a value, of those that were counted.
    pub(crate) rows: u64,
}

impl RepeatedIdentifier {
    /// The fact, without a value.
    pub(crate) fn fact(&self) -> String {
        let rows = counted(self.rows, "row", "rows");
        match self.values {
            Some(values) => format!("“{}” has {} in {rows}", self.column, counted(values, "value", "values")),
            None => format!("“{}” has fewer values than rows", self.column),
        }
    }

    /// The finding of a check or a diagnosis that counted rows.
    pub(crate) fn finding(&self) -> Finding {
        let values = self.values.map_or_else(|| "fewer".into(), thousands);
        let message = format!(
            "column `{}` identifies people and has {values} values in {}: rows were counted, and several of them may \
             belong to one person",
            self.column,
            counted(self.rows, "row", "rows")
        );
        Finding::new(&codes::IDENTIFIER_REPEATS, message).about([&self.column])
    }
}

/// The identifiers among these columns that repeat. None when people are counted by a subject, or when the user states
/// that rows are people.
pub(crate) fn repeated_identifiers(
    engine: &Engine,
    source: &Source,
    profiles: &[ColumnProfile],
    declared: &Declared,
) -> Result<Vec<RepeatedIdentifier>> {
    let mut found = Vec::new();
    if declared.subject.is_some() || declared.rows_are_people {
        return Ok(found);
    }
    for profile in profiles {
        let identifier = declared.role(&profile.name) == Some(Role::Identifier);
        if !stands_for_one_person(profile, identifier) {
            continue;
        }
        let rows = profile.counts.iter().take(profile.dictionary.values().len()).sum();
        if repeats(profile) {
            found.push(RepeatedIdentifier { column: profile.name.clone(), values: Some(profile.distinct()), rows });
        } else if !profile.exact {
            found.extend(counted_to_the_end(engine, source, &profile.name)?);
        }
    }
    Ok(found)
}

/// The same for columns that are removed, counted by tasks of a cluster: no value of theirs is read here but those of the
/// first rows. Nothing when there are no such tasks.
pub(crate) fn repeated_by_tasks(
    engine: &Engine,
    source: &Source,
    columns: &[String],
    declared: &Declared,
) -> Result<Option<Vec<RepeatedIdentifier>>> {
    let mut found = Vec::new();
    if declared.subject.is_some() || declared.rows_are_people {
        return Ok(Some(found));
    }
    let alone: Vec<Vec<String>> = columns.iter().map(|name| vec![name.clone()]).collect();
    let Some(counted) = source.agreeing_rows(engine, &alone)? else { return Ok(None) };
    for (profile, counted) in source.profile_head(engine, columns, HEAD_ROWS)?.into_iter().zip(counted) {
        let (values, rows) = counted.values();
        let identifier = declared.role(&profile.name) == Some(Role::Identifier);
        if values < rows && counted_stands_for_one_person(&profile, (values, rows), identifier) {
            found.push(RepeatedIdentifier { column: profile.name, values: Some(values), rows });
        }
    }
    Ok(Some(found))
}

/// Counts a column whose profile stopped before a value was met twice: by hashes, which take 8 bytes a row and may go
/// through the disk.
fn counted_to_the_end(engine: &Engine, source: &Source, column: &str) -> Result<Option<RepeatedIdentifier>> {
    let subject = Some(column.to_owned());
    let question = Question { subject, sizes_only: true, ..Question::default() };
    let answer = within_limits(source.count_here(engine, &question))?;
    let told = |values: Option<u64>, rows: u64| RepeatedIdentifier { column: column.into(), values, rows };
    Ok(match answer {
        Some(answer) if answer.tuples == answer.rows => None,
        // Missing values are one of these people: two missing cells look like one value that repeats.
        Some(answer) => Some(told(Some(answer.tuples), answer.rows)),
        None => Some(told(None, 0)),
    })
}

/// Who the rows of a table are about, for questions that are not told everything: as `check` guesses it.
#[derive(Clone, Debug, Default)]
pub(crate) struct CountedPeople {
    /// The column by which people are counted: declared, or guessed.
    pub(crate) subject: Option<String>,
    /// Identifiers that repeat while rows are counted.
    pub(crate) repeated: Vec<RepeatedIdentifier>,
}

impl CountedPeople {
    /// Looks at declared identifiers, and at columns without a role whose name or values could stand for people.
    pub(crate) fn of(engine: &Engine, source: &Source, declared: &Declared) -> Result<CountedPeople> {
        if declared.subject.is_some() || declared.rows_are_people {
            return Ok(CountedPeople { subject: declared.subject.clone(), ..CountedPeople::default() });
        }
        let open = |name: &String| matches!(declared.role(name), None | Some(Role::Identifier));
        let open: Vec<String> = source.plain_columns().into_iter().filter(open).collect();
        if open.is_empty() {
            return Ok(CountedPeople::default());
        }
        let head = source.profile_head(engine, &open, HEAD_ROWS)?;
        let worth = |profile: &&ColumnProfile| declared.role(&profile.name).is_some() || may_stand_for_people(profile);
        let names: Vec<String> = head.iter().filter(worth).map(|profile| profile.name.clone()).collect();
        if names.is_empty() {
            return Ok(CountedPeople::default());
        }
        let profiles = source.profile_columns_here(engine, &names)?;
        let identifiers = declared.identifiers.iter().filter(|name| names.contains(name)).cloned().collect();
        let columns = assign(&profiles, &Declared { identifiers, ..Declared::default() })?;
        let subject = columns.into_iter().find(|column| column.role == Role::Subject).map(|column| column.name);
        let repeated = match subject {
            Some(_) => Vec::new(),
            None => repeated_identifiers(engine, source, &profiles, declared)?,
        };
        Ok(CountedPeople { subject, repeated })
    }
}
