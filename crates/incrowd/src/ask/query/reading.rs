//! What the cells of a published column may have been: from a hierarchy that is named, from the custodian's record, or
//! from the labels alone.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use incrowd_core::query::{Aggregate, CellColumn, Condition, Leaf, Misfit, Query, QueryError};
use incrowd_core::{Dictionary, Hierarchy, Kind};
use serde::Serialize;

use super::manifest_facts::{ManifestFacts, OpenedFile};
use crate::error::{Error, Result};
use crate::release::Record;
use crate::texts::{most_hierarchy_bytes, text_of};

/// From what it is known which values a cell stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadAs {
    /// CellColumn are the values.
    Exact,
    /// A hierarchy file that was named.
    Hierarchy,
    /// The hierarchy in the custodian's record.
    Record,
    /// The labels themselves, each of which holds the values that it stands for, as the manifest declares.
    Labels,
    /// By guessing from the labels: what they stand for is unknown, and nothing is certain.
    Guess,
}

/// How a column of a question was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ColumnReading {
    /// The column.
    pub name: String,
    /// How its cells were read.
    pub read: ReadAs,
}

/// A column that can be asked about.
pub(super) struct QueryColumn {
    pub(super) name: String,
    pub(super) cells: CellColumn,
    pub(super) read: ReadAs,
    /// The published labels, where cells are not the values; nothing is the missing value.
    pub(super) labels: Vec<Option<String>>,
}

/// Where hierarchies come from.
pub(crate) struct Hierarchies<'a> {
    pub(crate) record: Option<Record>,
    pub(crate) named: &'a BTreeMap<String, PathBuf>,
    /// The memory that bounds the files.
    pub(crate) memory: Option<u64>,
}

impl Hierarchies<'_> {
    /// The hierarchy of a column and where it is from; nothing when there is none.
    pub(crate) fn of(&self, column: &str) -> Result<Option<(Hierarchy, ReadAs)>> {
        if let Some(path) = self.named.get(column) {
            let text = text_of(path, most_hierarchy_bytes(self.memory))?;
            // A file that a release was made with, with or without lines of different length.
            let options = incrowd_core::HierarchyReadOptions { ragged: true, ..Default::default() };
            let hierarchy = Hierarchy::read_with(&text, options)
                .map_err(|error| Error::HierarchyOf { column: column.into(), error })?;
            return Ok(Some((hierarchy, ReadAs::Hierarchy)));
        }
        let Some(record) = &self.record else { return Ok(None) };
        Ok(record.hierarchy(column)?.map(|hierarchy| (hierarchy, ReadAs::Record)))
    }
}

impl QueryColumn {
    /// A column whose cells are its values.
    pub(super) fn exact(name: &str, dictionary: &Dictionary) -> Self {
        QueryColumn { name: name.into(), cells: CellColumn::exact(dictionary), read: ReadAs::Exact, labels: Vec::new() }
    }

    /// A column of a release.
    pub(super) fn published(
        name: &str,
        dictionary: &Dictionary,
        (facts, file): (&ManifestFacts<'_>, &OpenedFile),
        hierarchies: &Hierarchies<'_>,
    ) -> Result<QueryColumn> {
        let kind = facts.kind(name);
        // The published values alone may look like another kind: what does not fit it may have been suppressed.
        let of_the_kind = kind.is_none_or(|kind| kind == dictionary.kind());
        if facts.is_exact(name)? && !file.is_escaped() && of_the_kind {
            return Ok(QueryColumn::exact(name, dictionary));
        }
        let text = |code: u32| dictionary.text(code).map(|label: Cow<'_, str>| file.value(&label).to_owned());
        let labels: Vec<Option<String>> = (0..).take(dictionary.len()).map(text).collect();
        let (cells, read) = match (facts.is_exact(name)?, hierarchies.of(name)?) {
            (true, _) => (CellColumn::values(&labels, kind), ReadAs::Exact),
            (false, Some((hierarchy, read))) => (
                CellColumn::of_hierarchy(&hierarchy, &labels, kind).map_err(|unknown| {
                    QueryError::new(
                        format!(
                            "the hierarchy of “{name}” does not have {unknown} of the {} published labels",
                            labels.len()
                        ),
                        "give the hierarchy of the release with --hierarchy COLUMN=FILE",
                    )
                })?,
                read,
            ),
            (false, None) => match kind.filter(|_| facts.describes_itself(name)) {
                Some(kind) => (CellColumn::self_describing(&labels, kind), ReadAs::Labels),
                None => (CellColumn::of_labels(&labels), ReadAs::Guess),
            },
        };
        Ok(QueryColumn { name: name.into(), cells, read, labels })
    }

    /// How it was read.
    pub(super) fn reading(&self) -> ColumnReading {
        ColumnReading { name: self.name.clone(), read: self.read }
    }

    /// The key of a group of rows with the same published label.
    pub(super) fn label(&self, code: u32) -> Leaf {
        match self.labels.get(code as usize) {
            Some(Some(label)) => Leaf::Text(label.as_str().into()),
            _ => Leaf::Missing,
        }
    }

    /// Refuses what does not apply to the type of the column.
    pub(super) fn check(&self, query: &Query) -> Result<()> {
        let name = &self.name;
        let holds = match self.cells.kind() {
            Kind::Integer => "integers",
            Kind::Number => "numbers",
            Kind::Date => "dates",
            Kind::Text => "texts",
        };
        let numbers = matches!(self.cells.kind(), Kind::Integer | Kind::Number);
        for selected in &query.select {
            if selected.aggregate.column() == Some(name) && !numbers {
                let what = format!("{} does not apply to a column that contains {holds}", selected.aggregate);
                return Err(QueryError::new(
                    what,
                    "SUM and AVG need numbers; COUNT(*) … GROUP BY works for all columns",
                )
                .into());
            }
        }
        let misfit = query.condition(name).and_then(|condition| condition.fits(self.cells.kind()).err());
        // Integers, and other numbers that are listed, can be compared as written.
        let written = self.cells.are_listed() || self.cells.kind() == Kind::Integer;
        let Some(misfit) = misfit.filter(|misfit| *misfit != Misfit::LikeOnNumbers || !written) else {
            return Ok(());
        };
        let (what, remedy) = match misfit {
            Misfit::NotOfTheKind => (
                format!("“{name}” contains {holds}, but is compared with another type"),
                "write numbers as 42 or 4.5, and dates as '1980-04-03'",
            ),
            Misfit::OrderOfTexts => (
                format!("“{name}” contains texts, but is compared with a number by order"),
                "put the value in quotes to compare in alphabetical order, or list the values with IN",
            ),
            Misfit::LikeOnNumbers => {
                (format!("“{name}” contains intervals of {holds}, but LIKE needs texts"), "use <, >, BETWEEN or IN")
            }
        };
        Err(QueryError::new(what, remedy).into())
    }

    /// What rows must satisfy in this column for an aggregate: the condition, and for a sum or a mean also a value.
    pub(super) fn condition(&self, query: &Query, aggregate: &Aggregate) -> Option<Condition> {
        let asked = query.condition(&self.name).cloned();
        if aggregate.column() != Some(&self.name) {
            return asked;
        }
        Some(asked.map_or_else(Condition::present, |asked| asked.and(Condition::present())))
    }
}
