//! A table that is read once and then asked again and again, while somebody changes the roles of its columns.
//!
//! The tuples of all columns that may become quasi-identifiers are counted together and stay in memory. The border
//! search is done once over all of them; a smallest dangerous set is one by its own subsets, whichever other columns are
//! quasi-identifiers, so its result answers for every choice of roles. What is left for each choice is one roll-up, and
//! its class sizes are remembered.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use incrowd_core::{AttributeRisk, ClassSizes, ColumnProfile, ColumnSet, Finding, FrequencyTable, Role};
use incrowd_engine::{Engine, EngineError, Question, Source};
use incrowd_risk::diagnosis::{
    BorderSearch, Borders, DiagnosisOptions, MeasuredColumns, borders_watched, diagnose_measured, usual_effort,
};

use super::check::{self, Check, CheckOptions, column_findings, columns_of, concluded};
use super::tuple_columns::TupleColumns;
use crate::error::Result;
use crate::parameters;
use crate::repeated_identifiers::{RepeatedIdentifier, repeated_identifiers};
use crate::roles::{ColumnReport, Declared, assign};
use crate::spellings;

/// Columns whose values are nearly all different make every row a tuple of its own; they are counted only when they are
/// quasi-identifiers.
const MOST_DISTINCT: f64 = 0.5;
/// What remains without a column is measured when all tuples of all columns together are at most this many.
const MOST_MEASURED: usize = 400_000;
/// Columns with more values are not searched for values that are spelled in several ways.
const MOST_SPELLED: usize = 100_000;

/// A table whose profiles and tuples are in memory.
pub struct LiveTable {
    source: Source,
    profiles: Vec<ColumnProfile>,
    /// The column by which people are counted.
    subject: Option<String>,
    /// The tuples, unless they do not fit in memory.
    tuples: Option<FrequencyTable>,
    left_out: Option<Finding>,
    /// For each column, whether values of it are spelled in several ways.
    spelled: Vec<Option<Finding>>,
    borders: Mutex<BTreeMap<u64, Arc<Borders>>>,
    sizes: Mutex<HashMap<ColumnSet, ClassSizes>>,
    repeated: Mutex<HashMap<Vec<String>, Arc<Vec<RepeatedIdentifier>>>>,
}

impl LiveTable {
    /// Reads a table: profiles of its columns, then the tuples of all columns that may be quasi-identifiers.
    pub fn read(engine: &Engine, source: Source, declared: &Declared) -> Result<LiveTable> {
        let profiles = source.profile_columns(engine, &source.plain_columns())?;
        let columns = assign(&profiles, declared)?;
        let subject = columns_of(&columns, Role::Subject).pop();
        let question = Question {
            quasi_identifiers: counted_columns(&profiles, &columns),
            subject: subject.clone(),
            ..Question::default()
        };
        let answer = TupleColumns::of_table(&question, &profiles, 1).count(|question| source.count(engine, question));
        let tuples = match answer.and_then(|answer| answer.into_table(engine)) {
            Ok(tuples) => Some(tuples),
            Err(
                EngineError::TooManyTuples { .. }
                | EngineError::TooManyValues { .. }
                | EngineError::TooManyColumns { .. },
            ) => None,
            Err(error) => return Err(error.into()),
        };
        let spelled = |profile: &ColumnProfile| {
            let searched = profile.dictionary.len() <= MOST_SPELLED;
            searched.then(|| spellings::variants(&profile.name, &profile.dictionary)).flatten()
        };
        Ok(LiveTable {
            left_out: check::left_out(&source),
            spelled: profiles.iter().map(|profile| spelled(profile).map(|found| found.finding())).collect(),
            source,
            profiles,
            subject,
            tuples,
            borders: Mutex::default(),
            sizes: Mutex::default(),
            repeated: Mutex::default(),
        })
    }

    /// The table as it was opened.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Each column separately.
    pub fn profiles(&self) -> &[ColumnProfile] {
        &self.profiles
    }

    /// The distinct tuples of the columns that were counted together; nothing when they do not fit in memory.
    pub fn tuples(&self) -> Option<&FrequencyTable> {
        self.tuples.as_ref()
    }

    /// Whether values of a column are spelled in several ways.
    pub fn spellings_vary(&self, column: &str) -> bool {
        self.profiles.iter().zip(&self.spelled).any(|(profile, found)| profile.name == column && found.is_some())
    }

    /// The columns with their declared or guessed roles.
    pub fn columns(&self, declared: &Declared) -> Result<Vec<ColumnReport>> {
        assign(&self.profiles, declared)
    }

    /// Whether [`LiveTable::check`] can answer for these roles: all quasi-identifiers were counted, and the same people.
    pub fn answers(&self, columns: &[ColumnReport]) -> bool {
        self.places(columns).is_some()
    }

    fn places(&self, columns: &[ColumnReport]) -> Option<ColumnSet> {
        let tuples = self.tuples.as_ref().filter(|_| columns_of(columns, Role::Subject).pop() == self.subject)?;
        let quasi = columns_of(columns, Role::QuasiIdentifier);
        quasi.iter().map(|name| tuples.position(name)).collect()
    }

