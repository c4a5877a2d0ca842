//! A release that is open for questions: its distinct tuples with counts, and what its cells may have been.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use incrowd_core::query::{Aggregate, Query, QueryError};
use incrowd_core::thousands;
use incrowd_engine::{Engine, EngineError, Source};
use incrowd_verify::Manifest;

use super::answer::{Answered, Estimator, GroupFigures, QueryFigure, QueryGroup, formed};
use super::groups::WithheldRows;
use super::manifest_facts::ManifestFacts;
use super::reading::{Hierarchies, QueryColumn};
use super::tables::{QueryTables, TableSide, open_one, open_two, tuples};
use super::{one_table, two_tables};
use crate::error::Result;
use crate::release::{OpenedRelease, Record};

/// A release, or an original, open for questions about some columns.
///
/// ```
/// use incrowd::query::{ReleaseView, parse_query};
/// use incrowd::{Engine, ReadOptions, Settings, Source};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("visits.csv");
/// std::fs::write(&path, "age,town\n34,Ulm\n34,Bonn\n71,Ulm\n")?;
/// let engine = Engine::new(&Settings::default())?;
/// let source = Source::open(&engine, path.to_str().expect("plain path"), ReadOptions::default())?;
/// let view = ReleaseView::of_original(&engine, &source, &["age", "town"])?;
/// let query = parse_query("SELECT COUNT(*) WHERE age < 40 AND town = 'Ulm'")?;
/// let figure = view.answer(&query, None)?.figure.expect("one count");
/// assert_eq!((figure.estimate, figure.lower, figure.upper), (Some(1.0), Some(1.0), Some(1.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ReleaseView {
    pub(super) tables: QueryTables,
    rows: u64,
    withheld: u64,
    /// Whether the release has two tables, also when only one of them is asked.
    two: bool,
}

impl std::fmt::Debug for ReleaseView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReleaseView").field("rows", &self.rows).field("two", &self.two).finish_non_exhaustive()
    }
}

impl ReleaseView {
    /// Opens a release for questions about these columns. Hierarchy files are taken before those of the record next to
    /// it.
    pub fn open(
        engine: &Engine,
        release: &Path,
        columns: &[&str],
        hierarchies: &BTreeMap<String, PathBuf>,
    ) -> Result<ReleaseView> {
        ReleaseView::open_with(engine, &OpenedRelease::open_with(engine, release, None)?, columns, hierarchies)
    }

    /// Opens files of a release that has no manifest yet, as a reader without the record will.
    pub(crate) fn of_staged(
        engine: &Engine,
        folder: &Path,
        manifest: &Manifest,
        columns: &[&str],
    ) -> Result<ReleaseView> {
        ReleaseView::of_facts(engine, folder, &ManifestFacts(manifest), columns, (&BTreeMap::new(), None))
    }

    /// As [`ReleaseView::open`], of a release that is open already.
    pub fn open_with(
        engine: &Engine,
        release: &OpenedRelease,
        columns: &[&str],
        hierarchies: &BTreeMap<String, PathBuf>,
    ) -> Result<ReleaseView> {
        let (facts, record) = (ManifestFacts(release.manifest()), release.record().cloned());
        ReleaseView::of_facts(engine, release.folder(), &facts, columns, (hierarchies, record))
    }

    fn of_facts(
        engine: &Engine,
        release: &Path,
        facts: &ManifestFacts<'_>,
        columns: &[&str],
        (hierarchies, record): (&BTreeMap<String, PathBuf>, Option<Record>),
    ) -> Result<ReleaseView> {
        for column in columns.iter().copied().chain(hierarchies.keys().map(String::as_str)) {
            facts.is_exact(column)?;
        }
        let withheld = facts.withheld(record.as_ref());
        let tables = match &facts.0.two_tables {
            _ if columns.is_empty() => QueryTables::One(TableSide::of_rows(facts.0.rows)),
            None => {
                let hierarchies = Hierarchies { record, named: hierarchies, memory: engine.memory() };
                let file = facts.open(engine, release, None)?;
                open_one(engine, (facts, &file), columns, &hierarchies)?
            }
            Some(two) => {
                let files = [&two.quasi_identifiers, &two.sensitive];
                let [first, second] = files.map(|name| facts.open(engine, release, Some(name)));
                open_two(engine, facts, (first?, second?), columns, &two.class_column)?
            }
        };
        Ok(ReleaseView { tables, rows: facts.0.rows, withheld, two: facts.0.two_tables.is_some() })
    }

