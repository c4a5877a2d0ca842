//! Which column, and which value of it, carries the risk.
//!
//! Distinction (distinct values per row) and separation (the share of row pairs a column tells apart) are the measures
//! of Motwani and Xu for how much a column identifies alone; what remains when a column is dropped says how much it
//! adds to the others.

use std::borrow::Cow;

use incrowd_core::{AttributeRisk, ClassSizes, ColumnSet, FrequencyTable, Grouping, Stopped, Watch};
use rayon::prelude::*;

use super::column_codes::ColumnCodes;
use super::walk::unwatched;

/// What each of these columns does to the risk of all of them together, in column order.
///
/// ```
/// use incrowd_core::{Attribute, ColumnSet, Dictionary, FrequencyTable, Role};
/// use incrowd_risk::diagnosis::attribute_risks;
/// let column = |name| Attribute::new(name, Role::QuasiIdentifier, Dictionary::of_texts(["0", "1"]));
/// let table = FrequencyTable::from_tuples(vec![column("A"), column("B")], [([0, 0], 1), ([0, 1], 1), ([1, 1], 2)]);
/// let risks = attribute_risks(&table, ColumnSet::first(2), 2);
/// assert_eq!((risks[0].k, risks[0].unique_without), (2, Some(1)));      // without A, the row with B = 0 is alone
/// assert_eq!((risks[1].k, risks[1].unique_without), (1, Some(0)));      // without B, nobody is
/// assert_eq!(risks[0].separation, 4.0 / 6.0);
/// ```
pub fn attribute_risks(table: &FrequencyTable, columns: ColumnSet, k: u64) -> Vec<AttributeRisk> {
    unwatched(|watch| attribute_risks_watched(table, columns, k, u64::MAX, watch))
}

/// As [`attribute_risks`], watched and stoppable. What remains without a column is left open when measuring it for all
/// of them would read more tuples than `effort`.
pub fn attribute_risks_watched(
    table: &FrequencyTable,
    columns: ColumnSet,
    k: u64,
    effort: u64,
    watch: &Watch,
) -> Result<Vec<AttributeRisk>, Stopped> {
    risks_on(&ColumnCodes::new(table, columns), table, k, effort, watch)
}

/// What measuring all columns but one costs in comparison with one pass over the tuples: they are sorted.
const SORTING: u64 = 16;

pub(crate) fn risks_on(
    codes: &ColumnCodes<'_>,
    table: &FrequencyTable,
    k: u64,
    effort: u64,
    watch: &Watch,
) -> Result<Vec<AttributeRisk>, Stopped> {
    let columns: Vec<usize> = codes.columns().iter().collect();
    let work = (codes.tuples() as u64).saturating_mul(columns.len() as u64 * SORTING);
    let fingerprints = (work <= effort).then(|| codes.fingerprints(codes.columns()));
    let risk = |&column: &usize| {
        if watch.cancel.is_cancelled() {
            return Err(Stopped);
        }
        let without = fingerprints.as_ref().map(|fingerprints| fingerprints.sizes_without(column));
        let name = &table.attributes()[column].name;
        let (rows, k_alone) = (codes.rows_by_code(column), codes.sizes_of_one(column).k());
        let unique_without = without.as_ref().map(ClassSizes::unique);
        let below_without = without.as_ref().map(|sizes| sizes.below(k));
        Ok(AttributeRisk { unique_without, below_without, ..AttributeRisk::alone(name, &rows, k_alone) })
    };
    columns.par_iter().map(risk).collect()
}

/// How often the rows of one value are in small classes. The value is its code, not its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueRisk {
    /// The column.
    pub column: usize,
    /// The value's code in the column's dictionary.
    pub code: u32,
    /// How many rows have the value.
    pub rows: u64,
    /// How many of these are in classes smaller than k.
    pub exposed: u64,
}

/// Every value that has rows in classes (of all these columns) smaller than `k`: those whose rows are exposed most
/// often first, and of these the most frequent ones.
pub fn value_risks(table: &FrequencyTable, columns: ColumnSet, k: u64) -> Vec<ValueRisk> {
    let sizes = |column: usize| vec![(0, 0); table.attributes()[column].dictionary.len()];
    let mut counts: Vec<(usize, Vec<(u64, u64)>)> = columns.iter().map(|column| (column, sizes(column))).collect();
    let all = table.grouping();
    let grouping: Cow<'_, Grouping> =
        if columns == all.columns() { Cow::Borrowed(all) } else { Cow::Owned(table.roll_up(columns)) };
    for class in grouping.classes() {
        for (column, counts) in &mut counts {
            let (rows, exposed) = &mut counts[class.code(&grouping, *column) as usize];
            *rows += class.rows;
            *exposed += if class.size < k { class.rows } else { 0 };
        }
    }
    let mut risks: Vec<ValueRisk> = Vec::new();
    for (column, counts) in counts {
        let exposed = counts.into_iter().zip(0..).filter(|((_, exposed), _)| *exposed > 0);
        risks.extend(exposed.map(|((rows, exposed), code)| ValueRisk { column, code, rows, exposed }));
    }
    // exposed / rows, compared without division.
    let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
    risks.sort_by(|a, b| product(b.exposed, a.rows).cmp(&product(a.exposed, b.rows)).then(b.rows.cmp(&a.rows)));
    risks
}
