//! What several models need: the classes and values they judge, exact numbers, and SQL.

mod classes;
mod distinct_values;
pub(crate) mod exact;
pub(crate) mod sql;

pub(crate) use classes::{ClassCounts, Holding, SensitiveAttribute};
pub(crate) use distinct_values::DistinctValues;
