//! The words of `incrowd query`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use incrowd::query::Estimator;

use super::shared::AskArgs;

#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// The release
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) release: PathBuf,
    /// The question: "SELECT COUNT(*) WHERE age BETWEEN 30 AND 40 AND occupation = 'Sales'"
    #[arg(value_name = "SQL")]
    pub(crate) sql: String,
    /// How to estimate [default: uniform for one table, expected for two]
    #[arg(long, value_enum)]
    pub(crate) estimator: Option<EstimatorArg>,
    /// The table it was made from: also say what it answers, and how far the estimate is from that
    #[arg(long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) against: Option<String>,
    /// Folder of the release's internal record [default: DIR.internal]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum EstimatorArg {
    /// One table: by the share of each cell's values that satisfy the conditions
    Uniform,
    /// One table: every row that may satisfy the conditions
    Overlap,
    /// Two tables: what is expected when nothing is known of how rows are joined
    Expected,
    /// Two tables: every row of the second whose class has a match in the first
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
