//! A made-up census: a table of any size about people who do not exist, the same for the same seed.
//!
//! It is skewed and correlated as such tables are and far from anonymous, so it serves to try things out, to teach and
//! to measure. A row depends on nothing but the seed and its number: chunks can be made in any order, in parallel and
//! in any size, and the table is always the same.
//!
//! Columns: `person_id`, `age`, `workclass`, `education`, `marital-status`, `occupation`, `race`, `sex`,
//! `native-country`, `postcode`, `birth-date`, `diagnosis`, `salary-class`. An empty label in `workclass`, `occupation`
//! or `native-country` is a missing value and is written as one. Ages are counted on 1 July 2024.

mod alias;
mod generator;
mod hierarchies;
mod labels;
mod person;
#[cfg(test)]
mod tests;
mod weights;
mod write;

use std::ops::Range;
use std::sync::Arc;

use incrowd_core::{Chunk, ChunkColumn};

pub use hierarchies::hierarchies;
pub use write::write;

use generator::{Generator, POSTCODES, Person};
use labels::LabelPath;
use person::PersonCodes;

const SALARY_CLASSES: [&str; 2] = ["<=50K", ">50K"];

/// A made-up table of a given size.
#[derive(Clone, Debug)]
pub struct Sample {
    rows: u64,
    generator: Generator,
    codes: PersonCodes,
    labels: SampleLabels,
}

/// The labels of each column, shared by all chunks.
#[derive(Clone, Debug)]
struct SampleLabels {
    workclass: Arc<[String]>,
    education: Arc<[String]>,
    marital_status: Arc<[String]>,
    occupation: Arc<[String]>,
    race: Arc<[String]>,
    sex: Arc<[String]>,
    native_country: Arc<[String]>,
    postcode: Arc<[String]>,
    diagnosis: Arc<[String]>,
    salary_class: Arc<[String]>,
}

impl Sample {
    /// How many rows [`Sample::chunk`] gives at a time.
    pub const CHUNK_ROWS: u64 = 65_536;

    /// A table of this many rows, the same for the same seed. A longer table starts with the rows of a shorter one.
    ///
    /// # Panics
    /// If there are more rows than 2⁵⁰, the number of different person codes.
    pub fn new(rows: u64, seed: u64) -> Self {
        assert!(rows <= PersonCodes::CAPACITY, "a sample has at most {} rows", PersonCodes::CAPACITY);
        Sample { rows, generator: Generator::new(seed), codes: PersonCodes::new(seed), labels: SampleLabels::new() }
    }

    /// How many rows the table has.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How many chunks of [`Sample::CHUNK_ROWS`] rows there are, the last one perhaps shorter.
    pub fn chunk_count(&self) -> u64 {
        self.rows.div_ceil(Self::CHUNK_ROWS)
    }

    /// The chunk of this number, counted from 0; without rows beyond the last.
    pub fn chunk(&self, index: u64) -> Chunk {
        self.stretch(index.saturating_mul(Self::CHUNK_ROWS), Self::CHUNK_ROWS)
    }

    /// The whole table in chunks of this many rows, at least one.
    pub fn chunks(&self, rows_per_chunk: usize) -> impl Iterator<Item = Chunk> + '_ {
        let rows = rows_per_chunk.max(1);
        (0..self.rows).step_by(rows).map(move |first| self.stretch(first, rows as u64))
    }

    fn stretch(&self, first: u64, rows: u64) -> Chunk {
        let first = first.min(self.rows);
        let range = first..first.saturating_add(rows).min(self.rows);
        let people: Vec<Person> = range.clone().map(|row| self.generator.person(row)).collect();
        let labelled = |labels: &Arc<[String]>, code: fn(&Person) -> u32| ChunkColumn::Labels {
            codes: people.iter().map(code).collect(),
            labels: Arc::clone(labels),
        };
        let labels = &self.labels;
        let columns = [
            ("person_id", self.person_ids(range)),
            ("age", ChunkColumn::Integers(people.iter().map(|person| i64::from(person.age)).collect())),
            ("workclass", labelled(&labels.workclass, |person| person.workclass)),
            ("education", labelled(&labels.education, |person| person.education)),
            ("marital-status", labelled(&labels.marital_status, |person| person.marital_status)),
            ("occupation", labelled(&labels.occupation, |person| person.occupation)),
            ("race", labelled(&labels.race, |person| person.race)),
            ("sex", labelled(&labels.sex, |person| person.sex)),
            ("native-country", labelled(&labels.native_country, |person| person.native_country)),
            ("postcode", labelled(&labels.postcode, |person| person.postcode)),
            ("birth-date", ChunkColumn::Dates(people.iter().map(|person| person.birth_date).collect())),
            ("diagnosis", labelled(&labels.diagnosis, |person| person.diagnosis)),
            ("salary-class", labelled(&labels.salary_class, |person| person.salary_class)),
        ];
        Chunk { columns: columns.into_iter().map(|(name, cells)| (name.to_owned(), cells)).collect() }
    }

    fn person_ids(&self, range: Range<u64>) -> ChunkColumn {
        ChunkColumn::Texts(range.map(|row| self.codes.code(row)).collect())
    }
}

impl SampleLabels {
    fn new() -> Self {
        let leaves = |labels: &[LabelPath]| labels.iter().map(|(leaf, ..)| (*leaf).to_owned()).collect::<Vec<_>>();
        let shared = |labels: &[LabelPath]| Arc::from(leaves(labels));
        let with_missing = |labels: &[LabelPath]| Arc::from([leaves(labels), vec![String::new()]].concat());
        let plain = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect();
        SampleLabels {
            workclass: with_missing(&labels::WORKCLASS),
            education: shared(&labels::EDUCATION),
            marital_status: shared(&labels::MARITAL_STATUS),
            occupation: with_missing(&labels::OCCUPATION),
            race: shared(&labels::RACE),
            sex: plain(&labels::SEX),
            native_country: with_missing(&labels::NATIVE_COUNTRY),
            // Not every number is a postcode: the last digit follows from the others.
            postcode: (0..POSTCODES).map(|code| format!("{code:04}{}", (code * 7 + code / 100) % 10)).collect(),
            diagnosis: shared(&labels::DIAGNOSIS),
            salary_class: plain(&SALARY_CLASSES),
        }
    }
}
