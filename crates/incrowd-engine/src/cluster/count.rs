//! The grouped scan on a cluster: `SELECT columns, count(*) GROUP BY columns`, and a hash of each group.

use std::sync::Arc;

use arrow::array::AsArray;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::lit;
use datafusion::prelude::Expr;
use incrowd_core::{Attribute, ColumnProfile, ColumnSet, Stage};

use super::count_by_tasks;
use super::group_coder::{GroupCoder, as_expected};
use super::misfit;
use super::plans::{HASH, attribute, attributes, column, hashed};
use super::tasks::{self, TaskSizes};
use crate::count::answer::Answer;
use crate::count::codebook::{Codebook, CodedColumn};
use crate::count::dictionaries::Dictionaries;
use crate::count::groups::{ExecutorGroups, TupleHash};
use crate::count::profile::CodeCounts;
use crate::count::question::Question;
use crate::runtime::cluster_session::Cluster;
use crate::runtime::engine::Engine;
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
    let key = || question.person_key.unwrap_or_else(|| count_by_tasks::words_of(&cluster.key));
    let subject = question.subject.clone().map(|name| (name, key()));
    let by_tasks = match engine.shared_folder().map(|beside| engine.task_space(beside)).transpose()?.flatten() {
        Some(space) => {
            let stretches = TaskSizes::of_at_least(cluster.task_rows).tasks(source.rows_expected().unwrap_or(0));
            let columns = (&names[..], subject.clone());
            match tasks::count(&space, source, columns, stretches).map_err(|error| source.locate_fault(error))? {
                Some(merged) => match count_by_tasks::outgrown(&space, source, question, (&merged, subject.clone()))? {
                    Some((outgrown, profiles)) => {
                        let profiled = profiled.unwrap_or_default();
                        let all =
                            profiles.into_iter().chain(other_profiles(cluster, engine, source, &names, profiled)?);
                        return Ok((Answer::of_outgrown(outgrown), all.collect()));
                    }
                    None => Some(count_by_tasks::by_tasks(
                        &space,
                        source,
                        (&names, subject.is_some()),
                        (&dictionaries, merged),
                    )?),
                },
                None => None,
            }
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
    profiles.extend(other_profiles(cluster, engine, source, &names, profiled.unwrap_or_default())?);
    Ok((answer, profiles))
}

/// Profiles of these columns, without those that were counted.
fn other_profiles(
    cluster: &Cluster,
    engine: &Engine,
    source: &Source,
    counted: &[String],
    profiled: &[String],
) -> Result<Vec<ColumnProfile>> {
    let others: Vec<String> = profiled.iter().filter(|name| !counted.contains(name)).cloned().collect();
    super::profile::profile_columns(cluster, engine, source, &others)
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
        coded.push(CodedColumn::new(&name, &column));
        groups.rank(index, &column.ranks);
        ranked.push(Attribute::new(name, question.role(index), column.dictionary));
    }
    let table = groups.table(ranked)?;
    let sizes = table.class_sizes(ColumnSet::first(question.quasi_identifiers.len()));
    let codebook = Codebook::of_groups(coded, Arc::new(groups), source, subject);
    Ok((Answer::of_table(table, codebook, sizes, question.sizes_only), profiles))
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
