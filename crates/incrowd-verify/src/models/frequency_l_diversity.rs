//! Frequency ℓ-diversity: in no class does a value have more than one in ℓ rows. ℓ is exact, so nothing is rounded.

use super::shared::exact::Exact;
use super::{Attribute, Class, Entry, Model, Parameters, RowsSay};
use crate::sql::Weighed;

pub(super) const ENTRY: Entry = Entry {
    name: "frequency-l-diversity",
    protects_sensitive: true,
    parameters: &["l"],
    rows_say: RowsSay::Nothing,
    read: FrequencyLDiversity::read,
};

struct FrequencyLDiversity {
    l: Exact,
}

impl FrequencyLDiversity {
    fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
        let l = Exact::parameter(parameters, "l", |l| l.above >= l.below, "a number of at least 1")?;
        Ok(Box::new(FrequencyLDiversity { l }))
    }
}

impl Model for FrequencyLDiversity {
    fn promise(&self, sensitive: Option<&str>) -> String {
        let of = sensitive.unwrap_or_default();
        format!("In each class at most one in {} rows has any one value of {of}.", self.l)
    }

    fn promise_of_people(&self, sensitive: Option<&str>) -> String {
        let of = sensitive.unwrap_or_default();
        format!(
            "In each class, and in the release as a whole, at most one in {} people has any one value of {of} in \
             their rows there.",
            self.l
        )
    }

    fn one_each(&self, _attribute: &Attribute) -> Option<Vec<usize>> {
        None
    }

    fn sql(&self, quasi_identifiers: &[&str], sensitive: Option<&str>) -> String {
        let weighed = Weighed::of_values(quasi_identifiers, sensitive.unwrap_or_default());
        let (own, class, Exact { above, below }) = (&weighed.own, &weighed.class, self.l);
        format!("SELECT * FROM {} WHERE {own} * {above} > {class} * {below}", weighed.rows(&[class]))
    }

    fn bind<'a>(&'a self, _attribute: Option<&'a Attribute>) -> Box<dyn Fn(&Class<'_>) -> bool + 'a> {
        let share = Exact { above: self.l.below, below: self.l.above };
        Box::new(move |class| {
            class.histogram().all(|(_, rows)| share.is_at_least(u128::from(rows), u128::from(class.size)))
        })
    }
}
