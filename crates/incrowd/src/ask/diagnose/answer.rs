//! The answers of `diagnose`.

use incrowd_core::{AttributeRisk, CurvePoint, Finding, NotSearched, Severity, TightestParameters};
use incrowd_risk::population::{LogLinearRisk, PopulationUniqueness, SpecialUniques, SurveyRisk};
use serde::Serialize;

use super::{CountedInPopulation, SmallInPopulation, SpecialRow};

/// The answers. Only what was asked is there.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Diagnosed {
    /// What was inspected.
    pub source: String,
    /// The columns that distinguish classes.
    pub quasi_identifiers: Vec<String>,
    /// Rows of the table.
    pub rows: u64,
    /// Distinct tuples on the quasi-identifiers.
    pub tuples: u64,
    /// The column by which people are counted, when it was guessed and not declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guessed_subject: Option<String>,
    /// People the table is about, if there is a subject column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<u64>,
    /// People, each counted once in every class they are in, when that makes more than there are people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub appearances: Option<u64>,
    /// The size of the smallest class (question 2).
    pub k: u64,
    /// Rows (people) that are alone in their class.
    pub unique_rows: u64,
    /// The mean chance of picking the right person given their class.
    pub mean_risk: f64,
    /// Whether the requested k holds, within δ if one is given (questions 1 and 5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<bool>,
    /// Rows (people) in classes smaller than the requested k.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_below_k: Option<u64>,
    /// The smallest share to suppress for the requested k (question 9).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_delta: Option<f64>,
    /// The largest k that suppressing δ reaches (question 6).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k_suppressed: Option<u64>,
    /// How many are suppressed to reach it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed_rows: Option<u64>,
    /// The largest sets that are safe (questions 3 and 7).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_safe: Option<Vec<Vec<String>>>,
    /// The smallest sets that are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest_dangerous: Option<Vec<Vec<String>>>,
    /// How many class computations were made for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groupings: Option<usize>,
    /// The sets that the search for them did not look at, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_searched: Option<Vec<NotSearched>>,
    /// Every set with its k (questions 4, 8, 10).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets: Option<Vec<SetAnswer>>,
    /// Which k is reached for which share suppressed (question 11).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curve: Option<Vec<CurvePoint>>,
    /// What each column does to the risk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes: Option<Vec<AttributeRisk>>,
    /// For which parameters each model about a sensitive column holds, one answer for each column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<Vec<TightestParameters>>,
    /// The classes to suppress, by their values. Only for those who may see the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes_to_suppress: Option<Vec<SmallClass>>,
    /// How many people of a given population match the rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_population: Option<CountedInPopulation>,
    /// From which size on classes are taken to have the requested k people in the population.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_k_map: Option<SmallInPopulation>,
    /// How many people are unique in the population, estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub population: Option<PopulationUniqueness>,
    /// The risk of each row of a survey with weights, summed up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub survey: Option<SurveyRisk>,
    /// The risk of the unique rows by log-linear models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_linear: Option<LogLinearRisk>,
    /// Rows that are unique on few columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub special_uniques: Option<SpecialUniques>,
    /// Those with the highest scores, by their values. Only for those who may see the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub special_rows: Option<Vec<SpecialRow>>,
    /// Identifiers that repeat while rows are counted, and sensitive columns in which one value is spelled in several
    /// ways, each of which counts as a value above.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Bytes of codes that went through the disk because memory was short.
    pub spilled_bytes: u64,
}

/// One column set of question 4, 8, 10 or 12.
#[derive(Clone, Debug, Serialize)]
pub struct SetAnswer {
    /// The columns.
    pub columns: Vec<String>,
    /// The size of the smallest class, of what is kept when δ is given.
    pub k: u64,
    /// How many classes there are.
    pub classes: u64,
    /// Rows (people) that are alone in their class.
    pub unique_rows: u64,
    /// The smallest share to suppress for the requested k.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_delta: Option<f64>,
    /// Which k is reached for which share suppressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curve: Option<Vec<CurvePoint>>,
}

/// A class smaller than k, by its values.
#[derive(Clone, Debug, Serialize)]
pub struct SmallClass {
    /// The values of the quasi-identifiers.
    pub values: Vec<String>,
    /// How many rows (people) are in it.
    pub size: u64,
}

impl Diagnosed {
    /// Whether the requested promise holds; without one, whether no row is unique. Rows that may not be people prove
    /// neither.
    pub fn is_clean(&self) -> bool {
        self.findings.iter().all(|finding| finding.code.severity != Severity::Danger)
            && self.holds.unwrap_or(self.k > 1)
    }
}
