//! What a table reveals before anything is released.
//!
//! The questions are those of the paper "A privacy diagnosis centre: algorithms for k-anonymity diagnosis".
//! Pure functions of a [`FrequencyTable`](incrowd_core::FrequencyTable); the rows are never touched again.
//! [`diagnose`] asks the questions a custodian has first; the others answer one question each.
//!
//! `questions.rs` has one function for each question. `borders.rs` searches the largest safe and the smallest dangerous
//! sets of columns, level by level, and `subsets.rs` measures every set. Both measure sets without reading rows:
//! `walk.rs` by roll-ups of groupings, for every set of a few columns, and `column_codes.rs` by passes over columns of
//! codes, for small sets of many columns. `attributes.rs` says which column and which value carries the risk,
//! `curve.rs` thins the suppression curve, `summary.rs` computes the figures of a diagnosis, and `findings.rs` derives
//! the findings from them. docs/diagnosis.md describes the questions for users.

mod attributes;
mod borders;
mod column_codes;
mod curve;
mod findings;
mod questions;
mod subsets;
mod summary;
mod walk;

pub use attributes::{ValueRisk, attribute_risks, attribute_risks_watched, value_risks};
pub use borders::{BorderSearch, Borders, Measured, SearchCut, borders, borders_watched};
pub use curve::suppression_curve;
pub use questions::{
    Budgets, KBound, budgets_for, budgets_for_sets, curve_of, curves_of_sets, is_anonymous, k_of, k_of_sets, sets_with,
    tuples_below,
};
pub use subsets::{SubsetRisk, TooManyColumns, look_at_all, look_at_all_watched, subsets};
pub use summary::{
    AllColumns, Crowds, DiagnosisOptions, MeasuredColumns, OtherColumn, diagnose, diagnose_measured, diagnose_sizes,
    diagnose_some, diagnose_watched, usual_effort,
};
