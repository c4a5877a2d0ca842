//! The grouped scan on a cluster: `SELECT columns, count(*) GROUP BY columns`, and a hash of each group.

use std::sync::Arc;

use arrow::array::AsArray;
use arrow::array::types::{Int64Type, UInt64Type};
use arrow::record_batch::RecordBatch;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::lit;
use datafusion::prelude::Expr;
use incrowd_core::{Attribute, ColumnProfile, ColumnSet, Role, Stage};

use super::exchange;
use super::misfit;
use super::plans::{HASH, attribute, attributes, column, hashed};
use super::tasks::{self, TaskSizes, TaskSpace};
use crate::count::answer::Answer;
use crate::count::codebook::{Codebook, CodedColumn};
use crate::count::dictionaries::Dictionaries;
use crate::count::encode::ColumnEncoder;
use crate::count::groups::{ExecutorGroups, TupleHash};
use crate::count::profile::CodeCounts;
use crate::count::question::Question;
use crate::runtime::cluster_session::Cluster;
use crate::runtime::engine::{Engine, TUPLE_SHARE, share};
use crate::runtime::error::{EngineError, Result};
use crate::source::table::Source;

/// The column of counts.
const COUNT: &str = "n";

/// As a local scan: the tuples of the question, and a profile of each of these columns.
pub(crate) fn read_once(
    cluster: &Cluster,
    engine: &Engine,
    source: &Source,
    question: &Question,
    profiled: Option<&[String]>,
) -> Result<(Answer, Vec<ColumnProfile>)> {
    let names: Vec<String> = question.quasi_identifiers.iter().chain(&question.sensitive).cloned().collect();
    let dictionaries = Dictionaries::new(source, engine, &names, 1)?;
    // Any key will do where none was named, if it is the same for all tasks.
    let key = || question.person_key.unwrap_or_else(|| words_of(&cluster.key));
    let subject = question.subject.clone().map(|name| (name, key()));
    let by_tasks = match engine.shared_folder().map(|beside| engine.task_space(beside)).transpose()?.flatten() {
        Some(space) => {
            let stretches = TaskSizes::of_at_least(cluster.task_rows).tasks(source.rows_expected().unwrap_or(0));
            by_tasks(&space, engine, source, (&names, subject.clone()), (&dictionaries, stretches))?
        }
        None => None,
    };
    let groups = match by_tasks {
        Some(groups) => groups,
        // In a plain plan the names of people would have to travel.
        None if question.subject.is_some() => {
            return Err(EngineError::NotOnCluster { what: "counting people by a subject column" });
        }
        None => grouped(cluster, engine, source, &names, &dictionaries)?,
    };
    let (answer, mut profiles) = answer(source, question, profiled.is_some(), dictionaries, (groups, subject))?;
    let others: Vec<String> =
        profiled.unwrap_or_default().iter().filter(|name| !names.contains(name)).cloned().collect();
    profiles.extend(super::profile::profile_columns(cluster, engine, source, &others)?);
    Ok((answer, profiles))
}

/// A key of people from the key of a run.
fn words_of(key: &[u8; 32]) -> [u64; 4] {
    let (words, _) = key.as_chunks::<8>();
    [0, 1, 2, 3].map(|at| u64::from_le_bytes(words[at]))
}

/// What groups are the answer to, and a profile of each of their columns if it is wanted.
pub(super) fn answer(
    source: &Source,
    question: &Question,
    profiled: bool,
    dictionaries: Dictionaries,
    (mut groups, subject): (ExecutorGroups, Option<(String, [u64; 4])>),
) -> Result<(Answer, Vec<ColumnProfile>)> {
    let rows = groups.rows();
    let mut profiles = Vec::new();
    let (mut ranked, mut coded) = (Vec::new(), Vec::new());
    let columns = question.quasi_identifiers.len() + question.sensitive.len();
    let missing: Vec<bool> = (0..columns).map(|index| groups.met_missing(index)).collect();
    for (index, column) in dictionaries.rank(source, &missing).enumerate() {
        let (name, column) = column?;
        if profiled {
            let mut counts = CodeCounts::default();
            counts.add_weighted(groups.codes(index), groups.counts());
            profiles.push(counts.profile(&name, &column, rows));
        }
        let quasi = index < question.quasi_identifiers.len();
        coded.push(CodedColumn::new(&name, &column));
        groups.rank(index, &column.ranks);
        let role = if quasi { Role::QuasiIdentifier } else { Role::Sensitive };
        ranked.push(Attribute::new(name, role, column.dictionary));
    }
    let table = groups.table(ranked)?;
    let sizes = table.class_sizes(ColumnSet::first(question.quasi_identifiers.len()));
    let codebook = Codebook::of_groups(coded, Arc::new(groups), source, subject);
    Ok((Answer::of_table(table, codebook, sizes, question.sizes_only), profiles))
}

