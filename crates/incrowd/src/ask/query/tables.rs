//! The tables of a release in memory: distinct tuples with counts, or rows with their classes.

use std::collections::BTreeMap;

use incrowd_core::query::Query;
use incrowd_core::{Attribute, Dictionary, FrequencyTable};
use incrowd_engine::{Engine, Question, Source};

use super::manifest_facts::{ManifestFacts, OpenedFile, damaged};
use super::reading::{Hierarchies, QueryColumn};
use crate::error::Result;
use crate::release::OpenedRelease;

/// The one table that is asked, or both.
pub(super) enum QueryTables {
    One(TableSide),
    Two(TwoSides),
}

/// Two tables whose rows share class ids.
pub(super) struct TwoSides {
    pub(super) first: TableSide,
    pub(super) second: TableSide,
    /// Rows of each class.
    pub(super) sizes: Vec<u64>,
}

/// Distinct tuples of one table; of one that is joined by class ids, its rows.
#[derive(Default)]
pub(super) struct TableSide {
    pub(super) columns: Vec<QueryColumn>,
    /// For each column the code of each tuple.
    pub(super) codes: Vec<Vec<u32>>,
    /// The class of each tuple, when there are two tables.
    pub(super) classes: Vec<u32>,
    /// The rows of each tuple; nothing when each tuple is one row.
    counts: Vec<u64>,
    pub(super) tuples: usize,
}

impl TableSide {
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    pub(super) fn column(&self, name: &str) -> Option<&QueryColumn> {
        self.position(name).map(|at| &self.columns[at])
    }

    /// Whether groups are values: every column of GROUP BY lists the values of its cells.
    pub(super) fn splits_by_value(&self, query: &Query) -> bool {
        let listed = |column: &QueryColumn| column.cells.are_listed() && column.cells.are_known();
        query.group_by.iter().filter_map(|name| self.column(name)).all(listed)
    }

    /// How many rows a tuple stands for.
    #[inline]
    pub(super) fn rows(&self, tuple: usize) -> u64 {
        if self.counts.is_empty() { 1 } else { self.counts[tuple] }
    }

    pub(super) fn new(table: &FrequencyTable, columns: Vec<QueryColumn>) -> TableSide {
        let tuples = table.tuples();
        let codes = (0..table.attributes().len()).map(|at| table.codes(at).collect()).collect();
        let counts = (0..tuples).map(|tuple| table.count(tuple)).collect();
        TableSide { columns, codes, classes: Vec::new(), counts, tuples }
    }

    /// A table of which nothing but its rows is asked.
    pub(super) fn of_rows(rows: u64) -> TableSide {
        TableSide { counts: vec![rows], tuples: 1, ..TableSide::default() }
    }
}

/// The names under which a file has these columns.
fn names_in(file: &OpenedFile, columns: &[&str]) -> Result<Vec<String>> {
    let there = |name: &&str| file.column(name).ok_or_else(|| damaged("a file does not have a column of its manifest"));
    columns.iter().map(there).collect()
}

/// These columns of a release in the order of its file, as the codes of a view; nothing when it has several files.
pub(crate) fn published_rows(
    engine: &Engine,
    release: &OpenedRelease,
    columns: &[&str],
) -> Result<Option<Vec<Vec<u32>>>> {
    let facts = ManifestFacts(release.manifest());
    if facts.0.two_tables.is_some() {
        return Ok(None);
    }
    let file = facts.open(engine, release.folder(), None)?;
    Ok(Some(file.source.rows_in_order(engine, &names_in(&file, columns)?)?.codes))
}

/// Columns of a release in the order of its file.
pub(crate) struct PublishedTexts {
    /// For each column the code of each row.
    pub(crate) codes: Vec<Vec<u32>>,
    /// For each column the text of each code; nothing is the missing value.
    pub(crate) texts: Vec<Vec<Option<String>>>,
}

