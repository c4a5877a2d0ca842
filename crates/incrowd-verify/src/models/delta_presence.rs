//! δ-presence: the rows of a class are at least δmin and at most δmax of the people of a population who match it.
//!
//! M. E. Nergiz, M. Atzori and C. Clifton, "Hiding the presence of individuals from shared databases", SIGMOD 2007. The
//! share of a class is the probability of presence only where no one matches two classes; and with δmin above 0 no one
//! may match none, since such a person is known to be absent. Who matches a class is counted in `population/`.

use super::shared::SensitiveAttribute;
use super::shared::exact::ExactNumber;
use super::{AsksOfRelease, ClassTest, Model, ModelEntry, Parameters, RowsSay};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "delta-presence",
    protects_sensitive: false,
    of_population: true,
    parameters: &["min", "max"],
    rows_say: RowsSay::Nothing,
    read: DeltaPresence::read,
};

struct DeltaPresence {
    min: Option<ExactNumber>,
    max: ExactNumber,
}

impl DeltaPresence {
    fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
        let is_share = |share: ExactNumber| share.above > 0 && share.above <= share.below;
        let share = |name| ExactNumber::parameter(parameters, name, is_share, "a share above 0 and at most 1");
        let min = if parameters.contains_key("min") { Some(share("min")?) } else { None };
        Ok(Box::new(DeltaPresence { min, max: share("max")? }))
    }
}

impl Model for DeltaPresence {
    fn promise(&self, _of: &str) -> String {
        let bounds = match self.min {
            Some(min) => format!("at least {min} and at most {}", self.max),
            None => format!("at most {}", self.max),
        };
        format!("The rows of each class are {bounds} of the people of the population who match it.")
    }

    fn sql(&self, _quasi_identifiers: &[&str], _of: &str) -> String {
        String::new()
    }

    fn asks_of_release(&self) -> AsksOfRelease {
        AsksOfRelease { at_most_one_class: true, everyone: self.min.is_some() }
    }

    fn bind<'a>(&'a self, _attribute: &'a SensitiveAttribute) -> ClassTest<'a> {
        Box::new(|class| {
            let (rows, people) = (u128::from(class.size), u128::from(class.matching));
            let min = self.min.unwrap_or(ExactNumber { above: 0, below: 1 });
            rows * u128::from(self.max.below) <= people * u128::from(self.max.above)
                && rows * u128::from(min.below) >= people * u128::from(min.above)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::shared::ClassCounts;

    #[test]
    fn both_bounds_belong_to_what_is_allowed() {
        let quarter = ExactNumber { above: 1, below: 4 };
        let model = DeltaPresence { min: Some(quarter), max: ExactNumber { above: 1, below: 2 } };
        let attribute = SensitiveAttribute::new(String::new(), Vec::new(), &[]);
        let is_kept = model.bind(&attribute);
        // Of 8 people who match, 2 to 4 may be in the class.
        let kept: Vec<u64> =
            (0..=8).filter(|&size| is_kept(&ClassCounts { size, values: &[], holdings: None, matching: 8 })).collect();
        assert_eq!(kept, [2, 3, 4]);
        let model =
            DeltaPresence { min: Some(ExactNumber { above: 2, below: 5 }), max: ExactNumber { above: 2, below: 3 } };
        let is_kept = model.bind(&attribute);
        let kept: Vec<u64> = (0..=30)
            .filter(|&size| is_kept(&ClassCounts { size, values: &[], holdings: None, matching: 30 }))
            .collect();
        assert_eq!(kept, (12..=20).collect::<Vec<_>>());
    }
}