/// Counts by tasks of ours, one for each stretch, and codes what they found; nothing when they cannot read the table.
pub(super) fn by_tasks(
    space: &TaskSpace<'_>,
    engine: &Engine,
    source: &Source,
    (names, subject): (&[String], Option<(String, [u64; 4])>),
    (dictionaries, stretches): (&Dictionaries, usize),
) -> Result<Option<ExecutorGroups>> {
    let mut coder = GroupCoder::new(engine, source, names, dictionaries)?;
    if subject.is_some() {
        coder.groups = coder.groups.of_people();
    }
    let counts_at = names.len() + usize::from(subject.is_some());
    let mut take = |batch: &RecordBatch| {
        engine.check_cancelled()?;
        if counts_at > names.len() {
            coder.groups.add_people(batch.column(names.len()).as_primitive::<UInt64Type>().values());
        }
        coder.add(batch, counts_at, std::iter::empty())
    };
    let counted = tasks::count(space, source, (names, subject), stretches, &mut take);
    let Some(stretch_rows) = counted.map_err(|error| source.locate_fault(error))? else { return Ok(None) };
    let (read, mut groups) = (stretch_rows.iter().sum::<u64>(), coder.groups);
    groups.stretch_rows = stretch_rows;
    as_expected(source, read.max(groups.rows()))?;
    if read == groups.rows() { Ok(Some(groups)) } else { Err(EngineError::Changed(source.name().into())) }
}

/// Codes the groups that come back.
struct GroupCoder<'a> {
    names: &'a [String],
    dictionaries: &'a Dictionaries,
    encoders: Vec<ColumnEncoder>,
    codes: Vec<Vec<u32>>,
    groups: ExecutorGroups,
    /// The most bytes that groups may take.
    limit: Option<u64>,
}

impl<'a> GroupCoder<'a> {
    fn new(
        engine: &Engine,
        source: &Source,
        names: &'a [String],
        dictionaries: &'a Dictionaries,
    ) -> Result<GroupCoder<'a>> {
        let (encoders, codes) = (dictionaries.encoders(), vec![Vec::new(); names.len()]);
        let groups = ExecutorGroups::new(names.len(), exchange::stamps(source)?);
        let limit = engine.memory.map(|memory| share(memory, TUPLE_SHARE));
        Ok(GroupCoder { names, dictionaries, encoders, codes, groups, limit })
    }

    /// Takes some groups, whose rows are in this column. Refuses what does not fit.
    fn add(&mut self, batch: &RecordBatch, counts_at: usize, hashes: impl Iterator<Item = TupleHash>) -> Result<()> {
        for (at, (encoder, codes)) in self.encoders.iter_mut().zip(&mut self.codes).enumerate() {
            let encoded = encoder.encode(batch.column(at), codes);
            encoded.map_err(|no_code| no_code.refusal(&self.names[at], self.dictionaries.most_bytes()))?;
        }
        let counts = batch.column(counts_at).as_primitive::<Int64Type>().values();
        let counts: Vec<u64> = counts.iter().map(|&count| count.unsigned_abs()).collect();
        self.groups.add(&self.codes, hashes, &counts);
        match self.limit.filter(|&limit| self.groups.bytes() > limit) {
            Some(limit) => {
                let (tuples, needed) = (self.groups.len() as u64, self.groups.bytes());
                Err(EngineError::TooManyTuples { tuples, needed, limit })
            }
            None => Ok(()),
        }
    }
}

/// Refuses other rows than those that were expected: a row that executors lost, or read twice, is never lost silently.
fn as_expected(source: &Source, read: u64) -> Result<()> {
    let name = || source.name().to_string();
    match source.rows_expected() {
        Some(expected) if expected != read => Err(EngineError::RowsDiffer { name: name(), read, expected }),
        None if read == 0 => Err(EngineError::Empty(name())),
        _ => Ok(()),
    }
}

/// Runs the plan and codes what comes back.
fn grouped(
    cluster: &Cluster,
    engine: &Engine,
    source: &Source,
    names: &[String],
    dictionaries: &Dictionaries,
) -> Result<ExecutorGroups> {
    let failed = |error| cluster.failed(Stage::Count, &error);
    let own = |at: usize| column(&attribute(at));
    let by: Vec<Expr> = (0..names.len()).map(own).collect();
    let frame = attributes(cluster, source, names, Stage::Count)?;
    let frame = frame.aggregate(by.clone(), vec![count(lit(1i64)).alias(COUNT)]).map_err(failed)?;
    let hash = hashed(cluster, by.iter().cloned()).map_err(failed)?.alias(HASH);
    let select = by.into_iter().chain([column(COUNT), hash]).collect::<Vec<_>>();
    let frame = frame.select(select).map_err(failed)?;

    let mut coder = GroupCoder::new(engine, source, names, dictionaries)?;
    cluster
        .collect(engine, Stage::Count, &frame, &mut |batch| {
            let hashes = batch.column(names.len() + 1).as_binary_opt::<i32>().ok_or_else(|| misfit(Stage::Count))?;
            let hashes = hashes.iter().map(|hash| TupleHash::try_from(hash.unwrap_or_default()));
            let hashes =
                hashes.collect::<std::result::Result<Vec<TupleHash>, _>>().map_err(|_| misfit(Stage::Count))?;
            coder.add(batch, names.len(), hashes.into_iter()).map(|()| true)
        })
        .map_err(|error| source.locate_fault(error))?;
    as_expected(source, coder.groups.rows())?;
    Ok(coder.groups)
}
