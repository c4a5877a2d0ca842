//! The one grouped scan: a table becomes its frequency table.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use incrowd_core::{Attribute, ClassSizes, ColumnProfile, ColumnSet, FrequencyTable, Stage};

use crate::count::answer::Answer;
use crate::count::codebook::{Codebook, CodedColumn};
use crate::count::collect::{Collector, CountedTuples, TupleRoom};
use crate::count::count_reader::{CountPlan, CountReader, ToldBy};
use crate::count::dictionaries::Dictionaries;
use crate::count::encode::PersonHasher;
use crate::count::intern::CellWriting;
use crate::count::merge::{Merged, Ranks, merge};
use crate::count::outgrown::Outgrown;
use crate::count::profile::{CodeCounts, Profiling};
use crate::count::question::Question;
use crate::count::row_classes::{HashedRowClasses, RowKeys, class_sizes};
use crate::count::scan::scan;
use crate::count::spill::Spills;
use crate::runtime::engine::{Engine, TUPLE_SHARE, share};
use crate::runtime::error::{EngineError, Result};
use crate::source::coding::Coding;
use crate::source::table::Source;

impl Source {
    /// As [`Source::count`], in this process, and profiles these columns in the same scan.
    pub(crate) fn read_once(
        &self,
        engine: &Engine,
        question: &Question,
        profiled: Option<&[String]>,
    ) -> Result<(Answer, Vec<ColumnProfile>)> {
        GroupedScan::new(self, engine, question, profiled)?.run()
    }

    /// Refuses what cannot be counted before a row is read: unknown and repeated columns, too many of them, and types
    /// that cannot be grouped.
    pub(crate) fn check_question(&self, question: &Question) -> Result<()> {
        let attributes = question.quasi_identifiers.iter().chain(&question.sensitive);
        for column in attributes.clone().chain(&question.subject) {
            Coding::of_column(column, self.data_type(column)?)?;
        }
        let mut known = HashSet::new();
        if let Some(column) = attributes.clone().chain(&question.subject).find(|column| !known.insert(*column)) {
            return Err(EngineError::AskedTwice(column.clone()));
        }
        let (columns, most) = (attributes.count(), ColumnSet::CAPACITY);
        if columns > most { Err(EngineError::TooManyColumns { columns, most }) } else { Ok(()) }
    }
}

/// A scan that is about to be made.
struct GroupedScan<'a> {
    engine: &'a Engine,
    source: &'a Source,
    question: &'a Question,
    plan: Arc<CountPlan>,
    /// The columns to read: those of the tuples, those that are read on their own, the subject.
    columns: Vec<String>,
    dictionaries: Dictionaries,
    profiling: Profiling,
    /// The keys of the hashes that distinguish rows, when some quasi-identifiers are not in the tuples.
    row_keys: Option<RowKeys>,
    room: Arc<TupleRoom>,
    spills: Arc<Spills>,
}