    /// Opens an original: cells are values, and every estimate is exact.
    pub fn of_original(engine: &Engine, source: &Source, columns: &[&str]) -> Result<ReleaseView> {
        // Rows are counted in any column when none is asked about.
        let any = source.plain_columns().into_iter().take(usize::from(columns.is_empty()));
        let names: Vec<String> = columns.iter().map(|&name| name.into()).chain(any).collect();
        let table = tuples(engine, source, names.clone())?;
        let exact = |(name, at): (&String, usize)| QueryColumn::exact(name, &table.attributes()[at].dictionary);
        let columns = names.iter().zip(0..).map(exact).collect();
        let rows = table.rows();
        Ok(ReleaseView { tables: QueryTables::One(TableSide::new(&table, columns)), rows, withheld: 0, two: false })
    }

    /// Published rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The estimator that is taken when none is named.
    pub fn estimator(&self) -> Estimator {
        if self.two { Estimator::Expected } else { Estimator::Uniform }
    }

    /// Answers a question about the columns it was opened for.
    pub fn answer(&self, query: &Query, estimator: Option<Estimator>) -> Result<Answered> {
        let estimator = self.checked(query, estimator)?;
        let names: Vec<String> = query.select.iter().map(|selected| selected.name.clone()).collect();
        let mut found = self.found(query, estimator)?;
        let (mut figure, mut answers, mut groups) = (None, None, None);
        if query.group_by.is_empty() {
            let figures = found.pop().map(|found| found.figures).unwrap_or_default();
            (figure, answers) = formed(&names, figures);
        } else {
            groups = Some(found.into_iter().map(|found| QueryGroup::new(&query.group_by, &names, found)).collect());
        }
        let asked = query.columns();
        let columns = asked.iter().filter_map(|name| self.column(name)).map(QueryColumn::reading).collect();
        let by_value = self.each_side().all(|side| side.splits_by_value(query));
        let nothing = |aggregate: &Aggregate| if matches!(aggregate, Aggregate::Mean(_)) { None } else { Some(0.0) };
        let of_no_rows = query.select.iter().map(|selected| nothing(&selected.aggregate)).collect();
        let (rows, suppressed_rows, notes) = (self.rows, self.withheld, self.notes(query));
        Ok(Answered { estimator, rows, suppressed_rows, figure, answers, groups, columns, notes, by_value, of_no_rows })
    }

    fn found(&self, query: &Query, estimator: Estimator) -> Result<Vec<GroupFigures>> {
        let plain = query.group_by.is_empty() && query.select.iter().all(|one| one.aggregate == Aggregate::Count);
        let withheld: Vec<WithheldRows> = query.select.iter().map(|one| self.withheld(query, &one.aggregate)).collect();
        let side = match &self.tables {
            QueryTables::One(side) => side,
            QueryTables::Two(two) => match (asks(&two.first, query), asks(&two.second, query)) {
                (true, true) if plain => return Ok(self.counts(query, two_tables::count(two, query, estimator))),
                (true, true) => return two_tables::answer(two, query, estimator, &withheld),
                // Every row has its partner in the other table, so one that is not asked changes nothing.
                (true, false) => &two.first,
                _ => &two.second,
            },
        };
        if plain {
            return Ok(self.counts(query, one_table::count(side, query, estimator)));
        }
        one_table::answer(side, query, estimator, &withheld)
    }

