//! The grouped scan on a cluster: `SELECT columns, count(*) GROUP BY columns`, and a hash of each group.

use std::sync::Arc;

use arrow::array::AsArray;
use arrow::array::types::Int64Type;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::lit;
use datafusion::prelude::Expr;
use incrowd_core::{Attribute, ColumnProfile, ColumnSet, Role, Stage};

use super::exchange;
use super::misfit;
use super::plans::{HASH, attribute, attributes, column, hashed};
use crate::count::answer::Answer;
use crate::count::codebook::{Codebook, CodedColumn};
use crate::count::dictionaries::Dictionaries;
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
    if question.subject.is_some() {
        // People are distinguished by hashes that only we make; their names would have to travel.
        return Err(EngineError::NotOnCluster { what: "counting people by a subject column" });
    }
    let names: Vec<String> = question.quasi_identifiers.iter().chain(&question.sensitive).cloned().collect();
    let dictionaries = Dictionaries::new(source, engine, &names, 1)?;
    let mut groups = grouped(cluster, engine, source, &names, &dictionaries)?;
    let rows = groups.rows();
    let mut profiles = Vec::new();
    let (mut ranked, mut coded) = (Vec::new(), Vec::new());
    let missing: Vec<bool> = (0..names.len()).map(|index| groups.met_missing(index)).collect();
    for (index, column) in dictionaries.rank(source, &missing).enumerate() {
        let (name, column) = column?;
        if profiled.is_some() {
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
    let others: Vec<String> =
        profiled.unwrap_or_default().iter().filter(|name| !names.contains(name)).cloned().collect();
    profiles.extend(super::profile::profile_columns(cluster, engine, source, &others)?);
    let table = groups.table(ranked)?;
    let sizes = table.class_sizes(ColumnSet::first(question.quasi_identifiers.len()));
    let codebook = Codebook::of_groups(coded, Arc::new(groups));
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

    let mut encoders = dictionaries.encoders();
    let mut codes = vec![Vec::new(); names.len()];
    let mut groups = ExecutorGroups::new(names.len(), exchange::stamps(source)?);
    let limit = engine.memory.map(|memory| share(memory, TUPLE_SHARE));
    cluster
        .collect(engine, Stage::Count, &frame, &mut |batch| {
            for (at, (encoder, codes)) in encoders.iter_mut().zip(&mut codes).enumerate() {
                let encoded = encoder.encode(batch.column(at), codes);
                encoded.map_err(|no_code| no_code.refusal(&names[at], dictionaries.most_bytes()))?;
            }
            let counts = batch.column(names.len()).as_primitive::<Int64Type>().values();
            let counts: Vec<u64> = counts.iter().map(|&count| count.unsigned_abs()).collect();
            let hashes = batch.column(names.len() + 1).as_binary_opt::<i32>().ok_or_else(|| misfit(Stage::Count))?;
            let hashes = hashes.iter().map(|hash| TupleHash::try_from(hash.unwrap_or_default()));
            let hashes =
                hashes.collect::<std::result::Result<Vec<TupleHash>, _>>().map_err(|_| misfit(Stage::Count))?;
            groups.add(&codes, hashes.into_iter(), &counts);
            if let Some(limit) = limit.filter(|&limit| groups.bytes() > limit) {
                let (tuples, needed) = (groups.len() as u64, groups.bytes());
                return Err(EngineError::TooManyTuples { tuples, needed, limit });
            }
            Ok(true)
        })
        .map_err(|error| source.locate_fault(error))?;
    let (read, name) = (groups.rows(), || source.name().to_string());
    match source.rows_expected() {
        // A row that executors lost, or read twice, is never lost silently.
        Some(expected) if expected != read => Err(EngineError::RowsDiffer { name: name(), read, expected }),
        None if read == 0 => Err(EngineError::Empty(name())),
        _ => Ok(groups),
    }
}
