//! The one grouped scan: a table becomes its frequency table.

use std::sync::Arc;

use datafusion::arrow::record_batch::RecordBatch;
use incrowd_core::{Attribute, ClassSizes, ColumnSet, FrequencyTable, Role, Stage};

use crate::collect::{Collector, Counted, Room, Rows};
use crate::encode::{Coding, Encoder, People};
use crate::engine::{DICTIONARY_SHARE, Engine, TUPLE_SHARE, share};
use crate::error::{EngineError, Result};
use crate::intern::{Budget, NoCode, Shared};
use crate::merge::{Merged, Ranks, merge};
use crate::scan::scan;
use crate::spill::Spills;
use crate::table::Source;
use crate::typing::rank;

/// What is counted: which columns, and whether people instead of rows.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The columns that tell classes apart.
    pub quasi_identifiers: Vec<String>,
    /// Further columns that are carried along in the tuples.
    pub sensitive: Vec<String>,
    /// The column that says which rows belong to the same person.
    pub subject: Option<String>,
    /// Only the class sizes are wanted: the tuples are judged part by part and not kept.
    pub sizes_only: bool,
}

/// What one grouped scan found.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The distinct tuples; nothing when only sizes were wanted, or when they outgrow the memory that was allowed.
    pub table: Option<FrequencyTable>,
    /// The class sizes by all quasi-identifiers.
    pub sizes: ClassSizes,
    /// Rows of the table.
    pub rows: u64,
    /// Distinct tuples (told apart by person, too, when there is a subject column).
    pub tuples: u64,
    /// Bytes of codes that went through the disk because memory was short.
    pub spilled_bytes: u64,
    /// The bytes it takes to put the tuples together in memory.
    needed: u64,
}

impl Answer {
    /// The tuples, or why they are not there.
    pub fn into_table(self, engine: &Engine) -> Result<FrequencyTable> {
        let (tuples, needed, limit) = (self.tuples, self.needed, engine.memory.unwrap_or(u64::MAX));
        self.table.ok_or(EngineError::TooManyTuples { tuples, needed, limit })
    }
}

/// One partition's reader.
struct Reader {
    encoders: Vec<Encoder>,
    codes: Vec<Vec<u32>>,
    people: Vec<u64>,
    collector: Collector,
}

impl Source {
    /// Reads the columns of the question once and counts their tuples.
    pub fn count(&self, engine: &Engine, question: &Question) -> Result<Answer> {
        let attributes: Vec<String> = question.quasi_identifiers.iter().chain(&question.sensitive).cloned().collect();
        let codings =
            attributes.iter().map(|name| Coding::of_column(name, self.data_type(name)?)).collect::<Result<Vec<_>>>()?;
        let read: Vec<String> = attributes.iter().chain(&question.subject).cloned().collect();
        self.check_asked(&read, attributes.len())?;
        let most_bytes = engine.memory.map_or(u64::MAX, |memory| share(memory, DICTIONARY_SHARE));
        let budget = Arc::new(Budget::new(most_bytes, engine.threads));
        let dictionaries: Vec<Arc<Shared>> = attributes
            .iter()
            .map(|_| Arc::new(Shared::new(&self.options.nulls, u32::MAX as usize - 1, budget.clone())))
            .collect();
        let room = Arc::new(Room::new(engine.memory.map(|memory| share(memory, TUPLE_SHARE)), engine.threads));
        let spills = Arc::new(Spills::new(engine.folder.path()));
        let subject = question.subject.is_some();
        let start = || Reader {
            encoders: codings
                .iter()
                .zip(&dictionaries)
                .map(|(coding, shared)| Encoder::new(coding.clone(), shared.clone()))
                .collect(),
            codes: vec![Vec::new(); attributes.len()],
            people: Vec::new(),
            collector: Collector::new(
                attributes.len(),
                question.quasi_identifiers.len(),
                subject,
                room.clone(),
                spills.clone(),
            ),
        };
        let (names, people) = (attributes.clone(), People::new(&self.options.nulls));
        let step = move |reader: &mut Reader, batch: &RecordBatch| {
            for (index, (encoder, codes)) in reader.encoders.iter_mut().zip(&mut reader.codes).enumerate() {
                encoder.encode(batch.column(index), codes).map_err(|no_code| match no_code {
                    NoCode::Full => EngineError::TooManyValues { column: names[index].clone(), bytes: most_bytes },
                    NoCode::Fault(fault) => EngineError::BadValue { column: names[index].clone(), fault },
                })?;
            }
            if subject {
                reader.people.clear();
                people.hash(batch.column(names.len()), &mut reader.people);
            }
            let rows = Rows { codes: &reader.codes, people: subject.then_some(&reader.people) };
            reader.collector.add(&rows, batch.num_rows())
        };
        let readers = scan(engine, self, &read, Stage::Count, start, step)?;
        let missing: Vec<bool> = (0..attributes.len())
            .map(|index| readers.iter().any(|reader| reader.encoders[index].met_missing()))
            .collect();
        let counted: Vec<Counted> = readers.into_iter().map(|reader| reader.collector.finish()).collect();
        let roles = question.quasi_identifiers.iter().map(|_| Role::QuasiIdentifier);
        let roles = roles.chain(question.sensitive.iter().map(|_| Role::Sensitive));
        let mut ranked = Ranks::default();
        for (((name, role), shared), missing) in attributes.into_iter().zip(roles).zip(dictionaries).zip(missing) {
            let shared = Arc::into_inner(shared)
                .ok_or(EngineError::Engine { doing: "sorting tuples", kind: "a task still runs" })?;
            let column = rank(&name, self.data_type(&name)?, shared, missing, self.date_format(&name))?;
            ranked.push(Attribute::new(name, role, column.dictionary), column.ranks);
        }
        engine.check_cancelled()?;
        let Merged { table, sizes, rows, tuples, needed } = merge(engine, counted, ranked, question)?;
        Ok(Answer { table, sizes, rows, tuples, spilled_bytes: spills.bytes(), needed })
    }

    /// Refuses what cannot be counted before a row is read: unknown and repeated columns, too many of them, and types
    /// that cannot be grouped.
    fn check_asked(&self, columns: &[String], attributes: usize) -> Result<()> {
        for (index, column) in columns.iter().enumerate() {
            Coding::of_column(column, self.data_type(column)?)?;
            if columns[..index].contains(column) {
                return Err(EngineError::AskedTwice(column.clone()));
            }
        }
        let most = ColumnSet::CAPACITY;
        if attributes > most { Err(EngineError::TooManyColumns { columns: attributes, most }) } else { Ok(()) }
    }
}
