//! The results of a diagnosis, as plain data.
//!
//! A finding names columns and counts; it never contains a cell's value. Values can be requested; they are then given
//! separately, in [`Diagnosis::exposed_values`].

use serde::Serialize;

use crate::Code;

/// One thing a custodian should know about a table.
///
/// ```
/// use incrowd_core::{Finding, codes};
/// let finding = Finding::new(&codes::UNIQUE_ROWS, "3 of 100 rows are unique").about(["age", "sex"]).counting(3, 100);
/// assert_eq!(finding.share, Some(0.03));
/// assert_eq!(finding.code.code, "IC102");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Its stable code, with name and severity.
    #[serde(flatten)]
    pub code: &'static Code,
    /// The columns it is about.
    pub columns: Vec<String>,
    /// The finding in one sentence, without a cell's value.
    pub message: String,
    /// How many rows (people, when they are counted) it concerns.
    pub rows: Option<u64>,
    /// `rows` as a share of all.
    pub share: Option<f64>,
}

impl Finding {
    /// A finding about the table as a whole.
    pub fn new(code: &'static Code, message: impl Into<String>) -> Self {
        Finding { code, columns: Vec::new(), message: message.into(), rows: None, share: None }
    }

    /// The same finding about some columns.
    pub fn about<S: Into<String>>(self, columns: impl IntoIterator<Item = S>) -> Self {
        Finding { columns: columns.into_iter().map(Into::into).collect(), ..self }
    }

    /// The same finding with the number it concerns, of all there are.
    pub fn counting(self, rows: u64, of: u64) -> Self {
        Finding { rows: Some(rows), share: Some(share(rows, of)), ..self }
    }
}

/// One step of a suppression curve: suppressing `suppressed` reaches `k`, and no fewer do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// The size of the smallest class that is kept.
    pub k: u64,
    /// How many are suppressed.
    #[serde(rename = "suppressed_rows")]
    pub suppressed: u64,
    /// `suppressed` as a share of the people the table is about, at most 1; of its rows without a subject column.
    pub share: f64,
}

/// The effect of one column on the risk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AttributeRisk {
    /// The column's name.
    pub name: String,
    /// How many distinct values it has, a missing one included.
    pub distinct: u64,
    /// Distinct values per row: 1 when every cell is different.
    pub distinction: f64,
    /// The share of row pairs that this column alone distinguishes.
    pub separation: f64,
    /// The size of the smallest class of this column alone.
    pub k: u64,
    /// How many are unique in the classes of all quasi-identifiers when this column is dropped; nothing when that was
    /// not measured.
    pub unique_without: Option<u64>,
    /// How many are in classes smaller than the requested k when this column is dropped; nothing when that was not
    /// measured.
    pub below_without: Option<u64>,
}

impl AttributeRisk {
    /// What is known of a column independently of the others: the rows of each of its values, and the size of its
    /// smallest class.
    pub fn alone(name: &str, rows_by_value: &[u64], k: u64) -> Self {
        let pairs = |n: u64| n as f64 * n.saturating_sub(1) as f64;
        let met = rows_by_value.iter().filter(|&&rows| rows > 0);
        let (distinct, together) = met.fold((0, 0.0), |(distinct, sum), &rows| (distinct + 1, sum + pairs(rows)));
        let rows: u64 = rows_by_value.iter().sum();
        let all_pairs = pairs(rows);
        AttributeRisk {
            name: name.to_owned(),
            distinct,
            distinction: distinct as f64 / rows.max(1) as f64,
            separation: if all_pairs == 0.0 { 0.0 } else { (all_pairs - together) / all_pairs },
            k,
            unique_without: None,
            below_without: None,
        }
    }
}

/// Why column sets were not searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchLimit {
    /// Sets of more columns than were requested.
    Size,
    /// The effort that a search may take was spent.
    Effort,
    /// More columns than can be combined at once.
    Columns,
    /// The tuples need more memory than was allowed.
    Memory,
}

