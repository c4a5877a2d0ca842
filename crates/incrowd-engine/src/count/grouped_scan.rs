//! The one grouped scan: a table becomes its frequency table.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::record_batch::RecordBatch;
use incrowd_core::{Attribute, ClassSizes, ColumnProfile, ColumnSet, FrequencyTable, Role, Stage};

use crate::count::answer::Answer;
use crate::count::codebook::{Codebook, CodedColumn};
use crate::count::collect::{Collector, Counted, Room};
use crate::count::encode::{Encoder, People};
use crate::count::intern::{Budget, NoCode, Shared};
use crate::count::merge::{Merged, Ranks, merge};
use crate::count::outgrown::Outgrown;
use crate::count::parts::Rows;
use crate::count::profile::{Counts, Profiling, Tally, unshared};
use crate::count::question::Question;
use crate::count::row_classes::{RowClasses, RowKeys, class_sizes};
use crate::count::scan::scan;
use crate::count::spill::Spills;
use crate::count::typing::rank;
use crate::runtime::engine::{DICTIONARY_SHARE, Engine, TUPLE_SHARE, share};
use crate::runtime::error::{EngineError, Result};
use crate::source::coding::Coding;
use crate::source::table::Source;

/// One partition's reader.
struct Reader {
    encoders: Vec<Encoder>,
    codes: Vec<Vec<u32>>,
    people: Vec<u64>,
    collector: Collector,
    /// Rows of each attribute's codes, and the columns that are not attributes: only when profiles are wanted.
    counts: Vec<Counts>,
    tallies: Vec<Tally>,
    /// The classes by all quasi-identifiers, when some are not in the tuples.
    row_classes: Option<RowClasses>,
    rows: u64,
}