    /// The one group of a question that only counts.
    fn counts(&self, query: &Query, (estimate, least, most): (f64, u64, u64)) -> Vec<GroupFigures> {
        let (lower, upper) = (Some(least as f64), Some((most + self.withheld) as f64));
        let figure = QueryFigure { estimate: Some(estimate), lower, upper, ..QueryFigure::default() };
        vec![GroupFigures { key: Vec::new(), figures: vec![figure; query.select.len()] }]
    }

    fn withheld(&self, query: &Query, aggregate: &Aggregate) -> WithheldRows {
        let column = aggregate.column().and_then(|name| self.column(name));
        let bounds = column.and_then(|column| column.cells.bounds(&column.condition(query, aggregate)?));
        WithheldRows { rows: self.withheld, bounds: if self.withheld == 0 { Some(None) } else { bounds } }
    }

    /// The estimator, if the query can be answered with it.
    fn checked(&self, query: &Query, estimator: Option<Estimator>) -> Result<Estimator> {
        let estimator = estimator.unwrap_or_else(|| self.estimator());
        let fits = matches!(estimator, Estimator::Expected | Estimator::Printed) == self.two;
        if !fits {
            let (form, others) = match self.two {
                true => ("two tables", "expected or printed"),
                false => ("one table", "uniform or overlap"),
            };
            let what = format!("the estimator `{estimator}` cannot be used: the release has {form}");
            return Err(QueryError::new(what, format!("use --estimator {others}")).into());
        }
        for name in query.columns() {
            match self.column(name) {
                Some(column) => column.check(query)?,
                None => {
                    let known =
                        self.each_side().flat_map(|side| &side.columns).map(|column| column.name.clone()).collect();
                    return Err(EngineError::UnknownColumn { name: name.into(), known }.into());
                }
            }
        }
        Ok(estimator)
    }

    fn notes(&self, query: &Query) -> Vec<String> {
        let mut notes = Vec::new();
        if self.withheld > 0 {
            let about = "the estimate is about the published rows, the interval about all rows";
            notes.push(format!("up to {} rows of the original were suppressed: {about}", thousands(self.withheld)));
        }
        for (name, column) in query.columns().into_iter().filter_map(|name| Some((name, self.column(name)?))) {
            let listed = query.condition(name).and_then(|condition| column.cells.any_leaf(condition));
            if listed == Some(false) && column.cells.are_known() {
                notes.push(format!("no known value of “{name}” satisfies its condition: check the spelling"));
            }
            if !column.cells.are_known() {
                notes.push(format!(
                    "nothing is certain about “{name}”: its labels may stand for any value, so the estimate is a \
                     guess; give the hierarchy of the release with --hierarchy {name}=FILE"
                ));
            } else if column.cells.are_guessed() {
                notes.push(format!(
                    "it is unknown which values some labels of “{name}” stand for; half of them are assumed to \
                     satisfy a condition; give a hierarchy with --hierarchy {name}=FILE"
                ));
            }
        }
        if !query.group_by.is_empty() && !self.each_side().all(|side| side.splits_by_value(query)) {
            let note = "groups are published labels, because the values that they stand for are not listed; nothing is \
                        certain about the original";
            notes.push(note.into());
        }
        notes
    }

    pub(super) fn each_side(&self) -> impl Iterator<Item = &TableSide> {
        match &self.tables {
            QueryTables::One(side) => [Some(side), None],
            QueryTables::Two(two) => [Some(&two.first), Some(&two.second)],
        }
        .into_iter()
        .flatten()
    }

    pub(super) fn column(&self, name: &str) -> Option<&QueryColumn> {
        self.each_side().find_map(|side| side.column(name))
    }
}

fn asks(side: &TableSide, query: &Query) -> bool {
    query.columns().iter().any(|name| side.position(name).is_some())
}