/// As [`published_rows`], with what the codes stand for.
pub(crate) fn published_texts(
    engine: &Engine,
    release: &OpenedRelease,
    columns: &[&str],
) -> Result<Option<PublishedTexts>> {
    let facts = ManifestFacts(release.manifest());
    if facts.0.two_tables.is_some() {
        return Ok(None);
    }
    let file = facts.open(engine, release.folder(), None)?;
    let rows = file.source.rows_in_order(engine, &names_in(&file, columns)?)?;
    let text = |dictionary: &Dictionary, code: u32| dictionary.text(code).map(|text| file.value(&text).to_owned());
    let texts = |dictionary: &Dictionary| (0..).take(dictionary.len()).map(|code| text(dictionary, code)).collect();
    Ok(Some(PublishedTexts { texts: rows.dictionaries.iter().map(texts).collect(), codes: rows.codes }))
}

/// One file.
pub(super) fn open_one(
    engine: &Engine,
    (facts, file): (&ManifestFacts<'_>, &OpenedFile),
    columns: &[&str],
    hierarchies: &Hierarchies<'_>,
) -> Result<QueryTables> {
    let table = tuples(engine, &file.source, names_in(file, columns)?)?;
    let column = |(name, attribute): (&&str, &Attribute)| {
        QueryColumn::published(name, &attribute.dictionary, (facts, file), hierarchies)
    };
    let columns = columns.iter().zip(table.attributes()).map(column).collect::<Result<_>>()?;
    Ok(QueryTables::One(TableSide::new(&table, columns)))
}

/// The distinct tuples of these columns.
pub(super) fn tuples(engine: &Engine, source: &Source, quasi_identifiers: Vec<String>) -> Result<FrequencyTable> {
    let question = Question { quasi_identifiers, ..Question::default() };
    Ok(source.count(engine, &question)?.into_table(engine)?)
}

/// Two files that are joined by class ids, or the one of them that is asked about.
pub(super) fn open_two(
    engine: &Engine,
    facts: &ManifestFacts<'_>,
    (first, second): (OpenedFile, OpenedFile),
    columns: &[&str],
    class: &str,
) -> Result<QueryTables> {
    let (of_first, of_second): (Vec<&str>, Vec<&str>) = columns.iter().partition(|name| first.column(name).is_some());
    let none = BTreeMap::new();
    let hierarchies = Hierarchies { record: None, named: &none, memory: None };
    if of_second.is_empty() {
        return open_one(engine, (facts, &first), &of_first, &hierarchies);
    }
    if of_first.is_empty() {
        return open_one(engine, (facts, &second), &of_second, &hierarchies);
    }
    let side = |file: &OpenedFile, columns: &[&str]| -> Result<(TableSide, usize)> {
        let class = file.column(class).ok_or_else(|| damaged("a file does not have the column of class numbers"))?;
        let rows = file.source.rows_by_class(engine, &class, &names_in(file, columns)?)?;
        let rows = rows.ok_or_else(|| damaged("its class numbers are not integers from 1 on"))?;
        let column = |(name, dictionary): (&&str, &Dictionary)| {
            QueryColumn::published(name, dictionary, (facts, file), &hierarchies)
        };
        let columns = columns.iter().zip(&rows.dictionaries).map(column).collect::<Result<_>>()?;
        let (tuples, classes) = (rows.classes.len(), rows.most_classes);
        Ok((TableSide { columns, codes: rows.codes, classes: rows.classes, counts: Vec::new(), tuples }, classes))
    };
    let ((first, classes), (second, others)) = (side(&first, &of_first)?, side(&second, &of_second)?);
    // That each class has as many rows in both is asked by `verify`.
    if (classes, first.tuples) != (others, second.tuples) {
        return Err(damaged("its two tables do not have the same classes"));
    }
    let mut sizes = vec![0; classes];
    first.classes.iter().for_each(|&class| sizes[class as usize] += 1);
    Ok(QueryTables::Two(TwoSides { first, second, sizes }))
}