    /// What `check` answers, without reading the table; nothing when these roles need it to be read again. Says nothing
    /// about values and about sensitive columns.
    pub fn check(&self, engine: &Engine, options: &CheckOptions) -> Result<Option<Check>> {
        parameters::at_least_one("k", Some(options.k))?;
        let removed = check::removed_others(&self.source, options);
        let mut declared = options.declared.clone();
        declared.identifiers.extend(removed.iter().cloned());
        let columns = self.columns(&declared)?;
        let (Some(tuples), Some(places)) = (&self.tuples, self.places(&columns)) else { return Ok(None) };
        let borders = self.borders(engine, options)?;
        let sizes = self.sizes(tuples, places);
        let measured = MeasuredColumns {
            columns: places,
            attributes: self.attributes(tuples, places, options.k),
            borders: &borders,
            sizes,
        };
        let settings =
            DiagnosisOptions { k: options.k, max_set_size: options.max_set_size, ..DiagnosisOptions::default() };
        let mut diagnosis = diagnose_measured(tuples, measured, &settings);
        if places.is_empty() {
            diagnosis.findings.clear();
        }
        diagnosis.findings.extend(column_findings(&columns, &self.profiles));
        diagnosis.findings.extend(check::workbook_finding(&self.source));
        diagnosis.findings.extend(check::labels_finding(&self.source));
        diagnosis.findings.extend(self.left_out.clone());
        diagnosis.findings.extend(check::not_judged(&removed));
        let published = columns.iter().zip(&self.spelled);
        let published = published.filter(|(column, _)| matches!(column.role, Role::Sensitive | Role::QuasiIdentifier));
        diagnosis.findings.extend(published.filter_map(|(_, found)| found.clone()));
        let repeated = self.repeated(engine, &columns, &options.declared)?;
        Ok(Some(concluded(&self.source, columns, diagnosis, &repeated)))
    }

    /// The borders among all counted columns.
    fn borders(&self, engine: &Engine, options: &CheckOptions) -> Result<Arc<Borders>> {
        if let Some(known) = lock(&self.borders).get(&options.k) {
            return Ok(known.clone());
        }
        let empty =
            Borders { largest_safe: vec![], smallest_dangerous: vec![], measured: vec![], groupings: 0, cut: None };
        let Some(tuples) = &self.tuples else { return Ok(Arc::new(empty)) };
        let columns = ColumnSet::first(tuples.attributes().len());
        let effort = usual_effort(tuples.tuples(), columns.len());
        let search = BorderSearch::new(options.k).up_to(options.max_set_size).within(effort).among(columns);
        let watch = engine.watch();
        let found = engine.measure_sets(tuples, || borders_watched(tuples, &search, &watch))??;
        Ok(lock(&self.borders).entry(options.k).or_insert(Arc::new(found)).clone())
    }

    fn sizes(&self, tuples: &FrequencyTable, columns: ColumnSet) -> ClassSizes {
        if let Some(known) = lock(&self.sizes).get(&columns) {
            return known.clone();
        }
        let sizes = tuples.class_sizes(columns);
        lock(&self.sizes).insert(columns, sizes.clone());
        sizes
    }

    /// Each quasi-identifier alone, and what remains without it where that is quickly measured.
    fn attributes(&self, tuples: &FrequencyTable, columns: ColumnSet, k: u64) -> Vec<AttributeRisk> {
        let measures_rest = tuples.tuples() * columns.len() <= MOST_MEASURED;
        let one = |place: usize| {
            let name = &tuples.attributes()[place].name;
            let counts = self.profiles.iter().find(|profile| profile.name == *name).map(|profile| &profile.counts[..]);
            let alone = AttributeRisk::alone(
                name,
                counts.unwrap_or_default(),
                self.sizes(tuples, ColumnSet::single(place)).k(),
            );
            let rest = measures_rest.then(|| self.sizes(tuples, columns.without(place)));
            let unique_without = rest.as_ref().map(ClassSizes::unique);
            AttributeRisk { unique_without, below_without: rest.map(|rest| rest.below(k)), ..alone }
        };
        columns.iter().map(one).collect()
    }

    /// The identifiers that repeat. Counting a column to its end reads the table, so the answer is remembered.
    fn repeated(
        &self,
        engine: &Engine,
        columns: &[ColumnReport],
        declared: &Declared,
    ) -> Result<Arc<Vec<RepeatedIdentifier>>> {
        let subject = columns_of(columns, Role::Subject).pop();
        let about = Declared { subject, ..declared.clone() };
        let mut key = about.identifiers.clone();
        key.extend(about.subject.clone());
        key.push(about.rows_are_people.to_string());
        if let Some(known) = lock(&self.repeated).get(&key) {
            return Ok(known.clone());
        }
        let found = Arc::new(repeated_identifiers(engine, &self.source, &self.profiles, &about)?);
        lock(&self.repeated).insert(key, found.clone());
        Ok(found)
    }
}

/// The columns whose tuples are counted: quasi-identifiers, and others that could become one.
fn counted_columns(profiles: &[ColumnProfile], columns: &[ColumnReport]) -> Vec<String> {
    let counted = |(profile, column): &(&ColumnProfile, &ColumnReport)| match column.role {
        Role::QuasiIdentifier => true,
        Role::Subject => false,
        _ => profile.exact && profile.distinct_share() <= MOST_DISTINCT,
    };
    profiles.iter().zip(columns).filter(counted).map(|(profile, _)| profile.name.clone()).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
