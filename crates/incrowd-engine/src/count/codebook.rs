//! How the first scan turned cells into codes, so that a second scan finds the same tuples.
//!
//! Dictionaries of the table hold values in the order of their ranks. Texts come back from them letter for letter, so a
//! dictionary that is filled with them in that order gives every text its rank. Values of fixed width are distinguished
//! by bits that a dictionary does not hold, so these are kept with their ranks. A value that is not in the codebook was
//! not in the table when it was counted: the file changed, and what was decided about it no longer holds.

use std::sync::Arc;

use incrowd_core::Attribute;
#[cfg(feature = "cluster")]
use serde::{Deserialize, Serialize};

use crate::count::encode::{ColumnEncoder, PersonHasher};
#[cfg(feature = "cluster")]
use crate::count::groups::ExecutorGroups;
use crate::count::intern::{DictionaryBudget, MISSING, NoCode, SharedDictionary};
use crate::count::typing::Ranked;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::narrow::number32;
use crate::source::coding::Coding;
use crate::source::table::Source;

/// How the first scan turned cells into codes. Made by [`Source::count`](crate::Source::count).
#[derive(Clone)]
pub struct Codebook {
    columns: Vec<CodedColumn>,
    /// The column that says who a row is about, and the hasher of its cells.
    subject: Option<(String, PersonHasher)>,
    threads: usize,
    /// The rows of each partition of the first scan.
    stretches: Vec<u64>,
    /// What came back from executors, when these scanned.
    #[cfg(feature = "cluster")]
    groups: Option<Arc<ExecutorGroups>>,
    /// The key of the hashes of people, when executors scanned.
    #[cfg(feature = "cluster")]
    person_key: Option<[u64; 4]>,
}

/// The codes of one column.
#[derive(Clone)]
pub(crate) struct CodedColumn {
    name: String,
    /// The bits of values of fixed width, each with the code after its rank; nothing for texts.
    bits: Vec<(u64, u32)>,
    texts: bool,
}

impl std::fmt::Debug for Codebook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Neither values nor the key of the hashes.
        f.debug_struct("Codebook").field("columns", &self.columns.len()).finish_non_exhaustive()
    }
}

impl CodedColumn {
    pub(crate) fn new(name: &str, column: &Ranked) -> Self {
        let coded = |(&bits, &rank): (&u64, &u32)| (bits, rank + 1);
        let bits = column.bits.iter().flatten().zip(&column.ranks[1..]).map(coded).collect();
        CodedColumn { name: name.into(), bits, texts: column.bits.is_none() }
    }

    /// The column's dictionary as the table has it: the code of a value is the one after its rank.
    fn shared(&self, source: &Source, attribute: &Attribute) -> SharedDictionary {
        let dictionary = &attribute.dictionary;
        let values = if self.texts { number32(dictionary.values().len()) } else { 0 };
        let texts = (0..values).map(|rank| dictionary.label(rank).into_owned().into_boxed_str());
        // What is put in was in memory before; nothing is added.
        source.dictionary(&self.name, 0, Arc::new(DictionaryBudget::new(u64::MAX, 1))).closed(texts, &self.bits)
    }
}

impl Codebook {
    pub(crate) fn new(
        columns: Vec<CodedColumn>,
        subject: Option<(String, PersonHasher)>,
        threads: usize,
        stretches: Vec<u64>,
    ) -> Self {
        Codebook {
            columns,
            subject,
            threads,
            stretches,
            #[cfg(feature = "cluster")]
            groups: None,
            #[cfg(feature = "cluster")]
            person_key: None,
        }
    }

    /// The codebook of a scan by executors.
    #[cfg(feature = "cluster")]
    pub(crate) fn of_groups(
        columns: Vec<CodedColumn>,
        groups: Arc<ExecutorGroups>,
        source: &Source,
        subject: Option<(String, [u64; 4])>,
    ) -> Self {
        let person_key = subject.as_ref().map(|(_, key)| *key);
        let subject = subject.map(|(name, key)| (name, PersonHasher::new(&source.options.nulls, Some(key))));
        Codebook { columns, subject, threads: 0, stretches: Vec::new(), groups: Some(groups), person_key }
    }

    /// The codes of all columns, as they are described to executors.
    #[cfg(feature = "cluster")]
    pub(crate) fn parts(&self, attributes: &[Attribute]) -> CodebookParts {
        let column = |(column, attribute): (&CodedColumn, &Attribute)| {
            let dictionary = &attribute.dictionary;
            let texts = if column.texts { number32(dictionary.values().len()) } else { 0 };
            ColumnParts {
                name: column.name.clone(),
                texts: (0..texts).map(|rank| dictionary.label(rank).into_owned()).collect(),
                bits: column.bits.clone(),
                missing: dictionary.missing(),
            }
        };
        let subject = self.subject.as_ref().map(|(name, _)| name.clone()).zip(self.person_key);
        CodebookParts { columns: self.columns.iter().zip(attributes).map(column).collect(), subject }
    }

    /// What came back from executors, when these scanned.
    #[cfg(feature = "cluster")]
    pub(crate) fn groups(&self) -> Option<&ExecutorGroups> {
        self.groups.as_deref()
    }