/// Column sets that were neither measured nor shown to be dangerous by a smaller set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotSearched {
    /// Why.
    pub limit: SearchLimit,
    /// The smallest number of columns of these sets; larger sets were not searched either.
    pub set_size: usize,
    /// How many sets of this size they are; nothing when they were not counted.
    pub sets: Option<u64>,
    /// Whether there are more than `sets`.
    pub at_least: bool,
    /// The columns that were measured one by one and not in sets with others; empty when sets of all columns are meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
}

impl NotSearched {
    /// What was not searched, in one sentence without its full stop.
    pub fn sentence(&self) -> String {
        let size = self.set_size;
        let more = if size == 1 { "column sets".into() } else { format!("sets of {size} and more columns") };
        let sets = match self.sets {
            Some(sets) if self.at_least => format!("more than {} sets of {size} columns", crate::thousands(sets)),
            Some(sets) => format!("{} of {size} columns", crate::counted(sets, "set", "sets")),
            None => String::new(),
        };
        match self.limit {
            SearchLimit::Size => format!("{more} were not searched"),
            SearchLimit::Memory => format!("{more} were not searched: they need more memory than was allowed"),
            SearchLimit::Effort => {
                format!("the search stopped at its effort limit: {sets} and all larger sets were not measured")
            }
            SearchLimit::Columns => {
                let columns = crate::counted(self.columns.len() as u64, "quasi-identifier", "quasi-identifiers");
                let larger = if size == 1 { "sets of several columns" } else { "larger sets" };
                format!(
                    "{columns} with few values were not combined with others: {sets} and all {larger} with them were not \
                     measured"
                )
            }
        }
    }
}

/// The risk of one set of columns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SetRisk {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The size of the smallest class.
    pub k: u64,
    /// How many are alone in their class.
    #[serde(rename = "unique_rows")]
    pub unique: u64,
    /// How many are in classes smaller than the requested k.
    #[serde(rename = "rows_below_k")]
    pub below: u64,
}

/// A value whose rows are in small classes. Only for those who may see the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExposedValue {
    /// The column's name.
    pub column: String,
    /// The value.
    pub value: String,
    /// How many rows have it.
    pub rows: u64,
    /// How many of these are in classes smaller than the requested k.
    pub exposed: u64,
}

/// All results of the diagnosis of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosis {
    /// Rows of the table.
    pub rows: u64,
    /// Distinct tuples.
    pub tuples: u64,
    /// People the table is about: rows, unless there is a subject column.
    pub people: u64,
    /// People, each counted once in every class they are in. Shares are of these.
    pub appearances: u64,
    /// The names of the quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// The requested k.
    pub k_asked: u64,
    /// The size of the smallest class of all quasi-identifiers.
    pub k: u64,
    /// How many classes there are.
    pub classes: u64,
    /// How many are alone in their class.
    #[serde(rename = "unique_rows")]
    pub unique: u64,
    /// How many are in classes smaller than the requested k.
    #[serde(rename = "rows_below_k")]
    pub below: u64,
    /// The mean probability of identifying the right person given their class.
    pub mean_risk: f64,
    /// The k for each share of suppressed rows.
    pub curve: Vec<CurvePoint>,
    /// The quasi-identifiers one by one, in column order.
    pub attributes: Vec<AttributeRisk>,
    /// The largest sets of columns that reach the requested k.
    pub largest_safe: Vec<Vec<String>>,
    /// The smallest sets of columns that do not.
    #[serde(rename = "dangerous_sets")]
    pub smallest_dangerous: Vec<SetRisk>,
    /// How many sets of columns were measured to find them.
    pub groupings: usize,
    /// Whether every set of columns was searched.
    pub complete: bool,
    /// The sets that were not, and why.
    pub not_searched: Vec<NotSearched>,
    /// The most exposed values, only if they were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exposed_values: Option<Vec<ExposedValue>>,
    /// The findings, most severe first.
    pub findings: Vec<Finding>,
}

/// A part of a whole as a share; of nothing it is 0.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
