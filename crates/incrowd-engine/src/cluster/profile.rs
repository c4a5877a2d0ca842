//! Columns on their own, on a cluster: one small group-by for each.

use std::sync::Arc;

use arrow::array::AsArray;
use arrow::array::types::Int64Type;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::lit;
use incrowd_core::{ColumnProfile, Stage};

use super::plans::{attribute, attributes, column};
use crate::count::encode::ColumnEncoder;
use crate::count::intern::{DictionaryBudget, NoCode};
use crate::count::profile::{CodeCounts, MOST_DISTINCT, unshared};
use crate::count::typing::rank;
use crate::runtime::cluster_session::Cluster;
use crate::runtime::engine::{DICTIONARY_SHARE, Engine, share};
use crate::runtime::error::{EngineError, Result};
use crate::source::coding::Coding;
use crate::source::table::Source;

/// The profiles of these columns. Of a column with very many values only a limited number are sent.
pub(crate) fn profile_columns(
    cluster: &Cluster,
    engine: &Engine,
    source: &Source,
    names: &[String],
) -> Result<Vec<ColumnProfile>> {
    let columns = source.columns().len().max(1) as u64;
    let most_bytes = engine.memory.map_or(u64::MAX, |memory| share(memory, DICTIONARY_SHARE) / columns);
    names.iter().map(|name| profile(cluster, engine, source, name, most_bytes)).collect()
}

fn profile(
    cluster: &Cluster,
    engine: &Engine,
    source: &Source,
    name: &String,
    most_bytes: u64,
) -> Result<ColumnProfile> {
    let failed = |error| cluster.failed(Stage::Profile, &error);
    let frame = attributes(cluster, source, std::slice::from_ref(name), Stage::Profile)?;
    let frame = frame.aggregate(vec![column(&attribute(0))], vec![count(lit(1i64)).alias("n")]).map_err(failed)?;
    // One more than are counted shows that there are more; the missing value is none of them.
    let frame = frame.limit(0, Some(MOST_DISTINCT + 2)).map_err(failed)?;
    let dictionary = Arc::new(source.dictionary(name, MOST_DISTINCT, Arc::new(DictionaryBudget::new(most_bytes, 1))));
    let mut encoder = ColumnEncoder::new(Coding::of_column(name, source.data_type(name)?)?, dictionary.clone());
    let (mut counts, mut codes, mut rows_counted) = (CodeCounts::default(), Vec::new(), 0);
    cluster
        .collect(engine, Stage::Profile, &frame, &mut |batch| {
            let full = match encoder.encode(batch.column(0), &mut codes) {
                Ok(()) => false,
                Err(NoCode::Full) => true,
                Err(NoCode::Fault(fault)) => return Err(EngineError::BadValue { column: name.clone(), fault }),
            };
            let rows = batch.column(1).as_primitive::<Int64Type>().values();
            let rows: Vec<u64> = rows.iter().take(codes.len()).map(|&rows| rows.unsigned_abs()).collect();
            counts.add_weighted(&codes, &rows);
            rows_counted += rows.iter().sum::<u64>();
            Ok(!full)
        })
        .map_err(|error| source.locate_fault(error))?;
    drop(encoder);
    let missing = counts.missing();
    let rows = source.rows_expected().unwrap_or(rows_counted);
    let ranked = rank(name, source.data_type(name)?, unshared(dictionary)?, missing > 0)?;
    let counts = counts.by_rank(&ranked);
    let exact = rows_counted == rows;
    Ok(ColumnProfile { name: name.clone(), rows, missing, dictionary: ranked.dictionary, counts, exact, rows_counted })
}
