//! Frequency ℓ-diversity: in no class does a value have more than one in ℓ rows. ℓ is exact, so nothing is rounded.
//!
//! X. Xiao and Y. Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006.

use super::shared::SensitiveAttribute;
use super::shared::exact::ExactNumber;
use super::shared::sql::ValueCounts;
use super::{ClassTest, Model, ModelEntry, Parameters, RowsSay};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "frequency-l-diversity",
    protects_sensitive: true,
    of_population: false,
    parameters: &["l"],
    rows_say: RowsSay::Nothing,
    read: FrequencyLDiversity::read,
};

struct FrequencyLDiversity {
    l: ExactNumber,
}

impl FrequencyLDiversity {
    fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
        let l = ExactNumber::parameter(parameters, "l", |l| l.above >= l.below, "a number of at least 1")?;
        Ok(Box::new(FrequencyLDiversity { l }))
    }
}

impl Model for FrequencyLDiversity {
    fn promise(&self, of: &str) -> String {
        format!("In each class, at most one in {} rows has the same value of {of}.", self.l)
    }

    fn promise_of_people(&self, of: &str) -> String {
        format!(
            "In each class, and in the release as a whole, at most one in {} people has the same value of {of} in \
             their rows there.",
            self.l
        )
    }

    fn one_each(&self, _attribute: &SensitiveAttribute) -> Option<Vec<usize>> {
        None
    }

    fn sql(&self, quasi_identifiers: &[&str], of: &str) -> String {
        let weighed = ValueCounts::of_values(quasi_identifiers, of);
        let (own, class, ExactNumber { above, below }) = (&weighed.own, &weighed.class, self.l);
        format!("SELECT * FROM {} WHERE {own} * {above} > {class} * {below}", weighed.rows(&[class]))
    }

    fn bind<'a>(&'a self, _attribute: &'a SensitiveAttribute) -> ClassTest<'a> {
        let share = ExactNumber { above: self.l.below, below: self.l.above };
        Box::new(move |class| {
            class.histogram().all(|(_, rows)| share.is_at_least(u128::from(rows), u128::from(class.size)))
        })
    }
}