impl<'a> GroupedScan<'a> {
    fn new(
        source: &'a Source,
        engine: &'a Engine,
        question: &'a Question,
        profiled: Option<&[String]>,
    ) -> Result<GroupedScan<'a>> {
        let attributes: Vec<String> = question.quasi_identifiers.iter().chain(&question.sensitive).cloned().collect();
        let dictionaries = Dictionaries::new(source, engine, &attributes, engine.threads)?;
        let mut known: HashSet<&String> = attributes.iter().collect();
        let others = profiled.unwrap_or_default().iter().chain(&question.other_quasi_identifiers);
        let others: Vec<String> = others.filter(|name| known.insert(name)).cloned().collect();
        let profiling = Profiling::new(source, engine, others.clone())?;
        let quasi: HashSet<&String> = question.other_quasi_identifiers.iter().collect();
        let told_by = |name: &String| {
            let by = if source.writing(name) == CellWriting::Plain { ToldBy::Cells } else { ToldBy::Codes };
            quasi.contains(name).then_some(by)
        };
        let mut columns: Vec<String> = attributes.iter().chain(&others).cloned().collect();
        // A subject column that is profiled too is read once and looked at twice.
        columns.extend(question.subject.iter().filter(|name| !others.contains(name)).cloned());
        let subject = question.subject.as_ref().and_then(|name| columns.iter().position(|column| column == name));
        let room = TupleRoom::new(engine.memory.map(|memory| share(memory, TUPLE_SHARE)), engine.threads);
        let plan = CountPlan {
            quasi_identifiers: question.quasi_identifiers.len(),
            told_by: others.iter().map(told_by).collect(),
            subject,
            people: PersonHasher::new(&source.options.nulls, question.person_key),
            is_profiled: profiled.is_some(),
            most_bytes: dictionaries.most_bytes(),
            attributes,
            others,
        };
        Ok(GroupedScan {
            row_keys: (!quasi.is_empty()).then(|| RowKeys::new(&source.options.nulls)),
            room: Arc::new(room.left_beyond(question.at_once)),
            spills: Arc::new(Spills::new(engine.folder.path())),
            plan: Arc::new(plan),
            engine,
            source,
            question,
            columns,
            dictionaries,
            profiling,
        })
    }

    /// The reader of one partition.
    fn reader(&self) -> CountReader {
        let (plan, subject) = (&self.plan, self.plan.subject.is_some());
        let (room, spills) = (|| self.room.clone(), || self.spills.clone());
        let row_classes = |keys: RowKeys| HashedRowClasses::new(keys, subject, room(), spills());
        CountReader {
            encoders: self.dictionaries.encoders(),
            codes: vec![Vec::new(); plan.attributes.len()],
            people: Vec::new(),
            collector: Collector::new(plan.attributes.len(), plan.quasi_identifiers, subject, room(), spills()),
            counts: plan.attributes.iter().map(|_| CodeCounts::default()).collect(),
            tallies: self.profiling.start(),
            row_classes: self.row_keys.clone().map(row_classes),
            rows: 0,
        }
    }

    fn run(self) -> Result<(Answer, Vec<ColumnProfile>)> {
        let plan = self.plan.clone();
        let step = move |reader: &mut CountReader, batch: &RecordBatch| reader.step(&plan, batch);
        let readers = scan(self.engine, self.source, &self.columns, Stage::Count, None, |_| self.reader(), step)?;
        self.finish(readers)
    }

    /// Puts together what the threads counted.
    fn finish(self, mut readers: Vec<CountReader>) -> Result<(Answer, Vec<ColumnProfile>)> {
        let GroupedScan { engine, source, question, plan, dictionaries, profiling, room, spills, .. } = self;
        let stretches: Vec<u64> = readers.iter().map(|reader| reader.rows).collect();
        let rows = stretches.iter().sum();
        let tallies = readers.iter_mut().map(|reader| std::mem::take(&mut reader.tallies)).collect();
        let mut profiles = profiling.finish(source, tallies, rows)?;
        let counts: Vec<CodeCounts> = (0..plan.attributes.len()).map(|index| total_counts(&readers, index)).collect();
        let met = |index: usize| readers.iter().any(|reader| reader.encoders[index].met_missing());
        let missing: Vec<bool> = (0..plan.attributes.len()).map(met).collect();
        let sizes_of_all = sizes_of_all(&mut readers, question.subject.is_some())?;
        let counted: Vec<CountedTuples> = readers.into_iter().map(|reader| reader.collector.finish()).collect();
        let (mut ranked, mut coded) = (Ranks::default(), Vec::with_capacity(plan.attributes.len()));
        for (index, column) in dictionaries.rank(source, &missing).enumerate() {
            let (name, column) = column?;
            if plan.is_profiled {
                profiles.push(counts[index].profile(&name, &column, rows));
            }
            coded.push(CodedColumn::new(&name, &column));
            ranked.push(Attribute::new(name, question.role(index), column.dictionary), column.ranks);
        }
        engine.check_cancelled()?;
        let subject = question.subject.clone().map(|name| (name, plan.people.clone()));
        let codebook = || Codebook::new(coded, subject, engine.threads, stretches);
        let merged = match room.is_outgrown() {
            true => Merged::uncounted(ranked.into_attributes(), rows),
            false => merge(engine, counted, ranked, question)?,
        };
        let Merged { table, attributes, sizes, rows, tuples, words, needed } = merged;
        let (table, codebook, outgrown) = if room.is_outgrown() || tuples > question.at_once.tuples(words) {
            let attributes = table.map_or(attributes, FrequencyTable::into_attributes);
            (None, None, Some(Outgrown::new(attributes, codebook(), rows)?))
        } else {
            let codebook = table.is_some().then(codebook);
            (table, codebook, None)
        };
        let spilled_bytes = spills.bytes();
        Ok((Answer { table, codebook, outgrown, sizes, sizes_of_all, rows, tuples, spilled_bytes, needed }, profiles))
    }
}

/// The rows of each code of one attribute, on all threads.
fn total_counts(readers: &[CountReader], attribute: usize) -> CodeCounts {
    let mut total = CodeCounts::default();
    readers.iter().for_each(|reader| total.merge(&reader.counts[attribute]));
    total
}

/// The class sizes by all quasi-identifiers, when some are not in the tuples.
fn sizes_of_all(readers: &mut [CountReader], subject: bool) -> Result<Option<ClassSizes>> {
    let row_classes = readers.iter_mut().filter_map(|reader| reader.row_classes.take());
    let counted: Vec<CountedTuples> = row_classes.map(HashedRowClasses::finish).collect();
    if counted.is_empty() { Ok(None) } else { class_sizes(counted, subject).map(Some) }
}