    /// The columns to read: those of the table, then the subject.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.columns.iter().map(|column| &column.name).chain(self.subject.iter().map(|(name, _)| name))
    }

    /// The rows of each partition of a scan on this many threads, if the first scan ran on as many.
    pub(crate) fn stretches(&self, threads: usize) -> Option<&[u64]> {
        (threads == self.threads).then_some(&self.stretches)
    }

    /// Whether people are distinguished by a subject column.
    pub(crate) fn has_subject(&self) -> bool {
        self.subject.is_some()
    }

    /// What all threads of a scan share.
    pub(crate) fn open(&self, source: &Source, attributes: &[Attribute]) -> Result<OpenCodebook> {
        let coding = |column: &CodedColumn| Coding::of_column(&column.name, source.data_type(&column.name)?);
        let codings = self.columns.iter().map(coding).collect::<Result<_>>()?;
        let dictionaries = self.columns.iter().zip(attributes);
        let dictionaries = dictionaries.map(|(column, attribute)| Arc::new(column.shared(source, attribute))).collect();
        // A missing cell where the first scan met none is a change like any other value.
        let missing = attributes.iter().map(|attribute| attribute.dictionary.missing()).collect();
        let names = self.columns.iter().map(|column| column.name.clone()).collect();
        let hasher = self.subject.as_ref().map(|(_, hasher)| hasher.clone());
        Ok(OpenCodebook { source: source.name().into(), names, codings, dictionaries, missing, hasher })
    }
}

/// A codebook with its dictionaries filled.
pub(crate) struct OpenCodebook {
    source: String,
    names: Vec<String>,
    codings: Vec<Coding>,
    dictionaries: Vec<Arc<SharedDictionary>>,
    missing: Vec<Option<u32>>,
    hasher: Option<PersonHasher>,
}

/// A codebook as it is described to executors.
#[cfg(feature = "cluster")]
#[derive(Serialize, Deserialize)]
pub(crate) struct CodebookParts {
    columns: Vec<ColumnParts>,
    /// The column that says who a row is about, and the key of its hashes.
    subject: Option<(String, [u64; 4])>,
}

#[cfg(feature = "cluster")]
impl CodebookParts {
    /// The columns to read: those of the table, then the subject.
    pub(crate) fn names(&self) -> Vec<String> {
        let subject = self.subject.iter().map(|(name, _)| name.clone());
        self.columns.iter().map(|column| column.name.clone()).chain(subject).collect()
    }
}

#[cfg(feature = "cluster")]
impl std::fmt::Debug for CodebookParts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // No values.
        f.debug_struct("CodebookParts").field("columns", &self.columns.len()).finish_non_exhaustive()
    }
}

/// The codes of one column: its texts in the order of their ranks, or the bits of other values with the code of each.
#[cfg(feature = "cluster")]
#[derive(Serialize, Deserialize)]
struct ColumnParts {
    name: String,
    texts: Vec<String>,
    bits: Vec<(u64, u32)>,
    missing: Option<u32>,
}

impl OpenCodebook {
    /// The codebook that parts describe.
    #[cfg(feature = "cluster")]
    pub(crate) fn of_parts(source: &Source, parts: CodebookParts) -> Result<OpenCodebook> {
        let (mut names, mut codings, mut dictionaries, mut missing) = (vec![], vec![], vec![], vec![]);
        for ColumnParts { name, texts, bits, missing: none } in parts.columns {
            codings.push(Coding::of_column(&name, source.data_type(&name)?)?);
            let budget = Arc::new(DictionaryBudget::new(u64::MAX, 1));
            let texts = texts.into_iter().map(String::into_boxed_str);
            dictionaries.push(Arc::new(source.dictionary(&name, 0, budget).closed(texts, &bits)));
            missing.push(none);
            names.push(name);
        }
        let hasher = parts.subject.map(|(_, key)| PersonHasher::new(&source.options.nulls, Some(key)));
        Ok(OpenCodebook { source: source.name().into(), names, codings, dictionaries, missing, hasher })
    }

    /// A coder of each column, for one thread.
    pub(crate) fn encoders(&self) -> Vec<ColumnEncoder> {
        let pairs = self.codings.iter().zip(&self.dictionaries);
        pairs.map(|(coding, shared)| ColumnEncoder::new(coding.clone(), shared.clone())).collect()
    }

    /// The hasher of the subject column, which is read after the columns of the table.
    pub(crate) fn hasher(&self) -> Option<&PersonHasher> {
        self.hasher.as_ref()
    }

    /// The rank behind the code of a column.
    pub(crate) fn rank(&self, column: usize, code: u32) -> Option<u32> {
        if code == MISSING { self.missing[column] } else { Some(code - 1) }
    }

    /// The refusal of a table that is no longer the one that was counted.
    pub(crate) fn changed(&self) -> EngineError {
        EngineError::Changed(self.source.clone())
    }

    /// Why a cell got no code.
    pub(crate) fn refusal(&self, column: usize, no_code: NoCode) -> EngineError {
        match no_code {
            NoCode::Full => self.changed(),
            NoCode::Fault(fault) => EngineError::BadValue { column: self.names[column].clone(), fault },
        }
    }
}
