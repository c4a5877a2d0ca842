//! The expressions of remote plans: builtin functions, looked up by name, on columns that are named by their place.

use arrow::datatypes::DataType;
use datafusion::common::{Column, ScalarValue};
use datafusion::error::DataFusionError;
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::{ScalarUDF, cast, lit};
use datafusion::prelude::{DataFrame, Expr, SessionContext, when};
use incrowd_core::Stage;

use super::read;
use crate::runtime::cluster_session::Cluster;
use crate::runtime::error::Result;
use crate::source::table::Source;

/// Stands between the values of a tuple before they are hashed. No value holds it: cells with it are refused.
const BETWEEN: &str = "\0";

/// A column of a plan by its name, whatever letters it has.
pub(super) fn column(name: &str) -> Expr {
    Expr::Column(Column::from_name(name))
}

/// The names of the attributes, the kept cells and the labels in remote plans: a place in a list, never a word of the
/// user.
pub(super) fn attribute(at: usize) -> String {
    format!("a{at}")
}

pub(super) fn kept(at: usize) -> String {
    format!("k{at}")
}

pub(super) fn label(at: usize) -> String {
    format!("l{at}")
}

/// The column of hashes.
pub(super) const HASH: &str = "h";

/// A column of the plain form of its type.
pub(super) fn plain(name: &str, data_type: &DataType) -> Expr {
    let plain = plain_type(data_type);
    if plain == *data_type { column(name) } else { cast(column(name), plain) }
}

/// A type without what only costs on the way: dictionaries become their values, and all texts have one type.
pub(super) fn plain_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, values) => plain_type(values),
        DataType::Utf8View | DataType::LargeUtf8 | DataType::Null => DataType::Utf8,
        other => other.clone(),
    }
}

/// A cell that is published unchanged, in its one form.
pub(super) fn cleaned(cluster: &Cluster, name: &str, from: &DataType, to: &DataType) -> Result<Expr> {
    let cell = if from == to { column(name) } else { cast(plain(name, from), to.clone()) };
    canonical(cluster, cell, to)
}

/// A value of the table, in its one form: two writings of one number are one group and one hash.
pub(super) fn value(cluster: &Cluster, source: &Source, name: &str) -> Result<Expr> {
    let data_type = source.data_type(name)?;
    let values = match data_type {
        DataType::Dictionary(_, values) => values,
        other => other,
    };
    canonical(cluster, plain(name, data_type), values)
}

/// −0.0 is 0, and NaN is missing, as when cells are coded or cleaned here.
fn canonical(cluster: &Cluster, cell: Expr, data_type: &DataType) -> Result<Expr> {
    if !matches!(data_type, DataType::Float32 | DataType::Float64) {
        return Ok(cell);
    }
    let failed = |error| cluster.failed(Stage::Recode, &error);
    let lost = function(&cluster.context, "isnan").map_err(failed)?.call(vec![cell.clone()]);
    let (nothing, zero) = (lit(ScalarValue::Null), lit(0.0f64));
    let kept = cell + cast(zero, data_type.clone());
    when(lost, cast(nothing, data_type.clone())).otherwise(kept).map_err(failed)
}

/// The keyed hash of a tuple: SHA-256 over the key and the texts of the values. A missing cell counts as an empty text,
/// as it does when it is coded.
pub(super) fn hashed(
    cluster: &Cluster,
    values: impl Iterator<Item = Expr>,
) -> std::result::Result<Expr, DataFusionError> {
    let key: String = cluster.key.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut parts = vec![lit(key)];
    for value in values {
        parts.extend([lit(BETWEEN), cast(value, DataType::Utf8)]);
    }
    let text = function(&cluster.context, "concat")?.call(parts);
    Ok(function(&cluster.context, "sha256")?.call(vec![text]))
}

/// A builtin function.
pub(super) fn function(context: &SessionContext, name: &str) -> std::result::Result<ScalarUDF, DataFusionError> {
    Ok(context.udf(name)?.as_ref().clone())
}

/// The rows of these columns, under their places.
pub(super) fn attributes(cluster: &Cluster, source: &Source, names: &[String], stage: Stage) -> Result<DataFrame> {
    let frame = read::read(source, &cluster.context, names, None)?;
    let select = names.iter().enumerate().map(|(at, name)| Ok(value(cluster, source, name)?.alias(attribute(at))));
    let select = select.collect::<Result<Vec<Expr>>>()?;
    frame.select(select).map_err(|error| cluster.failed(stage, &error))
}
