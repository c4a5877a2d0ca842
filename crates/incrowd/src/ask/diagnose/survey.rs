//! The risk of a survey whose rows have weights.

use std::collections::HashMap;

use incrowd_core::{FrequencyTable, Role, counted};
use incrowd_engine::{Engine, Question, Source};
use incrowd_risk::population::{SurveyRisk, WeightedRows};

use crate::error::{Error, Result};

/// The columns of a survey that say whom its rows stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SurveyGiven {
    /// The column with the weight of each row: how many people of the population it stands for.
    pub weight: String,
    /// The column that says which rows are of one household.
    pub household: Option<String>,
}

impl SurveyGiven {
    /// The columns that it names.
    pub(super) fn columns(&self) -> Vec<String> {
        std::iter::once(self.weight.clone()).chain(self.household.clone()).collect()
    }
}

/// The risks of the rows of a table, from a scan of its own: weights and households are no quasi-identifiers.
pub(super) fn risk(
    engine: &Engine,
    source: &Source,
    quasi_identifiers: &[String],
    given: &SurveyGiven,
) -> Result<SurveyRisk> {
    let question =
        Question { quasi_identifiers: quasi_identifiers.to_vec(), sensitive: given.columns(), ..Question::default() };
    let table = source.count(engine, &question)?.into_table(engine)?;
    let weights = weights(&table, &given.weight)?;
    let household = given.household.as_ref().and_then(|name| table.position(name));
    let at = table.position(&given.weight).unwrap_or_default();
    let columns: Vec<usize> = table.columns(Role::QuasiIdentifier).iter().collect();
    let mut classes: HashMap<Vec<u32>, usize> = HashMap::new();
    let part = |tuple: usize| {
        let codes: Vec<u32> = columns.iter().map(|&column| table.code(tuple, column)).collect();
        let next = classes.len();
        WeightedRows {
            class: *classes.entry(codes).or_insert(next),
            rows: table.count(tuple),
            weight: weights[table.code(tuple, at) as usize],
            household: household.map(|column| table.code(tuple, column)),
        }
    };
    Ok(SurveyRisk::of(&(0..table.tuples()).map(part).collect::<Vec<_>>()))
}

/// The weight of each code of the weight column.
fn weights(table: &FrequencyTable, name: &str) -> Result<Vec<f64>> {
    let at = table.position(name).unwrap_or_default();
    let dictionary = &table.attributes()[at].dictionary;
    let parsed = |code: u32| {
        let text = dictionary.text(code)?;
        text.parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight > 0.0)
    };
    let codes = u32::try_from(dictionary.len()).unwrap_or(u32::MAX);
    let weights: Vec<Option<f64>> = (0..codes).map(parsed).collect();
    let invalid = |tuple: &usize| weights[table.code(*tuple, at) as usize].is_none();
    let rows: u64 = (0..table.tuples()).filter(invalid).map(|tuple| table.count(tuple)).sum();
    if rows > 0 {
        let fact = format!("must have a number above 0 in each row; {} not", counted(rows, "row does", "rows do"));
        return Err(Error::Senseless { parameter: format!("weight column “{name}”"), fact });
    }
    Ok(weights.into_iter().map(Option::unwrap_or_default).collect())
}
