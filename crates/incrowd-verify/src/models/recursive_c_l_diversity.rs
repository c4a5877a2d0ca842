//! Recursive (c, ℓ)-diversity: with the rows of the values of a class in falling order, r₁ < c·(r_ℓ + r_{ℓ+1} + …). c
//! is exact, so nothing is rounded.
//!
//! A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, "ℓ-diversity: privacy beyond k-anonymity", ACM
//! TKDD 2007.

use super::shared::SensitiveAttribute;
use super::shared::exact::{ExactNumber, whole};
use super::shared::sql::ValueCounts;
use super::{ClassTest, Model, ModelEntry, Parameters, RowsSay};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "recursive-c-l-diversity",
    protects_sensitive: true,
    of_population: false,
    parameters: &["c", "l"],
    rows_say: RowsSay::Nothing,
    read: RecursiveCLDiversity::read,
};

struct RecursiveCLDiversity {
    c: ExactNumber,
    l: u64,
}

impl RecursiveCLDiversity {
    fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
        let c = ExactNumber::parameter(parameters, "c", |c| c.above > 0, "a number above 0")?;
        Ok(Box::new(RecursiveCLDiversity { c, l: whole(parameters, "l")? }))
    }
}

impl Model for RecursiveCLDiversity {
    fn promise(&self, of: &str) -> String {
        format!(
            "In each class, the most frequent value of {} has less than {} times the rows of all values but the {} \
             most frequent.",
            of,
            self.c,
            self.l.saturating_sub(1)
        )
    }

    fn promise_of_people(&self, of: &str) -> String {
        format!(
            "In each class, and in the release as a whole, the people with the most frequent value of {} are fewer than {} \
             times those with all values but the {} most frequent.",
            of,
            self.c,
            self.l.saturating_sub(1)
        )
    }

    fn sql(&self, quasi_identifiers: &[&str], of: &str) -> String {
        let weighed = ValueCounts::of_values(quasi_identifiers, of);
        let (own, place, ExactNumber { above, below }) = (&weighed.own, &weighed.place, self.c);
        let tail = format!("SUM(CASE WHEN {place} >= {} THEN {own} ELSE 0 END)", self.l);
        let (listed, rows, by_class) = (weighed.listed_before(), weighed.rows(&[place]), weighed.by_class());
        format!(
            "SELECT {listed}MAX({own}), {tail} FROM {rows}{by_class} HAVING MAX({own}) * {below} >= {above} * {tail}"
        )
    }

    fn bind<'a>(&'a self, _attribute: &'a SensitiveAttribute) -> ClassTest<'a> {
        let before = usize::try_from(self.l - 1).unwrap_or(usize::MAX);
        Box::new(move |class| {
            let mut rows: Vec<u64> = class.histogram().map(|(_, rows)| rows).collect();
            rows.sort_unstable();
            let tail: u64 = rows.iter().rev().skip(before).sum();
            let most = rows.last().copied().unwrap_or(0);
            // Not r₁/tail ≥ c is r₁/tail < c; without a tail there is nothing to hide behind.
            tail > 0 && !is_at_least(most, tail, self.c)
        })
    }
}

/// Whether part / whole ≥ number.
fn is_at_least(part: u64, whole: u64, number: ExactNumber) -> bool {
    let turned = ExactNumber { above: part, below: whole };
    turned.is_at_least(u128::from(number.above), u128::from(number.below))
}
