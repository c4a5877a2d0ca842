//! The arguments of `incrowd query`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use incrowd::query::Estimator;

use super::shared::AskArgs;

#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// Release
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) release: PathBuf,
    /// Query without FROM, such as "SELECT COUNT(*) WHERE age BETWEEN 30 AND 40 AND occupation = 'Sales'"
    #[arg(value_name = "SQL")]
    pub(crate) sql: String,
    /// Estimator [default: uniform for one table, expected for two]
    #[arg(long, value_enum)]
    pub(crate) estimator: Option<EstimatorArg>,
    /// Original table; also prints its answer and the error of the estimate
    #[arg(long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) against: Option<String>,
    /// Folder of the internal record [default: NAME.internal]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum EstimatorArg {
    /// One table: each row weighted by the share of the values its cells cover that satisfies the conditions
    Uniform,
    /// One table: number of rows that could satisfy the conditions, each counted in full
    Overlap,
    /// Two tables: expected value over all ways to join the rows
    Expected,
    /// Two tables: all rows of the second table whose class has a match in the first
    Printed,
}

impl EstimatorArg {
    pub(crate) fn estimator(self) -> Estimator {
        match self {
            EstimatorArg::Uniform => Estimator::Uniform,
            EstimatorArg::Overlap => Estimator::Overlap,
            EstimatorArg::Expected => Estimator::Expected,
            EstimatorArg::Printed => Estimator::Printed,
        }
    }
}