impl Source {
    /// As [`Source::count`], in this process, and profiles these columns in the same scan.
    pub(crate) fn read_once(
        &self,
        engine: &Engine,
        question: &Question,
        profiled: Option<&[String]>,
    ) -> Result<(Answer, Vec<ColumnProfile>)> {
        let attributes: Vec<String> = question.quasi_identifiers.iter().chain(&question.sensitive).cloned().collect();
        let codings =
            attributes.iter().map(|name| Coding::of_column(name, self.data_type(name)?)).collect::<Result<Vec<_>>>()?;
        let mut known: HashSet<&String> = attributes.iter().collect();
        let others = profiled.unwrap_or_default().iter().chain(&question.other_quasi_identifiers);
        let others: Vec<String> = others.filter(|name| known.insert(name)).cloned().collect();
        let profiling = Profiling::new(self, engine, others)?;
        let quasi: HashSet<&String> = question.other_quasi_identifiers.iter().collect();
        // Writings of one day are one value: they are told apart by their code.
        let hashed = |name: &String| quasi.contains(name).then(|| self.date_format(name).is_none());
        let hashed: Arc<Vec<Option<bool>>> = Arc::new(profiling.names().iter().map(hashed).collect());
        let row_keys = (!quasi.is_empty()).then(|| RowKeys::new(&self.options.nulls));
        let mut read: Vec<String> = attributes.iter().chain(profiling.names()).cloned().collect();
        // A subject column that is profiled too is read once and looked at twice.
        read.extend(question.subject.iter().filter(|name| !profiling.names().contains(name)).cloned());
        let subject = question.subject.as_ref().and_then(|name| read.iter().position(|column| column == name));
        let most_bytes = engine.memory.map_or(u64::MAX, |memory| share(memory, DICTIONARY_SHARE));
        let budget = Arc::new(Budget::new(most_bytes, engine.threads));
        let dictionary = |name: &String| Arc::new(self.dictionary(name, u32::MAX as usize - 1, budget.clone()));
        let dictionaries: Vec<Arc<Shared>> = attributes.iter().map(dictionary).collect();
        let room = Room::new(engine.memory.map(|memory| share(memory, TUPLE_SHARE)), engine.threads);
        let room = Arc::new(room.left_beyond(question.at_once));
        let spills = Arc::new(Spills::new(engine.folder.path()));
        let wanted = profiled.is_some();
        let start = |_| {
            let encoder = |(coding, shared): (&Coding, &Arc<Shared>)| Encoder::new(coding.clone(), shared.clone());
            let (columns, classes) = (attributes.len(), question.quasi_identifiers.len());
            let row_classes = |keys: RowKeys| RowClasses::new(keys, subject.is_some(), room.clone(), spills.clone());
            Reader {
                encoders: codings.iter().zip(&dictionaries).map(encoder).collect(),
                codes: vec![Vec::new(); columns],
                people: Vec::new(),
                collector: Collector::new(columns, classes, subject.is_some(), room.clone(), spills.clone()),
                counts: attributes.iter().map(|_| Counts::default()).collect(),
                tallies: profiling.start(),
                row_classes: row_keys.clone().map(row_classes),
                rows: 0,
            }
        };
        let people = People::new(&self.options.nulls, question.person_key);
        let (names, hasher) = (attributes.clone(), people.clone());
        let others = profiling.names().to_vec();
        let classes = question.quasi_identifiers.len();
        let step = move |reader: &mut Reader, batch: &RecordBatch| {
            for (index, (encoder, codes)) in reader.encoders.iter_mut().zip(&mut reader.codes).enumerate() {
                encoder.encode(batch.column(index), codes).map_err(|no_code| match no_code {
                    NoCode::Full => EngineError::TooManyValues { column: names[index].clone(), bytes: most_bytes },
                    NoCode::Fault(fault) => EngineError::BadValue { column: names[index].clone(), fault },
                })?;
            }
            if let Some(subject) = subject {
                reader.people.clear();
                hasher.hash(batch.column(subject), &mut reader.people);
            }
            let people = subject.is_some().then_some(&reader.people[..]);
            let rows = Rows { codes: &reader.codes, people };
            reader.collector.add(&rows, batch.num_rows())?;
            reader.rows += batch.num_rows() as u64;
            if wanted {
                reader.counts.iter_mut().zip(&reader.codes).for_each(|(counts, codes)| counts.add(codes));
            }
            let mut of_rows = reader.row_classes.as_mut();
            if let Some(of_rows) = &mut of_rows {
                of_rows.start(batch.num_rows());
                let codes = reader.codes[..classes].iter().enumerate();
                codes.for_each(|(place, codes)| of_rows.add_codes(place, codes));
            }
            let mut codes = Vec::new();
            Profiling::step(&others, &mut reader.tallies, batch, names.len(), &mut codes, &mut |at, codes| {
                let Some((of_rows, by_cell)) = of_rows.as_mut().zip(hashed[at]) else { return };
                let place = names.len() + at;
                if by_cell {
                    of_rows.add_cells(place, batch.column(place));
                } else {
                    of_rows.add_codes(place, codes);
                }
            })?;
            let Some(of_rows) = of_rows else { return Ok(()) };
            match of_rows.incomplete() {
                Some(place) => {
                    let column = others.get(place - names.len()).cloned().unwrap_or_default();
                    Err(EngineError::TooManyValues { column, bytes: most_bytes })
                }
                None => of_rows.count(people),
            }
        };
        let mut readers = scan(engine, self, &read, Stage::Count, None, start, step)?;
        let stretches: Vec<u64> = readers.iter().map(|reader| reader.rows).collect();
        let rows = stretches.iter().sum();
        let tallies = readers.iter_mut().map(|reader| std::mem::take(&mut reader.tallies)).collect();
        let mut profiles = profiling.finish(self, tallies, rows)?;
        let met = |index: usize| readers.iter().any(|reader| reader.encoders[index].met_missing());
        let missing: Vec<bool> = (0..attributes.len()).map(met).collect();
        let mut counts: Vec<Counts> = attributes.iter().map(|_| Counts::default()).collect();
        for reader in &readers {
            counts.iter_mut().zip(&reader.counts).for_each(|(total, counts)| total.merge(counts));
        }
        let row_classes = readers.iter_mut().filter_map(|reader| reader.row_classes.take());
        let row_classes: Vec<Counted> = row_classes.map(RowClasses::finish).collect();
        let sizes_of_all = match row_classes.is_empty() {
            true => None,
            false => Some(class_sizes(row_classes, question.subject.is_some())?),
        };
        let counted: Vec<Counted> = readers.into_iter().map(|reader| reader.collector.finish()).collect();
        let mut ranked = Ranks::default();
        let mut coded = Vec::with_capacity(attributes.len());
        for (index, (name, shared)) in attributes.into_iter().zip(dictionaries).enumerate() {
            let column = rank(&name, self.data_type(&name)?, unshared(shared)?, missing[index])?;
            if wanted {
                profiles.push(ColumnProfile {
                    name: name.clone(),
                    rows,
                    missing: counts[index].missing(),
                    dictionary: column.dictionary.clone(),
                    counts: counts[index].by_rank(&column),
                    exact: true,
                    rows_counted: rows,
                });
            }
            let quasi = index < question.quasi_identifiers.len();
            let role = if quasi { Role::QuasiIdentifier } else { Role::Sensitive };
            coded.push(CodedColumn::new(&name, &column));
            ranked.push(Attribute::new(name, role, column.dictionary), column.ranks);
        }
        engine.check_cancelled()?;
        let subject = question.subject.clone().map(|name| (name, people));
        let codebook = || Codebook::new(coded, subject, engine.threads, stretches);
        let spilled_bytes = spills.bytes();
        if room.is_outgrown() {
            let outgrown = Some(Outgrown::new(ranked.into_attributes(), codebook(), rows)?);
            let (table, codebook, sizes, tuples, needed) = (None, None, ClassSizes::default(), 0, 0);
            return Ok((
                Answer { table, codebook, outgrown, sizes, sizes_of_all, rows, tuples, spilled_bytes, needed },
                profiles,
            ));
        }
        let Merged { table, attributes, sizes, rows, tuples, words, needed } =
            merge(engine, counted, ranked, question)?;
        if tuples > question.at_once.tuples(words) {
            let attributes = table.map_or(attributes, FrequencyTable::into_attributes);
            let outgrown = Some(Outgrown::new(attributes, codebook(), rows)?);
            let (table, codebook) = (None, None);
            return Ok((
                Answer { table, codebook, outgrown, sizes, sizes_of_all, rows, tuples, spilled_bytes, needed },
                profiles,
            ));
        }
        let codebook = table.is_some().then(codebook);
        let outgrown = None;
        Ok((Answer { table, codebook, outgrown, sizes, sizes_of_all, rows, tuples, spilled_bytes, needed }, profiles))
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
