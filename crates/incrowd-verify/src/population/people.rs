//! The people of a population by their values, and how many of them match each class.

use std::collections::HashMap;

use ahash::RandomState;

use super::MatchedClasses;
use super::labels::LabelsOfValues;
use crate::against::OriginalTable;
use crate::count::Counter;
use crate::manifest::{ColumnEntry, Role};
use crate::options::{Options, PopulationTable};
use crate::read::{CellEncoder, CellRules, ColumnTexts, FileColumn, ReadError, ReadProgress, RowSink};
use crate::release::Release;
use crate::verdict::{Fault, FaultKind, Verdict, VerifyError};

/// So few classes are compared one by one.
const FEW: usize = 8;

/// The distinct combinations of values of a population, with their people.
pub(super) struct People {
    /// The codes of the quasi-identifiers, and how many people have them.
    tuples: Vec<(Box<[u32]>, u64)>,
    encoders: Vec<(ColumnTexts, CellRules)>,
    /// How many rows the table has.
    pub(super) rows: u64,
    /// How many people these stand for.
    pub(super) people: u64,
}

impl People {
    /// Counts a population by these columns. Nothing when it lacks one of them; then the verdict has a fault.
    pub(super) fn count(
        population: &PopulationTable,
        columns: &[&ColumnEntry],
        release: &Release<'_>,
        options: &Options<'_>,
        verdict: &mut Verdict,
    ) -> Result<Option<People>, VerifyError> {
        let mut told = Verdict::default();
        let table =
            OriginalTable::open(&population.table, columns.to_vec(), options, &mut told).map_err(of_population)?;
        let Some(table) = table else {
            let message = "the population does not have all quasi-identifiers of the release as columns";
            verdict.faults.push(Fault::new(FaultKind::Population, message));
            return Ok(None);
        };
        let in_files: Vec<FileColumn> =
            release.paths().flat_map(|(path, file)| release.table(&path, file).columns().unwrap_or_default()).collect();
        let progress = ReadProgress::new(options.cancel, options.progress, 0);
        let rules = table.rules(&in_files, &progress).map_err(of_population)?;
        let mut encoders = table.encoders(&rules, |column| column.role == Role::QuasiIdentifier);
        let mut wanted = table.wanted.clone();
        if let Some(name) = &population.count_column {
            let found = table.table.columns().map_err(unread)?;
            let Some(at) = found.iter().position(|column| column.name.trim() == name) else {
                let message = format!("the population has no column {name}");
                verdict.faults.push(Fault::new(FaultKind::Population, message));
                return Ok(None);
            };
            wanted.push(at);
            encoders.push(CellEncoder::plain());
        }
        let mut counter = Counter::new(encoders, wanted.len());
        table.table.count(&wanted, &mut counter, &progress).map_err(unread)?;
        let width = columns.len();
        let stands_for = |codes: &[u32]| match codes.get(width) {
            None => Ok(1),
            Some(&code) => {
                let text = counter.encoders[width].texts.text(code);
                let number = text.and_then(|text| text.trim().parse::<u64>().ok());
                number.ok_or_else(|| VerifyError::Population("a cell of the count column is no whole number".into()))
            }
        };
        let mut by_values: HashMap<Box<[u32]>, u64, RandomState> = HashMap::default();
        let (mut people, mut broken) = (0u64, None);
        counter.each(|codes, rows| match stands_for(codes) {
            Ok(each) => {
                let more = rows.saturating_mul(each);
                people = people.saturating_add(more);
                *by_values.entry(codes[..width].into()).or_default() += more;
            }
            Err(error) => broken = Some(error),
        });
        if let Some(error) = broken {
            return Err(error);
        }
        let rows = counter.rows();
        let texts = counter.encoders.into_iter().map(|encoder| encoder.texts);
        let encoders = texts.zip(rules).collect();
        Ok(Some(People { tuples: by_values.into_iter().collect(), encoders, rows, people }))
    }

    /// The texts of each column and how its cells are read, to read the release by them.
    pub(super) fn take_encoders(&mut self) -> Vec<(ColumnTexts, CellRules)> {
        std::mem::take(&mut self.encoders)
    }

    /// The codes that occur in a column, sorted.
    pub(super) fn values(&self, at: usize) -> Vec<u32> {
        let mut values: Vec<u32> = self.tuples.iter().map(|tuple| tuple.0[at]).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// How many people match each class of a release.
    pub(super) fn matching(&self, published: &Counter, labels: &[LabelsOfValues]) -> MatchedClasses {
        let mut places: HashMap<Box<[u32]>, usize, RandomState> = HashMap::default();
        let mut classes = Vec::new();
        published.each(|codes, rows| {
            places.insert(codes.into(), classes.len());
            classes.push((rows, 0));
        });
        let mut found = MatchedClasses { classes, of_several: 0, of_none: 0 };
        // People whose values lie under the same labels match the same classes.
        let mut alike: HashMap<Vec<&[u32]>, u64, RandomState> = HashMap::default();
        for (values, people) in &self.tuples {
            *alike.entry(labels.iter().zip(values).map(|(labels, &value)| labels.of(value)).collect()).or_default() +=
                people;
        }
        for (under, people) in alike {
            let mut matched: u64 = 0;
            let combinations = under.iter().fold(1usize, |product, labels| product.saturating_mul(labels.len()));
            if combinations > found.classes.len().max(FEW) {
                let lies = |codes: &[u32]| codes.iter().zip(&under).all(|(code, of)| of.binary_search(code).is_ok());
                for (_, &place) in places.iter().filter(|(codes, _)| lies(codes)) {
                    found.classes[place].1 += people;
                    matched += 1;
                }
            } else {
                let mut codes = vec![0; under.len()];
                for number in 0..combinations {
                    let mut rest = number;
                    for (code, labels) in codes.iter_mut().zip(&under) {
                        *code = labels[rest % labels.len()];
                        rest /= labels.len();
                    }
                    if let Some(&place) = places.get(codes.as_slice()) {
                        found.classes[place].1 += people;
                        matched += 1;
                    }
                }
            }
            match matched {
                0 => found.of_none += people,
                1 => {}
                _ => found.of_several += people,
            }
        }
        found
    }
}

/// Why there is no verdict when the population cannot be read.
fn unread(error: ReadError) -> VerifyError {
    match error {
        ReadError::Cancelled => VerifyError::Cancelled,
        ReadError::Unreadable(why) => VerifyError::Population(why),
    }
}

/// An error of reading a table, which is here the population.
fn of_population(error: VerifyError) -> VerifyError {
    match error {
        VerifyError::Original(why) => VerifyError::Population(why.trim_start_matches("the original: ").to_string()),
        other => other,
    }
}

#[cfg(test)]
mod tests;
