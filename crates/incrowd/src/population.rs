//! A population that is given as a table: opened, counted, and placed beside a sample.

use incrowd_core::{FrequencyTable, GivenPopulation, Hierarchy, QuasiIdentifier, Values};
use incrowd_engine::{EncodingFault, Engine, EngineError, Question, ReadOptions, Source};

use crate::error::{Error, Result};
use crate::request::PopulationOptions;

/// Opens a population. Its columns are written as those of the table are; its delimiter, its header and whether it is
/// UTF-8 are its own.
pub(crate) fn open(
    engine: &Engine,
    asked: &PopulationOptions,
    names: &[String],
    of_table: &ReadOptions,
) -> Result<(Source, ReadOptions)> {
    let dates = of_table.date_formats.iter().filter(|(column, _)| names.contains(column));
    let commas = of_table.decimal_commas.iter().filter(|column| names.contains(column));
    let reading = ReadOptions {
        nulls: of_table.nulls.clone(),
        encoding: of_table.encoding,
        date_formats: dates.cloned().collect(),
        decimal_commas: commas.cloned().collect(),
        ..ReadOptions::default()
    };
    let path = asked.path.to_string_lossy();
    let is_utf8 = |error: &EngineError| matches!(error, EngineError::BadEncoding { fault: EncodingFault::IsUtf8, .. });
    match Source::open(engine, &path, reading.clone()) {
        Err(error) if is_utf8(&error) => {
            let reading = ReadOptions { encoding: None, ..reading };
            Ok((Source::open(engine, &path, reading.clone())?, reading))
        }
        opened => Ok((opened?, reading)),
    }
}

/// A population by its tuples.
pub(crate) struct CountedPopulation {
    /// The tuples of the quasi-identifiers, with the count column as the last one if there is one.
    table: FrequencyTable,
    /// How many people each value of the count column stands for.
    people: Option<Vec<u64>>,
}

impl CountedPopulation {
    /// Counts the tuples of a population on these columns.
    pub(crate) fn of(
        engine: &Engine,
        source: &Source,
        names: &[String],
        asked: &PopulationOptions,
    ) -> Result<CountedPopulation> {
        let quasi_identifiers = names.iter().cloned().chain(asked.count_column.clone()).collect();
        let question = Question { quasi_identifiers, ..Question::default() };
        let table = source.count(engine, &question)?.into_table(engine)?;
        let people = match &asked.count_column {
            None => None,
            Some(column) => {
                let refused = || Error::CountIsNoNumber(column.clone());
                let dictionary = &table.attributes()[names.len()].dictionary;
                let Values::Integers(values) = dictionary.values() else { return Err(refused()) };
                let people: Option<Vec<u64>> = values.iter().map(|&value| u64::try_from(value).ok()).collect();
                Some(people.filter(|_| dictionary.missing().is_none()).ok_or_else(refused)?)
            }
        };
        Ok(CountedPopulation { table, people })
    }

    /// How many rows its table has.
    pub(crate) fn rows(&self) -> u64 {
        self.table.rows()
    }

    /// The population as cells of a sample's columns.
    pub(crate) fn like(
        &self,
        sample: &FrequencyTable,
        (quasi, hierarchies): (&[QuasiIdentifier], &[Option<Hierarchy>]),
    ) -> GivenPopulation {
        let width = quasi.len();
        let people =
            |tuple: usize| self.people.as_ref().map_or(1, |people| people[self.table.code(tuple, width) as usize]);
        GivenPopulation::new(sample, quasi, hierarchies, &self.table, people)
    }
}
