//! Risk against a population of which only a sample is known.
//!
//! A row that is unique in a sample may have doubles in the population. How many unique rows have none cannot be read
//! off a sample; it is estimated, and every estimate rests on a model of the population.
//!
//! `uniqueness/` estimates the share of people who are unique in the population, from the class sizes of the sample and
//! the size of the population. `special_uniques/` finds the column sets on which a row is unique already.
//! `special_functions.rs` and `root.rs` hold the numerical tools.
//!
//! `estimated_k_map.rs` says from which size on a class of the sample is taken to have k people in the population.
//! `individual_risk.rs` has the risk of each row of a survey with weights, and `log_linear/` the risk of a whole sample
//! from a model of its columns.
//!
//! All but the individual risk assume a simple random sample. Where a model cannot be fitted there is no estimate, and
//! [`NoEstimate`] or [`NoLogLinear`] says why.

mod estimated_k_map;
mod individual_risk;
mod log_linear;
mod root;
mod special_functions;
mod special_uniques;
mod uniqueness;

pub use estimated_k_map::{EstimatedKMap, SampledClass, USUAL_ERROR};
pub use individual_risk::{
    HouseholdRisk, RISK_THRESHOLDS, RowsAboveRisk, SurveyRisk, WeightedRows, individual_risk, least_class_for_risk,
};
pub use log_linear::{LogLinearModel, LogLinearRisk, MOST_CELLS, NoLogLinear};
pub use special_uniques::{ColumnContribution, MinimalSetSize, SpecialUniques, TooManyColumnSets};
pub use uniqueness::{
    NoEstimate, PopulationUniqueness, SensitivityPoint, UniquenessEstimate, UniquenessModel, population_uniqueness,
};
