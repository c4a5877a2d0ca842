//! What an attacker who knows published columns finds: how many published rows agree on them.
//!
//! The columns that an attacker could know are the quasi-identifiers, every insensitive column, and what was published
//! with `keep_identifying`. Sensitive columns are assumed to be unknown. What is said about singling out, linkability and
//! the risk of re-identification is about all known columns together, as they are published.
//!
//! The prosecutor, the marketer and the tests of opinion 05/2014 (`report/privacy_tests.rs`) count rows on all known
//! columns. Their results are called proven only as far as rows were counted ([`Basis`]).

use std::path::PathBuf;

use incrowd_core::{ClassSizes, FrequencyTable, Outcome};
use incrowd_engine::{Engine, EngineError, Format, Question, ReadOptions, Source, TextEncoding};
use incrowd_risk::attack::{marketer, prosecutor};
use incrowd_verify::FileEntry;

use crate::error::Result;

/// How a file of a release is read, as its manifest describes it.
pub(crate) fn release_reading(file: &FileEntry) -> ReadOptions {
    let format = match file.format {
        incrowd_verify::Format::Csv => Format::Csv,
        incrowd_verify::Format::Parquet => Format::Parquet,
        incrowd_verify::Format::Arrow => Format::Arrow,
        incrowd_verify::Format::Xlsx => Format::Xlsx,
        incrowd_verify::Format::Dta => Format::Dta,
        incrowd_verify::Format::Sav => Format::Sav,
    };
    let dialect = file.dialect.as_ref();
    let delimiter = dialect.and_then(|dialect| u8::try_from(dialect.delimiter).ok()).unwrap_or(b',');
    let commas = dialect.map(|dialect| dialect.decimal_comma.as_slice()).unwrap_or_default();
    ReadOptions {
        delimiter: (format == Format::Csv).then_some(delimiter),
        encoding: dialect.and_then(|dialect| TextEncoding::named(dialect.encoding.as_deref()?)),
        // The name of a column may be escaped, too.
        comma_labels: commas.iter().flat_map(|name| [name.clone(), format!("'{name}")]).collect(),
        header: Some(true),
        format: Some(format),
        ..ReadOptions::default()
    }
}

/// Which columns an attacker is assumed to know beside the quasi-identifiers, and how far that was counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Knowledge {
    /// Columns that are published unchanged or treated and that an attacker could know.
    pub(crate) known: Vec<String>,
    /// Sensitive columns that an attacker is assumed not to know.
    pub(crate) unknown: Vec<String>,
    /// What the class sizes on all known columns count.
    pub(crate) basis: Basis,
}

impl Knowledge {
    /// What was counted, in sentences that follow another one.
    pub(crate) fn words(&self, quasi_identifiers: &[String]) -> String {
        let mut words = String::new();
        if !self.known.is_empty() && self.basis != Basis::NotCounted {
            let columns: Vec<&str> = quasi_identifiers.iter().chain(&self.known).map(String::as_str).collect();
            words += &format!(" Counted on {}.", columns.join(", "));
        }
        words += match self.basis {
            Basis::Exact => "",
            Basis::RowsNotPeople => " Rows were counted, and one person may have several: the risk can be higher.",
            Basis::NotCounted => " Columns beside the quasi-identifiers were not counted: the risk can be higher.",
        };
        words
    }
}

/// What class sizes on the known columns count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Basis {
    /// What k counts: rows, or people.
    #[default]
    Exact,
    /// Rows, although k counts people: a class may hold fewer people than rows.
    RowsNotPeople,
    /// Only the quasi-identifiers: the classes on all known columns did not fit in the memory allowed.
    NotCounted,
}

/// The published rows of one table, open for counting.
pub(crate) struct PublishedRows {
    source: Source,
    /// The published columns and what the file calls them: a header may be escaped.
    names: Vec<(String, String)>,
    /// Class sizes that were counted ahead, by the columns of the file.
    ahead: Vec<(Vec<String>, ClassSizes)>,
}

impl PublishedRows {
    /// Opens the files of a table whose columns are these, in order.
    pub(crate) fn open(
        engine: &Engine,
        files: &[PathBuf],
        reading: ReadOptions,
        columns: Vec<String>,
    ) -> Result<PublishedRows> {
        let source = Source::open_files(engine, files, reading)?;
        let names = columns.into_iter().zip(source.columns()).collect();
        Ok(PublishedRows { source, names, ahead: Vec::new() })
    }

    /// Counts on tasks of a cluster, in one scan, how many rows agree on each of these sets of columns; without such tasks,
    /// or if they cannot compare a column, each set is counted when it is asked for.
    pub(crate) fn count_ahead(&mut self, engine: &Engine, sets: &[Vec<&String>]) -> Result<()> {
        let asked = sets.iter().map(|set| self.question(set.iter().copied()).quasi_identifiers);
        let mut asked: Vec<Vec<String>> = asked.collect();
        asked.sort_unstable();
        asked.dedup();
        if let Some(Some(counted)) = within_limits(self.source.agreeing_rows(engine, &asked))? {
            self.ahead = asked.into_iter().zip(counted).map(|(set, counted)| (set, counted.sizes)).collect();
        }
        Ok(())
    }

    /// How many rows agree on these columns; nothing when that cannot be counted within the limits of the engine.
    pub(crate) fn class_sizes<'n>(
        &self,
        engine: &Engine,
        columns: impl IntoIterator<Item = &'n String>,
    ) -> Result<Option<ClassSizes>> {
        let question = self.question(columns);
        if let Some((_, sizes)) = self.ahead.iter().find(|(set, _)| *set == question.quasi_identifiers) {
            return Ok(Some(sizes.clone()));
        }
        within_limits(self.source.class_sizes(engine, &question))
    }

    /// The distinct tuples of these columns, in this order; nothing when they do not fit within the limits of the engine.
    pub(crate) fn tuples<'n>(
        &self,
        engine: &Engine,
        columns: impl IntoIterator<Item = &'n String>,
    ) -> Result<Option<FrequencyTable>> {
        within_limits(
            self.source.count_here(engine, &self.question(columns)).and_then(|answer| answer.into_table(engine)),
        )
    }

    fn question<'n>(&self, columns: impl IntoIterator<Item = &'n String>) -> Question {
        let in_file = |name: &String| self.names.iter().find(|(published, _)| published == name);
        let names = columns.into_iter().filter_map(in_file).map(|(_, in_file)| in_file.clone());
        Question { quasi_identifiers: names.collect(), ..Question::default() }
    }
}

/// What those who look for people achieve when they know all known columns: the prosecutor and the marketer.
pub(crate) fn attacks_on_people(
    sizes: &ClassSizes,
    knowledge: &Knowledge,
    quasi_identifiers: &[String],
    threshold: f64,
) -> [Outcome; 2] {
    let words = knowledge.words(quasi_identifiers);
    [prosecutor::attack_sizes(sizes, threshold), marketer::attack_sizes(sizes)].map(|mut outcome| {
        outcome.meaning += &words;
        outcome
    })
}

/// An answer, or nothing when it would take more than the engine may use, or a column holds what cannot be compared.
pub(crate) fn within_limits<T>(answer: std::result::Result<T, EngineError>) -> Result<Option<T>> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(
            EngineError::TooManyColumns { .. }
            | EngineError::TooManyTuples { .. }
            | EngineError::TooManyValues { .. }
            | EngineError::TooWide
            | EngineError::UnsupportedType { .. },
        ) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
